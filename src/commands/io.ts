import type { Readable, Writable } from 'node:stream';

/** A stream that text is written to; `isTTY` and `columns` are set where it is a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Everything a command has of the world besides the file system and the network. */
export interface Io {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Holds the document asked for, and nothing else. */
  readonly stdout: Output;
  /** Progress, logs, warnings, questions. */
  readonly stderr: Output;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** How talkative the user wants it. */
export interface Verbosity {
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
  readonly progress: boolean;
}

/** Colour where a terminal is, unless `--no-color`, NO_COLOR or FORCE_COLOR says otherwise. */
export function hasColour(output: Output, io: Io, { color }: Pick<Verbosity, 'color'>): boolean {
  const { NO_COLOR, FORCE_COLOR } = io.env;
  if (!color || NO_COLOR || FORCE_COLOR === '0') return false;
  return Boolean(FORCE_COLOR) || output.isTTY === true;
}

/** Columns of the terminal; 100 where the output is none. One that does not know its size says 0. */
export function widthOf(output: Output): number {
  return output.isTTY === true ? output.columns || 80 : 100;
}

/** Whether somebody is there to answer a question. */
export function isInteractive(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** How text for one of the streams is laid out. */
export function viewOf(
  output: Output,
  args: Pick<Verbosity, 'color' | 'verbose'>,
  io: Io,
): { readonly colour: boolean; readonly width: number; readonly verbose: boolean } {
  return { colour: hasColour(output, io, args), width: widthOf(output), verbose: args.verbose };
}
