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
import { get, isObject, isTooDeep, type Json, parseJson } from '../model/json.ts';
import {
  checkForms,
  type DescribedKind,
  type DescribedObject,
  keyOf,
  readKind,
  timesOf,
} from './described-kind.ts';
import { seedTime, storedObjects, uuid } from './objects.ts';
import {
  lines,
  list,
  members,
  numberOrNull,
  object,
  objectOrEmpty,
  type Read,
  refuse,
  text,
  textOr,
} from './shape.ts';

/** A seed, descriptor or data file that cannot be used; `message` names the file and the place in it. */
export class SandboxFileError extends Error {
  override readonly name = 'SandboxFileError';
}

/** Everything a tenant holds. Tests change it directly, as a person does in the tenant's own interface. */
export type TenantState = ReturnType<typeof readState>;

/**
 * The tenant to start with: the data file if it exists, else the seed, else an empty tenant; and the kinds that it serves, with
 * those described in the folder. Throws `SandboxFileError` for a file that is missing, unreadable or of the wrong shape.
 */
export function loadState(seed: string | null, data: string | null, kindFolder: string | null = null) {
  const described = kindFolder === null ? [] : readKindFolder(kindFolder);
  const isSaved = data !== null && existsSync(data);
  const file = isSaved ? data : seed;
  const parse = isSaved ? parseJson : parseYaml;
  const state =
    file === null
      ? readState({}, described, false)
      : readFile(file, (text) => readState(parse(text), described, isSaved));
  return { state, kinds: describedKinds(state.kinds, described) };
}

/** The descriptors `NAME.kind.yaml` in a folder. Throws `SandboxFileError` for one that cannot be used, and for no folder. */
function readKindFolder(folder: string): readonly DescribedKind[] {
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

/** Collections that every tenant has (the vendor's public API descriptions), with more members than are named here. */
const vendorKinds: readonly DescribedKind[] = [
  {
    ...readOnly('Identity', '/v2025/identities', ['id', 'name', 'alias', 'firstname', 'lastname', 'email']),
    usual: ({ name = null }) => ({ alias: name }),
  },
  readOnly('Source', '/v2025/sources', ['id', 'name']),
  // Its documents name filters for other members only.
  readOnly('Cluster', '/v2025/managed-clusters'),
  readKind(
    {
      kind: 'ServiceDeskIntegration',
      path: '/v2025/service-desk-integrations',
      list: { pageSize: 250, counts: true, filter: true },
      update: 'json-patch',
      fields: {
        description: 'text',
        type: 'value',
        ownerRef: { is: 'reference', to: 'Identity', type: 'IDENTITY' },
        clusterRef: { is: 'reference', to: 'Cluster', type: 'CLUSTER' },
        beforeProvisioningRule: 'reference',
        provisioningConfig: 'json',
        attributes: 'json',
      },
      serverOwned: ['id', 'created', 'modified', 'cluster', 'managedSources'],
      write: { patchOps: 'replace', required: ['description', 'type', 'attributes'] },
    },
    'ServiceDeskIntegration',
  ),
];

function readOnly(kind: string, path: string, filter: readonly string[] = []): DescribedKind {
  return readKind({ kind, path, key: 'name', list: { pageSize: 250, counts: true, filter } }, kind);
}

/**
 * The kinds that a tenant serves in addition to those of the API documents, by name. `described` count before its own; of two with
 * one path, the first is served.
 */
function describedKinds(kinds: readonly Json[], described: readonly DescribedKind[]) {
  const own = [...kinds.map((kind) => readKind(kind, 'kinds')), ...described];
  const byName = new Map(own.map((kind) => [kind.name, kind]));
  for (const kind of vendorKinds) if (!byName.has(kind.name)) byName.set(kind.name, kind);
  return byName;
}

/** Reads objects in a seed, which may have members that the descriptor does not name. */
function seedReader(kind: DescribedKind): Read<DescribedObject> {
  return (value, at) => {
    const given = isObject(value) ? value : refuse(at, 'must be an object');
    checkForms(kind, given, at);
    if (kind.parent) text(get(given, kind.parent.name), `${at}.${kind.parent.name}`);
    const id = textOr(uuid(kind.name, keyOf(kind, given)))(get(given, 'id'), `${at}.id`);
    return { ...timesOf(kind, seedTime), ...kind.usual?.(given), ...given, id };
  };
}

const readSaved: Read<DescribedObject> = (value, at) => ({
  ...objectOrEmpty(value, at),
  ...members({ id: text })(value, at),
});

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
    kinds,
    objects: (given, at, whole = {}) => {
      const all = objectOrEmpty(given, at);
      const served = describedKinds(kinds(whole.kinds, 'seed.kinds'), described);
      // Those of each kind, kinds without any included.
      const ofKinds = [...served].map(([name, kind]) => [name, lines(seedReader(kind))] as const);
      // Descriptors may have changed since a data file was written, or be gone: objects stay as they were.
      const saved = isSaved ? Object.keys(all).map((name) => [name, list(readSaved)] as const) : [];
      const read = object<Record<string, DescribedObject[]>>(Object.fromEntries([...ofKinds, ...saved]));
      return read(all, at);
    },
    ...storedObjects,
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
