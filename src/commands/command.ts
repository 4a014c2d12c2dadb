import type { ArgumentsCamelCase, Argv } from 'yargs';
import type { PlanOptions } from '../engine/choices.ts';
import type { RollbackOptions } from '../engine/rollback.ts';
import { type ExitCode, fail } from '../model/failure.ts';
import { openTrace } from './files.ts';
import type { Io } from './io.ts';

type Run = (io: Io) => Promise<ExitCode>;

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
  readonly positionals: string;
  readonly describe: string;
  load(): Promise<{ readonly command: Command }>;
}

export type Commands = Readonly<Record<string, CommandEntry>>;

/**
 * Where the command of a line is; -1 without one. After options, it is the first word that is a command and not the value of a
 * common option, since an environment may have the name of a command.
 */
export function commandAt(words: readonly string[], commands: Commands): number {
  if (words[0]?.startsWith('-') === false) return 0;
  const isValue = (at: number) => ['-e', '--env', '-c', '--config'].includes(words[at - 1] ?? '');
  return words.findIndex((word, at) => Object.hasOwn(commands, word) && !isValue(at));
}

/** Settings for all parsers: `--a.b` is not a nested option, and `-esandbox` is not seven short options. */
export const parserSettings = { 'dot-notation': false, 'short-option-groups': false } as const;

/** What the help of a command shows. */
interface Description<Parser, T> {
  readonly usage: string;
  readonly options: (yargs: Parser) => Argv<T>;
  /** Commands that can be copied, each with its purpose. */
  readonly examples: Readonly<Record<string, string>>;
}

/** A parser with the options that all commands have that work with a project. */
export type CommonArgv = ReturnType<typeof commonOptions>;

export const describeCommand = <T>({ options, ...description }: Description<CommonArgv, T>) =>
  describePlainCommand({ ...description, options: (yargs) => options(commonOptions(yargs)) });

/** Describes a command. `run` makes it from its work, which throws a Failure for whatever stops it. */
export function describePlainCommand<T>({ usage, options, examples }: Description<Argv, T>) {
  const lines = Object.entries(examples).map(([call, what]): [string, string] => [`# ${what}\n${call}`, '']);
  const build = (yargs: Argv) => options(yargs).usage(usage).example(lines);
  return {
    run: (work: (args: ArgumentsCamelCase<T>, io: Io) => Promise<ExitCode>): Command => ({
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
            setRun((io) => work(given, withOptions(io, given)));
          },
        ),
    }),
  };
}

/** The I/O of a command with its options; some commands have none of them. */
function withOptions(program: Io, given: Readonly<Record<string, unknown>>): Io {
  const { quiet, verbose, color, progress, trace } = given;
  const io = {
    ...program,
    quiet: quiet === true,
    verbose: verbose === true,
    color: color !== false,
    progress: progress !== false,
  };
  return typeof trace === 'string' ? openTrace(trace, io) : io;
}

export type ArgsOf<Options> = Options extends (yargs: never) => Argv<infer T> ? ArgumentsCamelCase<T> : never;

/** The shape of an option that is on or off. */
export const flag = (describe: string) => ({ type: 'boolean', default: false, describe }) as const;

/** The shape of an option with one text. */
export const text = (describe: string) => ({ type: 'string', describe, requiresArg: true }) as const;

/** The shape of an option with one number. */
export const number = (describe: string) => ({ type: 'number', describe, requiresArg: true }) as const;

/** The shape of an option with any number of texts. */
export const list = (describe: string) =>
  ({ ...text(describe), array: true, default: [] as string[] }) as const;

/** The shape of an option with any number of names that have no commas: they may also be joined by commas. */
export const names = (describe: string) =>
  ({
    ...text(describe),
    array: true,
    coerce: (given: readonly string[]) => given.flatMap((each) => each.split(',')).map((name) => name.trim()),
  }) as const;

/** The shape of `--format`. The first one is the default. */
export const format = <const Word extends string>(choices: readonly [Word, ...Word[]]) =>
  ({ choices, default: choices[0], describe: 'Output format', requiresArg: true }) as const;

/** An option under its old name: it works, but help does not show it. */
export const hidden = <const Option extends object>(option: Option) => ({ ...option, hidden: true }) as const;

/** A check that the value of an option is a whole number from `least` to `most`. */
export function wholeNumber(
  name: string,
  { least = 0, most = Number.MAX_SAFE_INTEGER, code = 'usage', shown = `--${name}` } = {},
) {
  return (args: Readonly<Record<string, unknown>>): true => {
    const value = args[name];
    if (value === undefined) return true;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return true;
    const range = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `${least} or more`;
    throw fail(code, `${shown} takes a whole number, ${range}.`);
  };
}

export function portOption<T>(yargs: Argv<T>) {
  return yargs
    .option('port', { ...number('Port. 0: any free port'), default: 0 })
    .check(wholeNumber('port', { most: 65_535 }));
}

/** The options that were given, with their values: no disabled switch, no empty list. */
export function givenOptions<Args extends object>(args: Args, names: readonly (keyof Args & string)[]) {
  return names.flatMap((name) => {
    const value: unknown = args[name];
    const values = value === undefined || value === false ? [] : [value].flat().map(String);
    return values.length === 0 ? [] : { option: `--${name}`, values: value === true ? [] : values };
  });
}

/** The groups of options in the help. */
export const group = {
  own: 'Options:',
  objects: 'Which objects:',
  deletes: 'Deletes:',
  output: 'Output:',
  fleet: 'Several environments:',
  common: 'Common options:',
} as const;

/** The option of all commands that talk to a tenant. */
export const traceOption = text(
  'Write every request and response to this file, one JSON object per line, without secrets: for a support case',
);

export function commonOptions(yargs: Argv) {
  // The help prints groups in the order in which they were first named.
  const grouped = Object.values(group).reduce((parser, name) => parser.group([], name), yargs);
  return grouped
    .option('config', {
      ...text(
        'The project file. Default: TENANTCTL_CONFIG, or tenantctl.yaml here or in the nearest folder above',
      ),
      alias: 'c',
    })
    .option('env', {
      ...list(
        "Environments: names, globs and @groups, joined by commas or given with several --env. Default: TENANTCTL_ENV, or the project file's defaultEnvironment",
      ),
      nargs: 1,
      alias: 'e',
    })
    .option('quiet', flag('Print no progress and no information: only changes, risks, warnings and errors'))
    .option('verbose', flag('Print each request, and long values and repeated remarks in full'))
    .option('color', { ...flag('Colored output. NO_COLOR turns it off too'), default: true })
    .option('progress', { ...flag('Show progress on a terminal'), default: true })
    .option('trace', traceOption)
    .group(
      ['config', 'env', 'quiet', 'verbose', 'trace', 'color', 'progress', 'help', 'version'],
      group.common,
    );
}

export function scopeOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('only', list('Include only these addresses (globs)'))
    .option('except', list('Exclude these addresses (globs)'))
    .group(['only', 'except'], group.objects);
}

export function guardOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('max-deletes', number('Allow up to this many deletes'))
    .check(wholeNumber('max-deletes'))
    .option('allow-delete-all', {
      ...names('Allow deleting all objects of these kinds, joined by commas'),
      default: [] as string[],
    })
    .group(['max-deletes', 'allow-delete-all'], group.deletes);
}

export function planOptions<T>(yargs: Argv<T>) {
  return guardOptions(scopeOptions(yargs))
    .option('prune', flag("Delete undeclared objects of the kinds in the environment's prune.kinds"))
    .option(
      'since',
      text(
        'Delete objects that were declared at this git revision and no longer are. Show where each difference comes from',
      ),
    )
    .option('rotate', list('Write the secrets of these addresses (globs), changed or not'))
    .option(
      'impact',
      flag(
        'Run each changed profile search, and show which profiles enter and leave. --impact=N sends up to N requests; default 50',
      ),
    )
    .option('impact-requests', { ...hidden(number('--impact=N')), default: 50 })
    .check(wholeNumber('impact-requests', { least: 1, code: 'impact-requests-syntax', shown: '--impact=N' }))
    .group(['rotate', 'impact'], group.objects)
    .group(['prune', 'since'], group.deletes);
}

export function fleetOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('parallel', { ...number('Number of environments to work on at once'), default: 8 })
    .check(wholeNumber('parallel', { least: 1 }))
    .option(
      'shard',
      text('Only this part of the environments, such as 2/4. They are always split the same way'),
    )
    .group(['parallel', 'shard'], group.fleet);
}

/** The arguments of the commands that plan, for one environment or several. */
export type PlanArgs = ArgsOf<typeof commonOptions> &
  ArgsOf<typeof planOptions<unknown>> &
  ArgsOf<typeof fleetOptions<unknown>>;

type GuardArgs = ArgsOf<typeof guardOptions<unknown>> & ArgsOf<typeof scopeOptions<unknown>>;

/** The scope and the guards, as the engine takes them. */
export function guardOptionsOf({ only, except, maxDeletes, allowDeleteAll }: GuardArgs): RollbackOptions {
  return { only, except, maxDeletes: maxDeletes ?? null, allowDeleteAll };
}

export function planOptionsOf(
  args: ArgsOf<typeof planOptions<unknown>>,
  env: NodeJS.ProcessEnv,
): PlanOptions {
  const { prune, since, rotate, impact, impactRequests } = args;
  return {
    ...guardOptionsOf(args),
    prune,
    since: since ?? null,
    rotate,
    impactRequests: impact ? impactRequests : null,
    env,
  };
}
