import { compareField, type FieldDifference } from '../kinds/compare.ts';
import {
  comparable,
  comparableRecord,
  isUnordered,
  sameItem,
  sameValue,
  wholeField,
} from '../kinds/field.ts';
import {
  type Field,
  fieldNamed,
  type JsonField,
  type Kind,
  type LiveObject,
  type RecordsField,
} from '../kinds/kind.ts';
import { recordAgrees } from '../kinds/records.ts';
import { isMapOfSettings } from '../kinds/redact.ts';
import {
  isArray,
  isObject,
  itemsOf,
  type Json,
  mapMembers,
  objectsIn,
  own,
  sameJson,
} from '../model/json.ts';
import type { Change, Difference } from '../model/plan.ts';
import { isWithin, type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import type { KindChange } from './find.ts';

type Side = 'before' | 'after';

/**
 * The differences of a change whose `after` the live object does not show. Sensitive values and fields that the tenant
 * hides cannot be compared, so they are left out.
 */
export function unmetDifferences(entry: KindChange, live: LiveObject): Difference[] {
  return visibleDifferences(entry.change, live).filter(
    (difference) => !agrees(entry, live, difference, 'after'),
  );
}

/** What an object has lost or gained although its change does not show it. */
export interface Beside {
  readonly did: 'added' | 'removed';
  readonly what: string;
  readonly path: Pointer;
  /** Whether it differs from what manifests declare: the next plan shows it. */
  readonly isDeclared: boolean;
}

/**
 * The members and items that an object has lost or gained although the change does not show them, in the fields that it is
 * about: a tenant may replace what it was asked to merge, and may add to what was declared. What the tenant hides is left
 * out.
 *
 * @param before the object before an update; `null` for one that was created
 */
export function partsBeside(entry: KindChange, live: LiveObject, before: LiveObject | null): Beside[] {
  const names = new Set(entry.change.diff.map(({ path }) => segmentsOf(path)[0] ?? ''));
  const isSeen = ({ path }: Beside) => ![live, before].some((side) => side && isHidden(path, side));
  return [...names]
    .flatMap((name) => {
      const field = fieldNamed(entry.kind, name);
      const was = own(before?.fields ?? {}, name);
      if (field?.is === 'json') return membersBeside(entry.change, { name, field, live, was });
      return field && isUnordered(field) ? itemsBeside(entry, { name, field, live, was }) : [];
    })
    .filter(isSeen);
}

/** A field of an object that a change is about, with its value before. */
interface Part<F extends Field> {
  readonly name: string;
  readonly field: F;
  readonly live: LiveObject;
  readonly was: Json | undefined;
}

/** Members without a value do not count, since hosts answer them in several ways. */
function membersBeside({ diff }: Change, { name, field, live, was }: Part<JsonField>): Beside[] {
  const isShown = (at: Pointer) => diff.some(({ path }) => isWithin(at, path) || isWithin(path, at));
  return compareField(name, wholeField(field), own(live.fields, name) ?? null, was).flatMap(
    ({ path, op, before, after }): Beside[] => {
      if (isShown(path)) return [];
      // No manifest declares what is lost: it would be in the change, or is left to the tenant.
      if (op === 'remove' && hasValue(before))
        return [{ did: 'removed', what: path, path, isDeclared: false }];
      // What is left out of a map that is declared by member is left to the tenant.
      const isGained = op === 'add' && field.declares === 'whole' && hasValue(after);
      return isGained ? [{ did: 'added', what: path, path, isDeclared: true }] : [];
    },
  );
}

/**
 * Items of a list. Where it does not show the change itself, they are other spellings of what was asked for; where parts of
 * it are secret or hidden, it cannot be compared.
 */
function itemsBeside(entry: KindChange, { name, field, live, was }: Part<Field>): Beside[] {
  const path = pointer(name);
  const asked = entry.change.diff.filter((difference) => isWithin(difference.path, path));
  const isReached = (difference: Difference) =>
    !difference.sensitive && agrees(entry, live, difference, 'after');
  if (!asked.every(isReached) || live.hidden.some((hidden) => isWithin(hidden, path))) return [];
  const isShown = (found: FieldDifference) =>
    asked.some(
      ({ op, before, after }) =>
        op === found.op && sameEntry(field, before ?? after, found.before ?? found.after),
    );
  const found = compareField(name, field, own(live.fields, name) ?? null, was)
    // Those of a record's members are about a record that both have.
    .filter((difference) => segmentsOf(difference.path).length === 2 && !isShown(difference));
  const made = (did: Beside['did'], what: string): Beside => ({ did, what, path, isDeclared: true });
  return [
    ...(found.some(({ op }) => op === 'add') ? [made('added', `items to ${path}`)] : []),
    ...(found.some(({ op }) => op === 'remove') ? [made('removed', `items from ${path}`)] : []),
  ];
}

/**
 * The fields in which an object differs from what it was before an update although the change is not about them: the tenant
 * set them, or somebody edited the object meanwhile. Maps of settings and what the tenant hides are left out.
 */
export function fieldsBeside({ kind, change }: KindChange, live: LiveObject, before: LiveObject): Pointer[] {
  const asked = new Set(change.diff.map(({ path }) => segmentsOf(path)[0]));
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const at = pointer(name);
    const [now, was] = [own(live.fields, name), own(before.fields, name)];
    const isCompared = now !== undefined && was !== undefined && !isMapOfSettings(field);
    if (!isCompared || asked.has(name) || isHidden(at, live) || isHidden(at, before)) return [];
    return sameValue(field, now, was) ? [] : [at];
  });
}

function hasValue(value: Json): boolean {
  return typeof value === 'object' ? itemsOf(value).length > 0 : value !== '';
}

/** Whether the tenant left the value of a difference unchanged. */
export function isUnchanged(entry: KindChange, live: LiveObject, difference: Difference): boolean {
  return agrees(entry, live, difference, 'before');
}

/**
 * Whether the live object shows the effect of the change, as far as it can be compared.
 *
 * @param except differences that the tenant is known to ignore or rewrite
 */
export function hasEffect(
  entry: KindChange,
  live: LiveObject | null,
  except: readonly Pointer[] = [],
): boolean {
  if (entry.change.action === 'delete') return live === null;
  if (live === null) return false;
  return unmetDifferences(entry, live).every(({ path }) => except.includes(path));
}

/** Whether each difference is as before or as after: none or some of the change's requests were carried out. */
export function isInProgress(entry: KindChange, live: LiveObject | null): boolean {
  if (live === null || entry.change.action === 'delete') return false;
  return foreignDifferences(entry, live).length === 0;
}

/** The differences of a change that the live object shows neither as before nor as after. */
export function foreignDifferences(entry: KindChange, live: LiveObject): Difference[] {
  return visibleDifferences(entry.change, live).filter(
    (difference) => !agrees(entry, live, difference, 'after') && !agrees(entry, live, difference, 'before'),
  );
}

function visibleDifferences({ diff }: Change, live: LiveObject): Difference[] {
  return diff.filter(({ sensitive, path }) => !sensitive && !isHidden(path, live));
}

function isHidden(path: Pointer, live: LiveObject): boolean {
  return live.hidden.some((hidden) => isWithin(path, hidden));
}

/** Whether the live object shows one side of a difference. */
function agrees({ kind, change }: KindChange, live: LiveObject, difference: Difference, side: Side): boolean {
  const [name = '', ...below] = segmentsOf(difference.path);
  const part = kind.keyFields.findIndex((keyField) => keyField.name === name);
  if (part >= 0) return sameKeyPart(kind, part, difference[side], live);
  const field = fieldNamed(kind, name);
  if (!field) return false;
  const value = own(live.fields, name);
  if (below.length === 0) {
    const wanted = fillRedacted(difference[side], field.is === 'json' ? comparable(field, value) : value);
    return compareField(name, field, wanted, value).every(({ path }) => isHidden(path, live));
  }
  switch (field.is) {
    case 'set':
    case 'references':
      return hasItem(value ?? null, difference, side, field);
    case 'records':
      return below.length === 1
        ? hasItem(value ?? null, difference, side, field)
        : hasRecord({ change, field }, difference, side, value ?? null);
    default:
      return sameMember(field, comparable(field, value), pointer(...below), difference[side]);
  }
}

function sameKeyPart(kind: Kind, part: number, wanted: Json, live: LiveObject): boolean {
  const has = live.key[part] ?? '';
  if (typeof wanted !== 'string') return false;
  return kind.keyFields[part]?.foldCase ? wanted.toLowerCase() === has.toLowerCase() : wanted === has;
}

/** A list's difference is one added or removed item; its index does not apply to the live list. */
function hasItem(list: Json, difference: Difference, side: Side, field: Field): boolean {
  const item = difference.after ?? difference.before;
  const isWanted = difference[side] !== null;
  return itemsOf(list).some((other) => sameEntry(field, item, other)) === isWanted;
}

/** Whether a live item of a list is the one that a plan shows. */
function sameEntry(field: Field, planned: Json, live: Json): boolean {
  const item = fillRedacted(planned, live);
  if (field.is !== 'records') return sameItem(field, item, live);
  return isObject(item) && isObject(live) ? recordAgrees(item, live, field) : sameJson(item, live);
}

interface RecordChange extends Pick<KindChange, 'change'> {
  readonly field: RecordsField;
}

/** Whether one live record shows all the members that differ in the record of `difference`. */
function hasRecord({ change, field }: RecordChange, difference: Difference, side: Side, list: Json): boolean {
  const [name = '', at = ''] = segmentsOf(difference.path);
  const record = pointer(name, at);
  const members = change.diff
    .filter(({ path, sensitive }) => !sensitive && path !== record && isWithin(path, record))
    .map((other) => ({ below: other.path.slice(record.length), wanted: other[side] }));
  return objectsIn(list).some((row) => {
    const live = comparableRecord(row, field);
    return members.every(({ below, wanted }) => {
      const has = valueAt(live, below) ?? null;
      return sameJson(has, fillRedacted(wanted, has));
    });
  });
}

function sameMember(field: Field, value: Json, below: Pointer, planned: Json): boolean {
  const has = valueAt(value, below) ?? null;
  const wanted = fillRedacted(planned, has);
  if (sameJson(has, wanted)) return true;
  if (field.is !== 'json' || field.declares === 'whole' || !isObject(has) || !isObject(wanted)) return false;
  return compareField('', field, wanted, has).length === 0;
}

/** A redacted part of a larger value cannot be compared, so the live value takes its place, or nothing where there is none. */
export function fillRedacted(wanted: Json, has: Json | undefined): Json {
  if (wanted === redacted) return has ?? null;
  if (isArray(wanted))
    return wanted.map((item, at) => fillRedacted(item, isArray(has) ? has[at] : undefined));
  if (!isObject(wanted)) return wanted;
  return mapMembers(wanted, (item, name) => {
    const value = isObject(has) ? own(has, name) : undefined;
    return item === redacted ? value : fillRedacted(item, value);
  });
}
