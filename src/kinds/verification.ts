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
  settings: Pick<ApiSettings, 'dkimSuffix'>,
): VerificationFacts {
  switch (kind) {
    case 'VerifiedDomain':
      return ofDomain(name, answer, settings.dkimSuffix);
    case 'MailFrom':
      return ofMailFrom(answer);
    case 'SenderAddress':
      return ofSender(answer);
  }
}

function ofDomain(domain: string, answer: JsonObject, suffix: string): VerificationFacts {
  const reported = textOf(answer, 'dkimVerificationStatus');
  const verification = verificationFrom(reported);
  const remarks = own(answer, 'dkimEnabled') === false ? ['DKIM signing is switched off.'] : [];
  const advice: Readonly<Partial<Record<Verification, string>>> = {
    pending: 'Publish the CNAME records; the provider finds them within 72 hours.',
    failed:
      'The provider did not find the CNAME records in time. Publish them, check them with `tenantctl status --dns`, then ask the vendor to start the verification again: the API cannot.',
  };
  return {
    ...facts(reported, verification, [...remarks, ...adviceFor(advice, verification)]),
    ...dkimRecords(domain, answer, suffix),
  };
}

function ofMailFrom(answer: JsonObject): VerificationFacts {
  const reported = textOf(answer, 'mailFromDomainStatus');
  const verification = verificationFrom(reported);
  const advice: Readonly<Partial<Record<Verification, string>>> = {
    pending: 'Publish the MX and TXT records; the provider finds them within 72 hours.',
    failed:
      'The provider did not find the MX record in time. Publish both records, check them with `tenantctl status --dns`, then set the MAIL FROM domain again in the admin interface.',
  };
  return {
    ...facts(reported, verification, adviceFor(advice, verification)),
    mailFromDomain: textOf(answer, 'mailFromDomain'),
    ...mailFromRecords(answer),
  };
}

function ofSender(answer: JsonObject): VerificationFacts {
  const reported = textOf(answer, 'verificationStatus');
  const byDomain = own(answer, 'isVerifiedByDomain') === true;
  const verification = byDomain ? 'verified' : verificationFrom(reported);
  const advice: Readonly<Partial<Record<Verification, string>>> = {
    pending: 'Follow the link in the verification e-mail, or verify its domain.',
    failed:
      'The link in the verification e-mail was not followed in time. Delete the address and create it again, which sends another e-mail, or verify its domain.',
  };
  const how = byDomain ? ['Verified by its domain.'] : [];
  return { ...facts(reported, verification, [...how, ...adviceFor(advice, verification)]), ...noRecords };
}

const noRecords: DnsRecords = { records: [], refused: [] };

/** The states in the documents, and those of the mail provider behind some tenants. */
const known: Readonly<Record<string, Verification>> = {
  SUCCESS: 'verified',
  NA: 'not-needed',
  PENDING: 'pending',
  NOT_STARTED: 'pending',
  TEMPORARY_FAILURE: 'pending',
  FAILED: 'failed',
};

function verificationFrom(reported: string | null): Verification {
  const word = reported?.toUpperCase() ?? '';
  return (Object.hasOwn(known, word) ? known[word] : undefined) ?? 'unknown';
}

function adviceFor(
  advice: Readonly<Partial<Record<Verification, string>>>,
  verification: Verification,
): string[] {
  const text = advice[verification];
  return text === undefined ? [] : [text];
}

function facts(
  reported: string | null,
  verification: Verification,
  remarks: readonly string[],
): Omit<VerificationFacts, 'records' | 'refused'> {
  return { verification, reported, mailFromDomain: null, remarks };
}
