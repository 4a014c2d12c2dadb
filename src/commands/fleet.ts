import { planFleet } from '../engine/fleet.ts';
import { type OpenedProjects, openProjects } from '../loader/index.ts';
import type { ExitCode } from '../model/failure.ts';
import { exitCodeOfFleet, type Fleet } from '../model/fleet.ts';
import { type ArgsOf, type PlanArgs, planOptionsOf } from './command.ts';
import { commitHere } from './commit.ts';
import type { Io } from './io.ts';
import { outputDocument, saveFile } from './output.ts';
import { howToApplyPlan, type planOutputOptions } from './plan-output.ts';
import { withFleetProgress } from './progress.ts';
import { projectFileOptions } from './project.ts';

/** `plan` over several environments. */
export async function planSeveral(
  names: readonly string[],
  args: PlanArgs & ArgsOf<typeof planOutputOptions>,
  io: Io,
): Promise<ExitCode> {
  const applying = howToApplyPlan(args, io);
  const fleet = await planEnvironments(openProjects(projectFileOptions(args, io)), names, args, io);
  if (args.out !== undefined) saveFile(fleet, args.out, io);
  await outputDocument({ is: 'fleet', fleet }, args, io, { ...applying, ...(await commitHere(args, io)) });
  return exitCodeOfFleet(fleet, args.detailedExitcode);
}

export function planEnvironments(
  projects: OpenedProjects,
  names: readonly string[],
  args: PlanArgs,
  io: Io,
): Promise<Fleet> {
  const plan = planOptionsOf(args, io.env);
  return withFleetProgress(names.length, args, io, (run) => planFleet(projects, names, { ...run, plan }));
}
