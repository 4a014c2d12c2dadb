import { type Address, formatAddress, type Key } from '../model/address.ts';
import { groupBy, lazy } from '../model/basics.ts';
import { sha256 } from '../model/digest.ts';
import type { Change } from '../model/documents.ts';
import { get, getText, type Json, type JsonObject, objectFrom } from '../model/json.ts';
import { type Pointer, pointer, withValueAt } from '../model/pointer.ts';
import type { TenantName } from '../model/tenant.ts';
import { comparable, foldName, readableFields } from './field.ts';
import { idText, isPathSegment } from './http.ts';
import { type Facts, type Kind, type LiveObject, ownId } from './kind.ts';
import { isIgnored } from './places.ts';
import type { Resource } from './resource.ts';

export interface TenantState {
  readonly tenant: TenantName;
  readonly objects: readonly LiveObject[];
  readonly defaults: readonly LiveObject[];
}

/** `null` if the kind says that it is not one of its objects. `id` is the requested one, for answers without an id. */
export function liveObject(kind: Kind, raw: JsonObject, id: string | null): LiveObject | null {
  const facts = kind.parse(raw, id);
  if (!facts) return null;
  const { key, fields, hidden = [] } = facts;
  const whole = lazy(() => fingerprintOf(kind, facts, []));
  return {
    kind,
    key,
    shownKey: key,
    address: formatAddress(kind.name, key),
    identity: identityOf(kind, key),
    id: facts.id,
    fields,
    hidden,
    whyNotExported: facts.whyNotExported ?? null,
    raw,
    fingerprint: (ignored = []) => (ignored.length === 0 ? whole() : fingerprintOf(kind, facts, ignored)),
  };
}

/** The object under another key than the tenant shows. */
export function knownAs(object: LiveObject, key: Key): LiveObject {
  const { kind } = object;
  return { ...object, key, address: formatAddress(kind.name, key), identity: identityOf(kind, key) };
}

export interface Match {
  readonly kind: Kind;
  readonly resource: Resource;
  readonly live: LiveObject | null;
}

/** The object without the ignored places: changes there do not count. */
export function ignoring(live: LiveObject, places: readonly Pointer[] = []): LiveObject {
  if (places.length === 0) return live;
  return { ...live, fingerprint: lazy(() => live.fingerprint(places)) };
}

/** The id as the tenant shows it, to refer to the object by: a host with numeric ids may accept only numbers. */
export function shownId({ kind, id, raw }: Pick<LiveObject, 'kind' | 'id' | 'raw'>): Json {
  const shown = get(raw, kind.idMember ?? 'id');
  const known = id === null ? null : ownId(kind, id);
  return shown !== undefined && idText(shown) === known ? shown : known;
}

const timesOfChange = 'modified updated_at updatedAt modifiedAt lastModified lastUpdated updated'.split(' ');

/** When the object was last modified, in UTC, if the tenant shows a time. */
export function lastModified({ kind, raw }: LiveObject): string | null {
  const shown = timesOfChange.flatMap((name) => (get(kind.fields, name) ? [] : [getText(raw, name) ?? '']));
  const time = shown.find(
    (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
  );
  return time === undefined ? null : new Date(time).toISOString();
}

function fingerprintOf(
  kind: Kind,
  { key, id, fields, hidden = [], extraMembers = {} }: Facts,
  ignored: readonly Pointer[],
): string {
  const left = ignored.reduce((rest, at) => withValueAt(rest, at, undefined), readableFields(kind, fields));
  const compared = comparableFields(kind, left);
  const shown = hidden.filter((at) => !isIgnored(ignored, at));
  // The parent is in the fields, by id: renaming it changes nothing below.
  const own = kind.parent ? key.slice(1) : [...key];
  return sha256({ kind: kind.name, key: own, id, fields: compared, hidden: shown, carried: extraMembers });
}

/** The digest of an object in normal form: equal if no declarable field differs. */
export function contentDigest(kind: Kind, { fields }: Pick<LiveObject, 'fields'>): string {
  return sha256(comparableFields(kind, fields));
}

function comparableFields(kind: Kind, fields: JsonObject): JsonObject {
  return objectFrom(
    Object.entries(kind.fields).map(([name, field]) => [name, comparable(field, get(fields, name))]),
  );
}

/** The keys that objects of other kinds suggest by their names, without those that no request path can hold. */
export function candidateKeys(known: readonly LiveObject[]): Key[] {
  const names = new Set(known.map(({ key: [name = ''] }) => name));
  return [...names].filter(isPathSegment).map((name) => [name]);
}

export function identityOf(kind: Kind, key: Key): string {
  // Few kinds fold case, and each object's identity is asked several times.
  if (!kind.keyFields.some(({ foldCase }) => foldCase)) return formatAddress(kind.name, key);
  const parts = key.map((part, at) => (kind.keyFields[at]?.foldCase ? foldName(part) : part));
  return formatAddress(kind.name, parts);
}

export function distinctKeys(kind: Kind, keys: readonly Key[]): Key[] {
  return [...new Map(keys.map((key) => [identityOf(kind, key), key])).values()];
}

/** The addresses of a live object: guards and scope also cover the key that the tenant shows. */
export function addressesOf({ kind, address, shownKey }: LiveObject): readonly Address[] {
  const shown = formatAddress(kind.name, shownKey);
  return shown === address ? [address] : [address, shown];
}

/** The object's key before a rename; `null` if the change is not a rename. */
export function keyBefore(kind: Kind, change: Change): Key | null {
  const before = change.key.map((part, at) => {
    const name = kind.keyFields[at]?.name;
    // A difference in the field of the parent is about its id.
    const isOwn = name !== undefined && name !== kind.parent?.part;
    const renamed = isOwn ? change.diff.find(({ path }) => path === pointer(name)) : undefined;
    return typeof renamed?.before === 'string' ? renamed.before : part;
  });
  return before.every((part, at) => part === change.key[at]) ? null : before;
}

/** Whether the id stands in for the name: the object has none, shares it with others, or is pinned by the id alone. */
export function isKnownById({ key, id }: { readonly key: Key; readonly id: string | null }): boolean {
  return key.length === 1 && key[0] === id;
}

export function isRename({ kind, resource, live }: Match): boolean {
  if (!live || live.address === resource.address) return false;
  // Either the parent is renamed, or an object without a name is known by its id.
  if (kind.parent || isKnownById(live)) return false;
  return live.identity !== identityOf(kind, resource.key);
}

export function idsAsNames(objects: readonly { readonly key: Key; readonly id: string | null }[]): string[] {
  return objects.flatMap(({ key, id }) => (id !== null && isKnownById({ key, id }) ? [id] : []));
}

/** What a manifest says of which object it means. */
type Declared = Pick<Resource, 'kind' | 'key' | 'id' | 'lifecycle'>;

export class LiveIndex {
  readonly #byIdentity: () => ReadonlyMap<string, LiveObject>;
  readonly #byId: () => ReadonlyMap<string, LiveObject>;

  constructor(objects: readonly LiveObject[]) {
    this.#byIdentity = lazy(() => new Map(objects.map((object) => [object.identity, object])));
    this.#byId = lazy(() => {
      const entries = objects.flatMap((object) => {
        const { kind, id } = object;
        const ids = id === null ? [] : [ownId(kind, id), id];
        return ids.map((each) => [`${kind.name}/${each}`, object] as const);
      });
      return new Map(entries);
    });
  }

  findByKey(kind: Kind, key: Key): LiveObject | null {
    return this.#byIdentity().get(identityOf(kind, key)) ?? null;
  }

  findById(kind: Kind, id: string): LiveObject | null {
    return this.#byId().get(`${kind.name}/${id}`) ?? null;
  }

  all(kind: Kind, keys: readonly Key[], id: string | null): LiveObject[] {
    const found = [
      ...keys.map((key) => this.findByKey(kind, key)),
      id === null ? null : this.findById(kind, id),
    ];
    return [...new Set(found.filter((object) => object !== null))];
  }

  find({ kind, key, id, lifecycle }: Declared): LiveObject | null {
    if (id !== null) return this.findById(kind, id);
    const { renamedFrom } = lifecycle;
    return this.findByKey(kind, key) ?? (renamedFrom ? this.findByKey(kind, renamedFrom) : null);
  }
}

/**
 * The keys of live objects in manifests: first those that are asked for. An object that no manifest means keeps its own, unless one
 * means another object by it: then its id stands in.
 */
export function declaredKeys(
  objects: readonly LiveObject[],
  declared: readonly Declared[],
  isAsked: (key: Key) => boolean,
): (object: LiveObject) => Key {
  const index = new LiveIndex(objects);
  const found = declared.flatMap(({ key, ...each }) => {
    const live = index.find({ key, ...each });
    return live ? [{ key, live, identity: identityOf(live.kind, key) }] : [];
  });
  const byObject = new Map(groupBy(found, ({ live }) => live));
  const meant = new Map(found.map(({ identity, live }) => [identity, live]));
  return (object) => {
    const own = meant.has(object.identity) ? [] : [object.key];
    const names = [...(byObject.get(object) ?? []).map(({ key }) => key), ...own];
    return names.find(isAsked) ?? names[0] ?? [object.id ?? ''];
  };
}

export interface ReadRequest {
  readonly kind: Kind;
  readonly keys: readonly Key[];
  readonly ids: readonly string[];
  /** The ids that stand in for names, and so are among the keys. */
  readonly idsAsNames?: readonly string[];
  /** Whether all objects of the kind are needed, declared or not. */
  readonly complete: boolean;
  /** The keys that two objects may share: they are only referred to, and their users have to notice. */
  readonly allowsDuplicates?: readonly Key[];
  /** The manifests: what is below an object that they mean has the key that they give it, whatever the tenant calls the object. */
  readonly declared?: readonly Declared[];
  /** Just written: then the object's own call may be used. Objects whose fingerprints are compared are always read the same way. */
  readonly written?: boolean;
  /** Called if the tenant refuses the key, answers about another object, or has several. Left out: then reading fails. */
  onUnusable?(object: Pick<LiveObject, 'kind' | 'key'>, why: string): void;
}

export function allOf(kind: Kind): ReadRequest {
  return { kind, keys: [], ids: [], complete: true };
}

export function someOf(kind: Kind, keys: readonly Key[]): ReadRequest {
  return { kind, keys, ids: [], complete: false };
}

/** The requests for the vendor's defaults of these objects. Most kinds have none. */
export function defaultsOf(objects: readonly Pick<LiveObject, 'kind' | 'key'>[]): ReadRequest[] {
  const withDefaults = objects.filter(({ kind }) => kind.read.defaults);
  return groupBy(withDefaults, ({ kind }) => kind).map(([kind, same]) =>
    someOf(
      kind,
      same.map(({ key }) => key),
    ),
  );
}
