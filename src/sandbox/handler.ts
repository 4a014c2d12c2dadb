import type { Json } from '../model/json.ts';
import type { Query } from './query.ts';
import type { TenantState } from './state.ts';
import type { Variations } from './variations.ts';

/** The tenant as handlers read and change it. */
export interface Tenant {
  readonly state: TenantState;
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

/** The answer 200 with `body`, after a read. */
export const okRead = (body: Json): Reply => ({ status: 200, body });

/** The answer 200 with `body`, after a write. */
export const okWrite = (body: Json): Reply => ({ status: 200, body, changed: true });

/** The value of a path segment. */
export function param(call: Call, name: string): string {
  return call.params.get(name) ?? '';
}
