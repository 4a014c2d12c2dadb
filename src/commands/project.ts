import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { builtInKinds } from '../kinds/index.ts';
import type { Kinds } from '../kinds/project.ts';
import { findProjectFile, requireProjectFile } from '../loader/config.ts';
import { type LoadOptions, loadEnvironmentNames, openProjects } from '../loader/index.ts';
import { type EnvironmentNames, isPlainName, parseShard, selectEnvironments } from '../loader/selection.ts';
import { fail, onFailure } from '../model/failure.ts';
import type { ArgsOf, commonOptions } from './command.ts';
import type { Io } from './io.ts';

interface OutputFiles {
  readonly report?: readonly string[];
  readonly out?: string | undefined;
  readonly result?: string | undefined;
  readonly trace?: string | undefined;
}

type ProjectArgs = Pick<ArgsOf<typeof commonOptions>, 'config' | 'env'> & OutputFiles;

/** The project to load, as the loader takes it, without an environment. */
export function projectFileOptions(
  { config, report = [], out, result, trace }: Pick<ProjectArgs, 'config'> & OutputFiles,
  io: Io,
) {
  return {
    configFile: projectFileOf(config, io),
    env: io.env,
    writes: [...report, out ?? [], result ?? [], trace ?? []].flat().map((file) => resolve(io.cwd, file)),
    onSecret: (text: string) => io.redactor.learn(text),
  };
}

/**
 * What the loader needs to load the project and one environment: the selected one, else the one that a plan or result file names
 * (`ofFile`), else the project's default.
 */
export function projectOptions(args: ProjectArgs, io: Io, ofFile?: string): LoadOptions {
  const { selectors, from } = selectorsOf(args, io);
  const [only = ofFile] = selectors;
  const isOne = selectors.length < 2 && (only === undefined || only === ofFile || isPlainName(only));
  const [environment, ...others] = isOne ? [only] : namedEnvironments(args, io);
  const options = { ...projectFileOptions(args, io), environmentFrom: from };
  if (others.length === 0) return environment === undefined ? options : { ...options, environment };
  const names = [environment, ...others];
  throw fail(
    'several-environments',
    `This command works on one environment, and ${from ?? '--env'} selects ${names.length}: ${names.join(', ')}.`,
    { hint: 'Name one of them. `validate`, `plan`, `apply` and `status` take several.' },
  );
}

/** The environments that a command works on together; `null` if it works on one, as it always has. */
export function selectedEnvironments(
  args: ProjectArgs & { readonly shard: string | undefined },
  io: Io,
  read?: () => EnvironmentNames,
): readonly string[] | null {
  const shard = args.shard === undefined ? null : parseShard(args.shard);
  const { selectors } = selectorsOf(args, io);
  if (!shard && selectors.length < 2 && selectors.every(isPlainName)) return null;
  const names = namedEnvironments(args, io, read);
  // A part with one environment is joined with others, so it is a fleet too.
  if (shard) return shard(names);
  return names.length > 1 ? names : null;
}

/** The names of the environments that are selected. Throws a Failure for selectors that select none. */
export function namedEnvironments(
  args: ProjectArgs,
  io: Io,
  read = (): EnvironmentNames => loadEnvironmentNames(projectFileOptions(args, io)),
): string[] {
  const { selectors, from } = selectorsOf(args, io);
  return selectEnvironments(selectors, read(), from);
}

/** Returns the selectors of options, else of TENANTCTL_ENV, which `from` names. None: the project's default counts. */
export function selectorsOf(
  { env }: Pick<ProjectArgs, 'env'>,
  io: Io,
): { readonly selectors: readonly string[]; readonly from?: string } {
  const { TENANTCTL_ENV } = io.env;
  if (env.length > 0 || !TENANTCTL_ENV) return { selectors: env };
  return { selectors: [TENANTCTL_ENV], from: 'TENANTCTL_ENV' };
}

/**
 * The absolute path of the project file, named or found; in a folder without one, the path it would have. Throws a Failure for a
 * named one that does not exist, and a found one that belongs to somebody else.
 */
export function projectFileOf(named: string | undefined, { cwd, env }: Pick<Io, 'cwd' | 'env'>): string {
  const file = named ?? (env.TENANTCTL_CONFIG || undefined);
  return file === undefined ? findProjectFile(cwd) : requireProjectFile(resolve(cwd, file));
}

/** The project's folder in its repository, with a trailing `/`; `''` if it is the top, or unknown. */
export async function folderInRepository(args: Pick<ProjectArgs, 'config'>, io: Io): Promise<string> {
  return (await askGit(args, io, ({ repositoryOf }, root) => repositoryOf(root)?.prefix)) ?? '';
}

/** What git says of the project's folder; `null` without a project, or where that cannot be found out. */
export async function askGit<T>(
  { config }: Pick<ProjectArgs, 'config'>,
  io: Io,
  ask: (git: typeof import('../loader/git.ts'), root: string) => T | Promise<T>,
): Promise<T | null> {
  try {
    const file = projectFileOf(config, io);
    return existsSync(file) ? await ask(await import('../loader/git.ts'), dirname(file)) : null;
  } catch (error) {
    return onFailure(() => null)(error);
  }
}

/** The kinds of the project, or the built-in ones where none is named or found. Throws a Failure for a file that cannot be read. */
export function kindsHere(args: Pick<ProjectArgs, 'config'>, io: Io): Kinds {
  const options = projectFileOptions(args, io);
  return existsSync(options.configFile) ? openProjects(options).kinds : builtInKinds;
}
