import { matchGlob, slowGlob } from '../model/address.ts';
import { type Failure, fail } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { didYouMean } from '../model/words.ts';
import { Problems } from './problems.ts';

/** The environments of a project, in the order of the project file, and its groups of names and globs. */
export interface EnvironmentNames {
  readonly environments: readonly string[];
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** Used if nothing is selected. `null`: something has to be selected. */
  readonly defaultEnvironment: string | null;
}

/**
 * The environments that `--env` selects: names, globs and `@groups`, also several joined by commas, less those with a `!` before
 * them. Each is named once, in the order of the project file. Without selectors it is the default. Throws a Failure for each
 * selector that matches none, and if none is left.
 */
export function selectEnvironments(
  selectors: readonly string[],
  project: EnvironmentNames,
  from?: string,
): string[] {
  if (selectors.length === 0) {
    if (project.defaultEnvironment !== null) return [project.defaultEnvironment];
    const hint =
      project.environments.length === 0
        ? 'Add `environments` to the project file.'
        : `Select one with --env: ${project.environments.join(', ')}.`;
    throw fail('no-environment', 'No environment is selected.', { hint });
  }
  const problems = new Problems();
  const find = (selector: string): readonly string[] =>
    problems.attempt(null, [], () => namesOf(selector, project, from));
  const each = [...new Set(selectors.flatMap(selectorsIn).map((text) => text.trim()))];
  const names = lessNegated(each, project, find);
  problems.throwIfAny();
  if (names.length > 0) return names;
  const message = sayFrom(from, `\`${each.join(',')}\` leaves no environment.`);
  throw fail('unknown-environment', message, { hint: listOf(project) });
}

/** The selectors in a text, without the commas between them: one inside the braces of a glob is a part of it. */
function selectorsIn(text: string): string[] {
  const found: string[] = [];
  for (const piece of text.split(',')) {
    const last = found.at(-1);
    if (last !== undefined && last.split('{').length > last.split('}').length)
      found[found.length - 1] = `${last},${piece}`;
    else found.push(piece);
  }
  return found;
}

/** Returns what any selector finds, or all if each has a `!`, minus what those find, in the order of the project file. */
function lessNegated(
  selectors: readonly string[],
  { environments }: EnvironmentNames,
  find: (selector: string) => readonly string[],
): string[] {
  const wanted = selectors.filter((selector) => !selector.startsWith('!')).map(find);
  const unwanted = selectors.flatMap((selector) => (selector.startsWith('!') ? find(selector.slice(1)) : []));
  const selected = new Set(wanted.length > 0 ? wanted.flat() : environments);
  for (const name of unwanted) selected.delete(name);
  return environments.filter((name) => selected.has(name));
}

export function isPlainName(selector: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(selector);
}

export function membersOf(group: string, project: EnvironmentNames): string[] {
  const globs = get(project.groups, group) ?? [];
  return globs.length === 0 ? [] : lessNegated(globs, project, (glob) => namesLike(glob, project));
}

function namesOf(selector: string, project: EnvironmentNames, from: string | undefined): readonly string[] {
  if (!selector.startsWith('@')) {
    const names = namesLike(selector, project);
    if (names.length === 0) throw unknownEnvironment(selector, project, from);
    return names;
  }
  if (!Object.hasOwn(project.groups, selector.slice(1))) {
    const groups = Object.keys(project.groups).map((name) => `@${name}`);
    const all =
      groups.length === 0 ? 'The project file has no `groups`.' : `The groups are: ${groups.join(', ')}.`;
    const message = sayFrom(from, `There is no group \`${selector}\`.`);
    throw fail('unknown-group', message, { hint: didYouMean(selector, groups) ?? all });
  }
  const names = membersOf(selector.slice(1), project);
  if (names.length > 0) return names;
  const message = sayFrom(from, `The group \`${selector}\` matches no environment.`);
  throw fail('empty-group', message, { hint: listOf(project) });
}

export function unknownEnvironment(selector: string, project: EnvironmentNames, from?: string): Failure {
  const is = selector === '' || isPlainName(selector) ? 'There is no environment' : 'No environment matches';
  const hint = selector === '' ? 'Is a variable in your script unset?' : nearEnvironment(selector, project);
  return fail('unknown-environment', sayFrom(from, `${is} \`${selector}\`.`), { hint });
}

function namesLike(glob: string, { environments }: EnvironmentNames): string[] {
  const matches = glob === '' || slowGlob(glob) ? () => false : matchGlob(glob);
  return environments.filter((name) => matches(name));
}

/** A message about what a variable gives begins with its name: nobody has typed it into the command. */
const sayFrom = (from: string | undefined, message: string): string =>
  from === undefined ? message : `${from}: ${message}`;

export const nearEnvironment = (name: string, project: Pick<EnvironmentNames, 'environments'>): string =>
  didYouMean(name, project.environments) ?? listOf(project);

const listOf = ({ environments }: Pick<EnvironmentNames, 'environments'>) =>
  `The environments are: ${environments.join(', ') || 'none'}.`;

/** Reads which of several equal parts of the environments this machine works on. Returns a function that selects it. */
export function parseShard(text: string): (names: readonly string[]) => string[] {
  const [, index = '', count = ''] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  const [part, parts] = [Number(index), Number(count)];
  if (part >= 1 && part <= parts)
    return (names) => names.toSorted().filter((_, at) => at % parts === part - 1);
  throw fail('shard-syntax', `--shard takes a part and the number of parts, such as 2/4, not "${text}".`, {
    hint: 'Parts are counted from 1. If your system counts from 0, add 1.',
  });
}
