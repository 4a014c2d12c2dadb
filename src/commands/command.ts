import type { ArgumentsCamelCase, Argv } from 'yargs';
import type { ExitCode } from '../model/failure.ts';
import type { Io } from './io.ts';

/** Runs a command with its parsed arguments. */
export type Run = (io: Io) => Promise<ExitCode>;

/** A command of the program. */
export interface Command {
  /**
   * Adds the command's options to a parser. Its arguments come without the command's name.
   *
   * @param positionals the command's positional arguments, as yargs writes them
   * @param setRun called with what runs the command, once its arguments are parsed
   */
  addTo(parser: Argv, positionals: string, setRun: (run: Run) => void): Argv;
  /** Candidates for the end of a line of arguments: options, or the choices of the last option. */
  completions(parser: Argv, line: readonly string[]): Promise<readonly string[]>;
}

/** A command in the list of commands. Its module is loaded when it is needed. */
export interface CommandEntry {
  /** Its positional arguments, as yargs writes them. */
  readonly positionals?: string;
  readonly describe: string;
  /** Whether each use of it sends requests to a tenant, so that the client gets ready while it is loaded. */
  readonly connects?: boolean;
  load(): Promise<{ readonly command: Command }>;
}

/** The commands by their names. */
export type Commands = Readonly<Record<string, CommandEntry>>;

/** Makes a command from its options and its work. `run` throws a Failure for whatever stops it. */
export function defineCommand<T>(
  build: (yargs: Argv) => Argv<T>,
  run: (args: ArgumentsCamelCase<T>, io: Io) => Promise<ExitCode>,
): Command {
  return {
    completions: (parser, line) => build(parser).getCompletion(line),
    addTo: (parser, positionals, setRun) =>
      // `$0` is the default command. For a named one, the parser would build the help in each run, which takes a while.
      build(parser).command(
        `$0 ${positionals}`.trimEnd(),
        '',
        (same) => same,
        (args) => {
          // A copy: after the handler returns, the parser moves the words after `--`.
          const given = { ...args };
          setRun((io) => run(given, io));
        },
      ),
  };
}

/** The type of the arguments that `build` defines. */
export type ArgsOf<Build> = Build extends (yargs: Argv) => Argv<infer T> ? ArgumentsCamelCase<T> : never;

/** The examples in the help of a command: what each does, above a line of its own that can be copied. */
export const examples = (all: Readonly<Record<string, string>>) =>
  Object.entries(all).map(([call, what]): [string, string] => [`# ${what}\n${call}`, '']);
