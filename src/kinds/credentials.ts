import { get, getText, isArray, isObject, type Json, type JsonObject, mapMembers } from '../model/json.ts';
import { isFilledInLater, literalOf, livePlace, markersIn } from '../model/marker.ts';
import { isWithin, type Pointer, placesOf, pointer, segmentsOf, topName, valueAt } from '../model/pointer.ts';
import {
  isConcealed,
  isMasked,
  isPlaceOfCredential,
  looksLikeCredential,
  namesCredential,
} from '../model/sensitive.ts';
import { readJsonText } from './jsontext.ts';
import type { Kind, UpdateInput, Write } from './kind.ts';
import { fieldSays } from './places.ts';

/**
 * The places of what looks like a credential: by the name above it, by its form, or by the name beside it in a pair (`{name:
 * Authorization, value: …}`). Names only count among settings: elsewhere `key` and `token` are ordinary words.
 */
export function credentialPlaces(kind: Kind, fields: JsonObject): Pointer[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const field = get(kind.fields, name);
    const at = pointer(name);
    const secrets = field?.places?.has('secret')
      ? placesOf(value, (part, place) => part !== null && fieldSays(field, place, 'secret'), at)
      : [];
    const declared = secrets.filter((place) => !isFilledInLater(valueAt(fields, place)));
    const holds = holdsSettings(kind, at);
    // Whatever a field is for, an object in it may have members that nobody described.
    const isOpen = typeof value === 'object' && field && field.is !== 'json' && field.is !== 'records';
    if (!holds && !isOpen) return declared;
    // Settings that cannot be parsed may contain anything.
    const told =
      typeof value === 'string' && value !== ''
        ? [at]
        : placesBelow(value, at, holds && field?.is !== 'json');
    return [...declared, ...told.filter((place) => !fieldSays(field, place, 'plain', 'reference', 'secret'))];
  });
}

export function holdsSettings(kind: Kind, at: Pointer): boolean {
  const [name = ''] = segmentsOf(at);
  const field = get(kind.fields, name);
  if (field?.is === 'json') return field.settings === true;
  return field !== undefined && namesCredential(name);
}

function placesBelow(value: Json, at: Pointer, isNamed: boolean): Pointer[] {
  if (value === null || typeof value === 'boolean' || isFilledInLater(value)) return [];
  if (typeof value !== 'object') {
    if (isPlaceOfCredential(String(value))) return [];
    return isNamed || isCredentialText(value) ? [at] : [];
  }
  const isCredential = isObject(value) ? credentialMembers(value) : () => false;
  return Object.entries(value).flatMap(([name, item]) =>
    placesBelow(item, `${at}${pointer(name)}`, isNamed || isCredential(name)),
  );
}

export function isCredentialText(value: string | number): boolean {
  if (typeof value !== 'string') return false;
  if (looksLikeCredential(value)) return true;
  const inner = readJsonText(value);
  return typeof inner === 'object' && placesBelow(inner, '', false).length > 0;
}

/** Whether the names of an object's members, or the names beside them in a pair, are those of credentials. */
export function credentialMembers(holder: JsonObject): (member: string) => boolean {
  const names = Object.keys(holder);
  const naming = names.some((name) => valueMember.test(name))
    ? names.filter((name) => nameMember.test(name))
    : [];
  const paired = naming.map((name) => getText(holder, name) ?? '').filter(namesCredential);
  // An object, or a word beside the type of the element.
  const key = get(holder, 'key');
  const isKeyOfElement =
    typeof key === 'object' ||
    (typeof key === 'string' && keyWord.test(key) && names.some((name) => elementMember.test(name)));
  // A value equal to its name is a choice in a list (`{name: Secret, value: secret}`). The `key` of a pair is a name, not a
  // credential; so is that of an element with a type.
  return (member) =>
    (paired.length > 0 &&
      valueMember.test(member) &&
      !paired.some((name) => getText(holder, member)?.toLowerCase() === name.toLowerCase())) ||
    (!naming.includes(member) && namesCredential(member) && !(member === 'key' && isKeyOfElement));
}

const keyWord = /^[A-Za-z][A-Za-z_. -]{0,63}\d{0,3}$/;
const elementMember = /^(elementType|inputType|operation|property|validations)$/;

const nameMember = /^(name|key|field|header|param|parameter|property|attribute|label|id)$/i;
const valueMember = /^(default|current|string)?(value|val|content|data|text)s?$/i;

export function concealedPlaces(value: Json, at: Pointer): Pointer[] {
  return placesOf(value, (part) => typeof part === 'string' && isConcealed(part), at);
}

/** The write without masks that the server owns; a manual step if it would write another mask. Ciphertext can be sent back. */
export function withoutMasks(write: Write, input: UpdateInput): Write {
  const { kind, hidden, fields } = input.live;
  const masked = hidden.filter((at) => {
    const value = valueAt(fields, at);
    return typeof value === 'string' && isMasked(value);
  });
  if (masked.length === 0 || 'manual' in write) return write;
  const strip = (value: Json): Json | undefined => {
    const place = livePlace(value);
    if (place === null || !masked.some((at) => isWithin(at, place))) {
      if (isArray(value)) return value.map((item) => strip(item) ?? item);
      return isObject(value) && literalOf(value) === undefined ? mapMembers(value, strip) : value;
    }
    if (fieldSays(get(kind.fields, topName(place)), place, 'serverOwned', 'minted')) return undefined;
    // What is around a mask is written without it.
    const shown = valueAt(fields, place) ?? null;
    if (isArray(shown)) return strip(shown.map((_, index) => ({ $live: place + pointer(index) })));
    return isObject(shown)
      ? strip(mapMembers(shown, (_, name) => ({ $live: place + pointer(name) })))
      : value;
  };
  const requests = write.requests.map((request) => ({ ...request, body: strip(request.body) ?? null }));
  const sent = requests.flatMap(({ body }) => markersIn(body, '$live'));
  const unsafe = masked.filter((at) => sent.some((place) => isWithin(at, place)));
  return unsafe.length > 0 ? { manual: maskedAdvice(input, unsafe) } : { ...write, requests };
}

function maskedAdvice({ key, live }: UpdateInput, unsafe: readonly Pointer[]): string {
  const untold = [...new Set(unsafe.map(topName))].filter((name) => !get(live.kind.fields, name));
  const remedy =
    untold.length > 0
      ? `Name ${untold.map((name) => `\`${name}\``).join(', ')} in the descriptor, under \`serverOwned\` if only the tenant sets it, else under \`fields\``
      : 'Make the change by a manifest that declares the credential with !secret, and not under `lifecycle.ignore`';
  return (
    `The tenant masks ${unsafe.join(', ')} of "${key.join('/')}", and this change would write the mask over the credential. ` +
    `${remedy}, then plan again.`
  );
}
