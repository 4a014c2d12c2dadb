import { createInterface } from 'node:readline/promises';
import { ExitCode, failure } from '../model/failure.ts';
import type { Io } from './io.ts';

/** Asks on stderr; only `yes` is taken for it, and no answer for no. Throws a Failure (exit 130) on Ctrl-C. */
export async function confirmed(question: string, io: Io): Promise<boolean> {
  // No line editing: the terminal's own is enough, and leaves Ctrl-C to the program.
  const lines = createInterface({ input: io.stdin, terminal: false, signal: io.signal });
  io.stderr.write(`${question} Only 'yes' is taken for it: `);
  try {
    const { value, done } = await lines[Symbol.asyncIterator]().next();
    if (done === true) io.stderr.write('\n');
    if (io.signal.aborted)
      throw failure('interrupted', 'Interrupted; nothing was done.', {}, ExitCode.interrupted);
    return done !== true && value.trim() === 'yes';
  } finally {
    lines.close();
  }
}
