import { compareField } from '../kinds/compare.ts';
import { isUnordered, itemsByText, sameValue, textOfItem, wholeField } from '../kinds/field.ts';
import { type Field, fieldNamed, type JsonField, type LiveObject } from '../kinds/kind.ts';
import { isMapOfSettings } from '../kinds/redact.ts';
import { itemsOf, type Json, own } from '../model/json.ts';
import type { Change, Difference } from '../model/plan.ts';
import { isWithin, type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import { Comparison, entriesOf, isHidden, type Side, showsEntry } from './effect.ts';
import type { KindChange } from './find.ts';

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
 * it are secret or hidden, it cannot be compared. A change of the whole list has been compared with all its items.
 */
function itemsBeside(entry: KindChange, { name, field, live, was }: Part<Field>): Beside[] {
  const path = pointer(name);
  const asked = entry.change.diff.filter((difference) => isWithin(difference.path, path));
  const comparison = new Comparison(entry, live);
  const isReached = (difference: Difference) =>
    difference.path !== path && !difference.sensitive && comparison.shows(difference, 'after');
  if (!asked.every(isReached) || live.hidden.some((hidden) => isWithin(hidden, path))) return [];
  const entries = entriesOf(asked, name);
  const [old, now] = [itemsByText(field, was), itemsByText(field, own(live.fields, name))];
  const hasOthers = (list: typeof old, others: typeof old, side: Side) => {
    const items = asked.map(({ [side]: item }) => item).filter((item) => item !== null);
    const shown = new Set(items.map((item) => textOfItem(field, item)));
    return [...list].some(
      ([text, item]) =>
        !others.has(text) && !shown.has(text) && !entries.some((each) => showsEntry(field, each, side, item)),
    );
  };
  const made = (did: Beside['did'], what: string): Beside => ({ did, what, path, isDeclared: true });
  return [
    ...(hasOthers(now, old, 'after') ? [made('added', `items to ${path}`)] : []),
    ...(hasOthers(old, now, 'before') ? [made('removed', `items from ${path}`)] : []),
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
