import type { Argv } from 'yargs';
import { readTemplateSetting, type TemplateSetting } from '../engine/templates.ts';
import { readOnlyTenant, type Tenant } from '../engine/tenant.ts';
import { ExitCode } from '../model/failure.ts';
import { hasChanges, isRefused, type Plan } from '../model/plan.ts';
import type { Project } from '../model/project.ts';
import type { ArgsOf } from './command.ts';
import type { Io, Verbosity } from './io.ts';
import {
  appendStepSummary,
  checkReportFiles,
  checkWritable,
  printDocument,
  renderTemplates,
  wantsPage,
  writeReports,
  writeText,
} from './output.ts';
import { createProgress } from './progress.ts';
import { withTenant } from './tenant.ts';

/** Options of the commands that show a plan and may save it. */
export function planOutputOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('out', {
      type: 'string',
      describe: 'Save the plan to this file, for `apply FILE`',
      requiresArg: true,
    })
    .option('format', {
      choices: ['text', 'json', 'markdown', 'html'] as const,
      default: 'text' as const,
      describe: 'How to print the plan',
    })
    .option('report', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'Also write it to these files (.md .html .json .xml, .gitlab.json)',
      requiresArg: true,
    })
    .option('detailed-exitcode', {
      type: 'boolean',
      default: false,
      describe: 'Exit with 2 when there are changes',
    });
}

type PlanOutputArgs = Verbosity & ArgsOf<typeof planOutputOptions<unknown>>;

/** Throws a Failure, before any work, for files that {@link showPlan} could not write. */
export function checkPlanFiles({ out, report }: Pick<PlanOutputArgs, 'out' | 'report'>, io: Io): void {
  checkReportFiles(report, 'plan');
  checkWritable([...report, ...(out === undefined ? [] : [out])], io);
}

/** Makes a plan with the project's tenant, then saves and prints it; the exit code says what it holds. */
export async function showPlan(
  project: Project,
  args: PlanOutputArgs,
  io: Io,
  makePlan: (tenant: Tenant) => Promise<Plan>,
): Promise<ExitCode> {
  const { plan, setting } = await withTenant(project, io, createProgress(io, args), async (tenant) => {
    const reader = readOnlyTenant(tenant);
    const made = await makePlan(reader);
    return { plan: made, setting: wantsPage(args) ? await readTemplateSetting(made, reader) : {} };
  });
  return putOut(plan, setting, args, io);
}

async function putOut(plan: Plan, setting: TemplateSetting, args: PlanOutputArgs, io: Io): Promise<ExitCode> {
  const document = { is: 'plan', plan } as const;
  const templates = wantsPage(args) ? await renderTemplates(document, setting) : {};
  if (args.out !== undefined) writeText(args.out, `${JSON.stringify(plan, null, 2)}\n`, io);
  writeReports(document, args.report, io, templates);
  appendStepSummary(document, io);
  printDocument(document, args.format, args, io, templates);
  if (isRefused(plan)) return ExitCode.refused;
  return args.detailedExitcode && hasChanges(plan) ? ExitCode.changes : ExitCode.done;
}
