import { fchmodSync, fstatSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Argv, InferredOptionTypes, Options } from 'yargs';
import type { PlanOptions } from '../engine/choices.ts';
import { lazy } from '../model/basics.ts';
import { type ExitCode, messageOf } from '../model/failure.ts';
import type { Json } from '../model/json.ts';
import { checkWritable } from './files.ts';
import { type Io, printNote } from './io.ts';

/** A command as data, from which its help, its completion and the checks of its arguments are made. */
export interface Command extends Pick<Description<OptionTable>, 'usage' | 'options' | 'examples'> {
  /** Its arguments, as yargs writes them: `<first> [second]`. */
  readonly positionals: string;
  /** Parses the words of a command line without the command's name. */
  parse(parser: Argv, words: readonly string[]): Promise<Parsed>;
}

interface Parsed {
  readonly args: Readonly<Record<string, unknown>>;
  run(io: Io): Promise<ExitCode>;
}

/** The commands by name. Each module is loaded when it is needed. */
export type Commands = Readonly<
  Record<string, readonly [description: string, load: () => Promise<{ readonly command: Command }>]>
>;

/**
 * Where the command of a line is; -1 without one. After options, it is the first word that is a command and not the value of a
 * common option, since an environment may have the name of a command.
 */
export function commandAt(words: readonly string[], commands: Commands): number {
  if (words[0]?.startsWith('-') === false) return 0;
  return words.findIndex(
    (word, at) =>
      Object.hasOwn(commands, word) && !['-e', '--env', '-c', '--config'].includes(words[at - 1] ?? ''),
  );
}

type OptionTable = Readonly<Record<string, Options>>;

export type ArgsOf<Table extends OptionTable> = ReturnType<
  Argv<Omit<object, keyof Table> & InferredOptionTypes<Table>>['parseSync']
>;

interface Description<Table> {
  readonly usage: string;
  /** Its options, and its positional arguments. */
  readonly options: Table;
  /** Commands that can be copied, each with its purpose. */
  readonly examples: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, boolean>>;
}

/** Describes a command. `run` makes it from its work, which throws a Failure for whatever stops it. */
export function describeCommand<const Table extends OptionTable>({
  settings,
  ...described
}: Description<Table>) {
  const positionals = positionalsOf(described.options);
  return {
    run: (work: (args: ArgsOf<Table>, io: Io) => Promise<ExitCode>): Command => ({
      ...described,
      positionals,
      options: { ...described.options, ...lastOptions },
      async parse(parser, words) {
        const args = await parser
          // `--a.b` is not a nested option, and `-esandbox` is not seven short options.
          .parserConfiguration({ 'dot-notation': false, 'short-option-groups': false, ...settings })
          .options(described.options)
          // `$0` is the default command. For a named one, the parser would build the help in each run, which takes a while.
          .command(`$0 ${positionals}`.trimEnd(), '', (same) => same)
          .parseAsync(words);
        return {
          args,
          async run(program) {
            const { io, trace } = withOptions(program, args);
            const code = await work(args, trace ? { ...io, trace: trace.write } : io);
            trace?.end();
            return code;
          },
        };
      },
    }),
  };
}

function positionalsOf(options: OptionTable): string {
  const positional = Object.entries(options).filter(([, { group }]) => group === groups.arguments);
  const words = positional.map(([name, { array, demandOption }]) => {
    const word = array ? `${name}..` : name;
    return demandOption ? `<${word}>` : `[${word}]`;
  });
  return words.join(' ');
}

/** The I/O of a command with its options; some commands have none of them. */
function withOptions(program: Io, given: Readonly<Record<string, unknown>>) {
  const { quiet, verbose, color, progress, trace } = given;
  const io = {
    ...program,
    quiet: quiet === true,
    verbose: verbose === true,
    color: color !== false,
    progress: progress !== false,
  };
  return { io, trace: typeof trace === 'string' ? openTrace(trace, io) : null };
}

/**
 * The file that a command is traced into. Throws a Failure if it cannot be written. Only the first exchange overwrites the file:
 * by then, the project has refused a file of its own.
 */
function openTrace(file: string, io: Io) {
  checkWritable([file], io);
  const open = lazy(() => {
    const opened = openSync(resolve(io.cwd, file), 'w', 0o600);
    // A trace reveals much about a tenant: only its owner may read it, even if the file existed.
    if (fstatSync(opened).isFile()) fchmodSync(opened, 0o600);
    return opened;
  });
  let isBroken = false;
  let isBegun = false;
  return {
    write(exchange: Json) {
      if (isBroken) return;
      isBegun = true;
      try {
        writeSync(open(), `${JSON.stringify(exchange)}\n`);
      } catch (error) {
        // The command continues: it may have changed the tenant already.
        isBroken = true;
        printNote(`The trace is not complete: ${file} cannot be written. ${messageOf(error)}`, io);
      }
    },
    end() {
      if (!isBegun && !io.quiet) printNote(`No request was sent, so no trace was written to ${file}.`, io);
    },
  };
}

/** In the order of the help. */
export const groups = {
  arguments: 'Arguments',
  own: 'Options',
  objects: 'Which objects',
  deletes: 'Deletes',
  output: 'Output',
  fleet: 'Several environments',
  common: 'Common options',
} as const;

type Group = keyof typeof groups;

const text = (describe: string, group: Group = 'own') =>
  ({ type: 'string', describe, requiresArg: true, group: groups[group] }) as const;

/** The shapes of options: on or off, one text, one whole number, any number of texts, one of some words; and of arguments. */
export const option = {
  flag: (describe: string, group: Group = 'own') =>
    ({ type: 'boolean', default: false, describe, group: groups[group] }) as const,

  text,

  number: (describe: string, group: Group = 'own') =>
    ({ type: 'number', describe, requiresArg: true, group: groups[group] }) as const,

  list: (describe: string, group: Group = 'own') =>
    ({ ...text(describe, group), array: true, default: [] as string[] }) as const,

  /** Names that have no commas: they may also be joined by commas. */
  names: (describe: string, group: Group = 'own') =>
    ({
      ...text(describe, group),
      array: true,
      coerce: (given: readonly string[]) =>
        given.flatMap((each) => each.split(',')).map((name) => name.trim()),
    }) as const,

  /** The first one is the default. */
  format: <const Word extends string>(choices: readonly [Word, ...Word[]], group: Group = 'own') =>
    ({
      choices,
      default: choices[0],
      describe: 'Output format',
      requiresArg: true,
      group: groups[group],
    }) as const,

  argument: (describe: string) => ({ type: 'string', describe, group: groups.arguments }) as const,
};

/** The options that were given, with their values: no disabled switch, no empty list. */
export function givenOptions<Args extends object>(args: Args, names: readonly (keyof Args & string)[]) {
  return names.flatMap((name) => {
    const value: unknown = args[name];
    const values = value === undefined || value === false ? [] : [value].flat().map(String);
    return values.length === 0 ? [] : { option: `--${name}`, values: value === true ? [] : values };
  });
}

export const commonOptions = {
  config: {
    ...option.text(
      'The project file. Default: TENANTCTL_CONFIG, or tenantctl.yaml here or in the nearest folder above',
      'common',
    ),
    alias: 'c',
  },
  env: {
    ...option.list(
      "Environments: names, globs and @groups, joined by commas or given with several --env. Default: TENANTCTL_ENV, or the project file's defaultEnvironment",
      'common',
    ),
    nargs: 1,
    alias: 'e',
  },
  quiet: option.flag(
    'Print no progress and no information: only changes, risks, warnings and errors',
    'common',
  ),
  verbose: option.flag('Print each request, and long values and repeated remarks in full', 'common'),
  trace: option.text(
    'Write every request and response to this file, one JSON object per line, without secrets: for a support case',
    'common',
  ),
  color: { ...option.flag('Colored output. NO_COLOR turns it off too', 'common'), default: true },
  progress: { ...option.flag('Show progress on a terminal', 'common'), default: true },
} as const;

/** Every command has them, and so has the program. They are looked for before the other arguments are parsed. */
export const lastOptions = {
  help: { ...option.flag('Show help', 'common'), alias: 'h' },
  version: option.flag('Show version number', 'common'),
} as const;

export const scopeOptions = {
  only: option.list('Include only these addresses (globs)', 'objects'),
  except: option.list('Exclude these addresses (globs)', 'objects'),
} as const;

export const guardOptions = {
  ...scopeOptions,
  'max-deletes': option.number('Allow up to this many deletes', 'deletes'),
  'allow-delete-all': {
    ...option.names('Allow deleting all objects of these kinds, joined by commas', 'deletes'),
    default: [] as string[],
  },
} as const;

export const planOptions = {
  ...guardOptions,
  prune: option.flag("Delete undeclared objects of the kinds in the environment's prune.kinds", 'deletes'),
  since: option.text(
    'Delete objects that were declared at this git revision and no longer are. Show where each difference comes from',
    'deletes',
  ),
  rotate: option.list('Write the secrets of these addresses (globs), changed or not', 'objects'),
  impact: option.flag(
    'Run each changed profile search, and show which profiles enter and leave. --impact=N sends up to N requests; default 50',
    'objects',
  ),
  'impact-requests': { ...option.number('--impact=N'), default: 50, hidden: true },
} as const;

export const fleetOptions = {
  parallel: { ...option.number('Number of environments to work on at once', 'fleet'), default: 8 },
  shard: option.text(
    'Only this part of the environments, such as 2/4. They are always split the same way',
    'fleet',
  ),
} as const;

export function planOptionsOf(args: ArgsOf<typeof planOptions>, env: NodeJS.ProcessEnv): PlanOptions {
  const { since = null, maxDeletes = null, impact, impactRequests, ...others } = args;
  return { ...others, since, maxDeletes, env, impactRequests: impact ? impactRequests : null };
}
