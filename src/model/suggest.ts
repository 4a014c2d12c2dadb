import { distance } from 'fastest-levenshtein';

/** A longer word is not a typo, and comparing it takes long. */
const longest = 128;

/** "Did you mean …?" with the candidate that is most similar to `word`; `null` where none is similar. */
export function didYouMean(word: string, candidates: Iterable<string>): string | null {
  if (word.length > longest) return null;
  const limit = word.length <= 3 ? 1 : Math.max(2, Math.floor(word.length / 3));
  let best: { candidate: string; steps: number } | null = null;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const steps = distance(word.toLowerCase(), candidate.toLowerCase());
    if (steps <= limit && (best === null || steps < best.steps)) best = { candidate, steps };
  }
  return best && `Did you mean \`${best.candidate}\`?`;
}
