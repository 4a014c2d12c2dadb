import { anyJson, isSameInPlace, itemTextAt } from '../kinds/field.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import type { Secrets } from '../kinds/project.ts';
import { get, isArray, isObject, type Json, type JsonObject, mapMembers } from '../model/json.ts';
import { livePlace, secretName, secretPlaces } from '../model/marker.ts';
import { type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';

export interface UnseenPolicy {
  /** Tell whether a declared secret equals the tenant's value, so that it may stay; `null`: all do. */
  readonly secrets: Pick<Secrets, 'matches'> | null;
  /**
   * Whether values stay as they are that the tenant does not show, or that equal a secret: all or none, or those at these places.
   * In a plan, all do, unless `--rotate` asks for the others to be written.
   */
  readonly left: boolean | readonly Pointer[];
}

type Shown = Pick<LiveObject, 'fields' | 'hidden'>;

/**
 * Unchanged values are replaced by the live ones. `notComparable`: places of the manifest that the tenant does not show;
 * `left`: those of the tenant that stay.
 */
export function assumeUnseen(kind: Kind, declared: JsonObject, shown: Shown, unseen: UnseenPolicy) {
  const nothing = { notComparable: [], left: [] };
  if (shown.hidden.length === 0 && secretPlaces(declared).length === 0)
    return { fields: declared, ...nothing };
  const walk: Walk = { kind, shown, unseen, ...nothing };
  const fields = mapMembers(declared, (value, name) =>
    assume(value, { at: pointer(name), from: pointer(name) }, walk),
  );
  return { fields, notComparable: walk.notComparable, left: walk.left };
}

interface Walk {
  readonly kind: Kind;
  readonly shown: Shown;
  readonly unseen: UnseenPolicy;
  readonly notComparable: Pointer[];
  readonly left: Pointer[];
}

/** A place of the manifest, and that of the tenant which it is compared with. `isNew`: the tenant has nothing there. */
interface Spot {
  readonly at: Pointer;
  readonly from: Pointer;
  readonly isNew?: boolean;
}

function assume(value: Json, { at, from, isNew = false }: Spot, walk: Walk): Json | undefined {
  const { kind, shown, unseen, notComparable, left } = walk;
  const current = valueAt(shown.fields, from);
  if (livePlace(value) !== null) return current;
  const name = secretName(value);
  const isLeft = unseen.left === true || (unseen.left !== false && unseen.left.includes(from));
  if (value !== null && !isNew && isHidden(shown, from, name) && isLeft) {
    notComparable.push(at);
    left.push(from);
    return current;
  }
  if (name !== null) {
    const isShown = (text: string) => isSameInPlace(kind, shown.fields, from, text);
    const mayStay = current !== undefined && current !== null && isLeft;
    if (!mayStay || unseen.secrets?.matches(name, isShown) === false) return value;
    left.push(from);
    return current;
  }
  const below = (step: string | number): Spot => ({
    at: at + pointer(step),
    from: from + pointer(step),
    // A tenant hides the values of items, but not the items: what is behind the last one is new.
    isNew: isArray(value) && Number(step) >= (isArray(current) ? current.length : 0),
  });
  const [field, ...inside] = segmentsOf(at);
  const textOf = isArray(value)
    ? itemTextAt(get(kind.fields, field ?? '') ?? anyJson, pointer(...inside))
    : null;
  if (isArray(value) && textOf) return assumeItems(value, textOf, { at, from }, walk);
  if (isArray(value)) return value.map((item, index) => assume(item, below(index), walk) ?? null);
  return isObject(value) ? mapMembers(value, (item, member) => assume(item, below(member), walk)) : value;
}

/** Items without order have no fixed place: each matches a live item that it equals, as far as the tenant shows. */
function assumeItems(items: readonly Json[], textOf: (item: Json) => string, list: Spot, walk: Walk) {
  const current = valueAt(walk.shown.fields, list.from) ?? null;
  const open = new Map((isArray(current) ? current : []).map((shown, index) => [index, textOf(shown)]));
  const isShown = items.map((item) => {
    const text = textOf(item);
    const [index] = [...open].find(([, shown]) => shown === text) ?? [];
    return index !== undefined && open.delete(index);
  });
  return items.map((item, index) => {
    if (isShown[index]) return item;
    for (const [other, shown] of open) {
      const spot = { at: list.at + pointer(index), from: list.from + pointer(other) };
      // A value that stays as it is names its place.
      if ((livePlace(item) ?? spot.from) !== spot.from) continue;
      const tried: Walk = { ...walk, notComparable: [], left: [] };
      const assumed = assume(item, spot, tried);
      if (assumed === undefined || textOf(assumed) !== shown) continue;
      open.delete(other);
      walk.notComparable.push(...tried.notComparable);
      walk.left.push(...tried.left);
      return assumed;
    }
    return item;
  });
}

/** Whether the tenant probably has a hidden value at the place. */
function isHidden({ fields, hidden }: Shown, at: Pointer, secret: string | null): boolean {
  if (hidden.includes(at)) return true;
  if (secret === null || (valueAt(fields, at) ?? null) !== null) return false;
  // A secret in an object that the tenant does not have is new with it, and not hidden.
  const holder = segmentsOf(at).slice(0, -1);
  return holder.length < 2 || (valueAt(fields, pointer(...holder)) ?? null) !== null;
}
