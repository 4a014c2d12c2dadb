import type { Argv } from 'yargs';
import { planChanges } from '../engine/plan.ts';
import { loadProject } from '../loader/index.ts';
import { defineCommand } from './command.ts';
import { commonOptions, planOptions, planOptionsOf, projectOptions } from './options.ts';
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

export const command = defineCommand(build, async (args, io) => {
  checkPlanFiles(args, io);
  const project = loadProject(projectOptions(args, io));
  const options = planOptionsOf(args, io.env);
  const plan = await planWithTenant(project, args, io, (tenant) => planChanges(project, tenant, options));
  return outputPlan(plan, args, io);
});
