import type { Argv } from 'yargs';
import { resourcesAtHand } from '../engine/proof.ts';
import type { Project } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { ExitCode, failure } from '../model/failure.ts';
import type { Change } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import type { Document } from '../report/index.ts';
import { attentionWords } from '../report/page.ts';
import { oneLine } from '../report/safe.ts';
import type { ArgsOf } from './command.ts';
import type { Io } from './io.ts';
import { flag, format, group, list, type PlanArgs, text } from './options.ts';
import { appendStepSummary, isWritten, printDocument, printRemarks, writeReports } from './output.ts';
import { confirm } from './prompt.ts';

/** Options of an apply, to one environment or several. */
export function applyOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('yes', flag('Do not ask for confirmation'))
    .option('expect', text('Apply only if the plan has this digest'))
    .option('proven-by', list('Apply only what these result files (or globs) prove in another environment'))
    .option('dry-run', flag('Print the requests without sending them'))
    .option('fail-fast', flag('Stop after the first failed change'))
    .option('format', format(['text', 'json']))
    .option('result', text('Write the result to this file'))
    .option('report', list('Also write the result to these files (.md .html .json .xml)'))
    .group(['format', 'result', 'report'], group.output);
}

/** The arguments of an apply, apart from the plan file. */
export type ApplyArgs = PlanArgs & ArgsOf<typeof applyOptions<unknown>>;

/** What the manifests declare for the environments that results are of, by name; nothing for one that cannot be read. */
export function resourcesProving(
  results: readonly Result[],
  load: (environment: string) => Project,
): ReadonlyMap<string, readonly Resource[]> {
  const names = new Set(results.map(({ environment }) => environment));
  return new Map([...names].map((name) => [name, resourcesAtHand(() => load(name))]));
}

/** Plans that have just been made. */
interface NewPlans {
  readonly document: Extract<Document, { is: 'plan' | 'fleet' }>;
  readonly changes: readonly Change[];
  /** What they are applied to: the environment and its tenant, or the environments. */
  readonly target: string;
}

/**
 * Shows plans that have just been made, and asks for a confirmation where no option gives it. Throws a Failure (exit 1)
 * for any other answer than yes.
 */
export async function requireConfirmation(
  { document, changes, target }: NewPlans,
  args: ApplyArgs,
  io: Io,
): Promise<void> {
  const isApproved = args.yes || args.expect !== undefined;
  const isAsked = !isApproved && changes.some(({ requests }) => requests.length > 0);
  if (isAsked || !args.quiet) printRemarks(document, args, io);
  if (!isAsked) return;
  const words = attentionWords(changes);
  if (words !== '') io.stderr.write(`${words}\n`);
  if (await confirm(oneLine(`apply to ${target}`), io)) return;
  const what = document.is === 'fleet' ? 'plans' : 'plan';
  throw failure('declined', 'Nothing was applied, because the answer was not `yes`.', {
    hint: `Answer with \`yes\`, the whole word, to apply the ${what}.`,
  });
}

/** What has become of an apply. */
interface Applied {
  readonly document: Document;
  readonly code: ExitCode;
  /** Whether its result files could be written. */
  readonly isSaved: boolean;
}

/** Shows the result of an apply and writes its reports. Returns the exit code. */
export function outputResult({ document, code, isSaved }: Applied, args: ApplyArgs, io: Io): ExitCode {
  printDocument(document, args, io);
  appendStepSummary(document, io);
  const isReported = isWritten(() => writeReports(document, args.report, io), io);
  return code === ExitCode.done && !(isSaved && isReported) ? ExitCode.incomplete : code;
}
