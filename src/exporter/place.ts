import { diffArrays } from 'diff';
import { compareField, dropNulls, pairRecords, recordAgrees } from '../kinds/compare.ts';
import { credentialMembers, isCredentialText } from '../kinds/credentials.ts';
import { chooseSynonym, comparable, isUnordered, printedJson, textOfItem } from '../kinds/field.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import type { Field } from '../kinds/kind.ts';
import { fieldSays } from '../kinds/places.ts';
import { generalizeIndexes } from '../kinds/redact.ts';
import { isRefusedKey, unresolved } from '../loader/tree.ts';
import {
  canonicalJson,
  get,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapJson,
  mapMembers,
  objectsIn,
  pick,
  sameJson,
} from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { isConcealed, isPlaceOfCredential } from '../model/sensitive.ts';

// All that this room knows of how a value is compared, shown and withheld. Drafts and merges ask here.

export interface Place {
  readonly at: Pointer;
  readonly field: Field;
  /** Inside JSON, and in what other fields hold, values are JSON. */
  readonly is: Field['is'] | 'record';
  readonly depth: number;
  /** In the settings of another system, where credentials are recognized. */
  readonly settings: boolean;
  /** Below a name that belongs to a credential. */
  readonly secret: boolean;
  /** A plan can compare a secret here. It cannot inside what it compares as a whole, and inside JSON text. */
  readonly comparable: boolean;
  /** A manifest declares the value as a whole: what it leaves out is removed. So it is inside lists and JSON text. */
  readonly exact: boolean;
}

export function placeOf(name: string, field: Field): Place {
  return {
    at: pointer(name),
    field,
    is: field.is,
    depth: 0,
    settings: field.is === 'json' && field.settings === true,
    secret: false,
    comparable: !isUnordered(field),
    exact: field.is !== 'json' || field.declares === 'whole',
  };
}

/** A member's place, and its value with JSON text parsed; `undefined` where the object does not have it. */
interface OpenedMember {
  readonly value: Json | undefined;
  readonly place: Place;
}

export function membersIn(holder: JsonObject, place: Place): (key: string) => OpenedMember {
  const isCredential = place.settings ? credentialMembers(holder) : () => false;
  const { field } = place;
  return (key) => {
    const value = get(holder, key);
    const isNested = field.is === 'json' && place.depth === 0 && field.nested?.includes(key) === true;
    const read = isNested && value !== undefined ? readJsonText(value) : value;
    return {
      value: read,
      place: {
        ...place,
        at: `${place.at}${pointer(key)}`,
        is: 'json',
        depth: place.depth + 1,
        secret: place.secret || isCredential(key),
        comparable: place.comparable && field.is === 'json' && read === value,
        exact: place.exact || read !== value,
      },
    };
  };
}

export function itemIn(place: Place, index: number): Place {
  const inList = { set: 'value', references: 'reference', records: 'record' } as const;
  const is =
    place.is === 'set' || place.is === 'references' || place.is === 'records' ? inList[place.is] : 'json';
  const comparable = place.comparable && place.field.is === 'json';
  return {
    ...place,
    at: `${place.at}${pointer(index)}`,
    is,
    depth: place.depth + 1,
    comparable,
    exact: true,
  };
}

export function isWritableKey(key: string): boolean {
  return key !== unresolved && !isRefusedKey(key);
}

/** Tells the places of secrets that manifests declare: one in an item of a list is one in all items. */
export function matchSecrets(places: readonly Pointer[]): (at: Pointer) => boolean {
  const inItems = new Set(places.map(generalizeIndexes));
  return (at) => inItems.has(generalizeIndexes(at));
}

export function whyWithheld(
  text: string,
  place: Place,
  hidden: readonly Pointer[],
): 'secret' | 'credential' | null {
  // A secret that is blank counts as not set.
  if (text.trim() === '') return null;
  if (hidden.includes(place.at)) return 'secret';
  if (place.settings && isConcealed(text)) return 'credential';
  if (fieldSays(place.field, place.at, 'plain', 'reference')) return null;
  const isNamed = place.secret && !isPlaceOfCredential(text);
  const isCredential =
    isNamed || fieldSays(place.field, place.at, 'secret') || (place.settings && isCredentialText(text));
  return isCredential ? 'secret' : null;
}

/** True for the value of a new object, which a manifest need not mention. */
export function isUnset(field: Field, value: Json | undefined): boolean {
  return comparable(field, value) === null;
}

export const clearedValue = (field: Field): readonly never[] | null => (isUnordered(field) ? [] : null);

/**
 * The value of a field as manifests show it: without what no manifest may declare, and what is not compared.
 *
 * @param declared a value whose members stay
 */
export function printableValue(field: Field, live: Json, declared: Json = null): Json {
  if (field.is === 'json') return printedJson(field, live, declared);
  if (isUnset(field, live)) return clearedValue(field);
  const value = chooseSynonym(field, live);
  if (field.is === 'reference') return pickReference(value);
  if (field.is === 'references') return mapItems(value, pickReference);
  return field.is === 'records'
    ? mapItems(value, (item) => (isObject(item) ? dropNulls(item) : item))
    : value;
}

const mapItems = (value: Json, change: (item: Json) => Json): Json =>
  isArray(value) ? value.map(change) : value;

function pickReference(value: Json): Json {
  return isObject(value) ? dropNulls(pick(value, ['type', 'name', 'id'])) : value;
}

export const readDeclared = (field: Field, declared: Json): Json =>
  field.is === 'json' ? readJsonText(declared) : declared;

export function fieldDiffers(name: string, field: Field, declared: Json, live: Json): boolean {
  return compareField(name, field, declared, live).length > 0;
}

export function isSame(place: Place, declared: Json, live: Json): boolean {
  return sameJson(comparableAt(place, declared), comparableAt(place, live));
}

/** Where hosts answer with either, 60 and "60" are the same. */
function comparableAt({ field, is }: Place, value: Json): Json {
  const isLoose = field.is === 'json' ? field.pairs === true : field.is === 'records' || is === 'reference';
  if (!isLoose) return value;
  return mapJson(value, (item) => (item === null || typeof item === 'object' ? item : String(item)));
}

/** The members of a live object in the spelling of the declared one, and without those that it may leave out. */
export function respell({ is, field }: Place, declared: JsonObject, live: JsonObject): JsonObject {
  // With an id, the name is not needed.
  if (is === 'reference' && Object.hasOwn(live, 'id') && !Object.hasOwn(declared, 'name'))
    return mapMembers(live, (value, name) => (name === 'name' ? undefined : value));
  if (is !== 'record' || field.is !== 'records') return live;
  const agreeing = mapMembers(declared, (value, name) =>
    recordAgrees({ [name]: value }, live, field) ? value : undefined,
  );
  return { ...live, ...agreeing };
}

/** A declared item and the live one in its place, by their indexes; `null` where one of them is missing. */
type ItemPair = readonly [declared: number | null, live: number | null];

/** Pairs the items of a declared list with live ones, in the declared order. Of a list without order, equal items are left out. */
export function pairItems(place: Place, declared: readonly Json[], live: readonly Json[]): ItemPair[] {
  const { is, field } = place;
  if (is === 'records' && field.is === 'records') {
    return pairRecords(objectsIn(declared), objectsIn(live), field).map((pair) => [
      pair.declared && declared.indexOf(pair.declared),
      pair.live && live.indexOf(pair.live),
    ]);
  }
  if (is === 'set' || is === 'references') {
    const textsOf = (items: readonly Json[]) => items.map((item) => textOfItem(field, item));
    return pairOthers(textsOf(declared), textsOf(live));
  }
  const textsOf = (items: readonly Json[]) => items.map((item) => canonicalJson(comparableAt(place, item)));
  return alignItems(textsOf(declared), textsOf(live));
}

/** Items that are gone with new ones, one by one; what is left over stands alone. */
function pairOthers(declared: readonly string[], live: readonly string[]): ItemPair[] {
  const missing = (texts: readonly string[], others: ReadonlySet<string>) =>
    [...texts.keys()].filter((at) => !others.has(texts[at] ?? ''));
  const [gone, added] = [missing(declared, new Set(live)), missing(live, new Set(declared))];
  const length = Math.max(gone.length, added.length);
  return Array.from({ length }, (_, turn) => [gone[turn] ?? null, added[turn] ?? null]);
}

/** Lists with more differences than this are paired by position. */
const mostDifferences = 4000;

/** The items of two lists in order, with as many equal ones in pairs as possible. */
export function alignItems(declared: readonly string[], live: readonly string[]): ItemPair[] {
  const chunks = diffArrays([...declared], [...live], { maxEditLength: mostDifferences }) ?? [
    { count: declared.length, removed: true, added: false },
    { count: live.length, removed: false, added: true },
  ];
  const pairs: ItemPair[] = [];
  let [at, liveAt, end, liveEnd] = [0, 0, 0, 0];
  const pairGap = () => {
    while (at < end || liveAt < liveEnd)
      pairs.push([at < end ? at++ : null, liveAt < liveEnd ? liveAt++ : null]);
  };
  for (const { count, removed, added } of chunks) {
    if (removed) end += count;
    else if (added) liveEnd += count;
    else {
      pairGap();
      for (let item = 0; item < count; item += 1) pairs.push([at++, liveAt++]);
      [end, liveEnd] = [at, liveAt];
    }
  }
  pairGap();
  return pairs;
}
