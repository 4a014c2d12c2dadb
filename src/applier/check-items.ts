import type { FieldDifference } from '../kinds/compare.ts';
import { comparable, comparableRecord } from '../kinds/field.ts';
import type { Field } from '../kinds/kind.ts';
import { groupBy } from '../model/group.ts';
import { canonicalJson, isArray, isObject, type Json, mapMembers, own, sameJson } from '../model/json.ts';
import { secretName, secretNamesIn } from '../model/marker.ts';
import type { Difference } from '../model/plan.ts';
import { type Pointer, placesOf, pointer, segmentsOf } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';

/** Whether a secret has a text, as far as that is known. */
export type HasText = (secret: string, text: string) => boolean;

/** Whether a plan shows only parts of a difference: a text that merely mentions the word for the others is shown in full. */
function holdsRedacted({ before, after }: FieldDifference): boolean {
  return placesOf([before, after], (part) => part === redacted).length > 0;
}

/** The differences in one item of a list. */
interface Item {
  /** Equal for equal differences. */
  readonly text: string;
  /** Equal where the same members are added, removed or replaced. */
  readonly shape: string;
  /** Whether a plan does not show all of it. */
  readonly isConcealed: boolean;
  /** Whether a plan shows nothing of it. */
  readonly isHidden: boolean;
}

/** The differences in a list by their items, without indexes, which say nothing. */
export function itemsIn(
  field: Field,
  differences: readonly (FieldDifference & Partial<Difference>)[],
): Item[] {
  const byItem = groupBy(differences, ({ path, op }) => {
    const [, index = '', ...below] = segmentsOf(path);
    return below.length === 0 && op === 'remove' ? `${index}-` : index;
  });
  return byItem.map(([, all]) => ({
    text: canonicalJson(
      all.map(({ path, before, after }) => [memberIn(path), itemOf(field, before), itemOf(field, after)]),
    ),
    shape: canonicalJson(all.map(({ path, op }) => [memberIn(path), op])),
    isConcealed: all.some((each) => each.sensitive === true || holdsRedacted(each)),
    isHidden: all.every(({ sensitive }) => sensitive === true),
  }));
}

/** The place of a difference in its item. */
const memberIn = (path: Pointer): Pointer => pointer(...segmentsOf(path).slice(2));

/** Whether a plan shows every item that its requests change, as far as it may be shown, or as one of which it shows nothing. */
export function areShown(made: readonly Item[], shown: readonly Item[]): boolean {
  const left = [...shown];
  const take = (isIt: (item: Item) => boolean): boolean => {
    const at = left.findIndex(isIt);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const others = made.filter(({ text }) => !take((item) => item.text === text));
  const areConcealed = others.every(
    ({ shape, isConcealed }) => isConcealed && take((item) => item.isHidden && item.shape === shape),
  );
  // A secret that is sent again is among them, and cannot be told from one that changes.
  return areConcealed && left.every(({ isConcealed }) => isConcealed);
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
