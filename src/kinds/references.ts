import type { IdPlace } from '../generated/schemas/kind.ts';
import { type Address, formatAddress, parseAddress } from '../model/address.ts';
import type { Difference } from '../model/documents.ts';
import {
  get,
  getText,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
} from '../model/json.ts';
import { literalOf, markersIn, nameFrom, refOf, refOfName } from '../model/marker.ts';
import { type Pointer, placesIn, pointer, segmentsOf } from '../model/pointer.ts';
import { isReferenceField } from './field.ts';
import { idText } from './http.ts';
import type { Field, Kind } from './kind.ts';

/** The kind that all ids in a field belong to. `null` if the field holds no ids, or if its places name the kinds. */
export function targetKindOf(field: Field): string | null {
  return 'to' in field ? (field.to ?? null) : null;
}

interface IdUse {
  readonly at: Pointer;
  readonly id: Json;
  /** Several kinds if the type beside the id is unknown. A marker outside of known places names its kind itself. */
  readonly to: readonly string[];
  readonly isName?: true;
}

/** The ids in a value, and the markers that stand for ids. `below` is where the value is in the field. */
export function idsIn(field: Field, value: Json, below: Pointer = ''): IdUse[] {
  const found: IdUse[] = [];
  mapIds(field, value, below, (use) => {
    found.push({ ...use, id: idText(use.id) ?? use.id });
    return use.id;
  });
  return found;
}

/** The id of a record of a collection. Another record may decide whether it is one, and of which collection. */
type RecordUse = { readonly at: Pointer; readonly id: string } & (
  | { readonly from: string }
  | { readonly typedBy: RecordUse; readonly from: Readonly<Record<string, string>> }
);

export function recordIdsIn(field: Field, value: Json): RecordUse[] {
  const { places } = field;
  if (field.is !== 'records' || !places) return [];
  const usesAt = (record: JsonObject, at: Pointer, name: string): RecordUse[] => {
    const id = getText(record, name);
    if (id === null) return [];
    return places.idsAt(at + pointer(name)).flatMap(({ by = '', to }): RecordUse[] => {
      const use = { at: at + pointer(name), id };
      if (typeof to === 'string') return [{ ...use, from: to }];
      const [typedBy] = usesAt(record, at, by);
      if (typedBy) return [{ ...use, typedBy, from: to }];
      const from = get(to, getText(record, by) ?? '');
      return from === undefined ? [] : [{ ...use, from }];
    });
  };
  return placesIn(value, '').flatMap(([at, record]) =>
    isObject(record) ? Object.keys(record).flatMap((name) => usesAt(record, at, name)) : [],
  );
}

type Replace = (use: IdUse) => Json;

/** The value with each id replaced by `replace`, as it is written there: hosts distinguish 7 from "7". */
export function mapIds(field: Field, value: Json, below: Pointer, replace: Replace): Json {
  if (field.is === 'json') {
    const { places } = field;
    // Most JSON has neither: no copy is made of it.
    const holdsIds = places?.has('reference', 'names') || markersIn(value, '$ref').length > 0;
    return holdsIds ? mapJsonIds(value, replace, { field, below, at: '', holder: null }) : value;
  }
  const target = targetKindOf(field);
  if (target === null) return value;
  const mapItem = (item: Json, at: Pointer): Json => {
    if (item === null) return null;
    if (!isObject(item) || refOf(item) !== null) return replace({ at, id: item, to: [target] });
    const { id = null } = item;
    return id === null ? item : { ...item, id: replace({ at: at + pointer('id'), id, to: [target] }) };
  };
  // An item of a list is written like a value of its own; a value with synonyms is a list of them.
  return isArray(value) ? value.map((item, index) => mapItem(item, pointer(index))) : mapItem(value, '');
}

interface JsonPlace {
  readonly field: Field;
  readonly below: Pointer;
  readonly at: Pointer;
  /** The object around the value, whose members give its type; `null` if it is unknown. */
  readonly holder: JsonObject | null;
}

function mapJsonIds(value: Json, replace: Replace, place: JsonPlace): Json {
  const { field, below, at, holder } = place;
  // Foreign data has no markers, whatever it looks like.
  if (value === null || literalOf(value) !== undefined) return value;
  const rule = field.places?.idsAt(below + at)[0] ?? null;
  const marked = refOf(value);
  if (marked !== null) {
    const own = parseAddress(marked)?.kind;
    return replace({ at, id: value, to: rule ? kindsOf(rule, holder) : own === undefined ? [] : [own] });
  }
  if (isArray(value))
    return value.map((item, index) => mapJsonIds(item, replace, { ...place, at: at + pointer(index) }));
  if (isObject(value)) {
    const named = field.places?.idsAt(below + at, 'names')[0] ?? null;
    const members = Object.entries(value).map(([name, item]): [string, Json] => {
      const inside = { ...place, at: at + pointer(name), holder: value };
      const own = mapJsonIds(item, replace, inside);
      if (!named) return [name, own];
      const id = idInName(name);
      const mapped = replace({ at: inside.at, id, to: kindsOf(named, null), isName: true });
      return [mapped === id ? name : nameFrom(mapped), own];
    });
    return objectFrom(members);
  }
  const to = rule ? kindsOf(rule, holder) : [];
  const isId = to.length > 0 && typeof value !== 'boolean' && value !== '';
  return isId ? replace({ at, id: value, to }) : value;
}

/** `Source/HR` in a manifest, and the name of what a plan creates, are references: an id has no slash. */
function idInName(name: string): Json {
  const planned = refOfName(name);
  if (planned !== null) return { $ref: planned };
  const parsed = /^[A-Z]\w*\//.test(name) ? parseAddress(name) : null;
  return parsed ? { $ref: formatAddress(parsed.kind, parsed.key) } : name;
}

const ruleOfName = ({ places }: Field, steps: readonly string[], index: number): IdPlace | null =>
  places?.idsAt(pointer(...steps.slice(0, index)), 'names')[0] ?? null;

type Rename = (id: string, to: string) => string | null;

/** The fields with other names for members that are ids; `null` leaves one as it is. */
export function renameMembers(
  { fields }: Pick<Kind, 'fields'>,
  values: JsonObject,
  rename: Rename,
): JsonObject {
  return mapMembers(values, (value, name) => {
    const field = get(fields, name);
    if (field?.is !== 'json' || !field.places?.has('reference', 'names')) return value;
    return mapIds(field, value, '', ({ id, to: [to = ''], isName }) =>
      isName && typeof id === 'string' ? (rename(id, to) ?? id) : id,
    );
  });
}

export function renameSteps({ fields }: Pick<Kind, 'fields'>, at: Pointer, rename: Rename): Pointer {
  const [name = '', ...below] = segmentsOf(at);
  const field = get(fields, name);
  const steps = below.map((step, index) => {
    const rule = field && ruleOfName(field, below, index);
    return (rule && rename(step, kindsOf(rule, null)[0] ?? '')) ?? step;
  });
  return at === '' ? at : pointer(name, ...steps);
}

function kindsOf({ to, by = '' }: IdPlace, holder: JsonObject | null): readonly string[] {
  if (typeof to === 'string') return [to];
  if (holder === null) return [...new Set(Object.values(to))];
  const type = get(holder, by);
  const kind = typeof type === 'string' ? get(to, type) : undefined;
  return kind === undefined ? [] : [kind];
}

/** The value with what `answer` gives in place of each marker, written as the field does; `null` leaves the marker. */
export function withReferences(
  field: Field,
  value: Json,
  answer: (to: Address, isName: boolean) => Json,
): Json {
  const type = isReferenceField(field) && field.type !== undefined ? { type: field.type } : {};
  const inObject = (item: Json): Json => (refOf(item) === null ? item : { ...type, id: item });
  const inObjects = isArray(value) ? value.map(inObject) : inObject(value);
  return mapIds(field, isReferenceField(field) ? inObjects : value, '', ({ id, isName = false }) => {
    const to = refOf(id);
    return to === null ? id : (answer(to, isName) ?? id);
  });
}

export function idsOnSide(
  kind: Kind,
  difference: Pick<Difference, 'path' | 'before' | 'after'>,
  side: 'before' | 'after',
): readonly IdUse[] {
  const [name = '', ...below] = segmentsOf(difference.path);
  const field = get(kind.fields, name);
  if (!field || (field.is !== 'json' && targetKindOf(field) === null)) return [];
  const onTheWay = below.flatMap((step, index): IdUse[] => {
    const rule = ruleOfName(field, below, index);
    return rule ? [{ at: '', id: idInName(step), to: kindsOf(rule, null), isName: true }] : [];
  });
  return [...onTheWay, ...idsIn(field, difference[side], field.is === 'json' ? pointer(...below) : '')];
}
