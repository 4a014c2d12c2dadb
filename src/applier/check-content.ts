import { compareField, type FieldDifference } from '../kinds/compare.ts';
import { comparable, comparableRecord, isUnordered, readableFields } from '../kinds/field.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import type { Field, LiveObject } from '../kinds/kind.ts';
import { type Before, type Operation, operationOf } from '../kinds/operation.ts';
import { groupBy } from '../model/group.ts';
import {
  canonicalJson,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  own,
  sameJson,
} from '../model/json.ts';
import { jsonTextOf, literalOf, livePlace, secretName, secretNamesIn } from '../model/marker.ts';
import type { Difference } from '../model/plan.ts';
import { isWithin, type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import type { ApiSettings } from '../model/settings.ts';
import { fillRedacted } from './effect.ts';
import type { KindChange } from './find.ts';

/**
 * The fields in which the requests of a change make another difference than it shows: what the object would be after them
 * is compared with what it is, as in a plan. What a plan may not show (secrets, and what the tenant hides) cannot be
 * compared, and counts as right.
 *
 * @param base the object that the change was planned from: the live one, or the vendor's default of a new one
 */
export function unshownValues(
  { kind, change }: KindChange,
  base: LiveObject | null,
  settings: ApiSettings,
): string[] {
  if (change.action === 'manual' || change.action === 'delete') return [];
  const fields = readableFields(kind, base?.fields ?? {});
  const before: Before = { fields, raw: base?.raw ?? {}, settings };
  const written = writtenBy(kind.operations[change.action], { kind, change }, before);
  if (written === null) return ['something'];
  const hidden = base?.hidden ?? [];
  const names = Object.entries(kind.fields).flatMap(([name, field]) => {
    const value = own(written, name);
    if (value === undefined) return [];
    const part = { name, field, shown: change.diff.filter(({ path }) => segmentsOf(path)[0] === name) };
    const unseen = { secrets: change.secrets ?? [], hidden };
    const isAsShown = isShown(part, { value, fields, unseen }) && !hasUnshownParts(part, value, fields);
    return isAsShown ? [] : [name];
  });
  return [...names, ...foreignIn({ kind, change }, written, before)];
}

/** The fields as the requests write them, markers filled in except for secrets; `null` where that is not known. */
function writtenBy(
  operations: readonly Operation[],
  { kind, change }: KindChange,
  before: Before,
): JsonObject | null {
  let fields = before.fields;
  let written: JsonObject = {};
  for (const request of change.requests) {
    const body = filledIn(request.body, before.fields);
    const said = operationOf(operations, request, change.id, before.settings)?.read?.(body);
    if (!said) continue;
    const after = said.after({ ...before, fields });
    if (after === null) return null;
    // A body that is the whole object clears what it leaves out.
    const cleared = said.fields === null ? objectFrom(unsetOf(kind.fields)) : {};
    written = { ...written, ...cleared, ...after };
    fields = { ...fields, ...written };
  }
  return written;
}

const unsetOf = (fields: Readonly<Record<string, Field>>): [string, Json][] =>
  Object.keys(fields).map((name) => [name, null]);

/** Whatever is not a field of the kind has to stay as it is. */
function foreignIn({ kind, change }: KindChange, written: JsonObject, { raw }: Before): string[] {
  const known = new Set([...Object.keys(kind.fields), ...kind.keyFields.map(({ name }) => name), 'id']);
  const isNew = change.action === 'create';
  return Object.entries(written).flatMap(([name, value]) =>
    known.has(name) || (!isNew && sameJson(value, own(raw, name) ?? null)) ? [] : [name],
  );
}

/** A body as it will be sent, with JSON in text parsed. Secrets stay markers, as does a value that the object lacks. */
function filledIn(value: Json, fields: JsonObject): Json {
  const verbatim = literalOf(value);
  if (verbatim !== undefined) return verbatim;
  const place = livePlace(value);
  if (place !== null) {
    const current = valueAt(fields, place);
    return current === undefined ? value : current;
  }
  const inner = jsonTextOf(value);
  if (inner !== undefined) return readJsonText(filledIn(inner, fields));
  if (isArray(value)) return value.map((item) => filledIn(item, fields));
  return isObject(value) ? mapMembers(value, (item) => filledIn(item, fields)) : value;
}

/** A field, and the differences that the plan shows in it. */
interface Part {
  readonly name: string;
  readonly field: Field;
  readonly shown: readonly Difference[];
}

/** What is written into a field. */
interface Writing {
  readonly value: Json;
  /** The object's fields before. */
  readonly fields: JsonObject;
  readonly unseen: Unseen;
}

/** The places of secrets, and those that the tenant does not show. */
interface Unseen {
  readonly secrets: readonly Pointer[];
  readonly hidden: readonly Pointer[];
}

function isShown({ name, field, shown }: Part, { value, fields, unseen }: Writing): boolean {
  const concealed = shown.filter(({ sensitive }) => sensitive).map(({ path }) => path);
  const current = own(fields, name) ?? null;
  if (isUnordered(field)) {
    if (unseen.hidden.includes(pointer(name))) return true;
    const made = itemsIn(field, withoutKnownSecrets(compareField(name, field, value, current)));
    return areShown(made, itemsIn(field, shown));
  }
  // All members are in the body, also those that a manifest leaves out.
  const whole = field.is === 'json' ? { ...field, declares: 'whole' as const } : field;
  const written = assumeUnseen(value, pointer(name), { fields, unseen, shown }) ?? null;
  // A member that is null and one that is not there look the same in a plan.
  const isVisible = ({ path, before, after }: FieldDifference) =>
    (before !== null || after !== null) && !concealed.some((at) => isWithin(path, at));
  const made = compareField(name, whole, written, current)
    .flatMap((each) => (shown.some(({ path }) => path === each.path) ? [each] : removedMembers(each)))
    .filter(isVisible);
  const expected = shown.filter(isVisible);
  return (
    made.length === expected.length &&
    made.every((each) => expected.some((other) => isSame(field, each, other)))
  );
}

/** Whether a reference has something beside its id, which a plan does not compare, that neither the plan nor the object has there. */
function hasUnshownParts({ name, field, shown }: Part, value: Json, fields: JsonObject): boolean {
  if (field.is !== 'reference' && field.is !== 'references') return false;
  const sides = shown.flatMap(({ before, after }) => [before, after]);
  const known = [...sides, own(fields, name) ?? null, { type: field.type ?? null }].flatMap(partsBesideId);
  return partsBesideId(value).some(
    ([part, text]) => !known.some(([other, has]) => other === part && sameJson(has, text)),
  );
}

function partsBesideId(value: Json): [string, Json][] {
  if (isArray(value)) return value.flatMap(partsBesideId);
  return isObject(value)
    ? Object.entries(value).filter(([name, part]) => name !== 'id' && part !== null)
    : [];
}

/** A plan shows an object that loses its last members by these members. */
function removedMembers(difference: FieldDifference): FieldDifference[] {
  const { path, op, before } = difference;
  if (op !== 'remove' || !isObject(before) || Object.keys(before).length === 0) return [difference];
  return Object.entries(before).map(([name, member]) => {
    return { path: `${path}${pointer(name)}`, op, before: member, after: null };
  });
}

/** Replaces by the object's own value what a plan does not compare, and so does not show: see the planner. */
function assumeUnseen(
  value: Json,
  at: Pointer,
  context: Omit<Writing, 'value'> & Pick<Part, 'shown'>,
): Json | undefined {
  const { fields, unseen, shown } = context;
  const isUnseen =
    secretName(value) === null ? value !== null && unseen.hidden.includes(at) : unseen.secrets.includes(at);
  // What the plan shows of a hidden place was asked for with --rotate, or is a rollback's.
  const isTold = shown.some((each) => redacts(each, at) || isWithin(each.path, at));
  if (isUnseen && !isTold) return valueAt(fields, at);
  if (isArray(value))
    return value.map((item, index) => assumeUnseen(item, `${at}${pointer(index)}`, context) ?? null);
  if (!isObject(value)) return value;
  return mapMembers(value, (item, name) => assumeUnseen(item, `${at}${pointer(name)}`, context));
}

/** Whether a difference shows that something comes to a place, and not what. */
function redacts({ path, after }: Difference, at: Pointer): boolean {
  return isWithin(at, path) && valueAt(after, at.slice(path.length)) === redacted;
}

/** Whether a difference is the one that the plan shows, as far as it shows it. */
function isSame(field: Field, { path, before, after }: FieldDifference, shown: Difference): boolean {
  // A plan shows the name beside an id, which is not sent.
  const compared = (value: Json) => (field.is === 'reference' ? comparable(field, value) : value);
  const agrees = (told: Json, value: Json) => sameJson(compared(fillRedacted(told, value)), compared(value));
  return path === shown.path && agrees(shown.before, before) && agrees(shown.after, after);
}

function holdsRedacted({ before, after }: FieldDifference): boolean {
  return JSON.stringify([before, after]).includes(redacted);
}

/** The differences in one item of a list. */
interface Item {
  /** Equal for equal differences. */
  readonly text: string;
  /** Equal where the same members are added, removed or replaced. */
  readonly shape: string;
  /** Whether a plan does not show all of it. */
  readonly isConcealed: boolean;
}

/** The differences in a list by their items, without indexes, which say nothing. */
function itemsIn(field: Field, differences: readonly (FieldDifference & Partial<Difference>)[]): Item[] {
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
  }));
}

/** The place of a difference in its item. */
const memberIn = (path: Pointer): Pointer => pointer(...segmentsOf(path).slice(2));

/** Whether a plan shows every item that its requests change, in full or as one that it conceals in part. */
function areShown(made: readonly Item[], shown: readonly Item[]): boolean {
  const left = [...shown];
  const take = (isIt: (item: Item) => boolean): boolean => {
    const at = left.findIndex(isIt);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const others = made.filter(({ text }) => !take((item) => item.text === text));
  const areConcealed = others.every(({ shape }) => take((item) => item.isConcealed && item.shape === shape));
  // A secret that is sent again is among them, and cannot be told from one that changes.
  return areConcealed && left.every(({ isConcealed }) => isConcealed);
}

/** Leaves out what a plan does not compare: items and members that differ by secrets alone. */
function withoutKnownSecrets(differences: readonly FieldDifference[]): FieldDifference[] {
  const changed = differences.filter(({ before, after }) => before === null || secretName(after) === null);
  const same = changed.flatMap((added) => {
    if (added.before !== null || secretNamesIn(added.after).length === 0) return [];
    const removed = changed.find(({ before, after }) => after === null && isFilledBy(added.after, before));
    return removed ? [added, removed] : [];
  });
  return changed.filter((each) => !same.includes(each));
}

/** Whether a value with secrets is another one, if the secrets are what stands there. */
function isFilledBy(value: Json, other: Json | undefined): boolean {
  if (secretName(value) !== null) return typeof other === 'string';
  if (isArray(value) && isArray(other))
    return value.length === other.length && value.every((item, at) => isFilledBy(item, other[at]));
  if (!isObject(value) || !isObject(other)) return sameJson(value, other ?? null);
  const names = new Set([...Object.keys(value), ...Object.keys(other)]);
  return [...names].every((name) => isFilledBy(own(value, name) ?? null, own(other, name)));
}

/** What is compared of an item, without what is sent in any case. */
function itemOf(field: Field, item: Json): Json {
  if (field.is === 'references') return comparable(field, [item]);
  if (field.is !== 'records' || !isObject(item)) return item;
  return mapMembers(comparableRecord(item, field), (value, name) =>
    sameJson(value, own(field.filled ?? {}, name) ?? null) ? undefined : value,
  );
}
