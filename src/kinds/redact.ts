import { lazy } from '../model/basics.ts';
import type { Difference } from '../model/documents.ts';
import { get, isArray, isObject, type Json, type JsonObject, mapMembers, sameJson } from '../model/json.ts';
import { isFilledInLater, literalOf, livePlace, refOf, secretName, secretPlaces } from '../model/marker.ts';
import {
  generalizeIndexes,
  type Pointer,
  placesAbove,
  placesIn,
  pointer,
  segmentsOf,
  topName,
  valueAt,
} from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import type { FieldDifference } from './compare.ts';
import { credentialPlaces } from './credentials.ts';
import { overlay, readableFields } from './field.ts';
import { isKept } from './json-patch.ts';
import { readJsonText } from './jsontext.ts';
import type { Field, Kind, LiveObject } from './kind.ts';
import { fieldSays } from './places.ts';

/** Whether the value at a place of an object is itself secret; the places below it are checked separately. */
type IsSensitive = (at: Pointer, value: Json) => boolean;

interface Disclosure {
  /** The places that are secret: by `!secret` in a manifest, an overlay or the revision, or because the tenant hides them. */
  readonly marked: readonly Pointer[];
  /** JSON in text is parsed. A setting is shown if one of these manifests declares it in clear. */
  readonly declared: readonly JsonObject[];
  /** Values that were shown at exactly these places: a plan conceals the same value in another item. */
  readonly seen?: readonly JsonObject[];
  /** The values that may be shown: a place that holds a credential in one of them is sensitive in all. */
  readonly values: readonly JsonObject[];
}

/** True for the marked places, in any item of a list, and for those that hold a credential; also for what is below them. */
export function secretTest(kind: Kind, { marked, values }: Pick<Disclosure, 'marked' | 'values'>) {
  const inItems = new Set(marked.map(generalizeIndexes));
  const places = new Set(values.flatMap((fields) => credentialPlaces(kind, fields)));
  // Most objects have no secrets.
  return (at: Pointer): boolean =>
    (inItems.size > 0 && isBelow(inItems, generalizeIndexes(at))) || (places.size > 0 && isBelow(places, at));
}

/** Decides for all outputs what is concealed (design, section 5). Settings belong to another system, so their names say nothing. */
export function sensitivePlaces(kind: Kind, disclosure: Disclosure): IsSensitive {
  const { declared, seen = [] } = disclosure;
  const isSecret = secretTest(kind, disclosure);
  const shown = [...declared, ...seen];
  const isDeclared = lazy(() => clearPlaces(disclosure));
  return (at, value) => {
    if (value === null) return false;
    if (isSecret(at)) return true;
    const name = topName(at);
    const field = get(kind.fields, name);
    if (typeof value === 'object' || field?.is !== 'json' || !field.settings || field.vocabulary)
      return false;
    // Only a manifest can make them public: all of a map declared by member, and undeclared parts of other fields.
    const isConcealed = field.declares === 'members' || shown.some((each) => Object.hasOwn(each, name));
    return isConcealed && !fieldSays(field, at, 'plain', 'reference') && !isDeclared()(at, value);
  };
}

/** The values of an object that must not be shown. A field that is hidden as a whole is not secret, only not shown. */
export function sensitiveIn(
  kind: Kind,
  live: LiveObject | null,
  declared: JsonObject,
  { marked = [], shown = [], seen = [], past = null }: Earlier = {},
): IsSensitive {
  const hiddenMembers = (live?.hidden ?? []).filter((at) => segmentsOf(at).length > 1);
  const current = readableFields(kind, live?.fields ?? {});
  return sensitivePlaces(kind, {
    marked: [...secretPlaces(declared), ...marked, ...hiddenMembers],
    declared: [declared, ...shown],
    seen,
    values: [
      current,
      ...[declared, ...(past ? [past] : [])].map((fields) => withDeclared(kind, fields, current)),
    ],
  });
}

interface Earlier {
  /** Places that an overlay or the revision of `--since` marks, or a plan. */
  readonly marked?: readonly Pointer[];
  readonly shown?: readonly JsonObject[];
  /** The values in the plan that is checked, or in the result that a rollback undoes. */
  readonly seen?: readonly JsonObject[];
  /** Shown values of the revision: it may hold credentials that nothing else has. */
  readonly past?: JsonObject | null;
}

/** The fields with the declared ones: one may have the name of a pair, and the other its value. */
export function withDeclared(kind: Kind, declared: JsonObject, fields: JsonObject): JsonObject {
  const wanted = mapMembers(declared, (value, name) => {
    const field = get(kind.fields, name);
    // Text that was not parsed may hold anything.
    return field && typeof value !== 'string' ? overlay(field, value, get(fields, name)) : value;
  });
  return { ...fields, ...wanted };
}

export function isMapOfSettings(field: Field | undefined): boolean {
  return field?.is === 'json' && field.declares === 'members' && field.settings === true;
}

function isBelow(places: ReadonlySet<Pointer>, at: Pointer): boolean {
  for (let end = at.length; end > 0; end = at.lastIndexOf('/', end - 1)) {
    if (places.has(at.slice(0, end))) return true;
  }
  return false;
}

/**
 * Whether manifests declare a value in clear. List items have no names: a text is declared if the declared list has it too, and a
 * member of an item also if both lists are equally long.
 */
function clearPlaces({ declared, seen = [], values }: Disclosure): (at: Pointer, value: Json) => boolean {
  const texts = new Map<Pointer, Set<string>>();
  const collect = (value: Json, at: Pointer, placesOf: (at: Pointer) => readonly Pointer[]): void => {
    // The manifest says whose id it is.
    if (isFilledInLater(value) && refOf(value) === null) return;
    for (const [place, item] of placesIn(readJsonText(value), at)) collect(item, place, placesOf);
    if (value === null || typeof value === 'object') return;
    for (const place of placesOf(at)) texts.set(place, (texts.get(place) ?? new Set()).add(String(value)));
  };
  for (const each of declared) collect(each, '', (at) => [at, generalizeIndexes(at)]);
  for (const each of seen) collect(each, '', (at) => [at]);
  const isAligned = (at: Pointer) =>
    placesAbove(at).every((list) => {
      const lengths = [...declared, ...seen, ...values].map((each) => valueAt(each, list)).filter(isArray);
      return new Set(lengths.map(({ length }) => length)).size < 2;
    });
  return (at, value) => {
    const general = generalizeIndexes(at);
    if ([at, general].some((place) => texts.get(place)?.has(String(value)))) return true;
    return texts.has(at) && (general === at || (!general.endsWith('*') && isAligned(at)));
  };
}

/** Redacts all plans and results. If `replace` returns `undefined`, the value is left out. */
export function redact(
  value: Json,
  at: Pointer,
  isSensitive: IsSensitive,
  replace: (at: Pointer) => Json | undefined = () => redacted,
): Json | undefined {
  const below = (item: Json, step: string | number) =>
    redact(item, `${at}${pointer(step)}`, isSensitive, replace);
  if (value === redacted || isSensitive(at, value)) return replace(at);
  if (typeof value === 'string') {
    const inner = readJsonText(value);
    return typeof inner !== 'string' && containsSensitive(inner, at, isSensitive) ? replace(at) : value;
  }
  if (isArray(value)) return value.map((item, index) => below(item, index) ?? null);
  return isObject(value) ? mapMembers(value, below) : value;
}

function containsSensitive(value: Json, at: Pointer, isSensitive: IsSensitive): boolean {
  return !sameJson(redact(value, at, isSensitive) ?? null, value);
}

export function redactDifference(
  entry: FieldDifference,
  isSensitive: IsSensitive,
  wasSensitive: IsSensitive = isSensitive,
): Difference {
  const { base, ...shown } = entry;
  const { path, before, after, origin = null } = shown;
  if ([before, after].some((value) => value !== null && isSensitive(path, value)))
    return { ...shown, before: null, after: null, sensitive: true, origin };
  return {
    ...shown,
    before: redact(before, path, isSensitive) ?? null,
    after: redact(after, path, isSensitive) ?? null,
    ...(base === undefined || (base !== null && wasSensitive(path, base))
      ? {}
      : { base: redact(base, path, wasSensitive) ?? null }),
    sensitive: false,
    origin,
  };
}

/** Puts a marker for each sensitive value that stays as it is, so that a plan never has it. Expects `live` with its JSON parsed. */
export function markUnchanged(fields: JsonObject, live: JsonObject, isSensitive: IsSensitive): JsonObject {
  const mark = (value: Json, at: Pointer): Json => {
    const current = valueAt(live, at) ?? null;
    if (secretName(value) !== null || livePlace(value) !== null || current === null) return value;
    const given = literalOf(value) ?? value;
    // Only tenantctl's own markers stand for values, and none in foreign data.
    const isSame = given === value ? isKept(value, current, at) : sameJson(given, current);
    if (isSame && isSensitive(at, current)) return { $live: at };
    if (given !== value || typeof value === 'string')
      return isSame && containsSensitive(current, at, isSensitive) ? { $live: at } : value;
    if (isArray(value)) return value.map((item, index) => mark(item, `${at}${pointer(index)}`));
    return isObject(value) ? mapMembers(value, (item, name) => mark(item, `${at}${pointer(name)}`)) : value;
  };
  return mapMembers(fields, (value, name) => mark(value, pointer(name)));
}
