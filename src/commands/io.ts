import type { Readable, Writable } from 'node:stream';

/** A stream for text. `isTTY` and `columns` are set if it is a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** What a command uses besides the file system and the network. */
export interface Io {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** For the requested document only. */
  readonly stdout: Output;
  /** For progress, logs, warnings and questions. */
  readonly stderr: Output;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** The options for how much is printed, and how. */
export interface Verbosity {
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
  readonly progress: boolean;
}

/** Whether to print colors: on a terminal, unless `--no-color`, NO_COLOR or FORCE_COLOR says otherwise. */
export function hasColour(output: Output, io: Io, { color }: Pick<Verbosity, 'color'>): boolean {
  const { NO_COLOR, FORCE_COLOR } = io.env;
  if (!color || NO_COLOR || FORCE_COLOR === '0') return false;
  return Boolean(FORCE_COLOR) || output.isTTY === true;
}

/** The columns of the terminal; 100 for other outputs. A terminal of unknown size reports 0: 80 is used. */
export function widthOf(output: Output): number {
  return output.isTTY === true ? output.columns || 80 : 100;
}

/** Whether somebody can answer questions. */
export function isInteractive(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** The options for rendering text on one of the streams. */
export function viewOf(output: Output, args: Pick<Verbosity, 'color' | 'verbose'>, io: Io) {
  return { colour: hasColour(output, io, args), width: widthOf(output), verbose: args.verbose };
}
