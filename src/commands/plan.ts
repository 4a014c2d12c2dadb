import type { Argv } from 'yargs';
import { loadProject } from '../loader/index.ts';
import type { ExitCode } from '../model/exit.ts';
import { type ArgsOf, commonOptions, defineCommand, planOptions } from './command.ts';
import type { Io } from './io.ts';
import { knownPages } from './known-pages.ts';
import { choicesOf, makePlan } from './make-plan.ts';
import { checkPlanFiles, planOutputOptions, putOutPlan, templateSetting } from './plan-output.ts';
import { createProgress } from './progress.ts';
import { projectOptions } from './project.ts';
import { withTenant } from './tenant.ts';
import { version } from './version.ts';

function build(yargs: Argv) {
  return planOutputOptions(planOptions(commonOptions(yargs)))
    .usage(
      '$0 plan [options]\n\nReads the manifests and the tenant, and shows what an apply would change. Changes nothing.',
    )
    .option('cache', {
      type: 'boolean',
      default: true,
      describe: 'Use what earlier plans found in manifests and lists',
    })
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
  const project = loadProject({ ...projectOptions(args, io), ...(args.cache && { cacheOf: version }) });
  const pages = args.cache ? knownPages(project) : null;
  const { plan, setting } = await withTenant(project, io, createProgress(io, args), async (tenant) => {
    const reader = tenant.remembered();
    const made = await makePlan(project, reader, choicesOf(args), io, pages);
    return { plan: made, setting: await templateSetting(made, args, reader) };
  });
  return putOutPlan(plan, setting, args, io);
}

export const command = defineCommand(build, run);
