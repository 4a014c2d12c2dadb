import { type Publication, recordText } from '../model/dns.ts';
import {
  type IdentityStatus,
  type RecordStatus,
  type Status,
  type Verification,
  type VerifiedKind,
  verifiedKinds,
} from '../model/status.ts';
import { json } from './json.ts';
import type { ReportOptions } from './options.ts';
import { blank, layout, padTo, paragraph, type Row, row, type Style, span, widthOf } from './text/layout.ts';
import { statusZone } from './zone.ts';

export const statusFormats = ['text', 'json', 'zone'] as const;
export type StatusFormat = (typeof statusFormats)[number];

/** A status in a format: a pure function of its arguments, safe to print whatever the tenant put into it. */
export function renderStatus(status: Status, format: StatusFormat, options: ReportOptions): string {
  switch (format) {
    case 'text':
      return layout(statusRows(status), options);
    case 'json':
      return json(status);
    case 'zone':
      return statusZone(status);
  }
}

const headings = {
  VerifiedDomain: 'Domains',
  MailFrom: 'MAIL FROM domains',
  SenderAddress: 'Senders',
} as const satisfies Record<VerifiedKind, string>;

export const verificationWords = {
  verified: 'verified',
  'not-needed': 'no verification needed',
  pending: 'pending',
  failed: 'FAILED',
  absent: 'not in the tenant',
  unknown: 'unknown state',
} as const satisfies Record<Verification, string>;

const verificationStyles = {
  verified: ['green'],
  'not-needed': ['dim'],
  pending: ['yellow'],
  failed: ['red', 'bold'],
  absent: ['yellow'],
  unknown: ['magenta'],
} as const satisfies Record<Verification, readonly Style[]>;

const publicationStyles = {
  published: 'green',
  missing: 'yellow',
  wrong: 'red',
  unknown: 'magenta',
} as const satisfies Record<Publication['state'], Style>;

function statusRows({ identities, summary }: Status): Row[] {
  const rows = verifiedKinds.flatMap((kind) => {
    const group = identities.filter((identity) => identity.kind === kind);
    const column = columnOf(group);
    if (group.length === 0) return [];
    return [
      row(0, span(headings[kind], 'bold')),
      ...group.flatMap((one) => identityRows(one, column)),
      blank,
    ];
  });
  const counts = Object.entries(summary).flatMap(([verification, count]) =>
    count === 0 ? [] : [`${count} ${verification}`],
  );
  return [...rows, row(0, span(counts.join(', ') || 'The tenant has no senders and no domains.', 'bold'))];
}

function columnOf(group: readonly IdentityStatus[]): number {
  return Math.min(50, Math.max(...group.map(({ name }) => widthOf(name))));
}

function identityRows(identity: IdentityStatus, column: number): Row[] {
  const { name, verification, reported, mailFromDomain, remarks, refused, records, declared } = identity;
  const word = verification === 'unknown' ? `${verificationWords.unknown} "${reported ?? ''}"` : null;
  return [
    row(
      2,
      span(`${padTo(name, column)}  `),
      span(word ?? verificationWords[verification], ...verificationStyles[verification]),
      ...(mailFromDomain === null ? [] : [span(`  ${mailFromDomain}`)]),
      ...(declared ? [] : [span('  (not declared)', 'dim')]),
    ),
    ...remarks.flatMap((remark) => paragraph(6, remark, ...(verification === 'failed' ? [] : dim))),
    ...refused.map((why) => row(6, span('warning: ', 'yellow', 'bold'), span(`left out: ${why}`))),
    ...records.flatMap(recordRows),
  ];
}

const dim: readonly Style[] = ['dim'];

function recordRows({ record, publication }: RecordStatus): Row[] {
  return [
    row(6, span(`${record.type.padEnd(5)} `, 'cyan'), span(record.name)),
    row(9, span('-> ', 'dim'), span(recordText(record)), ...publicationSpans(publication)),
  ];
}

function publicationSpans(publication: Publication | null) {
  if (publication === null) return [];
  const { state, found, detail } = publication;
  const where = state === 'wrong' ? `, found ${found.join(' | ')}` : '';
  const why = detail === null ? '' : `: ${detail}`;
  return [span('  '), span(state, publicationStyles[state], 'bold'), span(`${why}${where}`)];
}
