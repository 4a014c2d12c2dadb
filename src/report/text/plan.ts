import { groupBy } from '../../model/basics.ts';
import { isError } from '../../model/diagnostic.ts';
import {
  type Action,
  type Change,
  type Difference,
  hasChanges,
  type Plan,
  type Request,
  type Risk,
} from '../../model/plan.ts';
import { namesAndMore } from '../../model/words.ts';
import { planCommand } from '../apply-command.ts';
import { attentionOf, firstOf, type Point, pointWords } from '../attention.ts';
import { bodyText, pathWords, sensitiveWords, viewOf } from '../difference.ts';
import type { ReportOptions } from '../options.ts';
import {
  changeCounts,
  impactUnknown,
  impactWords,
  movedWords,
  moves,
  noChanges,
  originNotes,
  planCounts,
  pluralize,
  refused,
  requestTarget,
  riskWords,
  type ShownChange,
  scopeWords,
  secretNamesOf,
  symbols,
  taskOf,
  tenantWords,
  titleOfPlan,
  undeclaredWords,
} from '../words.ts';
import { diagnosticRows } from './diagnostics.ts';
import { blank, layout, paragraph, type Row, row, type Span, type Style, span, widthOf } from './layout.ts';
import { lineDiffRows, maxLines, maxName, titleRow, valueSpans } from './values.ts';

/** The colour of each action. */
export const actionStyles: Readonly<Record<Action, Style>> = {
  create: 'green',
  update: 'yellow',
  delete: 'red',
  manual: 'magenta',
};

const opSpans: Readonly<Record<Difference['op'], Span>> = {
  add: span('+ ', 'green'),
  remove: span('- ', 'red'),
  replace: span('~ ', 'yellow'),
};

/** Longer pairs of values are shown one below the other. */
const maxTogether = 56;

/** A plan for the terminal: changes by kind, the guards that refuse it, and a summary at the end. */
export function planText(plan: Plan, options: ReportOptions): string {
  const verbose = options.verbose ?? false;
  const guards = plan.diagnostics.filter(isError);
  const remarks = plan.diagnostics.filter((each) => !isError(each));
  const refusal = row(0, span('✖ ', 'red'), span(refused, 'red', 'bold'));
  // Shown before the changes, and again at the end, where it stays on the screen.
  const refusalRows = guards.length === 0 ? [] : [refusal, blank, ...diagnosticRows(guards, options)];
  const limits = scopeWords(plan.scope);
  const rows = [
    row(0, span(`Plan for ${plan.environment}`, 'bold'), span(`  ${tenantWords(plan.tenant)}`, 'dim')),
    ...(plan.undoes ? [row(0, span(titleOfPlan(plan), 'bold'))] : []),
    ...(limits === '' ? [] : [row(0, span(`limited by ${limits}`, 'dim'))]),
    blank,
    ...refusalRows,
    ...groupRows(plan, verbose),
    ...diagnosticRows(remarks, options),
    ...undeclaredRows(plan, verbose),
    ...attentionRows(attentionOf(plan.changes)),
    ...refusalRows,
    hasChanges(plan)
      ? row(0, span('Plan: ', 'bold'), span(`${planCounts(plan.summary)}.`, 'bold'))
      : row(0, span(noChanges(plan), 'green', 'bold')),
    row(0, span(`Digest: ${plan.digest}`, 'dim')),
  ];
  return `${layout(rows, options)}${commandLine(planCommand(plan, options), options)}`;
}

/** How to apply what was approved. It is not wrapped, so that it can be copied. */
export function commandLine(command: string | null, { colour }: Pick<ReportOptions, 'colour'>): string {
  if (command === null) return '';
  const line = row(0, span('To apply exactly this plan: ', 'dim'), span(command));
  return layout([line], { colour, width: Number.POSITIVE_INFINITY });
}

/** What to read first stands at the end, where it stays on the screen. */
export function attentionRows(points: readonly Point[]): Row[] {
  if (points.length === 0) return [];
  const rows = points.map((point) => {
    const { first, more } = firstOf(point);
    const addresses = first.map(({ address }) => address);
    return row(2, span(`${pointWords(point)}: `, 'yellow', 'bold'), span(namesAndMore(addresses, more)));
  });
  return [row(0, span('Read this first', 'bold')), ...rows, blank];
}

function groupRows({ changes }: Plan, verbose: boolean): Row[] {
  return groupBy(changes, ({ kind }) => kind).flatMap(([kind, group]) => [
    row(0, span(kind, 'bold'), span(`  ${changeCounts(group)}`, 'dim')),
    blank,
    ...group.flatMap((change) => [...changeRows(change, verbose), blank]),
  ]);
}

/** Objects that no manifest names: with `--since`, by name in any case, since a removed manifest may have left one. */
function undeclaredRows(plan: Plan, verbose: boolean): Row[] {
  const words = undeclaredWords(plan);
  if (words === null) return [];
  const { scope, undeclared = [] } = plan;
  const isNamed = verbose || scope.since !== null;
  const hint = isNamed ? '' : '; --verbose names them';
  const names = isNamed ? undeclared.map((address) => row(2, span('? ', 'dim'), span(address))) : [];
  return [row(0, span('Undeclared', 'bold'), span(`  ${words}${hint}`, 'dim')), ...names, blank];
}

/** One change: its address and place, its risks and warnings, what differs, and with `verbose` its requests. */
export function changeRows(change: ShownChange, verbose: boolean): Row[] {
  const limit = verbose ? Number.POSITIVE_INFINITY : maxLines;
  const names = change.diff.map(({ path }) => widthOf(pathWords(path))).filter((width) => width <= maxName);
  const column = Math.max(0, ...names);
  const { task, warnings } = taskOf(change);
  return [
    titleRow(symbols[change.action], actionStyles[change.action], change),
    ...change.risk.map(riskRow),
    ...(task === null ? [] : [row(6, span('by hand: ', 'magenta', 'bold'), span(task, 'magenta'))]),
    ...warnings.map(warningRow),
    ...change.diff.flatMap((difference) => differenceRows(difference, column, limit)),
    ...secretRows(change),
    ...impactRows(change),
    ...(verbose ? change.requests : []).map(({ method, path }) =>
      row(6, span('→ ', 'dim'), span(`${method} ${path}`, 'dim')),
    ),
  ];
}

function secretRows(change: ShownChange): Row[] {
  const names = secretNamesOf(change);
  return names.length === 0 ? [] : [row(6, span('sends secrets: ', 'dim'), span(names.join(', ')))];
}

function impactRows({ impact }: Change): Row[] {
  if (!impact) return [];
  if ('notRun' in impact) return [warningRow(`${impactUnknown}. ${impact.notRun}`)];
  const [enter, leave] = moves.map((move) => movedWords(impact, move));
  return [
    row(6, span('● ', 'cyan'), span(impactWords(impact))),
    ...(enter ? [row(8, span('+ ', 'green'), span(enter, 'green'))] : []),
    ...(leave ? [row(8, span('- ', 'red'), span(leave, 'red'))] : []),
  ];
}

function riskRow(risk: Risk): Row {
  const { label, meaning, isGrave } = riskWords[risk];
  const style = isGrave ? 'red' : 'yellow';
  return row(6, span('⚠ ', style), span(label, style, 'bold'), span(`: ${meaning}`, style));
}

const warningRow = (warning: string): Row => row(6, span('⚠ ', 'yellow'), span(warning, 'yellow'));

function differenceRows(difference: Difference, column: number, limit: number): Row[] {
  const view = viewOf(difference, limit);
  const name = pathWords(difference.path);
  const title = [opSpans[difference.op], span(name)];
  const origin = originSpans(difference);
  switch (view.is) {
    case 'lines':
      return [row(6, ...title, ...origin), ...lineDiffRows(view.diff)];
    case 'sensitive':
      return [row(6, ...title, gap(name, column), span(sensitiveWords, 'dim'), ...origin)];
    case 'inline':
      return inlineRows([...title, gap(name, column)], view, origin, 10 + Math.max(column, widthOf(name)));
  }
}

/** Blanks up to where values begin. */
const gap = (name: string, column: number): Span => span(' '.repeat(Math.max(0, column - widthOf(name)) + 2));

/** The values on one line, or where both are long one below the other, `indent` columns in. */
function inlineRows(
  title: readonly Span[],
  { before, after }: { before: string | null; after: string | null },
  origin: readonly Span[],
  indent: number,
): Row[] {
  const [old, fresh] = valueSpans(before, after);
  const titleWith = (...values: readonly Span[]): Row => ({
    indent: 6,
    hang: indent,
    spans: [...title, ...values],
  });
  if (before === null || after === null) return [titleWith(...old, ...fresh, ...origin)];
  const arrow = span('→ ', 'dim');
  if (before.length + after.length <= maxTogether) {
    return [titleWith(...old, span(' '), arrow, ...fresh, ...origin)];
  }
  return [titleWith(...old), row(indent - 2, arrow, ...fresh, ...origin)];
}

function originSpans(difference: Difference): Span[] {
  const { origin } = difference;
  const notes = originNotes(difference);
  return notes === '' ? [] : [span(`  (${notes})`, origin === null || origin === 'repo' ? 'dim' : 'yellow')];
}

/**
 * Every request of a plan as it would be sent, with the names of secrets in their place: what a dry run prints. Lines
 * are not wrapped, so that a body can be copied as JSON.
 */
export function renderRequests(plan: Plan, { colour }: Pick<ReportOptions, 'colour'>): string {
  const total = plan.changes.reduce((sum, { requests }) => sum + requests.length, 0);
  const rows = plan.changes.flatMap(({ action, address, requests }) => {
    const title = row(0, span(`# ${symbols[action]} ${address}`, actionStyles[action], 'bold'));
    return requests.length === 0 ? [] : [title, ...requests.flatMap(requestRows)];
  });
  const end = row(0, span(`Dry run: ${pluralize(total, 'request')}, none sent.`, 'bold'));
  return layout([...rows, end], { colour, width: Number.POSITIVE_INFINITY });
}

function requestRows(request: Request): Row[] {
  const { method, headers, body } = request;
  return [
    row(0, span(`${method} `, 'bold'), span(requestTarget(request))),
    ...Object.entries(headers).map(([name, value]) => row(0, span(`${name}: `, 'cyan'), span(value))),
    ...(body === null ? [] : [blank, ...paragraph(0, bodyText(body))]),
    blank,
  ];
}
