import type { JsonObject } from '../model/json.ts';
import { badRequest } from './api-error.ts';
import type { CollectionKind } from './collection-kind.ts';
import { type CollectionObject, idsHeld } from './collection-object.ts';
import type { TenantState } from './state.ts';

/** The part of a tenant that references lead through. */
interface Keeper {
  readonly state: TenantState;
  readonly kinds: ReadonlyMap<string, CollectionKind>;
}

/** What others refer to. */
interface Target {
  readonly id: string | null;
  readonly name?: unknown;
}

/** The objects that have endpoints of their own in the API documents. */
const documented = new Map<string, (state: TenantState) => readonly Target[]>([
  ['AuthProfile', (state) => state.authProfiles],
  ['SimIntegration', (state) => state.simIntegrations],
  ['NotificationTemplate', (state) => state.templates],
  ['SenderAddress', (state) => state.senders],
  ['VerifiedDomain', (state) => state.identities],
  ['ProfileSearch', (state) => state.profileSearches],
]);

/** The objects of a kind, to read and to change. */
export function objectsOf({ state }: Pick<Keeper, 'state'>, kind: string): CollectionObject[] {
  state.objects[kind] ??= [];
  return state.objects[kind];
}

/** The objects that ids lead to, as they are during one request. */
export class Targets {
  readonly #keeper: Keeper;
  readonly #found = new Map<string, ReadonlyMap<string | null, Target> | null>();

  constructor(keeper: Keeper) {
    this.#keeper = keeper;
  }

  /** The name of the object with that id; null if it has none, or is of a kind that the tenant does not serve. */
  nameOf(kind: string, id: string): string | null {
    const name = this.#ofKind(kind)?.get(id)?.name;
    return typeof name === 'string' ? name : null;
  }

  /** Throws a 400 for an id in `object` that no object has. Ids of kinds that the tenant does not serve are not checked. */
  check(kind: CollectionKind, object: JsonObject): void {
    for (const { to, id, at } of idsHeld(kind, object)) {
      const targets = this.#ofKind(to);
      if (targets && !targets.has(id)) throw badRequest(`${at}: there is no ${to} ${id}`);
    }
  }

  #ofKind(kind: string): ReadonlyMap<string | null, Target> | null {
    const known = this.#found.get(kind);
    if (known !== undefined) return known;
    const { state, kinds } = this.#keeper;
    const targets = kinds.has(kind) ? objectsOf({ state }, kind) : documented.get(kind)?.(state);
    const byId = targets ? new Map(targets.map((target) => [target.id, target])) : null;
    this.#found.set(kind, byId);
    return byId;
  }
}

/** Throws a 400 that names an object which holds the id of `object`, where there is one. */
export function refuseWhileReferredTo(kind: string, { id }: CollectionObject, keeper: Keeper): void {
  for (const other of keeper.kinds.values()) {
    for (const holder of objectsOf(keeper, other.name)) {
      const isItself = other.name === kind && holder.id === id;
      const held = idsHeld(other, holder).some((place) => place.to === kind && place.id === id);
      if (held && !isItself)
        throw badRequest(`${kind} ${id} is in use: ${other.name} ${holder.id} refers to it`);
    }
  }
  const user = keeper.state.simIntegrations.find(
    ({ sources, cluster }) =>
      (kind === 'Source' && sources.includes(id)) || (kind === 'Cluster' && cluster === id),
  );
  if (user) throw badRequest(`${kind} ${id} is in use: the integration "${user.name}" refers to it`);
}

/** The name of what integrations and rules refer to. */
export function referenceName({ references, objects }: TenantState, id: string): string | null {
  const all: readonly Target[] = [...references, ...Object.values(objects).flat()];
  const name = all.find((target) => target.id === id)?.name;
  return typeof name === 'string' ? name : null;
}
