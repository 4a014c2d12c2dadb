import type { Client } from '../client/client.ts';
import { readRecords, resolveLookups } from '../client/lookups.ts';
import { readAll, readOnce } from '../client/read.ts';
import { type Export, exportObjects, type Merge, type MergeInput, mergeExport } from '../exporter/index.ts';
import { collectionsFor, type Records } from '../exporter/lookups.ts';
import { kindNamed, kinds } from '../kinds/index.ts';
import type { Address } from '../model/address.ts';
import type { LiveObject } from '../model/live.ts';
import type { Project } from '../model/project.ts';
import type { ApiSettings } from '../model/settings.ts';
import { fillLookups, lookupsIn } from '../planner/fill-lookups.ts';
import type { Tenant } from './tenant.ts';

/** Which objects to export. */
export interface ExportOptions {
  /** The kinds to export. Left out: all. */
  readonly kinds?: readonly string[];
  /** Whether to export an object. Left out: every object. */
  isInScope?(address: Address): boolean;
}

/**
 * Reads the tenant and returns it as manifests and side files, which the caller writes. Throws a Failure where the
 * tenant cannot be read.
 *
 * @example
 * const { files } = await exportTenant(tenant, { kinds: ['NotificationTemplate'] });
 * for (const { path, content } of files) console.log(path, content.length);
 */
export async function exportTenant(
  { client: ofTenant, environment: { settings } }: Tenant,
  { kinds: names, isInScope = () => true }: ExportOptions = {},
): Promise<Export> {
  const client = readOnce(ofTenant);
  const all = await readAll(client, names === undefined ? kinds : names.map(kindNamed), settings);
  const objects = all.filter(({ address }) => isInScope(address));
  const records = await readReferenced(client, objects, settings);
  return exportObjects({ objects, records, settings });
}

export interface MergeOptions
  extends Required<ExportOptions>,
    Pick<MergeInput, 'folder' | 'delete' | 'read'> {}

/**
 * Reads the tenant and returns how to update the existing manifests. Comments, order, style, tags and side files are
 * kept. Throws a Failure where the tenant cannot be read.
 */
export async function mergeTenant(
  { resources, secrets }: Project,
  { client: ofTenant, environment: { settings } }: Tenant,
  { kinds: names, isInScope, ...options }: MergeOptions,
): Promise<Merge> {
  const client = readOnce(ofTenant);
  const [objects, answer] = await Promise.all([
    readAll(client, names.map(kindNamed), settings, resources),
    resolveLookups(client, lookupsIn(resources)),
  ]);
  return mergeExport({
    ...options,
    objects,
    settings,
    secrets,
    records: await readReferenced(client, objects, settings),
    resources: resources.map((resource) => fillLookups(resource, answer)),
    inScope: ({ kind, address }) => names.includes(kind) && isInScope(address),
  });
}

/** Reads the records that the ids inside these objects may refer to. */
async function readReferenced(
  client: Client,
  objects: readonly LiveObject[],
  settings: ApiSettings,
): Promise<Records> {
  let records: Records = new Map();
  let open = collectionsFor(objects, settings);
  while (open.length > 0) {
    records = new Map([...records, ...(await readRecords(client, open))]);
    open = collectionsFor(objects, settings, records);
  }
  return records;
}
