import { compareField, type FieldDifference } from '../kinds/compare.ts';
import { comparable, isUnordered, readableFields, wholeField } from '../kinds/field.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import type { Field, LiveObject } from '../kinds/kind.ts';
import { type Before, type Operation, operationOf } from '../kinds/operation.ts';
import type { Secrets } from '../kinds/project.ts';
import { type IsSensitive, redact, redactDifference, sensitiveIn } from '../kinds/redact.ts';
import { type Diagnostic, saysNotComparable } from '../model/diagnostic.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  own,
  sameJson,
} from '../model/json.ts';
import { jsonTextOf, literalOf, livePlace, secretName } from '../model/marker.ts';
import type { Change, Difference } from '../model/plan.ts';
import { isWithin, type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import type { ApiSettings } from '../model/settings.ts';
import { areShown, type HasText, withoutKnownSecrets } from './check-items.ts';
import { fillRedacted } from './effect.ts';
import type { KindChange } from './find.ts';

/**
 * The fields in which the requests of a change make another difference than it shows: what the object would be after them
 * is compared with what it is, as in a plan. A plan shows no difference where a secret stays as it is, and where the tenant
 * does not show what it has: of that it has a remark.
 *
 * @param base the object that the change was planned from: the live one, or the vendor's default of a new one
 */
export function unshownValues(
  { kind, change }: KindChange,
  base: LiveObject | null,
  settings: ApiSettings,
  { secrets, remarks }: Knowledge,
): string[] {
  if (change.action === 'manual' || change.action === 'delete') return [];
  const fields = readableFields(kind, base?.fields ?? {});
  const before: Before = { fields, raw: base?.raw ?? {}, settings };
  const written = applyRequests(kind.operations[change.action], { kind, change }, before);
  if (written === null) return ['something'];
  const unseen: Unseen = {
    // A new object has nothing that could stay.
    secrets: change.action === 'create' ? [] : (change.secrets ?? []),
    hidden: base?.hidden ?? [],
    isRemarked: (at) => isRemarked(change, at, remarks),
    isSensitive: sensitiveIn(kind, base, written),
    has: (secret, text) => secrets.problem(secret) !== null || secrets.matches(secret, text),
  };
  const names = Object.entries(kind.fields).flatMap(([name, field]) => {
    const shown = change.diff.filter(({ path }) => segmentsOf(path)[0] === name);
    const value = own(written, name);
    if (value === undefined) return shown.length === 0 ? [] : [name];
    const part = { name, field, shown };
    const isShown = isUnordered(field) ? areItemsShown : isValueShown;
    const isAsShown = isShown(part, { value, fields, unseen }) && !hasUnshownParts(part, value, fields);
    return isAsShown ? [] : [name];
  });
  return [...names, ...foreignIn({ kind, change }, written, before)];
}

/** Whether the plan says that a place cannot be compared. */
function isRemarked({ address }: Change, at: Pointer, remarks: readonly Diagnostic[]): boolean {
  return remarks.some((each) => each.address === address && saysNotComparable(at, each));
}

/** The fields as the requests write them, markers filled in except for secrets; `null` where that is not known. */
function applyRequests(
  operations: readonly Operation[],
  { kind, change }: KindChange,
  before: Before,
): JsonObject | null {
  let fields = before.fields;
  let written: JsonObject = {};
  for (const request of change.requests) {
    const body = fillMarkers(request.body, before.fields);
    const said = operationOf(operations, request, change.id, before.settings)?.read?.(body);
    if (!said) continue;
    const after = said.after({ ...before, fields });
    if (after === null) return null;
    // A body that is the whole object clears what it leaves out.
    const cleared =
      said.fields === null ? objectFrom(Object.keys(kind.fields).map((name) => [name, null])) : {};
    written = { ...written, ...cleared, ...after };
    fields = { ...fields, ...written };
  }
  return written;
}

/** Whatever is not a field of the kind has to stay as it is. */
function foreignIn({ kind, change }: KindChange, written: JsonObject, { raw }: Before): string[] {
  const known = new Set([...Object.keys(kind.fields), ...kind.keyFields.map(({ name }) => name), 'id']);
  const isNew = change.action === 'create';
  return Object.entries(written).flatMap(([name, value]) =>
    known.has(name) || (!isNew && sameJson(value, own(raw, name) ?? null)) ? [] : [name],
  );
}

/** A body as it will be sent, with JSON in text parsed. Secrets stay markers, as does a value that the object lacks. */
function fillMarkers(value: Json, fields: JsonObject): Json {
  const verbatim = literalOf(value);
  if (verbatim !== undefined) return verbatim;
  const place = livePlace(value);
  if (place !== null) {
    const current = valueAt(fields, place);
    return current === undefined ? value : current;
  }
  const inner = jsonTextOf(value);
  if (inner !== undefined) return readJsonText(fillMarkers(inner, fields));
  if (isArray(value)) return value.map((item) => fillMarkers(item, fields));
  return isObject(value) ? mapMembers(value, (item) => fillMarkers(item, fields)) : value;
}

/** A field, and the differences that the plan shows in it. */
interface Part {
  readonly name: string;
  readonly field: Field;
  readonly shown: readonly Difference[];
}

/** What is known of the secrets that requests may be filled with. One that is not set may have any text. */
export type KnownSecrets = Pick<Secrets, 'matches' | 'problem'>;

/** What a change is judged with: the remarks are those of its plan. */
export interface Knowledge {
  readonly secrets: KnownSecrets;
  readonly remarks: readonly Diagnostic[];
}

/** What is written into a field. */
interface Writing {
  readonly value: Json;
  /** The object's fields before. */
  readonly fields: JsonObject;
  readonly unseen: Unseen;
}

/** What a plan does not show: the places of secrets, those that the tenant does not show, and what is sensitive. */
interface Unseen {
  readonly isSensitive: IsSensitive;
  readonly secrets: readonly Pointer[];
  readonly hidden: readonly Pointer[];
  isRemarked(at: Pointer): boolean;
  readonly has: HasText;
}

/** Whether the plan shows the items that are written into a list without order. */
function areItemsShown({ name, field, shown }: Part, { value, fields, unseen }: Writing): boolean {
  const current = own(fields, name) ?? null;
  if (shown.length === 0 && isUnseen(value, pointer(name), current, unseen)) return true;
  const all = compareField(name, field, value, current);
  const open = new Set(withoutKnownSecrets(all, unseen.has));
  const made = all.map((each) => {
    return { ...redactDifference(each, unseen.isSensitive), isOpen: open.has(each) };
  });
  return areShown(field, made, shown);
}

/** Whether the plan shows what is written into any other field. */
function isValueShown({ name, field, shown }: Part, { value, fields, unseen }: Writing): boolean {
  const concealed = shown.filter(({ sensitive }) => sensitive).map(({ path }) => path);
  const current = own(fields, name) ?? null;
  const written = assumeUnseen(value, pointer(name), { fields, unseen, shown }) ?? null;
  // A secret may be sent again as it is.
  const isSent = (at: Pointer) => (valueAt({ [name]: value }, at) ?? null) !== null;
  // A member that is null and one that is not there look the same in a plan.
  const isThere = ({ before, after }: FieldDifference) => before !== null || after !== null;
  const isConcealed = ({ path }: FieldDifference) => concealed.some((at) => isWithin(path, at));
  // All members are in the body, also those that a manifest leaves out.
  const made = compareField(name, wholeField(field), written, current)
    .flatMap((each) => (shown.some(({ path }) => path === each.path) ? [each] : removedMembers(each)))
    .filter(isThere);
  const visible = made.filter((each) => !isConcealed(each));
  const expected = shown.filter((each) => isThere(each) && !isConcealed(each));
  return (
    made.every((each) => !isConcealed(each) || mayConceal(each, unseen)) &&
    concealed.every((at) => isSent(at) || made.some(({ path }) => isWithin(path, at))) &&
    visible.length === expected.length &&
    visible.every((each) => expected.some((other) => isSame({ field, unseen }, each, other)))
  );
}

/** Whether a plan has a reason not to show what comes to a place. */
function mayConceal(difference: FieldDifference, { isSensitive }: Unseen): boolean {
  return redactDifference(difference, isSensitive).sensitive;
}

/** Whether a plan conceals a part of a value that is neither sensitive nor there already. */
function concealsMore(told: Json, value: Json, before: Json): boolean {
  if (told === redacted) return value !== redacted && !sameJson(value, before);
  if (told === null || typeof told !== 'object') return false;
  const partOf = (whole: Json, name: string) => valueAt(whole, pointer(name)) ?? null;
  return Object.entries(told).some(([name, item]) =>
    concealsMore(item, partOf(value, name), partOf(before, name)),
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
  const current = valueAt(fields, at);
  // What the plan shows of a hidden place was asked for with --rotate, or is a rollback's.
  const isTold = shown.some(
    (each) => redacts(each, at) || isWithin(each.path, at) || (each.sensitive && isWithin(at, each.path)),
  );
  if (!isTold && isUnseen(value, at, current, unseen)) return current;
  if (isArray(value))
    return value.map((item, index) => assumeUnseen(item, `${at}${pointer(index)}`, context) ?? null);
  if (!isObject(value)) return value;
  return mapMembers(value, (item, name) => assumeUnseen(item, `${at}${pointer(name)}`, context));
}

/** Whether a plan shows no difference for a value, because it is what the tenant has there, or because that cannot be told. */
function isUnseen(value: Json, at: Pointer, current: Json | undefined, unseen: Unseen): boolean {
  if (value === null) return false;
  const secret = secretName(value);
  if (secret !== null && !unseen.secrets.includes(at)) return false;
  const isHidden = unseen.hidden.includes(at) || (secret !== null && (current ?? null) === null);
  if (isHidden) return livePlace(value) === at || sameJson(value, current ?? null) || unseen.isRemarked(at);
  return secret !== null && typeof current === 'string' && unseen.has(secret, current);
}

/** Whether a difference shows that something comes to a place, and not what. */
function redacts({ path, after }: Difference, at: Pointer): boolean {
  return isWithin(at, path) && valueAt(after, at.slice(path.length)) === redacted;
}

/** Whether a difference is the one that the plan shows, as far as it shows it. */
function isSame(
  { field, unseen }: Pick<Part, 'field'> & Pick<Writing, 'unseen'>,
  { path, before, after }: FieldDifference,
  shown: Difference,
): boolean {
  // A plan shows the name beside an id, which is not sent.
  const toComparable = (value: Json) => (field.is === 'reference' ? comparable(field, value) : value);
  const agrees = (told: Json, value: Json) =>
    sameJson(toComparable(fillRedacted(told, value)), toComparable(value));
  return (
    path === shown.path &&
    agrees(shown.before, before) &&
    agrees(shown.after, after) &&
    !concealsMore(shown.after, redact(after, path, unseen.isSensitive) ?? null, before)
  );
}
