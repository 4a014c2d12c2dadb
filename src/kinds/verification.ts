import type { DnsRecords } from '../model/dns.ts';
import { type JsonObject, own, textOf } from '../model/json.ts';
import type { ApiSettings } from '../model/settings.ts';
import type { IdentityStatus, Verification, VerifiedKind } from '../model/status.ts';
import { dkimRecords, mailFromRecords } from './dns-records.ts';

/** What the tenant's answer says about the verification of an object. */
export interface VerificationFacts
  extends Pick<IdentityStatus, 'verification' | 'reported' | 'mailFromDomain' | 'remarks' | 'refused'> {
  readonly records: DnsRecords['records'];
}

/** Reads the tenant's answer about an object (seed 001, DkimAttributes, MailFromAttributes, EmailStatusDto). */
export function verificationOf(
  kind: VerifiedKind,
  name: string,
  answer: JsonObject,
  { dkimSuffix }: Pick<ApiSettings, 'dkimSuffix'>,
): VerificationFacts {
  const reported = textOf(answer, statusFields[kind]);
  const byDomain = kind === 'SenderAddress' && own(answer, 'isVerifiedByDomain') === true;
  const verification = byDomain ? 'verified' : verificationFrom(reported);
  const unsigned = kind === 'VerifiedDomain' && own(answer, 'dkimEnabled') === false;
  return {
    verification,
    reported,
    mailFromDomain: kind === 'MailFrom' ? textOf(answer, 'mailFromDomain') : null,
    remarks: [
      ...(unsigned ? ['DKIM signing is switched off.'] : []),
      ...(byDomain ? ['Verified by its domain.'] : []),
      ...[undocumentedState(reported)].filter((remark) => remark !== null),
      ...(advice[kind][verification] ?? []),
    ],
    ...recordsOf(kind, name, answer, dkimSuffix),
  };
}

function recordsOf(kind: VerifiedKind, name: string, answer: JsonObject, dkimSuffix: string): DnsRecords {
  switch (kind) {
    case 'VerifiedDomain':
      return dkimRecords(name, answer, dkimSuffix);
    case 'MailFrom':
      return mailFromRecords(answer);
    case 'SenderAddress':
      return { records: [], refused: [] };
  }
}

/** The fields of the answers that have the state. */
const statusFields: Readonly<Record<VerifiedKind, string>> = {
  VerifiedDomain: 'dkimVerificationStatus',
  MailFrom: 'mailFromDomainStatus',
  SenderAddress: 'verificationStatus',
};

/** What to do in a state. */
const advice: Readonly<Record<VerifiedKind, Readonly<Partial<Record<Verification, readonly string[]>>>>> = {
  VerifiedDomain: {
    pending: ['Publish the CNAME records; the provider finds them within 72 hours.'],
    failed: [
      'The provider did not find the CNAME records in time. Publish them, check them with `tenantctl status --dns`, then ask the vendor to start the verification again: the API cannot.',
    ],
  },
  MailFrom: {
    pending: ['Publish the MX and TXT records; the provider finds them within 72 hours.'],
    failed: [
      'The provider did not find the MX record in time. Publish both records, check them with `tenantctl status --dns`, then set the MAIL FROM domain again in the admin interface.',
    ],
  },
  SenderAddress: {
    pending: ['Follow the link in the verification e-mail, or verify its domain.'],
    failed: [
      'The link in the verification e-mail was not followed in time. Delete the address and create it again, which sends another e-mail, or verify its domain.',
    ],
  },
};

/** The states in the documents, and those of the mail provider behind some tenants. */
const known: Readonly<Record<string, Verification>> = {
  SUCCESS: 'verified',
  NA: 'not-needed',
  PENDING: 'pending',
  NOT_STARTED: 'pending',
  TEMPORARY_FAILURE: 'pending',
  FAILED: 'failed',
};

/** A state in the spelling of the documents: providers also write `TemporaryFailure`. */
function wordOf(reported: string | null): string {
  return (reported ?? '').replaceAll(/([a-z])[ -]?(?=[A-Z])/g, '$1_').toUpperCase();
}

/** What states of the mail provider mean that the documents do not know. */
const providerRemarks: ReadonlyMap<string, string> = new Map([
  ['NOT_STARTED', 'The mail provider has not started to verify it.'],
  ['TEMPORARY_FAILURE', 'The mail provider could not look the records up, and tries again.'],
]);

/** Why the verification of a domain says nothing yet, in words; `null` for the states of the documents. */
export function undocumentedState(reported: string | null): string | null {
  return providerRemarks.get(wordOf(reported)) ?? null;
}

function verificationFrom(reported: string | null): Verification {
  const word = wordOf(reported);
  return (Object.hasOwn(known, word) ? known[word] : undefined) ?? 'unknown';
}
