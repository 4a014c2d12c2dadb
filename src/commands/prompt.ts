import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { interruption } from '../model/failure.ts';
import type { ProgramIo } from './io.ts';

/** Questions on stderr and their answers on stdin. */
export interface Prompt {
  /** Asks, and returns the line that was typed; `null` at the end of the input. */
  ask(question: string): Promise<string | null>;
  /** The same for a secret: a terminal does not show what is typed. */
  askHidden(question: string): Promise<string | null>;
  close(): void;
}

export function openPrompt(io: ProgramIo): Prompt {
  let lines = openLines(io);
  const nextLine = async () => {
    const { value, done } = await lines.answers.next();
    return done === true ? null : value.trim();
  };
  return {
    ask(question) {
      io.stderr.write(question);
      return nextLine();
    },
    async askHidden(question) {
      // Without a terminal, nothing is echoed.
      if (!io.stdin.setRawMode) return this.ask(question);
      lines.close();
      // The terminal is silent before it asks.
      const answer = readHidden(io);
      io.stderr.write(question);
      try {
        return await answer;
      } finally {
        io.stderr.write('\n');
        lines = openLines(io);
      }
    },
    close: () => lines.close(),
  };
}

/** Without line editing: that of the terminal is enough, and it leaves Ctrl-C to the program. */
function openLines(io: ProgramIo) {
  const lines = createInterface({ input: io.stdin, terminal: false, signal: io.signal });
  return { answers: lines[Symbol.asyncIterator](), close: () => lines.close() };
}

/** Reads a line with the editing of Node, which turns off that of the terminal, into an output that nobody sees. */
function readHidden(io: ProgramIo): Promise<string | null> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = createInterface({
    input: io.stdin,
    output,
    terminal: true,
    historySize: 0,
    signal: io.signal,
  });
  return new Promise((resolve) => {
    line.once('line', (text) => {
      resolve(text.trim());
      line.close();
    });
    // Ctrl-C and Ctrl-D close it; a promise is resolved only once.
    line.once('close', () => resolve(null));
  });
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
