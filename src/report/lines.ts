import { diffArrays } from 'diff';
import { emphasise, equalLine, type Part } from './emphasis.ts';

export interface DiffLine {
  /** Counted from 1, in the text before for removed lines, else in the text after. */
  readonly number: number;
  readonly parts: readonly Part[];
}

/** Lines that are equal, or that were replaced by others. */
export type Block =
  | { readonly is: 'same'; readonly before: readonly DiffLine[]; readonly after: readonly DiffLine[] }
  | { readonly is: 'changed'; readonly before: readonly DiffLine[]; readonly after: readonly DiffLine[] };

/** Neighbouring blocks, with some equal lines around them. */
export type Hunk = readonly Block[];

/** Two texts compared by line and word. */
export interface LineDiff {
  readonly hunks: readonly Hunk[];
  /** What lines cannot show, such as line endings that changed everywhere. */
  readonly notes: readonly string[];
  /** Lines left out because there were too many. */
  readonly hidden: number;
}

const context = 3;
/** Beyond this many edits a text counts as rewritten. */
const maxLineEdits = 1000;

/**
 * Compares two texts; `null` stands for no text at all. At most `maxLines` lines are kept.
 * Line endings that are uniform on both sides become a note instead of a change of every line.
 */
export function diffLines(before: string | null, after: string | null, maxLines: number): LineDiff {
  const [old, fresh, notes] = alignEndings(before, after);
  const blocks = compare(splitLines(old), splitLines(fresh));
  return { ...cut(toHunks(blocks), maxLines), notes };
}

function compare(old: string[], fresh: string[]): Block[] {
  const found = diffArrays(old, fresh, { maxEditLength: maxLineEdits }) ?? [
    { value: old, removed: true, added: false, count: old.length },
    { value: fresh, removed: false, added: true, count: fresh.length },
  ];
  const blocks: Block[] = [];
  let oldAt = 1;
  let freshAt = 1;
  for (let index = 0; index < found.length; index += 1) {
    const part = found[index];
    if (part === undefined) continue;
    if (!part.removed && !part.added) {
      blocks.push({ is: 'same', before: plain(part.value, oldAt), after: plain(part.value, freshAt) });
      oldAt += part.value.length;
      freshAt += part.value.length;
      continue;
    }
    const next = part.removed && found[index + 1]?.added ? found[index + 1] : undefined;
    if (next) index += 1;
    const removed = part.removed ? part.value : [];
    const added = part.added ? part.value : (next?.value ?? []);
    blocks.push(changed(removed, added, oldAt, freshAt));
    oldAt += removed.length;
    freshAt += added.length;
  }
  return blocks;
}

function changed(removed: string[], added: string[], oldAt: number, freshAt: number): Block {
  const [before, after] = emphasise(removed, added);
  return { is: 'changed', before: numbered(before, oldAt), after: numbered(after, freshAt) };
}

const numbered = (lines: readonly Part[][], from: number): DiffLine[] =>
  lines.map((parts, index) => ({ number: from + index, parts }));

const plain = (lines: readonly string[], from: number): DiffLine[] => numbered(lines.map(equalLine), from);

/** Lines with their line feeds. */
function splitLines(text: string | null): string[] {
  return text?.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The texts with their uniform line endings made equal, and a note where these differed. */
function alignEndings(
  before: string | null,
  after: string | null,
): [before: string | null, after: string | null, notes: string[]] {
  const old = endingsOf(before);
  const fresh = endingsOf(after);
  if (old === 'mixed' || fresh === 'mixed') return [closed(before, after), closed(after, before), []];
  const notes = old && fresh && old !== fresh ? [`line endings: ${old} → ${fresh}`] : [];
  const [oldText, freshText] = [
    before?.replaceAll('\r\n', '\n') ?? null,
    after?.replaceAll('\r\n', '\n') ?? null,
  ];
  return [closed(oldText, freshText), closed(freshText, oldText), notes];
}

/** Where both texts (or the only one) lack a last line break, that is not worth a word. */
function closed(text: string | null, other: string | null): string | null {
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

/** Equal stretches cut down to the lines around a change. */
function toHunks(blocks: readonly Block[]): Hunk[] {
  const hunks: Block[][] = [];
  let open: Block[] = [];
  blocks.forEach((block, index) => {
    if (block.is === 'changed') {
      open.push(block);
      return;
    }
    const size = block.after.length;
    const lead = index > 0 ? context : 0;
    const trail = index < blocks.length - 1 ? context : 0;
    if (size <= lead + trail) {
      open.push(block);
      return;
    }
    if (lead > 0) open.push(slice(block, 0, lead));
    if (open.length > 0) hunks.push(open);
    open = trail > 0 ? [slice(block, size - trail, size)] : [];
  });
  if (open.length > 0) hunks.push(open);
  return hunks.filter((hunk) => hunk.some(({ is }) => is === 'changed'));
}

const slice = (block: Block, from: number, to: number): Block => ({
  is: block.is,
  before: block.before.slice(from, to),
  after: block.after.slice(from, to),
});

const sizeOf = ({ is, before, after }: Block): number =>
  is === 'same' ? after.length : before.length + after.length;

function cut(hunks: readonly Hunk[], maxLines: number): Pick<LineDiff, 'hunks' | 'hidden'> {
  let room = maxLines;
  let hidden = 0;
  const kept: Block[][] = [];
  for (const hunk of hunks) {
    const blocks: Block[] = [];
    for (const block of hunk) {
      const part = shrink(block, room);
      room -= sizeOf(part);
      hidden += sizeOf(block) - sizeOf(part);
      if (sizeOf(part) > 0) blocks.push(part);
    }
    if (blocks.length > 0) kept.push(blocks);
  }
  return { hunks: kept, hidden };
}

/** As much of a block as `room` lines hold; removed and added lines share the room. */
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
