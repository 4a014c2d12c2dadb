import { compareField, type FieldDifference } from '../kinds/compare.ts';
import { readableFields } from '../kinds/field.ts';
import type { Field, Kind, LiveObject } from '../kinds/kind.ts';
import type { Secrets } from '../kinds/project.ts';
import { secretPlaces } from '../kinds/redact.ts';
import type { Resource } from '../kinds/resource.ts';
import { isArray, isObject, type Json, type JsonObject, mapMembers, own, sameJson } from '../model/json.ts';
import { livePlace, secretName } from '../model/marker.ts';
import { isWithin, type Pointer, pointer, segmentsOf, valueAt, withValueOf } from '../model/pointer.ts';
import { isRename, type Match } from './match.ts';

/** What a comparison needs apart from the two sides. */
export interface CompareContext {
  readonly secrets: Secrets;
  /** Write secrets and hidden values in any case. */
  readonly rotate: boolean;
}

/** What a manifest declares, with JSON fields parsed, as the tenant has it in its fields. */
export function declaredFields(kind: Kind, fields: JsonObject, live: LiveObject | null): JsonObject {
  const readable = readableFields(kind, fields);
  return live && kind.arrange ? kind.arrange(readable, live) : readable;
}

/** The two sides of a comparison, with JSON fields parsed, and their differences. */
export interface Comparison {
  /** What the manifest declares; ignored fields have their live values. */
  readonly declared: JsonObject;
  readonly current: JsonObject;
  readonly differences: readonly FieldDifference[];
  readonly notComparable: readonly Pointer[];
}

/**
 * What a manifest declares beside what the tenant has.
 *
 * @param below the live object, or the vendor's default where there is none
 */
export function compare(
  match: Match,
  below: LiveObject | null,
  { secrets, rotate }: CompareContext,
): Comparison {
  const { kind, resource, live } = match;
  const current = readableFields(kind, below?.fields ?? {});
  const hidden = below?.hidden ?? [];
  const ignore = live ? resource.lifecycle.ignore : [];
  const declared = fillIgnored(declaredFields(kind, resource.fields, below), current, ignore);
  const comparable =
    live && !rotate
      ? assumeHidden(declared, { fields: current, hidden }, secrets)
      : { fields: declared, notComparable: [] };
  const renamed = isRename(match) ? [keyDifference(kind, resource, live)] : [];
  return {
    declared,
    current,
    differences: [...renamed, ...differences(kind, comparable.fields, current)],
    notComparable: comparable.notComparable.filter((at) => !ignore.some((each) => isWithin(at, each))),
  };
}

export function differences(kind: Kind, declared: JsonObject, live: JsonObject): FieldDifference[] {
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const value = own(declared, name);
    if (value === undefined || isNameBesideId(field, declared, live)) return [];
    return compareField(name, field, value, own(live, name));
  });
}

/** Whether the field is a name beside an id that both sides share: the tenant may answer with another name. */
export function isNameBesideId(field: Field, declared: JsonObject, live: JsonObject): boolean {
  if (field.is !== 'value' || field.nameOf === undefined) return false;
  const id = own(declared, field.nameOf) ?? null;
  return id !== null && sameJson(id, own(live, field.nameOf) ?? null);
}

function keyDifference(kind: Kind, resource: Resource, live: LiveObject | null): FieldDifference {
  const [field] = kind.keyFields;
  return {
    path: pointer(field?.name ?? 'name'),
    op: 'replace',
    before: live?.key[0] ?? null,
    after: resource.key[0] ?? null,
  };
}

/** Declared fields, as far as they can be compared. */
interface Comparable {
  /** Values that cannot be compared are replaced by the live ones. */
  readonly fields: JsonObject;
  /** Declared values that the tenant does not show: neither equal nor different. */
  readonly notComparable: readonly Pointer[];
}

/**
 * Replaces by the live value what a comparison cannot judge: secrets that equal the live text, and values that the
 * tenant hides. With `--rotate` this step is skipped, so that they are written.
 */
function assumeHidden(
  declared: JsonObject,
  live: Pick<LiveObject, 'fields' | 'hidden'>,
  secrets: Secrets,
): Comparable {
  if (live.hidden.length === 0 && secretPlaces(declared).length === 0) {
    return { fields: declared, notComparable: [] };
  }
  const notComparable: Pointer[] = [];

  const assume = (value: Json, at: Pointer): Json | undefined => {
    const current = valueAt(live.fields, at);
    if (livePlace(value) !== null) return current;
    const name = secretName(value);
    if (isHidden(value, current, at)) {
      notComparable.push(at);
      return current;
    }
    if (name !== null) return typeof current === 'string' && secrets.matches(name, current) ? current : value;
    if (isArray(value)) return value.map((item, index) => assume(item, `${at}${pointer(index)}`) ?? null);
    return isObject(value) ? assumeMembers(value, at) : value;
  };
  const isHidden = (value: Json, current: Json | undefined, at: Pointer): boolean => {
    if (value === null) return false;
    if (live.hidden.includes(at)) return true;
    return secretName(value) !== null && (current ?? null) === null && !isNewInside(at);
  };
  // A secret in an object or list that the tenant does not have is new with it, and not hidden.
  const isNewInside = (at: Pointer): boolean => {
    const holder = segmentsOf(at).slice(0, -1);
    return holder.length > 1 && (valueAt(live.fields, pointer(...holder)) ?? null) === null;
  };
  const assumeMembers = (members: JsonObject, at: Pointer): JsonObject =>
    mapMembers(members, (value, name) => assume(value, `${at}${pointer(name)}`));

  return { fields: assumeMembers(declared, ''), notComparable };
}

/** The declared fields, with the live values of those under `lifecycle.ignore`: neither compared nor changed. */
function fillIgnored(declared: JsonObject, live: JsonObject, ignore: readonly Pointer[]): JsonObject {
  return ignore.reduce((fields, at) => {
    const name = segmentsOf(at)[0];
    if (name === undefined || !Object.hasOwn(fields, name)) return fields;
    return withValueOf(live, fields, at);
  }, declared);
}
