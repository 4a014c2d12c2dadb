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
import { checkPlanFiles, planOutputOptions, showPlan } from './plan-output.ts';

function build(yargs: Argv) {
  return planOutputOptions(planOptions(commonOptions(yargs)))
    .usage(
      '$0 plan [options]\n\nReads the manifests and the tenant, and shows what an apply would change. Changes nothing.',
    )
    .example('$0 plan', 'What would an apply change?')
    .example(
      '$0 plan -e production --out plan.json',
      'Save the plan, review it, then `tenantctl apply plan.json`',
    )
    .example("$0 plan --only 'NotificationTemplate/**'", 'Only the notification templates');
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  checkPlanFiles(args, io);
  const project = loadProject(projectOptions(args, io));
  const options = planOptionsOf(args, io.env);
  return showPlan(project, args, io, (tenant) => planChanges(project, tenant, options));
}

export const command = defineCommand(build, run);
