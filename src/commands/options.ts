import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Argv } from 'yargs';
import type { PlanOptions } from '../engine/choices.ts';
import type { RollbackOptions } from '../engine/rollback.ts';
import type { Kinds } from '../kinds/catalog.ts';
import { builtInKinds } from '../kinds/index.ts';
import { findProjectFile } from '../loader/find-project.ts';
import { loadEnvironmentNames, loadKinds } from '../loader/index.ts';
import { isPlainName, parseShard, selectEnvironments, shardOf } from '../loader/selection.ts';
import { failure } from '../model/failure.ts';
import type { ArgsOf } from './command.ts';
import type { Io } from './io.ts';

/** The shape of an option that is on or off. */
export const flag = (describe: string) => ({ type: 'boolean', default: false, describe }) as const;

/** The shape of an option with one text. */
export const text = (describe: string) => ({ type: 'string', describe, requiresArg: true }) as const;

/** The shape of an option with one number. */
export const number = (describe: string) => ({ type: 'number', describe, requiresArg: true }) as const;

/** The shape of an option with any number of texts. */
export const list = (describe: string) =>
  ({ ...text(describe), array: true, default: [] as string[] }) as const;

/** The shape of `--format`. The first one is the default. */
export const format = <const Word extends string>(choices: readonly [Word, ...Word[]]) =>
  ({ choices, default: choices[0], describe: 'Output format', requiresArg: true }) as const;

/** A check that the value of an option is a whole number from `least` to `most`. */
export function wholeNumber(
  name: string,
  { least = 0, most = Number.MAX_SAFE_INTEGER, code = 'usage' } = {},
) {
  return (args: Readonly<Record<string, unknown>>): true => {
    const value = args[name];
    if (value === undefined) return true;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return true;
    const range = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `${least} or more`;
    throw failure(code, `--${name} takes a whole number, ${range}.`);
  };
}

/** The port that a command serves on. */
export function portOption<T>(yargs: Argv<T>) {
  return yargs
    .option('port', { ...number('Port. 0: any free port'), default: 0 })
    .check(wholeNumber('port', { most: 65_535 }));
}

/** The groups of options in the help. */
export const group = {
  own: 'Options:',
  compare: 'What to compare:',
  deletes: 'Deletes:',
  output: 'Output:',
  fleet: 'Several environments:',
  common: 'Common options:',
} as const;

/** Options that every command has. */
export function commonOptions(yargs: Argv) {
  return inOrder(yargs)
    .option('config', {
      ...text(
        'The project file. Default: TENANTCTL_CONFIG, or tenantctl.yaml here or in the nearest folder above',
      ),
      alias: 'c',
    })
    .option('env', {
      ...list(
        "The environments: names, globs and @groups, also joined by commas. Default: TENANTCTL_ENV, or the project file's defaultEnvironment",
      ),
      nargs: 1,
      alias: 'e',
    })
    .option('quiet', flag('Print no progress and no remarks: only changes, risks and errors'))
    .option('verbose', flag('Print each request, and long values and repeated remarks in full'))
    .option('color', { ...flag('Colored output. NO_COLOR turns it off too'), default: true })
    .option('progress', { ...flag('Show progress on a terminal'), default: true })
    .group(['config', 'env', 'quiet', 'verbose', 'color', 'progress', 'help', 'version'], group.common);
}

/** The help prints groups in the order in which they were first named. */
function inOrder(yargs: Argv): Argv {
  return Object.values(group).reduce((parser, name) => parser.group([], name), yargs);
}

/** Options of the commands that can be limited to some objects. */
export function scopeOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('only', list('Include only these addresses (globs)'))
    .option('except', list('Exclude these addresses (globs)'))
    .group(['only', 'except'], group.compare);
}

/** Options that lift the guards against deletes. */
export function guardOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('max-deletes', number('Allow up to this many deletes'))
    .check(wholeNumber('max-deletes'))
    .option('allow-delete-all', list('Allow deleting all objects of these kinds'))
    .group(['max-deletes', 'allow-delete-all'], group.deletes);
}

/** Options of the commands that make a plan from manifests. */
export function planOptions<T>(yargs: Argv<T>) {
  return guardOptions(scopeOptions(yargs))
    .option('prune', flag("Delete undeclared objects of the kinds in the environment's prune.kinds"))
    .option(
      'since',
      text(
        'Delete objects declared at this git revision but no longer. Show where each difference comes from',
      ),
    )
    .option('rotate', list('Write the secrets of these addresses (globs) in any case'))
    .option('impact', flag('Run each changed profile search, and show which profiles enter and leave'))
    .option('impact-requests', { ...number('Maximum number of requests for --impact'), default: 50 })
    .check(wholeNumber('impact-requests', { least: 1, code: 'impact-requests-syntax' }))
    .group(['rotate', 'impact', 'impact-requests'], group.compare)
    .group(['prune', 'since'], group.deletes);
}

/** Options of the commands that can work on several environments. */
export function fleetOptions<T>(yargs: Argv<T>) {
  return yargs
    .option('parallel', { ...number('How many environments to work on at once'), default: 8 })
    .check(wholeNumber('parallel', { least: 1 }))
    .option('shard', text('Only this part of the environments, such as 2/4: each part is always the same'))
    .group(['parallel', 'shard'], group.fleet);
}

/** The arguments of the commands that plan, for one environment or several. */
export type PlanArgs = ArgsOf<typeof commonOptions> &
  ArgsOf<typeof planOptions<unknown>> &
  ArgsOf<typeof fleetOptions<unknown>>;

type ProjectArgs = Pick<ArgsOf<typeof commonOptions>, 'config' | 'env'>;

/** The project to load, as the loader takes it, without an environment. */
export function projectFileOptions({ config }: Pick<ProjectArgs, 'config'>, io: Io) {
  return {
    configFile: projectFileOf(config, io),
    env: io.env,
    onSecret: (text: string) => io.redactor.learn(text),
  };
}

/** The project and environment to load, as the loader takes them: see {@link selectedEnvironment}. */
export function projectOptions(args: ProjectArgs, io: Io, ofFile?: string) {
  const options = projectFileOptions(args, io);
  const environment = selectedEnvironment(args, io, ofFile);
  return environment === undefined ? options : { ...options, environment };
}

/**
 * The environment that a command works on; left out: the default of the project. Throws a Failure where several are
 * selected.
 *
 * @param ofFile the environment that a plan or result file is for: it counts more than TENANTCTL_ENV
 */
export function selectedEnvironment(args: ProjectArgs, io: Io, ofFile?: string): string | undefined {
  const selectors = selectorsOf(args, io, ofFile);
  const [first, second] = selectors;
  if (first === undefined || (second === undefined && isPlainName(first))) return first;
  const names = selectEnvironments(selectors, loadEnvironmentNames(projectFileOptions(args, io)));
  if (names.length === 1) return names[0];
  throw failure(
    'several-environments',
    `This command works on one environment, and --env selects ${names.length}: ${names.join(', ')}.`,
    { hint: 'Name one of them. `validate`, `plan`, `apply` and `status` take several.' },
  );
}

/**
 * The environments that a command works on together; `null` where it works on one, as it always has. Throws a Failure for
 * selectors that select none.
 */
export function selectedEnvironments(
  args: ProjectArgs & { readonly shard: string | undefined },
  io: Io,
): readonly string[] | null {
  const shard = args.shard === undefined ? null : parseShard(args.shard);
  const selectors = selectorsOf(args, io);
  const isOne = selectors.length === 0 || (selectors.length === 1 && selectors.every(isPlainName));
  if (isOne && !shard) return null;
  const names = selectEnvironments(selectors, loadEnvironmentNames(projectFileOptions(args, io)));
  // A part with one environment is joined with the others, so it is a fleet too.
  if (shard) return shardOf(names, shard);
  return names.length > 1 ? names : null;
}

/** The environments as they are named: by options, by a file, or by TENANTCTL_ENV. Empty: the default of the project. */
export function selectorsOf({ env }: Pick<ProjectArgs, 'env'>, io: Io, ofFile?: string): readonly string[] {
  if (env.length > 0) return env;
  return [ofFile ?? (io.env.TENANTCTL_ENV || [])].flat();
}

/** The absolute path of the project file, named or found. Throws a Failure for one that belongs to somebody else. */
export function projectFileOf(named: string | undefined, { cwd, env }: Pick<Io, 'cwd' | 'env'>): string {
  const file = named ?? (env.TENANTCTL_CONFIG || undefined);
  return file === undefined ? findProjectFile(cwd) : resolve(cwd, file);
}

/**
 * The kinds of the project that is meant; where there is none, those that every project has. Throws a Failure where the
 * project file or the description of a kind cannot be read.
 */
export function kindsHere(args: Pick<ProjectArgs, 'config'>, io: Io): Kinds {
  const options = projectFileOptions(args, io);
  return existsSync(options.configFile) ? loadKinds(options) : builtInKinds;
}

type GuardArgs = ArgsOf<typeof guardOptions<unknown>> & ArgsOf<typeof scopeOptions<unknown>>;

/** The scope and the guards, as the engine takes them. */
export function guardOptionsOf({ only, except, maxDeletes, allowDeleteAll }: GuardArgs): RollbackOptions {
  return { only, except, maxDeletes: maxDeletes ?? null, allowDeleteAll };
}

/** The options of a plan, as the engine takes them. */
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
