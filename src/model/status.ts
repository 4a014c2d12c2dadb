import type { Address } from './address.ts';
import type { DnsRecord, Publication } from './dns.ts';
import type { TenantName } from './live.ts';

/** The format of `status --format json`. */
export const statusFormat = 1;

/** The kinds whose objects somebody else than the tenant verifies, in the order of a mail set-up. */
export const verifiedKinds = ['VerifiedDomain', 'MailFrom', 'SenderAddress'] as const;
export type VerifiedKind = (typeof verifiedKinds)[number];

/**
 * How far the verification of one object has come: `not-needed` is the vendor's own, `absent` is declared and not in
 * the tenant, `unknown` is a state that the tenant names and the documents do not.
 */
export const verifications = ['verified', 'not-needed', 'pending', 'failed', 'absent', 'unknown'] as const;
export type Verification = (typeof verifications)[number];

/** A record to publish, and whether public DNS has it; `null` where nobody asked. */
export interface RecordStatus {
  readonly record: DnsRecord;
  readonly publication: Publication | null;
}

/** What `status` says about one sender, domain or MAIL FROM domain. */
export interface IdentityStatus {
  readonly address: Address;
  readonly kind: VerifiedKind;
  readonly name: string;
  readonly declared: boolean;
  readonly verification: Verification;
  /** The tenant's own word. */
  readonly reported: string | null;
  /** The MAIL FROM domain. */
  readonly mailFromDomain: string | null;
  /** What else is known, and what a person has to do. */
  readonly remarks: readonly string[];
  readonly records: readonly RecordStatus[];
  /** Values of the tenant that make no DNS record. */
  readonly refused: readonly string[];
}

/** Everything `status` found out, as one JSON value. */
export interface Status {
  readonly formatVersion: typeof statusFormat;
  readonly environment: string;
  readonly tenant: TenantName;
  readonly checkedAt: string;
  readonly identities: readonly IdentityStatus[];
  readonly summary: Readonly<Record<Verification, number>>;
}

/** Whether nothing is left to wait for. */
export function isSettled({ verification }: Pick<IdentityStatus, 'verification'>): boolean {
  return verification === 'verified' || verification === 'not-needed';
}
