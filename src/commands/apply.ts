import { join } from 'node:path';
import type { Argv } from 'yargs';
import { applyPlan, requireApproved } from '../engine/apply.ts';
import { planChanges } from '../engine/plan.ts';
import type { Tenant } from '../engine/tenant.ts';
import { loadEnvironment, loadProject, type ProjectEnvironment } from '../loader/index.ts';
import { ExitCode, Failure, failure } from '../model/failure.ts';
import type { Plan } from '../model/plan.ts';
import { exitCodeOf, type Result } from '../model/result.ts';
import { renderRequests } from '../report/index.ts';
import {
  type ArgsOf,
  commonOptions,
  defineCommand,
  planOptions,
  planOptionsOf,
  projectOptions,
} from './command.ts';
import { confirmed } from './confirm.ts';
import { hasColour, type Io, isInteractive } from './io.ts';
import {
  appendStepSummary,
  checkReportFiles,
  checkWritable,
  printDocument,
  printRemarks,
  writeReports,
} from './output.ts';
import { createProgress } from './progress.ts';
import { saveResult } from './save-result.ts';
import { holdsPlan, readPlan } from './saved.ts';
import { withTenant } from './tenant.ts';

function build(yargs: Argv) {
  return planOptions(commonOptions(yargs))
    .usage(
      '$0 apply [PLANFILE] [options]\n\nMakes the tenant equal to the manifests. With a plan file: exactly that plan, without asking.',
    )
    .positional('planfile', { type: 'string', describe: 'A file written by `plan --out`' })
    .option('yes', { type: 'boolean', default: false, describe: 'Do not ask' })
    .option('expect', { type: 'string', describe: 'Apply only a plan with this digest', requiresArg: true })
    .option('dry-run', { type: 'boolean', default: false, describe: 'Print every request, send none' })
    .option('fail-fast', { type: 'boolean', default: false, describe: 'Start nothing new after a failure' })
    .option('format', {
      choices: ['text', 'json'] as const,
      default: 'text' as const,
      describe: 'How to print the result',
    })
    .option('result', { type: 'string', describe: 'Write the result file here', requiresArg: true })
    .option('report', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'Also write reports of the result (.md .html .json .xml)',
      requiresArg: true,
    })
    .example('$0 apply', 'Plan, show, ask, apply')
    .example('$0 apply plan.json', 'Apply a reviewed plan, or finish one that was interrupted')
    .example('$0 apply --expect sha256:…', 'In CI: apply only what was approved')
    .example('$0 apply --dry-run', 'See every request first');
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  checkReportFiles(args.report, 'result');
  const files = [...args.report, ...(args.result === undefined ? [] : [args.result])];
  // Afterwards would be too late: the tenant would have changed, and nothing would say how.
  checkWritable(files, io);
  refuseToReplacePlan(files, io);
  refusePlanOptions(args);
  refuseResultOptions(args);
  requireConsent(args, io);
  const { project, plan: planWith } = planSource(args, io);
  const progress = createProgress(io, args);

  return withTenant(project, io, progress, async (tenant) => {
    const plan = await planWith(tenant);
    progress.end();
    requireApproved(plan, project.environment, args.expect);
    if (args.dryRun) {
      printRequests(plan, args, io);
      return ExitCode.done;
    }
    if (args.planfile === undefined && !args.quiet) printRemarks({ is: 'plan', plan }, args, io);
    if (needsAnswer(plan, args) && !(await confirmed('Apply these changes?', io))) {
      const declined = { code: 'declined', severity: 'info', message: 'Nothing was applied.' } as const;
      if (args.format === 'json')
        printDocument({ is: 'diagnostics', diagnostics: [declined] }, 'json', args, io);
      io.stderr.write(`${declined.message}\n`);
      return ExitCode.done;
    }
    const result = await applyPlan(project, tenant, plan, {
      signal: io.signal,
      failFast: args.failFast,
      onEvent: progress.onApply,
      save(finished) {
        progress.end();
        saveResult(finished, join(project.root, '.tenantctl/results'), args, io);
      },
    });
    const document = { is: 'result', result } as const;
    printDocument(document, args.format, args, io);
    appendStepSummary(document, io);
    return report(document, args.report, io);
  });
}

/** What the apply did is done: a report that cannot be written makes it end incomplete, not as if nothing had happened. */
function report(document: { is: 'result'; result: Result }, files: readonly string[], io: Io): ExitCode {
  const code = exitCodeOf(document.result);
  try {
    writeReports(document, files, io);
    return code;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    io.stderr.write(`A report is not written. ${error.message}\n`);
    return code === ExitCode.done ? ExitCode.incomplete : code;
  }
}

/** As JSON it is the plan itself, which holds every request. */
function printRequests(plan: Plan, args: Args, io: Io): void {
  if (args.format === 'json') printDocument({ is: 'plan', plan }, 'json', args, io);
  else io.stdout.write(renderRequests(plan, { colour: hasColour(io.stdout, io, args) }));
}

/** A saved plan is applied as it is: to ignore an option that asks for another would apply what nobody asked for. */
function refusePlanOptions(args: Args): void {
  if (args.planfile === undefined) return;
  const given = {
    only: args.only.length > 0,
    except: args.except.length > 0,
    prune: args.prune,
    since: args.since !== undefined,
    rotate: args.rotate.length > 0,
    'max-deletes': args.maxDeletes !== undefined,
    'allow-delete-all': args.allowDeleteAll.length > 0,
    impact: args.impact,
  };
  const options = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [`--${name}`] : []));
  if (options.length === 0) return;
  throw failure(
    'usage',
    `${args.planfile} is applied as it was planned, so it goes without ${options.join(', ')}.`,
    {
      hint: 'Give the options to `tenantctl plan --out FILE`, and apply that plan.',
    },
  );
}

/** `apply --report r.md plan.json` names two reports and no plan: it would apply another one, and write over this. */
function refuseToReplacePlan(files: readonly string[], io: Io): void {
  const plan = files.find((file) => holdsPlan(file, io));
  if (plan === undefined) return;
  throw failure('usage', `${plan} holds a plan, and the apply would write what it did over it.`, {
    hint: `To apply that plan, name it before the options: \`tenantctl apply ${plan} …\`; else name another file.`,
  });
}

/** What a dry run is to write there, and would not, somebody may go and look for. */
function refuseResultOptions({ dryRun, result, report }: Args): void {
  const given = [...(result === undefined ? [] : ['--result']), ...(report.length === 0 ? [] : ['--report'])];
  if (!dryRun || given.length === 0) return;
  throw failure('usage', `A dry run has no result, so it goes without ${given.join(' and ')}.`, {
    hint: '`tenantctl plan` writes a plan with --out, and reports of it with --report.',
  });
}

interface PlanSource {
  readonly project: ProjectEnvironment;
  plan(tenant: Tenant): Promise<Plan>;
}

/** A saved plan needs no manifests; without one the plan is made afresh. */
function planSource(args: Args, io: Io): PlanSource {
  const options = projectOptions(args, io);
  if (args.planfile === undefined) {
    const project = loadProject(options);
    return { project, plan: (tenant) => planChanges(project, tenant, planOptionsOf(args, io.env)) };
  }
  const saved = readPlan(args.planfile, io);
  const project = loadEnvironment({ environment: saved.environment, ...options });
  return { project, plan: async () => saved };
}

/** Without a terminal nobody can be asked, so consent has to come with the command. */
function requireConsent({ planfile, yes, expect, dryRun }: Args, io: Io): void {
  if (planfile !== undefined || yes || expect !== undefined || dryRun || isInteractive(io)) return;
  throw failure(
    'consent-required',
    'There is no terminal to ask on, so this apply needs --yes or --expect DIGEST.',
    {
      hint: 'In CI, apply the digest that was approved: `tenantctl apply --expect sha256:…`.',
    },
  );
}

function needsAnswer(plan: Plan, { planfile, yes, expect }: Args): boolean {
  const sends = plan.changes.some(({ requests }) => requests.length > 0);
  return sends && planfile === undefined && !yes && expect === undefined;
}

export const command = defineCommand(build, run);
