import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { runInNewContext } from 'node:vm';
import type { Secrets } from '../kinds/project.ts';
import { Failure, fail, interruption, isInterruption, systemCode } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { nextLine, type SourceFile } from './file.ts';
import { openFile } from './parse.ts';
import { isForeign } from './paths.ts';
import type { Problems } from './problems.ts';
import { decodeText, diskSource } from './source.ts';

export const dotEnvName = '.env';

/** The longest file that is read. A key for signing takes three or four thousand. */
const largest = 64 * 1024;

/**
 * Reads the inputs of a project. `!env`, `!secret` and credentials are looked up in the variables of the environment, and in
 * those of `.env` beside the project file that the environment does not set. Nothing else in the program sees the file's
 * variables: they choose no host, proxy or option. A CI job gets none, since a pull request could bring the file with it.
 * A file with problems, which are reported, counts as empty.
 */
export function readInputs(
  root: string,
  { env = process.env, onSecret }: InputOptions,
  problems: Problems,
): Inputs {
  const values = withDotEnv(root, env, problems);
  return { env, values, withheld: new Set(), secrets: secretsFrom(values, onSecret) };
}

/** True in a CI job. Some machines set CI to say that they run none. */
export function isCi({ CI = '' }: NodeJS.ProcessEnv): boolean {
  return !['', '0', 'false'].includes(CI.toLowerCase());
}

export interface InputOptions {
  readonly env?: NodeJS.ProcessEnv;
  onSecret?(text: string): void;
}

function withDotEnv(root: string, env: NodeJS.ProcessEnv, problems: Problems): NodeJS.ProcessEnv {
  const path = join(root, dotEnvName);
  if (isCi(env) || !lstatSync(path, { throwIfNoEntry: false })) return env;
  // Only this may read it.
  const source = diskSource(root, largest, () => false);
  const file = openFile(source, dotEnvName, problems);
  if (!file) return env;
  if (isForeign(path, root)) {
    const details = { hint: 'Remove it, or take ownership of it.', excerpt: false } as const;
    problems.add('foreign-env-file', `${dotEnvName} belongs to another user.`, { file, offset: 0 }, details);
    return env;
  }
  if (hasMistakes(file, problems)) return env;
  const isInFile = (name: string) => Object.hasOwn(env, `${name}_FILE`);
  const added = Object.entries(parseEnv(file.text)).filter(([name]) => !isInFile(name));
  return { ...Object.fromEntries(added), ...env };
}

/** Reports lines that Node's parser would misread. They are not shown, since they may hold a secret. */
function hasMistakes(file: SourceFile, problems: Problems): boolean {
  const { text } = file;
  const before = problems.count;
  for (let offset = 0, end = 0; offset < text.length; offset = end) {
    const [written = '', name = '', quote = ''] = assignment.exec(text.slice(offset)) ?? [];
    const value = offset + written.length;
    // A value in quotes may have several lines.
    const close = quote === '' ? value : text.indexOf(quote, value);
    end = nextLine(text, Math.max(offset, close));
    const isMisread =
      name === ''
        ? !/^\s*(#|$)/.test(text.slice(offset, end))
        : close < 0 || name.endsWith('_FILE') || isCutShort(text.slice(close, end), quote);
    if (isMisread)
      problems.add('env-file-syntax', misread, { file, offset }, { hint: asItLooks, excerpt: false });
  }
  return problems.count > before;
}

const misread = `This line of ${dotEnvName} would not be read as it looks.`;
const asItLooks =
  'Write `NAME=value`, or begin a comment with `#`. Put a value that contains `#`, a quote or several lines in quotes that it does not contain (\', " or `). A name that ends in `_FILE` may only be a variable of the environment: write the value itself.';

const assignment = /^[^\S\n]*(?:export[^\S\n]+)?([A-Za-z_][\w.-]*)[^\S\n]*=[^\S\n]*(["'`]?)/;

/**
 * True when Node's parser leaves out what looks like a part of the value: after a # within it, or after the closing quote, which
 * no backslash escapes. A value that begins with a # is empty for all programs that read the file.
 *
 * @param rest the line from the closing quote on, or from the value on if it has no quotes
 */
function isCutShort(rest: string, quote: string): boolean {
  return quote === '' ? /^[^#]*[^\s#]#/.test(rest) : !/^.\s*(#|$)/.test(rest);
}

export interface Inputs {
  readonly env: NodeJS.ProcessEnv;
  /** Where tags look up names: in `env`, and in `.env` if it is read. */
  readonly values: NodeJS.ProcessEnv;
  /** Names in `values` that `!env` does not read. */
  readonly withheld: ReadonlySet<string>;
  readonly secrets: Secrets;
}

/**
 * The secrets in environment variables: `NAME` is the variable of that name, else the content of the file that the variable
 * `NAME_FILE` names, without a line ending at its end. An empty one is not set: pipelines pass missing secrets as empty.
 * `onSecret` is called with each text when it is read first.
 */
function secretsFrom(env: NodeJS.ProcessEnv, onSecret: (text: string) => void = () => {}): Secrets {
  const known = new Map<string, string>();
  const reveal = (name: string): string => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const text =
      unlessEmpty(variableOf(env, name)) ??
      unlessEmpty(readSecretFile(name, variableOf(env, `${name}_FILE`)));
    if (text === null) throw unsetSecret(env, name);
    known.set(name, text);
    onSecret(text);
    return text;
  };
  const problem: Secrets['problem'] = (name) => {
    try {
      reveal(name);
      return null;
    } catch (error) {
      const [found] = error instanceof Failure && !isInterruption(error) ? error.diagnostics : [];
      if (!found) throw error;
      return found;
    }
  };
  return {
    reveal,
    problem,
    renew(name) {
      const path = unlessEmpty(variableOf(env, name)) === null ? variableOf(env, `${name}_FILE`) : null;
      // A pipe gives what it has once.
      if (path === null || !statSync(path, { throwIfNoEntry: false })?.isFile()) return null;
      const text = readAgain(name, path);
      if (text === null) return null;
      if (known.get(name) !== text) onSecret(text);
      known.set(name, text);
      return text;
    },
    // An unreadable one equals nothing: `problem` says why, and the caller knows its place.
    matches: (name, text) => problem(name) === null && reveal(name) === text,
  };
}

/** `null` for a file that can no longer be read: the program continues with the old text. */
function readAgain(name: string, path: string): string | null {
  try {
    return unlessEmpty(readSecretFile(name, path));
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

const unlessEmpty = (text: string | null): string | null => (text?.trim() ? text : null);

function unsetSecret(env: NodeJS.ProcessEnv, name: string): Failure {
  const file = variableOf(env, `${name}_FILE`);
  const orFile = `or set ${name}_FILE to the path of a file that holds it.`;
  if (variableOf(env, name) === null && !file) {
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

/** The environment variable of that name, but no inherited member such as `constructor`. */
export function variableOf(env: NodeJS.ProcessEnv, name: string): string | null {
  return get(env, name) ?? null;
}

/** The largest file of a secret, in bytes. Keys and certificates are far smaller. */
const largestSecret = 64 * 1024;

/** The text of a regular file, or of a pipe such as a shell makes for process substitution. */
function readSecretFile(name: string, path: string | null): string | null {
  if (path === null || path === '') return null;
  const what = `The file that ${name}_FILE names`;
  const unreadable = (why: string) =>
    fail('secret-unreadable', `${what} ${why}.`, {
      hint: `Set ${name}_FILE to the path of a file that contains only the secret.`,
    });
  try {
    const bytes = readOutside(path, largestSecret);
    if (bytes === 'endless') throw unreadable('is neither a regular file nor a pipe');
    if (bytes === 'late') throw unreadable(`is a pipe that did not end within ${pipeTimeout / 1000} s`);
    if (bytes.length > largestSecret) throw unreadable(`is larger than ${largestSecret / 1024} KiB`);
    return decodeText(bytes, what).replace(/\r?\n$/, '');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(`cannot be read (${systemCode(error) ?? 'unknown error'})`);
  }
}

/** The time for a pipe, in ms, until its other end has written everything. */
const pipeTimeout = 60_000;

/**
 * The bytes of a file that the environment names, and of a larger one a few more than `most`. Opening it never waits for the
 * other end of a pipe. `endless` is a device or a folder, and `late` a pipe whose other end takes too long.
 */
export function readOutside(path: string, most: number, timeout = pipeTimeout): Buffer | 'endless' | 'late' {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    const read = () => readOpened(file, Buffer.alloc(most + 1), { isFile: stats.isFile(), timeout });
    if (stats.isFIFO()) return interruptible(read);
    return stats.isFile() ? read() : 'endless';
  } finally {
    closeSync(file);
  }
}

/** Reads a file to its end, a pipe in steps: a read that waits for the other end could not be interrupted. */
function readOpened(
  file: number,
  bytes: Buffer,
  { isFile, timeout }: { readonly isFile: boolean; readonly timeout: number },
): Buffer | 'late' {
  let length = 0;
  let isBegun = isFile;
  for (const end = performance.now() + timeout; performance.now() < end; ) {
    const read = readReady(file, bytes.subarray(length));
    // Without a writer, a pipe looks as if it had ended. A buffer that is full reads nothing, either.
    if (read === 0 && isBegun) return bytes.subarray(0, length);
    isBegun ||= read !== 0;
    length += read ?? 0;
    if (!read) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
  return 'late';
}

/** Returns how many bytes a pipe had; `null` if its writer has written none yet. */
function readReady(file: number, bytes: Buffer): number | null {
  try {
    return readSync(file, bytes);
  } catch (error) {
    if (systemCode(error) === 'EAGAIN') return null;
    throw error;
  }
}

/**
 * Lets signals end `wait`, which blocks their handlers: Ctrl-C with a Failure, and a cancelled job or a closed terminal with the
 * process. Secrets are read before anything is written, so there is nothing to finish.
 */
function interruptible(wait: () => Buffer | 'late'): Buffer | 'late' {
  const handlers = (['SIGTERM', 'SIGHUP'] as const).flatMap((signal) =>
    process.listeners(signal).map((listener) => ({ signal, listener })),
  );
  for (const { signal, listener } of handlers) process.off(signal, listener);
  let result: Buffer | 'late' = 'late';
  const setResult = () => {
    result = wait();
  };
  try {
    runInNewContext('wait()', { wait: setResult }, { breakOnSigint: true });
    return result;
  } catch (error) {
    // Ctrl-C throws an error of the other context.
    if (error instanceof Error) throw error;
    throw interruption();
  } finally {
    for (const { signal, listener } of handlers) process.on(signal, listener);
  }
}
