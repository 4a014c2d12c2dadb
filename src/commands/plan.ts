import type { Argv } from 'yargs';
import { planChanges } from '../engine/plan.ts';
import { loadProject } from '../loader/index.ts';
import type { ExitCode } from '../model/failure.ts';
import {
  type ArgsOf,
  commonOptions,
  defineCommand,
  planOptions,
  planOptionsOf,
  projectOptions,
} from './command.ts';
import type { Io } from './io.ts';
import { checkPlanFiles, outputPlan, planOutputOptions, planWithTenant } from './plan-output.ts';

function build(yargs: Argv) {
  return planOutputOptions(planOptions(commonOptions(yargs)))
    .usage(
      '$0 plan [options]\n\nCompares the manifests with the tenant, and shows what an apply would change. Changes nothing.',
    )
    .example('$0 plan', 'Show what an apply would change')
    .example(
      '$0 plan -e production --out plan.json',
      'Save the plan for review, then run `tenantctl apply plan.json`',
    )
    .example("$0 plan --only 'NotificationTemplate/**'", 'Only notification templates');
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  checkPlanFiles(args, io);
  const project = loadProject(projectOptions(args, io));
  const options = planOptionsOf(args, io.env);
  const plan = await planWithTenant(project, args, io, (tenant) => planChanges(project, tenant, options));
  return outputPlan(plan, args, io);
}

export const command = defineCommand(build, run);
