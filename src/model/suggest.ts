import { distance } from 'fastest-levenshtein';

/** A longer word is not a typo, and comparing it takes long. */
const longest = 128;

/**
 * "Did you mean …?" with the candidate that is most similar to `word`. Of several, one that begins with it: `=` is short for `==`,
 * not for `!=`. Then the first by the alphabet: a plan says the same in whatever order a tenant lists them. `null` where none is
 * similar.
 */
export function didYouMean(word: string, candidates: Iterable<string>): string | null {
  if (word.length > longest) return null;
  const limit = word.length <= 3 ? 1 : Math.max(2, Math.floor(word.length / 3));
  const near = [...candidates]
    .filter(({ length }) => Math.abs(length - word.length) <= limit)
    .map((candidate) => ({
      candidate,
      steps: distance(word.toLowerCase(), candidate.toLowerCase()),
      turn: candidate.startsWith(word) ? 0 : 1,
    }))
    .filter(({ steps }) => steps <= limit)
    .sort(
      (one, other) =>
        one.steps - other.steps || one.turn - other.turn || (one.candidate < other.candidate ? -1 : 1),
    );
  return near[0] ? `Did you mean \`${near[0].candidate}\`?` : null;
}
