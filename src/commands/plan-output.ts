import { readOnlyTenant, type Tenant } from '../engine/tenant.ts';
import type { ProjectEnvironment } from '../kinds/project.ts';
import { hasChanges, isRefused, type Plan } from '../model/documents.ts';
import { ExitCode } from '../model/failure.ts';
import type { ReportOptions } from '../report/report.ts';
import { type ArgsOf, option } from './command.ts';
import type { Io } from './io.ts';
import { outputDocument, renderTemplates, saveFile, wantsPage } from './output.ts';
import { withTenant } from './progress.ts';
import { askGit, folderInRepository } from './project.ts';

export const planOutputOptions = {
  out: option.text(
    'Save the plan to this file, for `apply FILE`. - is stdout; the plan is then shown on stderr',
    'output',
  ),
  format: option.format(['text', 'json', 'markdown', 'html'], 'output'),
  report: option.list('Also write the plan to these files (.md .html .json .xml .gitlab.json)', 'output'),
  'detailed-exitcode': option.flag('Exit with 2 if there are changes', 'output'),
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

interface CiSystem {
  readonly id: string;
  readonly author: string;
  /** The first one that is set counts. */
  readonly branch: readonly string[];
  /** The web address that `commit/ID` and `blob/ID/FILE` are below; empty if the variables do not give it. */
  readonly web?: (env: NodeJS.ProcessEnv) => string;
}

const systems: readonly CiSystem[] = [
  {
    id: 'GITHUB_SHA',
    author: 'GITHUB_ACTOR',
    branch: ['GITHUB_HEAD_REF', 'GITHUB_REF_NAME'],
    web: ({ GITHUB_SERVER_URL = '', GITHUB_REPOSITORY = '' }) =>
      GITHUB_REPOSITORY && `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`,
  },
  {
    id: 'CI_COMMIT_SHA',
    author: 'CI_COMMIT_AUTHOR',
    branch: ['CI_COMMIT_REF_NAME'],
    web: ({ CI_PROJECT_URL = '' }) => CI_PROJECT_URL && `${CI_PROJECT_URL}/-`,
  },
  {
    id: 'BUILD_SOURCEVERSION',
    author: 'BUILD_REQUESTEDFOR',
    branch: ['SYSTEM_PULLREQUEST_SOURCEBRANCH', 'BUILD_SOURCEBRANCHNAME'],
  },
  { id: 'GIT_COMMIT', author: 'CHANGE_AUTHOR', branch: ['CHANGE_BRANCH', 'GIT_BRANCH'] },
];

/**
 * The commit of a CI job, and where its manifests can be read, from the variables of the CI system. Outside of CI, for a report
 * that others read, the last commit of the checkout.
 */
export async function commitHere(
  args: Pick<PlanOutputArgs, 'config' | 'format' | 'report'>,
  io: Io,
): Promise<Pick<ReportOptions, 'commit' | 'folder' | 'sourceUrl'>> {
  const { env } = io;
  const system = systems.find(({ id }) => env[id]);
  if (!system) {
    const isForOthers = args.report.length > 0 || ['html', 'markdown'].includes(args.format);
    const commit = isForOthers ? await askGit(args, io, ({ headCommit }, root) => headCommit(root)) : null;
    return commit ? { commit: { ...commit, url: '' } } : {};
  }
  const id = env[system.id] ?? '';
  // A person's address does not belong in a comment.
  const author = (env[system.author] ?? '').replace(/\s*<[^>]*>$/, '');
  const branch = system.branch.flatMap((name) => env[name] || [])[0] ?? '';
  const address = system.web?.(env);
  if (!address) return { commit: { id, author, branch, url: '' } };
  const commit = { id, author, branch, url: `${address}/commit/${id}` };
  const sourceUrl = `${address}/blob/${id}/{file}#L{line}`;
  return { commit, sourceUrl, folder: await folderInRepository(args, io) };
}
