import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { isTooDeep, type Json, type JsonObject, parseJson } from '../model/json.ts';
import {
  type DescribedKind,
  type DescribedObject,
  describedKinds,
  readKind,
  readSaved,
  seedReader,
} from './described-kind.ts';
import { objectsWithEndpoints, readReference } from './objects.ts';
import { lines, list, numberOrNull, object, objectOrEmpty, type Read, textOr } from './shape.ts';

/** A seed, descriptor or data file that cannot be used; `message` names the file and the place in it. */
export class SandboxFileError extends Error {
  override readonly name = 'SandboxFileError';
}

/** Everything a tenant holds. Tests change it directly, as a person does in the tenant's own interface. */
export type TenantState = ReturnType<typeof readState>;

/**
 * The tenant to start with: the data file if it exists, else the seed, else an empty tenant. `described` are kinds whose
 * descriptors are not in the file. Throws `SandboxFileError` for a file that is missing, unreadable or of the wrong shape.
 */
export function loadState(
  seed: string | null,
  data: string | null,
  described: readonly DescribedKind[] = [],
): TenantState {
  if (data !== null && existsSync(data))
    return readFile(data, (text) => readState(parseJson(text), described, true));
  if (seed === null) return readState({}, described, false);
  return readFile(seed, (text) => readState(parseYaml(text), described, false));
}

/** The descriptors `NAME.kind.yaml` in a folder. Throws `SandboxFileError` for one that cannot be used, and for no folder. */
export function readKindFolder(folder: string): readonly DescribedKind[] {
  const names = usingFile(folder, () => readdirSync(folder)).filter((name) => /\.kind\.ya?ml$/.test(name));
  return names
    .sort()
    .map((name) =>
      readFile(path.join(folder, name), (text) => readKind(parseYaml(text) ?? null, 'descriptor')),
    );
}

/** Writes the tenant atomically: a reader sees the old file or the new one, also after a crash. */
export function saveState(state: TenantState, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  // Somebody may have put a link there: it is replaced, not followed.
  rmSync(temporary, { force: true });
  writeFileSync(temporary, JSON.stringify(state), { mode: 0o600, flush: true, flag: 'wx' });
  renameSync(temporary, file);
}

/** The name of what integrations and rules refer to. */
export function referenceName({ references, objects: described }: TenantState, id: string): string | null {
  const all: readonly { readonly id: string; readonly name?: unknown }[] = [
    ...references,
    ...Object.values(described).flat(),
  ];
  const name = all.find((target) => target.id === id)?.name;
  return typeof name === 'string' ? name : null;
}

/** Reads the objects of each kind, kinds without any included. */
function readObjects(
  kinds: ReadonlyMap<string, DescribedKind>,
  given: JsonObject,
  isSaved: boolean,
): Record<string, DescribedObject[]> {
  // Descriptors may have changed since a data file was written, or be gone: objects stay as they were.
  const saved = isSaved ? Object.keys(given).map((name) => [name, list(readSaved)] as const) : [];
  const ofKinds = [...kinds].map(([name, kind]) => [name, lines(seedReader(kind))] as const);
  return object(Object.fromEntries([...ofKinds, ...saved]))(given, 'seed.objects');
}

/**
 * The tenant that a seed or a data file describes. Fills in what a seed leaves out: ids, times, and the texts of a
 * customised template that are the same as in its default. Throws `ApiError` for unknown fields and wrong types.
 */
function readState(value: Json | undefined, described: readonly DescribedKind[], isSaved: boolean) {
  const kinds: Read<Json[]> = list((kind, at) => {
    readKind(kind, at);
    return kind ?? null;
  });
  return object({
    tenant: textOr('sandbox'),
    // Counts deletions, so that an object created again with its old key gets another id.
    generation: (...given) => numberOrNull(...given) ?? 0,
    references: list(readReference),
    kinds,
    objects: (given, at, whole = {}) => {
      const served = describedKinds({ kinds: kinds(whole.kinds, 'seed.kinds') }, described);
      return readObjects(served, objectOrEmpty(given, at), isSaved);
    },
    ...objectsWithEndpoints,
  })(value, 'seed');
}

/** Throws {@link SandboxFileError} for whatever `read` throws, and for a file that is not UTF-8. */
function readFile<T>(file: string, read: (text: string) => T): T {
  return usingFile(file, () => {
    // Reading a pipe may never end.
    if (!statSync(file).isFile()) throw new Error('it is not a regular file.');
    return read(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)));
  });
}

function usingFile<T>(file: string, action: () => T): T {
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
 * The value of a YAML document. Throws for text that is not YAML, for tags, and for a document that grows by its aliases or is
 * nested too deep. JSON is YAML too, and a parser of its own takes a hundredth of the time.
 */
function parseYaml(text: string): Json | undefined {
  let value = parseJson(text);
  if (value === undefined) {
    const document = parseDocument(text);
    // The parser only warns of a tag that it does not know, and takes what follows for text.
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw problem;
    value = document.toJS({ maxAliasCount: 100 });
  }
  if (value !== undefined && isTooDeep(value)) throw new Error('it is nested too deep');
  return value;
}
