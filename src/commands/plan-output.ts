import { readOnlyTenant, type Tenant } from '../engine/tenant.ts';
import type { ProjectEnvironment } from '../kinds/project.ts';
import { isCi } from '../loader/inputs.ts';
import { ExitCode } from '../model/failure.ts';
import { hasChanges, isRefused, type Plan } from '../model/plan.ts';
import type { ReportOptions } from '../report/report.ts';
import { type ArgsOf, flag, format, givenOptions, groups, list, type PlanArgs, text } from './command.ts';
import { commitHere } from './commit.ts';
import type { Io } from './io.ts';
import { outputDocument, renderTemplates, saveFile, stdoutName, wantsPage } from './output.ts';
import { withTenant } from './progress.ts';
import { selectorsOf } from './project.ts';

export const planOutputOptions = {
  out: text(
    'Save the plan to this file, for `apply FILE`. - is stdout; the plan is then shown on stderr',
    groups.output,
  ),
  format: format(['text', 'json', 'markdown', 'html'], groups.output),
  report: list('Also write the plan to these files (.md .html .json .xml .gitlab.json)', groups.output),
  'detailed-exitcode': flag('Exit with 2 if there are changes', groups.output),
} as const;

type PlanOutputArgs = Pick<PlanArgs, 'config'> & ArgsOf<typeof planOutputOptions>;

/** Makes a plan with the project's tenant, which is only read. Saves it, writes its reports and prints it. Returns the exit code. */
export async function outputPlan(
  project: ProjectEnvironment,
  args: PlanOutputArgs,
  io: Io,
  makePlan: (tenant: Tenant) => Promise<HowToApply & { readonly plan: Plan }>,
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

/** The arguments of `tenantctl apply` that apply a plan. */
type HowToApply = Pick<ReportOptions, 'applyWith'>;

/**
 * Applies the saved file of `plan`, or else makes the same plan again. In a pipeline, the file is on another machine than the
 * reader, who should not apply a file from a pull request.
 */
export function howToApplyPlan(args: PlanArgs & { readonly out: string | undefined }, io: Io): HowToApply {
  if (args.out !== undefined && args.out !== stdoutName && !isCi(io.env))
    return howToApplyFile(args.out, args, io);
  // The options that the digest of a plan depends on.
  const names = ['env', 'shard', 'only', 'except', 'rotate', 'prune', 'since', 'max-deletes'] as const;
  const selected = { ...args, env: selectorsOf(args, io).selectors };
  const words = givenOptions(selected, [...names, 'allow-delete-all']).flatMap(({ option, values }) =>
    values.length === 0 ? [option] : values.flatMap((value) => [option, value]),
  );
  return { applyWith: [...words, ...configWords(args, io)] };
}

export function howToApplyFile(file: string, args: Pick<PlanArgs, 'config'>, io: Io): HowToApply {
  return { applyWith: [file.startsWith('-') ? `./${file}` : file, ...configWords(args, io)] };
}

function configWords({ config }: Pick<PlanArgs, 'config'>, { env }: Io): string[] {
  const file = config ?? (env.TENANTCTL_CONFIG || undefined);
  return file === undefined ? [] : ['--config', file];
}
