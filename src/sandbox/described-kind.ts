import { get, getText, isArray, isObject, type Json, type JsonObject, objectFrom } from '../model/json.ts';
import { seedTime, uuid } from './objects.ts';
import {
  bool,
  choice,
  json,
  list,
  members,
  numberOrNull,
  object,
  objectOrEmpty,
  type Read,
  refuse,
  text,
  textOr,
  textOrNull,
  texts,
} from './shape.ts';

export type Member = ReturnType<typeof readMember>;
const readMember = object({
  is: choice(['value', 'text', 'email', 'set', 'json', 'reference', 'references']),
  // The kind whose ids it holds.
  to: textOrNull,
  // The type beside the id in a `reference`.
  type: textOrNull,
  // `json` that is kept in text.
  text: bool(false),
  // How tenantctl compares it.
  declares: json,
});

/** `name`, `{name: email, foldCase: true}`, or a list of those. The usual name is `name`. */
const readKeys: Read<string[]> = (value, at, whole = {}) => {
  const { single = false } = whole;
  const given = value ?? (single ? [] : 'name');
  const parts = isArray(given) ? given : [given];
  if (parts.length === 0 && single === false) refuse(at, 'must name a member');
  const part = object({ name: text, foldCase: bool(false), of: textOrNull });
  const read = parts.map((each) => part(typeof each === 'string' ? { name: each } : each, at));
  // A name inside a reference is not written.
  return read.filter(({ of }) => of === null).map(({ name }) => name);
};

/** `text`, or `{is: reference, to: Identity}`. */
const readMembers: Read<ReadonlyMap<string, Member>> = (value, at) =>
  new Map(
    Object.entries(objectOrEmpty(value, at)).map(([name, form]) => [
      name,
      readMember(typeof form === 'string' ? { is: form } : form, `${at}.${name}`),
    ]),
  );

/** A kind with an update can also be created and deleted, unless it is a single object. */
const readAbility: Read<boolean> = (value, at, { update = 'none', single = false } = {}) =>
  bool(update !== 'none' && single === false)(value, at);

const readList = (value: Json | undefined, at: string, whole: JsonObject = {}) => {
  // Pages as large as those of the service.
  const usualPage = whole.service === 'profiles' ? 100 : 250;
  return object({
    // Null: the list takes no `limit` and `offset`.
    pageSize: (size: Json = usualPage, at: string) => numberOrNull(size, at),
    // The member of an answer that holds the list; null: the answer is the list.
    member: textOrNull,
    counts: bool(false),
    // True: the first part of the key.
    filter: (given: Json = false, at: string) => {
      if (typeof given !== 'boolean') return texts(given, at);
      return given ? readKeys(whole.key, at, whole).slice(0, 1) : [];
    },
  })(value ?? {}, at);
};

const readParent: Read<{ readonly name: string; readonly kind: string } | null> = (value, at) => {
  const [[name, kind] = [], ...others] = Object.entries(objectOrEmpty(value, at));
  if (others.length > 0) refuse(at, 'must name one kind');
  return name === undefined ? null : { name, kind: text(kind, `${at}.${name}`) };
};

const readWrite = object({
  contentType: textOrNull,
  sendId: bool(false),
  required: texts,
  immutable: texts,
  // How tenantctl makes a change: in two requests.
  replace: json,
  patchOps: choice(['all', 'replace'], 'all'),
  alone: list(texts),
  first: (value, at) => (value === undefined ? null : texts(value, at)),
  beforeDelete: objectOrEmpty,
});

const matching =
  (pattern: RegExp, problem: string): Read<string> =>
  (value, at) => {
    const given = text(value, at);
    return pattern.test(given) ? given : refuse(at, problem);
  };

const readDescriptor = object({
  kind: matching(/^[A-Z][A-Za-z0-9]*$/, 'must be a name such as Role'),
  // For tenantctl alone.
  summary: json,
  proven: json,
  places: json,
  service: choice(['identity', 'profiles'], 'identity'),
  // The members of the key. The tenant always distinguishes names by case.
  key: readKeys,
  path: matching(/^(\/([\w.~-]+|\{[\w-]+\}))+$/, 'must be a path such as /v2025/roles'),
  // The kind of the objects that have such a collection each, and the name in the path; in the state, a member with the id.
  parent: readParent,
  // One object at the path itself.
  single: bool(false),
  // The member that identifies an object in paths.
  id: textOr('id'),
  write: (value, at) => readWrite(value ?? {}, at),
  list: readList,
  update: choice(['json-patch', 'merge-patch', 'patch', 'put', 'none'], 'none'),
  create: readAbility,
  delete: readAbility,
  fields: readMembers,
  serverOwned: (value = ['id', 'created', 'modified'], at) => texts(value, at),
});

/** Reads a descriptor, as its file has it or with its defaults filled in. Throws `ShapeError`. */
export function readKind(value: Json | undefined, at: string) {
  const { kind: name, ...kind } = readDescriptor(value, at);
  return { ...kind, name };
}

/** A collection of the usual shape, as a descriptor (`NAME.kind.yaml`) says. */
export interface DescribedKind extends ReturnType<typeof readKind> {
  /** Default members of an object in a seed. */
  usual?(given: JsonObject): JsonObject;
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
export function describedKinds(
  { kinds }: { readonly kinds: readonly Json[] },
  described: readonly DescribedKind[],
): ReadonlyMap<string, DescribedKind> {
  const own = [...kinds.map((kind) => readKind(kind, 'kinds')), ...described];
  const byName = new Map(own.map((kind) => [kind.name, kind]));
  for (const kind of vendorKinds) if (!byName.has(kind.name)) byName.set(kind.name, kind);
  return byName;
}

/** An object of a collection: `id`, and whatever else the tenant keeps of it. Members without a value are left out. */
export interface DescribedObject {
  readonly id: string;
  readonly [member: string]: Json;
}

/** The members that the server sets when it creates an object. */
export function timesOf({ serverOwned }: DescribedKind, time: string): JsonObject {
  const names = ['created', 'modified'].filter((name) => serverOwned.includes(name));
  return objectFrom(names.map((name) => [name, time]));
}

/** Two objects below one parent may not have the same. */
export function keyOf({ key, parent }: DescribedKind, object: JsonObject): string {
  const names = parent ? [parent.name, ...key] : key;
  return JSON.stringify(names.map((name) => getText(object, name)));
}

/** Reads objects in a seed, which may have members that the descriptor does not name. */
export function seedReader(kind: DescribedKind): Read<DescribedObject> {
  return (value, at) => {
    const given = isObject(value) ? value : refuse(at, 'must be an object');
    checkForms(kind, given, at);
    if (kind.parent) text(get(given, kind.parent.name), `${at}.${kind.parent.name}`);
    const id = textOr(uuid(kind.name, keyOf(kind, given)))(get(given, 'id'), `${at}.id`);
    return { ...timesOf(kind, seedTime), ...kind.usual?.(given), ...given, id };
  };
}

export const readSaved: Read<DescribedObject> = (value, at) => ({
  ...objectOrEmpty(value, at),
  ...members({ id: text }, value, at),
});

/** Throws `ShapeError` for a key that is not there, and for members that do not have the form of the descriptor. */
export function checkForms(kind: DescribedKind, object: JsonObject, at: string): void {
  for (const name of kind.key) text(get(object, name), `${at}.${name}`);
  for (const [name, member] of kind.fields) {
    const value = get(object, name) ?? null;
    if (value !== null) checkForm(member, value, `${at}.${name}`);
  }
}

function checkForm(member: Member, value: Json, at: string): void {
  switch (member.is) {
    case 'text':
    case 'email':
      textOrNull(value, at);
      return;
    case 'value':
      if (member.to !== null && typeof value !== 'string') refuse(at, 'must be an id');
      return;
    case 'set':
      list(json)(value, at);
      if (isArray(value) && value.some((item) => typeof item === 'object'))
        refuse(at, 'must hold strings or numbers');
      return;
    case 'json':
      if (!isObject(value) && (member.text || !isArray(value)))
        refuse(at, `must be an object${member.text ? '' : ' or an array'}`);
      return;
    case 'reference':
      checkReference(member)(value, at);
      return;
    case 'references':
      list(checkReference(member))(value, at);
      return;
  }
}

/** `{type, id, name}`: with the type of the descriptor, if it has one. The name may be left out: it is the server's. */
const checkReference = ({ type }: Member) =>
  object({ id: text, name: textOrNull, type: type === null ? textOrNull : exactly(type) });

const exactly =
  (wanted: string): Read<string | null> =>
  (value, at) =>
    value === wanted ? wanted : refuse(at, `must be ${wanted}`);
