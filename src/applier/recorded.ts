import { readJsonText } from '../kinds/jsontext.ts';
import type { Field, Kind } from '../kinds/kind.ts';
import { looksSecretPlace, looksSecretText } from '../kinds/secret-place.ts';
import { isArray, isObject, type Json, type JsonObject, objectFrom, own, sameJson } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import type { Change, Difference } from '../model/plan.ts';
import { isWithin, type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import { concealed as concealedMark } from '../model/sensitive.ts';

/** An object's fields as a result file holds them, and the places that it leaves out. */
export interface Recorded {
  readonly fields: JsonObject;
  readonly withheld: readonly Pointer[];
}

/**
 * An object's fields as a result file holds them: JSON in text as JSON, and without what is sensitive in the plan,
 * hidden by the tenant, or named like a credential.
 */
export function recordedFields(kind: Kind, change: Change, live: LiveObject): Recorded {
  const concealed = [
    ...change.diff.filter(({ sensitive }) => sensitive).map(({ path }) => path),
    ...(change.secrets ?? []),
    ...live.hidden,
  ];
  return recorded(kind, live.fields, concealed);
}

/**
 * The fields an object had before a change that an earlier run made: what it has now, with the plan's differences
 * taken back. `null` for a create.
 */
export function fieldsBefore(kind: Kind, change: Change, live: LiveObject | null): Recorded | null {
  if (change.action === 'create') return null;
  const known = change.diff.filter(({ sensitive }) => !sensitive);
  const { fields, withheld } = live ? recordedFields(kind, change, live) : { fields: {}, withheld: [] };
  const current = new Map(Object.entries(fields));
  for (const difference of known.toReversed()) {
    const [name = '', ...below] = segmentsOf(difference.path);
    const field = Object.hasOwn(kind.fields, name) ? kind.fields[name] : undefined;
    if (field) current.set(name, takenBack(field, current.get(name) ?? null, below, difference));
  }
  const sensitive = change.diff.flatMap((difference) => (difference.sensitive ? [difference.path] : []));
  const again = recorded(kind, objectFrom(current), []);
  return { ...again, withheld: [...new Set([...sensitive, ...withheld, ...again.withheld])] };
}

type IsSecret = (at: Pointer, value: Json) => boolean;

function recorded(kind: Kind, fields: JsonObject, concealed: readonly Pointer[]): Recorded {
  const isSecret: IsSecret = (at, value) =>
    concealed.includes(at) || looksSecretPlace(kind, at) || looksSecretText(kind, at, value);
  const withheld: Pointer[] = [];
  const entries = Object.entries(kind.fields).flatMap(([name, field]): [string, Json][] => {
    const value = own(fields, name);
    const at = pointer(name);
    if (value === undefined) return [];
    const readable = field.is === 'json' ? readJsonText(value) : value;
    const shown = isWithheldWhole(field, at, concealed)
      ? undefined
      : withoutSecrets(readable, at, isSecret, withheld);
    if (shown !== undefined) return [[name, shown]];
    if (!withheld.includes(at)) withheld.push(at);
    return [];
  });
  return { fields: objectFrom(entries), withheld };
}

function isWithheldWhole(field: Field, at: Pointer, concealed: readonly Pointer[]): boolean {
  // An index in a difference of a list is none of the live list's, so the whole list is left out.
  return (field.is === 'set' || field.is === 'records') && concealed.some((path) => isWithin(path, at));
}

/** `undefined` where the value itself has to be left out; such places are added to `withheld`. */
function withoutSecrets(value: Json, at: Pointer, isSecret: IsSecret, withheld: Pointer[]): Json | undefined {
  const below = (item: Json, step: string | number) =>
    withoutSecrets(item, `${at}${pointer(step)}`, isSecret, withheld);
  if (
    value === concealedMark ||
    isSecret(at, value) ||
    (typeof value === 'string' && holdsSecret(value, at, isSecret))
  ) {
    withheld.push(at);
    return undefined;
  }
  if (isArray(value)) return value.map((item, index) => below(item, index) ?? null);
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
    const shown = below(item, name);
    return shown === undefined ? [] : [[name, shown]];
  });
  return objectFrom(members);
}

/** Whether a text holds JSON with something in it that would be left out. */
function holdsSecret(text: string, at: Pointer, isSecret: IsSecret): boolean {
  const inner = readJsonText(text);
  return typeof inner !== 'string' && !sameJson(withoutSecrets(inner, at, isSecret, []) ?? null, inner);
}

function takenBack(field: Field, value: Json, below: readonly string[], difference: Difference): Json {
  const { before, after } = difference;
  if (below.length === 0) return before;
  if (field.is === 'set' || (field.is === 'records' && below.length === 1)) {
    const items = (isArray(value) ? value : []).filter((item) => after === null || !sameJson(item, after));
    return before === null ? items : [...items, before];
  }
  if (field.is === 'records') {
    const [, ...member] = below;
    return recordTakenBack(isArray(value) ? value : [], member, difference);
  }
  return setMember(value, below, before);
}

function recordTakenBack(
  records: readonly Json[],
  member: readonly string[],
  { before, after }: Difference,
): Json {
  const name = member[0] ?? '';
  const at = records.findIndex((record) => isObject(record) && sameJson(own(record, name) ?? null, after));
  return records.map((record, index) => (index === at ? setMember(record, member, before) : record));
}

function setMember(value: Json, [name, ...below]: readonly string[], wanted: Json): Json {
  if (name === undefined) return wanted;
  if (isArray(value)) {
    const at = Number(name);
    if (below.length === 0 && wanted === null) return value.filter((_, index) => index !== at);
    const items = value.map((item, index) => (index === at ? setMember(item, below, wanted) : item));
    return at === value.length ? [...items, setMember(null, below, wanted)] : items;
  }
  const members = new Map(isObject(value) ? Object.entries(value) : []);
  const next = setMember(members.get(name) ?? null, below, wanted);
  if (next === null) members.delete(name);
  else members.set(name, next);
  return objectFrom(members);
}
