import { differences } from '../kinds/compare.ts';
import { overlayFields, readableFields, sameValue } from '../kinds/field.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { contentDigest, type LiveIndex, type Match } from '../kinds/live-objects.ts';
import { redactDifference, sensitiveIn } from '../kinds/redact.ts';
import type { Diagnostic, Versions } from '../model/failure.ts';
import { get, type Json, type JsonObject, objectFrom, pick } from '../model/json.ts';
import { segmentsOf, valueAt } from '../model/pointer.ts';
import { declaredFields } from './change.ts';

export interface MovedDefault {
  readonly match: Match;
  readonly basedOn: string;
  readonly standard: LiveObject;
}

/** `earlier`: the default that the object was customised from; `null` if nothing shows it. */
type KnownMove = MovedDefault & { readonly earlier: JsonObject | null };

/** Customised objects do not follow the vendor, so a person has to decide what to adopt (`lifecycle.basedOn`). */
export function findMovedDefaults(matches: readonly Match[], standards: LiveIndex): MovedDefault[] {
  return matches.flatMap((match) => {
    const { kind, resource } = match;
    const { basedOn } = resource.lifecycle;
    if (basedOn === null) return [];
    const standard = standards.findByKey(kind, resource.key);
    if (standard === null) return [];
    return contentDigest(kind, standard) === basedOn ? [] : [{ match, basedOn, standard }];
  });
}

/**
 * The default that an object was customised from, if provable: each field as once declared or as the vendor has it now, and
 * together they have the digest in the manifest. `declared`: fields of the object, now or earlier.
 */
export function provenDefault(
  { match, basedOn, standard }: MovedDefault,
  declared: JsonObject,
): JsonObject | null {
  const { kind } = match;
  const names = Object.entries(kind.fields).flatMap(([name, field]) => {
    const ours = get(declared, name);
    return ours === undefined || sameValue(field, ours, get(standard.fields, name)) ? [] : [name];
  });
  // Each further field doubles the number of combinations.
  if (names.length > maxMixed) return null;
  for (let mixture = 1; mixture < 2 ** names.length; mixture += 1) {
    const taken = names.filter((_, at) => (mixture >> at) % 2 === 1);
    const fields = objectFrom([...Object.entries(standard.fields), ...Object.entries(pick(declared, taken))]);
    if (contentDigest(kind, { fields }) === basedOn) return fields;
  }
  return null;
}

const maxMixed = 8;

export function movedDefaultRemark(moved: KnownMove): Diagnostic {
  const { match, standard } = moved;
  const { kind, resource } = match;
  const versions = versionsOf(moved);
  const names = [...new Set(versions.map(({ name }) => name))].join(', ');
  const differs = names === '' ? 'no field that it shows' : names;
  return {
    code: 'default-moved',
    severity: 'warning',
    message: `${resource.address}: the vendor has changed the default that this manifest was customised from. The manifest differs from the new default in ${differs}.`,
    hint: `Copy what you want from the new default, then set \`lifecycle.basedOn\` to ${contentDigest(kind, standard)}.`,
    source: resource.point('/lifecycle/basedOn').source,
    address: resource.address,
    ...(versions.length > 0 ? { versions } : {}),
  };
}

/** The differences between the declared object, over the live one, and the vendor's default, without secrets. */
function versionsOf({ match, standard, earlier }: KnownMove): Versions[] {
  const { kind, resource, live } = match;
  const declared = declaredFields(kind, resource.fields, live);
  const ours = readableFields(kind, overlayFields(kind, declared, (live ?? standard).fields));
  const old = earlier && readableFields(kind, earlier);
  const theirs = pick(standard.fields, Object.keys(kind.fields));
  const isSensitive = sensitiveIn(kind, live, declared, { marked: resource.secrets() });
  return differences(kind, theirs, ours)
    .map((entry) => redactDifference(entry, isSensitive))
    .filter(({ sensitive }) => !sensitive)
    .map(({ path, before, after }) => ({
      name: segmentsOf(path).join('.'),
      ours: textOrNull(before),
      theirs: textOrNull(after),
      ...(old && { old: textOrNull(valueAt(old, path) ?? null) }),
    }));
}

function textOrNull(value: Json): string | null {
  if (value === null || typeof value === 'string') return value;
  return JSON.stringify(value, null, 2);
}
