import { kindNamed } from '../kinds/index.ts';
import { identityOf, identityOfObject } from '../kinds/live.ts';
import { type Address, type Key, matchAddresses } from '../model/address.ts';
import type { LiveName, LiveObject } from '../model/live.ts';
import type { Pointer } from '../model/pointer.ts';
import type { Resource } from '../model/resource.ts';
import { equalityOf } from './change.ts';
import type { PlanInput } from './index.ts';
import { scopeFilter } from './scope.ts';

/** An object of the tenant of which a plan keeps no more than the name: it is as declared, or none of its business. */
export class NamedObject implements LiveName {
  readonly kind: string;
  readonly key: Key;
  readonly address: Address;
  readonly id: string | null;
  /** The declaration that all of it is equal to, by its digest; `null` where there is none, or not all of it is shown. */
  readonly equalTo: string | null;
  /** Declared places that the tenant does not show. */
  readonly notComparable: readonly Pointer[];

  constructor(
    { kind, key, address, id }: LiveName,
    { equalTo, notComparable }: Pick<NamedObject, 'equalTo' | 'notComparable'>,
  ) {
    this.kind = kind;
    this.key = key;
    this.address = address;
    this.id = id;
    this.equalTo = equalTo;
    this.notComparable = notComparable;
  }
}

/** An object of the tenant as a plan keeps it. */
export type Kept = LiveObject | NamedObject;

type KeeperInput = Pick<PlanInput, 'resources' | 'previous' | 'environment' | 'secrets' | 'choices'>;

/**
 * What a plan keeps of an object, told as soon as it arrives: of all that are as declared, and of those that nothing can
 * become of, the names. So the tenant's texts need not all be held until the last of them is there.
 *
 * @param open the resources that cannot be compared yet, since lookups in them are not filled
 */
export function keeperFor(input: KeeperInput, open: ReadonlySet<Resource>): (live: LiveObject) => Kept {
  const { resources, previous, choices, environment } = input;
  const [now, then] = [new Claims(resources), new Claims(previous ?? [])];
  const inScope = scopeFilter(choices.scope);
  const pruned = new Set(choices.scope.prune ? environment.policy.prune.kinds : []);
  const find = equalityFinder(input);
  return (live) => {
    const [resource, ...others] = now.on(live);
    if (!resource) return pruned.has(live.kind) || then.on(live).length > 0 ? live : nameOf(live);
    if (others.length > 0) return live;
    // What is declared is not deleted, and outside the scope it is not compared either.
    if (!inScope(resource.address)) return nameOf(live);
    return open.has(resource) ? live : (find(resource, live) ?? live);
  };
}

/** Gives the name of an object that is as declared, else `null`. */
function equalityFinder({ environment, secrets, choices }: KeeperInput) {
  const { settings } = environment;
  const isRotated = matchAddresses(choices.rotate);
  return (resource: Resource, live: LiveObject): NamedObject | null => {
    const { address, ensure, digest } = resource;
    // One that has another name yet, or is spelled another way, may change it.
    if (ensure === 'absent' || live.address !== address) return null;
    const match = { kind: kindNamed(live.kind), resource, live };
    const rotate = isRotated(address);
    const notComparable = equalityOf(match, { settings, secrets, rotate });
    if (!notComparable) return null;
    return new NamedObject(live, { equalTo: notComparable.length === 0 ? digest : null, notComparable });
  };
}

/** The resources that stand for an object, each by the id it pins or by its key, and by the key it is renamed from. */
class Claims {
  readonly #byKey = new Map<string, Resource[]>();
  readonly #byId = new Map<string, Resource[]>();

  constructor(resources: readonly Resource[]) {
    for (const resource of resources) {
      const kind = kindNamed(resource.kind);
      const { renamedFrom } = resource.lifecycle;
      if (resource.id !== null) add(this.#byId, idName(resource), resource);
      else add(this.#byKey, identityOfObject(kind, resource), resource);
      if (renamedFrom) add(this.#byKey, identityOf(kind, renamedFrom), resource);
    }
  }

  on(live: LiveName): readonly Resource[] {
    const byKey = this.#byKey.get(identityOfObject(kindNamed(live.kind), live)) ?? [];
    const byId = this.#byId.size > 0 ? this.#byId.get(idName(live)) : undefined;
    return byId ? [...new Set([...byKey, ...byId])] : byKey;
  }
}

function add(map: Map<string, Resource[]>, name: string, resource: Resource): void {
  const known = map.get(name);
  if (known) known.push(resource);
  else map.set(name, [resource]);
}

function idName({ kind, id }: Pick<LiveName, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

function nameOf(live: LiveObject): NamedObject {
  return new NamedObject(live, { equalTo: null, notComparable: [] });
}

/** The declaration that the object of an address was found to be equal to, by its digest; `null` where there is none. */
export function equalTo(objects: readonly Kept[]): (address: Address) => string | null {
  const digests = new Map(
    objects.flatMap((object): [Address, string][] =>
      object instanceof NamedObject && object.equalTo !== null ? [[object.address, object.equalTo]] : [],
    ),
  );
  return (address) => digests.get(address) ?? null;
}

/** An object that is to be changed or deleted. Throws a TypeError where only its name was kept, which is a mistake here. */
export function wholeObject(object: Kept): LiveObject {
  if (!(object instanceof NamedObject)) return object;
  throw new TypeError(`${object.address} was not kept, and is asked for all the same.`);
}
