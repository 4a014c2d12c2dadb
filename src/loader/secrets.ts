import { readFileSync } from 'node:fs';
import { failure } from '../model/failure.ts';
import type { Secrets } from '../model/project.ts';
import { systemCode } from '../model/system-error.ts';

/** Secrets of which it is known whether they are set. */
export interface KnownSecrets extends Secrets {
  isSet(name: string): boolean;
}

/**
 * The secrets in environment variables: `NAME` is the variable of that name, else the content of the file that the
 * variable `NAME_FILE` names, without a line ending at its end. Finding one throws a Failure `secret-unreadable`.
 */
export function secretsFrom(env: NodeJS.ProcessEnv): KnownSecrets {
  const known = new Map<string, string>();
  const find = (name: string): string | null => {
    const text =
      known.get(name) ?? variableOf(env, name) ?? readSecretFile(name, variableOf(env, `${name}_FILE`));
    if (text !== null) known.set(name, text);
    return text;
  };
  return {
    isSet: (name) => find(name) !== null,
    matches: (name, text) => find(name) === text,
    reveal(name) {
      const text = find(name);
      if (text !== null) return text;
      throw failure('secret-unset', `The secret ${name} is not set.`, {
        hint: `Set the environment variable ${name}, or ${name}_FILE to the path of a file that holds it.`,
      });
    },
  };
}

/** The environment variable of that name, but no inherited member such as `constructor`. */
export function variableOf(env: NodeJS.ProcessEnv, name: string): string | null {
  return (Object.hasOwn(env, name) ? env[name] : null) ?? null;
}

function readSecretFile(name: string, path: string | null): string | null {
  if (path === null || path === '') return null;
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const code = systemCode(error) ?? 'unknown error';
    throw failure('secret-unreadable', `The file that ${name}_FILE names cannot be read (${code}).`);
  }
}
