import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Json, type JsonObject, parseJson } from '../model/json.ts';
import { type CollectionKind, kindsByName, readKind } from './collection-kind.ts';
import { type CollectionObject, readSaved, seedReader } from './collection-object.ts';
import { Fields } from './fields.ts';
import { parseYaml, readFile } from './file.ts';
import * as objects from './objects.ts';

/** Everything a tenant holds. Tests change it directly, as a person does in the tenant's own interface. */
export type TenantState = ReturnType<typeof readState>;

/**
 * The tenant to start with: the data file if it exists, else the seed, else an empty tenant. `described` are kinds whose
 * descriptors are not in the file. Throws `SandboxFileError` for a file that is missing, unreadable or of the wrong shape.
 */
export function loadState(
  seed: string | null,
  data: string | null,
  described: readonly CollectionKind[] = [],
): TenantState {
  if (data !== null && existsSync(data)) {
    return readFile(data, (text) => readState(parseJson(text), described, readSavedObjects));
  }
  if (seed === null) return readState({}, described, readSeedObjects);
  return readFile(seed, (text) => readState(parseYaml(text), described, readSeedObjects));
}

/** The kinds that the tenant serves in addition to those of the API documents: its own, and `described`, which come first. */
export function servedKinds(
  { kinds }: { readonly kinds: readonly Json[] },
  described: readonly CollectionKind[],
): ReadonlyMap<string, CollectionKind> {
  return kindsByName([...kinds.map((kind) => readKind(kind, 'kinds')), ...described]);
}

/** The objects of described kinds, by the name of the kind. */
type Objects = Record<string, CollectionObject[]>;

/** Writes the tenant atomically: a reader sees the old file or the new one, also after a crash. */
export function saveState(state: TenantState, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  // Somebody may have put a link there: it is replaced, not followed.
  rmSync(temporary, { force: true });
  writeFileSync(temporary, JSON.stringify(state), { mode: 0o600, flush: true, flag: 'wx' });
  renameSync(temporary, file);
}

/**
 * The tenant that a seed or a data file describes. Fills in what a seed leaves out: ids, times, and the texts of a
 * customised template that are the same as in its default. Throws `ShapeError` for unknown fields and wrong types.
 */
function readState(
  value: Json | undefined,
  described: readonly CollectionKind[],
  readObjects: typeof readSeedObjects,
) {
  const fields = new Fields(value, 'seed');
  const kinds = fields.list('kinds', (kind, at) => {
    readKind(kind, at);
    return kind;
  });
  const templateDefaults = fields.list('templateDefaults', objects.readTemplateDefault);
  const state = {
    tenant: fields.textOr('tenant', 'sandbox'),
    // Counts deletions, so that an object created again with its old key gets another id.
    generation: fields.numberOrNull('generation') ?? 0,
    references: fields.list('references', objects.readReference),
    kinds,
    objects: readObjects(fields.objectOrNull('objects') ?? {}, servedKinds({ kinds }, described)),
    authProfiles: fields.list('authProfiles', objects.readAuthProfile),
    simIntegrations: fields.list('simIntegrations', objects.readSimIntegration),
    templateDefaults,
    templates: fields.list('templates', objects.templateReader(templateDefaults)),
    templateContext: objects.readContext(fields.json('templateContext') ?? {}, 'seed.templateContext'),
    preferences: fields.list('preferences', objects.readPreference),
    senders: fields.list('senders', objects.readSender),
    identities: fields.list('identities', objects.readIdentity),
    mailFrom: fields.list('mailFrom', objects.readMailFrom),
    sentNotifications: fields.list('sentNotifications', objects.readSentNotification),
    users: fields.lines('users', objects.readUser),
    profileTypes: fields.list('profileTypes', objects.readProfileType),
    neAttributes: fields.list('neAttributes', objects.readNeAttribute),
    profiles: fields.lines('profiles', objects.readProfile),
    profileSearches: fields.list('profileSearches', objects.readProfileSearch),
  };
  fields.end();
  return state;
}

/** The objects of each kind in a seed, kinds without any included. Throws `ShapeError`, also for a kind that nothing describes. */
function readSeedObjects(value: JsonObject, kinds: ReadonlyMap<string, CollectionKind>): Objects {
  const fields = new Fields(value, 'seed.objects');
  const lists = [...kinds].map(([name, kind]) => [name, fields.lines(name, seedReader(kind))] as const);
  fields.end();
  return Object.fromEntries(lists);
}

/** The same in a data file. Descriptors may have changed since it was written, or be gone: objects stay as they were. */
function readSavedObjects(value: JsonObject, kinds: ReadonlyMap<string, CollectionKind>): Objects {
  const fields = new Fields(value, 'objects');
  const names = new Set([...kinds.keys(), ...Object.keys(value)]);
  return Object.fromEntries([...names].map((name) => [name, fields.list(name, readSaved)]));
}

/** Moves the first record of each list to its end: another order, which means nothing, shifts the rows of all pages. */
export function moveFirstRecords(state: TenantState): void {
  for (const records of [...Object.values(state), ...Object.values(state.objects)])
    if (Array.isArray(records)) moveFirst(records);
}

function moveFirst(records: unknown[]): void {
  records.push(...records.splice(0, 1));
}
