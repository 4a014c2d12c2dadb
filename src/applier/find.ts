import type { Kind } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live.ts';
import type { Key } from '../model/address.ts';
import type { LiveObject, TenantState } from '../model/live.ts';
import type { Change } from '../model/plan.ts';
import { pointer } from '../model/pointer.ts';
import type { Touched } from './port.ts';

/** What a reading of the tenant shows for one change. Of several live objects none can be told to be the one. */
export interface Found {
  readonly live: LiveObject | null;
  readonly others: readonly LiveObject[];
  /** The vendor's default of the object. */
  readonly standard: LiveObject | null;
}

/** A change together with its kind. */
export interface KindChange {
  readonly kind: Kind;
  readonly change: Change;
}

export function findObject(state: TenantState, { kind, change }: KindChange): Found {
  const wanted = new Set(keysOf(kind, change).map((key) => identityOf(kind, key)));
  const matches = (object: LiveObject) =>
    object.kind === kind.name && wanted.has(identityOf(kind, object.key));
  const isPinned = (object: LiveObject) =>
    object.kind === kind.name && change.id !== null && object.id === change.id;
  const [live = null, ...others] = state.objects.filter((object) => matches(object) || isPinned(object));
  return { live, others, standard: state.defaults.find(matches) ?? null };
}

/** The objects of these changes, by kind: what has to be read to know where they stand. */
export function touchedBy(changes: readonly KindChange[]): Touched[] {
  const kinds = [...new Set(changes.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const mine = changes.filter((entry) => entry.kind === kind).map(({ change }) => change);
    return {
      kind: kind.name,
      keys: mine.flatMap((change) => keysOf(kind, change)),
      // Where keys never change they are enough, and a list can be asked for just these.
      ids: kind.pinnable || kind.renamable ? mine.flatMap(({ id }) => (id === null ? [] : [id])) : [],
    };
  });
}

/** The change's key, and for a rename the key the object has until then. */
function keysOf(kind: Kind, change: Change): Key[] {
  const before = keyBefore(kind, change);
  return before ? [change.key, before] : [change.key];
}

/** The key that the object of a rename has before it; `null` where the change is none. */
export function keyBefore(kind: Kind, change: Change): Key | null {
  const before = change.key.map((part, at) => {
    const name = kind.keyFields[at]?.name;
    const renamed = name === undefined ? undefined : change.diff.find(({ path }) => path === pointer(name));
    return typeof renamed?.before === 'string' ? renamed.before : part;
  });
  return before.every((part, at) => part === change.key[at]) ? null : before;
}
