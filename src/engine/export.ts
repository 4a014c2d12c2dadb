import { dirname, posix, relative, sep } from 'node:path';
import type { Client } from '../client/client.ts';
import { readRecords, resolveLookups } from '../client/lookups.ts';
import { type ReadAllOptions, readDefaults } from '../client/read.ts';
import { type DraftInput, notExported } from '../exporter/draft.ts';
import { type Export, exportObjects } from '../exporter/files.ts';
import { collectionsFor, type Records } from '../exporter/ids.ts';
import { type Merge, type MergeInput, mergeExport } from '../exporter/merge.ts';
import { newNameOf } from '../exporter/merge-document.ts';
import { isObserved, type Kind, keyBelow, type LiveObject, parentKey } from '../kinds/kind.ts';
import { defaultsOf, identityOf, LiveIndex, someOf } from '../kinds/live-objects.ts';
import { globProblem, type Kinds, type Project } from '../kinds/project.ts';
import { noLifecycle, type Resource } from '../kinds/resource.ts';
import type { Declarations } from '../loader/index.ts';
import { resolveLinks } from '../loader/paths.ts';
import { type ManifestDocument, type Member, printableOf } from '../loader/print.ts';
import { type Address, type Key, matchAddresses, parseAddress, referenceText } from '../model/address.ts';
import { type Diagnostic, Failure, fail } from '../model/failure.ts';
import { get, mapMembers } from '../model/json.ts';
import { topName } from '../model/pointer.ts';
import { didYouMean, namesAndMore } from '../model/words.ts';
import { findPinnedElsewhere } from '../planner/match.ts';
import {
  fillLookups,
  fillReferences,
  lookupsIn,
  referencesIn,
  resolveReferences,
  resourcesByIdentity,
} from '../planner/references.ts';
import type { Backup } from './backup.ts';
import { checkScope, kindsNamed } from './choices.ts';
import { readReferenceNames, remarkUnnamedRecords } from './names.ts';
import { findStrayIds, type ProposedPlaces } from './stray-ids.ts';
import { readOnlyTenant, readSettledKinds, servedKinds, type Tenant } from './tenant.ts';

export interface ExportOptions extends Pick<DraftInput, 'declared'> {
  /** The kinds to export. Left out: all whose objects the API can change. */
  readonly kinds?: readonly string[] | undefined;
  /** The project's folder: what an apply from there has just written is waited for. Left out: nothing is. */
  readonly root?: string;
  isInScope?(address: Address): boolean;
}

/**
 * Reads the tenant and returns it as manifests and side files, which the caller writes. Throws a Failure if the
 * tenant cannot be read, and for names that are not kinds.
 *
 * @example
 * const { files } = await exportTenant(tenant, { kinds: ['NotificationTemplate'] });
 * for (const { path, content } of files) console.log(path, content.length);
 */
export async function exportTenant(
  tenant: Tenant,
  { kinds: names, root, isInScope = () => true, ...declarations }: ExportOptions = {},
): Promise<Export & { readonly proposed: ReadonlyMap<string, ProposedPlaces> }> {
  const { kinds } = tenant.environment;
  checkScope({ only: [], except: [], kinds: names }, kinds);
  // Objects that the API cannot change are exported only by name.
  const wanted = names?.map(kinds.get) ?? kinds.all.filter((kind) => !isObserved(kind));
  const options = { root, isInScope, isNamed: names !== undefined };
  const { objects, strays, ...read } = await readToExport(readOnlyTenant(tenant), wanted, options);
  const { diagnostics, ...files } = exportObjects({ ...read.context, ...declarations, objects });
  return {
    ...files,
    proposed: strays.proposed,
    diagnostics: [...read.left, ...diagnostics, ...read.remarks, ...leftOut(read.unusable, isInScope)],
  };
}

/** The same of a backup: the kinds of its objects, unless some are named. */
export async function exportBackup(
  { tenant, kinds, diagnostics }: Backup,
  options: Omit<ExportOptions, 'root'> = {},
): Promise<Export> {
  const named = options.kinds ?? kinds.map(({ name }) => name);
  const exported = await exportTenant(tenant, { ...options, kinds: named });
  return { ...exported, diagnostics: [...diagnostics, ...exported.diagnostics] };
}

interface MergeOptions extends Pick<MergeInput, 'all' | 'folder' | 'delete' | 'read' | 'fileOf'> {
  readonly declarations: Declarations;
  /** The kinds to merge. Left out: those that manifests declare, and with `all` also those of an export. */
  readonly kinds?: readonly string[] | undefined;
  isInScope(address: Address): boolean;
}

/**
 * Reads the tenant and returns how to update the existing manifests. Comments, order, style, tags and side files are
 * kept. Throws a Failure if the tenant cannot be read, for two manifests of one object, of which one pins its id, and if no glob
 * matches new manifests.
 */
export async function mergeTenant(
  { root, resources, secrets }: Project,
  tenant: Tenant,
  { kinds: names, isInScope, declarations, ...options }: MergeOptions,
): Promise<Merge> {
  const { kinds } = tenant.environment;
  const reader = readOnlyTenant(tenant);
  const declared = new Set(resources.map(({ kind }) => kind));
  const usual = kinds.all.filter((kind) => declared.has(kind) || (options.all && !isObserved(kind)));
  const wanted = names?.map(kinds.get) ?? usual;
  const isNamed = names !== undefined;
  const inScope = resources.filter(({ address }) => isInScope(address));
  const references = referencesIn(inScope, kinds);
  const [{ all: objects, unusable, referredTo, ...read }, answer] = await Promise.all([
    readToExport(reader, wanted, { root, isInScope, isNamed, declared: resources, references }),
    resolveLookups(reader.client, lookupsIn(resources)),
  ]);
  const index = new LiveIndex(objects);
  const twice = findPinnedElsewhere(resources, index, (...both) =>
    both.some(({ address }) => isInScope(address)),
  );
  if (twice.length > 0) throw new Failure(twice);
  const found = resolveReferences(references, { resources, objects: [...referredTo, ...objects] });
  const unread = found.missing.flatMap(({ reference: { kind, uses } }) =>
    read.refusals.has(kind) ? uses : [],
  );
  const renamed = renamesOf(inScope, index, kinds);
  const merged = mergeExport({
    ...options,
    ...read.context,
    isUsedElsewhere: declarations.isReadByEnvironment,
    objects,
    renamed,
    // Without its text a secret cannot be compared, and need not be: it stays as it is written.
    secrets: {
      matches: (name, test) => secrets.problem(name) !== null || secrets.matches(name, test),
    },
    resources: resources.map((resource) => {
      // Nothing is known of what these fields refer to: they stay.
      const unknown = unread.filter((use) => use.resource === resource).map(({ at }) => topName(at));
      const fields = mapMembers(resource.fields, (value, name) =>
        unknown.includes(name) ? undefined : value,
      );
      return fillReferences(fillLookups({ ...resource, fields }, answer), found, renamed);
    }),
    // An unreadable object is not gone: its manifest stays.
    inScope: (object) =>
      isInScope(object.address) &&
      read.served.includes(object.kind) &&
      !unusable.has(identityOf(object.kind, object.key)),
  });
  refuseUnread(merged.newManifests, declarations);
  const identities = new Set(resources.map(({ kind, key }) => identityOf(kind, key)));
  const isMeant = (address: Address, identity: string) =>
    isInScope(address) && (options.all || identities.has(identity));
  return {
    ...merged,
    diagnostics: [...read.left, ...merged.diagnostics, ...read.remarks, ...leftOut(unusable, isMeant)],
  };
}

/** Returns a function that gives references the tenant's names of objects that a merge renames, and of those above them. */
function renamesOf(resources: readonly Resource[], index: LiveIndex, kinds: Kinds) {
  const declared = resourcesByIdentity(resources);
  const keyNow = (kind: Kind, key: Key): Key => {
    const resource = declared.get(identityOf(kind, key));
    const name = resource ? newNameOf(resource, index.find(resource)) : null;
    if (name !== null) return [name];
    const { parent } = kind;
    return parent ? keyBelow(keyNow(parent.kind, parentKey(parent, key)), key) : key;
  };
  return (reference: string): string | null => {
    const { kind: to = '', key = [] } = parseAddress(reference) ?? {};
    const kind = kinds.find(to);
    const now = kind ? keyNow(kind, key) : key;
    return now.join('/') === key.join('/') ? null : referenceText(to, now);
  };
}

interface ReadOptions extends Pick<ReadAllOptions, 'declared'> {
  /** Those in manifests. Left out: there are none. */
  readonly references?: ReturnType<typeof referencesIn>;
  readonly root: string | undefined;
  readonly isNamed: boolean;
  isInScope(address: Address): boolean;
}

/**
 * Reads objects, and what their manifests are written with: the names of ids, and the vendor's defaults. A kind that somebody
 * names, or that is declared, has to be there.
 */
async function readToExport(reader: Tenant, kinds: readonly Kind[], options: ReadOptions) {
  const { root, isInScope, isNamed, declared, references = null } = options;
  const { served, skipped } = servedKinds(kinds, [reader.environment]);
  const mayLack = (kind: Kind) => !isNamed && !declared?.some((each) => each.kind === kind);
  const read = await readSettledKinds(root, reader, served, { ...(declared && { declared }), mayLack });
  const { objects: all, unusable, refused } = read;
  const left = [...skipped.map(({ problem }) => problem), ...refused.values()];
  const objects = all.filter(({ address }) => isInScope(address));
  // Manifests may refer to other objects by name.
  const described = declared ? all : objects;
  const [records, { objects: referredTo, nameOf, refusals, remarksOn }, defaults] = await Promise.all([
    readReferencedRecords(reader.client, described),
    readReferenceNames(reader, described, references),
    readDefaults(reader.client, defaultsOf(described)),
  ]);
  const standards = new LiveIndex(defaults);
  const standardOf = ({ kind, key }: LiveObject) => standards.findByKey(kind, key);
  const strays = await findStrayIds(reader, objects, [...all, ...referredTo]);
  const names = [...remarksOn(() => true), ...remarkUnnamedRecords(described, records)];
  const context = { records, nameOf, standardOf };
  const remarks = [...names, ...strays.diagnostics];
  return { served, all, objects, unusable, referredTo, refusals, strays, context, left, remarks };
}

function leftOut(
  unusable: Awaited<ReturnType<typeof readSettledKinds>>['unusable'],
  isMeant: (address: Address, identity: string) => boolean,
): Diagnostic[] {
  return [...unusable]
    .filter(([identity, { address }]) => isMeant(address, identity))
    .map(([, { address, why }]) => notExported(address, why, 'Export again when that has changed.'));
}

export async function readReferencedRecords(
  client: Client,
  objects: readonly Pick<LiveObject, 'kind' | 'fields'>[],
): Promise<Records> {
  let records: Records = new Map();
  let missing = collectionsFor(objects, { records });
  while (missing.length > 0) {
    records = new Map([...records, ...(await readRecords(client, missing))]);
    missing = collectionsFor(objects, { records });
  }
  return records;
}

/** The path of a folder from the project's root, with `/`. The path of a folder outside the project begins with `..`. */
export function pathInProject(
  folder: string,
  { root, configFile }: Pick<Project, 'root' | 'configFile'>,
): string {
  const asNamed = relative(dirname(configFile), folder);
  // The root is without links, but the folder may have been named by a path with links.
  const path = asNamed.split(sep)[0] === '..' ? relative(root, resolveLinks(folder)) : asNamed;
  return path.split(sep).join('/');
}

/**
 * Throws a Failure if an export into this folder would declare objects a second time: the project could not be loaded any more.
 * Returns a remark if no glob matches new manifests.
 */
export function checkNew(
  declared: Export['declared'],
  folder: string,
  declarations: Declarations,
): readonly Diagnostic[] {
  const paths = declared.map(({ path }) => posix.join(folder, path));
  const twice = declared.flatMap(({ object }, at) => {
    const source = declarations.covers(paths[at] ?? '') ? declarations.find(object) : null;
    return source ? [{ address: object.address, source }] : [];
  });
  const [first] = twice;
  if (!first) return unreadManifests(paths, declarations);
  const what =
    twice.length === 1
      ? `${first.address} is already declared`
      : `${twice.length} of ${declared.length} objects are already declared, such as ${first.address}`;
  throw fail('already-declared', `${what}. Nothing was written.`, {
    hint: 'Update the existing manifests with `export --merge`, or export into a folder that `manifests` does not match.',
    ...first,
  });
}

/** It is no error: an export may be meant for reading only. */
function unreadManifests(paths: readonly string[], { covers, globs }: Declarations): readonly Diagnostic[] {
  const unread = [...new Set(paths)].filter((path) => !covers(path));
  const [first] = unread;
  if (first === undefined) return [];
  const named = namesAndMore([first], unread.length - 1);
  const message = `No glob of \`manifests\` (${globs.patterns.join(', ')}) matches ${named}: plans do not read what it declares.`;
  const hint = 'Add a glob to `manifests`, or export into a folder that one matches.';
  return [{ code: 'unread-manifest', severity: 'info', message, hint, source: globs.source }];
}

/** Throws a Failure if no glob matches new manifests: every further merge would create them again. */
function refuseUnread(paths: readonly string[], declarations: Declarations): void {
  const unread = unreadManifests(paths, declarations);
  if (unread.length === 0) return;
  throw new Failure(
    unread.map((each) => ({ ...each, severity: 'error', message: `${each.message} Nothing was written.` })),
  );
}

/**
 * The live objects at these addresses and globs, as manifests. A template that nobody customised is the vendor's default. Throws a
 * Failure when the tenant cannot be read, and for addresses that can name nothing. The diagnostics have an error for each
 * address that names no object.
 */
export async function getLive(
  tenant: Tenant,
  addresses: readonly Address[],
  options: Pick<ExportOptions, 'root' | 'declared'>,
) {
  const { kinds } = tenant.environment;
  checkAddresses(addresses, kinds);
  const known = new Set<Address>();
  const isWanted = matchAddresses(addresses);
  const exported = await exportTenant(tenant, {
    ...options,
    kinds: kindsNamed({ only: addresses }),
    isInScope(address) {
      known.add(address);
      return isWanted(address);
    },
  });
  const standards = await getDefaults(tenant, missingOf(addresses, [...known]), kinds);
  const documents = new Map([...exported.documents, ...standards]);
  const missing = missingOf(addresses, [...known, ...standards.keys()]);
  return {
    documents,
    diagnostics: [
      ...exported.diagnostics,
      ...[...standards.keys()].map((address): Diagnostic => {
        const message = `${address} is not customised: this is the vendor's default.`;
        return { code: 'vendor-default', severity: 'info', message, address };
      }),
      ...missing.map((address) => absent('not-in-tenant', address, 'The tenant has no object', [...known])),
    ],
  };
}

/** The objects that manifests declare at these addresses and globs, after variables and overlays. */
export function getDeclared(resources: readonly Resource[], addresses: readonly Address[], kinds: Kinds) {
  checkAddresses(addresses, kinds);
  const isWanted = matchAddresses(addresses);
  const wanted = resources.filter(({ address }) => isWanted(address));
  const known = resources.map(({ address }) => address);
  return {
    documents: new Map(wanted.map((resource) => [resource.address, documentOf(resource)])),
    diagnostics: missingOf(addresses, known).map((address) =>
      absent('not-declared', address, 'No manifest declares an object', known),
    ),
  };
}

/** Throws a Failure for addresses of kinds that do not exist, and for those that no object can have. */
function checkAddresses(addresses: readonly Address[], kinds: Kinds): void {
  const problems = addresses.flatMap((address): Diagnostic[] => {
    const problem = globProblem(address, kinds);
    return problem ? [{ ...problem, severity: 'error' }] : [];
  });
  if (problems.length > 0) throw new Failure(problems);
}

function missingOf(addresses: readonly Address[], known: readonly Address[]): Address[] {
  return addresses.filter((address) => !known.some(matchAddresses([address])));
}

async function getDefaults({ client }: Tenant, addresses: readonly Address[], kinds: Kinds) {
  const requests = addresses.flatMap((address) => {
    const { kind: name = '', key = [] } = parseAddress(address) ?? {};
    const kind = kinds.find(name);
    return kind?.read.defaults && key.length === kind.keyFields.length ? [someOf(kind, [key])] : [];
  });
  const found = requests.length === 0 ? [] : await readDefaults(client, requests);
  const isWanted = matchAddresses(addresses);
  const objects = found.filter(({ address }) => isWanted(address));
  return exportObjects({ objects, records: new Map() }).documents;
}

function absent(code: string, address: Address, what: string, known: readonly Address[]): Diagnostic {
  const near = didYouMean(address, known);
  const hint = near ?? '`tenantctl get "KIND/**"` lists the objects of a kind.';
  return { code, severity: 'error', message: `${what} at the address \`${address}\`.`, hint };
}

function documentOf({ kind, key, id, ensure, fields, lifecycle }: Resource): ManifestDocument {
  // The parent in a key is a field too, which refers to it.
  const names = kind.keyFields.map(({ name }, part): Member => {
    return [name, printableOf(get(fields, name) ?? key[part] ?? '')];
  });
  const isPinnedOnly = id !== null && key[0] === id;
  const unset = new Map<string, unknown>(Object.entries(noLifecycle));
  const { renamedFrom, ...others } = lifecycle;
  // A manifest has the name alone, which only a key of one part can be.
  const written = { ...others, renamedFrom: renamedFrom?.[0] ?? null };
  const rules = Object.entries(written).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(unset.get(name)),
  );
  return {
    members: [
      ['kind', kind.name],
      ...(isPinnedOnly ? [] : names),
      ...(id === null ? [] : [['id', id] as const]),
      ...(ensure === 'absent' ? [['ensure', ensure] as const] : []),
      ...Object.entries(fields).flatMap(([name, value]): Member[] =>
        name === kind.parent?.part ? [] : [[name, printableOf(value)]],
      ),
      ...(rules.length === 0 ? [] : [['lifecycle', { members: rules }] as const]),
    ],
    comments: new Map(),
    remarks: [],
  };
}
