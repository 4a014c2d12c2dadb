import {
  type DnsRecord,
  type IdentityStatus,
  type Publication,
  type RecordStatus,
  recordText,
  type Status,
  type Verification,
  type VerifiedKind,
  verifiedKinds,
} from '../model/status.ts';
import { blank, layout, padTo, paragraph, type Row, row, type Style, span, widthOf } from './layout.ts';
import type { ReportOptions } from './options.ts';
import { json, oneLine } from './safe.ts';
import { joinParts, pluralize } from './words.ts';

export const statusFormats = ['text', 'json', 'zone'] as const;
type StatusFormat = (typeof statusFormats)[number];

/** A status in a format: a pure function of its arguments, safe to print whatever the tenant holds. */
export function renderStatus(status: Status, format: StatusFormat, options: ReportOptions): string {
  switch (format) {
    case 'text':
      return layout(statusRows(status, options), options);
    case 'json':
      return json(status);
    case 'zone':
      return statusZone(status);
  }
}

/** Seconds that resolvers may cache a record. */
const recordLifetime = 3600;

/** The longest string of a TXT record, in bytes (RFC 1035, 3.3). */
const maxTxtString = 255;

const headings: Readonly<Record<VerifiedKind, string>> = {
  VerifiedDomain: 'Domains',
  MailFrom: 'MAIL FROM domains',
  SenderAddress: 'Senders',
};

export const verificationWords: Readonly<
  Record<Verification, { readonly words: string; readonly styles: readonly Style[] }>
> = {
  verified: { words: 'verified', styles: ['green'] },
  'not-needed': { words: 'no verification needed', styles: ['dim'] },
  pending: { words: 'pending', styles: ['yellow'] },
  failed: { words: 'FAILED', styles: ['red', 'bold'] },
  absent: { words: 'not in the tenant', styles: ['yellow'] },
  unknown: { words: 'unknown state', styles: ['magenta'] },
};

const publicationStyles: Readonly<Record<Publication['state'], Style>> = {
  published: 'green',
  missing: 'yellow',
  wrong: 'red',
  unknown: 'magenta',
};

/** What somebody has to do something about comes first. */
const urgency: readonly Verification[] = ['failed', 'unknown', 'pending', 'absent', 'verified', 'not-needed'];

function statusRows({ identities, summary }: Status, { verbose = false }: ReportOptions): Row[] {
  const rows = verifiedKinds.flatMap((kind) => {
    const group = identities
      .filter((identity) => identity.kind === kind)
      .toSorted((a, b) => urgency.indexOf(a.verification) - urgency.indexOf(b.verification));
    const column = Math.min(50, Math.max(...group.map(({ name }) => widthOf(name))));
    const shown = group.flatMap((identity) => identityRows(identity, column, verbose));
    return group.length === 0 ? [] : [row(0, span(headings[kind], 'bold')), ...shown, blank];
  });
  const counts = Object.entries(summary).map(([state, count]) => count > 0 && `${count} ${state}`);
  const words = joinParts(counts, ', ') || 'No sender, domain or MAIL FROM domain to show.';
  return [...rows, row(0, span(words, 'bold'))];
}

function identityRows(identity: IdentityStatus, column: number, verbose: boolean): Row[] {
  const { name, verification, reported, mailFromDomain, remarks, refused, records, declared } = identity;
  const { words, styles } = verificationWords[verification];
  // What is verified needs its records as they are, and nobody has to publish them again.
  const shown = records.filter(
    ({ publication }) =>
      verbose || verification !== 'verified' || (publication !== null && publication.state !== 'published'),
  );
  const hidden = records.length - shown.length;
  return [
    row(
      2,
      span(`${padTo(name, column)}  `),
      span(verification === 'unknown' ? `${words} "${reported ?? ''}"` : words, ...styles),
      ...(mailFromDomain === null ? [] : [span(`  ${mailFromDomain}`)]),
      ...(declared ? [] : [span('  (not declared)', 'dim')]),
      ...(hidden === 0 ? [] : [span(`  ${pluralize(hidden, 'record')} with --verbose`, 'dim')]),
    ),
    ...remarks.flatMap((remark) =>
      paragraph(6, remark, ...(verification === 'failed' ? [] : (['dim'] as const))),
    ),
    ...refused.map((why) => row(6, span('warning: ', 'yellow', 'bold'), span(`left out: ${why}`))),
    ...shown.flatMap(recordRows),
  ];
}

function recordRows({ record, publication }: RecordStatus): Row[] {
  const name = row(6, span(`${record.type.padEnd(5)} `, 'cyan'), span(record.name));
  const value = [span('-> ', 'dim'), span(recordText(record))];
  if (publication === null) return [name, row(9, ...value)];
  const { state, found, detail } = publication;
  const why = detail === null ? '' : `: ${detail}`;
  const where = state === 'wrong' ? `, found ${found.join(' | ')}` : '';
  const style = publicationStyles[state];
  return [name, row(9, ...value, span('  '), span(state, style, 'bold'), span(`${why}${where}`))];
}

/**
 * The records of a status as lines for a zone file. Names are absolute, and every line is complete. What comes from a
 * tenant is in names that were validated, in quoted strings, or in comments of one line.
 */
function statusZone({ identities, checkedAt, environment }: Status): string {
  const comment = (text: string) => `; ${oneLine(text)}`;
  const written = new Set<string>();
  const shown = identities.filter(({ records, refused }) => records.length + refused.length > 0);
  const blocks = shown.map(({ address, verification, records, refused }) => [
    comment(`${address}: ${verification}`),
    ...refused.map((why) => comment(`WARNING, left out: ${why}`)),
    ...records.map(({ record, publication }) => {
      const line = zoneLine(record);
      // What two identities share is written once: a name server may refuse a duplicate.
      if (written.has(line)) return comment(`also: ${line}`);
      written.add(line);
      return publication === null ? line : `${line} ; ${publication.state}`;
    }),
  ]);
  const head = comment(`Records for the environment ${environment}, as of ${checkedAt}.`);
  return [[head], ...blocks].map((block) => `${block.join('\n')}\n`).join('\n');
}

/** `NAME. TTL IN TYPE DATA`, as RFC 1035 writes it. */
export function zoneLine(record: DnsRecord): string {
  const start = `${record.name}. ${recordLifetime} IN ${record.type}`;
  switch (record.type) {
    case 'CNAME':
      return `${start} ${record.value}.`;
    case 'MX':
      return `${start} ${record.priority} ${record.value}.`;
    case 'TXT':
      return `${start} ${txtStrings(record.value)}`;
  }
}

function txtStrings(text: string): string {
  const bytes = Buffer.from(text);
  const count = Math.max(1, Math.ceil(bytes.length / maxTxtString));
  const strings = Array.from({ length: count }, (_, at) => {
    const part = bytes.subarray(at * maxTxtString, (at + 1) * maxTxtString);
    return `"${Array.from(part, escapeByte).join('')}"`;
  });
  return strings.join(' ');
}

const hash = 0x23;

function escapeByte(byte: number): string {
  // CI systems read `##[` as the beginning of a command.
  if (byte < 0x20 || byte > 0x7e || byte === hash) return `\\${String(byte).padStart(3, '0')}`;
  const char = String.fromCharCode(byte);
  return char === '"' || char === '\\' ? `\\${char}` : char;
}
