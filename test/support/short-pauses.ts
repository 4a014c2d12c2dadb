import { afterAll, beforeAll } from 'vitest';
import { defaultRetryLimits } from '../../src/client/retry.ts';

/** For a file of tests that play faults: the pauses between attempts are a fifth of those that users have. */
export function shortenPauses(): void {
  const { firstWait } = defaultRetryLimits;
  beforeAll(() => void Object.assign(defaultRetryLimits, { firstWait: firstWait / 5 }));
  afterAll(() => void Object.assign(defaultRetryLimits, { firstWait }));
}
