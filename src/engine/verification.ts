import { domainToASCII } from 'node:url';
import { get, getText, isArray, type Json, type JsonObject } from '../model/json.ts';
import type { ApiSettings } from '../model/settings.ts';
import {
  type DnsRecord,
  type IdentityStatus,
  stateWord,
  undocumentedState,
  type Verification,
  type VerifiedKind,
} from '../model/status.ts';

interface DnsRecords {
  readonly records: readonly DnsRecord[];
  readonly refused: readonly string[];
}

type VerificationFacts = DnsRecords &
  Pick<IdentityStatus, 'verification' | 'reported' | 'mailFromDomain' | 'remarks'>;

/** Reads the tenant's answer about an object (seed 001, DkimAttributes, MailFromAttributes, EmailStatusDto). */
export function verificationOf(
  kind: VerifiedKind,
  name: string,
  answer: JsonObject,
  { dkimSuffix }: Pick<ApiSettings, 'dkimSuffix'>,
): VerificationFacts {
  const { stateField, noteOf, advice, recordsOf } = verified[kind];
  const reported = getText(answer, stateField);
  const byDomain = kind === 'SenderAddress' && isVerifiedByDomain(answer);
  const verification = byDomain ? 'verified' : (get(known, stateWord(reported)) ?? 'unknown');
  const remarks = [noteOf?.(answer), undocumentedState(reported), advice[verification]];
  return {
    verification,
    reported,
    mailFromDomain: kind === 'MailFrom' ? getText(answer, 'mailFromDomain') : null,
    remarks: remarks.filter((remark) => typeof remark === 'string'),
    ...(recordsOf?.(name, answer, dkimSuffix) ?? { records: [], refused: [] }),
  };
}

interface VerificationRules {
  readonly stateField: string;
  noteOf?(answer: JsonObject): string | null;
  readonly advice: Readonly<Partial<Record<Verification, string>>>;
  /** The records to publish. Left out: there are none. */
  recordsOf?(name: string, answer: JsonObject, dkimSuffix: string): DnsRecords;
}

const verified: Readonly<Record<VerifiedKind, VerificationRules>> = {
  VerifiedDomain: {
    stateField: 'dkimVerificationStatus',
    noteOf: (answer) => (get(answer, 'dkimEnabled') === false ? 'DKIM signing is switched off.' : null),
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

const isVerifiedByDomain = (answer: JsonObject): boolean => get(answer, 'isVerifiedByDomain') === true;

/** The states in the documents, and those of the mail provider behind some tenants. */
const known: Readonly<Record<string, Verification>> = {
  SUCCESS: 'verified',
  NA: 'not-needed',
  PENDING: 'pending',
  NOT_STARTED: 'pending',
  TEMPORARY_FAILURE: 'pending',
  FAILED: 'failed',
};

/**
 * The DNS records that verify a domain. Every value comes from a tenant and ends in a zone file, so a value that is not a
 * DNS name, host or plain text is refused.
 */

/** The CNAME records of a domain's DKIM tokens (api-notes, "VerifiedDomain"). */
export function dkimRecords(domain: string, answer: JsonObject, suffix: string): DnsRecords {
  const name = dnsName(domain);
  if (name === null) return collect([`The domain ${quote(domain)} is not a DNS name.`]);
  const target = dnsName(suffix);
  if (target === null) return collect([`The setting dkimSuffix ${quote(suffix)} is not a DNS name.`]);
  const tokens = get(answer, 'dkimTokens');
  if (!isArray(tokens) || tokens.length === 0) return collect(['The tenant shows no DKIM tokens.']);
  return collect(tokens.map((token) => dkimRecord(token, name, target)));
}

type RecordOrReason = DnsRecord | string;

function dkimRecord(token: Json, domain: string, suffix: string): RecordOrReason {
  const label = typeof token === 'string' && labelPattern.test(token) ? token : null;
  const name = label && dnsName(`${label}._domainkey.${domain}`);
  const value = label && dnsName(`${label}.${suffix}`);
  if (!name || !value) return `The DKIM token ${quote(token)} cannot be part of a DNS name.`;
  return { type: 'CNAME', name, value };
}

/** The MX and TXT records of a MAIL FROM domain (seed 001, operation rule 4; api-notes, "MailFrom"). */
export function mailFromRecords(answer: JsonObject): DnsRecords {
  const domain = getText(answer, 'mailFromDomain') ?? '';
  const name = dnsName(domain);
  if (name === null) return collect([`The MAIL FROM domain ${quote(domain)} is not a DNS name.`]);
  return collect([
    mxRecord(name, getText(answer, 'mxRecord') ?? ''),
    txtRecord(name, getText(answer, 'txtRecord') ?? ''),
  ]);
}

function mxRecord(name: string, text: string): RecordOrReason {
  const [, number = '', host = ''] = /^\s*(\d{1,5})\s+(\S+)\s*$/.exec(text) ?? [];
  const priority = Number(number);
  const value = dnsName(host);
  if (value === null || priority > 65_535) return `The MX record ${quote(text)} is not valid.`;
  return { type: 'MX', name, priority, value };
}

/** A longer text cannot be a mail policy. */
const longestText = 2000;

function txtRecord(name: string, text: string): RecordOrReason {
  const value = text.trim().replace(/^"([^"]*)"$/, '$1');
  if (value === '' || value.length > longestText || !/^[\x20-\x7e]*$/.test(value)) {
    return `The TXT record ${quote(text)} is not plain text.`;
  }
  return { type: 'TXT', name, value };
}

const labelPattern = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/i;

/** `text` as an absolute DNS name: lower case, ASCII, without the last dot; `null` if it is not one. */
export function dnsName(text: string): string | null {
  // The conversion would drop line feeds and blanks.
  if (/[\p{Cc}\p{Z}]/u.test(text)) return null;
  const plain = /^[\x21-\x7e]*$/.test(text) ? text : domainToASCII(text);
  const name = plain.toLowerCase().replace(/\.$/, '');
  const labels = name.split('.');
  return name.length <= 253 && labels.length > 1 && labels.every((label) => labelPattern.test(label))
    ? name
    : null;
}

/** The records, each once, and why others are refused. */
function collect(found: readonly RecordOrReason[]): DnsRecords {
  const records = found.filter((each) => typeof each !== 'string');
  return {
    records: [...new Map(records.map((record) => [JSON.stringify(record), record])).values()],
    refused: found.filter((each) => typeof each === 'string'),
  };
}

function quote(value: Json): string {
  return JSON.stringify(value).slice(0, 200);
}
