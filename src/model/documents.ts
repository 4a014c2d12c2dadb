import type { Address } from './address.ts';
import type { JsonObject } from './json.ts';
import type { Plan } from './plan.ts';

declare const TENANTCTL_VERSION: string | undefined;
declare const TENANTCTL_BUGS: string | null | undefined;

/** The version in package.json, filled in by the build. */
export const version = typeof TENANTCTL_VERSION === 'string' ? TENANTCTL_VERSION : '0.0.0-source';

/** Says that an error is a bug, and where to report it if package.json names a place. */
export function bugHint(withWhat: string): string {
  const address = typeof TENANTCTL_BUGS === 'string' ? ` at ${TENANTCTL_BUGS}` : '';
  return `This is a bug in tenantctl. Please report it${address}, with ${withWhat}.`;
}

export const tool: Plan['tool'] = { name: 'tenantctl', version };

export interface FoundProfiles {
  readonly label: string;
  /** The rules of the manifest, or those saved in the tenant. */
  readonly rules: 'declared' | 'saved';
  readonly profiles: readonly JsonObject[];
  readonly more: boolean;
}

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
  /** `null`: the tenant uses the recipient's. */
  readonly locale: string | null;
  /** `null`: the tenant decides. */
  readonly to: readonly string[] | null;
  readonly context: JsonObject;
}

export interface TestAnswer {
  readonly status: number;
  readonly trackingId: string | null;
}
