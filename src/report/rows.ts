import { groupBy } from '../model/basics.ts';
import { type Diagnostic, isError, type Severity } from '../model/diagnostic.ts';
import type { Action } from '../model/plan.ts';
import type { ChangeOutcome } from '../model/result.ts';
import {
  blank,
  cut,
  padTo,
  paragraph,
  type Row,
  row,
  type Span,
  type Style,
  span,
  widthOf,
} from './layout.ts';
import { type Chunk, type LineDiff, type SignedLine, signedLines } from './line-diff.ts';
import type { ReportOptions } from './options.ts';
import type { Entry, Notice } from './page.ts';
import { takeLast } from './safe.ts';
import {
  baseTitle,
  type Field,
  maxVariants,
  notesOf,
  sensitiveWords,
  shortenFields,
  tenantMoveTitle,
  textOfParts,
} from './values.ts';
import { outcomeWords, place, pluralize, readable, symbols, whereOf } from './words.ts';

/** More lines of one value are cut; `--verbose` shows all. */
const maxLines = 40;
const maxName = 24;
/** Longer pairs of values are shown one below the other. */
const maxTogether = 56;

export const actionStyles: Readonly<Record<Action, Style>> = {
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
const outcomeColumn = Math.max(...Object.values(outcomeWords).map((words) => words.length));

export function entryRows(entry: Entry, verbose: boolean, note = ''): Row[] {
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
    ...(note === '' ? [] : [span(`  ${note}`, 'dim')]),
    ...(objectId === null ? [] : [span(`  id ${objectId}`, 'dim')]),
    ...(source === null ? [] : [span(`  ${place(source)}`, 'cyan')]),
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
      const at = { indent: 6, hang: indent };
      const start = [...title, gap];
      const [old, fresh] = [partSpans(view.before, 'red'), partSpans(view.after, 'green')];
      const past =
        view.base === null
          ? []
          : [row(indent - 2, span(`${baseTitle.toLowerCase()}: `, 'dim'), span(view.base))];
      if (view.before === null || view.after === null)
        return [{ ...at, spans: [...start, ...old, ...fresh, ...end] }, ...past];
      const arrow = span('→ ', 'dim');
      const isShort = textOfParts(view.before).length + textOfParts(view.after).length <= maxTogether;
      return isShort
        ? [{ ...at, spans: [...start, ...old, span(' '), arrow, ...fresh, ...end] }, ...past]
        : [{ ...at, spans: [...start, ...old] }, row(indent - 2, arrow, ...fresh, ...end), ...past];
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

const severityStyles: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', info: 'cyan' };

/** Problems with an empty row after each. Remarks that are alike are folded. */
export function diagnosticRows(diagnostics: readonly Diagnostic[], options: ReportOptions): Row[] {
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
function foldRemarks(
  diagnostics: readonly Diagnostic[],
  { verbose = false, quiet = false }: ReportOptions,
): { readonly diagnostic: Diagnostic; readonly more: string | null }[] {
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
