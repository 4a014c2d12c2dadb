import type { Argv } from 'yargs';
import { resourcesAtHand } from '../engine/proof.ts';
import { readTemplateSetting, type TemplateSetting } from '../engine/templates.ts';
import { readOnlyTenant, type Tenant } from '../engine/tenant.ts';
import type { Project, ProjectEnvironment } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { isCi } from '../loader/inputs.ts';
import { ExitCode, fail } from '../model/failure.ts';
import { type Change, hasChanges, isRefused, type Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import { attentionWords } from '../report/page.ts';
import type { Document, ReportOptions } from '../report/report.ts';
import { oneLine } from '../report/safe.ts';
import type { ApplyLines } from './apply-lines.ts';
import { type ArgsOf, flag, format, givenOptions, group, list, type PlanArgs, text } from './command.ts';
import { commitHere } from './commit.ts';
import type { Io, Verbosity } from './io.ts';
import { confirm } from './io.ts';
import {
  appendStepSummary,
  isWritten,
  outputDocument,
  printRemarks,
  printReport,
  renderTemplates,
  reportFor,
  saveFile,
  stdoutName,
  wantsPage,
  writeReports,
} from './output.ts';
import { withTenant } from './progress.ts';
import { selectorsOf } from './project.ts';

export function planOutputOptions<T>(yargs: Argv<T>) {
  return yargs
    .option(
      'out',
      text('Save the plan to this file, for `apply FILE`. - is stdout; the plan is then shown on stderr'),
    )
    .option('format', format(['text', 'json', 'markdown', 'html']))
    .option('report', list('Also write the plan to these files (.md .html .json .xml .gitlab.json)'))
    .option('detailed-exitcode', flag('Exit with 2 if there are changes'))
    .group(['out', 'format', 'report', 'detailed-exitcode'], group.output);
}

type PlanOutputArgs = Verbosity & Pick<PlanArgs, 'config'> & ArgsOf<typeof planOutputOptions<unknown>>;

/** A plan, and what is needed to render its templates. */
interface MadePlan {
  readonly plan: Plan;
  readonly setting: TemplateSetting;
}

/** Makes a plan with the project's tenant, which is only read. */
export function planWithTenant(
  project: ProjectEnvironment,
  args: PlanOutputArgs,
  io: Io,
  makePlan: (tenant: Tenant) => Promise<Plan>,
): Promise<MadePlan> {
  return withTenant(project, args, io, async (tenant) => {
    // What the plan has read need not be read again for its page.
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
  if (args.out !== undefined) await saveFile(plan, args.out, io);
  await outputDocument(document, args, io, { ...templates, ...applying, ...(await commitHere(args, io)) });
  if (isRefused(plan)) return ExitCode.refused;
  return args.detailedExitcode && hasChanges(plan) ? ExitCode.changes : ExitCode.done;
}

/** The arguments of `tenantctl apply` that apply a plan. */
type HowToApply = Pick<ReportOptions, 'applyWith'>;

/**
 * Applies what `plan` has shown from the file that it has saved, or else makes the same plan again. The file of a
 * pipeline is on another machine than the reader, who is not meant to apply what a pull request has made.
 */
export function howToApplyPlan(args: PlanArgs & { readonly out: string | undefined }, io: Io): HowToApply {
  if (args.out !== undefined && args.out !== stdoutName && !isCi(io.env))
    return howToApplyFile(args.out, args, io);
  return { applyWith: [...planWords(args, io), ...configWords(args, io)] };
}

export function howToApplyFile(file: string, args: Pick<PlanArgs, 'config'>, io: Io): HowToApply {
  return { applyWith: [file.startsWith('-') ? `./${file}` : file, ...configWords(args, io)] };
}

/** The options that the digest of a plan depends on. */
function planWords(args: PlanArgs, io: Io): string[] {
  const env = { ...args, env: selectorsOf(args, io).selectors };
  const names = ['env', 'shard', 'only', 'except', 'rotate', 'prune', 'since', 'max-deletes'] as const;
  return givenOptions(env, [...names, 'allow-delete-all']).flatMap(({ option, values }) =>
    values.length === 0 ? [option] : values.flatMap((value) => [option, value]),
  );
}

function configWords({ config }: Pick<PlanArgs, 'config'>, { env }: Io): string[] {
  const file = config ?? (env.TENANTCTL_CONFIG || undefined);
  return file === undefined ? [] : ['--config', file];
}

export function applyOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('yes', flag('Do not ask for confirmation'))
    .option('expect', text('Apply only if the plan has this digest'))
    .option(
      'proven-by',
      list('Apply only changes that these result files (or globs) prove in another environment'),
    )
    .option('dry-run', flag('Print the requests without sending them'))
    .option('fail-fast', flag('Stop after the first failed change'))
    .option('format', {
      ...format(['text', 'json', 'jsonl']),
      describe: 'Output format. jsonl: each event as it happens, one JSON object per line',
    })
    .option('result', text('Write the result to this file'))
    .option('report', list('Also write the result to these files (.md .html .json .xml)'))
    .group(['format', 'result', 'report'], group.output);
}

export type ApplyArgs = PlanArgs &
  ArgsOf<typeof applyOptions<unknown>> & {
    readonly format: 'text' | 'json';
    /** Tells each event of `--format jsonl`; `null` for the other formats. */
    readonly lines: ApplyLines | null;
  };

/** Returns the resources of the environments that results are of, by name; none for one that cannot be read. */
export function resourcesProving(
  results: readonly Result[],
  load: (environment: string) => Project,
): ReadonlyMap<string, readonly Resource[]> {
  const names = new Set(results.map(({ environment }) => environment));
  return new Map([...names].map((name) => [name, resourcesAtHand(() => load(name))]));
}

/** Plans that have just been made. */
interface NewPlans {
  readonly document: Extract<Document, { is: 'plan' | 'fleet' }>;
  readonly changes: readonly Change[];
  /** The environment and its tenant, or the environments, in words. */
  readonly target: string;
}

/** Shows plans and asks for a confirmation, unless an option gives it. Throws a Failure (exit 1) for all but yes. */
export async function requireConfirmation(
  { document, changes, target }: NewPlans,
  args: ApplyArgs,
  io: Io,
): Promise<void> {
  const isApproved = args.yes || args.expect !== undefined;
  const isAsked = !isApproved && changes.some(({ requests }) => requests.length > 0);
  if (isAsked || !args.quiet) printRemarks(document, args, io);
  const words = attentionWords(changes);
  // What a reviewer should notice is shown in any case.
  if ((isAsked || args.quiet) && words !== '') io.stderr.write(`${words}\n`);
  if (!isAsked) return;
  if (await confirm(oneLine(`apply to ${target}`), io)) return;
  const what = document.is === 'fleet' ? 'plans' : 'plan';
  throw fail('declined', 'Nothing was applied, because the answer was not `yes`.', {
    hint: `Answer with \`yes\`, the whole word, to apply the ${what}.`,
  });
}

interface Applied {
  readonly document: Document;
  readonly code: ExitCode;
  /** True when its result files could be written. */
  readonly isSaved: boolean;
}

/** Shows the result of an apply and writes its reports. Returns the exit code. */
export async function outputResult(
  { document, code, isSaved }: Applied,
  args: ApplyArgs,
  io: Io,
): Promise<ExitCode> {
  const origin = await commitHere(args, io);
  const report = reportFor(document, io, origin);
  if (!args.lines) await printReport(report, args, io);
  const isReported = await isWritten(() => writeReports(report, args.report, io), io);
  await appendStepSummary(report, io);
  return code === ExitCode.done && !(isSaved && isReported) ? ExitCode.incomplete : code;
}
