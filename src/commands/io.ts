import { type Readable, Writable } from 'node:stream';
import { Redactor } from '../client/redactor.ts';
import { interruption } from '../model/failure.ts';
import type { Json } from '../model/json.ts';
import { printable } from '../report/safe.ts';

/** A stream for text. `isTTY` and `columns` are set if it is a terminal. */
type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface ProgramIo {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Opened when it is needed. */
  readonly stdin: () => Readable & { readonly isTTY?: boolean };
  /** For the requested document only. */
  readonly stdout: Output;
  /** For progress, logs, warnings and questions. */
  readonly stderr: Output;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Streams and surroundings of a command. Both streams leave out secrets. */
export interface Io extends ProgramIo {
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
  readonly progress: boolean;
  /** For documents that hold no secrets and must stay as they are: plans and results as JSON, and pages. */
  readonly data: Output;
  /** What the run does with files, by their real paths. None is read and written, or written twice. */
  readonly uses: Map<string, { readonly use: 'read' | 'written'; readonly file: string }>;
  /** Knows every secret that the program has read. */
  readonly redactor: Redactor;
  /** Writes an exchange with a tenant to the file of `--trace`. */
  readonly trace?: (exchange: Json) => void;
}

/** The streams of the program, through one redactor, without options. */
export function redactIo(io: ProgramIo): Io {
  const redactor = new Redactor();
  return {
    ...io,
    quiet: false,
    verbose: false,
    color: true,
    progress: true,
    stdout: redactedOutput(io.stdout, redactor),
    stderr: redactedOutput(io.stderr, redactor),
    data: io.stdout,
    uses: new Map(),
    redactor,
  };
}

/** Text for another output, without secrets. */
function redactedOutput(output: Output, redactor: Redactor): Output {
  const stream = new Writable({
    decodeStrings: false,
    // At once, so that nothing waits here when the program ends. Errors of the output are handled where it was opened.
    write(chunk: string | Buffer, _encoding, done) {
      output.write(redactor.text(chunk.toString()));
      done();
    },
  });
  return Object.defineProperties(stream, {
    isTTY: { value: output.isTTY },
    // A terminal may change its size.
    columns: { get: () => output.columns },
  });
}

/** True when an output is a terminal that interprets escapes. Editors set TERM=dumb to say that theirs does not. */
export function takesEscapes(output: Output, { env }: Pick<ProgramIo, 'env'>): boolean {
  return output.isTTY === true && env.TERM !== 'dumb';
}

/** True when somebody can answer questions. */
export function isInteractive(io: ProgramIo): boolean {
  return io.stdin().isTTY === true && io.stderr.isTTY === true;
}

/** Prints a remark on stderr, which may contain names of files and messages of a tenant. */
export function printNote(text: string, { stderr }: Pick<ProgramIo, 'stderr'>): void {
  stderr.write(`${printable(text)}\n`);
}

/** The options for rendering text on one of the streams. Colors: on a terminal, unless an option or a variable says otherwise. */
export function viewOf(output: Output, io: Io) {
  const { verbose, quiet, color } = io;
  const { NO_COLOR, FORCE_COLOR } = io.env;
  const isOff = !color || NO_COLOR || FORCE_COLOR === '0';
  const colour = !isOff && (Boolean(FORCE_COLOR) || takesEscapes(output, io));
  // A terminal of unknown size reports 0 columns.
  return { colour, width: output.isTTY === true ? output.columns || 80 : 100, verbose, quiet };
}

/** Questions on stderr and their answers on stdin; `null` at the end of the input. */
export function openPrompt(io: ProgramIo) {
  // Loaded only if somebody is asked. Leaves editing to the terminal, and Ctrl-C to the program.
  const { createInterface } = process.getBuiltinModule('node:readline/promises');
  const lines = createInterface({ input: io.stdin(), terminal: false, signal: io.signal });
  const answers = lines[Symbol.asyncIterator]();
  return {
    async ask(question: string): Promise<string | null> {
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
