import { planChanges } from '../engine/plan.ts';
import { beginProject } from '../loader/index.ts';
import { commonOptions, describeCommand, fleetOptions, planOptions, planOptionsOf } from './command.ts';
import { checkOutput } from './output.ts';
import { howToApplyPlan, outputPlan, planOutputOptions } from './plan-output.ts';
import { projectOptions, selectedEnvironments } from './project.ts';

export const command = describeCommand({
  usage:
    '$0 plan [options]\n\nCompares the manifests with the tenant, and shows what an apply would change. Changes nothing.',
  options: { ...commonOptions, ...planOptions, ...planOutputOptions, ...fleetOptions },
  examples: {
    '$0 plan': 'Show what an apply would change',
    '$0 plan -e production --out plan.json': 'Save the plan for review, then run `tenantctl apply plan.json`',
    '$0 plan -e @production': 'All environments of a group, in one report',
    "$0 plan --only 'NotificationTemplate/**'": 'Only notification templates',
  },
}).run(async (args, io) => {
  const names = selectedEnvironments(args, io);
  checkOutput(args, names ? 'fleet' : 'plan', io);
  if (names) {
    // Only several environments need the module that also applies them.
    const { planSeveral } = await import('./fleet.ts');
    return planSeveral(names, args, io);
  }
  const project = beginProject(projectOptions(args, io));
  const options = planOptionsOf(args, io.env);
  return outputPlan(project, args, io, async (tenant) => {
    const loaded = await project.load(() => tenant.client.signIn());
    const plan = await planChanges(loaded, tenant, options);
    return { plan, ...(project.environment.policy.readOnly ? {} : howToApplyPlan(args, io)) };
  });
});
