import type { Sent } from '../client/answer.ts';
import type { Key } from '../model/address.ts';
import type { TenantName, TenantState } from '../model/live.ts';
import type { Request } from '../model/plan.ts';

export type { Sent };

/** The objects of one kind that a run touches; a renamed one stands with both its keys. */
export interface Touched {
  readonly kind: string;
  readonly keys: readonly Key[];
  readonly ids: readonly string[];
  /** Whether they are read to see what a write left. */
  readonly written?: boolean;
}

/** What an apply needs of a tenant. */
export interface TenantPort {
  readonly tenant: TenantName;
  /**
   * Sends a request, waiting and repeating as far as that is safe. Never rejects for what happens on the wire. After
   * `signal` no wait goes on and no repetition starts; a request that is on the wire is finished.
   */
  send(request: Request, options?: { readonly signal?: AbortSignal }): Promise<Sent>;
  /** These objects as they are now, with the vendor's defaults of them. Rejects with a Failure: never "absent". */
  read(touched: readonly Touched[]): Promise<TenantState>;
}
