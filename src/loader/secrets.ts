import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Secrets } from '../kinds/project.ts';
import { isCi } from '../model/ci.ts';
import { Failure, failure, systemCode } from '../model/failure.ts';
import { own } from '../model/json.ts';
import { decodeText } from './source.ts';

/** What the machine gives a project. */
export interface Inputs {
  /** Environment variables. */
  readonly env: NodeJS.ProcessEnv;
  /** What tags are looked up in: `env`, and `.env` where it counts. */
  readonly values: NodeJS.ProcessEnv;
  /** Names in `values` that `!env` does not read. */
  readonly withheld: ReadonlySet<string>;
  /** The secrets in `values`. */
  readonly secrets: Secrets;
}

/**
 * The secrets in environment variables: `NAME` is the variable of that name, else the content of the file that the
 * variable `NAME_FILE` names: UTF-8 text, without a line ending at its end. An empty one is not set: pipelines pass on as empty what
 * they do not have.
 *
 * @param onSecret called with each text when it is read first
 */
export function secretsFrom(env: NodeJS.ProcessEnv, onSecret: (text: string) => void = () => {}): Secrets {
  const known = new Map<string, string>();
  const find = (name: string): string | null => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const text =
      unlessEmpty(variableOf(env, name)) ??
      unlessEmpty(readSecretFile(name, variableOf(env, `${name}_FILE`)));
    if (text === null) return null;
    known.set(name, text);
    onSecret(text);
    return text;
  };
  const problem: Secrets['problem'] = (name) => {
    try {
      return find(name) === null ? unsetSecret(env, name) : null;
    } catch (error) {
      const [found] = error instanceof Failure ? error.diagnostics : [];
      if (!found) throw error;
      return found;
    }
  };
  return {
    problem,
    // One that cannot be read equals nothing: `problem` says why, and the caller knows where it is declared.
    matches: (name, text) => problem(name) === null && find(name) === text,
    reveal(name) {
      const text = find(name);
      if (text !== null) return text;
      const { code, message, hint } = unsetSecret(env, name);
      throw failure(code, message, { hint });
    },
  };
}

const unlessEmpty = (text: string | null): string | null => (text?.trim() ? text : null);

function unsetSecret(env: NodeJS.ProcessEnv, name: string) {
  const file = variableOf(env, `${name}_FILE`);
  const orFile = `or set ${name}_FILE to the path of a file that holds it.`;
  if (variableOf(env, name) === null && !file) {
    // A job does not read it.
    const orAdd = isCi(env) ? '' : ` add it to .env,`;
    const hint = `Set the environment variable ${name},${orAdd} ${orFile}`;
    return { code: 'secret-unset', message: `The secret ${name} is not set.`, hint };
  }
  // The variable may be a line of `.env`.
  const what = file ? `the file that ${name}_FILE names` : 'its value';
  return {
    code: 'secret-unset',
    message: `The secret ${name} is not set: ${what} is empty.`,
    hint: `A pipeline passes on a secret as an empty variable if it does not have it, or if this job may not use it (that of a fork or of an unprotected branch). Set ${name} to its value, ${orFile}`,
  };
}

/** The environment variable of that name, but no inherited member such as `constructor`. */
export function variableOf(env: NodeJS.ProcessEnv, name: string): string | null {
  return own(env, name) ?? null;
}

/** The largest file of a secret, in bytes. Keys and certificates are far smaller. */
const largestSecret = 64 * 1024;

/** The text of a regular file or of a pipe, such as that of a shell's process substitution. */
function readSecretFile(name: string, path: string | null): string | null {
  if (path === null || path === '') return null;
  const what = `The file that ${name}_FILE names`;
  const unreadable = (why: string) =>
    failure('secret-unreadable', `${what} ${why}.`, {
      hint: `Set ${name}_FILE to the path of a file that contains only the secret.`,
    });
  try {
    const bytes = readAtMost(path, largestSecret);
    if (bytes === null) throw unreadable('is neither a regular file nor a pipe');
    if (bytes.length > largestSecret) throw unreadable(`is larger than ${largestSecret / 1024} KiB`);
    return decodeText(bytes, what).replace(/\r?\n$/, '');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(`cannot be read (${systemCode(error) ?? 'unknown error'})`);
  }
}

/** The bytes of a file, and of a larger one a few more than `most`; `null` for what is neither a regular file nor a pipe: a device might never end. */
function readAtMost(path: string, most: number): Buffer | null {
  const file = openSync(path, 'r');
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() && !stats.isFIFO()) return null;
    const bytes = Buffer.alloc(most + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= most; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
