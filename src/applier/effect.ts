import { compareField } from '../kinds/compare.ts';
import {
  comparable,
  comparableRecord,
  foldName,
  isUnordered,
  itemsByText,
  sameItem,
  textOfItem,
} from '../kinds/field.ts';
import { type Field, fieldNamed, type Kind, type LiveObject } from '../kinds/kind.ts';
import { recordAgrees } from '../kinds/records.ts';
import { groupBy } from '../model/group.ts';
import { isArray, isObject, itemsOf, type Json, mapMembers, own, sameJson } from '../model/json.ts';
import type { Change, Difference } from '../model/plan.ts';
import { isWithin, type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import type { KindChange } from './find.ts';

const sides = ['before', 'after'] as const;

/** The state before a change, or the one after it. */
export type Side = (typeof sides)[number];

/**
 * The differences of a change whose `after` the live object does not show. Sensitive values and fields that the tenant
 * hides cannot be compared, so they are left out.
 */
export function unmetDifferences(entry: KindChange, live: LiveObject): Difference[] {
  const comparison = new Comparison(entry, live);
  return visibleDifferences(entry.change, live).filter(
    (difference) => !comparison.shows(difference, 'after'),
  );
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
  const comparison = new Comparison(entry, live);
  return visibleDifferences(entry.change, live).filter(
    (difference) => !sides.some((side) => comparison.shows(difference, side)),
  );
}

function visibleDifferences({ diff }: Change, live: LiveObject): Difference[] {
  return diff.filter(({ sensitive, path }) => !sensitive && !isHidden(path, live));
}

/** Whether a place is in what the tenant does not show of an object. */
export function isHidden(path: Pointer, live: LiveObject): boolean {
  return live.hidden.some((hidden) => isWithin(path, hidden));
}

/** Compares a live object with the differences of a change. */
export class Comparison {
  readonly #entry: KindChange;
  readonly #live: LiveObject;
  readonly #lists = new Map<string, LiveList>();
  readonly #values = new Map<string, Json>();

  constructor(entry: KindChange, live: LiveObject) {
    this.#entry = entry;
    this.#live = live;
  }

  /** Whether the object shows one side of a difference. */
  shows(difference: Difference, side: Side): boolean {
    const { kind, change } = this.#entry;
    const [name = '', ...below] = segmentsOf(difference.path);
    const part = kind.keyFields.findIndex((keyField) => keyField.name === name);
    if (part >= 0) return sameKeyPart(kind, part, difference[side], this.#live);
    const field = fieldNamed(kind, name);
    if (!field) return false;
    const value = own(this.#live.fields, name);
    const wanted = difference[side];
    if (below.length === 0) return sameField({ name, field, value, wanted }, this.#live);
    if (!isUnordered(field)) {
      const whole = computeOnce(this.#values, name, () => comparable(field, value));
      return sameMember(field, whole, pointer(...below), wanted);
    }
    const list = computeOnce(this.#lists, name, () => new LiveList(field, value));
    // The index of an added or removed item does not apply to the live list.
    if (below.length === 1) return list.has(difference.after ?? difference.before) === (wanted !== null);
    const members = membersOf(change, pointer(name, below[0] ?? ''));
    return list.items.some((item) => showsEntry(field, members, side, item));
  }
}

/** What was computed for a name before: a field may have thousands of differences. */
function computeOnce<T>(known: Map<string, T>, name: string, compute: () => T): T {
  const value = known.get(name) ?? compute();
  known.set(name, value);
  return value;
}

interface WantedField {
  readonly name: string;
  readonly field: Field;
  readonly value: Json | undefined;
  readonly wanted: Json;
}

function sameField({ name, field, value, wanted }: WantedField, live: LiveObject): boolean {
  const filled = fillRedacted(wanted, field.is === 'json' ? comparable(field, value) : value);
  return compareField(name, field, filled, value).every(({ path }) => isHidden(path, live));
}

/** A list without order of a live object: it may have thousands of items. */
class LiveList {
  readonly items: readonly Json[];
  readonly #field: Field;
  readonly #texts: ReadonlyMap<string, Json>;

  constructor(field: Field, value: Json | undefined) {
    this.items = itemsOf(value ?? null);
    this.#field = field;
    this.#texts = itemsByText(field, value);
  }

  /** Whether it has an item that a plan shows. */
  has(planned: Json): boolean {
    if (this.#texts.has(textOfItem(this.#field, planned))) return true;
    // Only these may be equal to an item with another text.
    const isPartial = this.#field.is === 'records' || holdsRedacted(planned);
    return isPartial && this.items.some((item) => sameEntry(this.#field, planned, item));
  }
}

function sameKeyPart(kind: Kind, part: number, wanted: Json, live: LiveObject): boolean {
  const has = live.key[part] ?? '';
  if (typeof wanted !== 'string') return false;
  return kind.keyFields[part]?.foldCase ? foldName(wanted) === foldName(has) : wanted === has;
}

/** Whether a live item of a list is the one that a plan shows. */
function sameEntry(field: Field, planned: Json, live: Json): boolean {
  const item = fillRedacted(planned, live);
  if (field.is !== 'records') return sameItem(field, item, live);
  return isObject(item) && isObject(live) ? recordAgrees(item, live, field) : sameJson(item, live);
}

/** The differences of one item of a list: the item itself, or members of a record. */
export interface Entry {
  readonly at: Pointer;
  readonly differences: readonly Difference[];
}

/** The differences of the list `name` by item. The index of one that was removed may be that of one that was added. */
export function entriesOf(diff: readonly Difference[], name: string): Entry[] {
  const isItem = ({ path }: Difference) => segmentsOf(path).length === 2;
  const members = diff.filter((difference) => !isItem(difference));
  return [
    ...diff.filter(isItem).map((difference) => ({ at: difference.path, differences: [difference] })),
    ...groupBy(members, ({ path }) => pointer(name, segmentsOf(path)[1] ?? '')).map(([at, differences]) => ({
      at,
      differences,
    })),
  ];
}

/** The differences of a record's members that can be compared: one live record has to show them all. */
function membersOf({ diff }: Change, at: Pointer): Entry {
  const isMember = ({ path, sensitive }: Difference) => !sensitive && path !== at && isWithin(path, at);
  return { at, differences: diff.filter(isMember) };
}

/** Whether an item of a list is one side of an entry. */
export function showsEntry(field: Field, { at, differences }: Entry, side: Side, item: Json): boolean {
  const record = field.is === 'records' && isObject(item) ? comparableRecord(item, field) : null;
  return differences.every(({ path, [side]: wanted }) => {
    if (path === at) return wanted !== null && sameEntry(field, wanted, item);
    const has = valueAt(record, path.slice(at.length)) ?? null;
    return record !== null && sameJson(has, fillRedacted(wanted, has));
  });
}

function sameMember(field: Field, value: Json, below: Pointer, planned: Json): boolean {
  const has = valueAt(value, below) ?? null;
  const wanted = fillRedacted(planned, has);
  if (sameJson(has, wanted)) return true;
  if (field.is !== 'json' || field.declares === 'whole' || !isObject(has) || !isObject(wanted)) return false;
  return compareField('', field, wanted, has).length === 0;
}

function holdsRedacted(value: Json): boolean {
  return value === redacted || itemsOf(value).some(holdsRedacted);
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
