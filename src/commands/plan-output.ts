import type { Argv } from 'yargs';
import { ExitCode } from '../model/exit.ts';
import { hasChanges, isRefused, type Plan } from '../model/plan.ts';
import type { ArgsOf } from './command.ts';
import type { Io, Verbosity } from './io.ts';
import { appendStepSummary, printDocument, writeReports, writeText } from './output.ts';

/** Options of the commands that show a plan and may save it. */
export function planOutputOptions<T>(yargs: Argv<T>) {
  return yargs
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
    });
}

/** Saves and prints a plan as its options say; the exit code says whether it is refused, or has changes. */
export async function putOutPlan(
  plan: Plan,
  args: Verbosity & ArgsOf<typeof planOutputOptions<unknown>>,
  io: Io,
): Promise<ExitCode> {
  if (args.out !== undefined) writeText(args.out, `${JSON.stringify(plan, null, 2)}\n`, io);
  await writeReports({ is: 'plan', plan }, args.report, io);
  appendStepSummary({ is: 'plan', plan }, io);
  printDocument({ is: 'plan', plan }, args.format, args, io);
  if (isRefused(plan)) return ExitCode.refused;
  return args.detailedExitcode && hasChanges(plan) ? ExitCode.changes : ExitCode.done;
}
