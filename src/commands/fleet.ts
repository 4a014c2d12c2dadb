import { applyFleet, type FleetOptions, planFleet } from '../engine/fleet.ts';
import { differencesHere, requireProven, resourcesAtHand } from '../engine/proof.ts';
import { type OpenedProjects, openProjects } from '../loader/index.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { ExitCode, Failure, failure } from '../model/failure.ts';
import { exitCodeOfFleet, type Fleet, shareDiagnostics } from '../model/fleet.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import { attentionWords } from '../report/attention.ts';
import { namesInBrief } from '../report/fleet-view.ts';
import { type Document, type Format, renderRequests } from '../report/index.ts';
import { oneLine } from '../report/safe.ts';
import { pluralize } from '../report/words.ts';
import type { ArgsOf } from './command.ts';
import { createFleetProgress, type FleetProgress } from './fleet-progress.ts';
import { howToApplyPlan } from './how-to-apply.ts';
import { hasColour, type Io, type Verbosity } from './io.ts';
import {
  type commonOptions,
  type fleetOptions,
  type planOptions,
  planOptionsOf,
  projectFileOptions,
} from './options.ts';
import {
  appendStepSummary,
  checkReportFiles,
  isWritten,
  outputDocument,
  printDiagnostics,
  printDocument,
  printRemarks,
  writeReports,
} from './output.ts';
import { confirm } from './prompt.ts';
import { saveFile } from './saved.ts';

type CommonArgs = ArgsOf<typeof commonOptions> & ArgsOf<typeof fleetOptions<unknown>> & Verbosity;
type PlanArgs = CommonArgs & ArgsOf<typeof planOptions<unknown>> & { readonly format: Format };

/** Runs `work` with the progress of several environments, and ends that. */
export async function withFleetProgress<T>(
  total: number,
  args: CommonArgs,
  io: Io,
  work: (run: FleetOptions & FleetProgress) => Promise<T>,
): Promise<T> {
  const progress = createFleetProgress(total, args, io);
  try {
    return await work({ ...progress, parallel: args.parallel, signal: io.signal });
  } finally {
    progress.end();
  }
}

/** `plan` over several environments. */
export async function planSeveral(
  names: readonly string[],
  args: PlanArgs & {
    readonly out: string | undefined;
    readonly report: readonly string[];
    readonly detailedExitcode: boolean;
  },
  io: Io,
): Promise<ExitCode> {
  const applying = howToApplyPlan(args, io);
  const fleet = await planThem(openProjects(projectFileOptions(args, io)), names, args, io);
  const document: Document = { is: 'fleet', fleet };
  if (args.out !== undefined) saveFile(fleet, args.out, io);
  outputDocument(document, args, io, applying);
  return exitCodeOfFleet(fleet, args.detailedExitcode);
}

function planThem(
  projects: OpenedProjects,
  names: readonly string[],
  args: PlanArgs,
  io: Io,
): Promise<Fleet> {
  const plan = planOptionsOf(args, io.env);
  return withFleetProgress(names.length, args, io, (run) => planFleet(projects, names, { ...run, plan }));
}

interface ApplyArgs extends PlanArgs {
  readonly planfile: string | undefined;
  readonly yes: boolean;
  readonly expect: string | undefined;
  readonly dryRun: boolean;
  readonly failFast: boolean;
  readonly result: string | undefined;
  readonly report: readonly string[];
}

/** Where the plans of an apply come from: a saved fleet, or environments to plan now. */
export type FleetSource = { readonly saved: Fleet } | { readonly names: readonly string[] };

/** `apply` over several environments. */
export async function applySeveral(
  source: FleetSource,
  args: ApplyArgs,
  proofs: readonly Result[] | null,
  io: Io,
): Promise<ExitCode> {
  checkReportFiles(args.report, 'fleet');
  const projects = openProjects(projectFileOptions(args, io));
  const fleet = 'saved' in source ? source.saved : await planThem(projects, source.names, args, io);
  requireDigest(fleet, args.expect);
  const checkPlan = (plan: Plan) => {
    if (proofs) requireProven(plan, proofs);
  };
  if (proofs) printDiagnostics(sharedDifferences(fleet, projects, proofs), args, io);
  if (args.dryRun) {
    checkAll(fleet, checkPlan);
    return printDryRun(fleet, args, io);
  }
  if ('names' in source) await requireConsent(fleet, args, io);
  let isSaved = true;
  const applied = await withFleetProgress(fleet.environments.length, args, io, (run) =>
    applyFleet(fleet, {
      ...run,
      root: projects.root,
      environment: projects.environment,
      isApproved: args.expect !== undefined,
      maxDeletes: args.maxDeletes,
      failFast: args.failFast,
      env: io.env,
      checkPlan,
      onApplied(done) {
        const { result } = args;
        if (result !== undefined) isSaved = isWritten(() => saveFile(done, result, io), io);
      },
    }),
  );
  const document: Document = { is: 'fleet', fleet: applied };
  printDocument(document, args, io);
  appendStepSummary(document, io);
  const isReported = isWritten(() => writeReports(document, args.report, io), io);
  const code = exitCodeOfFleet(applied, false);
  return code === ExitCode.done && !(isSaved && isReported) ? ExitCode.incomplete : code;
}

/** What a proof does not cover, each remark once. */
function sharedDifferences(
  { environments }: Fleet,
  projects: OpenedProjects,
  proofs: readonly Result[],
): Diagnostic[] {
  const resourcesOf = (name: string) => resourcesAtHand(() => projects.load(name));
  const names = new Set(proofs.map(({ environment }) => environment));
  // Read once for all that they prove.
  const proving = new Map([...names].map((name) => [name, resourcesOf(name)] as const));
  const all = environments.flatMap(({ name, plan }) =>
    plan
      ? [
          {
            name,
            diagnostics: differencesHere(plan, resourcesOf(name), proving),
          },
        ]
      : [],
  );
  return shareDiagnostics(all, namesInBrief);
}

function requireDigest({ digest }: Fleet, approved: string | undefined): void {
  if (approved === undefined || approved === digest) return;
  throw failure(
    'digest-mismatch',
    `The digest of these plans is ${digest}, not the approved ${approved}: their changes, tenants or options are different.`,
    { hint: 'Plan again with the same options, review it, and approve the new digest.' },
    ExitCode.refused,
  );
}

/** Checks all plans. Throws one Failure with what is wrong with any of them: a dry run applies none. */
function checkAll({ environments }: Fleet, check: (plan: Plan) => void): void {
  const problems = environments.flatMap(({ plan }) => {
    try {
      if (plan) check(plan);
      return [];
    } catch (error) {
      if (error instanceof Failure) return error.diagnostics;
      throw error;
    }
  });
  if (problems.length > 0) throw new Failure(problems, ExitCode.refused);
}

function printDryRun(fleet: Fleet, args: ApplyArgs, io: Io): ExitCode {
  if (args.format === 'json') printDocument({ is: 'fleet', fleet }, args, io);
  else {
    for (const { name, plan } of fleet.environments) {
      if (!plan) continue;
      io.stdout.write(
        `# ${oneLine(name)}\n\n${renderRequests(plan, { colour: hasColour(io.stdout, io, args) })}\n`,
      );
    }
  }
  return exitCodeOfFleet(fleet, false);
}

/** Shows the plans, and asks where nobody has approved them. */
async function requireConsent(fleet: Fleet, args: ApplyArgs, io: Io): Promise<void> {
  const changes = fleet.environments.flatMap(({ plan }) => plan?.changes ?? []);
  const isAsked =
    !args.yes && args.expect === undefined && changes.some(({ requests }) => requests.length > 0);
  if (isAsked || !args.quiet) printRemarks({ is: 'fleet', fleet }, args, io);
  if (!isAsked) return;
  const words = attentionWords(changes);
  if (words !== '') io.stderr.write(`${words}\n`);
  const names = fleet.environments.map(({ name }) => name);
  if (
    await confirm(oneLine(`apply to ${pluralize(names.length, 'environment')} (${namesInBrief(names)})`), io)
  )
    return;
  throw failure('declined', 'Nothing was applied, because the answer was not `yes`.', {
    hint: 'Answer with `yes`, the whole word, to apply the plans.',
  });
}
