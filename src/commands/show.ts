import type { Argv } from 'yargs';
import { ExitCode } from '../model/failure.ts';
import { formats } from '../report/options.ts';
import { defineCommand } from './command.ts';
import { commonOptions, format, list } from './options.ts';
import { checkReportFiles, printDocument, renderTemplates, wantsPage, writeReports } from './output.ts';
import { readSaved } from './saved.ts';

function build(yargs: Argv) {
  return commonOptions(yargs)
    .usage('$0 show FILE [options]\n\nShows a plan file or a result file. Sends no request to the tenant.')
    .positional('file', { type: 'string', describe: 'A file written by `plan --out` or `apply --result`' })
    .demandOption('file')
    .option('format', format(formats))
    .option('report', list('Also write it to these files (.md .html .json .xml .gitlab.json)'))
    .example('$0 show plan.json', 'Show a saved plan')
    .example('$0 show plan.json --report plan.html', 'Write it as a web page');
}

export const command = defineCommand(build, async (args, io) => {
  const document = readSaved(args.file, io);
  checkReportFiles(args.report, document.is);
  const templates = wantsPage(args) ? await renderTemplates(document) : {};
  writeReports(document, args.report, io, templates);
  printDocument(document, args, io, templates);
  return ExitCode.done;
});
