import { readJsonText } from '../kinds/jsontext.ts';
import type { Field, Kind } from '../kinds/kind.ts';
import { looksSecretPlace } from '../kinds/secret-place.ts';
import { isArray, isObject, type Json, type JsonObject, objectFrom, own, sameJson } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import type { Change, Difference } from '../model/plan.ts';
import { isWithin, type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import { concealed as concealedMark } from '../model/sensitive.ts';

/**
 * An object's fields as a result file holds them: JSON in text as JSON, and without what is sensitive in the plan,
 * hidden by the tenant, or named like a credential.
 */
export function recordedFields(kind: Kind, change: Change, live: LiveObject): JsonObject {
  const concealed = [
    ...change.diff.filter(({ sensitive }) => sensitive).map(({ path }) => path),
    ...live.hidden,
  ];
  return recorded(kind, live.fields, concealed);
}

/**
 * The fields an object had before a change that an earlier run made: what it has now, with the plan's differences
 * taken back. `null` for a create.
 */
export function fieldsBefore(kind: Kind, change: Change, live: LiveObject | null): JsonObject | null {
  if (change.action === 'create') return null;
  const known = change.diff.filter(({ sensitive }) => !sensitive);
  const current = new Map(Object.entries(live ? recordedFields(kind, change, live) : {}));
  for (const difference of known.toReversed()) {
    const [name = '', ...below] = segmentsOf(difference.path);
    const field = Object.hasOwn(kind.fields, name) ? kind.fields[name] : undefined;
    if (field) current.set(name, takenBack(field, current.get(name) ?? null, below, difference));
  }
  return recorded(kind, objectFrom(current), []);
}

function recorded(kind: Kind, fields: JsonObject, concealed: readonly Pointer[]): JsonObject {
  const isSecret = (at: Pointer) => concealed.includes(at) || looksSecretPlace(kind, at);
  const entries = Object.entries(kind.fields).flatMap(([name, field]): [string, Json][] => {
    const value = own(fields, name);
    const at = pointer(name);
    if (value === undefined) return [];
    // An index in a difference of a list is none of the live list's, so the whole list is left out.
    const isList = field.is === 'set' || field.is === 'records';
    if (isList && concealed.some((path) => isWithin(path, at))) return [];
    const readable = field.is === 'json' ? readJsonText(value) : value;
    // Settings that are no JSON cannot be searched for credentials.
    if (field.is === 'json' && field.pairs && typeof readable === 'string') return [];
    const shown = withoutSecrets(readable, at, isSecret);
    return shown === undefined ? [] : [[name, shown]];
  });
  return objectFrom(entries);
}

/** `undefined` where the value itself has to be left out. */
function withoutSecrets(value: Json, at: Pointer, isSecret: (at: Pointer) => boolean): Json | undefined {
  if (value === concealedMark || isSecret(at)) return undefined;
  if (isArray(value)) {
    return value.map((item, index) => withoutSecrets(item, `${at}${pointer(index)}`, isSecret) ?? null);
  }
  if (isObject(value)) {
    const members = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
      const shown = withoutSecrets(item, `${at}${pointer(name)}`, isSecret);
      return shown === undefined ? [] : [[name, shown]];
    });
    return objectFrom(members);
  }
  return typeof value === 'string' && holdsSecret(value, at, isSecret) ? undefined : value;
}

/** Whether a text holds JSON with something in it that would be left out. */
function holdsSecret(text: string, at: Pointer, isSecret: (at: Pointer) => boolean): boolean {
  const inner = readJsonText(text);
  return typeof inner !== 'string' && !sameJson(withoutSecrets(inner, at, isSecret) ?? null, inner);
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
