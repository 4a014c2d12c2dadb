import type { Clock } from '../client/clock.ts';

/** The waits between looks, in milliseconds: each is twice as long as the one before. */
const firstWait = 250;
const longestWait = 5_000;

/**
 * Looks again and again, with growing waits, and returns what was seen last. An abort ends the waits.
 *
 * @param leftAfter how many milliseconds may still be waited for something else; 0 where it is final
 */
export async function lookUntil<T>(
  look: () => Promise<T>,
  leftAfter: (seen: T) => number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  for (let wait = firstWait; ; wait = Math.min(wait * 2, longestWait)) {
    const seen = await look();
    const left = leftAfter(seen);
    if (left <= 0 || signal.aborted) return seen;
    await clock.sleep(Math.min(wait, left), signal);
  }
}
