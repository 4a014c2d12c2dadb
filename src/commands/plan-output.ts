import type { Argv } from 'yargs';
import { readTemplateContext } from '../client/template-context.ts';
import { readableFields } from '../kinds/field.ts';
import { notificationTemplate } from '../kinds/notification-template.ts';
import { ExitCode } from '../model/exit.ts';
import type { LiveObject } from '../model/live.ts';
import { hasChanges, isRefused, type Plan } from '../model/plan.ts';
import type { ArgsOf } from './command.ts';
import type { Io, Verbosity } from './io.ts';
import {
  appendStepSummary,
  checkReportFiles,
  checkWritable,
  printDocument,
  renderTemplates,
  type TemplateSetting,
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

/** Throws a Failure, before any work, for files that {@link putOutPlan} could not write. */
export function checkPlanFiles({ out, report }: Pick<PlanOutputArgs, 'out' | 'report'>, io: Io): void {
  checkReportFiles(report, 'plan');
  checkWritable([...report, ...(out === undefined ? [] : [out])], io);
}

/** What the tenant has that a page of the plan shows templates with; nothing where no page shows any. */
export async function templateSetting(
  plan: Plan,
  args: PlanOutputArgs,
  tenant: Tenant,
): Promise<TemplateSetting> {
  const changes = plan.changes.filter(({ kind }) => kind === notificationTemplate.name);
  if (!wantsPage(args) || changes.length === 0) return {};
  const keys = changes.flatMap(({ action, key }) => (action === 'delete' ? [key] : []));
  const wanted = { kind: notificationTemplate, keys, ids: [], complete: false };
  const [attributes, defaults] = await Promise.all([
    readTemplateContext(tenant.client, tenant.environment.settings),
    keys.length > 0 ? tenant.readDefaults([wanted]) : [],
  ]);
  const fieldsOf = ({ address, fields }: LiveObject) =>
    [address, readableFields(notificationTemplate, fields)] as const;
  return { attributes, defaults: new Map(defaults.map(fieldsOf)) };
}

/** Saves and prints a plan as its options say; the exit code says whether it is refused, or has changes. */
export async function putOutPlan(
  plan: Plan,
  setting: TemplateSetting,
  args: PlanOutputArgs,
  io: Io,
): Promise<ExitCode> {
  const document = { is: 'plan', plan } as const;
  const templates = wantsPage(args) ? await renderTemplates(document, setting) : {};
  if (args.out !== undefined) writeText(args.out, `${JSON.stringify(plan, null, 2)}\n`, io);
  writeReports(document, args.report, io, templates);
  appendStepSummary(document, io);
  printDocument(document, args.format, args, io, templates);
  if (isRefused(plan)) return ExitCode.refused;
  return args.detailedExitcode && hasChanges(plan) ? ExitCode.changes : ExitCode.done;
}
