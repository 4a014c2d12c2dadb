import { diffWordsWithSpace } from 'diff';
import { runsOf } from '../model/runs.ts';
import { codePoint, takeFirst, takeLast, visibleBlanks } from './safe.ts';

export interface Chunk {
  readonly text: string;
  readonly changed: boolean;
}

export interface DiffLine {
  /** From 1: in the text before for removed lines, otherwise in the text after. */
  readonly number: number;
  readonly parts: readonly Chunk[];
}

/** Lines that are equal, or lines and what replaced them. Equal lines that are far from a change are a gap. */
export interface Block {
  readonly is: 'same' | 'gap' | 'changed';
  readonly before: readonly DiffLine[];
  readonly after: readonly DiffLine[];
}

export interface LineDiff {
  readonly blocks: readonly Block[];
  /** Differences that lines cannot show, such as line endings that changed everywhere. */
  readonly notes: readonly string[];
  readonly hidden: number;
  readonly counts: { readonly before: number; readonly after: number };
}

/** A line with the sign of a patch; `@` stands before the lines that begin the text or follow a gap. */
export interface SignedLine {
  readonly sign: '@' | ' ' | '-' | '+';
  readonly parts: readonly Chunk[];
}

const context = 3;
/** A text with more edits counts as rewritten. */
const maxLineEdits = 1000;
const maxWordEdits = 400;
/** Longer lines are not compared word by word. A whole e-mail may be one line. */
const maxWordLine = 200_000;
/** The length to which equal text within a changed line is cut. */
const maxEqual = 160;
const maxPart = 4000;

/** The lines as a patch has them, without gaps. What replaces lines comes after them. */
export function signedLines({ blocks }: LineDiff): SignedLine[] {
  const sign = (sign: SignedLine['sign'], lines: readonly DiffLine[]) =>
    lines.map(({ parts }): SignedLine => ({ sign, parts }));
  return blocks.flatMap(({ is, before, after }, at) => {
    if (is === 'gap') return [];
    const isFirst = !isContinued(blocks[at - 1], blocks[at]);
    const text = `line ${(after[0] ?? before[0])?.number ?? 1}`;
    return [
      ...(isFirst ? [{ sign: '@', parts: [{ text, changed: false }] } as const] : []),
      ...(is === 'same' ? sign(' ', after) : [...sign('-', before), ...sign('+', after)]),
    ];
  });
}

/** True if the lines of a block stand right below those before them. */
function isContinued(before: Block | undefined, block: Block | undefined): boolean {
  if (!before || !block || before.is === 'gap') return false;
  return (['before', 'after'] as const).every((side) => {
    const [last, first] = [before[side].at(-1), block[side][0]];
    return !last || !first || last.number + 1 === first.number;
  });
}

/** The diff with a block for each line that is only added or removed, or replaced by one line. */
export function splitChanges(diff: LineDiff): LineDiff {
  const blocks = diff.blocks.flatMap((block) => {
    const { is, before, after } = block;
    const isOneSided = before.length === 0 || after.length === 0;
    if (is !== 'changed' || !(isOneSided || before.length === after.length)) return [block];
    return Array.from({ length: Math.max(before.length, after.length) }, (_, at): Block => {
      return { is, before: before.slice(at, at + 1), after: after.slice(at, at + 1) };
    });
  });
  return { ...diff, blocks };
}

/** The diff with only these of its changes, counted from 0, and the equal lines near them. */
export function pickChanges(diff: LineDiff, picked: ReadonlySet<number | null>): LineDiff {
  let count = 0;
  const isPicked = diff.blocks.map(({ is }) => is === 'changed' && picked.has(count++));
  const isNear = isPicked.map((_, at) => isPicked[at - 1] || isPicked[at + 1]);
  const blocks = diff.blocks.flatMap((block, at): Block[] => {
    if (block.is === 'changed') return isPicked[at] ? [block] : [];
    const isKept = block.is === 'same' ? isNear[at] : isNear[at - 1] || isNear[at + 1];
    return isKept ? [block] : [];
  });
  return { ...diff, blocks: blocks.reduce(joinChanges, []), counts: countsOf(blocks) };
}

/** Puts replaced lines that follow each other into one block again. */
function joinChanges(blocks: readonly Block[], block: Block): Block[] {
  const last = blocks.at(-1);
  if (last?.is !== 'changed' || block.is !== 'changed' || !isContinued(last, block))
    return [...blocks, block];
  const joined = {
    is: block.is,
    before: [...last.before, ...block.before],
    after: [...last.after, ...block.after],
  };
  return [...blocks.slice(0, -1), joined];
}

/** Compares two texts; `null` stands for no text. Line endings are only noted, and only if nothing else differs. */
export function diffLines(before: string | null, after: string | null): LineDiff {
  const [old, fresh] = [before ?? '', after ?? ''].map((text) => text.replaceAll('\r\n', '\n'));
  const blocks = blocksOf(splitLines(old, fresh), splitLines(fresh, old));
  const isEqual = blocks.every(({ is }) => is !== 'changed');
  const isOnlyEndings = before !== null && after !== null && before !== after && old === fresh;
  return {
    blocks: isEqual ? [] : blocks.flatMap(foldFarLines),
    notes: isOnlyEndings ? ['only line endings differ'] : [],
    hidden: 0,
    counts: countsOf(blocks),
  };
}

/** A missing last line break is visible in the last line if the other text has one. */
function splitLines(text = '', other = ''): string[] {
  const isUnended = text !== '' && !text.endsWith('\n') && other.endsWith('\n');
  const lines = `${text}${isUnended ? ' (no line break at the end)' : ''}`.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function countsOf(blocks: readonly Block[]): LineDiff['counts'] {
  const changed = blocks.filter(({ is }) => is === 'changed');
  return {
    before: changed.flatMap(({ before }) => before).length,
    after: changed.flatMap(({ after }) => after).length,
  };
}

/** Blocks of equal lines and of changes in turn; texts with too many edits are one change. */
function blocksOf(old: readonly string[], fresh: readonly string[]): Block[] {
  let [oldAt, freshAt] = [0, 0];
  return runsOf(old, fresh, maxLineEdits).map(({ isEqual, before, after }): Block => {
    const [removed, added] = isEqual
      ? [before.map(wholeLine), after.map(wholeLine)]
      : diffWords(before, after);
    const block: Block = {
      is: isEqual ? 'same' : 'changed',
      before: removed.map((parts, at) => ({ number: oldAt + at + 1, parts })),
      after: added.map((parts, at) => ({ number: freshAt + at + 1, parts })),
    };
    oldAt += before.length;
    freshAt += after.length;
    return block;
  });
}

/** Equal lines in up to three blocks: those near the change before them, a gap, and those near the change after them. */
function foldFarLines(block: Block, at: number, { length: count }: readonly Block[]): Block[] {
  const { length } = block.after;
  const first = at === 0 ? 0 : context;
  const last = at === count - 1 ? length : length - context;
  if (block.is === 'changed' || first >= last) return [block];
  const part = (is: Block['is'], from: number, to: number): Block => ({
    is,
    before: block.before.slice(from, to),
    after: block.after.slice(from, to),
  });
  return [part('same', 0, first), part('gap', first, last), part('same', last, length)].filter(
    ({ after }) => after.length > 0,
  );
}

export function shorten(diff: LineDiff, maxLines: number): LineDiff {
  const size = diff.blocks.reduce((sum, block) => sum + sizeOf(block), 0);
  if (size <= maxLines) return diff;
  let room = maxLines;
  const blocks = diff.blocks.flatMap((block) => {
    if (room === 0) return [];
    const part = sizeOf(block) <= room ? block : shortenBlock(block, room);
    room -= sizeOf(part);
    return [part];
  });
  return { ...diff, blocks, hidden: size - maxLines };
}

const sizeOf = ({ is, before, after }: Block): number =>
  is === 'gap' ? 0 : after.length + (is === 'changed' ? before.length : 0);

/** Removed and added lines share the room. */
function shortenBlock({ is, before, after }: Block, room: number): Block {
  if (is !== 'changed') return { is, before: before.slice(0, room), after: after.slice(0, room) };
  const removed = Math.min(before.length, Math.max(Math.ceil(room / 2), room - after.length));
  return { is, before: before.slice(0, removed), after: after.slice(0, room - removed) };
}

/** Each line with the words marked in which it differs from the line that replaces it. */
function diffWords(removed: readonly string[], added: readonly string[]): [Chunk[][], Chunk[][]] {
  const pairs = removed.slice(0, added.length).map((line, at) => compareWords(line, added[at] ?? ''));
  const side = (lines: readonly string[], at: 0 | 1) =>
    lines.map((line, index) => pairs[index]?.[at] ?? showBlanks(wholeLine(line)));
  return [side(removed, 0), side(added, 1)];
}

/** Two values on one line, with the words marked that differ; `null` stays. */
export function diffInline(
  before: string | null,
  after: string | null,
): [before: readonly Chunk[] | null, after: readonly Chunk[] | null] {
  if (before === null) return [null, after === null ? null : wholeLine(after)];
  return after === null ? [wholeLine(before), null] : compareWords(before, after);
}

/**
 * Marks the words that differ between two lines. If they share little, both stay whole; of lines that are too long for that, what
 * both begin and end with is left unmarked and cut, so that the rest is shown.
 */
function compareWords(old: string, fresh: string): [Chunk[], Chunk[]] {
  const [before, after] = findWords(old, fresh) ?? betweenEnds(old, fresh);
  // Texts that look the same, but are composed otherwise or hold what is invisible, are told apart by codes.
  const isAlike = looksOf(old) === looksOf(fresh);
  const show = (parts: readonly Chunk[]) =>
    showBlanks(
      isAlike ? parts.map((part) => ({ ...part, text: part.text.replace(/\P{ASCII}/gu, codePoint) })) : parts,
    );
  return [show(before), show(after)];
}

const looksOf = (text: string): string =>
  /^\p{ASCII}*$/u.test(text)
    ? text
    : text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');

/** `undefined` if the lines are too long, have too many differences, or share little. */
function findWords(old: string, fresh: string): [Chunk[], Chunk[]] | undefined {
  if (old.length > maxWordLine || fresh.length > maxWordLine) return undefined;
  const found = diffWordsWithSpace(old, fresh, { maxEditLength: maxWordEdits });
  const shared = (found ?? []).filter((part) => !part.added && !part.removed && part.value.trim() !== '');
  const sharedLength = shared.reduce((sum, part) => sum + part.value.length, 0);
  if (!found || sharedLength * 4 < Math.min(old.length, fresh.length)) return undefined;
  const side = (drop: 'added' | 'removed'): Chunk[] =>
    found
      .filter((part) => !part[drop])
      .map((part) => clipPart({ text: part.value, changed: part.added || part.removed }));
  return [side('added'), side('removed')];
}

function betweenEnds(old: string, fresh: string): [Chunk[], Chunk[]] {
  const isCut = old.length > maxPart || fresh.length > maxPart;
  const [lead, tail] = isCut ? sharedEnds(old, fresh) : [0, 0];
  if (lead + tail === 0) return [wholeLine(old), wholeLine(fresh)];
  const side = (line: string) =>
    [
      { text: line.slice(0, lead), changed: false },
      { text: line.slice(lead, line.length - tail), changed: true },
      { text: line.slice(line.length - tail), changed: false },
    ]
      .map(clipPart)
      .filter(({ text }) => text !== '');
  return [side(old), side(fresh)];
}

/** The number of characters that both texts begin and end with. No character is split. */
function sharedEnds(a: string, b: string): [lead: number, tail: number] {
  const most = Math.min(a.length, b.length);
  let lead = 0;
  while (lead < most && a[lead] === b[lead]) lead += 1;
  if (/[\ud800-\udbff]/.test(a[lead - 1] ?? '')) lead -= 1;
  let tail = 0;
  while (tail < most - lead && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  if (tail > 0 && /[\udc00-\udfff]/.test(a.at(-tail) ?? '')) tail -= 1;
  return [lead, tail];
}

const wholeLine = (line: string): Chunk[] => [{ text: clip(line), changed: false }];

function clipPart({ text, changed }: Chunk): Chunk {
  if (changed) return { text: text.trim() === '' ? text : clip(text), changed };
  if (text.length <= maxEqual) return { text, changed };
  return { text: `${takeFirst(text, maxEqual / 2)} … ${takeLast(text, maxEqual / 2)}`, changed };
}

function clip(text: string): string {
  if (text.length <= maxPart) return text;
  const first = takeFirst(text, maxPart);
  return `${first} … (${text.length - first.length} characters more)`;
}

/** Makes blanks visible that alone differ, and those at the end of a changed line. */
function showBlanks(parts: readonly Chunk[]): Chunk[] {
  return parts
    .map(({ text, changed }, at) => {
      const end =
        at === parts.length - 1 || (changed && text.trim() === '') ? text.trimEnd().length : text.length;
      return { text: text.slice(0, end) + visibleBlanks(text.slice(end)), changed };
    })
    .filter(({ text }) => text !== '');
}
