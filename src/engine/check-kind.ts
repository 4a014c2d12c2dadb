import type { Client } from '../client/client.ts';
import { isBadRequest } from '../client/describe.ts';
import { readFirstPage } from '../client/pages.ts';
import { readAgain, readAll } from '../client/read.ts';
import type { ExportedFile } from '../exporter/index.ts';
import { apiRequest } from '../kinds/http.ts';
import { allOf, isObserved, type Kind, type List, type LiveObject } from '../kinds/kind.ts';
import { liveObject } from '../kinds/live-objects.ts';
import type { Project } from '../kinds/project.ts';
import type { FileSource } from '../loader/source.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { failure } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import { segmentsOf } from '../model/pointer.ts';
import { choicesFrom } from './choices.ts';
import { exportTenant } from './export.ts';
import { changedFields, sharedKeys, unnamedFields, unreadableRows, unstableFields } from './kind-findings.ts';
import { makePlan } from './plan.ts';
import type { Tenant } from './tenant.ts';

/** What a check of a kind has found. Without an error, the descriptor holds for the tenant. */
export interface KindCheck {
  readonly objects: number;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Checks a kind against a tenant, which is only read: whether its list can be read whole, its key tells objects apart, its
 * fields stay as they are, and a plan of its export is empty. Throws a Failure where the tenant cannot be read.
 *
 * @param load loads the project with these manifests in the place of its own
 */
export async function checkKind(
  tenant: Tenant,
  kind: Kind,
  load: (manifests: FileSource) => Project,
): Promise<KindCheck> {
  const reader = { ...tenant, client: onlyReads(tenant.client) };
  const { objects, unreadable } = await readTolerantly(reader, kind);
  const again = await readTolerantly(reader, kind);
  const found = [
    ...unreadableRows(kind, unreadable),
    ...sharedKeys(objects),
    ...unstableFields(objects, again.objects),
    ...(isObserved(kind) ? [] : unnamedFields(objects)),
    ...(await checkList(reader, kind, objects)),
    ...(objects.length === 0 ? [nothingToCheck(kind)] : []),
  ];
  // What cannot be read or told apart cannot be exported either.
  const planned = hasErrors(found) ? [] : await checkPlan(reader, kind, load);
  return { objects: objects.length, diagnostics: [...found, ...planned] };
}

/** The same client, which sends nothing but GET. */
function onlyReads(client: Client): Client {
  const again = readAgain(client);
  return {
    ...again,
    send(request, options) {
      if (request.method !== 'GET') throw new TypeError(`A check of a kind must not send ${request.method}.`);
      return again.send(request, options);
    },
  };
}

/** All objects of the kind, and the rows of its list that are none. */
async function readTolerantly({ client, environment: { settings } }: Tenant, kind: Kind) {
  const unreadable: JsonObject[] = [];
  const tolerant: Kind = {
    ...kind,
    isForeign(row) {
      if (kind.isForeign?.(row) !== true) unreadable.push(row);
      return true;
    },
  };
  const read = await readAll(client, [tolerant], settings);
  const objects = read.flatMap(({ raw, id }) => liveObject(kind, raw, settings, id) ?? []);
  return { objects, unreadable };
}

function nothingToCheck({ name }: Kind): Diagnostic {
  const message = `The tenant has no ${name}, so there is nothing that could prove the descriptor.`;
  const hint = `Make one in the admin interface, or check against a tenant that has some.`;
  return { code: 'kind-no-objects', severity: 'error', message, hint };
}

/** Whether the pages and the filter of the list are as the descriptor says. */
async function checkList(reader: Tenant, kind: Kind, objects: readonly LiveObject[]): Promise<Diagnostic[]> {
  if (kind.read.how !== 'list') return [];
  const { list } = kind.read;
  return [
    ...(await checkPages(reader, list, objects)),
    ...(list.filter ? await checkFilter(reader, list, objects) : []),
  ];
}

/** Asks for what would be the second page after a first page that looks like the last. */
async function checkPages(reader: Tenant, list: List, objects: readonly LiveObject[]): Promise<Diagnostic[]> {
  const { pageSize } = list;
  if (objects.length === 0 || (pageSize !== null && objects.length >= pageSize)) return [];
  const limit = pageSize === null ? {} : { limit: String(pageSize) };
  const rows = await rowsAt(reader, list, { ...limit, offset: String(objects.length) });
  const known = new Set(objects.map(({ id }) => id));
  const further = rows.filter((row) => !known.has(String(row.id)));
  if (further.length === 0) return [];
  const message = `The tenant lists ${objects.length} objects at once, and then more: the descriptor says ${pageSize ?? 'that there are no pages'}.`;
  const hint = `Set \`list.pageSize\` to ${objects.length}.`;
  return [{ code: 'kind-page-size', severity: 'error', message, hint }];
}

/** Asks for one object by its key. */
async function checkFilter(
  reader: Tenant,
  list: List,
  objects: readonly LiveObject[],
): Promise<Diagnostic[]> {
  const [object] = objects;
  if (!object || !list.filter) return [];
  const filters = list.filter([object.key]);
  const rows = await rowsAt(reader, list, { filters });
  const isFound = rows.some((row) => String(row.id) === object.id);
  const hint = 'Remove `list.filter`: the whole list is read then.';
  const report = (severity: 'error' | 'warning', message: string): Diagnostic[] => [
    { code: 'kind-filter', severity, message, hint },
  ];
  if (!isFound) return report('error', `The filter ${filters} does not find ${object.address}.`);
  const [part = ''] = object.key;
  const same = objects.filter(({ key }) => key[0]?.toLowerCase() === part.toLowerCase());
  if (rows.length <= same.length) return [];
  return report('warning', `The filter ${filters} does not narrow: it finds ${rows.length} objects.`);
}

/** The rows of one answer of the list; none where the tenant refuses the parameters. */
async function rowsAt(
  { client, environment: { settings } }: Tenant,
  list: List,
  query: Record<string, string>,
) {
  const request = apiRequest('GET', list.resource, settings, { query });
  const source = { what: list.resource.name, request, pageSize: null, member: list.member };
  try {
    return (await readFirstPage(client, source)).rows;
  } catch (error) {
    if (isBadRequest(error)) return [];
    throw error;
  }
}

/** Exports the kind, and plans the export. */
async function checkPlan(
  reader: Tenant,
  kind: Kind,
  load: (manifests: FileSource) => Project,
): Promise<Diagnostic[]> {
  const exported = await exportTenant(reader, { kinds: [kind.name] });
  const project = load(manifestsIn(exported.files));
  const { environment, resources } = project;
  const declared = environment.kinds.named(kind.name);
  // What an export conceals is in the tenant, wherever the secrets of these manifests may be.
  const secrets = { ...project.secrets, problem: () => null, matches: () => true };
  const plan = await makePlan(
    {
      requests: [allOf(declared)],
      lookups: [],
      namesAll: false,
      resolve: () => ({ resources, previous: null, diagnostics: [], judge: async (made) => made }),
    },
    { root: project.root, environment, secrets },
    { ...reader, environment },
    choicesFrom({}),
  );
  const changes = plan.changes.map(({ address, action, diff }) => ({
    address,
    names:
      action === 'create' ? ['the object'] : [...new Set(diff.map(({ path }) => segmentsOf(path)[0] ?? ''))],
  }));
  return [...exported.diagnostics, ...changedFields(changes, resources.length)];
}

/** Exported files as the source of a project's manifests. */
function manifestsIn(files: readonly ExportedFile[]): FileSource {
  const texts = new Map(files.map(({ path, content }) => [path, content]));
  const text = (path: string) => {
    const found = texts.get(path);
    if (found === undefined) throw failure('file-not-found', `${path} is not a file of the export.`);
    return found;
  };
  return {
    glob: () => [...texts.keys()].filter((path) => path.endsWith('.yaml')),
    read: (path) => Buffer.from(text(path)),
    text,
  };
}
