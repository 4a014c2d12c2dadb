import type { Request } from '../model/plan.ts';

/** What a request is called in events: never a body, never a header. */
export interface RequestName {
  readonly method: Request['method'];
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Everything that happens while a tenant is talked to, for a progress line and the traffic log. */
export type ClientEvent =
  | { readonly type: 'request-started'; readonly request: RequestName; readonly attempt: number }
  | {
      readonly type: 'request-finished';
      readonly request: RequestName;
      readonly attempt: number;
      readonly ms: number;
      /** The status, or what became of a request that was not answered. */
      readonly result: number | 'lost' | 'unsent';
      readonly detail: string | null;
      readonly trackingId: string | null;
    }
  /** Requests of an API version wait for the tenant's rate limit. */
  | { readonly type: 'rate-limit-wait'; readonly version: string; readonly ms: number }
  | {
      readonly type: 'retrying';
      readonly request: RequestName;
      readonly attempt: number;
      readonly ms: number;
      readonly reason: string;
    }
  | { readonly type: 'token-fetched'; readonly tokenUrl: string };
