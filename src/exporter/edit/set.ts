import { CST, isAlias, isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml';
import { type Mapping, type Printable, printBlock, printInline, quoted } from '../../loader/print.ts';
import { columnOf, indentBelow, isFirstOnLine, lineEnd, lineStart, nextLine, splice } from './lines.ts';
import { endOf, indicatorOf, type Located, leadOf, type Parsed, startOf } from './parsed.ts';

/** Texts in which the value is another one, best first: in its own style, then on one line. */
export function* setCandidates(parsed: Parsed, located: Located, value: Printable): Generator<string> {
  const { text, eol } = parsed;
  const { node } = located;
  const span = spanOf(parsed, located);
  if (!span) return;
  const { from, to, gap } = span;
  const put = (replacement: string) => splice(text, from, to, gap + replacement);
  if (typeof value === 'string') {
    const same = isScalar(node) && node.tag === undefined && node.anchor === undefined;
    if (same) yield* sameStyle(parsed, node, value);
  } else if (isCollection(value) && !located.inFlow) {
    const isFlow = (isMap(node) || isSeq(node)) && node.flow === true;
    if (isFlow) yield put(printInline(value));
    const block = blockText(parsed, located, value);
    if (block !== null) yield block;
  }
  const comment = headerComment(parsed, node);
  if (typeof value === 'string' && !located.inFlow && located.pair) {
    const column = columnOf(text, leadOf(located) ?? 0);
    const literal = literalAfterKey(value, { column, comment, eol });
    if (literal !== null) yield put(literal);
  }
  const hoisted = hoist(parsed, located, printInline(value));
  if (hoisted !== null) yield hoisted;
  if (comment !== '') yield put(printInline(value) + comment);
  yield put(printInline(value));
}

/** The comment beside the `|` or `>` of a block. */
function headerComment({ text }: Parsed, node: Node | null): string {
  if (!isScalar(node) || (node.type !== 'BLOCK_LITERAL' && node.type !== 'BLOCK_FOLDED')) return '';
  const start = node.range?.[0] ?? 0;
  return /[ \t]+#.*$/.exec(text.slice(start, lineEnd(text, start)))?.[0] ?? '';
}

/** The text with a value beside its key or dash, in the place of a collection on the lines below. */
function hoist({ text }: Parsed, located: Located, inline: string): string | null {
  const { node } = located;
  const from = startOf(located);
  const indicator = indicatorOf(located);
  if (!node || indicator === null || from <= lineEnd(text, indicator) || !isFirstOnLine(text, from))
    return null;
  const without = splice(text, lineStart(text, from), nextLine(text, endOf(node, text)), '');
  return splice(without, indicator, indicator, ` ${inline}`);
}

function isCollection(value: Printable): value is Mapping | readonly Printable[] {
  if (value === null || typeof value !== 'object' || 'tag' in value) return false;
  return 'members' in value ? value.members.length > 0 : value.length > 0;
}

/** What is replaced: the value with its tag and anchor, or the place where it is missing. */
function spanOf({ text }: Parsed, located: Located): { from: number; to: number; gap: string } | null {
  const { node, pair } = located;
  if (!node) return null;
  const from = startOf(located);
  const to = Math.max(from, endOf(node, text));
  const isEmpty = isScalar(node) && node.source === '' && node.type === 'PLAIN';
  const gap =
    isEmpty && from === to && (pair || located.parent) && !/\s/.test(text[from - 1] ?? ' ') ? ' ' : '';
  return { from, to, gap };
}

/** Text in the quotes, or the block, that it had. */
function* sameStyle(parsed: Parsed, node: Scalar, value: string): Generator<string> {
  const { text } = parsed;
  const [start, end] = node.range ?? [0, 0, 0];
  switch (node.type) {
    case 'BLOCK_LITERAL':
    case 'BLOCK_FOLDED': {
      const block = rewriteBlock(parsed, text.slice(start, end), value, node);
      if (block !== null) yield splice(text, start, end, block);
      return;
    }
    case 'QUOTE_DOUBLE':
      yield splice(text, start, end, quoted(value));
      return;
    case 'QUOTE_SINGLE': {
      const token = singleQuoted(value);
      if (token !== null) yield splice(text, start, end, token);
      return;
    }
    default:
  }
}

function singleQuoted(value: string): string | null {
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(value)) return null;
  const token: CST.FlowScalar = {
    type: 'single-quoted-scalar',
    offset: 0,
    indent: 0,
    source: "''",
  };
  CST.setScalarValue(token, value, { afterKey: true, type: 'QUOTE_SINGLE' });
  return token.source;
}

/** What is better written as an escape, though a block could hold it. */
const unseen = /(?![\n\t\u200c\u200d])\p{C}|\p{Zl}|\p{Zp}/u;

/** The block with another text: its margin, its header's comment and the blank lines below it stay. */
function rewriteBlock({ eol }: Parsed, block: string, value: string, node: Scalar): string | null {
  const headerEnd = block.indexOf('\n');
  const header = /^([|>])([+-]?)(?=\s|$)(.*)$/s.exec(block.slice(0, headerEnd).trimEnd());
  const body = block.slice(headerEnd + 1);
  const margin = /^[ \t\r\n]*\n( +)|^( +)/.exec(body);
  if (headerEnd === -1 || !header || !margin || !/^\S/.test(value) || unseen.test(value)) return null;
  const indent = margin[1] ?? margin[2] ?? '';
  const [, , oldChomp = '', comment = ''] = header;
  const content = value.replace(/\n+$/, '');
  const breaks = value.length - content.length;
  const chomp = breaks === 0 ? '-' : breaks === 1 ? '' : '+';
  const blankLines = chomp === '+' ? '\n'.repeat(breaks - 1) : oldChomp === '+' ? '' : blankBelow(body);
  const lines = foldable(node, content).split('\n');
  const written = lines.map((line) => (line === '' ? '' : indent + line)).join(eol);
  const ending = body.endsWith('\n') || chomp === '+' ? eol : '';
  return `${header[1]}${chomp}${comment}${eol}${written}${ending}${blankLines}`;
}

/** A folded block takes one line ending for a blank, so each stands twice. */
function foldable(node: Scalar, content: string): string {
  return node.type === 'BLOCK_FOLDED' ? content.replace(/\n+/g, '$&\n') : content;
}

function blankBelow(body: string): string {
  const trimmed = body.trimEnd();
  const ending = body.indexOf('\n', trimmed.length);
  return ending === -1 ? '' : body.slice(ending + 1);
}

/** Text as a block below its key; `null` where it is better written on one line. */
function literalAfterKey(
  value: string,
  { column, comment, eol }: { column: number; comment: string; eol: string },
): string | null {
  const printed = printBlock({ members: [['x', value]] }).replace(/^x: /, '');
  if (!/^[|>]/.test(printed)) return null;
  return indentBelow(
    printed.replace('\n', () => `${comment}\n`),
    column,
    eol,
  );
}

/** The text with a mapping or list in block style in the place of the value. */
function blockText(parsed: Parsed, located: Located, value: Mapping | readonly Printable[]): string | null {
  const { text, eol } = parsed;
  const { node, pair } = located;
  const lead = leadOf(located);
  if (!node || lead === null) return null;
  const to = endOf(node, text);
  const start = node.range?.[0] ?? 0;
  const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true;
  const ownLine = isBlock && !isAlias(node) && startOf(located) === start;
  if (ownLine) {
    return splice(text, start, to, indentBelow(printBlock(value), columnOf(text, start), eol));
  }
  const from = startOf(located);
  if (!pair) return splice(text, from, to, indentBelow(printBlock(value), columnOf(text, from), eol));
  const column = columnOf(text, lead) + 2;
  const keyEnd = text.slice(0, from).trimEnd().length;
  return splice(
    text,
    Math.min(keyEnd, from),
    to,
    eol + ' '.repeat(column) + indentBelow(printBlock(value), column, eol),
  );
}
