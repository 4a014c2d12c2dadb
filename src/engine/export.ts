import { dirname, posix, relative, sep } from 'node:path';
import type { Client } from '../client/client.ts';
import { readRecords, resolveLookups } from '../client/lookups.ts';
import { readDefaults } from '../client/read.ts';
import type { DeclaredSecrets } from '../exporter/draft.ts';
import { collectionsFor, type Records } from '../exporter/ids.ts';
import {
  type Export,
  exportObjects,
  type Merge,
  type MergeInput,
  mergeExport,
  type NewDeclaration,
} from '../exporter/index.ts';
import { notExported } from '../exporter/remarks.ts';
import type { Kinds } from '../kinds/catalog.ts';
import { isObserved, type Kind, type LiveObject } from '../kinds/kind.ts';
import { identityOf, LiveIndex } from '../kinds/live-objects.ts';
import type { Project } from '../kinds/project.ts';
import { defaultsOf } from '../kinds/read-request.ts';
import type { Declarations } from '../loader/index.ts';
import { resolveLinks } from '../loader/paths.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure, fail } from '../model/failure.ts';
import { namesAndMore } from '../model/words.ts';
import { fillLookups, lookupsIn } from '../planner/fill-lookups.ts';
import { findPinnedElsewhere } from '../planner/match.ts';
import { fillValues, referencesIn, resolveReferences } from '../planner/references.ts';
import type { Backup } from './backup.ts';
import { checkScope } from './choices.ts';
import { readReferenceNames, remarkUnnamedRecords } from './names.ts';
import { type LeftOut, readSettledKinds, servedKinds, type Unusable } from './reading.ts';
import { findStrayIds, type StrayIds } from './stray-ids.ts';
import { readOnlyTenant, type Tenant } from './tenant.ts';

export interface ExportOptions {
  /** The kinds to export. Left out: all whose objects the API can change. */
  readonly kinds?: readonly string[] | undefined;
  /** The project's folder: what an apply from there has just written is waited for. Left out: nothing is. */
  readonly root?: string;
  isInScope?(address: Address): boolean;
  /** The secrets that existing manifests declare for an object. Left out: there are no manifests. */
  declaredSecrets?(object: LiveObject): DeclaredSecrets;
}

/** The kinds of an export that names none. Objects that the API cannot change are exported only by name. */
export function usualKinds({ all }: Kinds): Kind[] {
  return all.filter((kind) => !isObserved(kind));
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
  { kinds: names, root, isInScope = () => true, declaredSecrets = () => new Map() }: ExportOptions = {},
): Promise<Export & Pick<StrayIds, 'proposed'>> {
  const { kinds } = tenant.environment;
  checkScope({ only: [], except: [], kinds: names }, kinds);
  const reader = readOnlyTenant(tenant);
  const named = names?.map(kinds.get) ?? usualKinds(kinds);
  const { served: wanted, skipped } = servedKinds(named, [tenant.environment]);
  const refused = new Map<Kind, Failure>();
  const { objects: all, unusable } = await readSettledKinds(root, reader, wanted, {
    // A kind that somebody names has to be there.
    ...(names ? {} : { onRefused: (kind, refusal) => void refused.set(kind, refusal) }),
  });
  const objects = all.filter(({ address }) => isInScope(address));
  const { remarks, referredTo, ...context } = await readContext(reader, objects, true);
  const { diagnostics, ...files } = exportObjects({ ...context, objects, declaredSecrets });
  const strays = await findStrayIds(reader, objects, { objects: [...all, ...referredTo] });
  return {
    ...files,
    proposed: strays.proposed,
    diagnostics: [
      ...remarksOf(skipped, refused),
      ...diagnostics,
      ...remarks,
      ...strays.diagnostics,
      ...leftOut(unusable, isInScope),
    ],
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

interface MergeOptions
  extends Pick<MergeInput, 'all' | 'folder' | 'delete' | 'read' | 'fileOf' | 'isUsedElsewhere'> {
  /** The kinds to merge. Left out: those that manifests declare, and with `all` also those of an export. */
  readonly kinds?: readonly string[] | undefined;
  isInScope(address: Address): boolean;
}

/**
 * Reads the tenant and returns how to update the existing manifests. Comments, order, style, tags and side files are
 * kept. Throws a Failure if the tenant cannot be read, and for two manifests of one object, of which one pins its id.
 */
export async function mergeTenant(
  { root, resources, secrets }: Project,
  tenant: Tenant,
  { kinds: names, isInScope, ...options }: MergeOptions,
): Promise<Merge> {
  const { kinds } = tenant.environment;
  const reader = readOnlyTenant(tenant);
  const declared = new Set(resources.map(({ kind }) => kind));
  const usual = new Set([...declared, ...(options.all ? usualKinds(kinds) : [])]);
  const named = names?.map(kinds.get) ?? kinds.all.filter((kind) => usual.has(kind));
  const { served: wanted, skipped } = servedKinds(named, [tenant.environment]);
  const refused = new Map<Kind, Failure>();
  const [{ objects, unusable }, answer] = await Promise.all([
    readSettledKinds(root, reader, wanted, {
      declared: resources,
      onRefused(kind, refusal) {
        // A kind with manifests, or that somebody names, has to be there.
        if (names || declared.has(kind)) throw refusal;
        refused.set(kind, refusal);
      },
    }),
    resolveLookups(reader.client, lookupsIn(resources)),
  ]);
  const twice = findPinnedElsewhere(resources, new LiveIndex(objects), (...both) =>
    both.some(({ address }) => isInScope(address)),
  );
  if (twice.length > 0) throw new Failure(twice);
  const { remarks, referredTo, ...context } = await readContext(reader, objects, false);
  const references = resolveReferences(referencesIn(resources, kinds), {
    resources,
    objects: [...referredTo, ...objects],
    isInScope: () => true,
  });
  const merged = mergeExport({
    ...options,
    ...context,
    objects,
    // Without its text a secret cannot be compared, and need not be: it stays as it is written.
    secrets: {
      matches: (name, shown) => secrets.problem(name) !== null || secrets.matches(name, shown),
    },
    resources: resources.map((resource) => fillValues(fillLookups(resource, answer), references)),
    // An unreadable object is not gone: its manifest stays.
    inScope: (object) =>
      isInScope(object.address) &&
      wanted.includes(object.kind) &&
      !unusable.has(identityOf(object.kind, object.key)),
  });
  const meant = objects.filter(({ address }) => isInScope(address));
  const strays = await findStrayIds(reader, meant, { objects: [...objects, ...referredTo] });
  const identities = new Set(resources.map(({ kind, key }) => identityOf(kind, key)));
  return {
    ...merged,
    diagnostics: [
      ...remarksOf(skipped, refused),
      ...merged.diagnostics,
      ...remarks,
      ...strays.diagnostics,
      ...leftOut(
        unusable,
        (address, identity) => isInScope(address) && (options.all || identities.has(identity)),
      ),
    ],
  };
}

const remarksOf = (skipped: readonly LeftOut[], refused: ReadonlyMap<Kind, Failure>) => [
  ...skipped.map(({ problem }) => problem),
  ...[...refused].map(([{ name }, { diagnostics }]): Diagnostic => {
    const why = diagnostics.map(({ message }) => message).join(' ');
    const message = `${name} is left out: the tenant does not show it. ${why}`;
    const hint = diagnostics.find((each) => each.hint)?.hint;
    return { code: 'kind-left-out', severity: 'warning', message, ...(hint && { hint }) };
  }),
];

function leftOut(unusable: Unusable, isMeant: (address: Address, identity: string) => boolean): Diagnostic[] {
  const wanted = [...unusable].filter(([identity, { address }]) => isMeant(address, identity));
  // A plan that declares one is refused.
  const next = 'Export again when that has changed.';
  return wanted.map(([, { address, why }]) => notExported(address, why, next));
}

/**
 * Reads what manifests of these objects are written with: the names of ids, and the vendor's defaults.
 *
 * @param isReferredOnly false if existing manifests may refer to other objects by name
 */
async function readContext(tenant: Tenant, objects: readonly LiveObject[], isReferredOnly: boolean) {
  const { client } = tenant;
  const [records, { objects: referredTo, nameOf, remarksOn }, defaults] = await Promise.all([
    readReferencedRecords(client, objects),
    readReferenceNames(tenant, objects, isReferredOnly),
    readDefaults(client, defaultsOf(objects)),
  ]);
  const standards = new LiveIndex(defaults);
  const standardOf = ({ kind, key }: LiveObject) => standards.findByKey(kind, key);
  const remarks = [...remarksOn(() => true), ...remarkUnnamedRecords(objects, records)];
  return { records, referredTo, nameOf, standardOf, remarks };
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
 * Throws a Failure if an export would declare objects a second time: the project could not be loaded any more.
 *
 * @param folder where the exported files go, as {@link pathInProject} gives it
 */
export function refuseDeclared(
  declared: readonly NewDeclaration[],
  folder: string,
  declarations: Declarations,
): void {
  const twice = declared
    .filter(({ path }) => declarations.covers(posix.join(folder, path)))
    .flatMap(({ object }) => {
      const source = declarations.find(object);
      return source ? [{ address: object.address, source }] : [];
    });
  const [first] = twice;
  if (!first) return;
  const what =
    twice.length === 1
      ? `${first.address} is already declared`
      : `${twice.length} of ${declared.length} objects are already declared, such as ${first.address}`;
  throw fail('already-declared', `${what}. Nothing was written.`, {
    hint: 'Update the existing manifests with `export --merge`, or export into a folder that `manifests` does not match.',
    ...first,
  });
}

/** A remark if no glob matches new manifests. It is no error: an export may be meant for reading only. */
export function unreadManifests(
  paths: readonly string[],
  { covers, globs }: Declarations,
): readonly Diagnostic[] {
  const unread = [...new Set(paths)].filter((path) => !covers(path));
  const [first] = unread;
  if (first === undefined) return [];
  const named = namesAndMore([first], unread.length - 1);
  return [
    {
      code: 'unread-manifest',
      severity: 'info',
      message: `No glob of \`manifests\` (${globs.patterns.join(', ')}) matches ${named}: plans do not read what it declares.`,
      hint: 'Add a glob to `manifests`, or export into a folder that one matches.',
      source: globs.source,
    },
  ];
}

/** Throws a Failure if no glob matches new manifests: every further merge would create them again. */
export function refuseUnread(paths: readonly string[], declarations: Declarations): void {
  const unread = unreadManifests(paths, declarations);
  if (unread.length === 0) return;
  throw new Failure(
    unread.map((each) => ({ ...each, severity: 'error', message: `${each.message} Nothing was written.` })),
  );
}
