import type { Argv } from 'yargs';
import { runSearch } from '../engine/search.ts';
import { loadProject } from '../loader/index.ts';
import { ExitCode, failure } from '../model/failure.ts';
import { renderSearch, searchFormats } from '../report/search.ts';
import { type ArgsOf, commonOptions, defineCommand, projectOptions } from './command.ts';
import { type Io, viewOf } from './io.ts';
import { withTenant } from './progress.ts';

function build(yargs: Argv) {
  return commonOptions(yargs)
    .usage(
      '$0 search LABEL [options]\n\nRuns a profile search: the declared one, or else the one saved in the tenant.',
    )
    .positional('label', { type: 'string', describe: 'The label of the search' })
    .demandOption('label')
    .option('format', { choices: searchFormats, default: 'table' as const, describe: 'Output format' })
    .option('limit', { type: 'number', describe: 'Maximum number of profiles', requiresArg: true })
    .option('order', {
      type: 'string',
      describe: 'Attribute to sort by, in ascending order, such as name',
      requiresArg: true,
    })
    .example('$0 search "Active contractors"', 'Show the profiles that it finds')
    .example(
      '$0 search "Active contractors" --format csv > contractors.csv',
      'Write them to a file for a spreadsheet',
    );
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  checkLimit(args.limit);
  const { resources, ...project } = loadProject({ ...projectOptions(args, io), needsSecrets: false });
  const found = await withTenant(project, args, io, (tenant) => runSearch(resources, tenant, args));
  const { colour, width } = viewOf(io.stdout, args, io);
  io.stdout.write(renderSearch(found, args.format, { colour: colour && args.format === 'table', width }));
  return ExitCode.done;
}

function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit > 0)) return;
  throw failure('limit-syntax', '--limit takes a whole number, 1 or more.');
}

export const command = defineCommand(build, run);
