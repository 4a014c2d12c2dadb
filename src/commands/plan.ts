import type { Argv } from 'yargs';
import { loadProject } from '../loader/index.ts';
import { ExitCode } from '../model/exit.ts';
import { hasChanges, isRefused, type Plan } from '../model/plan.ts';
import { type ArgsOf, commonOptions, defineCommand, planOptions } from './command.ts';
import type { Io } from './io.ts';
import { choicesOf, makePlan } from './make-plan.ts';
import { appendStepSummary, checkReportFiles, printDocument, writeReports, writeText } from './output.ts';
import { createProgress } from './progress.ts';
import { projectOptions } from './project.ts';
import { withTenant } from './tenant.ts';

function build(yargs: Argv) {
  return planOptions(commonOptions(yargs))
    .usage(
      '$0 plan [options]\n\nReads the manifests and the tenant, and shows what an apply would change. Writes nothing.',
    )
    .option('out', {
      type: 'string',
      describe: 'Save the plan to this file, for `apply FILE`',
      requiresArg: true,
    })
    .option('format', {
      choices: ['text', 'json', 'markdown', 'html'] as const,
      default: 'text' as const,
      describe: 'How to print the plan',
    })
    .option('report', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'Also write it to these files (.md .html .json .xml, .gitlab.json)',
      requiresArg: true,
    })
    .option('detailed-exitcode', {
      type: 'boolean',
      default: false,
      describe: 'Exit with 2 when there are changes',
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
  checkReportFiles(args.report, 'plan');
  const project = loadProject(projectOptions(args, io));
  const plan = await withTenant(project, io, createProgress(io, args), (tenant) =>
    makePlan(project, tenant, choicesOf(args), io),
  );

  if (args.out !== undefined) writeText(args.out, JSON.stringify(plan, null, 2), io);
  await writeReports({ is: 'plan', plan }, args.report, io);
  appendStepSummary({ is: 'plan', plan }, io);
  printDocument({ is: 'plan', plan }, args.format, args, io);
  return exitCodeOf(plan, args.detailedExitcode);
}

function exitCodeOf(plan: Plan, detailed: boolean): ExitCode {
  if (isRefused(plan)) return ExitCode.refused;
  return detailed && hasChanges(plan) ? ExitCode.changes : ExitCode.done;
}

export const command = defineCommand(build, run);
