import { diffArrays } from 'diff';
import { diffWords, equalLine, type Part } from './word-diff.ts';

/** One line of a text. */
export interface DiffLine {
  /** From 1: in the text before for removed lines, otherwise in the text after. */
  readonly number: number;
  readonly parts: readonly Part[];
}

/** Lines that are equal, or lines and what replaced them. */
export interface Block {
  readonly is: 'same' | 'changed';
  readonly before: readonly DiffLine[];
  readonly after: readonly DiffLine[];
}

/** The texts of a block's lines. */
export function textsOfBlock({ is, before, after }: Block): string[] {
  return [...(is === 'same' ? [] : before), ...after].map(({ parts }) =>
    parts.map(({ text }) => text).join(''),
  );
}

/** Changed blocks that are close to each other, with some equal lines around them. */
export type Hunk = readonly Block[];

/** The number of a hunk's first line. */
export function firstLineOf([block]: Hunk): number {
  return (block?.after[0] ?? block?.before[0])?.number ?? 1;
}

/** The lines of a hunk with their signs. What replaces lines comes after them. */
export function signedLines(hunk: Hunk): SignedLine[] {
  return hunk.flatMap(({ is, before, after }) =>
    is === 'same' ? withSign(' ', after) : [...withSign('-', before), ...withSign('+', after)],
  );
}

function withSign(sign: SignedLine['sign'], lines: readonly DiffLine[]): SignedLine[] {
  return lines.map(({ parts }) => ({ sign, parts }));
}

export interface SignedLine {
  readonly sign: ' ' | '-' | '+';
  readonly parts: readonly Part[];
}

/** Two texts compared by line and word. */
export interface LineDiff {
  readonly hunks: readonly Hunk[];
  /** The equal lines before each hunk, and after the last one; of a text that is cut, up to the cut. */
  readonly gaps: readonly Block[];
  /** What lines cannot show, such as line endings that changed everywhere. */
  readonly notes: readonly string[];
  /** Lines left out because there were too many. */
  readonly hidden: number;
  /** How many lines are removed and added, also those that are left out. */
  readonly counts: { readonly before: number; readonly after: number };
}

const context = 3;
/** A text with more edits counts as rewritten. */
const maxLineEdits = 1000;

/**
 * Compares two texts; `null` stands for no text. At most `maxLines` lines are shown.
 * Line endings that are uniform on both sides become a note instead of a change of every line.
 */
export function diffLines(before: string | null, after: string | null, maxLines: number): LineDiff {
  const [old, fresh, notes] = alignEndings(before, after);
  const blocks = compare(splitLines(old), splitLines(fresh));
  const changed = blocks.filter(({ is }) => is === 'changed');
  const count = (side: 'before' | 'after') => changed.reduce((sum, block) => sum + block[side].length, 0);
  const counts = { before: count('before'), after: count('after') };
  return { ...cut(toHunks(blocks), maxLines), notes, counts };
}

function compare(old: string[], fresh: string[]): Block[] {
  let [oldAt, freshAt] = [1, 1];
  return runsOf(old, fresh).map(({ is, removed, added }) => {
    const [before, after] =
      is === 'same' ? [removed.map(equalLine), added.map(equalLine)] : diffWords(removed, added);
    const block = { is, before: numberLines(before, oldAt), after: numberLines(after, freshAt) };
    oldAt += removed.length;
    freshAt += added.length;
    return block;
  });
}

const numberLines = (lines: readonly Part[][], first: number): DiffLine[] =>
  lines.map((parts, at) => ({ number: first + at, parts }));

/** Lines that are equal, or removed lines with those that are added in their place. */
interface Run {
  readonly is: Block['is'];
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** The lines of both texts in order. Texts with too many edits are one run. */
function runsOf(old: string[], fresh: string[]): Run[] {
  const found = diffArrays(old, fresh, { maxEditLength: maxLineEdits });
  if (!found) return [{ is: 'changed', removed: old, added: fresh }];
  const runs: Run[] = [];
  for (const { value, added, removed } of found) {
    const last = runs.at(-1);
    if (!added && !removed) runs.push({ is: 'same', removed: value, added: value });
    else if (removed) runs.push({ is: 'changed', removed: value, added: [] });
    else if (last?.is === 'changed') runs.splice(-1, 1, { ...last, added: value });
    else runs.push({ is: 'changed', removed: [], added: value });
  }
  return runs;
}

/** Lines with their line feeds. */
function splitLines(text: string | null): string[] {
  return text?.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The texts with equal line endings where each has uniform ones, and a note where these differed. */
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

/** Adds the last line break where the other text lacks it too, or there is no other: then it is no difference. */
function endLastLine(text: string | null, other: string | null): string | null {
  if (text === null || text === '' || text.endsWith('\n')) return text;
  return other === null || other === '' || !other.endsWith('\n') ? `${text}\n` : text;
}

function endingsOf(text: string | null): 'CRLF' | 'LF' | 'mixed' | null {
  if (text === null) return null;
  const feeds = text.split('\n').length - 1;
  const pairs = text.split('\r\n').length - 1;
  if (text.split('\r').length - 1 > pairs) return 'mixed';
  if (feeds === 0) return null;
  if (pairs === feeds) return 'CRLF';
  return pairs === 0 ? 'LF' : 'mixed';
}

/** The blocks near changes, and the equal lines between them. */
function toHunks(blocks: readonly Block[]): Pick<LineDiff, 'hunks' | 'gaps'> {
  const hunks: Hunk[] = [];
  const gaps: Block[] = [];
  let open: Block[] = [];
  let gap = noLines;
  const close = () => {
    if (open.length === 0) return;
    hunks.push(open);
    gaps.push(gap);
  };
  blocks.forEach((block, index) => {
    const size = block.after.length;
    const lead = index > 0 ? context : 0;
    const trail = index < blocks.length - 1 ? context : 0;
    if (block.is === 'changed' || size <= lead + trail) {
      open.push(block);
      return;
    }
    if (lead > 0) open.push(slice(block, 0, lead));
    close();
    gap = slice(block, lead, size - trail);
    open = trail > 0 ? [slice(block, size - trail, size)] : [];
  });
  const isAtEnd = open.length === 0;
  close();
  return { hunks, gaps: [...gaps, isAtEnd ? gap : noLines] };
}

const noLines: Block = { is: 'same', before: [], after: [] };

const slice = (block: Block, from: number, to: number): Block => ({
  is: block.is,
  before: block.before.slice(from, to),
  after: block.after.slice(from, to),
});

const sizeOf = ({ is, before, after }: Block): number =>
  is === 'same' ? after.length : before.length + after.length;

function cut(
  { hunks, gaps }: Pick<LineDiff, 'hunks' | 'gaps'>,
  maxLines: number,
): Pick<LineDiff, 'hunks' | 'gaps' | 'hidden'> {
  let room = maxLines;
  let hidden = 0;
  const shown: Block[][] = [];
  for (const hunk of hunks) {
    const blocks: Block[] = [];
    for (const block of hunk) {
      const part = shrink(block, room);
      room -= sizeOf(part);
      hidden += sizeOf(block) - sizeOf(part);
      if (sizeOf(part) > 0) blocks.push(part);
    }
    if (blocks.length > 0) shown.push(blocks);
  }
  return { hunks: shown, gaps: hidden > 0 ? gaps.slice(0, shown.length) : gaps, hidden };
}

/** The first lines of a block, as many as there is room for. Removed and added lines share the room. */
function shrink(block: Block, room: number): Block {
  if (sizeOf(block) <= room) return block;
  if (block.is === 'same') return slice(block, 0, room);
  const half = Math.ceil(room / 2);
  const removed = Math.min(block.before.length, Math.max(half, room - block.after.length));
  return {
    is: 'changed',
    before: block.before.slice(0, removed),
    after: block.after.slice(0, room - removed),
  };
}
