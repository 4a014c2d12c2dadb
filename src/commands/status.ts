import type { Argv } from 'yargs';
import { createDnsChecker } from '../client/dns-checker.ts';
import { selectionOf } from '../engine/choices.ts';
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
import { defineCommand } from './command.ts';
import { type Io, viewOf } from './io.ts';
import { commonOptions, flag, format, projectOptions, scopeOptions, text } from './options.ts';
import { printDiagnostics } from './output.ts';
import { withTenant } from './progress.ts';

function build(yargs: Argv) {
  return scopeOptions(commonOptions(yargs))
    .usage(
      '$0 status [options]\n\nShows the verification of senders, domains and MAIL FROM domains, and the DNS records to publish.',
    )
    .option('format', { ...format(statusFormats), describe: 'Output format. zone: lines for a zone file' })
    .option('dns', flag('Check whether DNS has the records'))
    .option('resolver', text("Name server for --dns, as HOST:PORT. Default: the system's"))
    .option('dns-timeout', {
      ...text('Time to wait for the name server. Each record is tried twice'),
      default: '3s',
    })
    .option('wait', {
      type: 'string',
      describe: 'Wait until all declared identities are verified. Exit with 3 after this time (default 30m)',
    })
    .option('interval', { ...text('Time between two checks of --wait'), default: '15s' })
    .example('$0 status --dns', 'Check the verification and the DNS records')
    .example('$0 status --format zone >> acme.example.zone', 'Add the records to a zone file')
    .example('$0 apply --yes && $0 status --wait 30m', 'In CI: continue when all are verified');
}

export const command = defineCommand(build, async (args, io) => {
  const limit = args.wait === undefined ? null : durationOf('wait', args.wait || '30m');
  const interval = durationOf('interval', args.interval);
  const timeout = durationOf('dns-timeout', args.dnsTimeout);
  const checksDns = args.dns || args.resolver !== undefined;
  const checker = checksDns ? await createDnsChecker({ server: args.resolver ?? null, timeout }) : null;
  const { resources, ...project } = loadProject(projectOptions(args, io));
  const { includes, unmatched } = selectionOf(args);
  const scope: StatusScope = { resources, includes };
  return withTenant(project, args, io, async (tenant, progress) => {
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
    printDiagnostics(unmatched(), args, io);
    const { colour, width } = viewOf(io.stdout, args, io);
    io.stdout.write(renderStatus(status, args.format, { colour: colour && args.format === 'text', width }));
    if (limit === null || isSettled(status)) return ExitCode.done;
    if (!args.quiet) printUnsettled(status, io);
    return ExitCode.incomplete;
  });
});

function durationOf(option: string, text: string): number {
  const duration = readDuration(text);
  if (duration !== null && duration > 0) return duration;
  throw failure('duration-syntax', `--${option} "${text}" is not a duration.`, {
    hint: 'Write a number with the unit ms, s, m or h: 90s, 30m.',
  });
}

/** Prints on stderr which verifications have changed between two reads. */
function printChanges(before: Status, after: Status, io: Io): void {
  const was = new Map(before.identities.map(({ address, verification }) => [address, verification]));
  for (const { address, verification } of after.identities) {
    const then = was.get(address);
    if (then === verification) continue;
    const from = then === undefined ? 'new' : verificationWords[then].words;
    io.stderr.write(`${oneLine(address)}: ${from} -> ${verificationWords[verification].words}\n`);
  }
}

/** Prints on stderr which verifications are not over after the limit. */
function printUnsettled(status: Status, io: Io): void {
  const open = identitiesToAwait(status).filter((identity) => !isVerificationOver(identity));
  const names = open.map(
    ({ address, verification }) => `${address} (${verificationWords[verification].words})`,
  );
  io.stderr.write(`The time is up. Not verified: ${names.map(oneLine).join(', ')}.\n`);
}
