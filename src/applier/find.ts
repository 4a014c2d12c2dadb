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

/** Finds what `state` shows for one change after the other; for hundreds, make it once. */
export function finderIn(state: TenantState): (entry: KindChange) => Found {
  const indexes = new Map<Kind, { readonly objects: Index; readonly defaults: Index }>();
  const indexOf = (kind: Kind) => {
    const index = indexes.get(kind) ?? {
      objects: new Index(kind, state.objects),
      defaults: new Index(kind, state.defaults),
    };
    indexes.set(kind, index);
    return index;
  };
  return ({ kind, change }) => {
    const { objects, defaults } = indexOf(kind);
    const keys = keysOf(kind, change);
    const [live = null, ...others] = objects.find(keys, change.id);
    const [standard = null] = defaults.find(keys, null);
    return { live, others, standard };
  };
}

/** The objects of one kind by key and by id. */
class Index {
  readonly #kind: Kind;
  readonly #byIdentity = new Map<string, LiveObject[]>();
  readonly #byId = new Map<string, LiveObject[]>();

  constructor(kind: Kind, objects: readonly LiveObject[]) {
    this.#kind = kind;
    for (const object of objects) {
      if (object.kind !== kind.name) continue;
      add(this.#byIdentity, identityOf(kind, object.key), object);
      if (object.id !== null) add(this.#byId, object.id, object);
    }
  }

  /** Every object that has one of the keys or the id, each once. */
  find(keys: readonly Key[], id: string | null): LiveObject[] {
    const named = keys.flatMap((key) => this.#byIdentity.get(identityOf(this.#kind, key)) ?? []);
    const pinned = id === null ? [] : (this.#byId.get(id) ?? []);
    return [...new Set([...named, ...pinned])];
  }
}

function add(map: Map<string, LiveObject[]>, name: string, object: LiveObject): void {
  const known = map.get(name);
  if (known) known.push(object);
  else map.set(name, [object]);
}

/** The objects of these changes, by kind: what has to be read to know where they stand. */
export function touchedBy(changes: readonly KindChange[]): Touched[] {
  const kinds = [...new Set(changes.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const mine = changes.filter((entry) => entry.kind === kind).map(({ change }) => change);
    return {
      kind: kind.name,
      keys: mine.flatMap((change) => keysOf(kind, change)),
      ids: mine.flatMap(({ id }) => (id === null ? [] : [id])),
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
