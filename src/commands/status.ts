import { createDnsChecker, type DnsChecker } from '../client/dns-checker.ts';
import { checkScope, selectionOf } from '../engine/choices.ts';
import { forEachEnvironment } from '../engine/fleet.ts';
import {
  checkDns,
  identitiesToAwait,
  isSettled,
  readStatus,
  type StatusScope,
  waitForStatus,
} from '../engine/status.ts';
import type { Tenant } from '../engine/tenant.ts';
import type { Project } from '../kinds/project.ts';
import { loadProject, openProjects, readDuration } from '../loader/index.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { ExitCode, fail } from '../model/failure.ts';
import { worstExitCode } from '../model/fleet.ts';
import { isVerificationOver, type Status, statusFormat } from '../model/status.ts';
import { namesAndMore } from '../model/words.ts';
import { oneLine, safeJson } from '../report/safe.ts';
import { renderStatus, statusFormats, verificationWords } from '../report/status.ts';
import {
  type ArgsOf,
  type CommonArgv,
  describeCommand,
  flag,
  fleetOptions,
  format,
  scopeOptions,
  text,
} from './command.ts';
import { type Io, printNote, viewOf } from './io.ts';
import { printDiagnostics } from './output.ts';
import { withFleetProgress, withTenant } from './progress.ts';
import { projectFileOptions, projectOptions, selectedEnvironments } from './project.ts';

const defaultWait = '30m';

function options(yargs: CommonArgv) {
  return fleetOptions(scopeOptions(yargs))
    .option('format', { ...format(statusFormats), describe: 'Output format. zone: lines for a zone file' })
    .option('dns', flag('Check whether DNS has the records'))
    .option('resolver', text("Name server for --dns, as HOST:PORT. Default: the system's"))
    .option('dns-timeout', {
      ...text('Time to wait for the name server. Each record is tried twice'),
      default: '3s',
    })
    .option('wait', {
      type: 'string',
      describe: `Wait until all declared identities are verified. Exit with 3 after this time (default ${defaultWait})`,
    })
    .option('interval', { ...text('Time between two checks of --wait'), default: '15s' });
}

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
  const checker = isChecked ? await createDnsChecker({ server: resolver ?? null, timeout }) : null;
  const read = statusReader(args, io, checker);
  const names = selectedEnvironments(args, io);
  if (names) return statusOfSeveral(names, read, args, io);
  const project = loadProject(projectOptions(args, io));
  return withTenant(project, io, async (tenant, progress) => {
    const { status, unmatched } = await read(project, tenant, () => progress.end());
    progress.end();
    printDiagnostics(unmatched, io);
    io.stdout.write(renderStatus(status, args.format, viewOf(io.stdout, io)));
    return exitCodeOf(status, args, io);
  });
});

/** The states of several environments: each below its name, or as one JSON value. */
async function statusOfSeveral(
  names: readonly string[],
  read: ReadStatus,
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
    io.stdout.write(`${safeJson({ formatVersion: statusFormat, environments })}\n`);
  }
  for (const { name, value, error } of outcomes) {
    if (value && args.format !== 'json') {
      const heading = args.format === 'zone' ? `; ${oneLine(name)}` : oneLine(name);
      const text = renderStatus(value.status, args.format, viewOf(io.stdout, io));
      io.stdout.write(`${heading}\n\n${text}\n`);
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

/** Reads the status of a tenant, or waits for it. `onPrint` is called before lines are printed. */
type ReadStatus = (
  project: Project,
  tenant: Tenant,
  onPrint: () => void,
) => Promise<{ readonly status: Status; readonly unmatched: readonly Diagnostic[] }>;

function statusReader(args: Args, io: Io, checker: DnsChecker | null): ReadStatus {
  const limit = args.wait === undefined ? null : durationOf('wait', args.wait || defaultWait);
  const interval = durationOf('interval', args.interval);
  return async ({ environment, resources }, tenant, onPrint) => {
    checkScope(args, environment.kinds);
    const { includes, findUnmatched } = selectionOf(args);
    const scope: StatusScope = { resources, includes };
    const say = (lines: readonly string[]) => {
      onPrint();
      if (!io.quiet) for (const line of lines) printNote(oneLine(line), io);
    };
    const onWait = (status: Status) => say([waitWords(status, args.wait || defaultWait)]);
    const onRead = (before: Status, after: Status) => say(changeWords(before, after));
    const read =
      limit === null
        ? await readStatus(tenant, scope)
        : await waitForStatus(tenant, scope, { limit, interval, signal: io.signal, onWait, onRead });
    const status = checker ? await checkDns(read, checker, io.signal) : read;
    return { status, unmatched: findUnmatched() };
  };
}

/** With `--wait`, what is not verified makes the command incomplete, and is named. */
function exitCodeOf(status: Status, { wait }: Args, io: Io): ExitCode {
  if (wait === undefined || isSettled(status)) return ExitCode.done;
  const names = listUnsettled(status).join(', ');
  if (!io.quiet) printNote(oneLine(`The time is up. Not verified in ${status.environment}: ${names}.`), io);
  return ExitCode.incomplete;
}

function durationOf(option: string, text: string): number {
  const duration = readDuration(text);
  if (duration !== null && duration > 0) return duration;
  throw fail('duration-syntax', `--${option} "${text}" is not a duration.`, {
    hint: 'Write a number with the unit ms, s, m or h: 90s, 30m.',
  });
}

/** Which verifications have changed between two reads. */
function changeWords(before: Status, after: Status): string[] {
  const was = new Map(before.identities.map(({ address, verification }) => [address, verification]));
  return after.identities.flatMap(({ address, verification }) => {
    const then = was.get(address);
    const from = then === undefined ? 'new' : verificationWords[then].words;
    return then === verification ? [] : [`${address}: ${from} -> ${verificationWords[verification].words}`];
  });
}

/** Of the identities that are waited for, so many are named. */
const mostAwaited = 5;

function waitWords(status: Status, limit: string): string {
  const names = listUnsettled(status);
  const shown = namesAndMore(names.slice(0, mostAwaited), Math.max(0, names.length - mostAwaited));
  return `Waiting up to ${limit} in ${status.environment} for ${shown}.`;
}

function listUnsettled(status: Status): string[] {
  const open = identitiesToAwait(status).filter((identity) => !isVerificationOver(identity));
  return open.map(({ address, verification }) => `${address} (${verificationWords[verification].words})`);
}
