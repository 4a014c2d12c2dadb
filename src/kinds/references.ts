import type { Address } from '../model/address.ts';
import { isArray, isObject, type Json, mapMembers, own } from '../model/json.ts';
import { refOf } from '../model/marker.ts';
import type { Difference } from '../model/plan.ts';
import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import { comparableId } from './field.ts';
import { type Field, fieldNamed, type Kind } from './kind.ts';

/** The kind that the ids in a field belong to; `null` for a field without such ids. */
export function targetOf(field: Field): string | null {
  switch (field.is) {
    case 'value':
    case 'set':
    case 'reference':
    case 'references':
      return field.to ?? null;
    default:
      return null;
  }
}

/** A place for an id in the value of a field. */
interface IdPlace {
  /** From the value on. */
  readonly at: Pointer;
  /** An id, or a marker for one. */
  readonly id: Json;
}

/** The ids in a value of a field that refers to a kind, and the markers that stand for ids. */
export function idsIn(field: Field, value: Json): IdPlace[] {
  if (targetOf(field) === null) return [];
  // An item of a list is written like a value of its own; a value with synonyms is a list of them.
  if (isArray(value)) {
    return value.flatMap((item, index) =>
      idsOf(item).map((place) => ({ ...place, at: pointer(index) + place.at })),
    );
  }
  return idsOf(value);
}

function idsOf(item: Json): IdPlace[] {
  if (!isObject(item) || refOf(item) !== null)
    return item === null ? [] : [{ at: '', id: comparableId(item) }];
  const id = own(item, 'id') ?? null;
  return id === null ? [] : [{ at: pointer('id'), id: comparableId(id) }];
}

/** The value with what `replace` gives in place of each id. */
export function mapIds(field: Field, value: Json, replace: (id: Json) => Json): Json {
  if (targetOf(field) === null) return value;
  return mapItems(value, (item) => {
    if (!isObject(item) || refOf(item) !== null) return item === null ? null : replace(item);
    return mapMembers(item, (member, name) => (name === 'id' ? replace(member) : member));
  });
}

/** The value with what `answer` gives in place of each marker: as the field writes ids, alone or in an object. */
export function withReferences(field: Field, value: Json, answer: (to: Address) => Json): Json {
  const answerRef = (id: Json) => {
    const to = refOf(id);
    return to === null ? id : answer(to);
  };
  if (field.is !== 'reference' && field.is !== 'references') return mapIds(field, value, answerRef);
  const type = field.type === undefined ? {} : { type: field.type };
  const inObjects = mapItems(value, (item) => (refOf(item) === null ? item : { ...type, id: item }));
  return mapIds(field, inObjects, answerRef);
}

const mapItems = (value: Json, replace: (item: Json) => Json): Json =>
  isArray(value) ? value.map(replace) : replace(value);

/** The ids, and markers for ids, on one side of a difference, with the kind that they belong to. */
export function idsOnSide(
  kind: Kind,
  difference: Pick<Difference, 'path' | 'before' | 'after'>,
  side: 'before' | 'after',
): { readonly to: string; readonly ids: readonly Json[] } | null {
  const [name = ''] = segmentsOf(difference.path);
  const field = fieldNamed(kind, name);
  const to = field ? targetOf(field) : null;
  if (!field || to === null) return null;
  return { to, ids: idsIn(field, difference[side]).map(({ id }) => id) };
}
