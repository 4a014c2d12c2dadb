import type { Group as Family } from '../model/basics.ts';
import { padTo, paragraph, type Row, row, type Style, span, widthOf } from './layout.ts';
import { type Chunk, type LineDiff, signedLines } from './line-diff.ts';
import type { Entry, Notice } from './page.ts';
import { type Field, fieldWords, notesOf, shortenFields, textOfParts } from './values.ts';
import { familyWords, namesInBrief, outcomeWords, place, pluralize, readable, symbols } from './words.ts';

/** More lines of one value are cut; `--verbose` shows all. */
const maxLines = 40;
const maxName = 24;
/** Longer pairs of values are shown one below the other. */
const maxTogether = 56;

export const actionStyles = { create: 'green', update: 'yellow', delete: 'red', manual: 'magenta' } as const;
const outcomeSigns = {
  done: ['✔', 'green'],
  failed: ['✖', 'red'],
  skipped: ['↷', 'yellow'],
  notAttempted: ['○', 'yellow'],
  unknown: ['?', 'magenta'],
} as const;
const opSpans = { add: span('+ ', 'green'), remove: span('- ', 'red'), replace: span('~ ', 'yellow') };
const lineStyles = { '@': 'cyan', ' ': 'dim', '-': 'red', '+': 'green' } as const;
const noticeStyles = { grave: 'red', risk: 'yellow', task: 'magenta', warning: 'yellow' } as const;
const outcomeColumn = Math.max(...Object.values(outcomeWords).map((words) => words.length));

/** The first of a family, and the names of the others. */
export function entryRows([entry, ...others]: Family<Entry>, verbose: boolean, note = ''): Row[] {
  const { notices, history, secrets, impact, requests, sent, isFailure, isLine, environments } = entry;
  const whose = environments.length > 1 ? `${environments[0]}: ` : '';
  const all = isLine ? [] : entry.fields();
  const fields = verbose ? all : shortenFields(all, maxLines);
  const names = fields.map(({ name }) => widthOf(name)).filter((width) => width <= maxName);
  const same = `${familyWords(others.length + 1)}: `;
  const also = namesInBrief(others.map(({ address }) => readable(address)));
  return [
    titleRow(entry, note),
    ...notices.flatMap((notice) => noticeRows(notice, isFailure)),
    ...(verbose || history.isAsked ? history.words : []).map((words) => row(6, span(words, 'dim'))),
    ...fields.flatMap((field) => fieldRows(field, Math.max(0, ...names))),
    ...(secrets.length === 0 ? [] : [row(6, span('sends secrets: ', 'dim'), span(secrets.join(', ')))]),
    ...(impact === null ? [] : [row(6, span('● ', 'cyan'), span(impact.words))]),
    ...(impact?.moves ?? []).map(({ is, words }) => {
      const [sign, style] = is === 'enter' ? (['+ ', 'green'] as const) : (['- ', 'red'] as const);
      return row(8, span(sign, style), span(words, style));
    }),
    ...(verbose ? requests : []).map(({ method, path }) =>
      row(6, span('→ ', 'dim'), span(`${whose}${method} ${path}`, 'dim')),
    ),
    ...(verbose || isFailure ? sent : []).map((words) => row(6, span(words, 'dim'))),
    ...(others.length === 0 ? [] : [row(6, span(same, 'bold'), span(`also ${also}`, 'dim'))]),
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
  if (is === 'error') return paragraph(6, text, isFailure ? 'red' : 'yellow');
  const style = noticeStyles[is];
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
        row(8, span(`${fieldWords.tenantMove}:`, 'yellow')),
        ...lineRows(view.moves.tenant, true),
      ];
      return [row(6, ...title, ...end), ...lineRows(view.diff, isPart), ...(moved ?? [])];
    }
    case 'sensitive':
      return [row(6, ...title, gap, span(fieldWords.sensitive, 'dim'), ...end)];
    case 'inline': {
      const indent = 10 + Math.max(column, widthOf(name));
      const { before, after, base } = view;
      const hasBoth = before !== null && after !== null;
      const isLong = hasBoth && textOfParts(before).length + textOfParts(after).length > maxTogether;
      const old = [...title, gap, ...partSpans(before, 'red'), ...(hasBoth && !isLong ? [span(' ')] : [])];
      const fresh = [...(hasBoth ? [span('→ ', 'dim')] : []), ...partSpans(after, 'green'), ...end];
      const declared = `${fieldWords.base.toLowerCase()}: `;
      return [
        { indent: 6, hang: indent, spans: isLong ? old : [...old, ...fresh] },
        ...(isLong ? [row(indent - 2, ...fresh)] : []),
        ...(base === null ? [] : [row(indent - 2, span(declared, 'dim'), span(base))]),
      ];
    }
  }
}

function partSpans(parts: readonly Chunk[] | null, style: Style) {
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
