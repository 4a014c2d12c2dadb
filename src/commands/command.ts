import { resolve } from 'node:path';
import type { ArgumentsCamelCase, Argv } from 'yargs';
import type { PlanOptions } from '../engine/choices.ts';
import type { RollbackOptions } from '../engine/rollback.ts';
import { type ExitCode, failure } from '../model/failure.ts';
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

/** Options that every command has. */
export function commonOptions(yargs: Argv) {
  return yargs
    .option('config', {
      alias: 'c',
      type: 'string',
      default: './tenantctl.yaml',
      describe: 'The project file',
      requiresArg: true,
    })
    .option('env', {
      alias: 'e',
      type: 'string',
      describe: "The environment. Default: the project file's defaultEnvironment",
      requiresArg: true,
    })
    .option('quiet', { type: 'boolean', default: false, describe: 'Print no progress and no remarks' })
    .option('verbose', {
      type: 'boolean',
      default: false,
      describe: 'Print each request, and long values in full',
    })
    .option('color', {
      type: 'boolean',
      default: true,
      describe: 'Colored output. NO_COLOR turns it off too',
    })
    .option('progress', { type: 'boolean', default: true, describe: 'Show progress on a terminal' });
}

/** Options of the commands that can be limited to some objects. */
export function scopeOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('only', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'Include only these addresses (globs)',
      requiresArg: true,
    })
    .option('except', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'Exclude these addresses (globs)',
      requiresArg: true,
    });
}

/** A check that the value of an option is a whole number from 0 to `largest`. */
export function wholeNumber(name: string, largest = Number.MAX_SAFE_INTEGER) {
  return (args: Readonly<Record<string, unknown>>): true => {
    const value = args[name];
    if (value === undefined) return true;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= largest) return true;
    const range = largest < Number.MAX_SAFE_INTEGER ? `from 0 to ${largest}` : '0 or more';
    throw failure('usage', `--${name} takes a whole number, ${range}.`);
  };
}

/** The last TCP port. */
export const lastPort = 65_535;

/** Options that lift the guards against deletes. */
export function guardOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('max-deletes', { type: 'number', describe: 'Allow up to this many deletes', requiresArg: true })
    .check(wholeNumber('max-deletes'))
    .option('allow-delete-all', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'Allow deleting all objects of these kinds',
      requiresArg: true,
    });
}

/** Options of the commands that make a plan from manifests. */
export function planOptions<T>(yargs: Argv<T>) {
  return guardOptions(scopeOptions(yargs))
    .option('prune', {
      type: 'boolean',
      default: false,
      describe: "Delete undeclared objects of the kinds in the environment's prune.kinds",
    })
    .option('since', {
      type: 'string',
      describe:
        'Delete objects declared at this git revision but no longer. Show where each difference comes from',
      requiresArg: true,
    })
    .option('rotate', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'Write the secrets of these addresses (globs) in any case',
      requiresArg: true,
    })
    .option('impact', {
      type: 'boolean',
      default: false,
      describe: 'Run each changed profile search, and show which profiles enter and leave',
    })
    .option('impact-requests', {
      type: 'number',
      default: 50,
      describe: 'Maximum number of requests for --impact',
      requiresArg: true,
    });
}

export type CommonArgs = ArgsOf<typeof commonOptions>;
export type PlanArgs = ArgsOf<typeof planOptions<unknown>>;

/** The project and environment to load, as the loader takes them. */
export function projectOptions(args: Pick<CommonArgs, 'config' | 'env'>, io: Io) {
  return {
    configFile: resolve(io.cwd, args.config),
    env: io.env,
    ...(args.env === undefined ? {} : { environment: args.env }),
  };
}

type GuardArgs = ArgsOf<typeof guardOptions<unknown>> & ArgsOf<typeof scopeOptions<unknown>>;

/** The scope and the guards, as the engine takes them. */
export function guardOptionsOf({ only, except, maxDeletes, allowDeleteAll }: GuardArgs): RollbackOptions {
  return { only, except, maxDeletes: maxDeletes ?? null, allowDeleteAll };
}

/** The options of a plan, as the engine takes them. Throws a Failure for an invalid number of requests. */
export function planOptionsOf(args: PlanArgs, env: NodeJS.ProcessEnv): PlanOptions {
  const { prune, since, rotate, impact, impactRequests } = args;
  if (!Number.isSafeInteger(impactRequests) || impactRequests < 1) {
    throw failure('impact-requests-syntax', '--impact-requests takes a whole number, 1 or more.');
  }
  return {
    ...guardOptionsOf(args),
    prune,
    since: since ?? null,
    rotate,
    impactRequests: impact ? impactRequests : null,
    env,
  };
}
