import { diffWordsWithSpace } from 'diff';
import { takeFirst, takeLast, visibleBlanks } from './safe.ts';

/** A run of text within a line; `changed` marks the words that differ. */
export interface Part {
  readonly text: string;
  readonly changed: boolean;
}

const maxWordEdits = 400;
/** Of longer lines, only what is between their equal ends is compared word by word. */
const maxWordLine = 20_000;
/** As long may that be: a whole e-mail may be one line. */
const maxBetween = 200_000;
/** Equal text within a changed line is cut to this. */
const maxEqual = 160;
const maxPart = 4000;
/** With more possible pairs, lines are paired in their order. */
const maxPairs = 400;
/** Lines that share a smaller part of their words do not replace each other. */
const minSimilarity = 0.3;

/** Removed and added lines in parts, in which the words that differ between a line and its replacement are marked. */
export function diffWords(removed: readonly string[], added: readonly string[]): [Part[][], Part[][]] {
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
): [before: readonly Part[] | null, after: readonly Part[] | null] {
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
    const scores = candidates.map((candidate, at) => (at < from ? 0 : similarityOf(words, candidate)));
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

/** The part of the words of two lines that both have: 0 to 1. */
function similarityOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared === 0 ? 0 : shared / (a.size + b.size - shared);
}

/**
 * Marks the words that differ between two lines. Where they share little, both stay whole; of lines that are too long for
 * that, what both begin and end with is left unmarked and cut, so that the rest is shown.
 */
function compareWords(old: string, fresh: string): [Part[], Part[]] {
  const [before, after] = findWords(old, fresh) ?? betweenEnds(old, fresh);
  return [showTail(before), showTail(after)];
}

/** `undefined` where the lines are too long, have too many differences, or share little. */
function findWords(old: string, fresh: string, maxLength = maxWordLine): [Part[], Part[]] | undefined {
  if (old.length > maxLength || fresh.length > maxLength) return undefined;
  const found = diffWordsWithSpace(old, fresh, { maxEditLength: maxWordEdits });
  const shared = (found ?? []).filter((part) => !part.added && !part.removed && part.value.trim() !== '');
  const sharedLength = shared.reduce((sum, part) => sum + part.value.length, 0);
  if (!found || sharedLength * 4 < Math.min(old.length, fresh.length)) return undefined;
  const side = (drop: 'added' | 'removed'): Part[] =>
    found
      .filter((part) => !part[drop])
      .map((part) => shorten({ text: part.value, changed: part.added || part.removed }));
  return [side('added'), side('removed')];
}

function betweenEnds(old: string, fresh: string): [Part[], Part[]] {
  const isCut = old.length > maxPart || fresh.length > maxPart;
  const [lead, tail] = isCut ? sharedEnds(old, fresh) : [0, 0];
  if (lead + tail === 0) return [wholeParts(old), wholeParts(fresh)];
  const between = (line: string) => line.slice(lead, line.length - tail);
  const whole = (line: string) => [shorten({ text: between(line), changed: true })];
  const [before, after] = findWords(between(old), between(fresh), maxBetween) ?? [whole(old), whole(fresh)];
  const first = shorten({ text: old.slice(0, lead), changed: false });
  const last = shorten({ text: old.slice(old.length - tail), changed: false });
  const line = (parts: Part[]) => [first, ...parts, last].filter(({ text }) => text !== '');
  return [line(before), line(after)];
}

/** How many characters both texts begin and end with. No character is split. */
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

/** A line that is the same on both sides. */
export function equalLine(line: string): Part[] {
  return [{ text: clip(chomp(line), maxPart), changed: false }];
}

const wholeLine = (line: string): Part[] => showTail(wholeParts(line));

const wholeParts = (line: string): Part[] => [{ text: clip(line, maxPart), changed: false }];

function shorten({ text, changed }: Part): Part {
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
