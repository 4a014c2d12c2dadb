import type { Argv } from 'yargs';
import { readTemplateContext } from '../client/template-context.ts';
import { ExitCode } from '../model/exit.ts';
import type { JsonObject } from '../model/json.ts';
import { hasChanges, isRefused, type Plan } from '../model/plan.ts';
import type { ArgsOf } from './command.ts';
import type { Io, Verbosity } from './io.ts';
import {
  appendStepSummary,
  printDocument,
  renderTemplates,
  wantsPage,
  writeReports,
  writeText,
} from './output.ts';
import type { Tenant } from './tenant.ts';

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

type PlanOutputArgs = Verbosity & ArgsOf<typeof planOutputOptions<unknown>>;

/** The tenant's own attributes for templates, where a page of the plan will show any; else `null`. */
export async function attributesFor(
  plan: Plan,
  args: PlanOutputArgs,
  tenant: Tenant,
): Promise<JsonObject | null> {
  const shows = plan.changes.some(({ kind }) => kind === 'NotificationTemplate');
  return wantsPage(args) && shows ? readTemplateContext(tenant.client, tenant.environment.settings) : null;
}

/** Saves and prints a plan as its options say; the exit code says whether it is refused, or has changes. */
export async function putOutPlan(
  plan: Plan,
  attributes: JsonObject | null,
  args: PlanOutputArgs,
  io: Io,
): Promise<ExitCode> {
  const document = { is: 'plan', plan } as const;
  const templates = wantsPage(args) ? await renderTemplates(document, attributes ?? undefined) : {};
  if (args.out !== undefined) writeText(args.out, `${JSON.stringify(plan, null, 2)}\n`, io);
  writeReports(document, args.report, io, templates);
  appendStepSummary(document, io);
  printDocument(document, args.format, args, io, templates);
  if (isRefused(plan)) return ExitCode.refused;
  return args.detailedExitcode && hasChanges(plan) ? ExitCode.changes : ExitCode.done;
}
