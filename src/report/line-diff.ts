import { type ChangeObject, diffArrays, diffWordsWithSpace } from 'diff';
import { lazy } from '../model/basics.ts';
import { runsOf } from '../model/runs.ts';
import { codePoint, takeFirst, takeLast } from './safe.ts';

export interface Chunk {
  readonly text: string;
  readonly changed: boolean;
}

interface DiffLine {
  /** From 1: in the text before for removed lines, otherwise in the text after. */
  readonly number: number;
  /** The whole line; its parts may be cut. */
  readonly text: string;
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

/**
 * The lines with the signs of a patch, without gaps. What replaces lines comes after them; `@` stands before the lines that begin
 * the text or follow a gap.
 */
export function signedLines({ blocks }: LineDiff) {
  return blocks.flatMap(({ is, before, after }, at) => {
    if (is === 'gap') return [];
    const isFirst = !isContinued(blocks[at - 1], blocks[at]);
    const text = `line ${(after[0] ?? before[0])?.number ?? 1}`;
    return [
      ...(isFirst ? [{ sign: '@', parts: [{ text, changed: false }] } as const] : []),
      ...(is === 'same' ? [] : before.map(({ parts }) => ({ sign: '-', parts }) as const)),
      ...after.map(({ parts }) => ({ sign: is === 'same' ? ' ' : '+', parts }) as const),
    ];
  });
}

/** True if no line is missing between two blocks. */
export function isContinued(before: Block | undefined, block: Block | undefined): boolean {
  if (!before || !block || before.is === 'gap') return false;
  return (['before', 'after'] as const).every((side) => {
    const [last, first] = [before[side].at(-1), block[side][0]];
    return !last || !first || last.number + 1 === first.number;
  });
}

/** Compares two texts; `null` stands for no text. Line endings are only noted, and only if nothing else differs. */
export function diffLines(before: string | null, after: string | null): LineDiff {
  const old = (before ?? '').replaceAll('\r\n', '\n');
  const fresh = (after ?? '').replaceAll('\r\n', '\n');
  const blocks = blocksOf(splitLines(old, fresh), splitLines(fresh, old));
  const isEqual = blocks.every(({ is }) => is !== 'changed');
  const isOnlyEndings = before !== null && after !== null && before !== after && old === fresh;
  return {
    blocks: isEqual ? [] : blocks.flatMap(foldFarLines),
    notes: isOnlyEndings ? ['only line endings differ'] : [],
    hidden: 0,
  };
}

/** A missing last line break is visible in the last line if the other text has one. */
function splitLines(text: string, other: string): string[] {
  const isUnended = text !== '' && !text.endsWith('\n') && other.endsWith('\n');
  const lines = `${text}${isUnended ? ' (no line break at the end)' : ''}`.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Blocks of equal lines and of changes in turn; texts with too many edits are one change. */
function blocksOf(old: readonly string[], fresh: readonly string[]): Block[] {
  let [oldAt, freshAt] = [0, 0];
  return runsOf(old, fresh, maxLineEdits).map(({ isEqual, before, after }): Block => {
    // A line is compared word by word with the line that replaces it.
    const pairs = isEqual
      ? []
      : before.slice(0, after.length).map((line, at) => compareWords(line, after[at] ?? ''));
    const number = (lines: readonly string[], side: 0 | 1, end: number) =>
      lines.map((line, at): DiffLine => {
        const whole = wholeLine(line);
        const parts = pairs[at]?.[side] ?? (isEqual ? whole : showBlanks(whole));
        return { number: end - lines.length + at + 1, text: line, parts };
      });
    oldAt += before.length;
    freshAt += after.length;
    return {
      is: isEqual ? 'same' : 'changed',
      before: number(before, 0, oldAt),
      after: number(after, 1, freshAt),
    };
  });
}

/** Equal lines in up to three blocks: those near the change before them, a gap, and those near the change after them. */
function foldFarLines(block: Block, at: number, { length: count }: readonly Block[]): Block[] {
  const { length } = block.after;
  const first = at === 0 ? 0 : context;
  const last = at === count - 1 ? length : length - context;
  if (block.is === 'changed' || first >= last) return [block];
  const parts = [
    ['same', 0, first],
    ['gap', first, last],
    ['same', last, length],
  ] as const;
  return parts
    .filter(([, from, to]) => from < to)
    .map(([is, from, to]) => {
      return { is, before: block.before.slice(from, to), after: block.after.slice(from, to) };
    });
}

/** The first lines. Removed and added lines of a change share the room. */
export function shorten(diff: LineDiff, maxLines: number): LineDiff {
  const size = diff.blocks.reduce((sum, block) => sum + sizeOf(block), 0);
  if (size <= maxLines) return diff;
  let room = maxLines;
  const blocks = diff.blocks.flatMap((block) => {
    if (room === 0) return [];
    const { is, before, after } = block;
    const half = Math.min(before.length, Math.max(Math.ceil(room / 2), room - after.length));
    const [removed, added] = is === 'changed' ? [half, room - half] : [room, room];
    const part = { is, before: before.slice(0, removed), after: after.slice(0, added) };
    const shown = sizeOf(block) <= room ? block : part;
    room -= sizeOf(shown);
    return [shown];
  });
  return { ...diff, blocks, hidden: size - maxLines };
}

const sizeOf = ({ is, before, after }: Block): number =>
  is === 'gap' ? 0 : after.length + (is === 'changed' ? before.length : 0);

/** Two values on one line, with the words marked that differ; `null` stays. */
export function diffInline(before: string | null, after: string | null): [Chunk[] | null, Chunk[] | null] {
  if (before === null) return [null, after === null ? null : wholeLine(after)];
  return after === null ? [wholeLine(before), null] : compareWords(before, after);
}

/**
 * Marks the words that differ between two lines. If they share little, both stay whole; of lines that are too long for that, what
 * both begin and end with is left unmarked and cut, so that the rest is shown.
 */
function compareWords(old: string, fresh: string): [Chunk[], Chunk[]] {
  const isLong = old.length > maxWordLine || fresh.length > maxWordLine;
  const words = isLong ? undefined : diffWords(old, fresh);
  const shared = (words ?? []).filter((part) => !part.added && !part.removed && part.value.trim() !== '');
  const sharedLength = shared.reduce((sum, part) => sum + part.value.length, 0);
  const isAlike = words && sharedLength * 4 >= Math.min(old.length, fresh.length);
  const found: readonly Word[] | undefined = isAlike ? words : betweenEnds(old, fresh);
  // Texts that look the same, but are composed otherwise or hold what is invisible, are told apart by codes.
  const [oldLook, freshLook] = [old, fresh].map((text) =>
    /\P{ASCII}/u.test(text) ? text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '') : text,
  );
  const side = (line: string, drop: 'added' | 'removed'): Chunk[] => {
    const parts = found?.filter((part) => !part[drop]).map(clipPart) ?? wholeLine(line);
    if (oldLook !== freshLook) return showBlanks(parts);
    return showBlanks(parts.map((part) => ({ ...part, text: part.text.replace(/\P{ASCII}/gu, codePoint) })));
  };
  return [side(old, 'added'), side(fresh, 'removed')];
}

type Word = Pick<ChangeObject<string>, 'value' | 'added' | 'removed'>;

/** What makes one visible character of several: accents, skin tones, flags and zero-width joiners. */
const joined = /[\p{M}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d]/u;
const segmenter = lazy(() => new Intl.Segmenter('en', { granularity: 'word' }));

/** No word is part of what a reader sees as one character: a joiner alone would be shown as a sign. */
function diffWords(old: string, fresh: string): readonly Word[] | undefined {
  if (!joined.test(old + fresh)) return diffWordsWithSpace(old, fresh, { maxEditLength: maxWordEdits });
  const wordsIn = (text: string) => Array.from(segmenter().segment(text), ({ segment }) => segment);
  const words = diffArrays(wordsIn(old), wordsIn(fresh), { maxEditLength: maxWordEdits });
  return words?.map((part) => ({ ...part, value: part.value.join('') }));
}

/** What both lines begin and end with, and what is between; `undefined` for lines that are not cut. No character is split. */
function betweenEnds(old: string, fresh: string): readonly Word[] | undefined {
  if (old.length <= maxPart && fresh.length <= maxPart) return undefined;
  const most = Math.min(old.length, fresh.length);
  let lead = 0;
  while (lead < most && old[lead] === fresh[lead]) lead += 1;
  if (/[\ud800-\udbff]/.test(old[lead - 1] ?? '')) lead -= 1;
  let tail = 0;
  while (tail < most - lead && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  if (tail > 0 && /[\udc00-\udfff]/.test(old.at(-tail) ?? '')) tail -= 1;
  if (lead + tail === 0) return undefined;
  const same = { added: false, removed: false };
  return [
    { ...same, value: old.slice(0, lead) },
    { ...same, value: old.slice(lead, old.length - tail), removed: true },
    { ...same, value: fresh.slice(lead, fresh.length - tail), added: true },
    { ...same, value: old.slice(old.length - tail) },
  ];
}

const wholeLine = (line: string): Chunk[] => [{ text: clip(line), changed: false }];

function clipPart({ value: text, added, removed }: Word): Chunk {
  const changed = added || removed;
  if (text.length <= maxEqual || (changed && text.trim() === '')) return { text, changed };
  if (changed) return { text: clip(text), changed };
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
      const isSeen = at < parts.length - 1 && !(changed && text.trim() === '');
      const end = isSeen ? text.length : text.trimEnd().length;
      const blanks = text.slice(end).replaceAll(' ', '·').replaceAll('\t', '⇥');
      return { text: text.slice(0, end) + blanks.replace(/\p{Zs}/gu, codePoint), changed };
    })
    .filter(({ text }) => text !== '');
}
