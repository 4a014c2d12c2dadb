import { compareField } from '../kinds/compare.ts';
import { comparable, readableFields } from '../kinds/field.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import { type Field, fieldNamed } from '../kinds/kind.ts';
import { operationOf } from '../kinds/operation.ts';
import { isArray, isObject, type Json, mapMembers, own, sameJson } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import { jsonTextOf, literalOf, livePlace } from '../model/marker.ts';
import type { Difference } from '../model/plan.ts';
import { type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import type { ApiSettings } from '../model/settings.ts';
import type { KindChange } from './find.ts';
import { revert } from './replay.ts';

/**
 * The fields that a change's requests set to other values than it shows: neither what its differences say nor what the
 * object has. What a plan may not show (secrets, and what the tenant hides) cannot be compared, and counts as right.
 *
 * @param base the object that the change was planned from: the live one, or the vendor's default of a new one
 */
export function unshownValues(
  { kind, change }: KindChange,
  base: LiveObject | null,
  settings: ApiSettings,
): string[] {
  if (change.action === 'manual') return [];
  const operations = kind.operations[change.action];
  const current = readableFields(kind, base?.fields ?? {});
  const unseen = new Set([...(base?.hidden ?? []), ...(change.secrets ?? [])].map((at) => segmentsOf(at)[0]));
  const wrong = change.requests.flatMap((request) => {
    const values = operationOf(operations, request, change.id, settings)?.read?.(request.body)?.values ?? {};
    return Object.entries(values).flatMap(([name, value]) => {
      const field = fieldNamed(kind, name);
      if (!field || unseen.has(name)) return [];
      const shown = change.diff.filter(({ path }) => segmentsOf(path)[0] === name);
      const was = own(current, name) ?? null;
      return isSent(name, field, value, was, shown) ? [] : [name];
    });
  });
  return [...new Set(wrong)];
}

/** Whether a body gives a field the value that the differences show. Lists of records are matched by the tenant. */
function isSent(name: string, field: Field, value: Json, was: Json, shown: readonly Difference[]): boolean {
  const visible = shown.filter(
    ({ sensitive, before, after }) => !sensitive && !JSON.stringify([before, after]).includes(redacted),
  );
  if (field.is === 'records') return true;
  if (field.is === 'json' && field.declares === 'members') {
    // Members that no difference shows may be sent along.
    const sent = comparable(field, rendered(value, pointer(name), was));
    return visible.every((difference) => hasMember(sent, difference));
  }
  if (visible.length < shown.length) return true;
  const wanted = visible.reduce(
    (result, difference) => {
      const [, ...below] = segmentsOf(difference.path);
      return revert(field, result, below, {
        ...difference,
        before: difference.after,
        after: difference.before,
      });
    },
    comparableText(field, was),
  );
  return compareField(name, field, rendered(value, pointer(name), wanted), wanted).length === 0;
}

function hasMember(sent: Json, { path, after }: Difference): boolean {
  const [, ...below] = segmentsOf(path);
  if (below.length === 0 || !isObject(sent)) return true;
  return sameJson(valueAt(sent, pointer(...below)) ?? null, after);
}

/** Differences reach into JSON that is text inside JSON. */
function comparableText(field: Field, value: Json): Json {
  return field.is === 'json' ? comparable(field, value) : value;
}

/**
 * A value of a request body as it will be sent. A marker for the object's own value at this place stands for what it
 * should be; any other marker stays, and so is no value that a difference shows.
 */
function rendered(value: Json, at: Pointer, wanted: Json | undefined): Json {
  const verbatim = literalOf(value);
  if (verbatim !== undefined) return verbatim;
  if (livePlace(value) === at) return wanted ?? null;
  const inner = jsonTextOf(value);
  if (inner !== undefined)
    return rendered(inner, at, wanted === undefined ? undefined : readJsonText(wanted));
  const below = (item: Json, name: string | number) =>
    rendered(item, `${at}${pointer(name)}`, valueAt(wanted ?? null, pointer(name)));
  if (isArray(value)) return value.map(below);
  return isObject(value) ? mapMembers(value, below) : value;
}
