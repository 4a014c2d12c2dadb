import { domainToASCII } from 'node:url';
import {
  canonicalJson,
  get,
  getObject,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapJson,
  mapMembers,
  objectFrom,
  sameJson,
} from '../model/json.ts';
import { isFilledInLater, literal, literalOf, secretPlaces } from '../model/marker.ts';
import {
  generalizeIndexes,
  type Pointer,
  placesAbove,
  pointer,
  segmentsOf,
  setPart,
  topName,
} from '../model/pointer.ts';
import type { ApiSettings } from '../model/tenant.ts';
import { readJsonText } from './jsontext.ts';
import type { Field, JsonField, Kind, RecordsField } from './kind.ts';
import type { Places } from './places.ts';

/** One form for addresses and domains that are the same: in any case, and `bücher.example` as `xn--bcher-kva.example`. */
export function foldName(text: string): string {
  const lower = text.toLowerCase();
  const domainAt = lower.lastIndexOf('@') + 1;
  const domain = lower.slice(domainAt);
  if (isPlain.test(domain) || !domain.includes('.')) return lower;
  const ascii = domainToASCII(domain);
  return ascii === '' ? lower : lower.slice(0, domainAt) + ascii;
}

const isPlain = /^[\x20-\x7e]*$/;

/** Values of a field are equal exactly if these are. `null` for unset ones: absent, null, an empty text, list or JSON object. */
export function comparable(field: Field, value: Json | undefined): Json {
  if (value === undefined || value === null) return null;
  switch (field.is) {
    case 'value':
      return field.to === undefined ? normalJson(value, field, '') : comparableId(value);
    case 'text':
      return typeof value === 'string' ? value.replaceAll(/\r\n?/g, '\n') || null : value;
    case 'email':
      // Variables of templates, unlike addresses, differ by case.
      return typeof value === 'string' && !value.includes('$') ? foldName(value) || null : value || null;
    case 'set':
      if (!isArray(value)) return value;
      if (field.to !== undefined) return comparableSet(value.map(comparableId));
      return comparableSet(field.of ? value.map((item) => comparable({ is: 'email' }, item)) : value);
    case 'json':
      return comparableJson(readJson(value, field), field);
    case 'reference':
      return comparableReference(value, field);
    case 'references':
      return isArray(value) ? comparableSet(value.map((item) => comparableReference(item, field))) : value;
    case 'records':
      if (!isArray(value)) return value;
      return comparableSet(value.map((item) => (isObject(item) ? comparableRecord(item, field) : item)));
  }
}

export const anyJson: JsonField = { is: 'json', declares: 'whole' };

export function chooseSynonym(field: Field, value: Json): Json {
  return field.is === 'value' && field.synonyms && isArray(value) ? (value[0] ?? null) : value;
}

const comparableSet = (items: readonly Json[]): Json =>
  items.length > 0 ? [...sortedByText(items, canonicalJson).values()] : null;

/** The items of a list without order, keyed by their comparable text: sorted, without duplicates. */
export function itemsByText(field: Field, value: Json | undefined): ReadonlyMap<string, Json> {
  return sortedByText(isArray(value) ? value : [], (item) => textOfItem(field, item));
}

function textOfItem(field: Field, item: Json): string {
  return canonicalJson(comparable(field, [item]));
}

function sortedByText(items: readonly Json[], textOf: (item: Json) => string): ReadonlyMap<string, Json> {
  const byText = new Map(items.map((item) => [textOf(item), item]));
  return new Map([...byText].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function comparableJson(value: Json, field: JsonField): Json {
  if (value === '' || (field.plain && isArray(value) && value.length === 0)) return null;
  const normal = normalJson(value, field, '');
  if (isEmptyObject(normal)) return null;
  // 60 and "60" are equal if hosts answer with either.
  return field.pairs && isObject(normal)
    ? mapJson(normal, (item) => (typeof item === 'object' ? item : String(item)))
    : normal;
}

/** The value, and JSON in text inside it, parsed. */
function readJson(written: Json, { nested }: JsonField): Json {
  const value = readJsonText(written);
  if (!nested || !isObject(value)) return value;
  return mapMembers(value, (item, name) => (nested.includes(name) ? readJsonText(item) : item));
}

/** Identifies items of a list without order, at a place from the field on; `null` if order counts. */
export function itemTextAt(field: Field, at: Pointer): ((item: Json) => string) | null {
  if (at === '' && (field.is === 'set' || field.is === 'references'))
    return (item) => textOfItem(field, item);
  const { places } = field;
  if (!places?.is(at, 'set')) return null;
  return (item) => canonicalJson(normalJson(item, { places }, `${at}${pointer(0)}`));
}

/** The value with its lists without order in one order: a host may show them in another one each time. */
export function inOneOrder(field: Field, value: Json, at: Pointer = ''): Json {
  if (typeof value !== 'object' || value === null || (at === '' && !field.places && !isUnordered(field)))
    return value;
  if (isObject(value)) return mapMembers(value, (item, name) => inOneOrder(field, item, at + pointer(name)));
  const items = value.map((item, index) => inOneOrder(field, item, at + pointer(index)));
  const textOf = itemTextAt(field, at);
  if (!textOf) return items;
  const texts = items.map((item) => [textOf(item), item] as const);
  return texts.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

/** Removes null, server-owned and host-filled values at any depth. Sorts lists that are sets. Ids are text, as in `!ref`. */
export function normalJson(value: Json, field: NormalField, at: Pointer): Json {
  if (typeof value === 'number' && field.places?.is(at, 'reference')) return String(value);
  if (typeof value !== 'object' || value === null || isFilledInLater(value)) return value;
  const inside = (item: Json, step: string | number): Json =>
    isLeftOut(field, `${at}${pointer(step)}`) ? null : normalJson(item, field, `${at}${pointer(step)}`);
  if (isArray(value)) {
    const items = value.map(inside);
    return field.places?.is(at, 'set') ? (comparableSet(items) ?? []) : items;
  }
  return mapMembers(value, (item, name) => {
    const rest = inside(item, name);
    return rest === null || (field.filled && isFiller(rest)) ? undefined : rest;
  });
}

interface NormalField {
  readonly places?: Places;
  readonly unseen?: ReadonlySet<Pointer>;
  readonly filled?: true;
}

/** True for values that are never compared, never in a manifest, and only written back as read. */
function isLeftOut({ places, unseen }: NormalField, at: Pointer): boolean {
  return places?.is(at, 'serverOwned', 'minted') === true || unseen?.has(generalizeIndexes(at)) === true;
}

const isFiller = (value: Json): boolean => value === false || value === '' || isEmptyObject(value);

/**
 * The wanted value in the form of the live one wherever they are equal, with markers for server-owned values: so a request
 * holds what a plan shows. List items are matched if otherwise equal, else by position. `root` is the place of the field.
 */
export function alignWithLive(field: Field, wanted: Json, live: Json | undefined, root: Pointer): Json {
  if (typeof wanted !== 'object' || wanted === null) return wanted;
  // Foreign data that looks like a marker stays as it is.
  if ((field.is !== 'json' && field.is !== 'value') || literalOf(wanted) !== undefined) return wanted;
  const keep = (value: Json, current: Json | undefined, at: Pointer, from: Pointer): Json => {
    if (isArray(value)) {
      const shown = isArray(current) ? current : [];
      const isSame =
        field.places?.is(at, 'set') && sameJson(normalJson(value, field, at), normalJson(shown, field, at));
      const items = isSame ? literal(shown) : value;
      if (!isArray(items)) return items;
      const partners = partnersOf(field, items, shown, at);
      return items.flatMap((item, index) => {
        const [place, same] = [`${at}${pointer(index)}`, `${from}${pointer(index)}`];
        if (isLeftOut(field, place)) return shown[index] === undefined ? [] : [{ $live: same }];
        const partner = partners[index] ?? -1;
        return [keep(item, shown[partner], place, `${from}${pointer(partner)}`)];
      });
    }
    if (!isObject(value)) {
      const isSame = current !== undefined && normalJson(value, field, at) === normalJson(current, field, at);
      return isSame ? current : value;
    }
    if (isFilledInLater(value)) return value;
    const shown = isObject(current) ? current : {};
    const names = new Set([...Object.keys(value), ...Object.keys(shown)]);
    return objectFrom(
      [...names].flatMap((name): [string, Json][] => {
        const [place, source] = [`${at}${pointer(name)}`, `${from}${pointer(name)}`];
        const [item, has] = [get(value, name), get(shown, name)];
        if (isLeftOut(field, place)) return has === undefined ? [] : [[name, { $live: source }]];
        if (item === undefined) return has === null ? [[name, null]] : [];
        // In a new object, null comes from its manifest.
        const isUnset = item === null && has === undefined && shown === current;
        return isUnset ? [] : [[name, keep(item, has, place, source)]];
      }),
    );
  };
  return keep(wanted, readJsonText(live ?? null), '', root);
}

/**
 * The index of the live item that is the same object, for each wanted one; -1 for a new one. Secrets are unknown here, so they
 * do not identify items. If both lists are equally long, unmatched items were edited.
 */
function partnersOf(field: NormalField, wanted: readonly Json[], live: readonly Json[], at: Pointer) {
  const unseen = new Set(secretPlaces(wanted, at).map(generalizeIndexes));
  const textAt = (item: Json, index: number) =>
    canonicalJson(normalJson(item, { ...field, unseen }, `${at}${pointer(index)}`));
  const open: (string | null)[] = live.map(textAt);
  const equals = wanted.map((item, index) => {
    const found = open.indexOf(textAt(item, index));
    if (found >= 0) open[found] = null;
    return found;
  });
  const edited =
    wanted.length === live.length ? [...open.keys()].filter((index) => open[index] !== null) : [];
  return equals.map((found) => (found < 0 ? (edited.shift() ?? -1) : found));
}

/** Shows it as a manifest does: parsed, without server-owned or host-filled values. Members of `declared` stay. */
export function printedJson(field: JsonField, value: Json, declared: Json = null): Json {
  const print = (part: Json, kept: Json | undefined, at: Pointer): Json => {
    if (isArray(part)) {
      const items = isArray(kept) ? kept : [];
      return part.map((item, index) => print(item, items[index], `${at}${pointer(index)}`));
    }
    if (!isObject(part) || isFilledInLater(part)) return part;
    return mapMembers(part, (item, name) => {
      const place = `${at}${pointer(name)}`;
      if (isLeftOut(field, place)) return undefined;
      const member = isObject(kept) ? get(kept, name) : undefined;
      const rest = print(item, member, place);
      const isFilledUp = field.filled && (rest === null || isFiller(rest));
      return isFilledUp && member === undefined ? undefined : rest;
    });
  };
  return print(readJsonText(value), declared, '');
}

const isEmptyObject = (value: Json): boolean => isObject(value) && Object.keys(value).length === 0;

/** By id, since the server may answer with another name. */
function comparableReference(value: Json, { to }: { readonly to?: string }): Json {
  const reference = typeof value === 'string' || typeof value === 'number' ? { id: value } : value;
  if (!isObject(reference)) return value;
  const { id = null, name = null, type = null } = reference;
  const known = id === null ? { name } : { id: comparableId(id) };
  return id === null && name === null ? null : { ...(to === undefined && { type }), ...known };
}

const comparableId = (id: Json): Json => (typeof id === 'number' ? String(id) : id);

export function isReferenceField(
  field: Field,
): field is Extract<Field, { readonly is: 'reference' | 'references' }> {
  return field.is === 'reference' || field.is === 'references';
}

export function isUnordered({ is }: Field): boolean {
  return is === 'set' || is === 'references' || is === 'records';
}

/** The outermost list without order around a place; `null` if every list around it has an order. */
export function listWithoutOrder(kind: Kind, at: Pointer): Pointer | null {
  const field = get(kind.fields, topName(at));
  const found = placesAbove(at).find((above) => {
    const [name, ...below] = segmentsOf(above);
    if (!field || name === undefined) return false;
    return (below.length === 0 && isUnordered(field)) || itemTextAt(field, pointer(...below)) !== null;
  });
  return found ?? null;
}

export function sameValue(field: Field, one: Json | undefined, other: Json | undefined): boolean {
  return sameJson(comparable(field, one), comparable(field, other));
}

/** Whether the fields would be equal with another value at a place of theirs. */
export function isSameInPlace(kind: Kind, fields: JsonObject, at: Pointer, value: Json): boolean {
  const [name = '', ...inside] = segmentsOf(at);
  const [field, shown = null] = [get(kind.fields, name), get(readableFields(kind, fields), name)];
  return field !== undefined && sameValue(field, shown, setPart(shown, pointer(...inside), value));
}

export function isDeclaredByMember(field: Field | undefined): boolean {
  return field?.is === 'json' && field.declares === 'members';
}

/** A record without unset members. Numbers and booleans become text, since hosts answer with either. */
export function comparableRecord(record: JsonObject, field: RecordsField): JsonObject {
  const whole = field.declares === 'whole' ? { ...field.filled, ...record } : record;
  return mapMembers(field.canonical?.(whole) ?? whole, (value) => {
    if (value === null) return undefined;
    return typeof value === 'object' ? value : String(value);
  });
}

/** `declared` over `live`. Only objects declared by member are merged; `null` removes a member. A set has each item once. */
export function overlay(field: Field, declared: Json, live: Json | undefined): Json {
  if ((field.is === 'set' || field.is === 'references') && isArray(declared)) {
    const current = itemsByText(field, live);
    const wanted = new Map(declared.map((item) => [textOfItem(field, item), item]));
    return [...wanted].map(([text, item]) => {
      const kept = current.get(text);
      if (!isObject(item) || isFilledInLater(item) || kept === undefined) return item;
      // An unchanged reference, without values beside its id that the tenant lacks: a plan does not compare those.
      return mapMembers(item, (part, name) => {
        const has = isObject(kept) ? get(kept, name) : undefined;
        return name === 'id' ? part : has && literal(has);
      });
    });
  }
  if (field.is !== 'json') return declared;
  const value = readJsonText(declared);
  // A marker stands for the whole field: it has no members.
  if (field.declares === 'whole' || !isObject(value) || isFilledInLater(value)) return value;
  const below = readJsonText(live ?? null);
  return mergeMembers(value, isObject(below) ? below : {});
}

function mergeMembers(declared: JsonObject, live: JsonObject): JsonObject {
  const merged = new Map(Object.entries(live).map(([name, value]) => [name, literal(value)]));
  for (const [name, value] of Object.entries(declared)) {
    if (value === null) merged.delete(name);
    else if (!isObject(value) || isFilledInLater(value)) merged.set(name, value);
    else merged.set(name, mergeMembers(value, getObject(live, name)));
  }
  return objectFrom(merged);
}

/** Declared fields over the live ones. Live values become literals, so that none can be mistaken for a marker. */
export function overlayFields(kind: Kind, declared: JsonObject, live: JsonObject): JsonObject {
  const fields = Object.entries(kind.fields).flatMap(([name, field]): [string, Json][] => {
    const value = get(declared, name);
    const below = get(live, name);
    if (value === undefined && below === undefined) return [];
    // Names beside equal ids may differ: they are for readers.
    const isSame = below !== undefined && isReferenceField(field) && sameValue(field, value, below);
    const isKept = value === undefined || isSame;
    const wanted = isKept ? literal(below ?? null) : overlay(field, value, below);
    return [[name, alignWithLive(field, wanted, below, pointer(name))]];
  });
  return objectFrom(fields);
}

/** The fields with JSON in text parsed, so that pointers reach into it. Most objects have no such text: no copy is made. */
export function readableFields(kind: Kind, fields: JsonObject): JsonObject {
  const read = mapMembers(fields, (value, name) => {
    const field = value === null ? undefined : get(kind.fields, name);
    return field?.is === 'json' ? readJson(value, field) : value;
  });
  return Object.keys(fields).some((name) => read[name] !== fields[name]) ? read : fields;
}

/** The readable fields without server-owned values: what a result records and a rollback compares. Those stay the tenant's. */
export function declarableFields(kind: Kind, fields: JsonObject): JsonObject {
  return mapMembers(readableFields(kind, fields), (value, name) => {
    const field = get(kind.fields, name);
    return field?.is === 'json' ? printedJson(field, value, value) : value;
  });
}

/** The value as the API accepts it: JSON fields as text, or as objects if the environment says so. */
export function wireValue(field: Field, value: Json | undefined, settings: ApiSettings): Json {
  if (value === undefined || value === null) return null;
  if (field.is !== 'json') return chooseSynonym(field, value);
  if (value === '') return null;
  // Text that is not JSON, or a list that the API does not keep in text.
  if (!isObject(value) && !(isArray(value) && field.text)) return value;
  const { nested = [] } = field;
  const inText = (item: Json, name: string) =>
    nested.includes(name) && item !== null && typeof item === 'object' ? { $jsonText: item } : item;
  const json = isObject(value) ? mapMembers(value, inText) : value;
  return isSentAsText(field, settings) ? { $jsonText: json } : json;
}

export function isSentAsText(field: Field | undefined, { jsonText: form }: ApiSettings): boolean {
  return field?.is === 'json' && !field.plain && form === 'text';
}

/** Like {@link wireValue}, for a new value: references without the names that only readers need. */
export function sentValue(field: Field | undefined, value: Json, settings: ApiSettings): Json {
  if (field?.is === 'references' && isArray(value))
    return value.map((item) => sentValue({ ...field, is: 'reference' }, item, settings));
  if (field?.is !== 'reference') return field ? wireValue(field, value, settings) : value;
  const shown = isObject(value) && !isFilledInLater(value) ? value : { id: value };
  const { id = null, type = field.type ?? null } = shown;
  if (id === null) return value;
  return type === null ? { id } : { type, id };
}
