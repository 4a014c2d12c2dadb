import type { DnsRecord } from '../model/dns.ts';
import type { IdentityStatus, Status } from '../model/status.ts';
import { oneLine } from './safe.ts';

/** Seconds that resolvers may keep a record. */
const lifetime = 3600;

/** The longest string of a TXT record, in bytes (RFC 1035, 3.3). */
const longestString = 255;

/**
 * The records of a status as lines for a zone file: names absolute, every line whole by itself. What comes from a
 * tenant stands in checked names, in quoted strings, or behind a semicolon on one line.
 */
export function statusZone({ identities, checkedAt, environment }: Status): string {
  const written = new Set<string>();
  const blocks = identities
    .filter(({ records, refused }) => records.length + refused.length > 0)
    .map((identity) => identityBlock(identity, written));
  const head = comment(`Records for the environment ${environment}, as of ${checkedAt}.`);
  return [head, ...blocks].map((block) => `${block}\n`).join('\n');
}

/** A record that two identities share is written once: a name server may refuse it twice. */
function identityBlock({ address, verification, records, refused }: IdentityStatus, written: Set<string>) {
  const lines = records.map(({ record, publication }) => {
    const line = zoneLine(record);
    const mark = publication === null ? '' : ` ; ${publication.state}`;
    if (written.has(line)) return comment(`also: ${line}`);
    written.add(line);
    return `${line}${mark}`;
  });
  return [
    comment(`${address}: ${verification}`),
    ...refused.map((why) => comment(`WARNING, left out: ${why}`)),
    ...lines,
  ].join('\n');
}

function comment(text: string): string {
  return `; ${oneLine(text)}`;
}

/** `NAME. TTL IN TYPE DATA`, as RFC 1035 writes it. */
export function zoneLine(record: DnsRecord): string {
  return `${record.name}. ${lifetime} IN ${record.type} ${data(record)}`;
}

function data(record: DnsRecord): string {
  switch (record.type) {
    case 'CNAME':
      return `${record.value}.`;
    case 'MX':
      return `${record.priority} ${record.value}.`;
    case 'TXT':
      return strings(record.value);
  }
}

function strings(text: string): string {
  const bytes = Buffer.from(text);
  const count = Math.max(1, Math.ceil(bytes.length / longestString));
  return Array.from({ length: count }, (_, at) =>
    quoted(bytes.subarray(at * longestString, (at + 1) * longestString)),
  ).join(' ');
}

function quoted(bytes: Uint8Array): string {
  return `"${[...bytes].map(escapedByte).join('')}"`;
}

function escapedByte(byte: number): string {
  if (byte < 0x20 || byte > 0x7e) return `\\${String(byte).padStart(3, '0')}`;
  const char = String.fromCharCode(byte);
  return char === '"' || char === '\\' ? `\\${char}` : char;
}
