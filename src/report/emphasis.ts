import { diffWordsWithSpace } from 'diff';
import { visibleBlanks } from './safe.ts';

/** A run of text within a line; `changed` marks the words that differ. */
export interface Part {
  readonly text: string;
  readonly changed: boolean;
}

const maxWordEdits = 400;
/** Longer lines are not compared word by word. */
const maxWordLine = 20_000;
/** Equal text within a changed line is cut to this. */
const maxEqual = 160;
const maxPart = 4000;
/** Above this many possible pairs, lines are paired in their order. */
const maxPairs = 400;
/** Lines that share less of their words do not replace each other. */
const minLikeness = 0.3;

/** Removed and added lines, with the words marked that differ between a line and the one that replaces it. */
export function emphasise(removed: readonly string[], added: readonly string[]): [Part[][], Part[][]] {
  const before = removed.map(whole);
  const after = added.map(whole);
  for (const [old, fresh] of pairsOf(removed, added)) {
    [before[old], after[fresh]] = compareWords(removed[old] ?? '', added[fresh] ?? '');
  }
  return [before, after];
}

/** Which line replaces which, by index and in order: the one that is most alike. */
function pairsOf(removed: readonly string[], added: readonly string[]): [number, number][] {
  if (removed.length === added.length || removed.length * added.length > maxPairs) {
    return removed.slice(0, added.length).map((_, index) => [index, index]);
  }
  const words = added.map(wordsOf);
  const pairs: [number, number][] = [];
  let from = 0;
  removed.forEach((line, index) => {
    const mine = wordsOf(line);
    const scores = words.map((theirs, at) => (at < from ? 0 : likeness(mine, theirs)));
    const best = Math.max(...scores);
    if (best < minLikeness) return;
    const at = scores.indexOf(best);
    pairs.push([index, at]);
    from = at + 1;
  });
  return pairs;
}

const wordsOf = (line: string): ReadonlySet<string> =>
  new Set(line.slice(0, maxWordLine).match(/[\p{L}\p{N}_$]+/gu));

/** The part of the words of two lines that both have. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared === 0 ? 0 : shared / (a.size + b.size - shared);
}

/** The words that differ between a line and the one that replaces it; none where little is shared. */
function compareWords(old: string, fresh: string): [Part[], Part[]] {
  if (old.length > maxWordLine || fresh.length > maxWordLine) return [whole(old), whole(fresh)];
  const found = diffWordsWithSpace(old, fresh, { maxEditLength: maxWordEdits });
  const shared = (found ?? []).filter((part) => !part.added && !part.removed && part.value.trim() !== '');
  const sharedLength = shared.reduce((sum, part) => sum + part.value.length, 0);
  if (!found || sharedLength * 4 < Math.min(old.length, fresh.length)) return [whole(old), whole(fresh)];
  const side = (drop: 'added' | 'removed'): Part[] =>
    showTail(
      found
        .filter((part) => !part[drop])
        .map((part) => shorten({ text: part.value, changed: part.added || part.removed })),
    );
  return [side('added'), side('removed')];
}

/** A line that is the same on both sides. */
export function equalLine(line: string): Part[] {
  return [{ text: clip(chomp(line), maxPart), changed: false }];
}

const whole = (line: string): Part[] => showTail([{ text: clip(line, maxPart), changed: false }]);

function shorten({ text, changed }: Part): Part {
  if (changed) return { text: /\S/.test(text) ? clip(text, maxPart) : text, changed };
  if (text.length <= maxEqual) return { text, changed };
  return { text: `${text.slice(0, maxEqual / 2)} … ${text.slice(-maxEqual / 2)}`, changed };
}

function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.endsWith('\n') ? '\n' : '';
  return `${text.slice(0, length)} … (${text.length - length} characters more)${end}`;
}

/** Makes blanks that differ, trailing blanks, returns and a missing last line break of a changed line visible. */
function showTail(parts: readonly Part[]): Part[] {
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
