import { kindNamed } from '../kinds/index.ts';
import type { Kind } from '../kinds/kind.ts';
import { identityOf, identityOfObject } from '../kinds/live.ts';
import { type Address, formatAddress, type Key } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import type { LiveName, LiveObject } from '../model/live.ts';
import type { Resource } from '../model/resource.ts';
import type { Kept } from './keep.ts';

/** A declared object, and the live one it stands for. */
export interface Match<Live extends LiveName = Kept> {
  readonly kind: Kind;
  readonly resource: Resource;
  readonly live: Live | null;
}

/** A match that is compared. */
export type WholeMatch = Match<LiveObject>;

/** The live objects of a tenant, findable by key and by id. */
export class LiveIndex<Live extends LiveName> {
  readonly #byIdentity = new Map<string, Live>();
  readonly #byId = new Map<string, Live>();

  constructor(objects: readonly Live[]) {
    for (const object of objects) {
      this.#byIdentity.set(identityOfObject(kindNamed(object.kind), object), object);
      if (object.id !== null) this.#byId.set(`${object.kind}/${object.id}`, object);
    }
  }

  byKey(kind: Kind, key: Key): Live | null {
    return this.#byIdentity.get(identityOf(kind, key)) ?? null;
  }

  /** The object with the key of the resource. */
  byKeyOf(kind: Kind, resource: Resource): Live | null {
    return this.#byIdentity.get(identityOfObject(kind, resource)) ?? null;
  }

  byId(kind: Kind, id: string): Live | null {
    return this.#byId.get(`${kind.name}/${id}`) ?? null;
  }
}

/**
 * Every resource with its live object: the one it pins by id, the one with its key, or the one it is renamed from.
 * Throws a Failure with all the pinned ids that do not exist: creating a second object is never what was meant.
 */
export function matchResources(resources: readonly Resource[], index: LiveIndex<Kept>): Match[] {
  const matches = resources.map((resource) => matchOne(resource, index));
  const problems = matches.flatMap(({ resource, live }) =>
    resource.id !== null && !live && resource.ensure === 'present' ? [unknownId(resource, resource.id)] : [],
  );
  if (problems.length > 0) throw new Failure(problems);
  return matches;
}

function matchOne(resource: Resource, index: LiveIndex<Kept>): Match {
  const kind = kindNamed(resource.kind);
  if (resource.id !== null) return { kind, resource, live: index.byId(kind, resource.id) };
  const { renamedFrom } = resource.lifecycle;
  const live = index.byKeyOf(kind, resource) ?? (renamedFrom ? index.byKey(kind, renamedFrom) : null);
  return { kind, resource, live };
}

/** Whether the live object has to change its key to become the declared one. */
export function isRename({ kind, resource, live }: Match): boolean {
  if (!live || live.address === resource.address) return false;
  if (identityOf(kind, live.key) === identityOf(kind, resource.key)) return false;
  // A nameless object goes by its id: there is no name to change.
  return live.key[0] !== live.id;
}

/**
 * What there is to say of renames that do not happen: a slip in the old name makes a second object, or leaves one behind.
 * A rename that was done before needs no word.
 */
export function missedRenames(matches: readonly Match[], index: LiveIndex<Kept>): Diagnostic[] {
  return matches.flatMap(({ kind, resource, live }) => {
    const { renamedFrom } = resource.lifecycle;
    if (!renamedFrom || resource.id !== null || resource.ensure === 'absent') return [];
    const former = index.byKey(kind, renamedFrom);
    if (live && (!former || former === live)) return [];
    return [missedRename(resource, formatAddress(kind.name, renamedFrom), live)];
  });
}

function missedRename(resource: Resource, former: Address, live: LiveName | null): Diagnostic {
  const { address } = resource;
  return {
    code: 'not-renamed',
    severity: 'warning',
    message: live
      ? `${address} exists, so that ${former} is not renamed to it and stays.`
      : `The tenant has no ${former} to rename, so that ${address} is created.`,
    hint: live
      ? 'Remove `renamedFrom`, and declare the old object with `ensure: absent` if it is to go.'
      : 'Correct `renamedFrom`, or remove it if the object is a new one.',
    source: resource.locate('/lifecycle/renamedFrom'),
    address,
  };
}

function unknownId(resource: Resource, id: string): Diagnostic {
  return {
    code: 'unknown-id',
    severity: 'error',
    message: `The tenant has no ${resource.kind} with the id "${id}" that this manifest pins.`,
    hint: 'Correct the id, or remove it to match by name.',
    source: resource.locate('/id'),
    address: resource.address,
  };
}
