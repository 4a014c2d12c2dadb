import {
  applyFleet,
  checkFleet,
  type FleetDryRunOptions,
  type FleetOptions,
  planFleet,
} from '../engine/fleet.ts';
import { differencesHere, requireProven, resourcesAtHand } from '../engine/proof.ts';
import { type OpenedProjects, openProjects } from '../loader/index.ts';
import { type Diagnostic, isError } from '../model/diagnostic.ts';
import { ExitCode, Failure, fail } from '../model/failure.ts';
import { exitCodeOfFleet, type Fleet, shareDiagnostics, worstExitCode } from '../model/fleet.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import { oneLine } from '../report/safe.ts';
import { renderRequests } from '../report/text.ts';
import { namesInBrief } from '../report/words.ts';
import { type ApplyArgs, outputResult, requireConfirmation, resourcesProving } from './apply-output.ts';
import { type ArgsOf, type PlanArgs, planOptionsOf } from './command.ts';
import { commitHere } from './commit.ts';
import { type Io, viewOf } from './io.ts';
import { isWritten, outputDocument, printDiagnostics, printDocument, saveFile } from './output.ts';
import { howToApplyPlan, type planOutputOptions } from './plan-output.ts';
import { withFleetProgress } from './progress.ts';
import { projectFileOptions } from './project.ts';

/** `plan` over several environments. */
export async function planSeveral(
  names: readonly string[],
  args: PlanArgs & ArgsOf<typeof planOutputOptions<unknown>>,
  io: Io,
): Promise<ExitCode> {
  const applying = howToApplyPlan(args, io);
  const fleet = await planEnvironments(openProjects(projectFileOptions(args, io)), names, args, io);
  if (args.out !== undefined) await saveFile(fleet, args.out, io);
  await outputDocument({ is: 'fleet', fleet }, args, io, { ...applying, ...(await commitHere(args, io)) });
  return exitCodeOfFleet(fleet, args.detailedExitcode);
}

function planEnvironments(
  projects: OpenedProjects,
  names: readonly string[],
  args: PlanArgs,
  io: Io,
): Promise<Fleet> {
  const plan = planOptionsOf(args, io.env);
  return withFleetProgress(names.length, args, io, (run) => planFleet(projects, names, { ...run, plan }));
}

type FleetSource = { readonly saved: Fleet } | { readonly names: readonly string[] };

/** `apply` over several environments. */
export async function applySeveral(
  source: FleetSource,
  args: ApplyArgs,
  proofs: readonly Result[] | null,
  io: Io,
): Promise<ExitCode> {
  const projects = openProjects(projectFileOptions(args, io));
  const fleet = 'saved' in source ? source.saved : await planEnvironments(projects, source.names, args, io);
  requireDigest(fleet, args.expect);
  if (proofs) printDiagnostics(sharedDifferences(fleet, projects, proofs), io);
  const conditions = {
    root: projects.root,
    environment: projects.environment,
    isApproved: args.expect !== undefined,
    maxDeletes: args.maxDeletes,
    checkPlan(plan: Plan) {
      if (proofs) requireProven(plan, proofs);
    },
  };
  const isNew = 'names' in source;
  if (args.dryRun) return runDry(fleet, { ...conditions, isNew }, args, io);
  if (isNew) await requireConfirmation({ is: 'fleet', fleet }, args, io);
  let isSaved = true;
  const { lines, result } = args;
  for (const { plan } of fleet.environments) if (plan) lines?.planned(plan);
  const applied = await withFleetProgress(fleet.environments.length, args, io, (run) =>
    applyFleet(fleet, {
      ...run,
      ...conditions,
      failFast: args.failFast,
      env: io.env,
      onApplyEvent(name, event) {
        run.onApplyEvent(name, event);
        lines?.event(name, event);
      },
      async onApplied(done) {
        if (result !== undefined) isSaved = await isWritten(() => saveFile(done, result, io), io);
      },
    }),
  );
  for (const { name, result: ended, error } of applied.environments) {
    if (ended) lines?.ended(ended);
    if (error) lines?.failed(name, error.diagnostics);
  }
  return outputResult({ is: 'fleet', fleet: applied }, isSaved, args, io);
}

/** Returns what a proof does not cover, each remark once. */
function sharedDifferences(
  { environments }: Fleet,
  projects: OpenedProjects,
  proofs: readonly Result[],
): Diagnostic[] {
  const proving = resourcesProving(proofs, (name) => projects.load(name));
  const all = environments.flatMap(({ name, plan }) => {
    if (!plan) return [];
    const declared = resourcesAtHand(() => projects.load(name));
    return [{ name, diagnostics: differencesHere(plan, declared, proving) }];
  });
  return shareDiagnostics(all, namesInBrief);
}

function requireDigest({ digest }: Fleet, approved: string | undefined): void {
  if (approved === undefined || approved === digest) return;
  throw fail(
    'digest-mismatch',
    `The digest of these plans is ${digest}, not the approved ${approved}: their changes, tenants or options are different.`,
    { hint: 'Plan again with the same options, review it, and approve the new digest.' },
    ExitCode.refused,
  );
}

type Conditions = Omit<FleetDryRunOptions, keyof FleetOptions>;

/** Prints the requests of all plans. Throws one Failure with why an apply would refuse any of them. */
async function runDry(fleet: Fleet, conditions: Conditions, args: ApplyArgs, io: Io): Promise<ExitCode> {
  const outcomes = await withFleetProgress(fleet.environments.length, args, io, (run) =>
    checkFleet(fleet, { ...run, ...conditions }),
  );
  const errors = outcomes.flatMap(({ error }) => error ?? []);
  if (errors.length > 0) {
    const all = outcomes.map(({ name, error }) => ({ name, diagnostics: error?.diagnostics ?? [] }));
    const code = worstExitCode(errors.map(({ exitCode }) => exitCode)) || ExitCode.couldNotRun;
    throw new Failure(shareDiagnostics(all, namesInBrief), code);
  }
  const withoutPlan = fleet.environments.map(({ name, plan, error }) => ({
    name,
    diagnostics: (error ?? plan)?.diagnostics.filter(isError) ?? [],
  }));
  printDiagnostics(shareDiagnostics(withoutPlan, namesInBrief), io);
  if (args.format === 'json') await printDocument({ is: 'fleet', fleet }, 'json', io);
  else {
    for (const { name, value: plan } of outcomes) {
      if (!plan) continue;
      io.stdout.write(`# ${oneLine(name)}\n\n${renderRequests(plan, viewOf(io.stdout, io))}\n`);
    }
  }
  return exitCodeOfFleet(fleet, false);
}
