import { type JsonObject, own, textOf } from '../model/json.ts';
import type { ApiSettings } from '../model/settings.ts';
import type { DnsRecords, IdentityStatus, Verification, VerifiedKind } from '../model/status.ts';
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
  const { stateField, noteOf, advice, recordsOf } = verified[kind];
  const reported = textOf(answer, stateField);
  const byDomain = kind === 'SenderAddress' && isVerifiedByDomain(answer);
  const verification = byDomain ? 'verified' : verificationFrom(reported);
  const remarks = [noteOf?.(answer), undocumentedState(reported), advice[verification]];
  return {
    verification,
    reported,
    mailFromDomain: kind === 'MailFrom' ? textOf(answer, 'mailFromDomain') : null,
    remarks: remarks.filter((remark) => typeof remark === 'string'),
    ...(recordsOf?.(name, answer, dkimSuffix) ?? { records: [], refused: [] }),
  };
}

/** What is particular to one kind. */
interface Verified {
  /** The field of the answer that has the state. */
  readonly stateField: string;
  noteOf?(answer: JsonObject): string | null;
  /** What to do in a state. */
  readonly advice: Readonly<Partial<Record<Verification, string>>>;
  /** The records to publish. Left out: there are none. */
  recordsOf?(name: string, answer: JsonObject, dkimSuffix: string): DnsRecords;
}

const verified: Readonly<Record<VerifiedKind, Verified>> = {
  VerifiedDomain: {
    stateField: 'dkimVerificationStatus',
    noteOf: (answer) => (own(answer, 'dkimEnabled') === false ? 'DKIM signing is switched off.' : null),
    advice: {
      pending: 'Publish the CNAME records; the provider finds them within 72 hours.',
      failed:
        'The provider did not find the CNAME records in time. Publish them, check them with `tenantctl status --dns`, then ask the vendor to start the verification again: the API cannot.',
    },
    recordsOf: dkimRecords,
  },
  MailFrom: {
    stateField: 'mailFromDomainStatus',
    advice: {
      pending: 'Publish the MX and TXT records; the provider finds them within 72 hours.',
      failed:
        'The provider did not find the MX record in time. Publish both records, check them with `tenantctl status --dns`, then set the MAIL FROM domain again in the admin interface.',
    },
    recordsOf: (_name, answer) => mailFromRecords(answer),
  },
  SenderAddress: {
    stateField: 'verificationStatus',
    noteOf: (answer) => (isVerifiedByDomain(answer) ? 'Verified by its domain.' : null),
    advice: {
      pending: 'Follow the link in the verification e-mail, or verify its domain.',
      failed:
        'The link in the verification e-mail was not followed in time. Delete the address and create it again, which sends another e-mail, or verify its domain.',
    },
  },
};

const isVerifiedByDomain = (answer: JsonObject): boolean => own(answer, 'isVerifiedByDomain') === true;

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
  return own(known, word) ?? 'unknown';
}
