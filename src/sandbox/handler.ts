import type { Json } from '../model/json.ts';
import { notFound } from './api-error.ts';
import type { DescribedKind } from './described-kind.ts';
import type { OperationName } from './operations.ts';
import type { Query } from './query.ts';
import type { TenantState } from './state.ts';
import type { Variations } from './variations.ts';

/** The tenant as handlers read and change it. */
export interface Tenant {
  readonly state: TenantState;
  /** The kinds that descriptors describe, by name. */
  readonly kinds: ReadonlyMap<string, DescribedKind>;
  readonly variations: Variations;
  /** The largest page of the lists of the notification interface. */
  readonly pageLimit: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The current time in ISO 8601, UTC. */
  readonly timestamp: () => string;
}

/** A request that has passed the checks of its operation. */
export interface Call {
  readonly params: ReadonlyMap<string, string>;
  readonly query: Query;
  /** null if the operation has no body. */
  readonly body: Json;
}

/** An answer. `changed`: the tenant was changed. */
export interface Reply {
  readonly status: number;
  /** undefined: an empty body. */
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly changed?: boolean;
}

/** Does the work of one operation. Throws `ApiError` or `ShapeError` to refuse it, before it changes anything. */
export type Handler = (call: Call, tenant: Tenant) => Reply;

/** Handlers by the documented name of their operation. */
export type Handlers = Readonly<Partial<Record<OperationName, Handler>>>;

/** The answer 200 with `body`, after a read. */
export const okRead = (body: Json): Reply => ({ status: 200, body });

/** The answer 200 with `body`, after a write. */
export const okWrite = (body: Json): Reply => ({ status: 200, body, changed: true });

/** The answer 204, after a write. */
export const noContent: Reply = { status: 204, changed: true };

/** The value of a path segment. */
export function param(call: Call, name: string): string {
  return call.params.get(name) ?? '';
}

/** The record whose id is in the path. Throws a 404 that calls it a `noun`. */
export function findById<T extends { id: string | null }>(
  records: readonly T[],
  call: Call,
  noun: string,
): T {
  const id = param(call, 'id');
  const found = records.find((record) => record.id === id);
  if (found === undefined) throw notFound(`There is no ${noun} ${id}`);
  return found;
}

/** Removes the record that {@link findById} finds in one of the lists of `state`. */
export function deleteById<T extends { id: string | null }>(
  records: T[],
  call: Call,
  noun: string,
  state: TenantState,
): Reply {
  records.splice(records.indexOf(findById(records, call, noun)), 1);
  state.generation += 1;
  return noContent;
}
