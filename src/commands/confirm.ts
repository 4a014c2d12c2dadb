import { createInterface } from 'node:readline/promises';
import type { Io } from './io.ts';

/** Asks on stderr; only `yes` is taken for it. */
export async function confirmed(question: string, io: Io): Promise<boolean> {
  const prompt = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const answer = await prompt.question(`${question} Only 'yes' is taken for it: `, { signal: io.signal });
    return answer.trim() === 'yes';
  } finally {
    prompt.close();
  }
}
