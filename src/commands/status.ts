import type { Argv } from 'yargs';
import { createDnsChecker, type DnsChecker } from '../client/dns.ts';
import { scopeOf } from '../engine/choices.ts';
import {
  checkDns,
  identitiesToAwait,
  isSettled,
  readStatus,
  type StatusScope,
  waitForStatus,
} from '../engine/status.ts';
import { loadProject, readDuration } from '../loader/index.ts';
import { ExitCode, failure } from '../model/failure.ts';
import { isVerificationOver, type Status } from '../model/status.ts';
import { oneLine } from '../report/safe.ts';
import { renderStatus, statusFormats, verificationWords } from '../report/status.ts';
import { type ArgsOf, commonOptions, defineCommand, projectOptions, scopeOptions } from './command.ts';
import { type Io, viewOf } from './io.ts';
import { createProgress } from './progress.ts';
import { withTenant } from './tenant.ts';

function build(yargs: Argv) {
  return scopeOptions(commonOptions(yargs))
    .usage(
      '$0 status [options]\n\nShows senders, domains and MAIL FROM domains: their verification, and the DNS records to publish.',
    )
    .option('format', {
      choices: statusFormats,
      default: 'text' as const,
      describe: 'How to print it; zone: lines for a zone file',
    })
    .option('dns', { type: 'boolean', default: false, describe: 'Ask DNS whether the records are published' })
    .option('resolver', {
      type: 'string',
      describe: "The name server that --dns asks, HOST:PORT; else the system's",
      requiresArg: true,
    })
    .option('dns-timeout', {
      type: 'string',
      default: '3s',
      describe: 'How long to wait for the name server, twice for each record',
      requiresArg: true,
    })
    .option('wait', {
      type: 'string',
      describe: 'Wait until all that is declared is verified, at most this long (30m); exit 3 at the limit',
    })
    .option('interval', {
      type: 'string',
      default: '15s',
      describe: 'How often --wait asks the tenant',
      requiresArg: true,
    })
    .example('$0 status --dns', 'What is verified, and does public DNS have the records?')
    .example('$0 status --format zone >> acme.example.zone', 'The records to publish')
    .example('$0 apply --yes && $0 status --wait 30m', 'In CI: go on when all is verified');
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  const limit = args.wait === undefined ? null : durationOf('wait', args.wait || '30m');
  const interval = durationOf('interval', args.interval);
  const checker = await checkerFor(args, durationOf('dns-timeout', args.dnsTimeout));
  const { resources, ...project } = loadProject({ ...projectOptions(args, io), needsSecrets: false });
  const scope: StatusScope = { resources, includes: scopeOf(args) };
  const progress = createProgress(io, args);
  return withTenant(project, io, progress, async (tenant) => {
    const onRead = (before: Status, after: Status) => {
      progress.end();
      if (!args.quiet) printChanges(before, after, io);
    };
    const read =
      limit === null
        ? await readStatus(tenant, scope)
        : await waitForStatus(tenant, scope, { limit, interval, signal: io.signal, onRead });
    const status = checker ? await checkDns(read, checker, io.signal) : read;
    progress.end();
    const { colour, width } = viewOf(io.stdout, args, io);
    io.stdout.write(renderStatus(status, args.format, { colour: colour && args.format === 'text', width }));
    if (limit === null || isSettled(status)) return ExitCode.done;
    if (!args.quiet) printUnsettled(status, io);
    return ExitCode.incomplete;
  });
}

async function checkerFor({ dns, resolver }: Args, timeout: number): Promise<DnsChecker | null> {
  if (!dns && resolver === undefined) return null;
  return createDnsChecker({ server: resolver ?? null, timeout, tries: 2 });
}

function durationOf(option: string, text: string): number {
  const duration = readDuration(text);
  if (duration !== null && duration > 0) return duration;
  throw failure('duration-syntax', `--${option} "${text}" is no duration.`, {
    hint: 'Write a number and ms, s, m or h: 90s, 30m.',
  });
}

/** Prints on stderr whose verification has changed between two readings. */
function printChanges(before: Status, after: Status, io: Io): void {
  const was = new Map(before.identities.map(({ address, verification }) => [address, verification]));
  for (const { address, verification } of after.identities) {
    const then = was.get(address);
    if (then === verification) continue;
    const from = then === undefined ? 'new' : verificationWords[then];
    io.stderr.write(`${oneLine(address)}: ${from} -> ${verificationWords[verification]}\n`);
  }
}

/** Prints on stderr what is not verified when the time is up. */
function printUnsettled(status: Status, io: Io): void {
  const open = identitiesToAwait(status).filter((identity) => !isVerificationOver(identity));
  const names = open.map(({ address, verification }) => `${address} (${verificationWords[verification]})`);
  io.stderr.write(`The time is up. Not verified: ${names.map(oneLine).join(', ')}.\n`);
}

export const command = defineCommand(build, run);
