import { existsSync } from 'node:fs';
import { formOfText, readFleetFile, readPlanFile, readResultFile } from '../applier/saved-file.ts';
import { openProjects } from '../loader/index.ts';
import { ExitCode, Failure, fail } from '../model/failure.ts';
import { type FleetMember, fleetOf } from '../model/fleet.ts';
import { isObject, parseJson } from '../model/json.ts';
import type { Document } from '../report/report.ts';
import { describeCommand, format, list } from './command.ts';
import { commitOfJob } from './commit.ts';
import type { Io } from './io.ts';
import { checkOutput, printReport, renderTemplates, reportFor, wantsPage, writeReports } from './output.ts';
import { howToApplyFile } from './plan-output.ts';
import { projectFileOptions } from './project.ts';
import { readText } from './saved.ts';

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
      .hide('env')
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
  const documents: SavedDocument[] = [];
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

/** Reads a plan, result or fleet file. Throws a Failure (exit 1) for any other file. */
async function readSaved(file: string, io: Io): Promise<SavedDocument> {
  const text = await readText(file, io);
  try {
    const form = formOfText(text);
    if (form === 'result') return { is: 'result', result: readResultFile(text, file) };
    if (form === 'fleet') return { is: 'fleet', fleet: readFleetFile(text, file) };
    if (form === null) refuseKnown(file, text);
    return { is: 'plan', plan: readPlanFile(text, file) };
  } catch (error) {
    // Exit 4 would mean that an apply was refused.
    throw error instanceof Failure ? new Failure(error.diagnostics) : error;
  }
}

/** Throws a Failure that names what the file is: a diff, or a result that was cut. */
function refuseKnown(file: string, text: string): void {
  const value = parseJson(text);
  if (isObject(value) && Object.hasOwn(value, 'sides'))
    throw fail('plan-unreadable', `${file} is the diff of two sides, not a plan or a result.`, {
      hint: 'Run `tenantctl diff` again with the wanted --format, or with --report FILE.',
    });
  if (value === undefined && /^\s*\{[^{}[\]]{0,1000}"planDigest"/.test(text))
    throw fail('result-unreadable', `${file} is a result that was cut off.`, {
      hint: 'The results of an environment are also in `.tenantctl/ENVIRONMENT/results`.',
    });
}

/**
 * Throws a Failure for a report that would overwrite a file of the project that is there, and if that cannot be read, since its
 * files are unknown then.
 */
function protectProject(args: Parameters<typeof projectFileOptions>[0], io: Io): void {
  const options = projectFileOptions(args, io);
  if (!existsSync(options.configFile)) return;
  try {
    // The loader refuses such outputs.
    openProjects(options);
  } catch (error) {
    if (!(error instanceof Failure) || error.diagnostics.some(({ code }) => code === 'usage')) throw error;
    // Explains to somebody who only wants to see a plan why the project matters.
    const message =
      'The report was not written: it could overwrite a file of the project, which could not be read.';
    const hint = 'Correct the project first, or run the command outside the project.';
    throw new Failure([...error.diagnostics, { code: 'usage', severity: 'error', message, hint }]);
  }
}
