import { readOnlyTenant, type Tenant } from '../engine/tenant.ts';
import type { ProjectEnvironment } from '../kinds/project.ts';
import { hasChanges, isRefused, type Plan } from '../model/documents.ts';
import { ExitCode } from '../model/failure.ts';
import type { ReportOptions } from '../report/report.ts';
import { type ArgsOf, flag, format, groups, list, text } from './command.ts';
import { commitHere } from './commit.ts';
import type { Io } from './io.ts';
import { outputDocument, renderTemplates, saveFile, wantsPage } from './output.ts';
import { withTenant } from './progress.ts';

export const planOutputOptions = {
  out: text(
    'Save the plan to this file, for `apply FILE`. - is stdout; the plan is then shown on stderr',
    groups.output,
  ),
  format: format(['text', 'json', 'markdown', 'html'], groups.output),
  report: list('Also write the plan to these files (.md .html .json .xml .gitlab.json)', groups.output),
  'detailed-exitcode': flag('Exit with 2 if there are changes', groups.output),
} as const;

type PlanOutputArgs = ArgsOf<typeof planOutputOptions> & { readonly config: string | undefined };

/** Makes a plan with the project's tenant, which is only read. Saves it, writes its reports and prints it. Returns the exit code. */
export async function outputPlan(
  project: ProjectEnvironment,
  args: PlanOutputArgs,
  io: Io,
  makePlan: (tenant: Tenant) => Promise<ReturnType<typeof howToApply> & { readonly plan: Plan }>,
): Promise<ExitCode> {
  const { plan, ...extras } = await withTenant(project, io, async (tenant) => {
    // The page reuses the reads of the plan.
    const reader = readOnlyTenant(tenant);
    const made = await makePlan(reader);
    if (!wantsPage(args)) return made;
    const { readTemplateSetting } = await import('../engine/templates.ts');
    const setting = await readTemplateSetting(made.plan, reader);
    return { ...made, ...(await renderTemplates({ is: 'plan', plan: made.plan }, io, setting)) };
  });
  if (args.out !== undefined) saveFile(plan, args.out, io);
  const commit = await commitHere(args, io);
  await outputDocument({ is: 'plan', plan }, args, io, { ...extras, ...commit });
  if (isRefused(plan)) return ExitCode.refused;
  return args.detailedExitcode && hasChanges(plan) ? ExitCode.changes : ExitCode.done;
}

/** The arguments of `tenantctl apply` with a saved plan or with options, and with the project file if one is named. */
export function howToApply(
  what: string | readonly string[],
  { config }: Pick<PlanOutputArgs, 'config'>,
  { env }: Io,
): Pick<ReportOptions, 'applyWith'> {
  const file = config ?? (env.TENANTCTL_CONFIG || undefined);
  const words = typeof what === 'string' ? [what.startsWith('-') ? `./${what}` : what] : what;
  return { applyWith: file === undefined ? words : [...words, '--config', file] };
}
