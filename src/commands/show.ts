import { existsSync } from 'node:fs';
import { formOfText, readFleetFile, readPlanFile, readResultFile } from '../applier/saved-file.ts';
import { openProjects } from '../loader/index.ts';
import { type FleetMember, fleetOf } from '../model/documents.ts';
import { ExitCode, Failure, fail } from '../model/failure.ts';
import { parseJson } from '../model/json.ts';
import { valueAt } from '../model/pointer.ts';
import type { Document } from '../report/report.ts';
import { commonOptions, describeCommand, option } from './command.ts';
import type { Io } from './io.ts';
import { checkOutput, printReport, renderTemplates, reportOf, wantsPage, writeReports } from './output.ts';
import { commitHere, howToApply } from './plan-output.ts';
import { folderInRepository, projectFileOptions } from './project.ts';
import { readText } from './saved.ts';

export const command = describeCommand({
  usage:
    '$0 show FILE… [options]\n\nShows plan files and result files. Several are shown as one report. Sends no request to the tenant.',
  options: {
    ...commonOptions,
    env: { ...commonOptions.env, hidden: true },
    file: {
      ...option.argument('Files written by `plan --out` or `apply --result`'),
      array: true,
      demandOption: true,
    },
    format: option.format(['text', 'json', 'markdown', 'html', 'junit', 'github', 'gitlab']),
    report: option.list('Also write it to these files (.md .html .json .xml .gitlab.json)'),
  },
  examples: {
    '$0 show plan.json': 'Show a saved plan',
    '$0 show plan.json --report plan.html': 'Write it as a web page',
    '$0 show part-1.json part-2.json': 'Join the parts of a plan that several jobs have made',
  },
}).run(async (args, io) => {
  if (args.env.length > 0)
    throw fail('usage', 'show takes no --env: it shows all environments in the files.');
  const documents = args.file.map((file) => readSaved(file, io));
  const [first, ...others] = documents;
  const document = first && others.length === 0 ? first : joinDocuments(documents);
  checkOutput(args, document.is, io);
  // The loader refuses reports that would overwrite a file of the project.
  const options = projectFileOptions(args, io);
  const isInProject = existsSync(options.configFile);
  if (args.report.length > 0 && isInProject) openProjects(options);
  const [file = '', ...more] = args.file;
  const applying = isInProject && more.length === 0 ? howToApply(file, args, io) : {};
  const templates = wantsPage(args) ? await renderTemplates(document, io) : {};
  // The checkout may have another commit than the one that the files are of.
  const commit = await commitHere({ config: args.config, format: 'text', report: [] }, io);
  const extras = { ...templates, ...applying, ...commit, folder: await folderInRepository(args, io) };
  const report = reportOf(document, io, extras);
  await writeReports(report, args.report, io);
  await printReport(report, args.format, io);
  return ExitCode.done;
});

type SavedDocument = Extract<Document, { is: 'plan' | 'result' | 'fleet' }>;

/** Plans, results and fleets as one fleet. Throws a Failure if two are of one environment. */
function joinDocuments(documents: readonly SavedDocument[]): SavedDocument {
  const members = documents.flatMap((document): readonly FleetMember[] => {
    if (document.is === 'fleet') return document.fleet.environments;
    if (document.is === 'plan')
      return [{ name: document.plan.environment, plan: document.plan, error: null }];
    const { result } = document;
    return [{ name: result.environment, plan: null, result, error: null }];
  });
  const names = members.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw fail('environment-shown-twice', `Two of the files are of the environment ${twice}.`, {
      hint: 'Name one file for each environment.',
    });
  }
  return { is: 'fleet', fleet: fleetOf(members) };
}

function readSaved(file: string, io: Io): SavedDocument {
  const text = readText(file, io);
  try {
    const form = formOfText(text);
    if (form === null && valueAt(parseJson(text) ?? null, '/sides') !== undefined)
      throw fail('plan-unreadable', `${file} is a diff, not a plan or a result.`);
    if (form === 'result') return { is: 'result', result: readResultFile(text, file) };
    if (form === 'fleet') return { is: 'fleet', fleet: readFleetFile(text, file) };
    return { is: 'plan', plan: readPlanFile(text, file) };
  } catch (error) {
    // Exit 4 would mean that an apply was refused.
    throw error instanceof Failure ? new Failure(error.diagnostics) : error;
  }
}
