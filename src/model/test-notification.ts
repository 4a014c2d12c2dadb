import type { Address } from './address.ts';
import type { JsonObject } from './json.ts';

export interface TestNotification {
  readonly address: Address;
  readonly key: string;
  readonly medium: string;
  /** The text that the tenant sends: a customised one, or the vendor's default. */
  readonly template: 'customised' | 'default';
  readonly subject: string | null;
  readonly from: string | null;
  readonly replyTo: string | null;
  /** Declared fields that are different in the tenant. */
  readonly differing: readonly string[];
  /** `null`: the tenant uses that of the recipient. */
  readonly locale: string | null;
  /** `null`: the tenant decides. */
  readonly to: readonly string[] | null;
  readonly context: JsonObject;
}

export interface TestAnswer {
  readonly status: number;
  readonly trackingId: string | null;
}
