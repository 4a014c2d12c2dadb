import type { Clock } from '../client/clock.ts';
import type { TenantState } from '../kinds/live-objects.ts';
import type { ReadRequest } from '../kinds/read-request.ts';
import { messageOf } from '../model/failure.ts';
import { type Finder, finderIn, type KindChange, readRequestsFor } from './find.ts';

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

/** What a look needs of a run. */
interface Looking {
  readonly port: { read(requests: readonly ReadRequest[]): Promise<TenantState> };
  readonly signal: AbortSignal;
}

/** What finds the objects of changes as they are now, or why they could not be read. */
export type Looked = { readonly find: Finder } | { readonly failed: string };

/**
 * Reads the objects of these changes again. Never rejects.
 *
 * @param written whether answers have shown that all of them are there
 */
export async function lookUp(
  changes: readonly KindChange[],
  { port, signal }: Looking,
  written = false,
): Promise<Looked> {
  if (signal.aborted) return { failed: 'The run was interrupted before the object could be looked up.' };
  try {
    return { find: finderIn(await port.read(readRequestsFor(changes, written))) };
  } catch (error) {
    return { failed: `The object could not be looked up: ${messageOf(error)}` };
  }
}
