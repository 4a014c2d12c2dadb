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
import { outputDocument, renderTemplates, wantsPage } from './output.ts';
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
  const templates = wantsPage(args) ? await renderTemplates(document, io, setting) : {};
  if (args.out !== undefined) saveFile(plan, args.out, io);
  outputDocument(document, args, io, { ...templates, ...applying });
  if (isRefused(plan)) return ExitCode.refused;
  return args.detailedExitcode && hasChanges(plan) ? ExitCode.changes : ExitCode.done;
}
