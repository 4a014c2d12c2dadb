import { resolve } from 'node:path';
import type { Argv } from 'yargs';
import { applyPlan, requireApplicable, requireApproved } from '../engine/apply.ts';
import { planChanges } from '../engine/plan.ts';
import { differencesHere, requireProven, resourcesAtHand } from '../engine/proof.ts';
import type { Tenant } from '../engine/tenant.ts';
import type { ProjectEnvironment } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { loadEnvironment, loadProject } from '../loader/index.ts';
import { ExitCode, failure } from '../model/failure.ts';
import type { Fleet } from '../model/fleet.ts';
import type { Plan } from '../model/plan.ts';
import { exitCodeOf, type Result } from '../model/result.ts';
import { renderRequests } from '../report/index.ts';
import { namesInBrief, tenantWords } from '../report/words.ts';
import { applyOptions, outputResult, requireConfirmation, resourcesProving } from './apply-output.ts';
import { type ArgsOf, defineCommand, examples } from './command.ts';
import { applySeveral, type FleetSource } from './fleet.ts';
import { type Io, isInteractive, viewOf } from './io.ts';
import { commonOptions, fleetOptions, planOptions, planOptionsOf } from './options.ts';
import { checkOutput, printDiagnostics, printDocument } from './output.ts';
import { withTenant } from './progress.ts';
import { namedEnvironments, projectFileOptions, projectOptions, selectedEnvironments } from './project.ts';
import {
  holdsFleet,
  holdsOpenPlans,
  printSaved,
  readFleet,
  readPlan,
  readResults,
  resultFiles,
} from './saved.ts';

function build(yargs: Argv) {
  return applyOptions(fleetOptions(planOptions(commonOptions(yargs))))
    .usage(
      '$0 apply [PLANFILE] [options]\n\nChanges the tenant to match the manifests. With a plan file: applies exactly that plan, without asking for confirmation.',
    )
    .positional('planfile', { type: 'string', describe: 'A file written by `plan --out`' })
    .example(
      examples({
        '$0 apply': 'Make a plan, show it, ask for confirmation, apply it',
        '$0 apply plan.json': 'Apply a reviewed plan, or finish an interrupted apply',
        '$0 apply --expect sha256:…': 'In CI: apply only the approved plan',
        '$0 apply --dry-run': 'Show the requests that an apply would send',
      }),
    );
}

type Args = ArgsOf<typeof build>;

export const command = defineCommand(build, async (args, io) => {
  // Checked first: after the apply, it would be too late to find that nothing can record it.
  const proofFiles = resultFiles(args.provenBy, io);
  checkOutput({ ...args, out: args.result }, 'result', io, proofFiles);
  refuseToOverwritePlan(args, io);
  refusePlanOptions(args);
  refuseResultOptions(args);
  requireConsent(args, io);
  const proofs = proofFiles.length === 0 ? null : readResults(proofFiles, io);
  const fleet = fleetSource(args, io);
  if (fleet) return applySeveral(fleet, args, proofs, io);
  const { project, resources, makePlan } = planSource(args, io);

  return withTenant(project, args, io, async (tenant, progress) => {
    const plan = await makePlan(tenant);
    progress.end();
    requireApproved(plan, project.environment, { digest: args.expect, maxDeletes: args.maxDeletes });
    if (proofs) requireProof({ plan, resources, proofs }, args, io);
    if (args.dryRun) {
      if (args.planfile !== undefined) await requireApplicable(project, tenant, plan);
      progress.end();
      printRequests(plan, args, io);
      return ExitCode.done;
    }
    if (args.planfile === undefined) {
      const target = `${plan.environment} (${tenantWords(plan.tenant)})`;
      await requireConfirmation({ document: { is: 'plan', plan }, changes: plan.changes, target }, args, io);
    }
    let isSaved = true;
    const result = await applyPlan(project, tenant, plan, {
      signal: io.signal,
      failFast: args.failFast,
      onEvent: progress.onEvent,
      env: io.env,
      ...(args.result === undefined ? {} : { resultFile: resolve(io.cwd, args.result) }),
      onSaved(files) {
        progress.end();
        isSaved = printSaved(files, args, io);
      },
    });
    return outputResult({ document: { is: 'result', result }, code: exitCodeOf(result), isSaved }, args, io);
  });
});

/** Throws a Failure (exit 4) for changes that no result proves, and says on stderr what the results do not cover. */
function requireProof(
  { plan, resources, proofs }: { plan: Plan; resources: readonly Resource[]; proofs: readonly Result[] },
  args: Args,
  io: Io,
): void {
  requireProven(plan, proofs);
  const options = projectFileOptions(args, io);
  const proving = resourcesProving(proofs, (environment) => loadProject({ ...options, environment }));
  printDiagnostics(differencesHere(plan, resources, proving), args, io);
}

/** Prints the requests of a dry run. As JSON, prints the plan, which holds them. */
function printRequests(plan: Plan, args: Args, io: Io): void {
  if (args.format === 'json') printDocument({ is: 'plan', plan }, args, io);
  else io.stdout.write(renderRequests(plan, viewOf(io.stdout, args, io)));
}

/** Options of a plan cannot change a saved one, and to ignore them would mislead. `--max-deletes` says what it may do. */
function refusePlanOptions(args: Args): void {
  if (args.planfile === undefined) return;
  const given = {
    only: args.only.length > 0,
    except: args.except.length > 0,
    prune: args.prune,
    since: args.since !== undefined,
    rotate: args.rotate.length > 0,
    'allow-delete-all': args.allowDeleteAll.length > 0,
    impact: args.impact,
    shard: args.shard !== undefined,
  };
  const options = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [`--${name}`] : []));
  if (options.length === 0) return;
  throw failure(
    'usage',
    `${args.planfile} is applied exactly as planned. It cannot be combined with ${options.join(', ')}.`,
    {
      hint: 'Use the options with `tenantctl plan --out FILE`, and apply that plan.',
    },
  );
}

/** `apply --report r.md plan.json` names two reports and no plan file. It would make a new plan and overwrite this one. */
function refuseToOverwritePlan({ report, result }: Args, io: Io): void {
  const files = [...report, ...(result === undefined ? [] : [result])];
  const plan = files.find((file) => holdsOpenPlans(file, io));
  if (plan === undefined) return;
  throw failure('usage', `${plan} holds a plan, and a report or result would overwrite it.`, {
    hint: `To apply that plan, put it before the options: \`tenantctl apply ${plan} …\`. Otherwise choose another file.`,
  });
}

/** A dry run has no result. Without this error, somebody might look for the files. */
function refuseResultOptions({ dryRun, result, report }: Args): void {
  const given = [...(result === undefined ? [] : ['--result']), ...(report.length === 0 ? [] : ['--report'])];
  if (!dryRun || given.length === 0) return;
  throw failure('usage', `A dry run has no result, so it cannot be combined with ${given.join(' and ')}.`, {
    hint: 'Use `tenantctl plan --out` to save the plan, or `tenantctl plan --report` for reports.',
  });
}

/** The plans of several environments, saved or to be made; `null` for one environment. */
function fleetSource(args: Args, io: Io): FleetSource | null {
  if (args.planfile !== undefined) {
    if (!holdsFleet(args.planfile, io)) return null;
    const saved = readFleet(args.planfile, io);
    requireAllSelected(saved, args.planfile, args, io);
    return { saved };
  }
  const names = selectedEnvironments(args, io);
  return names && { names };
}

/** A file is applied to all its environments. An `--env` that names others, or some of them, asks for something else. */
function requireAllSelected({ environments }: Fleet, file: string, args: Args, io: Io): void {
  if (args.env.length === 0) return;
  const selected = new Set(namedEnvironments({ selectors: args.env }, args, io));
  const names = environments.map(({ name }) => name);
  if (names.length === selected.size && names.every((name) => selected.has(name))) return;
  throw failure(
    'usage',
    `${file} is applied to all its environments (${namesInBrief(names)}), and --env selects others.`,
    {
      hint: 'Leave --env out, or make a file of those: `tenantctl plan --env … --out FILE`.',
    },
  );
}

/** Where the plan of an apply comes from. */
interface PlanSource {
  readonly project: ProjectEnvironment;
  /** What the manifests declare, as far as a proof needs it. */
  readonly resources: readonly Resource[];
  makePlan(tenant: Tenant): Promise<Plan>;
}

/** A saved plan needs no manifests. Without one, a new plan is made. */
function planSource(args: Args, io: Io): PlanSource {
  if (args.planfile === undefined) {
    const project = loadProject(projectOptions(args, io));
    const { resources } = project;
    return {
      project,
      resources,
      makePlan: (tenant) => planChanges(project, tenant, planOptionsOf(args, io.env)),
    };
  }
  const saved = readPlan(args.planfile, io);
  const options = projectOptions(args, io, saved.environment);
  const resources = args.provenBy.length > 0 ? resourcesAtHand(() => loadProject(options)) : [];
  return { project: loadEnvironment(options), resources, makePlan: async () => saved };
}

/** Without a terminal nobody can confirm, so an option must. */
function requireConsent({ planfile, yes, expect, dryRun }: Args, io: Io): void {
  if (planfile !== undefined || yes || expect !== undefined || dryRun || isInteractive(io)) return;
  throw failure(
    'consent-required',
    'There is no terminal to ask for confirmation. Add --yes or --expect DIGEST.',
    {
      hint: 'In CI, apply the digest that was approved: `tenantctl apply --expect sha256:…`.',
    },
  );
}
