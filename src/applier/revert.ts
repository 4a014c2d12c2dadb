import { isUnordered, textOfItem } from '../kinds/field.ts';
import type { Field, RecordsField } from '../kinds/kind.ts';
import { recordAgrees } from '../kinds/records.ts';
import { isArray, isObject, itemsOf, type Json, type JsonObject } from '../model/json.ts';
import type { Difference } from '../model/plan.ts';
import { pointer, segmentsOf, setMember, valueAt } from '../model/pointer.ts';

/** The value of a field with all its differences undone, in this order. A list may have thousands. */
export function revertAll(field: Field, value: Json, differences: readonly Difference[]): Json {
  const isWhole = ({ path }: Difference) => segmentsOf(path).length === 1;
  if (isUnordered(field) && field.is !== 'records' && !differences.some(isWhole))
    return revertItems(field, value, differences);
  return differences.reduce(
    (current, difference) => revert(field, current, segmentsOf(difference.path).slice(1), difference),
    value,
  );
}

/** A list without what was added to it, and with what was removed. */
function revertItems(field: Field, value: Json, differences: readonly Difference[]): Json {
  const added = differences.map(({ after }) => after).filter((item) => item !== null);
  const removed = differences.map(({ before }) => before).filter((item) => item !== null);
  const texts = new Set(added.map((item) => textOfItem(field, item)));
  return [...itemsOf(value).filter((item) => !texts.has(textOfItem(field, item))), ...removed];
}

/**
 * The value of a field with one difference undone.
 *
 * @param below the place of the difference in the field
 */
export function revert(field: Field, value: Json, below: readonly string[], difference: Difference): Json {
  const { op, before } = difference;
  if (below.length === 0) return before;
  if (isUnordered(field) && (field.is !== 'records' || below.length === 1))
    return revertItems(field, value, [difference]);
  if (field.is === 'records') {
    const [, ...member] = below;
    return revertRecord(field, itemsOf(value), member, difference);
  }
  const above = below.slice(0, -1);
  const list = valueAt(value, pointer(...above));
  if (op === 'add' || before !== null || !isArray(list)) return setMember(value, below, before);
  // The item was null, which `setMember` would take away.
  const at = Number(below.at(-1));
  return setMember(value, above, [...list.slice(0, at), null, ...list.slice(op === 'remove' ? at : at + 1)]);
}

function revertRecord(
  field: RecordsField,
  records: readonly Json[],
  member: readonly string[],
  { before, after }: Difference,
): Json {
  const name = member[0] ?? '';
  const isChanged = (record: JsonObject) => recordAgrees({ [name]: after }, record, field);
  const at = records.findIndex((record) => isObject(record) && isChanged(record));
  return records.map((record, index) => (index === at ? setMember(record, member, before) : record));
}
