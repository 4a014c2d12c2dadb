import type { Argv } from 'yargs';
import { readTemplateSetting, type TemplateSetting } from '../engine/templates.ts';
import { readOnlyTenant, type Tenant } from '../engine/tenant.ts';
import type { Project } from '../kinds/project.ts';
import { ExitCode } from '../model/failure.ts';
import { hasChanges, isRefused, type Plan } from '../model/plan.ts';
import type { ReportOptions } from '../report/index.ts';
import type { ArgsOf } from './command.ts';
import type { Io, Verbosity } from './io.ts';
import { flag, format, group, list, text } from './options.ts';
import {
  appendStepSummary,
  checkFormat,
  checkReportFiles,
  checkWritable,
  printDocument,
  renderTemplates,
  wantsPage,
  writeReports,
} from './output.ts';
import { withTenant } from './progress.ts';
import { saveFile } from './saved.ts';

/** Options of the commands that show a plan and may save it. */
export function planOutputOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('out', text('Save the plan to this file, for `apply FILE`'))
    .option('format', format(['text', 'json', 'markdown', 'html']))
    .option('report', list('Also write the plan to these files (.md .html .json .xml .gitlab.json)'))
    .option('detailed-exitcode', flag('Exit with 2 if there are changes'))
    .group(['out', 'format', 'report', 'detailed-exitcode'], group.output);
}

type PlanOutputArgs = Verbosity & ArgsOf<typeof planOutputOptions<unknown>>;

/**
 * Throws a Failure for files that {@link outputPlan} could not write. To be called before any other work.
 *
 * @param reads the files that the command reads, which it must not overwrite
 */
export function checkPlanFiles(
  { out, report, format }: Pick<PlanOutputArgs, 'out' | 'report' | 'format'>,
  is: 'plan' | 'fleet',
  io: Io,
  reads: readonly string[] = [],
): void {
  checkFormat(format, is);
  checkReportFiles(report, is);
  checkWritable([...report, ...(out === undefined ? [] : [out])], io, reads);
}

/** A plan, and what is needed to render its templates. */
interface MadePlan {
  readonly plan: Plan;
  readonly setting: TemplateSetting;
}

/** Makes a plan with the project's tenant, which is only read. */
export function planWithTenant(
  project: Project,
  args: PlanOutputArgs,
  io: Io,
  makePlan: (tenant: Tenant) => Promise<Plan>,
): Promise<MadePlan> {
  return withTenant(project, args, io, async (tenant) => {
    const reader = readOnlyTenant(tenant);
    const plan = await makePlan(reader);
    return { plan, setting: wantsPage(args) ? await readTemplateSetting(plan, reader) : {} };
  });
}

/** Saves a plan, writes its reports and prints it. Returns the exit code. */
export async function outputPlan(
  { plan, setting, ...applying }: MadePlan & Pick<ReportOptions, 'applyWith'>,
  args: PlanOutputArgs,
  io: Io,
): Promise<ExitCode> {
  const document = { is: 'plan', plan } as const;
  const templates = wantsPage(args) ? await renderTemplates(document, setting) : {};
  const extras = { ...templates, ...applying };
  if (args.out !== undefined) saveFile(plan, args.out, io);
  writeReports(document, args.report, io, extras);
  appendStepSummary(document, io, applying);
  printDocument(document, args, io, extras);
  if (isRefused(plan)) return ExitCode.refused;
  return args.detailedExitcode && hasChanges(plan) ? ExitCode.changes : ExitCode.done;
}
