import { domainToASCII } from 'node:url';
import type { DnsRecord, DnsRecords } from '../model/dns.ts';
import { isArray, type JsonObject, own, textOf } from '../model/json.ts';

/**
 * Which DNS records make a domain verified. Every value comes from a tenant and ends in somebody's zone file: what is
 * no DNS name, host or plain text becomes no record and is told as refused.
 */

/** The CNAME records of a domain's DKIM tokens (api-notes, "VerifiedDomain"). */
export function dkimRecords(domain: string, answer: JsonObject, suffix: string): DnsRecords {
  const name = dnsName(domain);
  if (name === null) return refused(`The domain ${quote(domain)} is no DNS name.`);
  const target = dnsName(suffix);
  if (target === null) return refused(`The setting dkimSuffix ${quote(suffix)} is no DNS name.`);
  const tokens = own(answer, 'dkimTokens');
  if (!isArray(tokens) || tokens.length === 0) return refused('The tenant shows no DKIM tokens.');
  return merged(tokens.map((token) => dkimRecord(token, name, target)));
}

function dkimRecord(token: unknown, domain: string, suffix: string): DnsRecords {
  const label = typeof token === 'string' && labelPattern.test(token) ? token.toLowerCase() : null;
  const name = label && dnsName(`${label}._domainkey.${domain}`);
  const value = label && dnsName(`${label}.${suffix}`);
  if (!name || !value) return refused(`The DKIM token ${quote(token)} makes no DNS name.`);
  return { records: [{ type: 'CNAME', name, value }], refused: [] };
}

/** The MX and TXT records of a MAIL FROM domain (seed 001, operation rule 4; api-notes, "MailFrom"). */
export function mailFromRecords(answer: JsonObject): DnsRecords {
  const domain = textOf(answer, 'mailFromDomain') ?? '';
  const name = dnsName(domain);
  if (name === null) return refused(`The MAIL FROM domain ${quote(domain)} is no DNS name.`);
  return merged([
    mxRecord(name, textOf(answer, 'mxRecord') ?? ''),
    txtRecord(name, textOf(answer, 'txtRecord') ?? ''),
  ]);
}

function mxRecord(name: string, text: string): DnsRecords {
  const [, number = '', host = ''] = /^\s*(\d{1,5})\s+(\S+)\s*$/.exec(text) ?? [];
  const priority = Number(number);
  const value = dnsName(host);
  if (value === null || priority > 65_535) return refused(`The MX record ${quote(text)} is none.`);
  return { records: [{ type: 'MX', name, priority, value }], refused: [] };
}

/** Longer texts are no mail policy. */
const longestText = 2000;

function txtRecord(name: string, text: string): DnsRecords {
  const value = text.trim().replace(/^"([^"]*)"$/, '$1');
  if (value === '' || value.length > longestText || !/^[\x20-\x7e]*$/.test(value)) {
    return refused(`The TXT record ${quote(text)} is no plain text.`);
  }
  return { records: [{ type: 'TXT', name, value }], refused: [] };
}

const labelPattern = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/i;

/**
 * `text` as an absolute DNS name in lower case, without the last dot, international names in their ASCII form;
 * `null` where it is none.
 */
export function dnsName(text: string): string | null {
  // The conversion would drop line feeds and blanks instead of refusing them.
  if (/[\p{Cc}\p{Z}]/u.test(text)) return null;
  const plain = /^[\x21-\x7e]*$/.test(text) ? text : domainToASCII(text);
  const name = plain.toLowerCase().replace(/\.$/, '');
  const labels = name.split('.');
  return name.length <= 253 && labels.length > 1 && labels.every((label) => labelPattern.test(label))
    ? name
    : null;
}

/** The domain that an e-mail address belongs to, or the domain itself. */
export function domainOf(identity: string): string {
  return identity.slice(identity.lastIndexOf('@') + 1).toLowerCase();
}

function merged(parts: readonly DnsRecords[]): DnsRecords {
  const records = new Map<string, DnsRecord>();
  for (const record of parts.flatMap((part) => part.records)) records.set(JSON.stringify(record), record);
  return { records: [...records.values()], refused: parts.flatMap((part) => part.refused) };
}

function refused(why: string): DnsRecords {
  return { records: [], refused: [why] };
}

function quote(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 200) ?? 'undefined';
}
