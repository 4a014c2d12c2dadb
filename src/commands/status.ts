import { createDnsChecker, type DnsChecker } from '../client/dns-checker.ts';
import { checkScope, selectionOf } from '../engine/choices.ts';
import { forEachEnvironment } from '../engine/fleet.ts';
import { checkDns, openIdentities, readStatus } from '../engine/status.ts';
import type { Tenant } from '../engine/tenant.ts';
import type { Project } from '../kinds/project.ts';
import { loadProject, openProjects, readAmount } from '../loader/index.ts';
import {
  type DnsRecord,
  type IdentityStatus,
  type Publication,
  recordText,
  type Status,
  verifiedKinds,
  worstExitCode,
} from '../model/documents.ts';
import { ExitCode, fail } from '../model/failure.ts';
import {
  blank,
  layout,
  padTo,
  paragraph,
  type Row,
  row,
  type Style,
  span,
  widthOf,
} from '../report/layout.ts';
import type { ReportOptions } from '../report/report.ts';
import { json, oneLine } from '../report/safe.ts';
import { joinParts, namesInBrief, pluralize } from '../report/words.ts';
import {
  type ArgsOf,
  commonOptions,
  describeCommand,
  fleetOptions,
  groups,
  option,
  scopeOptions,
} from './command.ts';
import { type Io, printNote, viewOf } from './io.ts';
import { printDiagnostics, withoutSecrets } from './output.ts';
import { withFleetProgress, withTenant } from './progress.ts';
import { projectFileOptions, projectOptions, selectedEnvironments } from './project.ts';

const defaultWait = '30m';
const statusFormats = ['text', 'json', 'zone'] as const;
type StatusFormat = (typeof statusFormats)[number];

const options = {
  ...commonOptions,
  ...scopeOptions,
  ...fleetOptions,
  format: { ...option.format(statusFormats), describe: 'Output format. zone: lines for a zone file' },
  dns: option.flag('Check whether DNS has the records'),
  resolver: option.text("Name server for --dns, as ADDRESS:PORT. Default: the system's"),
  'dns-timeout': {
    ...option.text('Time to wait for the name server. Each record is tried twice'),
    default: '3s',
  },
  wait: {
    type: 'string',
    group: groups.own,
    describe: `Wait until all declared identities are verified. Exit with 3 after this time (default ${defaultWait})`,
  },
  interval: { ...option.text('Time between two checks of --wait'), default: '15s' },
} as const;

type Args = ArgsOf<typeof options>;

export const command = describeCommand({
  usage:
    '$0 status [options]\n\nShows the verification of senders, domains and MAIL FROM domains, and the DNS records to publish.',
  options,
  examples: {
    '$0 status --dns': 'Check the verification and the DNS records',
    '$0 status --format zone >> acme.example.zone': 'Add the records to a zone file',
    '$0 apply --yes && $0 status --wait 30m': 'In CI: continue when all are verified',
  },
}).run(async (args, io) => {
  const { dns, resolver } = args;
  const timeout = durationOf('dns-timeout', args.dnsTimeout);
  const isChecked = dns || resolver !== undefined;
  const checker = isChecked ? createDnsChecker({ server: resolver ?? null, timeout }) : null;
  const read = statusReader(args, io, checker);
  const names = selectedEnvironments(args, io);
  if (names) return statusOfSeveral(names, read, args, io);
  const project = loadProject(projectOptions(args, io));
  return withTenant(project, io, async (tenant, progress) => {
    const { status, unmatched } = await read(project, tenant, () => progress.end());
    progress.end();
    printDiagnostics(unmatched, io);
    io.stdout.write(statusRenderer(args.format, viewOf(io.stdout, io))(status));
    return exitCodeOf(status, args, io);
  });
});

/** The states of several environments: each below its name, or as one JSON value. */
async function statusOfSeveral(
  names: readonly string[],
  read: ReturnType<typeof statusReader>,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  const projects = openProjects(projectFileOptions(args, io));
  const outcomes = await withFleetProgress(names.length, args, io, (run) =>
    forEachEnvironment(names, run, (name, withTenant) => {
      const project = projects.load(name);
      return withTenant(project, (tenant) => read(project, tenant, () => run.end()));
    }),
  );
  if (args.format === 'json') {
    const environments = outcomes.map(({ name, value, error }) => {
      return { name, status: value?.status ?? null, error };
    });
    io.stdout.write(json({ formatVersion: 1, environments }));
  }
  const render = statusRenderer(args.format, viewOf(io.stdout, io));
  for (const { name, value, error } of outcomes) {
    if (value && args.format !== 'json') {
      const heading = args.format === 'zone' ? `; ${oneLine(name)}` : oneLine(name);
      io.stdout.write(`${heading}\n\n${render(value.status)}\n`);
    }
    if (error) {
      printNote(oneLine(name), io);
      printDiagnostics(error.diagnostics, io);
    }
  }
  return worstExitCode(
    outcomes.map(({ value, error }) => (error ? error.exitCode : exitCodeOf(value.status, args, io))),
  );
}

/** Returns what reads the status of a tenant, or waits for it. It calls `onPrint` before it prints. */
function statusReader(args: Args, io: Io, checker: DnsChecker | null) {
  const limit = args.wait === undefined ? null : durationOf('wait', args.wait || defaultWait);
  const interval = durationOf('interval', args.interval);
  return async ({ environment, resources }: Project, tenant: Tenant, onPrint: () => void) => {
    checkScope(args, environment.kinds);
    const { includes, findUnmatched } = selectionOf(args);
    const scope = { resources, includes };
    let told = '';
    const onWait = (status: Status) => {
      const shown = namesInBrief(listUnsettled(status), 5);
      const words = `Waiting up to ${args.wait || defaultWait} in ${status.environment} for ${shown}.`;
      if (io.quiet || words === told) return;
      told = words;
      onPrint();
      printNote(oneLine(words), io);
    };
    const wait = limit === null ? null : { limit, interval, signal: io.signal, onWait };
    const read = await readStatus(tenant, scope, wait);
    const status = checker ? await checkDns(read, checker, io.signal) : read;
    return { status: withoutSecrets(status, io), unmatched: findUnmatched() };
  };
}

/** With `--wait`, unverified identities make the command incomplete, and are named. */
function exitCodeOf(status: Status, { wait }: Args, io: Io): ExitCode {
  const names = listUnsettled(status);
  if (wait === undefined || names.length === 0) return ExitCode.done;
  printNote(oneLine(`The time is up. Not verified in ${status.environment}: ${names.join(', ')}.`), io);
  return ExitCode.incomplete;
}

function durationOf(option: string, text: string): number {
  const duration = readAmount(text);
  if (duration !== null && duration > 0) return duration;
  throw fail('duration-syntax', `--${option} "${text}" is not a duration above zero.`, {
    hint: 'Write a number with the unit ms, s, m or h: 90s, 30m.',
  });
}

function listUnsettled(status: Status): string[] {
  return openIdentities(status).map(
    ({ address, verification }) => `${address} (${verificationWords[verification].words})`,
  );
}

/** Returns what makes the text of each status in turn, safe to print whatever the tenants hold. */
function statusRenderer(format: StatusFormat, options: ReportOptions): (status: Status) => string {
  const written = new Set<string>();
  if (format === 'zone') return (status) => statusZone(status, written);
  return (status) => (format === 'json' ? json(status) : layout(statusRows(status, options), options));
}

/** Seconds that resolvers may cache a record. */
const recordLifetime = 3600;

/** The longest string of a TXT record, in bytes (RFC 1035, 3.3). */
const maxTxtString = 255;

const headings: Readonly<Record<IdentityStatus['kind'], string>> = {
  VerifiedDomain: 'Domains',
  MailFrom: 'MAIL FROM domains',
  SenderAddress: 'Senders',
};

/** In this order: identities that need action come first. */
const verificationWords: Readonly<
  Record<IdentityStatus['verification'], { readonly words: string; readonly styles: readonly Style[] }>
> = {
  failed: { words: 'FAILED', styles: ['red', 'bold'] },
  unknown: { words: 'unknown state', styles: ['magenta'] },
  pending: { words: 'pending', styles: ['yellow'] },
  absent: { words: 'not in the tenant', styles: ['yellow'] },
  verified: { words: 'verified', styles: ['green'] },
  'not-needed': { words: 'no verification needed', styles: ['dim'] },
};
const urgency = Object.keys(verificationWords);

const publicationStyles: Readonly<Record<Publication['state'], Style>> = {
  published: 'green',
  missing: 'yellow',
  wrong: 'red',
  unknown: 'magenta',
};

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
  // A verified identity has its records: nothing is left to publish.
  const shown = records.filter(
    ({ publication }) =>
      verbose || verification !== 'verified' || (publication !== null && publication.state !== 'published'),
  );
  const hidden = records.length - shown.length;
  return [
    row(
      2,
      span(`${padTo(name, column)}  `),
      span(verification === 'unknown' && reported !== null ? `${words} "${reported}"` : words, ...styles),
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

function recordRows({ record, publication }: IdentityStatus['records'][number]): Row[] {
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
 *
 * @param written the records above: a name server may refuse a duplicate
 */
function statusZone({ identities, checkedAt, environment }: Status, written: Set<string>): string {
  const comment = (text: string) => `; ${oneLine(text)}`;
  const shown = identities.filter(({ records, refused }) => records.length + refused.length > 0);
  const blocks = shown.map(({ address, verification, records, refused }) => [
    comment(`${address}: ${verification}`),
    ...refused.map((why) => comment(`WARNING, left out: ${why}`)),
    ...records.map(({ record, publication }) => {
      const line = zoneLine(record);
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

/** Strings that are not too long, with their special bytes escaped. */
function txtStrings(text: string): string {
  const bytes = Buffer.from(text);
  const count = Math.max(1, Math.ceil(bytes.length / maxTxtString));
  const strings = Array.from({ length: count }, (_, at) => {
    const part = bytes.subarray(at * maxTxtString, (at + 1) * maxTxtString);
    const escaped = Array.from(part, (byte) => {
      // CI systems read `##[` as the beginning of a command.
      if (byte < 0x20 || byte > 0x7e || byte === hash) return `\\${String(byte).padStart(3, '0')}`;
      const char = String.fromCharCode(byte);
      return char === '"' || char === '\\' ? `\\${char}` : char;
    });
    return `"${escaped.join('')}"`;
  });
  return strings.join(' ');
}

const hash = 0x23;
