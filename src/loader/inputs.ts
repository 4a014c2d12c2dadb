import { lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Secrets } from '../kinds/project.ts';
import { attempt, attemptOrNull, Failure, fail, systemCode } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { openFile } from './parse.ts';
import { isForeign } from './paths.ts';
import { nextLine, type Problems } from './problems.ts';
import { decodeText, diskSource } from './source.ts';

const dotEnvName = '.env';

/** The largest file that is read, in bytes: a `.env`, or a file of a secret. Keys and certificates are far smaller. */
const largest = 64 * 1024;

/**
 * Reads the inputs of a project. `!env`, `!secret` and credentials are looked up in the variables of the environment, and in
 * those of `.env` beside the project file that the environment does not set. Nothing else in the program sees the file's
 * variables: they choose no host, proxy or option. A CI job gets none, since a pull request could bring the file with it.
 * A file with problems, which are reported, counts as empty. Tags look names up in `values`, `!env` not those that are `withheld`.
 */
export function readInputs(root: string, { env = process.env, onSecret }: InputOptions, problems: Problems) {
  const hasDotEnv = !isCi(env) && lstatSync(join(root, dotEnvName), { throwIfNoEntry: false }) !== undefined;
  const values = hasDotEnv ? withDotEnv(root, env, problems) : env;
  const withheld: ReadonlySet<string> = new Set();
  return { env, values, withheld, secrets: secretsFrom(env, values, onSecret) };
}

/** True in a CI job. Some machines set CI to say that they run none. */
export function isCi({ CI = '' }: NodeJS.ProcessEnv): boolean {
  return !['', '0', 'false'].includes(CI.toLowerCase());
}

interface InputOptions {
  readonly env?: NodeJS.ProcessEnv;
  onSecret?(text: string): void;
}

function withDotEnv(root: string, env: NodeJS.ProcessEnv, problems: Problems): NodeJS.ProcessEnv {
  // Only this may read it.
  const source = diskSource(root, largest, () => false);
  const file = openFile(source, dotEnvName, problems);
  if (!file) return env;
  if (isForeign(join(root, dotEnvName), root)) {
    const hint = 'Remove it, or take ownership of it.';
    problems.add('foreign-env-file', `${dotEnvName} belongs to another user.`, { file, offset: 0 }, { hint });
    return env;
  }
  const { text } = file;
  const before = problems.count;
  const found = new Map<string, string>();
  for (let offset = 0; offset < text.length; ) {
    readable.lastIndex = offset;
    const line = readable.exec(text);
    if (!line) problems.add('env-file-syntax', misread, { file, offset }, { hint: asItLooks });
    const [, name, written = ''] = line ?? [];
    const value = written.replaceAll('\r', '').trim();
    if (name !== undefined) found.set(name, /^["'`]/.test(value) ? value.slice(1, -1) : value);
    offset = nextLine(text, line ? readable.lastIndex : offset);
  }
  return problems.count > before ? env : { ...Object.fromEntries(found), ...env };
}

const misread = `This line of ${dotEnvName} would not be read as it looks.`;
const asItLooks =
  'Write `NAME=value`, or begin a comment with `#`. Put a value that contains `#`, a quote or several lines in quotes that it does not contain (\', " or `), and one that contains `\\n` not in ", where that is a new line. A name that ends in `_FILE` may only be a variable of the environment: write the value itself.';

/** A comment, or a name and a value: in quotes, which no backslash escapes, or up to a `#` after a blank. For Node, `"\n"` is a new line. */
const readable =
  /[^\S\n]*(?:(?:export[^\S\n]+)?(?![\w.-]*_FILE[^\S\n]*=)([A-Za-z_][\w.-]*)[^\S\n]*=[^\S\n]*("(?:[^"\\]|\\(?!n))*"|'[^']*'|`[^`]*`|(?!["'`])[^#\n]*(?<![^\s=](?=#))))?[^\S\n]*(?:#.*)?$/my;

/**
 * The secrets in environment variables: `NAME` is the variable of that name, else the content of the file that the variable
 * `NAME_FILE` names, without a line ending at its end. An empty one is not set: pipelines pass missing secrets as empty.
 * `onSecret` is called with each text when it is read first.
 */
function secretsFrom(
  env: NodeJS.ProcessEnv,
  values: NodeJS.ProcessEnv,
  onSecret: (text: string) => void = () => {},
): Secrets {
  const known = new Map<string, string>();
  // A file that the environment names counts more than `.env`, too.
  const textOf = (name: string) => get(get(env, `${name}_FILE`) ? env : values, name);
  const reveal = (name: string): string => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const text = unlessEmpty(textOf(name)) ?? unlessEmpty(readSecretFile(name, get(env, `${name}_FILE`)));
    if (text === null) throw unsetSecret(env, name, textOf(name));
    known.set(name, text);
    onSecret(text);
    return text;
  };
  const problem: Secrets['problem'] = (name) => {
    const found = attempt(
      () => reveal(name),
      ({ diagnostics }) => diagnostics[0] ?? null,
    );
    return typeof found === 'string' ? null : found;
  };
  return {
    reveal,
    problem,
    renew(name) {
      const path = unlessEmpty(textOf(name)) === null ? get(env, `${name}_FILE`) : undefined;
      // If the file cannot be read, the program continues with the old text.
      const text = attemptOrNull(() => unlessEmpty(readSecretFile(name, path)));
      if (text === null) return null;
      if (known.get(name) !== text) onSecret(text);
      known.set(name, text);
      return text;
    },
    // An unreadable one equals nothing: `problem` says why, and the caller knows its place.
    matches: (name, test) => problem(name) === null && test(reveal(name)),
  };
}

const unlessEmpty = (text: string | null | undefined): string | null => (text?.trim() ? text : null);

function unsetSecret(env: NodeJS.ProcessEnv, name: string, text: string | undefined): Failure {
  const file = get(env, `${name}_FILE`);
  const orFile = `or set ${name}_FILE to the path of a file that holds it.`;
  if (text === undefined && !file) {
    // A job does not read it.
    const orAdd = isCi(env) ? '' : ` add it to .env,`;
    const hint = `Set the environment variable ${name},${orAdd} ${orFile}`;
    return fail('secret-unset', `The secret ${name} is not set.`, { hint });
  }
  // The variable may be a line of `.env`.
  const what = file ? `the file that ${name}_FILE names` : 'its value';
  return fail('secret-unset', `The secret ${name} is not set: ${what} is empty.`, {
    hint: `CI passes an empty value when the secret is missing or not available to this job (for example, a fork or an unprotected branch). Set ${name} to its value, ${orFile}`,
  });
}

function readSecretFile(name: string, path: string | undefined): string | null {
  if (!path) return null;
  const what = `The file that ${name}_FILE names`;
  const unreadable = (why: string) =>
    fail('secret-unreadable', `${what} ${why}.`, {
      hint: `Set ${name}_FILE to the path of a file that contains only the secret.`,
    });
  try {
    const stats = statSync(path);
    // Reading a pipe or a device may never end.
    if (!stats.isFile()) throw unreadable('is not a regular file');
    if (stats.size > largest) throw unreadable(`is larger than ${largest / 1024} KiB`);
    return decodeText(readFileSync(path), what).replace(/\r?\n$/, '');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(`cannot be read (${systemCode(error) ?? 'unknown error'})`);
  }
}
