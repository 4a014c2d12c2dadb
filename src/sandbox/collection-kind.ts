import path from 'node:path';
import { isArray, type Json, type JsonObject } from '../model/json.ts';
import { Fields, objectReader, ShapeError } from './fields.ts';
import { listFolder, parseYaml, readFile } from './file.ts';

/** How a collection is changed. */
const updates = ['json-patch', 'merge-patch', 'patch', 'put', 'none'] as const;
const memberForms = ['value', 'text', 'email', 'set', 'json', 'reference', 'references'] as const;

/** The form of one member of the objects of a collection. */
export interface Member {
  readonly is: (typeof memberForms)[number];
  /** The kind whose ids it holds. */
  readonly to: string | null;
  /** What a `reference` says beside the id. */
  readonly type: string | null;
  /** `json` that is kept in text. */
  readonly inText: boolean;
}

/** A collection of the usual shape, as a descriptor (`NAME.kind.yaml`) says. */
export type CollectionKind = ReturnType<typeof readKind> & {
  /** Members that an object of a seed has where the seed does not say. */
  usual?(given: JsonObject): JsonObject;
};

/**
 * Reads a descriptor, as its file has it or with its defaults filled in. What it says to tenantctl alone is not looked at.
 * Throws `ShapeError`.
 */
export const readKind = objectReader((fields, at) => {
  const list = new Fields(fields.json('list') ?? {}, `${at}.list`);
  for (const name of ['summary', 'proven']) fields.json(name);
  const keys = readKeys(fields.json('key'), `${at}.key`);
  const service = fields.choice('service', ['identity', 'profiles'], 'identity');
  const kind = {
    name: fields.text('kind'),
    service,
    path: fields.text('path'),
    keys,
    /** The largest page; null: the list takes no `limit` and `offset`. */
    pageSize: list.includes('pageSize') ? list.numberOrNull('pageSize') : usualPage[service],
    /** The member of an answer that holds the list; null: the answer is the list. */
    member: list.textOrNull('member'),
    counts: list.bool('counts', false),
    /** The members that `filters` may name: the first part of the key. */
    filterBy: list.bool('filter', false) ? keys.slice(0, 1) : [],
    update: fields.choice('update', updates, 'none'),
    creates: fields.bool('create', false),
    deletes: fields.bool('delete', false),
    members: readMembers(fields.objectOrNull('fields') ?? {}, `${at}.fields`),
    serverOwned: fields.includes('serverOwned') ? fields.texts('serverOwned') : ['id', 'created', 'modified'],
  };
  list.end();
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind.name)) throw new ShapeError(`${at}.kind must be a name such as Role`);
  if (!/^(\/[\w.~-]+)+$/.test(kind.path))
    throw new ShapeError(`${at}.path must be a path such as /v2025/roles`);
  return kind;
});

/** The pages of the lists of each service (api-notes, "page size"). */
const usualPage = { identity: 250, profiles: 100 };

/** `name`, `{name: email, foldCase: true}`, or a list of those. The tenant always distinguishes names by case. */
function readKeys(value: Json, at: string): readonly string[] {
  const parts = isArray(value) ? value : [value];
  if (value === null || parts.length === 0) throw new ShapeError(`${at} must name a member`);
  return parts.map((part) => {
    const fields = new Fields(typeof part === 'string' ? { name: part } : part, at);
    fields.bool('foldCase', false);
    const name = fields.text('name');
    fields.end();
    return name;
  });
}

/** `text`, or `{is: reference, to: Identity}`. */
function readMembers(value: JsonObject, at: string): ReadonlyMap<string, Member> {
  return new Map(
    Object.entries(value).map(([name, form]) => [
      name,
      readMember(typeof form === 'string' ? { is: form } : form, `${at}.${name}`),
    ]),
  );
}

const readMember = objectReader<Member>((fields) => {
  // How it is compared.
  fields.json('declares');
  return {
    is: fields.choice('is', memberForms),
    to: fields.textOrNull('to'),
    type: fields.textOrNull('type'),
    inText: fields.bool('text', false),
  };
});

/**
 * Collections that every tenant has, to be referred to (the vendor's public API descriptions). They are only read, and
 * their objects have more members than are named here.
 */
const vendorKinds: readonly CollectionKind[] = [
  {
    ...readOnly('Identity', '/v2025/identities'),
    filterBy: ['id', 'name', 'alias', 'firstname', 'lastname', 'email'],
    usual: ({ name = null }) => ({ alias: name }),
  },
  { ...readOnly('Source', '/v2025/sources'), filterBy: ['id', 'name'] },
  // Its documents name filters for other members only.
  readOnly('Cluster', '/v2025/managed-clusters'),
];

function readOnly(kind: string, at: string): CollectionKind {
  const list = { pageSize: 250, counts: true };
  return readKind({ kind, path: at, key: 'name', list }, kind);
}

/**
 * The kinds that a tenant serves, by name: `described`, of which later ones replace earlier ones, then the vendor's own. Of
 * two kinds with one path, the first is served there.
 */
export function kindsByName(described: readonly CollectionKind[]): ReadonlyMap<string, CollectionKind> {
  const byName = new Map(described.map((kind) => [kind.name, kind]));
  for (const kind of vendorKinds) if (!byName.has(kind.name)) byName.set(kind.name, kind);
  return byName;
}

/** The descriptors `NAME.kind.yaml` in a folder. Throws `SandboxFileError` for one that cannot be used, and for no folder. */
export function readKindFolder(folder: string): readonly CollectionKind[] {
  const names = listFolder(folder).filter((name) => /\.kind\.ya?ml$/.test(name));
  const read = (text: string) => readKind(parseYaml(text) ?? null, 'descriptor');
  return names.sort().map((name) => readFile(path.join(folder, name), read));
}
