import { type Group as Family, groupBy } from '../model/basics.ts';
import type { Plan } from '../model/documents.ts';
import { type Diagnostic, isError, type Severity } from '../model/failure.ts';
import { ageWords, namesAndMore } from '../model/words.ts';
import { familiesOf } from './families.ts';
import { blank, cut, layout, padTo, paragraph, type Row, row, type Style, span, widthOf } from './layout.ts';
import {
  consequenceOf,
  type Entry,
  type Group,
  linesOf,
  type Page,
  type ReportOptions,
  urgencyOf,
} from './page.ts';
import { actionStyles, entryRows } from './rows.ts';
import { takeLast } from './safe.ts';
import { bodyText } from './values.ts';
import {
  countWords,
  familyWords,
  namesInBrief,
  pluralize,
  readable,
  requestTarget,
  symbols,
  whereOf,
} from './words.ts';

const maxScreen = 40;
/** A command or a body that is copied must not be wrapped. */
const unlimited = Number.POSITIVE_INFINITY;

const told = ['Commit', 'Limited by'];

const levelStyles = { high: 'red', medium: 'yellow', low: 'cyan' } as const;
const levelColumn = 'MEDIUM'.length + 2;

/** A page for the terminal. "Read this first" comes last, so that it stays on the screen. */
export function writeText(page: Page, options: ReportOptions): string {
  const { heading, tenants, note, sides, matrix, groups, remarks, others, points, digest, steps, applyWith } =
    page;
  const problems = page.problems.some(({ items }) => items.length > 0) ? problemRows(page, options) : [];
  // A refusal is shown before and after the changes; the reason why an apply stopped, after its changes.
  const [first, last] =
    page.is === 'result' ? [[], problems] : [problems, page.is === 'plan' ? problems : []];
  const shown = groups.filter(({ isRoutine }) => !isRoutine || options.verbose);
  const families = shown.map(({ entries }) =>
    options.verbose ? entries.map((entry): Family<Entry> => [entry]) : familiesOf(entries),
  );
  const folded = foldFamilies(families.flat(), page.is, options);
  const title =
    heading === '' ? [] : [row(0, span(heading, 'bold'), span(tenants === '' ? '' : `  ${tenants}`, 'dim'))];
  const head = [
    ...title,
    ...(note === null ? [] : [row(0, span(note, 'bold'))]),
    ...(sides.length === 0 ? [] : sideRows(sides)),
    ...factRows(page, options),
    ...(heading === '' ? [] : [blank]),
  ];
  const body = [
    ...(matrix === null ? [] : [...matrixRows(matrix, options), blank]),
    ...first,
    ...shown.flatMap((group, at) => groupRows(group, families[at] ?? [], page, folded)),
    ...(remarks.length === 0 ? [] : diagnosticRows(remarks, options)),
    ...(others === null ? [] : othersRows(others, options)),
  ];
  const rows = [
    ...head,
    ...body,
    // By then the heading is no longer on the screen.
    ...(body.length > maxScreen && heading !== '' ? [...title, ...factRows(page, options), blank] : []),
    ...(points.length === 0 ? [] : pointRows(page)),
    ...last,
    ...verdictRows(page),
    ...(digest === null ? [] : [row(0, span(`Digest: ${digest}`, 'dim'))]),
    ...steps.map((step) => row(0, span(step))),
  ];
  const command = row(0, span('To apply exactly this plan: ', 'dim'), span(applyWith ?? ''));
  const end = applyWith === null ? '' : layout([command], { ...options, width: unlimited });
  return `${layout(rows, options)}${end}`;
}

function factRows({ facts }: Page, { now }: ReportOptions): Row[] {
  const words = facts.flatMap(({ name, value, is }) => {
    const shown = is === 'time' ? now !== undefined && ageWords(value, now) : told.includes(name) && value;
    return shown ? `${name.toLowerCase()} ${shown}` : [];
  });
  return words.length === 0 ? [] : [row(0, span(words.join(' · '), 'dim'))];
}

function sideRows(sides: Page['sides']): Row[] {
  const width = Math.max(...sides.map(({ name }) => widthOf(name)));
  return sides.map(({ action, name, tenant }) => {
    const named = `${symbols[action]} ${padTo(name, width)}`;
    return row(2, span(named, actionStyles[action]), span(tenant === '' ? '' : `  ${tenant}`, 'dim'));
  });
}

/** A table. Names that would push the numbers out of the line have a line of their own. */
function matrixRows({ columns, rows }: NonNullable<Page['matrix']>, { width }: ReportOptions): Row[] {
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
      const beside = [
        span(cells?.join('') ?? ''),
        span(words === '' ? '' : `  ${words}`, isFailed ? 'red' : 'dim'),
      ];
      return widthOf(name) > column + 2
        ? [row(2, span(name, style)), row(2, span(padTo('', column + 2)), ...beside)]
        : [row(2, span(padTo(name, column + 2), style), ...beside)];
    }),
  ];
}

function problemRows({ is, alarm, problems }: Page, options: ReportOptions): Row[] {
  const rows = problems.flatMap(({ names, items }) => [
    ...(names.length === 0 ? [] : [row(0, span(names.join(', '), 'red', 'bold'))]),
    ...diagnosticRows(items, options),
  ]);
  const refusal =
    is === 'plan' && alarm !== null ? [row(0, span('✖ ', 'red'), span(alarm, 'red', 'bold')), blank] : [];
  return [...refusal, ...rows];
}

const severityStyles: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', info: 'cyan' };

/** Problems with an empty row after each. Remarks that are alike are folded. */
function diagnosticRows(diagnostics: readonly Diagnostic[], options: ReportOptions): Row[] {
  return foldRemarks(diagnostics, options).flatMap(({ diagnostic, more }) => {
    const { severity, code, message, excerpt, hint } = diagnostic;
    const style = severityStyles[severity];
    const [first = '', ...lines] = message.split('\n');
    const where = whereOf(diagnostic);
    const isRepeated = where !== undefined && first.startsWith(`${where} `);
    return [
      row(
        0,
        span(where === undefined || isRepeated ? '' : `${where}  `, 'cyan'),
        span(severity, style, 'bold'),
        span(`  ${first}`),
        span(`  [${code}]`, 'dim'),
      ),
      ...lines.flatMap((line) => paragraph(4, line)),
      ...(excerpt === undefined ? [] : excerptRows(excerpt, style, options.width)),
      ...(hint === undefined ? [] : [row(4, span('hint: ', 'green', 'bold'), span(hint))]),
      ...(more === null ? [] : [row(4, span(`${more} (--verbose shows all)`, 'dim'))]),
      blank,
    ];
  });
}

const maxAlike = 3;

/**
 * Folds warnings and information with the same code into the first one, unless `verbose`; `quiet` leaves out information. Errors are
 * all shown. `more` names what is folded.
 */
function foldRemarks(diagnostics: readonly Diagnostic[], { verbose = false, quiet = false }: ReportOptions) {
  const shown = diagnostics.filter(({ severity }) => !quiet || severity !== 'info');
  const nameOf = (each: Diagnostic, index: number) =>
    verbose || isError(each) ? String(index) : `${each.severity} ${each.code}`;
  const alike = new Map(groupBy(shown, nameOf));
  return shown.flatMap((diagnostic, index): { diagnostic: Diagnostic; more: string | null }[] => {
    const [first, ...others] = alike.get(nameOf(diagnostic, index)) ?? [];
    if (others.length < maxAlike) return [{ diagnostic, more: null }];
    if (diagnostic !== first) return [];
    const names = [...new Set(others.flatMap((other) => other.address ?? whereOf(other) ?? []))];
    const words = [...names.slice(0, maxAlike), ...(names.length > maxAlike ? ['…'] : [])].join(', ');
    return [{ diagnostic, more: `and ${others.length} more${words === '' ? '' : `: ${words}`}` }];
  });
}

const excerptIndent = 4;

/** A source line, and a caret below it. A line that is too wide is cut: if it were wrapped, the caret would point elsewhere. */
function excerptRows(excerpt: string, style: Style, width: number): Row[] {
  const [line = '', below = '', ...more] = excerpt.replace(/\n+$/, '').split('\n');
  const marked = /^([^|]*\| )( *)\^$/.exec(below);
  const [, margin = '', blanks = ''] = marked ?? [];
  if (!marked || more.length > 0) return paragraph(excerptIndent, [line, below, ...more].join('\n'));
  const focus = margin.length + blanks.length;
  const columns = Math.max(20, width) - excerptIndent;
  const isWhole = widthOf(line) <= columns;
  const room = columns - widthOf(margin);
  const before = line.slice(margin.length, focus);
  // A part of a cut line is before the caret. Wide characters take two columns.
  const left =
    isWhole || widthOf(before) <= room * 0.6 ? before : `…${takeLast(before, Math.floor(room * 0.3))}`;
  const right = cut(line.slice(focus), room - widthOf(left));
  return [
    ...paragraph(excerptIndent, `${line.slice(0, margin.length)}${left}${right}`),
    ...paragraph(excerptIndent, `${margin}${' '.repeat(widthOf(left))}^`, style, 'bold'),
  ];
}

function groupRows(
  { title, words, entries }: Group,
  families: readonly Family<Entry>[],
  { named }: Page,
  folded: ReadonlyMap<Family<Entry>, FoldedFamily>,
): Row[] {
  const head = row(0, span(title, 'bold'), span(named === 'kind' ? `  ${words}` : '', 'dim'));
  const shown = families.flatMap((family) => folded.get(family) ?? []);
  const more = entries.length - shown.reduce((sum, { count }) => sum + count, 0);
  return [
    ...(title === '' ? [] : [head, blank]),
    ...shown.flatMap(({ rows, isBrief, isLine }, at) => {
      const next = shown[at + 1];
      const isList = isBrief ? next?.isBrief : isLine && next?.isLine;
      return [...rows, ...(isList ? [] : [blank])];
    }),
    ...(more === 0 ? [] : [row(2, span(`… and ${more} more (--verbose shows all)`, 'dim')), blank]),
  ];
}

/** Lines of entries that are shown whole, and of those in one line, in a page that does not show all. */
const maxLinesOf = { whole: 280, brief: 1000 };

interface FoldedFamily {
  readonly rows: readonly Row[];
  readonly count: number;
  readonly isBrief: boolean;
  readonly isLine: boolean;
}

/** What there is room for. Failures and urgent changes get it first, wherever they are. */
function foldFamilies(families: readonly Family<Entry>[], is: Page['is'], options: ReportOptions) {
  const folded = new Map<Family<Entry>, FoldedFamily>();
  const left = { ...maxLinesOf };
  for (const family of families.toSorted(([a], [b]) => urgencyOf(a) - urgencyOf(b))) {
    // Entries without room are not wrapped.
    const [{ isLine, sides }] = family;
    const note = is === 'diff' && !isLine ? sides.join(' → ') : '';
    const whole = left.whole === 0 ? [] : entryRows(family, options.verbose === true, note);
    const lines = options.verbose ? 0 : layout(whole, { ...options, colour: false }).split('\n').length;
    const isBrief = left.whole === 0 || lines > left.whole;
    const [form, taken] = isBrief ? (['brief', 1] as const) : (['whole', lines] as const);
    if (taken > left[form]) continue;
    left[form] -= taken;
    const rows = isBrief ? [briefRow(family, options)] : whole;
    folded.set(family, { rows, count: family.length, isBrief, isLine });
  }
  return folded;
}

function briefRow(family: Family<Entry>, { width }: ReportOptions): Row {
  const [entry] = family;
  const { action, address, isLine, words } = entry;
  const style = actionStyles[action];
  const name = cut(readable(address), Math.max(20, width - 4));
  const same = family.length > 1 ? `${familyWords(family.length)} · ` : '';
  const effect = `  ${same}${isLine ? words : consequenceOf(entry)}`;
  const room = Math.max(1, width - 5 - widthOf(name));
  return row(2, span(`${symbols[action]} `, style), span(name, style), span(cut(effect, room), 'dim'));
}

function othersRows(
  { title, words, names, most }: NonNullable<Page['others']>,
  { verbose = false }: ReportOptions,
): Row[] {
  const shown = verbose ? names : names.slice(0, most);
  const more = names.length - shown.length;
  const hint = shown.length === 0 ? '; --verbose names them' : '';
  return [
    row(0, span(title, 'bold'), span(`  ${words}${hint}`, 'dim')),
    ...shown.map(({ address, note }) =>
      row(2, span('? ', 'dim'), span(readable(address)), span(note === '' ? '' : `  ${note}`, 'dim')),
    ),
    ...(more > 0 && hint === '' ? [row(2, span(`… and ${more} more (--verbose shows all)`, 'dim'))] : []),
    blank,
  ];
}

function pointRows({ points, pointsTitle }: Page): Row[] {
  const column = Math.max(...points.map(({ words }) => words.length));
  const rows = points.flatMap((point) => {
    const { lines, more } = linesOf(point);
    const style = levelStyles[point.level];
    const said = lines.map(({ objects, more, consequence }) => {
      const names = objects.map(({ entry, where }) => `${readable(entry.address)}${where}`);
      const effect = consequence === '' ? [] : [span(` · ${consequence}`, style)];
      return [span(namesAndMore(names, more)), ...effect];
    });
    return [...said, ...(more === 0 ? [] : [[span(`and ${more} more`, 'dim')]])].map((spans, at): Row => {
      const [level, words] = at === 0 ? [point.level.toUpperCase(), point.words] : ['', ''];
      const head = [span(level.padEnd(levelColumn), style, 'bold'), span(words.padEnd(column + 2), 'bold')];
      return { indent: 2, hang: levelColumn + column + 6, spans: [...head, ...spans] };
    });
  });
  return [row(0, span(pointsTitle, 'bold')), ...rows, blank];
}

function verdictRows({ matrix, name, label, counts, verdict, facts }: Page): Row[] {
  const total = matrix === null ? [] : [row(0, span(`${name}.`, 'bold'))];
  if (verdict !== null) {
    const { words, isGood } = verdict;
    return [...total, row(0, isGood ? span(words, 'green', 'bold') : span(words, 'bold'))];
  }
  if (label === null) return total;
  const shown = counts.map((count, at) => {
    const end = at === counts.length - 1 ? '.' : ', ';
    return span(`${countWords([count])}${end}`, count.count === 0 ? 'dim' : 'bold');
  });
  const took = facts.find((fact) => fact.name === 'Took');
  const time = took ? [span(`  ${took.value}`, 'dim')] : [];
  return [...total, row(0, span(`${label}: `, 'bold'), ...shown, ...time)];
}

/** Every request of a plan as it would be sent, with the names of secrets in their place: what a dry run prints. */
export function renderRequests(plan: Plan, { colour }: Pick<ReportOptions, 'colour'>): string {
  const total = plan.changes.reduce((sum, { requests }) => sum + requests.length, 0);
  const rows = plan.changes.flatMap(({ action, address, requests }) => {
    const title = row(0, span(`# ${symbols[action]} ${address}`, actionStyles[action], 'bold'));
    const shown = requests.flatMap((request) => [
      row(0, span(`${request.method} `, 'bold'), span(requestTarget(request))),
      ...Object.entries(request.headers).map(([name, value]) =>
        row(0, span(`${name}: `, 'cyan'), span(value)),
      ),
      ...(request.body === null ? [] : [blank, ...paragraph(0, bodyText(request.body))]),
      blank,
    ]);
    return requests.length === 0 ? [] : [title, ...shown];
  });
  const end = row(0, span(`Dry run: ${pluralize(total, 'request')}, none sent.`, 'bold'));
  return layout([...rows, end], { colour, width: unlimited });
}
