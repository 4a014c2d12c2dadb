import type { Argv } from 'yargs';
import { prepareTest, sendTest, templateKey } from '../engine/test-notification.ts';
import { loadProject } from '../loader/index.ts';
import { ExitCode, failure } from '../model/failure.ts';
import { testOutcome, testPreview } from '../report/test-notification.ts';
import { type ArgsOf, commonOptions, defineCommand, projectOptions } from './command.ts';
import { confirmed } from './confirm.ts';
import { readContextFile } from './context-file.ts';
import { type Io, isInteractive, viewOf } from './io.ts';
import { createProgress } from './progress.ts';
import { withTenant } from './tenant.ts';

function build(yargs: Argv) {
  return commonOptions(yargs)
    .usage(
      '$0 send-test ADDRESS [options]\n\nHas the tenant send a test notification of a template. It goes to real people.',
    )
    .positional('address', {
      type: 'string',
      describe: 'The template: NotificationTemplate/KEY/MEDIUM/LOCALE',
    })
    .demandOption('address')
    .option('context', {
      type: 'string',
      describe: "A YAML or JSON file with the template's variables; else made from the template",
      requiresArg: true,
    })
    .option('yes', { type: 'boolean', default: false, describe: 'Do not ask' })
    .option('format', {
      choices: ['text', 'json'] as const,
      default: 'text' as const,
      describe: 'How to print the outcome',
    })
    .example('$0 send-test NotificationTemplate/welcome/EMAIL/en --context ada.yaml', 'Show, ask, send');
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  if (!args.yes && !isInteractive(io)) {
    throw failure('consent-required', 'There is no terminal to ask on, so this test needs --yes.');
  }
  const context = args.context === undefined ? null : readContextFile(args.context, io);
  const { resources, ...project } = loadProject({ ...projectOptions(args, io), needsSecrets: false });
  const key = templateKey(args.address, resources);
  const progress = createProgress(io, args);
  return withTenant(project, io, progress, async (tenant) => {
    const test = await prepareTest(key, context, resources, tenant);
    progress.end();
    if (!args.yes || !args.quiet) io.stderr.write(testPreview(test, viewOf(io.stderr, args, io)));
    const isWanted = args.yes || (await confirmed('Send it?', io));
    const answer = isWanted ? await sendTest(test, tenant) : null;
    progress.end();
    io.stdout.write(testOutcome(test, answer, args.format, viewOf(io.stdout, args, io)));
    return ExitCode.done;
  });
}

export const command = defineCommand(build, run);
