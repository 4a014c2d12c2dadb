import { resolve } from 'node:path';
import type { ArgumentsCamelCase, Argv } from 'yargs';
import type { PlanOptions } from '../engine/choices.ts';
import type { RollbackOptions } from '../engine/rollback.ts';
import { type ExitCode, failure } from '../model/failure.ts';
import type { Io } from './io.ts';

/** Carries a command out. */
export type Run = (io: Io) => Promise<ExitCode>;

/** A command that can be added to the program's parser. */
export interface Command {
  /**
   * Makes the parser one of this command alone: the arguments no longer name it.
   *
   * @param positionals the command's positional arguments, as yargs writes them
   * @param called is given what carries the command out, once its arguments are parsed
   */
  addTo(parser: Argv, positionals: string, called: (run: Run) => void): Argv;
  /** What may follow in a line of the command's arguments: options, or the choices of the option before. */
  completions(parser: Argv, line: readonly string[]): Promise<readonly string[]>;
}

/** A command as the list of commands shows it; the rest is loaded when it is called. */
export interface CommandEntry {
  /** Its positional arguments, as yargs writes them. */
  readonly positionals?: string;
  readonly describe: string;
  load(): Promise<{ readonly command: Command }>;
}

/** The commands of the program by their names. */
export type Commands = Readonly<Record<string, CommandEntry>>;

/** A command from its arguments and from what it does; whatever stops it is thrown as a Failure. */
export function defineCommand<T>(
  build: (yargs: Argv) => Argv<T>,
  run: (args: ArgumentsCamelCase<T>, io: Io) => Promise<ExitCode>,
): Command {
  return {
    completions: (parser, line) => build(parser).getCompletion(line),
    addTo: (parser, positionals, called) =>
      // For a command with a name the parser would write the help, which takes a while, at every run.
      build(parser).command(
        `$0 ${positionals}`.trimEnd(),
        '',
        (same) => same,
        (args) => {
          // Once the handler is back, the parser moves what stands behind `--` to another place.
          const given = { ...args };
          called((io) => run(given, io));
        },
      ),
  };
}

/** The arguments that `build` describes. */
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
      describe: "The environment; else the project file's defaultEnvironment",
      requiresArg: true,
    })
    .option('quiet', { type: 'boolean', default: false, describe: 'No progress, no remarks' })
    .option('verbose', {
      type: 'boolean',
      default: false,
      describe: 'Show requests as they happen, and long values whole',
    })
    .option('color', { type: 'boolean', default: true, describe: 'Colours (also off with NO_COLOR)' })
    .option('progress', { type: 'boolean', default: true, describe: 'A progress line on a terminal' });
}

/** Options of the commands that work on a part of the manifests. */
export function scopeOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('only', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'Only these addresses (globs)',
      requiresArg: true,
    })
    .option('except', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'Not these addresses (globs)',
      requiresArg: true,
    });
}

/** A check that an option, where it is given, has a whole number from 0 to `largest`. */
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
    .option('max-deletes', { type: 'number', describe: 'Allow this many deletes', requiresArg: true })
    .check(wholeNumber('max-deletes'))
    .option('allow-delete-all', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'Kinds of which every object may be deleted',
      requiresArg: true,
    });
}

/** Options of the commands that make a plan from manifests. */
export function planOptions<T>(yargs: Argv<T>) {
  return guardOptions(scopeOptions(yargs))
    .option('prune', {
      type: 'boolean',
      default: false,
      describe: "Delete undeclared objects of the environment's prune.kinds",
    })
    .option('since', {
      type: 'string',
      describe: 'Delete what this git revision declared and nothing declares now; tell who moved',
      requiresArg: true,
    })
    .option('rotate', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'Write the secrets of these addresses (globs)',
      requiresArg: true,
    })
    .option('impact', {
      type: 'boolean',
      default: false,
      describe: 'Run each changed profile search, and tell who enters and leaves',
    })
    .option('impact-requests', {
      type: 'number',
      default: 50,
      describe: 'Send at most this many requests for --impact',
      requiresArg: true,
    });
}

export type CommonArgs = ArgsOf<typeof commonOptions>;
export type PlanArgs = ArgsOf<typeof planOptions<unknown>>;

/** Which project and environment the loader is to load. */
export function projectOptions(args: Pick<CommonArgs, 'config' | 'env'>, io: Io) {
  return {
    configFile: resolve(io.cwd, args.config),
    env: io.env,
    ...(args.env === undefined ? {} : { environment: args.env }),
  };
}

type GuardArgs = ArgsOf<typeof guardOptions<unknown>> & ArgsOf<typeof scopeOptions<unknown>>;

/** The scope and the guards as the engine takes them. */
export function guardOptionsOf({ only, except, maxDeletes, allowDeleteAll }: GuardArgs): RollbackOptions {
  return { only, except, maxDeletes: maxDeletes ?? null, allowDeleteAll };
}

/** The options of a plan as the engine takes them. Throws a Failure for a number of requests that is none. */
export function planOptionsOf(args: PlanArgs, env: NodeJS.ProcessEnv): PlanOptions {
  const { prune, since, rotate, impact, impactRequests } = args;
  if (!Number.isSafeInteger(impactRequests) || impactRequests < 1) {
    throw failure('impact-requests-syntax', '--impact-requests takes a whole number of requests, 1 or more.');
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
