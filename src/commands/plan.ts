import { planChanges } from '../engine/plan.ts';
import { beginProject, openProjects } from '../loader/index.ts';
import { exitCodeOfFleet } from '../model/fleet.ts';
import { commonOptions, describeCommand, fleetOptions, planOptions, planOptionsOf } from './command.ts';
import { commitHere } from './commit.ts';
import { checkOutput, outputDocument, saveFile } from './output.ts';
import { howToApplyPlan, outputPlan, planOutputOptions } from './plan-output.ts';
import { withFleetProgress } from './progress.ts';
import { projectFileOptions, projectOptions, selectedEnvironments } from './project.ts';

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
  const options = planOptionsOf(args, io.env);
  if (names) {
    // Only several environments need the module that also applies them.
    const { planFleet } = await import('../engine/fleet.ts');
    const projects = openProjects(projectFileOptions(args, io));
    const fleet = await withFleetProgress(names.length, args, io, (run) =>
      planFleet(projects, names, { ...run, plan: options }),
    );
    if (args.out !== undefined) saveFile(fleet, args.out, io);
    const extras = { ...howToApplyPlan(args, io), ...(await commitHere(args, io)) };
    await outputDocument({ is: 'fleet', fleet }, args, io, extras);
    return exitCodeOfFleet(fleet, args.detailedExitcode);
  }
  const project = beginProject(projectOptions(args, io));
  return outputPlan(project, args, io, async (tenant) => {
    const loaded = await project.load(() => tenant.client.signIn());
    const plan = await planChanges(loaded, tenant, options);
    return { plan, ...(project.environment.policy.readOnly ? {} : howToApplyPlan(args, io)) };
  });
});
