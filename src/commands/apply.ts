import { existsSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import { formOf, formOfText, readFleetFile, readPlanFile } from '../applier/saved-file.ts';
import {
  applyPlan,
  requireApplicable,
  requireApproved,
  requireWritable,
  type SavedResult,
} from '../engine/apply.ts';
import type { PlanOptions } from '../engine/choices.ts';
import { planChanges } from '../engine/plan.ts';
import { differencesHere, requireProven, resourcesAtHand } from '../engine/proof.ts';
import type { Tenant } from '../engine/tenant.ts';
import { type BegunProject, beginProject, loadEnvironment, loadProject } from '../loader/index.ts';
import { ExitCode, fail } from '../model/failure.ts';
import { type Fleet, fleetOf } from '../model/fleet.ts';
import { get, isArray, isObject, parseJson } from '../model/json.ts';
import type { Document } from '../report/report.ts';
import { renderRequests } from '../report/text.ts';
import { namesInBrief } from '../report/words.ts';
import {
  type ApplyArgs,
  applyLines,
  applyOptions,
  outputResult,
  requireConfirmation,
  resourcesProving,
} from './apply-output.ts';
import {
  type ArgsOf,
  type CommonArgv,
  describeCommand,
  fleetOptions,
  givenOptions,
  planOptions,
  planOptionsOf,
} from './command.ts';
import { isPipe } from './files.ts';
import { applySeveral } from './fleet.ts';
import { type Io, isInteractive, printNote, viewOf } from './io.ts';
import { checkOutput, printDiagnostics, printDocument, stdoutName } from './output.ts';
import { withTenant } from './progress.ts';
import {
  namedEnvironments,
  projectFileOptions,
  projectOptions,
  selectedEnvironments,
  selectorsOf,
} from './project.ts';
import { readResults, readText } from './saved.ts';

function options(yargs: CommonArgv) {
  return applyOptions(fleetOptions(planOptions(yargs))).positional('planfile', {
    type: 'string',
    describe: 'A file written by `plan --out`',
  });
}

type Args = ApplyArgs & Pick<ArgsOf<typeof options>, 'planfile'>;

export const command = describeCommand({
  usage:
    '$0 apply [PLANFILE] [options]\n\nChanges the tenant to match the manifests. With a plan file: applies exactly that plan, without asking for confirmation.',
  options,
  examples: {
    '$0 apply': 'Make a plan, show it, ask for confirmation, apply it',
    '$0 apply plan.json': 'Apply a reviewed plan, or finish an interrupted apply',
    '$0 apply --expect sha256:…': 'In CI: apply only the approved plan',
    '$0 apply -e production --proven-by result.json':
      'Apply only what an apply to another environment has proven',
    '$0 apply --dry-run': 'Show the requests that an apply would send',
  },
}).run(async (given, io) => {
  const isLines = given.format === 'jsonl';
  const args: Args = {
    ...given,
    format: given.format === 'jsonl' ? 'json' : given.format,
    lines: isLines ? applyLines(io) : null,
  };
  // Checked first: after the apply, it would be too late to find that nothing can record it.
  const proofFiles = resultFiles(args.provenBy, io);
  await refuseMistakes(args, io);
  checkOutput({ ...args, out: args.result }, 'result', io, proofFiles);
  const proofs = proofFiles.length === 0 ? null : await readResults(proofFiles, io);
  const saved = args.planfile === undefined ? null : await readPlans(args.planfile, io);
  if (saved?.is === 'fleet') {
    requireAllSelected(saved.fleet, args.planfile ?? '', args, io);
    return applySeveral({ saved: saved.fleet }, args, proofs, io);
  }
  const names = saved ? null : selectedEnvironments(args, io);
  if (names) return applySeveral({ names }, args, proofs, io);

  const options = projectOptions(args, io, saved?.plan.environment, args.planfile);
  // A saved plan is applied without the manifests. They only show what a proof does not cover.
  const source = saved
    ? { plan: saved.plan, project: loadEnvironment(options) }
    : { plan: null, project: beginProject(options) };
  const { project } = source;
  requireWritable(project.environment);
  return withTenant(project, io, async (tenant, progress) => {
    const { plan, resources } =
      source.plan === null
        ? await planHere(source.project, tenant, planOptionsOf(args, io.env))
        : { plan: source.plan, resources: () => resourcesAtHand(() => loadProject(options)) };
    progress.end();
    requireApproved(plan, project.environment, { digest: args.expect, maxDeletes: args.maxDeletes });
    if (proofs) {
      requireProven(plan, proofs);
      const proving = resourcesProving(proofs, (environment) =>
        loadProject({ ...projectFileOptions(args, io), environment }),
      );
      printDiagnostics(differencesHere(plan, resources(), proving), io);
    }
    if (args.dryRun) {
      if (saved) await requireApplicable(project, tenant, plan);
      progress.end();
      // The plan holds the requests.
      if (args.format === 'json') await printDocument({ is: 'plan', plan }, 'json', io);
      else io.stdout.write(renderRequests(plan, viewOf(io.stdout, io)));
      return ExitCode.done;
    }
    if (!saved) await requireConfirmation({ is: 'plan', plan }, args, io);
    let isSaved = true;
    args.lines?.planned(plan);
    const result = await applyPlan(project, tenant, plan, {
      signal: io.signal,
      failFast: args.failFast,
      onEvent(event) {
        progress.onEvent(event);
        args.lines?.event(plan.environment, event);
      },
      env: io.env,
      ...(args.result === undefined ? {} : { resultFile: resolve(io.cwd, args.result) }),
      onSaved(files) {
        progress.end();
        isSaved = printSaved(files, io);
      },
    });
    args.lines?.ended(result);
    return outputResult({ is: 'result', result }, isSaved, args, io);
  });
});

/** The files that paths and globs name. Throws a Failure where one names none. */
function resultFiles(patterns: readonly string[], io: Io): string[] {
  return patterns.flatMap((pattern) => {
    if (existsSync(resolve(io.cwd, pattern))) return [pattern];
    const found = globSync(pattern, { cwd: io.cwd, expandDirectories: false, dot: true });
    if (found.length > 0) return found.toSorted();
    throw fail('no-proof', `${pattern} names no file.`, {
      hint: 'Pass the result that `tenantctl apply --result FILE` wrote in the environment that proves the changes.',
    });
  });
}

/** Throws a Failure for options that contradict each other, or that would have no effect. */
async function refuseMistakes(args: Args, io: Io): Promise<void> {
  const { planfile, result, yes, expect, dryRun } = args;
  // `--report r.md plan.json` names two reports and no plan file: a new plan would be made, and this one overwritten.
  const lists = ['report', 'result', 'only', 'except', 'rotate', 'allow-delete-all'] as const;
  for (const { option, values } of givenOptions(args, lists))
    for (const word of values) {
      if (!(await holdsOpenPlans(word, io))) continue;
      throw fail('usage', `${word} holds a plan, but here it is a value of ${option}.`, {
        hint: `To apply that plan, put it before the options: \`tenantctl apply ${word} …\`. Otherwise choose another file.`,
      });
    }
  if (result !== undefined && (result === stdoutName || isPipe(resolve(io.cwd, result))))
    throw fail(
      'usage',
      `A result is rewritten while the run goes on, so --result ${result} must name a file, not stdout or a pipe.`,
      {
        hint: '`--format json` prints the result on stdout at the end.',
      },
    );
  const given = (...names: Parameters<typeof givenOptions<Args>>[1]) =>
    givenOptions(args, names).map(({ option }) => option);
  // To ignore them would mislead. `--max-deletes` says what a saved plan may do.
  const planning = given('only', 'except', 'prune', 'since', 'rotate', 'allow-delete-all', 'impact', 'shard');
  if (planfile !== undefined && planning.length > 0) {
    const message = `${planfile} is applied exactly as planned. It cannot be combined with ${planning.join(', ')}.`;
    throw fail('usage', message, {
      hint: 'Use the options with `tenantctl plan --out FILE`, and apply that plan.',
    });
  }
  const outputs = [...given('result', 'report'), ...(args.lines ? ['--format jsonl'] : [])];
  if (dryRun && outputs.length > 0) {
    const message = `A dry run has no result and no events, so it cannot be combined with ${outputs.join(' and ')}.`;
    throw fail('usage', message, {
      hint: 'Use `tenantctl plan --out` to save the plan, or `tenantctl plan --report` for reports.',
    });
  }
  if (planfile !== undefined || yes || expect !== undefined || dryRun || isInteractive(io)) return;
  throw fail(
    'consent-required',
    'There is no terminal to ask for confirmation. Add --yes or --expect DIGEST.',
    {
      hint: 'In CI, apply the digest that was approved: `tenantctl apply --expect sha256:…`.',
    },
  );
}

/** True when a file holds plans that nobody has applied yet: the results of several environments hold plans too. */
async function holdsOpenPlans(file: string, io: Io): Promise<boolean> {
  if (!isFile(resolve(io.cwd, file))) return false;
  const value = parseJson(await readText(file, io));
  if (!isObject(value)) return false;
  const form = formOf(value);
  if (form !== 'fleet') return form === 'plan';
  const environments = get(value, 'environments');
  return !(
    isArray(environments) && environments.some((each) => isObject(each) && Object.hasOwn(each, 'result'))
  );
}

/** False for a text that is no path, such as a glob that is longer than any name. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

/**
 * Reads the plan to apply, or the plans of several environments. Throws a Failure (exit 4) for a file that is cut or edited, or
 * has results without their plans: `show` joins those, too.
 */
async function readPlans(file: string, io: Io): Promise<Extract<Document, { is: 'plan' | 'fleet' }>> {
  const text = await readText(file, io);
  if (formOfText(text) !== 'fleet') return { is: 'plan', plan: readPlanFile(text, file) };
  const { environments } = readFleetFile(text, file);
  const done = environments.find(({ plan, error }) => plan === null && error === null);
  if (!done) {
    // What an earlier apply made of the plans is not what the next one makes of them.
    const plans = environments.map(({ name, plan, error }) => ({ name, plan, error: plan ? null : error }));
    return { is: 'fleet', fleet: fleetOf(plans) };
  }
  throw fail(
    'fleet-inconsistent',
    `${file} has a result of ${JSON.stringify(done.name)} but no plan, so it cannot be applied.`,
    { hint: 'Name the file that `tenantctl plan --out FILE` wrote.' },
    ExitCode.refused,
  );
}

/** A file is applied to all its environments. An `--env` that names others, or some of them, asks for something else. */
function requireAllSelected({ environments }: Fleet, file: string, args: Args, io: Io): void {
  const { selectors, from = '--env' } = selectorsOf(args, io);
  if (selectors.length === 0) return;
  const selected = new Set(namedEnvironments(args, io));
  const names = environments.map(({ name }) => name);
  if (names.length === selected.size && names.every((name) => selected.has(name))) return;
  throw fail(
    'usage',
    `${file} is applied to all its environments (${namesInBrief(names)}), and ${from} selects others.`,
    {
      hint: 'Select no environment, or save a plan for those alone: `tenantctl plan --env … --out FILE`.',
    },
  );
}

async function planHere(project: BegunProject, tenant: Tenant, options: PlanOptions) {
  const loaded = await project.load(() => tenant.client.signIn());
  return { plan: await planChanges(loaded, tenant, options), resources: () => loaded.resources };
}

/** Prints where the result of an apply is. Returns false where a file could not be written: the tenant has changed anyway. */
function printSaved(files: readonly SavedResult[], io: Io): boolean {
  const saved = files.filter(({ failure }) => failure === null).map(({ file }) => relative(io.cwd, file));
  for (const { failure } of files) {
    if (failure) printNote(`The result could not be saved. ${failure.message}`, io);
  }
  const isWhole = saved.length === files.length;
  if (saved[0] !== undefined && (!io.quiet || !isWhole)) printNote(`Result file: ${saved[0]}`, io);
  return isWhole;
}
