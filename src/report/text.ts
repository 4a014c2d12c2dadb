import type { Group as Family } from '../model/basics.ts';
import type { Action, Plan, Request } from '../model/plan.ts';
import type { ChangeOutcome } from '../model/result.ts';
import { ageWords } from '../model/words.ts';
import { diagnosticRows } from './diagnostic-rows.ts';
import { familiesOf } from './families.ts';
import {
  blank,
  cut,
  layout,
  padTo,
  paragraph,
  type Row,
  row,
  type Span,
  type Style,
  solid,
  span,
  widthOf,
} from './layout.ts';
import { type Chunk, type LineDiff, type SignedLine, signedLines } from './line-diff.ts';
import type { ReportOptions } from './options.ts';
import {
  type Entry,
  type Group,
  type Level,
  linesOf,
  type Matrix,
  type Notice,
  type Page,
  pointObjects,
  pointsTitle,
  urgencyOf,
} from './page.ts';
import { outcomeWords } from './result.ts';
import {
  baseTitle,
  bodyText,
  type Field,
  fieldsInBrief,
  maxVariants,
  notesOf,
  sensitiveWords,
  shortenFields,
  tenantMoveTitle,
  textOfParts,
} from './values.ts';
import {
  type Count,
  countWords,
  familyWords,
  namesInBrief,
  place,
  pluralize,
  readable,
  requestTarget,
  symbols,
} from './words.ts';

/** More lines of one value are cut; `--verbose` shows all. */
const maxLines = 40;
const maxName = 24;
/** So many fields are named of an entry in one line. */
const maxBrief = 3;
/** The rows of a terminal. */
const maxScreen = 40;
/** Longer pairs of values are shown one below the other. */
const maxTogether = 56;
/** Viewers of test reports wrap long lines, and a command or a body that is copied must not be. */
const unlimited = { colour: false, width: Number.POSITIVE_INFINITY };

const actionStyles: Readonly<Record<Action, Style>> = {
  create: 'green',
  update: 'yellow',
  delete: 'red',
  manual: 'magenta',
};
const outcomeSigns: Readonly<Record<ChangeOutcome, readonly [symbol: string, style: Style]>> = {
  done: ['✔', 'green'],
  failed: ['✖', 'red'],
  skipped: ['↷', 'yellow'],
  notAttempted: ['○', 'yellow'],
  unknown: ['?', 'magenta'],
};
const opSpans: Readonly<Record<Field['op'], Span>> = {
  add: span('+ ', 'green'),
  remove: span('- ', 'red'),
  replace: span('~ ', 'yellow'),
};
const lineStyles: Readonly<Record<SignedLine['sign'], Style>> = {
  '@': 'cyan',
  ' ': 'dim',
  '-': 'red',
  '+': 'green',
};
const noticeStyles: Readonly<Record<Notice['is'], Style>> = {
  grave: 'red',
  risk: 'yellow',
  task: 'magenta',
  warning: 'yellow',
  error: 'red',
};
const levelStyles: Readonly<Record<Level, Style>> = { high: 'red', medium: 'yellow', low: 'cyan' };
const levelColumn = 'MEDIUM'.length + 2;
const outcomeColumn = Math.max(...Object.values(outcomeWords).map((words) => words.length));

/** A page for the terminal. What to read first stands at the end, where it stays on the screen. */
export function writeText(page: Page, options: ReportOptions): string {
  const { heading, tenants, note, limits, matrix, groups, remarks, digest, steps } = page;
  const problems = problemRows(page, options);
  // A refusal is shown before the changes and after them; why an apply stopped, after what it did.
  const [first, last] =
    page.is === 'result' ? [[], problems] : [problems, page.is === 'plan' ? problems : []];
  const shown = groups.filter(({ isRoutine }) => !isRoutine || options.verbose);
  const folded = foldEntries(shown, page.is, options);
  const title =
    heading === '' ? [] : [row(0, span(heading, 'bold'), span(tenants === '' ? '' : `  ${tenants}`, 'dim'))];
  const head = [
    ...title,
    ...(note === null ? [] : [row(0, span(note, 'bold'))]),
    ...sideRows(page),
    ...(limits === '' ? [] : [row(0, span(`limited by ${limits}`, 'dim'))]),
    ...factRows(page, options),
    ...(heading === '' ? [] : [blank]),
  ];
  const body = [
    ...(matrix === null ? [] : [...matrixRows(matrix, options), blank]),
    ...first,
    ...shown.flatMap((group) => groupRows(group, page, folded, options)),
    ...diagnosticRows(remarks, options),
    ...othersRows(page, options),
  ];
  const rows = [
    ...head,
    ...body,
    // By then the heading is no longer on the screen.
    ...(body.length > maxScreen ? [...title, ...factRows(page, options), blank] : []),
    ...pointRows(page),
    ...last,
    ...verdictRows(page),
    ...(digest === null ? [] : [row(0, span(`Digest: ${digest}`, 'dim'))]),
    ...steps.map((step) => row(0, span(step))),
  ];
  return `${layout(rows, options)}${commandLine(page, options)}`;
}

/** The commit, and the age of what was saved before. */
function factRows({ facts }: Page, { now }: ReportOptions): Row[] {
  const words = facts.flatMap(({ name, value, is }) => {
    const shown = is === 'time' && now !== undefined ? ageWords(value, now) : name === 'Commit' && value;
    return shown ? `${name.toLowerCase()} ${shown}` : [];
  });
  return words.length === 0 ? [] : [row(0, span(words.join(' · '), 'dim'))];
}

/** It is not wrapped, so that it can be copied. */
function commandLine({ applyWith }: Page, { colour }: ReportOptions): string {
  if (applyWith === null) return '';
  const line = row(0, span('To apply exactly this plan: ', 'dim'), span(applyWith));
  return layout([line], { ...unlimited, colour });
}

function sideRows({ sides }: Page): Row[] {
  const width = Math.max(...sides.map(({ name }) => widthOf(name)));
  return sides.map(({ action, name, tenant }) =>
    row(
      2,
      span(`${symbols[action]} `, actionStyles[action]),
      span(padTo(name, width), actionStyles[action]),
      span(tenant === '' ? '' : `  ${tenant}`, 'dim'),
    ),
  );
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

function groupRows(group: Group, { is, named }: Page, folded: FoldedGroups, options: ReportOptions): Row[] {
  const { title, words, entries } = group;
  const head = row(0, span(title, 'bold'), span(named === 'kind' ? `  ${words}` : '', 'dim'));
  const families = folded.families.get(group) ?? [];
  const shown = families.filter((family) => folded.forms.has(family));
  const more = entries.length - shown.flat().length;
  return [
    ...(title === '' ? [] : [head, blank]),
    ...shown.flatMap((family, at) => {
      const [entry] = family;
      const isBrief = folded.forms.get(family) === 'brief';
      const next = shown[at + 1];
      const isList = next && (isBrief ? folded.forms.get(next) === 'brief' : entry.isLine && next[0].isLine);
      const rows = isBrief ? [briefRow(family, options)] : familyRows(family, is, options);
      return [...rows, ...(isList ? [] : [blank])];
    }),
    ...(more === 0 ? [] : [row(2, span(`… and ${more} more (--verbose shows all)`, 'dim')), blank]),
  ];
}

/** Lines of entries that are shown whole, and of those in one line, in a page that does not show all. */
const maxLinesOf = { whole: 280, brief: 1000 };

interface FoldedGroups {
  /** What is the same in several objects, once. */
  readonly families: ReadonlyMap<Group, readonly Family<Entry>[]>;
  /** How each family is shown; one that there is no room for is only counted. */
  readonly forms: ReadonlyMap<Family<Entry>, 'whole' | 'brief'>;
}

/** Room is given to what failed and to what is urgent first, wherever it stands. */
function foldEntries(groups: readonly Group[], is: Page['is'], options: ReportOptions): FoldedGroups {
  const families = new Map(
    groups.map((group) => {
      const alone = group.entries.map((entry): Family<Entry> => [entry]);
      return [group, options.verbose ? alone : familiesOf(group.entries)] as const;
    }),
  );
  const rank = ([entry]: Family<Entry>) => (entry.isFailure ? -1 : urgencyOf(entry));
  const forms = new Map<Family<Entry>, 'whole' | 'brief'>();
  const left = options.verbose ? { whole: Number.POSITIVE_INFINITY, brief: 0 } : { ...maxLinesOf };
  for (const family of [...families.values()].flat().toSorted((a, b) => rank(a) - rank(b))) {
    // Nothing is wrapped that there is no room for.
    const lines = left.whole > 0 && !options.verbose ? linesOfFamily(family, is, options) : 1;
    const form = lines <= left.whole ? 'whole' : 'brief';
    const taken = form === 'whole' ? lines : 1;
    if (taken > left[form]) continue;
    forms.set(family, form);
    left[form] -= taken;
  }
  return { families, forms };
}

function linesOfFamily(family: Family<Entry>, is: Page['is'], options: ReportOptions): number {
  return layout(familyRows(family, is, options), { ...options, colour: false }).split('\n').length;
}

/** The first of a family, and the names of the others. */
function familyRows(family: Family<Entry>, is: Page['is'], { verbose = false }: ReportOptions): Row[] {
  const [entry, ...others] = family;
  const note = is === 'diff' && !entry.isLine ? entry.sides.join(' → ') : '';
  const rows = entryRows(entry, verbose, note);
  if (others.length === 0) return rows;
  const names = namesInBrief(others.map(({ address }) => readable(address)));
  return [...rows, row(6, span(`${familyWords(family.length)}: `, 'bold'), span(`also ${names}`, 'dim'))];
}

/** One line: what is too long for it is cut. */
function briefRow(family: Family<Entry>, { width }: ReportOptions): Row {
  const [{ action, address, fields, isLine, words }] = family;
  const style = actionStyles[action];
  const name = cut(readable(address), Math.max(20, width - 4));
  const same = family.length > 1 ? `${familyWords(family.length)} · ` : '';
  const effect = `  ${same}${isLine ? words : fieldsInBrief(fields(), maxBrief)}`;
  const room = Math.max(1, width - 5 - widthOf(name));
  return row(2, span(`${symbols[action]} `, style), span(name, style), span(cut(effect, room), 'dim'));
}

/** An entry without colours, in lines that are not wrapped. */
export function entryText(entry: Entry, verbose: boolean): string {
  return layout(entryRows(entry, verbose), unlimited);
}

function entryRows(entry: Entry, verbose: boolean, note = ''): Row[] {
  const { notices, history, secrets, impact, requests, sent, isFailure, isLine } = entry;
  const all = isLine ? [] : entry.fields();
  const fields = verbose ? all : shortenFields(all, maxLines, maxVariants);
  const names = fields.map(({ name }) => widthOf(name)).filter((width) => width <= maxName);
  return [
    titleRow(entry, note),
    ...notices.flatMap((notice) => noticeRows(notice, isFailure)),
    ...(verbose || history.isAsked ? history.words : []).map((words) => row(6, span(words, 'dim'))),
    ...fields.flatMap((field) => fieldRows(field, Math.max(0, ...names))),
    ...(secrets.length === 0 ? [] : [row(6, span('sends secrets: ', 'dim'), span(secrets.join(', ')))]),
    ...(impact === null ? [] : [row(6, span('● ', 'cyan'), span(impact.words))]),
    ...(impact?.moves ?? []).map(({ is, words }) => {
      const style = is === 'enter' ? 'green' : 'red';
      return row(8, span(is === 'enter' ? '+ ' : '- ', style), span(words, style));
    }),
    ...(verbose ? requests : []).map(({ method, path }) =>
      row(6, span('→ ', 'dim'), span(`${method} ${path}`, 'dim')),
    ),
    ...(verbose || isFailure ? sent : []).map((words) => row(6, span(words, 'dim'))),
  ];
}

/** The sign and the address of an object, its id where it is known, and its place in a manifest. */
function titleRow({ action, address, outcome, words, objectId, source }: Entry, note: string): Row {
  const style = actionStyles[action];
  if (outcome !== null) {
    const [sign, signStyle] = outcomeSigns[outcome];
    const state = span(`${sign} ${padTo(words, outcomeColumn)}  `, signStyle);
    return row(2, state, span(`${symbols[action]} `, style), span(readable(address), 'bold'));
  }
  return row(
    2,
    span(`${symbols[action]} `, style, 'bold'),
    span(readable(address), style, 'bold'),
    ...(note === '' ? [] : [solid(`  ${note}`, 'dim')]),
    ...(objectId === null ? [] : [solid(`  id ${objectId}`, 'dim')]),
    ...(source === null ? [] : [solid(`  ${place(source)}`, 'cyan')]),
  );
}

function noticeRows({ is, label, text }: Notice, isFailure: boolean): Row[] {
  const style = noticeStyles[is];
  if (is === 'error') return paragraph(6, text, isFailure ? 'red' : 'yellow');
  if (is === 'task') return [row(6, span(`${label ?? ''}: `, style, 'bold'), span(text, style))];
  const said = label === null ? [span(text, style)] : [span(label, style, 'bold'), span(`: ${text}`, style)];
  return [row(6, span('⚠ ', style), ...said)];
}

function fieldRows(field: Field, column: number): Row[] {
  const { name, op, origin, view, where, example } = field;
  const title = [opSpans[op], span(name)];
  const gap = span(' '.repeat(Math.max(0, column - widthOf(name)) + 2));
  const style = (origin === null || origin === 'repo') && where === null ? 'dim' : 'yellow';
  const notes = notesOf(field);
  const end = notes === '' ? [] : [span(`  (${notes})`, style)];
  switch (view.is) {
    case 'lines': {
      const isPart = where !== null || example !== null;
      const moved = view.moves && [
        row(8, span(`${tenantMoveTitle}:`, 'yellow')),
        ...lineRows(view.moves.tenant, true),
      ];
      return [row(6, ...title, ...end), ...lineRows(view.diff, isPart), ...(moved ?? [])];
    }
    case 'sensitive':
      return [row(6, ...title, gap, span(sensitiveWords, 'dim'), ...end)];
    case 'inline': {
      const indent = 10 + Math.max(column, widthOf(name));
      const titleWith = (...values: readonly Span[]): Row => ({
        indent: 6,
        hang: indent,
        spans: [...title, gap, ...values],
      });
      const [old, fresh] = [partSpans(view.before, 'red'), partSpans(view.after, 'green')];
      const past =
        view.base === null
          ? []
          : [row(indent - 2, span(`${baseTitle.toLowerCase()}: `, 'dim'), span(view.base))];
      if (view.before === null || view.after === null) return [titleWith(...old, ...fresh, ...end), ...past];
      const arrow = span('→ ', 'dim');
      const isShort = textOfParts(view.before).length + textOfParts(view.after).length <= maxTogether;
      return isShort
        ? [titleWith(...old, span(' '), arrow, ...fresh, ...end), ...past]
        : [titleWith(...old), row(indent - 2, arrow, ...fresh, ...end), ...past];
    }
  }
}

function partSpans(parts: readonly Chunk[] | null, style: Style): Span[] {
  return (parts ?? []).map(({ text, changed }) =>
    changed ? span(text, style, 'inverse') : span(text, style),
  );
}

function lineRows(diff: LineDiff, isPart: boolean): Row[] {
  const { blocks, notes, hidden } = diff;
  const isOnlyAdded = !isPart && blocks.every(({ before }) => before.length === 0);
  const lines = signedLines(diff).filter(({ sign }) => sign !== '@' || !isOnlyAdded);
  const more = `… ${pluralize(hidden, 'line')} more (--verbose shows all)`;
  return [
    ...notes.map((note) => row(10, span(note, 'yellow'))),
    ...lines.map(({ sign, parts }) => {
      const style = lineStyles[sign];
      return row(10, span(sign === '@' ? '@@ ' : `${sign} `, style), ...partSpans(parts, style));
    }),
    ...(hidden > 0 ? [row(10, span(more, 'dim'))] : []),
  ];
}

function othersRows({ others }: Page, { verbose = false }: ReportOptions): Row[] {
  if (others === null) return [];
  const { title, words, names, most } = others;
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

/** A grid: how grave it is, what it is, and below each other the objects with what becomes of them. */
function pointRows(page: Page): Row[] {
  const { points } = page;
  if (points.length === 0) return [];
  const column = Math.max(...points.map(({ words }) => words.length));
  const rows = points.flatMap((point) => {
    const { lines, more } = linesOf(point);
    const style = levelStyles[point.level];
    const said = lines.map((line) => [
      span(pointObjects(line)),
      ...(line.consequence === '' ? [] : [span(` · ${line.consequence}`, style)]),
    ]);
    return [...said, ...(more === 0 ? [] : [[span(`and ${more} more`, 'dim')]])].map((spans, at): Row => {
      const [level, words] = at === 0 ? [point.level.toUpperCase(), point.words] : ['', ''];
      const head = [span(level.padEnd(levelColumn), style, 'bold'), span(words.padEnd(column + 2), 'bold')];
      return { indent: 2, hang: levelColumn + column + 6, spans: [...head, ...spans] };
    });
  });
  return [row(0, span(pointsTitle(page), 'bold')), ...rows, blank];
}

function verdictRows({ matrix, name, label, counts, verdict, took }: Page): Row[] {
  const total = matrix === null ? [] : [row(0, span(`${name}.`, 'bold'))];
  if (verdict !== null)
    return [
      ...total,
      row(0, span(verdict.words, ...(verdict.isGood ? (['green', 'bold'] as const) : (['bold'] as const)))),
    ];
  if (label === null) return total;
  const time = took === '' ? [] : [solid(`  ${took}`, 'dim')];
  return [...total, row(0, span(`${label}: `, 'bold'), ...countSpans(counts), ...time)];
}

/** Zeros are the least of interest. */
function countSpans(counts: readonly Count[]): Span[] {
  return counts.map((count, at) =>
    span(
      `${countWords([count])}${at === counts.length - 1 ? '.' : ', '}`,
      count.count === 0 ? 'dim' : 'bold',
    ),
  );
}

/** Every request of a plan as it would be sent, with the names of secrets in their place: what a dry run prints. */
export function renderRequests(plan: Plan, { colour }: Pick<ReportOptions, 'colour'>): string {
  const total = plan.changes.reduce((sum, { requests }) => sum + requests.length, 0);
  const rows = plan.changes.flatMap(({ action, address, requests }) => {
    const title = row(0, span(`# ${symbols[action]} ${address}`, actionStyles[action], 'bold'));
    return requests.length === 0 ? [] : [title, ...requests.flatMap(requestRows)];
  });
  const end = row(0, span(`Dry run: ${pluralize(total, 'request')}, none sent.`, 'bold'));
  return layout([...rows, end], { ...unlimited, colour });
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
