import { ExitCode, fail } from '../model/failure.ts';
import { type FleetMember, fleetOf } from '../model/fleet.ts';
import type { Document } from '../report/report.ts';
import { describeCommand, format, list } from './command.ts';
import { commitOfJob } from './commit.ts';
import { checkOutput, printReport, renderTemplates, reportFor, wantsPage, writeReports } from './output.ts';
import { howToApplyFile } from './plan-output.ts';
import { protectProject } from './project.ts';
import { readSaved } from './saved.ts';

export const command = describeCommand({
  usage:
    '$0 show FILE… [options]\n\nShows plan files and result files. Several are shown as one report. Sends no request to the tenant.',
  options: (yargs) =>
    yargs
      .positional('file', {
        type: 'string',
        array: true,
        describe: 'Files written by `plan --out` or `apply --result`',
      })
      .demandOption('file')
      .option('format', format(['text', 'json', 'markdown', 'html', 'junit', 'github', 'gitlab']))
      .option('report', list('Also write it to these files (.md .html .json .xml .gitlab.json)')),
  examples: {
    '$0 show plan.json': 'Show a saved plan',
    '$0 show plan.json --report plan.html': 'Write it as a web page',
    '$0 show part-1.json part-2.json': 'Join the parts of a plan that several jobs have made',
  },
}).run(async (args, io) => {
  if (args.env.length > 0)
    throw fail('usage', 'show takes no --env: it shows all environments in the files.');
  const documents: Document[] = [];
  for (const file of args.file) documents.push(await readSaved(file, io));
  const [first, ...others] = documents;
  const document = first && others.length === 0 ? first : joinDocuments(documents);
  checkOutput(args, document.is, io, args.file);
  if (args.report.length > 0) protectProject(args, io);
  const [file = '', ...more] = args.file;
  const applying = more.length === 0 ? howToApplyFile(file, args, io) : {};
  const templates = wantsPage(args) ? await renderTemplates(document, io) : {};
  const extras = { ...templates, ...applying, ...commitOfJob(args, io) };
  const report = reportFor(document, io, extras);
  await writeReports(report, args.report, io);
  await printReport(report, args, io);
  return ExitCode.done;
});

/** Plans, results and fleets as one fleet. Throws a Failure where two are of one environment. */
function joinDocuments(documents: readonly Document[]): Document {
  const members = documents.flatMap(membersOf);
  const names = members.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw fail('environment-shown-twice', `Two of the files are of the environment ${twice}.`, {
      hint: 'Name one file for each environment.',
    });
  }
  return { is: 'fleet', fleet: fleetOf(members) };
}

function membersOf(document: Document): readonly FleetMember[] {
  switch (document.is) {
    case 'plan':
      return [{ name: document.plan.environment, plan: document.plan, error: null }];
    case 'result':
      return [{ name: document.result.environment, plan: null, result: document.result, error: null }];
    case 'fleet':
      return document.fleet.environments;
    case 'diff':
    case 'diagnostics':
      return [];
  }
}
