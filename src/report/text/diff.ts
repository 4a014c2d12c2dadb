import { groupBy } from '../../model/basics.ts';
import { type Diff, type DiffObject, differs, type SideDifference } from '../../model/diff.ts';
import { diffCounts, diffSummaryWords, diffSymbols, noDifferences, notComparedWords } from '../diff-view.ts';
import { fieldsOf, pathWords, sensitiveWords, viewOf } from '../difference.ts';
import type { ReportOptions } from '../options.ts';
import { scopeWords, tenantWords } from '../words.ts';
import { diagnosticRows } from './diagnostics.ts';
import { blank, layout, padTo, type Row, row, type Span, type Style, span, widthOf } from './layout.ts';
import { lineDiffRows, maxLines, maxName, titleRow, valueSpans } from './values.ts';

/** The colour of each sort of object. */
const styles: Readonly<Record<DiffObject['in'], Style>> = { both: 'yellow', first: 'red', second: 'green' };
/** Longer values of the first side stand above those of the second one. */
const maxBeside = 36;

/** A diff for the terminal: objects by kind, with the values of both sides in columns, and a summary at the end. */
export function diffText(diff: Diff, options: ReportOptions): string {
  const limits = scopeWords(diff.scope);
  const [first, second] = diff.sides;
  const rows = [
    row(0, span(`Differences between ${first.name} and ${second.name}`, 'bold')),
    ...sideRows(diff),
    ...(limits === '' ? [] : [row(0, span(`limited by ${limits}`, 'dim'))]),
    blank,
    ...groupRows(diff, options.verbose ?? false),
    ...notComparedRows(diff, options.verbose ?? false),
    ...diagnosticRows(diff.diagnostics, options),
    differs(diff)
      ? row(0, span('Diff: ', 'bold'), span(`${diffSummaryWords(diff)}.`, 'bold'))
      : row(0, span(noDifferences(diff), 'green', 'bold')),
  ];
  return layout(rows, options);
}

/** Which sign and which tenant belongs to which side. */
function sideRows({ sides: [first, second] }: Diff): Row[] {
  const width = Math.max(widthOf(first.name), widthOf(second.name));
  return [first, second].map(({ name, tenant }, at) => {
    const where = at === 0 ? 'first' : 'second';
    return row(
      2,
      span(`${diffSymbols[where]} `, styles[where]),
      span(padTo(name, width), styles[where]),
      ...(tenant === null ? [] : [span(`  ${tenantWords(tenant)}`, 'dim')]),
    );
  });
}

function groupRows(diff: Diff, verbose: boolean): Row[] {
  return groupBy(diff.objects, ({ kind }) => kind).flatMap(([kind, group]) => {
    const alone = group.filter((object) => object.in !== 'both');
    return [
      row(0, span(kind, 'bold'), span(`  ${diffCounts(group, diff)}`, 'dim')),
      blank,
      ...group
        .filter((object) => object.in === 'both')
        .flatMap((object) => [...objectRows(object, diff, verbose), blank]),
      ...(alone.length > 0 ? [...alone.map(objectTitle), blank] : []),
    ];
  });
}

const objectTitle = (object: DiffObject): Row => titleRow(diffSymbols[object.in], styles[object.in], object);

/** An object that differs, as rows: its address, the names of the sides above their values, and what differs. */
export function objectRows(object: DiffObject, { sides: [first, second] }: Diff, verbose: boolean): Row[] {
  const limit = verbose ? Number.POSITIVE_INFINITY : maxLines;
  const names = [first.name, second.name] as const;
  const columns = columnsOf(object, names);
  const head = row(
    6,
    span(' '.repeat(columns.name + 2)),
    span(padTo(first.name, columns.value), 'dim'),
    span(`  ${second.name}`, 'dim'),
  );
  return [
    objectTitle(object),
    ...(columns.value > 0 ? [head] : []),
    ...object.diff.flatMap((difference) => differenceRows(difference, { ...columns, names }, limit)),
  ];
}

/** The widths of the names of fields and of the values of the first side; longer ones take more. 0: none stands beside. */
function columnsOf({ diff }: DiffObject, [first]: readonly [string, string]) {
  const shown = fieldsOf(diff, maxLines);
  const paths = shown.map(({ difference }) => widthOf(pathWords(difference.path)));
  const values = shown.flatMap(({ view }) =>
    view.is === 'inline' ? [widthOf(view.before ?? notThere)] : [],
  );
  const beside = values.filter((width) => width <= maxBeside);
  return {
    name: Math.max(0, ...paths.filter((width) => width <= maxName)),
    value: beside.length === 0 ? 0 : Math.max(widthOf(first), ...beside),
  };
}

/** What stands for a value that a side does not have. */
const notThere = '(none)';

interface Columns {
  readonly name: number;
  readonly value: number;
  readonly names: readonly [string, string];
}

function differenceRows(difference: SideDifference, columns: Columns, limit: number): Row[] {
  const view = viewOf(difference, limit);
  const name = pathWords(difference.path);
  const title = span(`${padTo(name, columns.name)}  `);
  switch (view.is) {
    case 'lines':
      return [row(6, span(name)), ...lineDiffRows(view.diff)];
    case 'sensitive':
      return [row(6, title, span(sensitiveWords, 'dim'))];
    case 'inline': {
      const [before, after] = valueSpans(view.before, view.after).map((spans) =>
        spans.length === 0 ? [span(notThere, 'dim')] : spans,
      );
      return valueRows(title, [before ?? [], after ?? []], columns);
    }
  }
}

/** The values of both sides, in columns, or where the first one is long below each other, each with its side. */
function valueRows(
  title: Span,
  [before, after]: readonly [readonly Span[], readonly Span[]],
  { value, names }: Columns,
): Row[] {
  const indent = 6 + widthOf(title.text);
  const hanging = (hang: number, ...spans: readonly Span[]): Row => ({ indent: 6, hang, spans });
  const used = widthOf(before.map(({ text }) => text).join(''));
  if (used <= value) {
    const gap = span(' '.repeat(value - used + 2));
    return [hanging(indent, title, ...before, gap, ...after)];
  }
  const width = Math.max(...names.map(widthOf));
  const [first, second] = names.map((name) => span(`${padTo(name, width)}  `, 'dim'));
  if (!first || !second) return [];
  const below = { indent, hang: indent + width + 2, spans: [second, ...after] };
  return [hanging(indent + width + 2, title, first, ...before), below];
}

function notComparedRows({ notComparable }: Diff, verbose: boolean): Row[] {
  if (notComparable.length === 0) return [];
  const shown = verbose ? notComparable : notComparable.slice(0, 10);
  const more = notComparable.length - shown.length;
  return [
    row(0, span('Not comparable', 'bold'), span(`  ${notComparedWords}`, 'dim')),
    ...shown.map(({ address, paths }) =>
      row(2, span('? ', 'dim'), span(address), span(`  ${paths.map(pathWords).join(', ')}`, 'dim')),
    ),
    ...(more > 0 ? [row(2, span(`… and ${more} more (--verbose shows all)`, 'dim'))] : []),
    blank,
  ];
}
