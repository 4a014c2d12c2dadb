import type { Argv } from 'yargs';
import { loadProject } from '../loader/index.ts';
import { ExitCode } from '../model/exit.ts';
import { failure } from '../model/failure.ts';
import type { Plan } from '../model/plan.ts';
import type { Project } from '../model/project.ts';
import type { Result } from '../model/result.ts';
import { matchUpRollback, planRollback, type RollbackInput, wantedForRollback } from '../planner/rollback.ts';
import { checkGlobs } from './check-globs.ts';
import { type ArgsOf, commonOptions, defineCommand, guardOptions, scopeOptions } from './command.ts';
import type { Io } from './io.ts';
import { readPlanDefaults } from './plan-defaults.ts';
import { checkPlanFiles, planOutputOptions, putOutPlan, templateSetting } from './plan-output.ts';
import { createProgress } from './progress.ts';
import { projectOptions } from './project.ts';
import { readResult } from './saved.ts';
import { type Tenant, withTenant } from './tenant.ts';
import { tool } from './version.ts';

function build(yargs: Argv) {
  return planOutputOptions(guardOptions(scopeOptions(commonOptions(yargs))))
    .usage(
      '$0 rollback RESULT [options]\n\nMakes a plan that undoes an apply, from what its result file recorded. Writes nothing to the tenant.',
    )
    .positional('result', {
      type: 'string',
      describe: 'A result file of `apply`, such as those in .tenantctl/results',
    })
    .demandOption('result')
    .example('$0 rollback result.json --out back.json', 'Then review it, and `tenantctl apply back.json`');
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  checkPlanFiles(args, io);
  checkGlobs(args);
  const result = readResult(args.result, io);
  const project = loadProject({ environment: result.environment, ...projectOptions(args, io) });
  refuseForeign(result, project);
  const { plan, setting } = await withTenant(project, io, createProgress(io, args), async (tenant) => {
    const reader = tenant.remembered();
    const made = await makeRollback(result, project, reader, args);
    return { plan: made, setting: await templateSetting(made, args, reader) };
  });
  return putOutPlan(plan, setting, args, io);
}

/** Throws a Failure (exit 4) for a result of another environment or tenant. */
function refuseForeign(result: Result, { environment: { name, tenant } }: Project): void {
  const isOurs =
    result.environment === name &&
    result.tenant.identity === tenant.identity &&
    result.tenant.profiles === tenant.profiles;
  if (isOurs) return;
  const quoted = (text: string) => JSON.stringify(text.slice(0, 200));
  throw failure(
    'result-tenant',
    `The result is of the environment ${quoted(result.environment)} with the tenant ${quoted(result.tenant.identity)}, not of ${quoted(name)} with ${quoted(tenant.identity)}.`,
    { hint: 'Choose the project file and environment that the apply ran with.' },
    ExitCode.refused,
  );
}

async function makeRollback(result: Result, project: Project, tenant: Tenant, args: Args): Promise<Plan> {
  const { environment, resources, secrets } = project;
  const choices = {
    scope: { only: args.only, except: args.except, prune: false, since: null },
    rotate: [],
    maxDeletes: args.maxDeletes ?? null,
    allowDeleteAll: args.allowDeleteAll,
  };
  const state = await tenant.readWanted(wantedForRollback({ result, resources, environment, choices }));
  const createdAt = new Date().toISOString();
  const input: RollbackInput = {
    tool,
    createdAt,
    environment,
    resources,
    state,
    secrets,
    choices,
    diagnostics: [],
    result,
  };
  const defaults = await readPlanDefaults(matchUpRollback(input), state.defaults, tenant);
  return planRollback({ ...input, state: { ...state, defaults } });
}

export const command = defineCommand(build, run);
