import { readdirSync, readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { isTooDeep, type Json, parseJson } from '../model/json.ts';

/** A seed, descriptor or data file that cannot be used; `message` names the file and the place in it. */
export class SandboxFileError extends Error {
  override readonly name = 'SandboxFileError';
}

/** What `read` makes of a file. Throws {@link SandboxFileError} for whatever `read` throws, and for a file that is not UTF-8. */
export function readFile<T>(file: string, read: (text: string) => T): T {
  return using(file, () => read(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))));
}

/** The names in a folder. Throws {@link SandboxFileError}. */
export function listFolder(folder: string): string[] {
  return using(folder, () => readdirSync(folder));
}

function using<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing) throw new SandboxFileError(`There is no file ${file}.`);
    const cause = error instanceof Error ? error.message : String(error);
    throw new SandboxFileError(`The sandbox cannot use ${file}: ${cause}`);
  }
}

/**
 * The value of a YAML document. Throws for text that is not YAML, and for one that grows by its aliases or is nested too
 * deep. JSON is YAML too, and a parser of its own takes a hundredth of the time.
 */
export function parseYaml(text: string): Json | undefined {
  const value: Json | undefined = parseJson(text) ?? parsePlainYaml(text);
  if (value !== undefined && isTooDeep(value)) throw new Error('it is nested too deep');
  return value;
}

/** Throws for tags too: the parser only warns of one that it does not know, and takes what follows for text. */
function parsePlainYaml(text: string): Json | undefined {
  const document = parseDocument(text);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw problem;
  return document.toJS({ maxAliasCount: 100 });
}
