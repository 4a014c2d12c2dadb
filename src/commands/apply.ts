import { existsSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import type { ApplyEvent } from '../applier/run.ts';
import { formOfText, readFleetFile, readPlanFile } from '../applier/saved-file.ts';
import {
  applyPlan,
  differencesHere,
  requireApplicable,
  requireApproved,
  requireProven,
  requireWritable,
} from '../engine/apply.ts';
import { applyFleet, checkFleet, type FleetOptions, planFleet } from '../engine/fleet.ts';
import { planChanges } from '../engine/plan.ts';
import type { Project } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { beginProject, loadProject, openProjects } from '../loader/index.ts';
import { groupBy } from '../model/basics.ts';
import {
  type Change,
  type ChangeResult,
  exitCodeOf,
  exitCodeOfFleet,
  type Fleet,
  type FleetMember,
  fleetOf,
  type Plan,
  type Result,
  shareDiagnostics,
} from '../model/documents.ts';
import { attemptOrNull, type Diagnostic, ExitCode, Failure, fail, isError } from '../model/failure.ts';
import { get, isObject, itemsOf, parseJson } from '../model/json.ts';
import { namesAndMore } from '../model/words.ts';
import { pointsOf } from '../report/page.ts';
import { changeEntry } from '../report/plan.ts';
import type { Document } from '../report/report.ts';
import { json, oneLine } from '../report/safe.ts';
import { renderRequests } from '../report/text.ts';
import { namesInBrief, pluralize, tenantWords } from '../report/words.ts';
import {
  type ArgsOf,
  commonOptions,
  describeCommand,
  fleetOptions,
  givenOptions,
  option,
  planOptions,
  planOptionsOf,
} from './command.ts';
import { confirm, type Io, isInteractive, printNote, viewOf } from './io.ts';
import {
  appendStepSummary,
  checkOutput,
  printDiagnostics,
  printRemarks,
  printReport,
  reportOf,
  saveFile,
  stdoutName,
  writeReports,
} from './output.ts';
import { commitHere } from './plan-output.ts';
import { withFleetProgress, withTenant } from './progress.ts';
import {
  namedEnvironments,
  projectFileOptions,
  projectOptions,
  selectedEnvironments,
  selectorsOf,
} from './project.ts';
import { readResults, readText } from './saved.ts';

const options = {
  ...commonOptions,
  ...planOptions,
  ...fleetOptions,
  yes: option.flag('Do not ask for confirmation'),
  expect: option.text('Apply only if the plan has this digest'),
  'proven-by': option.list(
    'Apply only changes that an earlier apply has proven: its result files (or globs)',
  ),
  'dry-run': option.flag('Print the requests without sending them'),
  'fail-fast': option.flag('Stop after the first failed change'),
  format: {
    ...option.format(['text', 'json', 'jsonl'], 'output'),
    describe: 'Output format. jsonl: each event as it happens, one JSON object per line',
  },
  result: option.text('Write the result to this file', 'output'),
  report: option.list('Also write the result to these files (.md .html .json .xml)', 'output'),
  planfile: option.argument('A file written by `plan --out`'),
} as const;

type Args = ArgsOf<typeof options> & {
  readonly format: 'text' | 'json';
  /** Tells each event of `--format jsonl`; `null` for the other formats. */
  readonly lines: ReturnType<typeof applyLines> | null;
};

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
  const args: Args =
    given.format === 'jsonl'
      ? { ...given, format: 'json', lines: applyLines(io) }
      : { ...given, format: given.format, lines: null };
  // Checked first: after the apply, it would be too late to find that it cannot be recorded.
  const proofFiles = resultFiles(args.provenBy, io);
  refuseMistakes(args, io);
  checkOutput({ ...args, out: args.result }, 'result', io);
  const proofs = proofFiles.length === 0 ? null : readResults(proofFiles, io);
  const saved = args.planfile === undefined ? null : readPlans(args.planfile, io);
  if (saved?.is === 'fleet') {
    requireAllSelected(saved.fleet, args.planfile ?? '', args, io);
    return applySeveral({ saved: saved.fleet }, args, proofs, io);
  }
  const names = saved ? null : selectedEnvironments(args, io);
  if (names) return applySeveral({ names }, args, proofs, io);

  const options = projectOptions(args, io, saved?.plan.environment);
  const project = beginProject(options);
  requireWritable(project.environment);
  return withTenant(project, io, async (tenant, progress) => {
    // A saved plan is applied without the manifests. They only show what a proof does not cover.
    let resources: readonly Resource[] | null = null;
    let plan = saved?.plan;
    if (!plan) {
      const loaded = await project.load(() => tenant.client.signIn());
      resources = loaded.resources;
      plan = await planChanges(loaded, tenant, planOptionsOf(args, io.env));
    }
    progress.end();
    requireApproved(plan, project.environment, { digest: args.expect, maxDeletes: args.maxDeletes });
    if (proofs) {
      requireProven(plan, proofs);
      const load = (environment: string) => loadProject({ ...projectFileOptions(args, io), environment });
      // A saved plan is applied without the manifests, also where they cannot be read.
      const declared = resources ?? attemptOrNull(() => loadProject(options).resources) ?? [];
      printDifferences([{ plan, declared }], proofs, load, io);
    }
    if (args.dryRun) {
      if (saved) await requireApplicable(project, tenant, plan);
      progress.end();
      // The plan holds the requests.
      if (args.format === 'json') io.data.write(json(plan));
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

/** The files that paths and globs name. Throws a Failure if one names none. */
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
function refuseMistakes(args: Args, io: Io): void {
  const { planfile, result, yes, expect, dryRun } = args;
  // `--report r.md plan.json` names two reports and no plan file: a new plan would be made, and this one overwritten.
  const lists = ['report', 'result', 'only', 'except', 'rotate', 'allow-delete-all'] as const;
  for (const { option, values } of givenOptions(args, lists))
    for (const word of values) {
      if (!holdsOpenPlans(word, io)) continue;
      throw fail('usage', `${word} holds a plan, but here it is a value of ${option}.`, {
        hint: `To apply that plan, put it before the options: \`tenantctl apply ${word} …\`. Otherwise choose another file.`,
      });
    }
  if (result === stdoutName) {
    const message =
      'A result is rewritten while the run goes on, so --result - must name a file, not stdout.';
    throw fail('usage', message, { hint: '`--format json` prints the result on stdout at the end.' });
  }
  const given = (...names: Parameters<typeof givenOptions<Args>>[1]) =>
    givenOptions(args, names).map(({ option }) => option);
  // Ignoring them would mislead. `--max-deletes` is a limit for a saved plan.
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
  const message = 'There is no terminal to ask for confirmation. Add --yes or --expect DIGEST.';
  throw fail('consent-required', message, {
    hint: 'In CI, apply the digest that was approved: `tenantctl apply --expect sha256:…`.',
  });
}

/** True when a file holds plans that nobody has applied yet: the results of several environments hold plans too. */
function holdsOpenPlans(file: string, io: Io): boolean {
  const path = resolve(io.cwd, file);
  if (!existsSync(path) || !statSync(path).isFile()) return false;
  // An earlier report or result may be overwritten: a look at it is no use of it.
  const content = readText(file, { ...io, uses: new Map() });
  const form = formOfText(content);
  const value = parseJson(content);
  const members = isObject(value) ? itemsOf(get(value, 'environments') ?? null) : [];
  const isApplied = members.some((each) => isObject(each) && Object.hasOwn(each, 'result'));
  return form === 'plan' || (form === 'fleet' && !isApplied);
}

type Plans = Extract<Document, { is: 'plan' | 'fleet' }>;

/**
 * Reads the plan to apply, or the plans of several environments. Throws a Failure (exit 4) for a file that is cut or edited, or
 * has results without their plans: `show` joins those, too.
 */
function readPlans(file: string, io: Io): Plans {
  const text = readText(file, io);
  if (formOfText(text) !== 'fleet') return { is: 'plan', plan: readPlanFile(text, file) };
  const { environments } = readFleetFile(text, file);
  const done = environments.find(({ plan, error }) => plan === null && error === null);
  if (!done) {
    // The result of an earlier apply does not count for the next one.
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

/** A file is applied to all its environments. An `--env` that names only some, or others, contradicts that. */
function requireAllSelected({ environments }: Fleet, file: string, args: Args, io: Io): void {
  const { selectors, from = '--env' } = selectorsOf(args, io);
  if (selectors.length === 0) return;
  const selected = new Set(namedEnvironments(args, io));
  const names = environments.map(({ name }) => name);
  if (names.length === selected.size && names.every((name) => selected.has(name))) return;
  const message = `${file} is applied to all its environments (${namesInBrief(names)}), and ${from} selects ${namesInBrief([...selected])}.`;
  throw fail('usage', message, {
    hint: 'Select no environment, or save a plan for those alone: `tenantctl plan --env … --out FILE`.',
  });
}

/** Prints where the result of an apply is. Returns false if a file could not be written: the tenant has changed anyway. */
function printSaved(files: readonly { file: string; failure: Failure | null }[], io: Io): boolean {
  const saved = files.filter(({ failure }) => failure === null).map(({ file }) => relative(io.cwd, file));
  for (const { failure } of files) {
    if (failure) printNote(`The result could not be saved. ${failure.message}`, io);
  }
  const isWhole = saved.length === files.length;
  if (saved[0] !== undefined && (!io.quiet || !isWhole)) printNote(`Result file: ${saved[0]}`, io);
  return isWhole;
}

/** Prints remarks on values that a proof does not cover, each once. */
function printDifferences(
  plans: readonly { readonly plan: Plan; readonly declared: readonly Resource[] }[],
  proofs: readonly Result[],
  load: (environment: string) => Project,
  io: Io,
): void {
  const names = new Set(proofs.map(({ environment }) => environment));
  const proving = new Map([...names].map((name) => [name, attemptOrNull(() => load(name).resources) ?? []]));
  const all = plans.map(({ plan, declared }) => {
    return { name: plan.environment, diagnostics: differencesHere(plan, declared, proving) };
  });
  printDiagnostics(shareDiagnostics(all, namesInBrief), io);
}

/** Shows new plans and asks for a confirmation, unless an option gives it. Throws a Failure (exit 1) for all but yes. */
async function requireConfirmation(document: Plans, args: Args, io: Io): Promise<void> {
  const plans =
    document.is === 'plan' ? [document.plan] : document.fleet.environments.flatMap(({ plan }) => plan ?? []);
  const changes = plans.flatMap((plan) => plan.changes);
  const isApproved = args.yes || args.expect !== undefined;
  const isAsked = !isApproved && changes.some(({ requests }) => requests.length > 0);
  if (isAsked || !io.quiet) printRemarks(document, io);
  // The report of several environments has the warnings of their plans.
  else if (document.is === 'plan') {
    const warnings = document.plan.diagnostics.filter(({ severity }) => severity === 'warning');
    printDiagnostics(warnings, io);
  }
  if (io.quiet && !isAsked) printWarnings(changes, io);
  const points = pointsOf(changes.map((change) => changeEntry(change, {})));
  const words = points.map((point) => point.words).join(' · ');
  // Risks are always shown.
  if ((isAsked || io.quiet) && words !== '') io.stderr.write(`${words}\n`);
  if (!isAsked) return;
  const names = document.is === 'fleet' ? document.fleet.environments.map(({ name }) => name) : [];
  const target =
    document.is === 'plan'
      ? `${document.plan.environment} (${tenantWords(document.plan.tenant)})`
      : `${pluralize(names.length, 'environment')} (${namesInBrief(names)})`;
  if (await confirm(oneLine(`apply to ${target}`), io)) return;
  const what = document.is === 'fleet' ? 'plans' : 'plan';
  throw fail('declined', 'Nothing was applied, because the answer was not `yes`.', {
    hint: `Answer with \`yes\`, the whole word, to apply the ${what}.`,
  });
}

/** Prints the warnings of changes, each text once: the plan that shows them is not printed. */
function printWarnings(changes: readonly Change[], io: Io): void {
  const all = changes.flatMap(({ address, action, warnings }) =>
    action === 'manual' ? [] : warnings.map((text) => ({ address, text })),
  );
  for (const [text, [first, ...others]] of groupBy(all, ({ text }) => text))
    printNote(oneLine(`warning  ${namesAndMore([first.address], others.length)}: ${text}`), io);
}

/** Shows the result of an apply, whose files could be saved or not, and writes its reports. Returns the exit code. */
async function outputResult(
  document: Extract<Document, { is: 'result' | 'fleet' }>,
  isSaved: boolean,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  const report = reportOf(document, io, await commitHere(args, io));
  if (!args.lines) await printReport(report, args.format, io);
  const isReported = await isWritten(() => writeReports(report, args.report, io), io);
  await appendStepSummary(report, io);
  const code =
    document.is === 'result' ? exitCodeOf(document.result) : exitCodeOfFleet(document.fleet, false);
  return code === ExitCode.done && !(isSaved && isReported) ? ExitCode.incomplete : code;
}

/** Writes the reports of an apply. Returns false if it could not: then the apply is incomplete (not exit 1). */
async function isWritten(write: () => Promise<void>, io: Io): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    printNote(`A report could not be written. ${error.message}`, io);
    return false;
  }
}

/** Writes the events of an apply to stdout, one JSON object per line, for programs that follow it. */
function applyLines({ stdout }: Pick<Io, 'stdout'>) {
  const told = new Set<string>();
  const write = (type: string, environment: string, more: object) => {
    stdout.write(json({ type, at: new Date().toISOString(), environment, ...more }, 0));
  };
  const tell = (environment: string, { address, action, outcome, error, warnings }: ChangeResult) => {
    told.add(`${environment} ${address}`);
    write(outcome, environment, { address, action, error, warnings: warnings ?? [] });
  };
  return {
    planned({ environment, digest, summary, changes }: Plan) {
      const listed = changes.map(({ address, action }) => ({ address, action }));
      write('planned', environment, { digest, summary, changes: listed });
    },
    event(environment: string, event: ApplyEvent) {
      if (event.type === 'started')
        write('started', environment, { address: event.address, action: event.action });
      if (event.type === 'waiting') write('waiting', environment, { address: event.address, why: event.why });
      if (event.type === 'finished') tell(environment, event.result);
    },
    ended(result: Result) {
      const { environment, outcome, summary, changes, diagnostics = [] } = result;
      // Changes that never began have had no event.
      for (const change of changes)
        if (!told.has(`${environment} ${change.address}`)) tell(environment, change);
      write('summary', environment, { outcome, summary, exitCode: exitCodeOf(result), diagnostics });
    },
    failed(environment: string, diagnostics: readonly Diagnostic[]) {
      write('error', environment, { diagnostics });
    },
  };
}

async function applySeveral(
  source: { readonly saved: Fleet } | { readonly names: readonly string[] },
  args: Args,
  proofs: readonly Result[] | null,
  io: Io,
): Promise<ExitCode> {
  const projects = openProjects(projectFileOptions(args, io));
  const fleet =
    'saved' in source
      ? source.saved
      : await withFleetProgress(source.names.length, args, io, (run) =>
          planFleet(projects, source.names, { ...run, plan: planOptionsOf(args, io.env) }),
        );
  if (args.expect !== undefined && args.expect !== fleet.digest)
    throw fail(
      'digest-mismatch',
      `The digest of these plans is ${fleet.digest}, not the approved ${args.expect}: their changes, tenants or options are different.`,
      { hint: 'Plan again with the same options, review it, and approve the new digest.' },
      ExitCode.refused,
    );
  if (proofs) {
    const plans = fleet.environments.flatMap(({ name, plan }) =>
      plan ? { plan, declared: attemptOrNull(() => projects.load(name).resources) ?? [] } : [],
    );
    printDifferences(plans, proofs, projects.load, io);
  }
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
        run.observe(event);
        lines?.event(name, event);
      },
      async onApplied(done) {
        if (result !== undefined) isSaved = await isWritten(async () => saveFile(done, result, io), io);
      },
    }),
  );
  for (const member of applied.environments) {
    if (member.result) lines?.ended(member.result);
    else lines?.failed(member.name, errorsOf(member));
  }
  return outputResult({ is: 'fleet', fleet: applied }, isSaved, args, io);
}

/** Why an environment has no result: it was not planned, its plan is refused, or its apply could not begin. */
const errorsOf = ({ error, plan }: FleetMember): Diagnostic[] =>
  (error ?? plan)?.diagnostics.filter(isError) ?? [];

/** Prints the requests that an apply would send, and why it would send none to an environment. */
async function runDry(
  fleet: Fleet,
  conditions: Omit<Parameters<typeof checkFleet>[1], keyof FleetOptions>,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  const { checked, plans } = await withFleetProgress(fleet.environments.length, args, io, (run) =>
    checkFleet(fleet, { ...run, ...conditions }),
  );
  const refusals = checked.environments.map((each) => ({ name: each.name, diagnostics: errorsOf(each) }));
  printDiagnostics(shareDiagnostics(refusals, namesInBrief), io);
  if (args.format === 'json') io.data.write(json(checked));
  else {
    for (const plan of plans)
      io.stdout.write(`# ${oneLine(plan.environment)}\n\n${renderRequests(plan, viewOf(io.stdout, io))}\n`);
  }
  return exitCodeOfFleet(checked, false);
}
