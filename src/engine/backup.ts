import type { Client } from '../client/client.ts';
import { systemClock } from '../client/rate-limiter.ts';
import { apiRequest, type Call, isPathSegment } from '../kinds/http.ts';
import { isObserved, type Kind, type Parent } from '../kinds/kind.ts';
import type { Environment } from '../kinds/project.ts';
import { limitSize, type manifestFolder, sizeLimit } from '../loader/source.ts';
import { groupBy } from '../model/basics.ts';
import { type Diagnostic, type Failure, fail } from '../model/failure.ts';
import {
  canonicalJson,
  get,
  getText,
  isArray,
  isObject,
  isTooDeep,
  type Json,
  type JsonObject,
  objectsIn,
  parseJson,
} from '../model/json.ts';
import { contractSettings } from '../model/tenant.ts';
import type { Tenant } from './tenant.ts';

type BackupFolder = Pick<ReturnType<typeof manifestFolder>, 'source' | 'backup'>;

/** A backup as a tenant that answers from it: whatever reads a tenant reads a backup. */
export interface Backup {
  readonly tenant: Tenant;
  /** The kinds of its objects, without those that manifests only refer to. */
  readonly kinds: readonly Kind[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Throws a Failure for other files, and for a backup that is larger than manifests may be: `sizeLimit` MB. */
export function openBackup(
  path: string,
  folder: BackupFolder,
  { environment, sizeLimit: megabytes }: { readonly environment: Environment; readonly sizeLimit: number },
  signal: AbortSignal,
): Backup {
  const read = readEntries(folder, megabytes);
  const entries = [...new Map(read.map((each) => [canonicalJson([each.type, each.object]), each])).values()];
  const collections = collectionsOf(entries, environment);
  const name = `backup:${path}`;
  const reached = { ...environment, tenant: { identity: name, profiles: name } };
  return {
    tenant: {
      environment: reached,
      client: clientFor(reached, new Map(collections.map((each) => [each.path, each]))),
      clock: systemClock,
      signal,
      called: 'the backup',
      onEvent: () => {},
      close: async () => {},
    },
    kinds: environment.kinds.all.filter(
      (kind) => !isObserved(kind) && collections.some((each) => each.kind === kind && each.rows.length > 0),
    ),
    diagnostics: remarksOn(entries, collections, environment),
  };
}

/**
 * The objects in a backup: a configuration export, as the vendor's own tooling writes it. The type of each is in the vendor's words,
 * such as `ACCESS_PROFILE`.
 */
function readEntries({ source, backup }: BackupFolder, megabytes: number) {
  const limited = limitSize(source, sizeLimit(megabytes));
  return backup.flatMap((file) => {
    const content = parseJson(limited.text(file));
    if (content === undefined) throw badBackup(file, 'is not JSON');
    if (isTooDeep(content)) throw badBackup(file, 'is nested too deeply');
    const list = isObject(content) ? (get(content, 'objects') ?? [content]) : content;
    if (!isArray(list)) throw badBackup(file, 'has no list of `objects`');
    return list.map((entry, at) => {
      // `self` has the id and the name that an object may lack.
      const [self, object] = isObject(entry) ? [get(entry, 'self'), get(entry, 'object')] : [];
      const type = isObject(self) ? (getText(self, 'type') ?? '') : '';
      const isType = /^[A-Z][A-Z0-9_]{0,60}$/.test(type);
      const id = isObject(self) && isObject(object) ? (getText(object, 'id') ?? getText(self, 'id')) : null;
      if (!isObject(self) || !isObject(object) || !isType || (id !== null && !isPathSegment(id)))
        throw badBackup(file, `has an entry that cannot be used: object ${at + 1}`);
      const name = get(object, 'name') ?? get(self, 'name') ?? null;
      return {
        type,
        file,
        object: { ...object, ...(id !== null && { id }), ...(name !== null && { name }) },
      };
    });
  });
}

type BackupEntry = ReturnType<typeof readEntries>[number];

function badBackup(file: string, what: string): Failure {
  const hint =
    'A backup is the JSON of a configuration export: `{"objects": [{"self": {"type", "id", "name"}, "object": {…}}]}`, or such an entry in each file.';
  return fail('bad-backup', `The file ${what}.`, { hint, source: { file, line: 1, column: 1 } });
}

/** The type of a kind in the vendor's words: `ACCESS_PROFILE` of `AccessProfile`. */
const typeOf = ({ name }: Kind): string => name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_').toUpperCase();

/** Parents come before the objects below them. */
const depthOf = ({ parent }: Kind): number => (parent ? depthOf(parent.kind) + 1 : 0);

/** The value that identifies the object in paths; `null` if none can. */
function idOf({ idMember = 'id' }: Kind, object: JsonObject): string | null {
  const id = getText(object, idMember);
  return id !== null && isPathSegment(id) ? id : null;
}

interface Collection {
  readonly kind: Kind;
  readonly path: string;
  readonly rows: readonly JsonObject[];
}

function collectionsOf(entries: readonly BackupEntry[], { kinds, settings }: Environment): Collection[] {
  const found: Collection[] = [];
  for (const kind of kinds.all.toSorted((one, other) => depthOf(one) - depthOf(other))) {
    const objects = entries.filter(({ type }) => type === typeOf(kind)).map(({ object }) => object);
    const { parent } = kind;
    const parents = found.filter((each) => each.kind === parent?.kind).flatMap(({ rows }) => rows);
    const groups = parent ? objectsBelow(kind, parent, { parents, objects }) : [{ above: [], rows: objects }];
    for (const { above, rows } of groups)
      found.push({ kind, path: apiRequest('GET', kind.resource, settings, { above }).path, rows });
  }
  return found;
}

/**
 * The objects below each parent: entries that have its id in a member, and the parent's own member with the last name of their
 * path.
 */
function objectsBelow(
  kind: Kind,
  { kind: parentKind }: Parent,
  { parents, objects }: Record<'parents' | 'objects', readonly JsonObject[]>,
) {
  // `provisioningPolicies` for `/sources/{source}/provisioning-policies`.
  const [end = ''] = kind.resource.path(contractSettings).split('/').slice(-1);
  const member = end.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const byId = new Map(parents.map((row) => [idOf(parentKind, row), row]));
  const entriesBelow = new Map<Json | undefined, readonly JsonObject[]>(
    groupBy(objects, (object) =>
      Object.values(object)
        .map((value) => (isObject(value) ? getText(value, 'id') : value))
        .find((id) => typeof id === 'string' && byId.has(id)),
    ),
  );
  return [...byId].flatMap(([id, row]) => {
    if (id === null) return [];
    const alone = entriesBelow.get(id) ?? [];
    const known = new Set(alone.map((each) => idOf(kind, each)));
    // A reference only names an object below.
    const inside = objectsIn(get(row, member)).filter((each) =>
      Object.keys(each).some((name) => !['type', 'id', 'name'].includes(name)),
    );
    return [{ above: [id], rows: [...alone, ...inside.filter((each) => !known.has(idOf(kind, each)))] }];
  });
}

/** Reads from collections as a tenant answers: with a page of a list, or one object. Other lists are empty. */
function clientFor({ tenant, settings }: Environment, collections: ReadonlyMap<string, Collection>): Client {
  return {
    tenant,
    settings,
    async send(call) {
      const body = bodyAt(call, collections);
      const answer = { outcome: 'answered', headers: {}, text: null, trackingId: null } as const;
      const status = body === undefined ? 404 : 200;
      return { ...answer, status, body: body ?? null, attempts: 1, ms: 0, repeated: false };
    },
    signIn() {},
    redact: (text) => text,
    close: async () => {},
  };
}

function bodyAt({ path, query }: Call, collections: ReadonlyMap<string, Collection>): Json | undefined {
  const whole = collections.get(path);
  if (!whole) {
    const end = path.lastIndexOf('/');
    const around = collections.get(path.slice(0, end));
    const id = decodeURIComponent(path.slice(end + 1));
    return around ? around.rows.find((row) => idOf(around.kind, row) === id) : [];
  }
  const { kind, rows } = whole;
  if (kind.read.how === 'single') return rows[0];
  const from = Number(query.offset ?? 0);
  const page = rows.slice(from, query.limit === undefined ? undefined : from + Number(query.limit));
  return 'list' in kind.read && kind.read.list.member !== undefined
    ? { [kind.read.list.member]: page }
    : page;
}

function remarksOn(
  entries: readonly BackupEntry[],
  collections: readonly Collection[],
  { kinds: { all } }: Environment,
): Diagnostic[] {
  const taken = new Set(collections.flatMap(({ rows }) => rows));
  const kinds = new Map(all.map((kind) => [typeOf(kind), kind]));
  const left = entries.flatMap(({ type, object }): string[] => {
    const kind = kinds.get(type);
    if (!kind) return [`${type}: no kind describes them`];
    if (isObserved(kind)) return [`${type}: the kind ${kind.name} is read-only`];
    return taken.has(object) ? [] : [`${type}: the backup does not say which object they belong to`];
  });
  if (left.length === 0) return [];
  const counts = groupBy(left.sort(), (each) => each).map(([what, { length }]) => `- ${length} ${what}`);
  const message = ['The backup has objects that are left out:', ...counts].join('\n');
  const hint =
    'Objects go to the kind that has the name of their type: those of ACCESS_PROFILE to `AccessProfile`. `tenantctl kind add` lists kinds to copy.';
  return [{ code: 'kind-left-out', severity: 'warning', message, hint }];
}
