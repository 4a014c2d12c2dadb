import type { Json } from '../model/json.ts';
import type { Query } from './query.ts';
import type { TenantState } from './state.ts';
import type { Variations } from './variations.ts';

/** What handlers know of the tenant they change. */
export interface Tenant {
  readonly state: TenantState;
  readonly variations: Variations;
  /** The largest page of the notification interface's lists. */
  readonly pageLimit: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** An ISO 8601 UTC timestamp. */
  readonly timestamp: () => string;
}

/** A request that has passed the checks of its operation's row. */
export interface Call {
  readonly params: ReadonlyMap<string, string>;
  readonly query: Query;
  /** null where the operation has no body. */
  readonly body: Json;
}

/** An answer; `changed` when the tenant was changed by it. */
export interface Reply {
  readonly status: number;
  /** undefined: an empty body. */
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly changed?: boolean;
}

export type Handler = (call: Call, tenant: Tenant) => Reply;

/** The answer 200 with `body`. */
export const ok = (body: Json): Reply => ({ status: 200, body });

/** The answer 200 with `body`, after a write. */
export const written = (body: Json): Reply => ({ status: 200, body, changed: true });

/** The value of a path segment. */
export function param(call: Call, name: string): string {
  return call.params.get(name) ?? '';
}
