import type { Argv } from 'yargs';
import { systemClock } from '../client/clock.ts';
import { createDnsChecker, type DnsChecker } from '../client/dns.ts';
import { readDuration } from '../loader/duration.ts';
import { loadProject } from '../loader/index.ts';
import { ExitCode } from '../model/exit.ts';
import { failure } from '../model/failure.ts';
import type { Status } from '../model/status.ts';
import { renderStatus, statusFormats } from '../report/status.ts';
import { scopeOf } from './check-globs.ts';
import { type ArgsOf, commonOptions, defineCommand, scopeOptions } from './command.ts';
import { hasColour, type Io, widthOf } from './io.ts';
import { createProgress, type Progress } from './progress.ts';
import { projectOptions } from './project.ts';
import { readStatus, type StatusScope } from './read-status.ts';
import { type Tenant, withTenant } from './tenant.ts';
import { isOver, tellChanges, tellUnsettled } from './wait.ts';

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
  const times = {
    limit: args.wait === undefined ? null : durationOf('wait', args.wait || '30m'),
    interval: durationOf('interval', args.interval),
    dnsTimeout: durationOf('dns-timeout', args.dnsTimeout),
  };
  const checker = await checkerFor(args, times.dnsTimeout);
  const { resources, ...project } = loadProject({ ...projectOptions(args, io), needsSecrets: false });
  const scope: StatusScope = { resources, includes: scopeOf(args) };
  const progress = createProgress(io, args);
  return withTenant(project, io, progress, async (tenant) => {
    const read = await readUntil(tenant, scope, times, args, io, progress);
    const status = checker ? await withDns(read, checker, io) : read;
    progress.end();
    const colour = args.format === 'text' && hasColour(io.stdout, io, args);
    io.stdout.write(renderStatus(status, args.format, { colour, width: widthOf(io.stdout) }));
    if (times.limit === null || isOver(status)) return ExitCode.done;
    if (!args.quiet) tellUnsettled(status, io);
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
  throw failure('duration-syntax', `--${option} "${text}" is no time.`, {
    hint: 'Write a number and ms, s, m or h: 90s, 30m.',
  });
}

/** The status; with a time limit, the first in which nothing is left to wait for, or the last before the limit. */
async function readUntil(
  tenant: Tenant,
  scope: StatusScope,
  { limit, interval }: { limit: number | null; interval: number },
  { quiet }: Args,
  io: Io,
  progress: Progress,
): Promise<Status> {
  const end = systemClock.now() + (limit ?? 0);
  let status = await readStatus(tenant, scope);
  while (limit !== null && !isOver(status)) {
    const left = end - systemClock.now();
    if (left <= 0) break;
    await systemClock.sleep(Math.min(interval, left), io.signal);
    if (io.signal.aborted) throw failure('interrupted', 'Interrupted.', {}, ExitCode.interrupted);
    const next = await readStatus(tenant, scope, status);
    progress.end();
    if (!quiet) tellChanges(status, next, io);
    status = next;
  }
  return status;
}

/** The status with each record marked by whether DNS has it. */
async function withDns(status: Status, checker: DnsChecker, io: Io): Promise<Status> {
  io.signal.addEventListener('abort', checker.cancel, { once: true });
  const identities = await Promise.all(
    status.identities.map(async (identity) => ({
      ...identity,
      records: await Promise.all(
        identity.records.map(async ({ record }) => ({ record, publication: await checker.check(record) })),
      ),
    })),
  );
  io.signal.removeEventListener('abort', checker.cancel);
  if (io.signal.aborted) throw failure('interrupted', 'Interrupted.', {}, ExitCode.interrupted);
  return { ...status, identities };
}

export const command = defineCommand(build, run);
