import type { Change } from '../../model/plan.ts';
import { firstLineOf, type LineDiff, type SignedLine, signedLines } from '../line-diff.ts';
import { diffInline, type Part } from '../word-diff.ts';
import { place, pluralize } from '../words.ts';
import { type Row, row, type Span, type Style, solid, span } from './layout.ts';

/** More lines of one value are cut; `--verbose` shows all. */
export const maxLines = 40;
/** Names of fields are aligned up to this width. */
export const maxName = 24;

const lineStyles: Readonly<Record<SignedLine['sign'], Style>> = { ' ': 'dim', '-': 'red', '+': 'green' };

/** The first row of an object: its sign and address, its id where it is known, and its place in a manifest. */
export function titleRow(
  symbol: string,
  style: Style,
  { address, id = null, source }: Pick<Change, 'address' | 'source'> & Partial<Pick<Change, 'id'>>,
): Row {
  return row(
    2,
    span(`${symbol} `, style, 'bold'),
    span(address, style, 'bold'),
    ...(id === null ? [] : [solid(`  id ${id}`, 'dim')]),
    ...(source === null ? [] : [solid(`  ${place(source)}`, 'cyan')]),
  );
}

/** Two values on one line, with the words reversed that differ. A value that is not there has no spans. */
export function valueSpans(before: string | null, after: string | null): [old: Span[], fresh: Span[]] {
  const [old, fresh] = diffInline(before, after);
  return [
    (old ?? []).map((part) => partSpan(part, 'red')),
    (fresh ?? []).map((part) => partSpan(part, 'green')),
  ];
}

const partSpan = ({ text, changed }: Part, style: Style): Span =>
  changed ? span(text, style, 'inverse') : span(text, style);

/** The lines of a long text that differ. */
export function lineDiffRows({ hunks, notes, hidden }: LineDiff): Row[] {
  const onlyAdded = hunks.length === 1 && hunks[0]?.every(({ before }) => before.length === 0);
  return [
    ...notes.map((note) => row(10, span(note, 'yellow'))),
    ...hunks.flatMap((hunk) => [
      ...(onlyAdded ? [] : [row(10, span(`@@ line ${firstLineOf(hunk)}`, 'cyan', 'dim'))]),
      ...signedLines(hunk).map(lineRow),
    ]),
    ...(hidden > 0
      ? [row(10, span(`… ${pluralize(hidden, 'line')} more (--verbose shows all)`, 'dim'))]
      : []),
  ];
}

function lineRow({ sign, parts }: SignedLine): Row {
  const style = lineStyles[sign];
  return row(10, span(`${sign} `, style), ...parts.map((part) => partSpan(part, style)));
}
