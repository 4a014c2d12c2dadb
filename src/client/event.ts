import type { Request } from '../model/plan.ts';

/** A request in events: without body and headers. */
export type RequestName = Pick<Request, 'method' | 'path' | 'query'>;

/** What happens between client and tenant, for a progress line and the traffic log. */
export type ClientEvent =
  | { readonly type: 'request-started'; readonly request: RequestName; readonly attempt: number }
  | {
      readonly type: 'request-finished';
      readonly request: RequestName;
      readonly attempt: number;
      readonly ms: number;
      /** The status, or the outcome of a request without an answer. */
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
