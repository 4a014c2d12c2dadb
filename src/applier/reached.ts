import { compareField } from '../kinds/compare.ts';
import { comparable, comparableRecord } from '../kinds/field.ts';
import type { Field, Kind } from '../kinds/kind.ts';
import { isArray, isObject, type Json, objectFrom, own, sameJson } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import type { Change, Difference } from '../model/plan.ts';
import { isWithin, type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { concealed } from '../model/sensitive.ts';

type Side = 'before' | 'after';

/**
 * The differences of a change whose `after` the live object does not show. Sensitive values, and fields that the
 * tenant hides, cannot be compared and never count.
 */
export function unmetDifferences(kind: Kind, change: Change, live: LiveObject): Difference[] {
  return visible(change, live).filter((difference) => !agrees(kind, change, difference, 'after', live));
}

/** Whether the tenant left the value of a difference as it was. */
export function isKept(kind: Kind, change: Change, difference: Difference, live: LiveObject): boolean {
  return agrees(kind, change, difference, 'before', live);
}

/**
 * Whether the live object is what the change shall make of it, as far as it can be compared.
 *
 * @param except differences known to be ignored or rewritten by the tenant
 */
export function isReached(
  kind: Kind,
  change: Change,
  live: LiveObject | null,
  except: readonly Pointer[] = [],
): boolean {
  if (change.action === 'delete') return live === null;
  if (live === null) return false;
  return unmetDifferences(kind, change, live).every(({ path }) => except.includes(path));
}

/** Whether each difference stands either as before or as after: some requests of the change were made, or none. */
export function isUnderWay(kind: Kind, change: Change, live: LiveObject | null): boolean {
  if (live === null || change.action === 'delete') return false;
  return visible(change, live).every(
    (difference) =>
      agrees(kind, change, difference, 'after', live) || agrees(kind, change, difference, 'before', live),
  );
}

function visible({ diff }: Change, live: LiveObject): Difference[] {
  return diff.filter(({ sensitive, path }) => !sensitive && !isHidden(path, live));
}

function isHidden(path: Pointer, live: LiveObject): boolean {
  return live.hidden.some((hidden) => isWithin(path, hidden));
}

function agrees(kind: Kind, change: Change, difference: Difference, side: Side, live: LiveObject): boolean {
  const [name = '', ...below] = segmentsOf(difference.path);
  const part = kind.keyFields.findIndex((keyField) => keyField.name === name);
  if (part >= 0) return sameKeyPart(kind, part, difference[side], live);
  const field = Object.hasOwn(kind.fields, name) ? kind.fields[name] : undefined;
  if (!field) return false;
  const value = own(live.fields, name);
  if (below.length === 0) {
    const wanted = withConcealed(difference[side], field.is === 'json' ? comparable(field, value) : value);
    return compareField(name, field, wanted, value).every(({ path }) => isHidden(path, live));
  }
  switch (field.is) {
    case 'set':
      return hasItem(comparable(field, value), difference, side, sameJson);
    case 'records':
      return below.length === 1
        ? hasItem(value ?? null, difference, side, sameRecord)
        : hasRecord(change, difference, side, value ?? null);
    default:
      return sameMember(field, comparable(field, value), pointer(...below), difference[side]);
  }
}

function sameKeyPart(kind: Kind, part: number, wanted: Json, live: LiveObject): boolean {
  const has = live.key[part] ?? '';
  if (typeof wanted !== 'string') return false;
  return kind.keyFields[part]?.foldCase ? wanted.toLowerCase() === has.toLowerCase() : wanted === has;
}

/** A list's difference is one item that comes or goes: its index says nothing about the live list. */
function hasItem(
  list: Json,
  difference: Difference,
  side: Side,
  same: (a: Json, b: Json) => boolean,
): boolean {
  const item = difference.after ?? difference.before;
  const shallBeThere = difference[side] !== null;
  return (
    (isArray(list) ? list : []).some((other) => same(withConcealed(item, other), other)) === shallBeThere
  );
}

function sameRecord(declared: Json, live: Json): boolean {
  if (!isObject(declared) || !isObject(live)) return sameJson(declared, live);
  const a = comparableRecord(declared);
  const b = comparableRecord(live);
  return Object.keys(a).every((name) => sameJson(own(a, name) ?? null, own(b, name) ?? null));
}

/** Whether one live record shows all the members that differ in the record of `difference`. */
function hasRecord(change: Change, difference: Difference, side: Side, list: Json): boolean {
  const [name = '', at = ''] = segmentsOf(difference.path);
  const record = pointer(name, at);
  const members = change.diff
    .filter(({ path, sensitive }) => !sensitive && path !== record && isWithin(path, record))
    .map((other) => ({ below: other.path.slice(record.length), wanted: other[side] }));
  return (isArray(list) ? list.filter(isObject) : []).some((row) => {
    const live = comparableRecord(row);
    return members.every(({ below, wanted }) => {
      const has = valueAt(live, below) ?? null;
      return sameJson(has, withConcealed(wanted, has));
    });
  });
}

function sameMember(field: Field, value: Json, below: Pointer, planned: Json): boolean {
  const has = valueAt(value, below) ?? null;
  const wanted = withConcealed(planned, has);
  if (sameJson(has, wanted)) return true;
  if (field.is !== 'json' || field.declares === 'whole' || !isObject(has) || !isObject(wanted)) return false;
  return compareField('', field, wanted, has).length === 0;
}

/** What the plan conceals inside a larger value cannot be compared, so it counts as what is there. */
function withConcealed(wanted: Json, has: Json | undefined): Json {
  if (wanted === concealed) return has ?? null;
  if (isArray(wanted))
    return wanted.map((item, at) => withConcealed(item, isArray(has) ? has[at] : undefined));
  if (!isObject(wanted)) return wanted;
  const members = Object.entries(wanted).map(([name, item]): [string, Json] => [
    name,
    withConcealed(item, isObject(has) ? own(has, name) : undefined),
  ]);
  return objectFrom(members);
}
