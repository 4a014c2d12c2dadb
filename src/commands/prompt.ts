import { createInterface } from 'node:readline/promises';
import { interruption } from '../model/failure.ts';
import type { ProgramIo } from './io.ts';

/** Questions on stderr and their answers on stdin. */
export interface Prompt {
  /** Asks, and returns the line that was typed; `null` at the end of the input. */
  ask(question: string): Promise<string | null>;
  close(): void;
}

export function openPrompt(io: ProgramIo): Prompt {
  // Without line editing: that of the terminal is enough, and it leaves Ctrl-C to the program.
  const lines = createInterface({ input: io.stdin, terminal: false, signal: io.signal });
  const answers = lines[Symbol.asyncIterator]();
  return {
    async ask(question) {
      io.stderr.write(question);
      const { value, done } = await answers.next();
      return done === true ? null : value.trim();
    },
    close: () => lines.close(),
  };
}

/** Asks for a confirmation. Only `yes` confirms; the end of the input is a no. Throws a Failure (exit 130) on Ctrl-C. */
export async function confirm(toDo: string, io: ProgramIo): Promise<boolean> {
  const prompt = openPrompt(io);
  try {
    const answer = await prompt.ask(`Type 'yes' to ${toDo}: `);
    if (answer === null) io.stderr.write('\n');
    if (io.signal.aborted) throw interruption('Interrupted. Nothing was done.');
    return answer === 'yes';
  } finally {
    prompt.close();
  }
}
