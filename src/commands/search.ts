import { runSearch } from '../engine/search.ts';
import { loadProject } from '../loader/index.ts';
import { ExitCode } from '../model/failure.ts';
import { renderSearch, searchFormats } from '../report/search.ts';
import { describeCommand, flag, format, number, text, wholeNumber } from './command.ts';
import { viewOf } from './io.ts';
import { withTenant } from './progress.ts';
import { projectOptions } from './project.ts';

export const command = describeCommand({
  usage:
    '$0 search LABEL [options]\n\nRuns a profile search: the declared one, or else the one saved in the tenant.',
  options: (yargs) =>
    yargs
      .positional('label', { type: 'string', describe: 'The label of the search' })
      .demandOption('label')
      .option('format', format(searchFormats))
      .option('limit', number('Maximum number of profiles'))
      .check(wholeNumber('limit', { least: 1, code: 'limit-syntax' }))
      .option('ids', flag('Show the ids in the table, too. JSON and CSV always have them'))
      .option('order', text('Attribute to sort by, in ascending order, such as name')),
  examples: {
    '$0 search "Active contractors"': 'Show the profiles that it finds',
    '$0 search "Active contractors" --format csv > contractors.csv': 'Write them to a file for a spreadsheet',
  },
}).run(async (args, io) => {
  const { resources, ...project } = loadProject(projectOptions(args, io));
  const found = await withTenant(project, io, (tenant) => runSearch(resources, tenant, args));
  io.stdout.write(renderSearch(found, args.format, { ...viewOf(io.stdout, io), ids: args.ids }));
  return ExitCode.done;
});
