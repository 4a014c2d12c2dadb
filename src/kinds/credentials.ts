import { isObject, type Json, type JsonObject, textOf } from '../model/json.ts';
import { isFilledInLater } from '../model/marker.ts';
import { type Pointer, placesIn, pointer, segmentsOf } from '../model/pointer.ts';
import { looksLikeCredential, namesCredential } from '../model/sensitive.ts';
import { readJsonText } from './jsontext.ts';
import { fieldNamed, type Kind } from './kind.ts';

/**
 * The places of texts and numbers that look like credentials: by the name above them, by their form, by the name
 * beside them in a pair (`{name: Authorization, value: …}`), or because they are JSON text with such a value in it. Names
 * count only among the settings of another system: elsewhere `key` and `token` are ordinary words. Plans, results, lint
 * and export all use this function.
 *
 * @param fields an object's fields, with JSON in text parsed
 */
export function credentialPlaces(kind: Kind, fields: JsonObject): Pointer[] {
  const settings = placesIn(fields, '').filter(([at]) => holdsSettings(kind, at));
  return settings.flatMap(([at, value]) => {
    // Settings that cannot be parsed may contain anything.
    if (typeof value === 'string') return value === '' ? [] : [at];
    return placesBelow(value, at, false);
  });
}

/** Whether a place is in a field with settings of another system. */
export function holdsSettings(kind: Kind, at: Pointer): boolean {
  const field = fieldNamed(kind, segmentsOf(at)[0] ?? '');
  return field?.is === 'json' && field.pairs === true;
}

/** @param isNamed whether a name above the value is that of a credential */
function placesBelow(value: Json, at: Pointer, isNamed: boolean): Pointer[] {
  if (value === null || typeof value === 'boolean' || isFilledInLater(value)) return [];
  if (typeof value !== 'object') return isNamed || isCredentialText(value) ? [at] : [];
  const isCredential = isObject(value) ? credentialMembers(value) : () => false;
  return Object.entries(value).flatMap(([name, item]) =>
    placesBelow(item, `${at}${pointer(name)}`, isNamed || isCredential(name)),
  );
}

/** Whether a value is text with a credential in it, or JSON text with one. */
export function isCredentialText(value: string | number): boolean {
  if (typeof value !== 'string') return false;
  if (looksLikeCredential(value)) return true;
  const inner = readJsonText(value);
  return typeof inner === 'object' && placesBelow(inner, '', false).length > 0;
}

/** Tells of an object's members whether their names, or the names beside them in a pair, are those of credentials. */
export function credentialMembers(holder: JsonObject): (member: string) => boolean {
  const names = Object.keys(holder);
  const naming = names.some((name) => valueMember.test(name))
    ? names.filter((name) => nameMember.test(name))
    : [];
  const isPair = naming.some((name) => namesCredential(textOf(holder, name) ?? ''));
  // The `key` of a pair is a name, not a credential.
  return (member) =>
    (isPair && valueMember.test(member)) || (!naming.includes(member) && namesCredential(member));
}

const nameMember = /^(name|key|field|header|param|parameter|property|attribute|label|id)$/i;
const valueMember = /^(default|current)?(value|val|content|data|text)s?$/i;
