import type { FieldDifference } from '../kinds/compare.ts';
import { comparable, comparableRecord } from '../kinds/field.ts';
import type { Field } from '../kinds/kind.ts';
import { groupBy } from '../model/basics.ts';
import { canonicalJson, isArray, isObject, type Json, mapMembers, own, sameJson } from '../model/json.ts';
import { secretName, secretNamesIn } from '../model/marker.ts';
import type { Difference } from '../model/plan.ts';
import { type Pointer, placesOf, pointer, segmentsOf } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';

/** Whether a secret has a text, as far as that is known. */
export type HasText = (secret: string, text: string) => boolean;

/** A difference in a list that requests make, as a plan shows it. */
export interface MadeDifference extends FieldDifference, Pick<Difference, 'sensitive'> {
  /** Whether a plan has to show it. */
  readonly isOpen: boolean;
}

/** A difference in a list, as a plan shows it. */
type ToldDifference = FieldDifference & Pick<Difference, 'sensitive'>;

/**
 * Whether a plan shows every item that requests change, as far as it may be shown or as one of which it shows nothing, and no
 * other. Indexes do not count: they say nothing.
 */
export function areShown(
  field: Field,
  made: readonly MadeDifference[],
  shown: readonly Difference[],
): boolean {
  const left = itemsIn(shown).map((item) => ({ item, text: textOf(field, item), shape: shapeOf(item) }));
  const take = (isIt: (other: (typeof left)[number]) => boolean): boolean => {
    const at = left.findIndex(isIt);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const takeEqual = (item: readonly ToldDifference[]) => {
    const wanted = textOf(field, item);
    return take(({ text }) => text === wanted);
  };
  const takeHidden = (item: readonly MadeDifference[]) => {
    const wanted = shapeOf(item);
    return item.some(isConcealed) && take((other) => other.shape === wanted && other.item.every(isHidden));
  };
  const items = itemsIn(made).map((whole) => ({ whole, open: whole.filter(({ isOpen }) => isOpen) }));
  const others = items.filter(({ whole, open }) => open.length > 0 && !takeEqual(whole) && !takeEqual(open));
  if (!others.every(({ whole }) => takeHidden(whole))) return false;
  // With --rotate, a plan also shows secrets that stay as they are.
  for (const { whole, open } of items) if (open.length === 0) takeEqual(whole);
  return left.length === 0;
}

/** The differences in a list by their items. */
function itemsIn<T extends FieldDifference>(differences: readonly T[]): (readonly T[])[] {
  const byItem = groupBy(differences, ({ path, op }) => {
    const [, index = '', ...below] = segmentsOf(path);
    return below.length === 0 && op === 'remove' ? `${index}-` : index;
  });
  return byItem.map(([, item]) => item);
}

/** Equal for equal differences in an item. */
function textOf(field: Field, item: readonly FieldDifference[]): string {
  return canonicalJson(
    item.map(({ path, before, after }) => [memberIn(path), itemOf(field, before), itemOf(field, after)]),
  );
}

/** Equal where the same members of an item are added, removed or replaced. */
function shapeOf(item: readonly FieldDifference[]): string {
  return canonicalJson(item.map(({ path, op }) => [memberIn(path), op]));
}

/** The place of a difference in its item. */
const memberIn = (path: Pointer): Pointer => pointer(...segmentsOf(path).slice(2));

/** Whether a plan shows nothing of a difference. */
const isHidden = ({ sensitive }: ToldDifference): boolean => sensitive;

/** Whether a plan does not show all of a difference. A text that merely mentions the word for the rest is shown in full. */
function isConcealed({ sensitive, before, after }: ToldDifference): boolean {
  return sensitive || placesOf([before, after], (part) => part === redacted).length > 0;
}

/** Leaves out what a plan does not compare: items and members that differ by secrets alone. */
export function withoutKnownSecrets(
  differences: readonly FieldDifference[],
  has: HasText,
): FieldDifference[] {
  const isKept = ({ before, after }: FieldDifference) =>
    secretName(after) !== null && isFilledBy(after, before, has);
  const changed = differences.filter((each) => !isKept(each));
  const same = changed.flatMap((added) => {
    if (added.before !== null || secretNamesIn(added.after).length === 0) return [];
    const removed = changed.find(
      ({ before, after }) => after === null && isFilledBy(added.after, before, has),
    );
    return removed ? [added, removed] : [];
  });
  return changed.filter((each) => !same.includes(each));
}

/** Whether a value with secrets is another one, if the secrets are what stands there. */
function isFilledBy(value: Json, other: Json | undefined, has: HasText): boolean {
  const secret = secretName(value);
  if (secret !== null) return typeof other === 'string' && has(secret, other);
  if (isArray(value) && isArray(other))
    return value.length === other.length && value.every((item, at) => isFilledBy(item, other[at], has));
  if (!isObject(value) || !isObject(other)) return sameJson(value, other ?? null);
  const names = new Set([...Object.keys(value), ...Object.keys(other)]);
  return [...names].every((name) => isFilledBy(own(value, name) ?? null, own(other, name), has));
}

/** What is compared of an item, without what is sent in any case. */
function itemOf(field: Field, item: Json): Json {
  if (isArray(item)) return comparable(field, item);
  if (field.is === 'references') return comparable(field, [item]);
  if (field.is !== 'records' || !isObject(item)) return item;
  return mapMembers(comparableRecord(item, field), (value, name) =>
    sameJson(value, own(field.filled ?? {}, name) ?? null) ? undefined : value,
  );
}
