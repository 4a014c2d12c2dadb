import { diffWordsWithSpace } from 'diff';
import { runsOf } from '../model/runs.ts';
import { codePoint, takeFirst, takeLast, visibleBlanks } from './safe.ts';

/** A run of text within a line; `changed` marks the words that differ. */
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

/** Two texts compared by line and word. */
export interface LineDiff {
  /** Empty if no line differs. */
  readonly blocks: readonly Block[];
  /** Differences that lines cannot show, such as line endings that changed everywhere. */
  readonly notes: readonly string[];
  /** Lines that {@link shorten} left out. */
  readonly hidden: number;
  /** Removed and added lines, including hidden ones. */
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
/** With more possible pairs, lines are paired in their order. */
const maxPairs = 400;
/** Lines that share a smaller part of their words, from 0 to 1, do not replace each other. */
const minSimilarity = 0.3;

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

/** Compares two texts; `null` stands for no text. Line endings that are uniform on both sides become a note. */
export function diffLines(before: string | null, after: string | null): LineDiff {
  const [old, fresh, notes] = alignEndings(before, after);
  const blocks = blocksOf(splitLines(old), splitLines(fresh));
  const isEqual = blocks.every(({ is }) => is !== 'changed');
  return {
    blocks: isEqual ? [] : blocks.flatMap(foldFarLines),
    notes,
    hidden: 0,
    counts: countsOf(blocks),
  };
}

function countsOf(blocks: readonly Block[]): LineDiff['counts'] {
  const changed = blocks.filter(({ is }) => is === 'changed');
  const count = (side: 'before' | 'after') => changed.reduce((sum, block) => sum + block[side].length, 0);
  return { before: count('before'), after: count('after') };
}

/** Blocks of equal lines and of changes in turn; texts with too many edits are one change. */
function blocksOf(old: readonly string[], fresh: readonly string[]): Block[] {
  let [oldAt, freshAt] = [0, 0];
  return runsOf(old, fresh, maxLineEdits).map(({ isEqual, before, after }): Block => {
    const [removed, added] = isEqual
      ? [before.map(equalLine), after.map(equalLine)]
      : diffWords(before, after);
    const is = isEqual ? 'same' : 'changed';
    const block = { is, before: number(removed, oldAt), after: number(added, freshAt) } as const;
    oldAt += before.length;
    freshAt += after.length;
    return block;
  });
}

const number = (lines: readonly Chunk[][], from: number): DiffLine[] =>
  lines.map((parts, at) => ({ number: from + at + 1, parts }));

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

function splitLines(text: string | null): string[] {
  return text?.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The texts with equal line endings if each has uniform ones, and a note if they differed. */
function alignEndings(
  before: string | null,
  after: string | null,
): [before: string | null, after: string | null, notes: string[]] {
  const old = endingsOf(before);
  const fresh = endingsOf(after);
  const isMixed = old === 'mixed' || fresh === 'mixed';
  const unify = (text: string | null) => (isMixed || text === null ? text : text.replaceAll('\r\n', '\n'));
  const [oldText, freshText] = [unify(before), unify(after)];
  const notes = !isMixed && old && fresh && old !== fresh ? [`line endings: ${old} → ${fresh}`] : [];
  return [endLastLine(oldText, freshText), endLastLine(freshText, oldText), notes];
}

/** Adds the last line break if the other text lacks it too, or does not exist: then it is no difference. */
function endLastLine(text: string | null, other: string | null): string | null {
  if (text === null || text === '' || text.endsWith('\n')) return text;
  return other === null || other === '' || !other.endsWith('\n') ? `${text}\n` : text;
}

function endingsOf(text: string | null): 'CRLF' | 'LF' | 'mixed' | null {
  const [first, ...others] = new Set(text?.match(/\r\n|\r|\n/g));
  if (first === undefined) return null;
  if (others.length > 0 || first === '\r') return 'mixed';
  return first === '\n' ? 'LF' : 'CRLF';
}

function diffWords(removed: readonly string[], added: readonly string[]): [Chunk[][], Chunk[][]] {
  const before = removed.map(wholeLine);
  const after = added.map(wholeLine);
  for (const [old, fresh] of pairsOf(removed, added)) {
    [before[old], after[fresh]] = compareWords(removed[old] ?? '', added[fresh] ?? '');
  }
  return [before, after];
}

/** Two values on one line, with the words marked that differ; `null` stays. */
export function diffInline(
  before: string | null,
  after: string | null,
): [before: readonly Chunk[] | null, after: readonly Chunk[] | null] {
  const whole = (text: string | null) => (text === null ? null : [{ text, changed: false }]);
  if (before === null || after === null) return [whole(before), whole(after)];
  return compareWords(`${before}\n`, `${after}\n`);
}

/** The indexes of lines that replace each other, in order. Each line is paired with the most similar one. */
function pairsOf(removed: readonly string[], added: readonly string[]): [number, number][] {
  if (removed.length === added.length || removed.length * added.length > maxPairs) {
    return removed.slice(0, added.length).map((_, index) => [index, index]);
  }
  const candidates = added.map(wordsOf);
  const pairs: [number, number][] = [];
  let from = 0;
  removed.forEach((line, index) => {
    const words = wordsOf(line);
    const scores = candidates.map((candidate, at) => {
      const shared = at < from ? 0 : [...words].filter((word) => candidate.has(word)).length;
      // The share of words that both lines have in common.
      return shared === 0 ? 0 : shared / (words.size + candidate.size - shared);
    });
    const best = Math.max(...scores);
    if (best < minSimilarity) return;
    const at = scores.indexOf(best);
    pairs.push([index, at]);
    from = at + 1;
  });
  return pairs;
}

const wordsOf = (line: string): ReadonlySet<string> =>
  new Set(line.slice(0, maxWordLine).match(/[\p{L}\p{N}_$]+/gu));

/**
 * Marks the words that differ between two lines. If they share little, both stay whole; of lines that are too long for that, what
 * both begin and end with is left unmarked and cut, so that the rest is shown.
 */
function compareWords(old: string, fresh: string): [Chunk[], Chunk[]] {
  const found = findWords(old, fresh) ?? betweenEnds(old, fresh);
  const [before, after] = looksOf(old) === looksOf(fresh) ? found.map(showCodes) : found;
  return [showTail(before ?? []), showTail(after ?? [])];
}

/** Texts that look alike have the same: composed or not, with or without what is invisible. */
function looksOf(text: string): string {
  return /^\p{ASCII}*$/u.test(text)
    ? text
    : text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/** The parts with each different character outside ASCII shown as a code: `cafe<U+0301>`. */
function showCodes(parts: readonly Chunk[]): Chunk[] {
  const isMarked = parts.some(({ changed }) => changed);
  return parts.map((part) => {
    if (isMarked && !part.changed) return part;
    return { ...part, text: part.text.replace(/\P{ASCII}/gu, codePoint) };
  });
}

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
  if (lead + tail === 0) return [wholeParts(old), wholeParts(fresh)];
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

function equalLine(line: string): Chunk[] {
  return [{ text: clip(chomp(line), maxPart), changed: false }];
}

const wholeLine = (line: string): Chunk[] => showTail(wholeParts(line));

const wholeParts = (line: string): Chunk[] => [{ text: clip(line, maxPart), changed: false }];

function clipPart({ text, changed }: Chunk): Chunk {
  if (changed) return { text: /\S/.test(text) ? clip(text, maxPart) : text, changed };
  if (text.length <= maxEqual) return { text, changed };
  return { text: `${takeFirst(text, maxEqual / 2)} … ${takeLast(text, maxEqual / 2)}`, changed };
}

function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.endsWith('\n') ? '\n' : '';
  const first = takeFirst(text, length);
  return `${first} … (${text.length - first.length} characters more)${end}`;
}

/** Makes visible what a changed line would hide: other blanks, trailing blanks, returns, a missing last line break. */
function showTail(parts: readonly Chunk[]): Chunk[] {
  const last = parts.at(-1);
  if (last === undefined) return [];
  const tail = /[^\S\n]*\n?$/.exec(last.text)?.[0] ?? '';
  const head = last.text.slice(0, last.text.length - tail.length);
  const blanks = visibleBlanks(chomp(tail)).replaceAll('\r', '␍');
  const end = tail.endsWith('\n') ? '' : ' (no line break at the end)';
  const shown = parts
    .slice(0, -1)
    .map((part) =>
      part.changed && !/\S/.test(part.text) ? { ...part, text: visibleBlanks(part.text) } : part,
    );
  return [...shown, { ...last, text: `${head}${blanks}` }, { text: end, changed: false }].filter(
    ({ text }) => text !== '',
  );
}

const chomp = (line: string): string => (line.endsWith('\n') ? line.slice(0, -1) : line);
