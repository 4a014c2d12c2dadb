import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Kind } from '../../kinds/kind.ts';
import { renameSteps } from '../../kinds/references.ts';
import {
  type Mapping,
  type Member,
  type Printable,
  printBlock,
  printInline,
  quote,
} from '../../loader/print.ts';
import { lineEnd, lineStart, nextLine } from '../../loader/problems.ts';
import { keyText } from '../../loader/tree.ts';
import { type Pointer, pointer, segmentsOf } from '../../model/pointer.ts';
import { isList, isMapping, isTagged, jsonOf, leavesIn, partOf } from '../print-live.ts';
import { byteOrderMarkOf, type Edit, parseOne } from './document.ts';

type ParsedDocument = NonNullable<ReturnType<typeof parseOne>>;
type Path = Edit['path'];
type YamlCollection = YAMLMap | YAMLSeq;

/** The text of one document after all edits, applied in order; `null` if one of them cannot be applied. */
export function applyEdits(text: string, edits: readonly Edit[]): string | null {
  const mark = byteOrderMarkOf(text);
  const done = edits.reduce<ParsedDocument | null>(
    (parsed, edit) => parsed && applyEdit(parsed, edit),
    parseOne(text.slice(mark.length)),
  );
  return done && mark + done.text;
}

/** The document with other references, also in names of members, where `renamed` gives one; `null` if it cannot be parsed. */
export function renameReferences(text: string, kind: Kind, renamed: (reference: string) => string | null) {
  const parsed = parseOne(text);
  const spanOf = (node: unknown, from: string, to: string | null) =>
    isScalar(node) && node.range && to !== null && to !== from ? [[...node.range, to] as const] : [];
  const spansIn = (node: unknown, at: Pointer): ReturnType<typeof spanOf> => {
    if (isSeq(node)) return node.items.flatMap((item, index) => spansIn(item, at + pointer(index)));
    if (isMap(node))
      return node.items.flatMap(({ key, value }) => {
        const name = keyText(key) ?? '';
        const below = at + pointer(name);
        const fresh = segmentsOf(renameSteps(kind, below, renamed)).at(-1) ?? null;
        return [...spanOf(key, name, fresh), ...spansIn(value, below)];
      });
    if (!isScalar(node)) return [];
    const isPlace = at.startsWith('/lifecycle/ignore/');
    const value = String(node.value);
    return spanOf(
      node,
      value,
      node.tag === '!ref' ? renamed(value) : isPlace ? renameSteps(kind, value, renamed) : null,
    );
  };
  const spans = parsed ? spansIn(parsed.root, '') : [];
  if (!parsed || spans.length === 0) return parsed;
  return parseOne(
    spans.reduceRight((rest, [from, end, , to]) => splice(rest, from, end, printIn(parsed, to)), text),
  );
}

/** The document after one edit, else byte for byte the same; `null` if no candidate means exactly what is wanted. */
function applyEdit(parsed: ParsedDocument, edit: Edit): ParsedDocument | null {
  const wanted = editTree(parsed.tree, edit);
  if (wanted === undefined) return null;
  let done = tryCandidates(parsed, edit, wanted) ?? replaceAround(parsed, edit.path, wanted);
  // JSON has no comments.
  if (done === null || !('value' in edit) || parsed.isJson) return done;
  for (const [at, name] of edit.names ?? []) {
    const { node, end } = locate(done, [...edit.path, ...segmentsOf(at)]) ?? { node: null, end: 0 };
    if (!node) continue;
    // A comment there names the id before. A tag says itself what it finds, so it gets none.
    const rest = restOfLine(done.text, end);
    if (!(rest.trim() === '' ? node.tag === undefined : /^[ \t]+#/.test(rest))) continue;
    const named = splice(done.text, end, lineEnd(done.text, end), `  # ${name}`);
    // Behind a block, a comment would be part of the text.
    done = readsAs(named, wanted) ?? done;
  }
  return done;
}

/** The value of a document after an edit; `undefined` if it cannot be made. */
function editTree(tree: Printable, edit: Edit, path = edit.path): Printable | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return edit.op === 'set' ? edit.value : undefined;
  const isHere = rest.length === 0;
  const old = partOf(tree, step);
  if (isHere && edit.op === 'insert')
    return isMapping(tree) && old !== undefined ? undefined : splicePart(tree, step, 0, [edit.value]);
  if (old === undefined) return undefined;
  if (isHere && edit.op === 'remove') return splicePart(tree, step, 1, []);
  const changed = editTree(old, edit, rest);
  return changed === undefined ? undefined : splicePart(tree, step, 1, [changed]);
}

function splicePart(tree: Printable, step: string, count: number, values: readonly Printable[]) {
  if (isList(tree)) return tree.toSpliced(Number(step), count, ...values);
  if (!isMapping(tree)) return undefined;
  const at = tree.members.findIndex(([name]) => name === step);
  const members = values.map((value): Member => [step, value]);
  return { members: tree.members.toSpliced(at === -1 ? tree.members.length : at, count, ...members) };
}

/** The document of a text, if its value is the wanted one. */
function readsAs(text: string, wanted: Printable): ParsedDocument | null {
  const read = parseOne(text);
  return read && JSON.stringify(read.tree) === JSON.stringify(wanted) ? read : null;
}

function tryCandidates(parsed: ParsedDocument, edit: Edit, wanted: Printable): ParsedDocument | null {
  for (const candidate of candidatesFor(parsed, edit)) {
    const read = readsAs(candidate, wanted);
    if (read) return read;
  }
  return null;
}

/** Rewrites the innermost collection that can be; never the whole document, which would lose all its comments. */
function replaceAround(parsed: ParsedDocument, path: Path, wanted: Printable): ParsedDocument | null {
  for (let { length } = path; length > 0; length -= 1) {
    const around = path.slice(0, length);
    const value = around.reduce<Printable | undefined>(partOf, wanted);
    if (value === undefined) continue;
    const done = tryCandidates(parsed, { op: 'set', path: around, value }, wanted);
    if (done !== null) return done;
  }
  return null;
}

/** Texts that may be the document after an edit, best first. Each is parsed again, so a wrong one does no harm. */
function* candidatesFor(parsed: ParsedDocument, edit: Edit): Generator<string> {
  if (edit.op === 'insert') {
    const parent = nodeAt(parsed, edit.path.slice(0, -1));
    // An empty collection is replaced as a whole instead.
    if (!(isMap(parent) || isSeq(parent)) || parent.items.length === 0) return;
    const { length } = parent.items;
    const step = edit.path.at(-1) ?? '';
    const index = isSeq(parent) ? Math.min(Number(step), length) : length;
    const item = { parent, step, index, value: edit.value };
    yield* parent.flow === true ? insertIntoFlow(parsed, item) : insertIntoBlock(parsed, item);
    return;
  }
  const located = locate(parsed, edit.path);
  if (located && edit.op === 'set') yield* setCandidates(parsed, located, edit.value);
  if (!located || edit.op !== 'remove') return;
  yield* located.inFlow ? removeFromFlow(parsed, located) : removeFromBlock(parsed, located);
}

/** Versions of the document with the new value: in the style of the old one, as a block, beside its key, on one line. */
function* setCandidates(parsed: ParsedDocument, located: Located, value: Printable): Generator<string> {
  const { text } = parsed;
  const { node, pair, inFlow } = located;
  const span = spanOf(parsed, located);
  if (!span) return;
  const replaceWith = (replacement: string) => splice(text, span.from, span.to, span.gap + replacement);
  const comment = headerComment(parsed, located);
  if (typeof value === 'string') {
    const styled = writeInStyle(parsed, node, value);
    if (styled !== null && node?.range) yield splice(text, node.range[0], node.range[1], styled);
    if (pair && !inFlow) {
      const literal = printBlock({ members: [['x', value]] }).replace(/^x: /, '');
      const commented = literal.replace('\n', () => `${comment}\n`);
      if (/^[|>]/.test(literal))
        yield replaceWith(indentBelow(commented, columnOf(text, located.start), parsed.eol));
    }
  } else if ((isMapping(value) || isList(value)) && leavesIn(value).length > 0 && !inFlow) {
    if ((isMap(node) || isSeq(node)) && node.flow === true) yield replaceWith(printInline(value));
    yield* replaceWithBlock(parsed, located, value, span);
  }
  const inline = printIn(parsed, value);
  yield* moveBesideKey(parsed, located, inline);
  if (comment !== '') yield replaceWith(inline + comment);
  yield replaceWith(inline);
}

/** The value with its tag and anchor, or the place of a missing value, which is before a comment. */
function spanOf({ text }: ParsedDocument, { node, from, end, indicator }: Located) {
  if (!node) return null;
  const to = Math.max(from, end);
  if (!isScalar(node) || node.source !== '' || from !== to || indicator === null)
    return { from, to, gap: '' };
  // The blanks before a comment belong to it.
  const blanks = /^[ \t]*(?![ \t#])/.exec(text.slice(indicator))?.[0] ?? '';
  return { from: indicator, to: indicator + blanks.length, gap: ' ' };
}

function headerComment({ text }: ParsedDocument, { node }: Pick<Located, 'node'>): string {
  if (!isBlockScalar(node)) return '';
  return /[ \t]+#.*$/.exec(restOfLine(text, node.range?.[0] ?? 0))?.[0] ?? '';
}

/** Characters that nobody can see: quotes and blocks could hold them, but an escape is better. */
const unseen = /\p{C}|\p{Zl}|\p{Zp}/u;
const unseenInBlock = /(?![\n\t\u200c\u200d])\p{C}|\p{Zl}|\p{Zp}/u;

/** The text as the old one is written, in quotes or as a block; `null` if it cannot be. */
function writeInStyle({ text, eol }: ParsedDocument, node: Node | null, value: string): string | null {
  if (!isScalar(node) || node.tag !== undefined || node.anchor !== undefined) return null;
  if (node.type === 'QUOTE_DOUBLE') return quote(value);
  if (node.type === 'QUOTE_SINGLE' && !unseen.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return isBlockScalar(node) ? rewriteBlock(text.slice(...(node.range ?? [])), value, eol) : null;
}

/** The block with a new text. Its indentation, its header's comment and the blank lines below it stay. */
function rewriteBlock(block: string, value: string, eol: string): string | null {
  const headerEnd = block.indexOf('\n');
  const header = /^([|>])([+-]?)(?=\s|$)(.*)$/s.exec(block.slice(0, headerEnd).trimEnd());
  const body = block.slice(headerEnd + 1);
  const margin = /^[ \t\r\n]*\n( +)|^( +)/.exec(body);
  if (headerEnd === -1 || !header || !margin || !/^\S/.test(value) || unseenInBlock.test(value)) return null;
  const indent = margin[1] ?? margin[2] ?? '';
  const [, style, oldChomp = '', comment = ''] = header;
  const content = value.replace(/\n+$/, '');
  const breaks = value.length - content.length;
  const chomp = ['-', ''][breaks] ?? '+';
  const blanks =
    chomp === '+'
      ? eol.repeat(breaks - 1)
      : oldChomp === '+'
        ? ''
        : (/\n([ \t\r\n]*)$/.exec(body)?.[1] ?? '');
  // In a folded block a single line ending means a blank, so each line ending is written twice.
  const lines = (style === '>' ? content.replace(/\n+/g, '$&\n') : content).split('\n');
  const written = lines.map((line) => (line === '' ? '' : indent + line)).join(eol);
  const ending = body.endsWith('\n') || chomp === '+' ? eol : '';
  return `${style}${chomp}${comment}${eol}${written}${ending}${blanks}`;
}

function* replaceWithBlock(
  parsed: ParsedDocument,
  { node, pair, start }: Located,
  value: Mapping | readonly Printable[],
  { from, to }: NonNullable<ReturnType<typeof spanOf>>,
): Generator<string> {
  const { text, eol } = parsed;
  if (!node) return;
  const hasProperties = from !== (node.range?.[0] ?? 0);
  if (!pair || (isBlock(node) && !hasProperties)) {
    yield splice(text, from, to, indentBelow(printBlock(value), columnOf(text, from), eol));
    return;
  }
  const column = columnOf(text, start) + 2;
  const keyEnd = from === to ? lineEnd(text, from) : text.slice(0, from).trimEnd().length;
  const end = Math.max(keyEnd, to);
  // Behind the last item, a comment would be taken for one on it.
  const beside = /^[ \t]+#.*/.exec(restOfLine(text, end))?.[0] ?? '';
  const lines = eol + ' '.repeat(column) + indentBelow(printBlock(value), column, eol);
  yield splice(text, keyEnd, end + beside.length, headerComment(parsed, { node }) + beside + lines);
}

function* moveBesideKey({ text }: ParsedDocument, located: Located, inline: string): Generator<string> {
  const { node, from, end, indicator } = located;
  if (!node || indicator === null) return;
  if (from <= lineEnd(text, indicator) || !isFirstOnLine(text, from)) return;
  // The comment beside the last item of a block goes with it.
  const comment = isBlock(node) ? '' : restOfLine(text, end).trimEnd();
  if (comment !== '' && restOfLine(text, indicator).trim() !== '') return;
  yield splice(withoutLines(text, from, end), indicator, indicator, ` ${inline}${comment}`);
}

/** A new member, which comes last in its mapping, or a new item before the index. It is written like its neighbors. */
interface NewItem {
  readonly parent: YamlCollection;
  readonly step: string;
  readonly index: number;
  readonly value: Printable;
}

function* insertIntoBlock(parsed: ParsedDocument, { parent, step, index, value }: NewItem) {
  const { text, eol } = parsed;
  const before = locateItem(parsed, parent, Math.max(0, index - 1));
  if (!before) return;
  const hasBlocks = isSeq(parent) && parent.items.some((item) => isNode(item) && isBlock(item));
  const ofList = hasBlocks ? printBlock([value]) : `- ${printInline(value)}`;
  const block = isMap(parent) ? printBlock({ members: [[step, value]] }) : ofList;
  const { start, end } = before;
  const margin = ' '.repeat(columnOf(text, start));
  const lines = indentBelow(block, margin.length, eol);
  if (index === 0) {
    let above = lineStart(text, start);
    while (/^[ \t]*#/.test(text.slice(lineStart(text, above - 1), above))) above = lineStart(text, above - 1);
    if (isFirstOnLine(text, start)) yield splice(text, above, above, margin + lines + eol);
    yield splice(text, start, start, lines + eol + margin);
    return;
  }
  const after = lineEnd(text, end);
  yield splice(text, after, after, eol + margin + lines);
  // Blank lines below a block scalar with `+` belong to that scalar: the new lines must follow them.
  const range = parent.range?.[1] ?? after;
  const below = isFirstOnLine(text, range) ? lineStart(text, range) : range;
  yield splice(text, below, below, `${text[below - 1] === '\n' ? '' : eol}${margin}${lines}${eol}`);
}

function* insertIntoFlow(parsed: ParsedDocument, { parent, step, index, value }: NewItem): Generator<string> {
  const { text, eol } = parsed;
  const inline = printIn(parsed, value);
  const written = isMap(parent) ? `${printIn(parsed, step)}: ${inline}` : inline;
  const next = locateItem(parsed, parent, index)?.start ?? null;
  if (next !== null) yield splice(text, next, next, `${written}, `);
  const last = locateItem(parsed, parent, index - 1);
  if (next !== null || !last) return;
  const { start, end } = last;
  if (isFirstOnLine(text, start)) {
    const after = lineEnd(text, end);
    const margin = eol + text.slice(lineStart(text, start), start);
    if (endOfComma(text, end) > end) yield splice(text, after, after, `${margin}${written},`);
    else yield splice(splice(text, after, after, margin + written), end, end, ',');
  }
  yield splice(text, end, end, `, ${written}`);
}

/** The lines of an item are removed, or only its text. The last item of a collection goes with the collection. */
function* removeFromBlock(parsed: ParsedDocument, { parent, index, start, end }: Located): Generator<string> {
  const { text } = parsed;
  if (parent.items.length < 2) return;
  if (isFirstOnLine(text, start) && isLastOnLine(text, end)) yield withoutLines(text, start, end);
  const next = locateItem(parsed, parent, index + 1)?.start ?? null;
  if (next === null) return;
  if (/\n[ \t]*#/.test(text.slice(end, next)))
    yield splice(text, text.slice(0, start).trimEnd().length, lineEnd(text, end), '');
  yield splice(text, start, next, '');
}

/** Like that in a block, but the last item goes alone if comments are left in the collection. */
function* removeFromFlow(parsed: ParsedDocument, { parent, index, start, end }: Located): Generator<string> {
  const { text } = parsed;
  const hasComments = text.slice(...(parent.range ?? [])).includes('#');
  if (parent.items.length < 2 && !hasComments) return;
  const before = locateItem(parsed, parent, index - 1)?.end ?? null;
  const comma = endOfComma(text, end);
  if (isFirstOnLine(text, start) && isLastOnLine(text, comma)) {
    const without = withoutLines(text, start, end);
    const isLast = comma === end && before !== null;
    yield isLast ? splice(without, before, endOfComma(text, before), '') : without;
  }
  if (comma > end) {
    const after = comma + (/^[ \t]*/.exec(text.slice(comma))?.[0].length ?? 0);
    const isAtEnd = after === lineEnd(text, after);
    yield splice(text, isAtEnd ? text.slice(0, start).trimEnd().length : start, after, '');
  }
  if (before !== null && !text.slice(before, start).includes('#')) yield splice(text, before, end, '');
  yield splice(text, start, end, '');
}

/** The end of the comma after an item, or of the item if its line has no comma. */
function endOfComma(text: string, end: number): number {
  return end + (/^[ \t]*,/.exec(text.slice(end))?.[0].length ?? 0);
}

function isLastOnLine(text: string, offset: number): boolean {
  return /^[ \t]*(#.*)?$/.test(restOfLine(text, offset));
}

function printIn({ isJson }: ParsedDocument, value: Printable): string {
  if (!isJson || leavesIn(value).some(([, leaf]) => isTagged(leaf))) return printInline(value);
  return quote(jsonOf(value));
}

function splice(text: string, from: number, to: number, replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}

function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

function isFirstOnLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === '';
}

/** The lines of a block, all but the first indented, with the file's line endings. */
function indentBelow(block: string, column: number, eol: string): string {
  const margin = ' '.repeat(column);
  return block
    .trimEnd()
    .split('\n')
    .map((line, index) => (index === 0 || line === '' ? line : margin + line))
    .join(eol);
}

function withoutLines(text: string, from: number, to: number): string {
  return splice(text, lineStart(text, from), nextLine(text, to), '');
}

function restOfLine(text: string, offset: number): string {
  return text.slice(offset, lineEnd(text, offset));
}

type Located = NonNullable<ReturnType<typeof locateItem>>;

/** Finds the value at a path. Returns `null` for the whole document, if nothing is there, or if an alias leads to it. */
function locate(parsed: ParsedDocument, path: Path): Located | null {
  const parent = nodeAt(parsed, path.slice(0, -1));
  const step = path.at(-1);
  if (step === undefined || !(isMap(parent) || isSeq(parent))) return null;
  const index = isMap(parent) ? parent.items.findIndex(({ key }) => keyText(key) === step) : Number(step);
  return locateItem(parsed, parent, index);
}

function nodeAt(parsed: ParsedDocument, path: Path): Node | null {
  return path.length === 0 ? parsed.root : (locate(parsed, path)?.node ?? null);
}

/** A value of a document, the collection that holds it, and their offsets in the text. */
function locateItem({ text }: ParsedDocument, parent: YamlCollection, index: number) {
  const item = parent.items[index];
  if (item === undefined) return null;
  const pair = isPair(item) ? item : null;
  const value = pair ? pair.value : item;
  const node = isNode(value) ? value : null;
  const tokens = tokensBefore(parent, index);
  const property = tokens.find(({ type }) => type === 'tag' || type === 'anchor');
  const indicator = tokens.find(({ type }) => type === 'map-value-ind' || type === 'seq-item-ind');
  const valueStart = node?.range?.[0] ?? 0;
  const from = property ? Math.min(property.offset, valueStart) : valueStart;
  // A member begins with the `?`, tag or anchor before its key.
  const mark = pair?.srcToken?.start.find(({ type }) => /^(explicit-key-ind|tag|anchor)$/.test(type));
  const key = pair && isNode(pair.key) ? pair.key : null;
  const begin = pair ? (mark?.offset ?? key?.range?.[0]) : indicator?.offset;
  return {
    node,
    parent,
    index,
    pair,
    inFlow: parent.flow === true,
    /** Where the member or item begins: at its key, at its dash, or in `[…]` at its value. */
    start: begin ?? from,
    /** Where the colon or dash before the value ends. */
    indicator: indicator ? indicator.offset + indicator.source.length : null,
    /** Where the value begins, including its tag and anchor. */
    from,
    /** Where the value ends, or the key of a member without one: before comments, line endings and blank lines. */
    end: endOf(node ?? key ?? parent, text),
  };
}

/** The text between a member's key and its value, or before a list item. */
function tokensBefore(parent: YamlCollection, index: number) {
  const item = parent.items[index];
  if (isPair(item)) return (item.srcToken && 'sep' in item.srcToken && item.srcToken.sep) || [];
  const list = parent.srcToken;
  return list && 'items' in list ? (list.items[index]?.start ?? []) : [];
}

function endOf(node: Node, text: string): number {
  const [start, end] = node.range ?? [0, 0, 0];
  if (isBlockScalar(node)) {
    let last = end;
    // Other blanks, such as those that do not break, are text.
    while (last > start && ' \t\r\n'.includes(text.charAt(last - 1))) last -= 1;
    return last;
  }
  if (isBlock(node)) {
    const last = node.items.at(-1);
    const value = isPair(last) ? (last.value ?? last.key) : last;
    return isNode(value) ? endOf(value, text) : end;
  }
  return end;
}

const isBlock = (node: Node | null): node is YamlCollection =>
  (isMap(node) || isSeq(node)) && node.flow !== true;

const isBlockScalar = (node: Node | null): node is Scalar =>
  isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');
