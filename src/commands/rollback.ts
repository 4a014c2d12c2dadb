import type { Argv } from 'yargs';
import { planRollback } from '../engine/rollback.ts';
import { loadProject } from '../loader/index.ts';
import type { ExitCode } from '../model/failure.ts';
import {
  type ArgsOf,
  commonOptions,
  defineCommand,
  guardOptions,
  guardOptionsOf,
  projectOptions,
  scopeOptions,
} from './command.ts';
import type { Io } from './io.ts';
import { checkPlanFiles, planOutputOptions, showPlan } from './plan-output.ts';
import { readResult } from './saved.ts';

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
  const result = readResult(args.result, io);
  const project = loadProject({ environment: result.environment, ...projectOptions(args, io) });
  const options = guardOptionsOf(args);
  return showPlan(project, args, io, (tenant) => planRollback(result, project, tenant, options));
}

export const command = defineCommand(build, run);
