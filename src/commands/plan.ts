import { planChanges } from '../engine/plan.ts';
import { beginProject, openProjects } from '../loader/index.ts';
import { isCi } from '../loader/inputs.ts';
import { exitCodeOfFleet } from '../model/documents.ts';
import {
  type ArgsOf,
  commonOptions,
  describeCommand,
  fleetOptions,
  givenOptions,
  planOptions,
  planOptionsOf,
} from './command.ts';
import type { Io } from './io.ts';
import { checkOutput, outputDocument, saveFile, stdoutName } from './output.ts';
import { commitHere, howToApply, outputPlan, planOutputOptions } from './plan-output.ts';
import { withFleetProgress } from './progress.ts';
import { projectFileOptions, projectOptions, selectedEnvironments, selectorsOf } from './project.ts';

const options = { ...commonOptions, ...planOptions, ...planOutputOptions, ...fleetOptions } as const;

export const command = describeCommand({
  usage:
    '$0 plan [options]\n\nCompares the manifests with the tenant, and shows what an apply would change. Changes nothing.',
  options,
  examples: {
    '$0 plan': 'Show what an apply would change',
    '$0 plan -e production --out plan.json': 'Save the plan for review, then run `tenantctl apply plan.json`',
    '$0 plan -e @production': 'All environments of a group, in one report',
    "$0 plan --only 'NotificationTemplate/**'": 'Only notification templates',
  },
}).run(async (args, io) => {
  const names = selectedEnvironments(args, io);
  checkOutput(args, names ? 'fleet' : 'plan', io);
  const plan = planOptionsOf(args, io.env);
  if (names) {
    // Only several environments need the module that also applies them.
    const { planFleet } = await import('../engine/fleet.ts');
    const projects = openProjects(projectFileOptions(args, io));
    const fleet = await withFleetProgress(names.length, args, io, (run) =>
      planFleet(projects, names, { ...run, plan }),
    );
    if (args.out !== undefined) saveFile(fleet, args.out, io);
    const extras = { ...howToApplyThis(args, io), ...(await commitHere(args, io)) };
    await outputDocument({ is: 'fleet', fleet }, args, io, extras);
    return exitCodeOfFleet(fleet, args.detailedExitcode);
  }
  const project = beginProject(projectOptions(args, io));
  return outputPlan(project, args, io, async (tenant) => {
    const loaded = await project.load(() => tenant.client.signIn());
    const made = await planChanges(loaded, tenant, plan);
    return { plan: made, ...(project.environment.policy.readOnly ? {} : howToApplyThis(args, io)) };
  });
});

/**
 * Applies the saved file of the plan, or else makes the same plan again. In a pipeline, the file is on another machine than the
 * reader, who should not apply a file from a pull request.
 */
function howToApplyThis(args: ArgsOf<typeof options>, io: Io): ReturnType<typeof howToApply> {
  if (args.out !== undefined && args.out !== stdoutName && !isCi(io.env))
    return howToApply(args.out, args, io);
  // The options that the digest of a plan depends on.
  const names = ['env', 'shard', 'only', 'except', 'rotate', 'prune', 'since', 'max-deletes'] as const;
  const selected = { ...args, env: selectorsOf(args, io).selectors };
  const words = givenOptions(selected, [...names, 'allow-delete-all']).flatMap(({ option, values }) =>
    values.length === 0 ? [option] : values.flatMap((value) => [option, value]),
  );
  return howToApply(words, args, io);
}
