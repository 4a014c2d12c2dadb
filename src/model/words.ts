import { distance } from 'fastest-levenshtein';

/** Words as a list in a sentence: `a, b or c`. */
export function joinWords(last: 'and' | 'or', words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

/** `A, B, C and 44 more`: the names that are shown, and how many others there are. */
export function namesAndMore(shown: readonly string[], more: number): string {
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export const cutShort = (text: string, longest = 60): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;

/** A text of a file or a tenant for a message: in quotes, escaped and cut. */
export const quote = (text: string): string => JSON.stringify(text.slice(0, 200));

/** A longer word is not a typo, and comparing it takes long. */
const longest = 128;

/** A text without what is easily mistaken: case, the encoding of an address, and how its accents are composed. */
function gist(text: string): string {
  const plain = text.replace(/(?:%[\da-f]{2})+/gi, (bytes) =>
    new TextDecoder().decode(
      Uint8Array.from(bytes.split('%').slice(1), (digits) => Number.parseInt(digits, 16)),
    ),
  );
  return plain.normalize('NFC').toLowerCase();
}

/**
 * "Did you mean …?" with the most similar candidate. Of several, one that begins with the word: `=` is short for `==`, not `!=`.
 * Then the first alphabetically, so that plans do not depend on the order in the tenant.
 */
export function didYouMean(word: string, candidates: Iterable<string>): string | null {
  const meant = gist(word);
  if (meant.length > longest) return null;
  const limit = meant.length <= 3 ? 1 : Math.max(2, Math.floor(meant.length / 3));
  const near = [...candidates].flatMap((candidate) => {
    const text = gist(candidate);
    if (text === '' || Math.abs(text.length - meant.length) > limit) return [];
    const steps = distance(meant, text);
    return steps > limit ? [] : [{ candidate, steps, turn: candidate.startsWith(word) ? 0 : 1 }];
  });
  near.sort(
    (one, other) =>
      one.steps - other.steps || one.turn - other.turn || (one.candidate < other.candidate ? -1 : 1),
  );
  return near[0] ? `Did you mean \`${near[0].candidate}\`?` : null;
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** `3 minutes ago`; empty below a minute, or for an invalid time. */
export function ageWords(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000;
  const [unit, length] = units.find(([, each]) => seconds >= each) ?? ['', 0];
  const count = Math.floor(seconds / length);
  return unit === '' ? '' : `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

/** `2026-11-27 09:02 UTC`; an invalid time stays. */
export function timeWords(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, '$1 $2 UTC');
}
