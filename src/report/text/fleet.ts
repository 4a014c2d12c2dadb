import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Fleet } from '../../model/fleet.ts';
import { fleetCommand } from '../apply-command.ts';
import {
  type FleetView,
  fleetView,
  fleetWords,
  type Matrix,
  namesInBrief,
  noChangesAnywhere,
  type OutcomeGroup,
  openOutcomes,
  type Shared,
  sharedWords,
} from '../fleet-view.ts';
import type { ReportOptions } from '../options.ts';
import { planCounts } from '../words.ts';
import { diagnosticRows } from './diagnostics.ts';
import { blank, layout, padTo, type Row, row, span, widthOf } from './layout.ts';
import { attentionRows, changeRows, commandLine } from './plan.ts';
import { resultRows } from './result.ts';

/** The plans or results of several environments for the terminal: what failed first, then each change once. */
export function fleetText(fleet: Fleet, options: ReportOptions): string {
  const view = fleetView(fleet);
  const { isApplied, matrix, errors, changes, remarks, points, steps } = view;
  const title = isApplied ? 'Apply to several environments' : 'Plans for several environments';
  const rows = [
    row(0, span(title, 'bold')),
    blank,
    ...matrixRows(matrix, options),
    blank,
    ...errors.flatMap((shared) => errorRows(shared, options)),
    ...outcomeRows(fleet, options),
    ...changes.flatMap((each) => sharedRows(each, fleet, options)),
    ...diagnosticRows(
      remarks.flatMap(([, group]) => group),
      options,
    ),
    ...attentionRows(points),
    row(0, span(`${fleetWords(fleet)}.`, 'bold')),
    ...(isApplied ? [] : [planRow(fleet, view)]),
    row(0, span(`Digest: ${fleet.digest}`, 'dim')),
    ...steps.map((step) => row(0, span(step))),
  ];
  return `${layout(rows, options)}${commandLine(fleetCommand(fleet, options), options)}`;
}

function planRow({ summary }: Fleet, { isEqual }: FleetView): Row {
  return isEqual
    ? row(0, span(noChangesAnywhere, 'green', 'bold'))
    : row(0, span('Plan: ', 'bold'), span(`${planCounts(summary)}.`, 'bold'));
}

/** A table. Names that would push the numbers out of the line have a line of their own. */
function matrixRows({ columns, rows }: Matrix, { width }: ReportOptions): Row[] {
  const names = rows.map((each) => namesInBrief(each.names));
  const head = columns.map((column) => `  ${column}`).join('');
  const room = Math.max('environment'.length, width - head.length - 4);
  const column = Math.max('environment'.length, ...names.map(widthOf).filter((each) => each <= room));
  return [
    row(2, span(`  ${padTo('environment', column)}${head}`, 'dim')),
    ...rows.flatMap(({ isFailed, counts, words }, at) => {
      const cells = counts?.map((count, index) => `  ${String(count).padStart(columns[index]?.length ?? 0)}`);
      const style = isFailed ? 'red' : 'bold';
      const name = `${isFailed ? '✖' : ' '} ${names[at] ?? ''}`;
      const isLong = widthOf(name) > column + 2;
      const beside = [
        span(cells?.join('') ?? ''),
        span(words === '' ? '' : `  ${words}`, isFailed ? 'red' : 'dim'),
      ];
      return isLong
        ? [row(2, span(name, style)), row(2, span(padTo('', column + 2)), ...beside)]
        : [row(2, span(padTo(name, column + 2), style), ...beside)];
    }),
  ];
}

/** Everything about environments that have no plan, or whose plan was refused. */
function errorRows({ environments, items }: Shared<Diagnostic>, options: ReportOptions): Row[] {
  return [row(0, span(environments.join(', '), 'red', 'bold')), ...diagnosticRows(items, options)];
}

function sharedRows(shared: Shared, fleet: Fleet, { verbose = false }: ReportOptions): Row[] {
  const changes = shared.items.flatMap((change) => [...changeRows(change, verbose), blank]);
  return [row(0, span(sharedWords(shared, fleet), 'bold')), blank, ...changes];
}

/** What was not done as asked; with `verbose`, all changes, by environment. */
function outcomeRows(fleet: Fleet, { verbose = false }: ReportOptions): Row[] {
  const all = fleet.environments.map(({ name, result }): OutcomeGroup => {
    return { title: name, items: result?.changes ?? [] };
  });
  // Why a run was refused is told above, and not again for each of its changes.
  const reasons = fleet.environments.flatMap(({ result }) => result?.diagnostics ?? []);
  return (verbose ? all : openOutcomes(fleet)).flatMap(({ title, items }) =>
    items.length === 0 ? [] : [row(0, span(title, 'bold')), ...resultRows(items, reasons, verbose), blank],
  );
}
