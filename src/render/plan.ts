import { isArray, isObject, type Json, type JsonObject, objectFrom, own } from '../model/json.ts';
import type { Change, Difference } from '../model/plan.ts';
import { segmentsOf } from '../model/pointer.ts';
import { concealed } from '../model/sensitive.ts';
import type { Sides } from './template.ts';

/**
 * The fields of a NotificationTemplate before and after a planned change, from what the plan itself holds: after, the
 * body of its request; before, the same with every difference taken back.
 */
export function sidesOf(change: Change): Sides<JsonObject> {
  const body = change.requests[0]?.body ?? null;
  const written = change.action === 'delete' || !isObject(body) ? null : unwrapped(body);
  const after = isObject(written) ? written : null;
  const before = change.diff.reduceRight(takenBack, after ?? {});
  return { before: isObject(before) ? before : null, after };
}

/** What will be sent, with secrets still marked and JSON not yet made text. */
function unwrapped(value: Json): Json {
  if (isArray(value)) return value.map(unwrapped);
  if (!isObject(value)) return value;
  const [only, ...others] = Object.entries(value);
  if (only && others.length === 0) {
    if (only[0] === '$literal') return only[1];
    if (only[0] === '$jsonText') return unwrapped(only[1]);
  }
  return objectFrom(Object.entries(value).map(([name, item]) => [name, unwrapped(item)]));
}

function takenBack(value: Json, { path, before, sensitive, op }: Difference): Json {
  return withValue(value, segmentsOf(path), sensitive ? concealed : op === 'add' ? null : before);
}

/** A copy with the value at a path; `null` takes it away. What is added to a list was added at its end. */
function withValue(value: Json, [name, ...rest]: readonly string[], put: Json): Json {
  if (name === undefined) return put;
  if (isArray(value)) {
    const at = Number(name);
    if (!Number.isSafeInteger(at) || at > value.length) return value;
    if (rest.length === 0 && put === null) return value.slice(0, at);
    return [...value.slice(0, at), withValue(value[at] ?? null, rest, put), ...value.slice(at + 1)];
  }
  const members = new Map(Object.entries(isObject(value) ? value : {}));
  if (rest.length === 0 && put === null) members.delete(name);
  else members.set(name, withValue(own(isObject(value) ? value : {}, name) ?? null, rest, put));
  return objectFrom(members);
}
