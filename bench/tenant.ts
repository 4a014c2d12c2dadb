/** How tenants are generated; the server gets it as its only argument, in JSON. */
export interface TenantOptions {
  /** How many of them, all alike. */
  readonly tenants: number;
  /** Customised templates. */
  readonly templates: number;
  /** Service-desk integrations. */
  readonly integrations: number;
  /** The same as objects of a kind that the project describes. */
  readonly desks: number;
  /** Vendor's defaults; they have the same keys as the templates. */
  readonly defaults: number;
  /** Sender addresses, each with a MAIL FROM domain that is read by a request of its own. */
  readonly senders: number;
  /** Milliseconds before the work on a request begins. */
  readonly latency: number;
  /** Requests in ten seconds; `null` for no limit. */
  readonly limit: number | null;
  /** The folder with the descriptors that the tenants serve; `null` without any. */
  readonly kinds: string | null;
}

/** How to reach a tenant. */
export interface TenantAccess {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What all tenants have counted since their last report. */
export interface Counts {
  readonly requests: number;
  readonly writes: number;
  readonly refused: number;
  /** The requests of the tenant that was asked most. */
  readonly most: number;
  /** The answers that were waited for one after the other. */
  readonly rounds: number;
}
