import { get, getText, isArray, isObject, type Json, type JsonObject, objectFrom } from '../model/json.ts';
import {
  bool,
  choice,
  list,
  members,
  numberOrNull,
  object,
  objectOrEmpty,
  orNull,
  type Read,
  refuse,
  text,
  textOr,
  textOrNull,
  texts,
} from './shape.ts';

type Member = ReturnType<typeof readMember>;
const readMember = members({
  is: choice(['value', 'text', 'email', 'set', 'json', 'reference', 'references']),
  // The kind whose ids it holds.
  to: textOrNull,
  // The type beside the id in a `reference`.
  type: textOrNull,
  // `json` that is kept in text.
  text: bool(false),
});

/** `name`, `{name: email, foldCase: true}`, or a list of those. The usual name is `name`. */
const readKeys: Read<string[]> = (value, at, { single = false } = {}) => {
  const given = value ?? (single ? [] : 'name');
  const part = members({ name: text, of: textOrNull });
  return (isArray(given) ? given : [given]).flatMap((each) => {
    if (typeof each === 'string') return each;
    const { name, of } = part(each, at);
    // A name inside a reference is not written.
    return of === null ? name : [];
  });
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
  return members({
    // Null: the list takes no `limit` and `offset`.
    pageSize: (size: Json = usualPage, at: string) => numberOrNull(size, at),
    // The member of an answer that holds the list; null: the answer is the list.
    member: textOrNull,
    counts: bool(false),
    // True: the first part of the key.
    filter: (given: Json = false, at: string) =>
      typeof given === 'boolean' ? readKeys(whole.key, at, whole).slice(0, given ? 1 : 0) : texts(given, at),
  })(value ?? {}, at);
};

const readParent: Read<{ readonly name: string; readonly kind: string } | null> = (value, at) => {
  const [[name, kind] = []] = Object.entries(objectOrEmpty(value, at));
  return name === undefined ? null : { name, kind: text(kind, `${at}.${name}`) };
};

const readWrite = members({
  contentType: textOrNull,
  sendId: bool(false),
  required: texts,
  immutable: texts,
  patchOps: choice(['all', 'replace'], 'all'),
  alone: list(texts),
  first: orNull(texts),
  beforeDelete: objectOrEmpty,
});

/** The members of a descriptor that say something about the tenant. Its schema, which tenantctl checks, knows more. */
const readDescriptor = members({
  kind: text,
  service: choice(['identity', 'profiles'], 'identity'),
  // The members of the key. The tenant always distinguishes names by case.
  key: readKeys,
  path: text,
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

/** Reads a descriptor, as its file has it or with its defaults filled in. Throws `ApiError`. */
export function readKind(value: Json | undefined, at: string) {
  const { kind: name, ...kind } = readDescriptor(value, at);
  return { ...kind, name };
}

/** A collection of the usual shape, as a descriptor (`NAME.kind.yaml`) says. */
export interface DescribedKind extends ReturnType<typeof readKind> {
  /** Default members of an object in a seed. */
  usual?(given: JsonObject): JsonObject;
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

/** Throws `ApiError` for a key that is not there, and for members that do not have the form of the descriptor. */
export function checkForms(kind: DescribedKind, object: JsonObject, at: string): void {
  for (const name of kind.key) text(get(object, name), `${at}.${name}`);
  for (const [name, member] of kind.fields) {
    const value = get(object, name) ?? null;
    if (value !== null) checkForm(member, value, `${at}.${name}`);
  }
}

function checkForm(member: Member, value: Json, at: string): void {
  const { is, to, text: isText } = member;
  if (is === 'text' || is === 'email') textOrNull(value, at);
  if (is === 'value' && to !== null) text(value, at);
  if (is === 'reference') checkReference(member)(value, at);
  if (is === 'references') list(checkReference(member))(value, at);
  if (is === 'set' && list((item = null) => item)(value, at).some((item) => typeof item === 'object'))
    refuse(at, 'must hold strings or numbers');
  if (is === 'json' && !isObject(value) && (isText || !isArray(value)))
    refuse(at, `must be an object${isText ? '' : ' or an array'}`);
}

/** `{type, id, name}`: with the type of the descriptor, if it has one. The name may be left out: it is the server's. */
const checkReference = ({ type }: Member) =>
  object({ id: text, name: textOrNull, type: type === null ? textOrNull : choice([type]) });
