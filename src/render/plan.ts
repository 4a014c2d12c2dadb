import { isArray, isObject, type Json, type JsonObject, objectFrom, own } from '../model/json.ts';
import type { Change, Difference } from '../model/plan.ts';
import { segmentsOf } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import type { Sides } from './template.ts';

/**
 * The fields of a NotificationTemplate before and after a planned change: after, the body of its request, or of a
 * delete the vendor's default; before, the same with every difference taken back. Both are `null` where they are not
 * known: of a delete the plan holds only what differs from the default.
 *
 * @param base the fields of the vendor's default that a delete goes back to
 */
export function sidesOf(change: Change, base: JsonObject | null = null): Sides<JsonObject> {
  const { action, diff, requests } = change;
  if (action === 'delete' && base === null && !isWhole(diff)) return { before: null, after: null };
  const body = requests[0]?.body ?? null;
  const written = action === 'delete' ? base : isObject(body) ? unwrapped(body) : null;
  const after = isObject(written) ? written : null;
  const before = diff.reduceRight(takenBack, after ?? {});
  return { before: isObject(before) ? before : null, after };
}

/** Whether the differences of a delete are all there was: then nothing takes its place, and it had a text. */
function isWhole(diff: readonly Difference[]): boolean {
  const texts = ['/body', '/slackTemplate', '/teamsTemplate'];
  return diff.every(({ after }) => after === null) && diff.some(({ path }) => texts.includes(path));
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
  return withValue(value, segmentsOf(path), sensitive ? redacted : op === 'add' ? null : before);
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
