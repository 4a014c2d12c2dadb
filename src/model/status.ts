import type { Address } from './address.ts';
import type { TenantName } from './tenant.ts';

/** The kinds whose objects the mail provider verifies, in the order of a mail set-up. */
export const verifiedKinds = ['VerifiedDomain', 'MailFrom', 'SenderAddress'] as const;

/** `not-needed` for the vendor's own identities, `absent` for ones that are only declared, `unknown` for an undocumented state. */
type Verification = 'verified' | 'not-needed' | 'pending' | 'failed' | 'absent' | 'unknown';

/** A DNS record that has to be published; names and hosts are absolute, in lower case, without the last dot. */
export type DnsRecord =
  | { readonly type: 'CNAME'; readonly name: string; readonly value: string }
  | { readonly type: 'MX'; readonly name: string; readonly priority: number; readonly value: string }
  | { readonly type: 'TXT'; readonly name: string; readonly value: string };

/** A record in public DNS; `unknown` if the resolver gave no usable answer. */
export interface Publication {
  readonly state: 'published' | 'missing' | 'wrong' | 'unknown';
  readonly found: readonly string[];
  readonly detail: string | null;
}

export function recordText(record: DnsRecord): string {
  return record.type === 'MX' ? `${record.priority} ${record.value}` : record.value;
}

export interface IdentityStatus {
  readonly address: Address;
  readonly kind: (typeof verifiedKinds)[number];
  readonly name: string;
  readonly declared: boolean;
  readonly verification: Verification;
  readonly reported: string | null;
  readonly mailFromDomain: string | null;
  readonly remarks: readonly string[];
  /** The records to publish, with their states in public DNS; `null` if that was not checked. */
  readonly records: readonly { readonly record: DnsRecord; readonly publication: Publication | null }[];
  /** The reasons why values of the tenant are not valid DNS records. */
  readonly refused: readonly string[];
}

export interface Status {
  readonly formatVersion: 1;
  readonly environment: string;
  readonly tenant: TenantName;
  readonly checkedAt: string;
  readonly identities: readonly IdentityStatus[];
  readonly summary: Readonly<Record<Verification, number>>;
}

export function domainOf(identity: string): string {
  return identity.slice(identity.lastIndexOf('@') + 1).toLowerCase();
}

/** A state in the spelling of the documents: providers also write `TemporaryFailure`. */
export function stateWord(reported: string | null): string {
  return (reported ?? '').replaceAll(/([a-z])[ -]?(?=[A-Z])/g, '$1_').toUpperCase();
}

/** Explains a state of the mail provider that the documents do not have; `null` for others. */
export function undocumentedState(reported: string | null): string | null {
  switch (stateWord(reported)) {
    case 'NOT_STARTED':
      return 'The mail provider has not started to verify it.';
    case 'TEMPORARY_FAILURE':
      return 'The mail provider could not look up the records, and will try again.';
    default:
      return null;
  }
}
