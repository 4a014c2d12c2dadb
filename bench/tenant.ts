/** How a tenant is generated; the server gets it as its only argument, in JSON. */
export interface TenantOptions {
  /** Customised templates. */
  readonly templates: number;
  /** Service-desk integrations. */
  readonly integrations: number;
  /** Vendor's defaults; they have the same keys as the templates. */
  readonly defaults: number;
  /** Milliseconds before the work on a request begins. */
  readonly latency: number;
  /** Requests in ten seconds; `null` for no limit. */
  readonly limit: number | null;
}

/** What a tenant has counted since its last report. */
export interface Counts {
  readonly requests: number;
  readonly writes: number;
  readonly refused: number;
}
