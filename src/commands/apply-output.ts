import type { Argv } from 'yargs';
import type { ApplyEvent } from '../applier/run.ts';
import { resourcesAtHand } from '../engine/proof.ts';
import type { Project } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { groupBy } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { ExitCode, fail } from '../model/failure.ts';
import { exitCodeOfFleet } from '../model/fleet.ts';
import type { Change, Plan } from '../model/plan.ts';
import { type ChangeResult, exitCodeOf, type Result } from '../model/result.ts';
import { namesAndMore } from '../model/words.ts';
import { attentionWords } from '../report/page.ts';
import type { Document } from '../report/report.ts';
import { json, oneLine } from '../report/safe.ts';
import { namesInBrief, pluralize, tenantWords } from '../report/words.ts';
import { type ArgsOf, flag, format, group, list, type PlanArgs, text } from './command.ts';
import { commitHere } from './commit.ts';
import { confirm, type Io, printNote } from './io.ts';
import {
  appendStepSummary,
  isWritten,
  printDiagnostics,
  printRemarks,
  printReport,
  reportFor,
  writeReports,
} from './output.ts';

export function applyOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('yes', flag('Do not ask for confirmation'))
    .option('expect', text('Apply only if the plan has this digest'))
    .option(
      'proven-by',
      list('Apply only changes that these result files (or globs) prove in another environment'),
    )
    .option('dry-run', flag('Print the requests without sending them'))
    .option('fail-fast', flag('Stop after the first failed change'))
    .option('format', {
      ...format(['text', 'json', 'jsonl']),
      describe: 'Output format. jsonl: each event as it happens, one JSON object per line',
    })
    .option('result', text('Write the result to this file'))
    .option('report', list('Also write the result to these files (.md .html .json .xml)'))
    .group(['format', 'result', 'report'], group.output);
}

export type ApplyArgs = PlanArgs &
  ArgsOf<typeof applyOptions<unknown>> & {
    readonly format: 'text' | 'json';
    /** Tells each event of `--format jsonl`; `null` for the other formats. */
    readonly lines: ReturnType<typeof applyLines> | null;
  };

/** Returns the resources of the environments that results are of, by name; none for one that cannot be read. */
export function resourcesProving(
  results: readonly Result[],
  load: (environment: string) => Project,
): ReadonlyMap<string, readonly Resource[]> {
  const names = new Set(results.map(({ environment }) => environment));
  return new Map([...names].map((name) => [name, resourcesAtHand(() => load(name))]));
}

const isWarning = ({ severity }: Diagnostic): boolean => severity === 'warning';

type NewPlans = Extract<Document, { is: 'plan' | 'fleet' }>;

/** Shows new plans and asks for a confirmation, unless an option gives it. Throws a Failure (exit 1) for all but yes. */
export async function requireConfirmation(document: NewPlans, args: ApplyArgs, io: Io): Promise<void> {
  const plans =
    document.is === 'plan' ? [document.plan] : document.fleet.environments.flatMap(({ plan }) => plan ?? []);
  const changes = plans.flatMap((plan) => plan.changes);
  const isApproved = args.yes || args.expect !== undefined;
  const isAsked = !isApproved && changes.some(({ requests }) => requests.length > 0);
  if (isAsked || !io.quiet) printRemarks(document, io);
  // The report of several environments has the warnings of their plans.
  else if (document.is === 'plan') printDiagnostics(document.plan.diagnostics.filter(isWarning), io);
  if (io.quiet && !isAsked) printWarnings(changes, io);
  const words = attentionWords(changes);
  // What a reviewer should notice is shown in any case.
  if ((isAsked || io.quiet) && words !== '') io.stderr.write(`${words}\n`);
  if (!isAsked) return;
  if (await confirm(oneLine(`apply to ${targetWords(document)}`), io)) return;
  const what = document.is === 'fleet' ? 'plans' : 'plan';
  throw fail('declined', 'Nothing was applied, because the answer was not `yes`.', {
    hint: `Answer with \`yes\`, the whole word, to apply the ${what}.`,
  });
}

/** Prints the warnings of changes, each text once: the plan that shows them is not printed. */
function printWarnings(changes: readonly Change[], io: Io): void {
  const all = changes.flatMap(({ address, action, warnings }) =>
    action === 'manual' ? [] : warnings.map((text) => ({ address, text })),
  );
  for (const [text, [first, ...others]] of groupBy(all, ({ text }) => text))
    printNote(oneLine(`warning  ${namesAndMore([first.address], others.length)}: ${text}`), io);
}

function targetWords(document: NewPlans): string {
  if (document.is === 'plan') return `${document.plan.environment} (${tenantWords(document.plan.tenant)})`;
  const names = document.fleet.environments.map(({ name }) => name);
  return `${pluralize(names.length, 'environment')} (${namesInBrief(names)})`;
}

/** Shows the result of an apply, whose files could be saved or not, and writes its reports. Returns the exit code. */
export async function outputResult(
  document: Extract<Document, { is: 'result' | 'fleet' }>,
  isSaved: boolean,
  args: ApplyArgs,
  io: Io,
): Promise<ExitCode> {
  const report = reportFor(document, io, await commitHere(args, io));
  if (!args.lines) await printReport(report, args.format, io);
  const isReported = await isWritten(() => writeReports(report, args.report, io), io);
  await appendStepSummary(report, io);
  const code =
    document.is === 'result' ? exitCodeOf(document.result) : exitCodeOfFleet(document.fleet, false);
  return code === ExitCode.done && !(isSaved && isReported) ? ExitCode.incomplete : code;
}

/** Writes the events of an apply to stdout, one JSON object per line, for programs that follow it. */
export function applyLines({ stdout }: Pick<Io, 'stdout'>) {
  const told = new Set<string>();
  const write = (type: string, environment: string, more: object) => {
    stdout.write(json({ type, at: new Date().toISOString(), environment, ...more }, 0));
  };
  const tell = (environment: string, { address, action, outcome, error, warnings }: ChangeResult) => {
    told.add(`${environment} ${address}`);
    write(outcome, environment, { address, action, error, warnings: warnings ?? [] });
  };
  return {
    planned({ environment, digest, summary, changes }: Plan) {
      const listed = changes.map(({ address, action }) => ({ address, action }));
      write('planned', environment, { digest, summary, changes: listed });
    },
    event(environment: string, event: ApplyEvent) {
      if (event.type === 'started')
        write('started', environment, { address: event.address, action: event.action });
      if (event.type === 'waiting') write('waiting', environment, { address: event.address, why: event.why });
      if (event.type === 'finished') tell(environment, event.result);
    },
    ended(result: Result) {
      const { environment, outcome, summary, changes, diagnostics = [] } = result;
      // What never began has had no event.
      for (const change of changes)
        if (!told.has(`${environment} ${change.address}`)) tell(environment, change);
      write('summary', environment, { outcome, summary, exitCode: exitCodeOf(result), diagnostics });
    },
    failed(environment: string, diagnostics: readonly Diagnostic[]) {
      write('error', environment, { diagnostics });
    },
  };
}
