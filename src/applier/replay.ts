import { isUnordered, sameItem } from '../kinds/field.ts';
import type { Field, RecordsField } from '../kinds/kind.ts';
import { recordAgrees } from '../kinds/records.ts';
import { isArray, isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Difference } from '../model/plan.ts';
import { setMember } from '../model/pointer.ts';

/**
 * The value of a field with one difference undone.
 *
 * @param below the place of the difference in the field
 */
export function revert(field: Field, value: Json, below: readonly string[], difference: Difference): Json {
  const { before, after } = difference;
  if (below.length === 0) return before;
  if (isUnordered(field) && (field.is !== 'records' || below.length === 1)) {
    const items = (isArray(value) ? value : []).filter(
      (item) => after === null || !sameItem(field, item, after),
    );
    return before === null ? items : [...items, before];
  }
  if (field.is === 'records') {
    const [, ...member] = below;
    return revertRecord(field, isArray(value) ? value : [], member, difference);
  }
  return setMember(value, below, before);
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
