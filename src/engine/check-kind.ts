import { isSuccess, isWhole } from '../client/answer.ts';
import type { Client } from '../client/client.ts';
import { describeAnswer, isBadRequest, shortenLine } from '../client/describe.ts';
import { pageOf } from '../client/page.ts';
import { readFirstPage } from '../client/pages.ts';
import { readAgain, readAll } from '../client/read.ts';
import type { ExportedFile } from '../exporter/index.ts';
import { apiRequest } from '../kinds/http.ts';
import { isObserved, type Kind, type List, type LiveObject } from '../kinds/kind.ts';
import { liveObject } from '../kinds/live-objects.ts';
import type { Project } from '../kinds/project.ts';
import type { ManifestFolder } from '../loader/source.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { failure } from '../model/failure.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { exportTenant } from './export.ts';
import {
  differingMembers,
  missingIds,
  nameOf,
  otherForms,
  planFindings,
  sharedKeys,
  unfitFields,
  unnamedFields,
  unreadableRows,
  unstableFields,
  word,
} from './kind-findings.ts';
import { planChanges } from './plan.ts';
import type { Tenant } from './tenant.ts';

/** What a check of a kind has found. Without an error, the descriptor holds for the tenant. */
export interface KindCheck {
  readonly objects: number;
  /** How many of them manifests can declare: the plan of the others' export shows nothing. */
  readonly exported: number;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Checks a kind against a tenant, which is only read: whether its list can be read whole, its key tells objects apart, its
 * fields stay as they are and have the form in which they are written, and a plan of its export is empty. Throws a Failure
 * where the tenant cannot be read.
 *
 * @param load loads the project with these manifests in the place of its own
 */
export async function checkKind(
  tenant: Tenant,
  kind: Kind,
  load: (manifests: ManifestFolder) => Project,
): Promise<KindCheck> {
  const reader = { ...tenant, client: restrictToReads(tenant.client) };
  const { settings } = tenant.environment;
  const { objects, unreadable } = await readTolerantly(reader, kind);
  const again = await readTolerantly(reader, kind);
  const found = [
    ...unreadableRows(kind, unreadable),
    ...sharedKeys(objects),
    ...missingIds(kind, objects),
    ...unstableFields(objects, again.objects),
    ...(isObserved(kind)
      ? []
      : [
          ...unnamedFields(objects),
          ...otherForms(kind, objects, settings),
          ...unfitFields(kind, objects, settings),
        ]),
    ...(await checkList(reader, kind, objects)),
    ...(objects.length === 0 ? [nothingToCheck(kind, 0)] : []),
  ];
  // What cannot be read or told apart cannot be exported either.
  if (hasErrors(found)) return { objects: objects.length, exported: 0, diagnostics: found };
  const { exported, diagnostics } = await checkPlan(reader, kind, load);
  const unproven = exported === 0 ? [nothingToCheck(kind, objects.length)] : [];
  return { objects: objects.length, exported, diagnostics: [...found, ...diagnostics, ...unproven] };
}

/** The same client, which sends nothing but GET. */
function restrictToReads(client: Client): Client {
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
  const objects = read.flatMap(({ raw, id }) => liveObject(kind, raw, id) ?? []);
  return { objects, unreadable };
}

function nothingToCheck({ name }: Kind, objects: number): Diagnostic {
  const what = objects === 0 ? name : `${name} that a manifest can declare`;
  const message = `The tenant has no ${what}, so there is nothing that could prove the descriptor.`;
  const hint = `Make one in the admin interface, or check against a tenant that has some.`;
  return { code: 'kind-no-objects', severity: 'error', message, hint };
}

/** Whether the pages and the filter of the list are as the descriptor says. */
async function checkList(reader: Tenant, kind: Kind, objects: readonly LiveObject[]): Promise<Diagnostic[]> {
  if (kind.read.how !== 'list') return [];
  const { list } = kind.read;
  return [
    ...(await checkPages(reader, list, objects)),
    ...(await checkFilter(reader, list, objects)),
    ...(await checkCount(reader, list)),
    ...(isObserved(kind) ? [] : await checkSingle(reader, kind, objects)),
  ];
}

/** Asks for the first page with its total, as a read of everything does. A wrong total makes reading itself fail. */
async function checkCount(
  { client, environment: { settings } }: Tenant,
  { resource, pageSize, member, counts }: List,
): Promise<Diagnostic[]> {
  if (!counts) return [];
  const query = { ...(pageSize === null ? {} : { limit: String(pageSize) }), count: 'true' };
  const call = apiRequest('GET', resource, settings, { query });
  const page = pageOf(await client.send(call), call.path, member);
  if (page === null || page.total !== null) return [];
  const message = 'The tenant does not say how many objects there are: `count=true` has no effect.';
  const hint = 'Remove `list.counts`: pages are read one after another then.';
  return [{ code: 'kind-count', severity: 'warning', message, hint }];
}

/** Reads one object by its id, as an apply does after it wrote one. */
async function checkSingle(
  { client, environment: { settings } }: Tenant,
  kind: Kind,
  objects: readonly LiveObject[],
): Promise<Diagnostic[]> {
  const listed = objects.find(({ id }) => id !== null);
  if (kind.read.how !== 'list' || !kind.read.one || !listed || listed.id === null) return [];
  const call = kind.read.one(listed.id, settings);
  const sent = await client.send(call);
  const single = isWhole(sent) && isObject(sent.body) ? liveObject(kind, sent.body, listed.id) : null;
  const isSame = single?.identity === listed.identity;
  const differing = isSame ? differingMembers(single.fields, listed.fields) : [];
  if (isSame && differing.length === 0) return [];
  // The body of a success is data, which no message quotes.
  const why = isSuccess(sent) ? '' : ` (${describeAnswer(sent).text})`;
  const what = isSame
    ? `with another ${differing.map(word).join(', ')} than the list`
    : `without the object${why}`;
  const message = `GET ${shortenLine(call.path, 200)} answers ${what}.`;
  const hint = isSame
    ? 'Leave the fields that differ out of the descriptor.'
    : 'An apply reads the whole list after each change. Check that `path` is right, and the rights of the client.';
  return [{ code: 'kind-single-read', severity: 'warning', message, hint, address: listed.address }];
}

/** Asks for what would be the second page after a first page that looks like the last. */
async function checkPages(reader: Tenant, list: List, objects: readonly LiveObject[]): Promise<Diagnostic[]> {
  const { pageSize } = list;
  const [first] = objects;
  if (!first || (pageSize !== null && objects.length >= pageSize)) return [];
  const limit = pageSize === null ? {} : { limit: String(pageSize) };
  const rows = await rowsAt(reader, list, { ...limit, offset: String(objects.length) });
  const known = new Set(objects.map(nameOf));
  const further = rows.filter((row) => {
    const object = liveObject(first.kind, row, null);
    return !object || !known.has(nameOf(object));
  });
  if (further.length === 0) return [];
  const message = `The tenant lists ${objects.length} objects at once, and then more: the descriptor says ${pageSize ?? 'that there are no pages'}.`;
  const hint = `Set \`list.pageSize\` to ${objects.length}.`;
  return [{ code: 'kind-page-size', severity: 'error', message, hint }];
}

/** Asks for two objects by their keys, as a plan does: the list has to understand `or` too. */
async function checkFilter(
  reader: Tenant,
  list: List,
  objects: readonly LiveObject[],
): Promise<Diagnostic[]> {
  if (!list.filter || objects.length === 0) return [];
  const wanted = objects.slice(0, 2);
  const filters = list.filter(wanted.map(({ key }) => key));
  const rows = await rowsAt(reader, list, { filters });
  const found = new Set(rows.map((row) => String(row.id)));
  const lost = wanted.find(({ id }) => id !== null && !found.has(id));
  const said = shortenLine(filters, 200);
  const report = (severity: 'error' | 'warning', message: string): Diagnostic[] => [
    { code: 'kind-filter', severity, message, hint: 'Remove `list.filter`: the whole list is read then.' },
  ];
  if (lost) return report('error', `The filter ${said} does not find ${lost.address}.`);
  const parts = new Set(wanted.map(({ key: [part = ''] }) => part.toLowerCase()));
  const meant = objects.filter(({ key: [part = ''] }) => parts.has(part.toLowerCase()));
  if (rows.length <= meant.length) return [];
  return report('warning', `The filter ${said} does not narrow: it finds ${rows.length} objects.`);
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
  load: (manifests: ManifestFolder) => Project,
): Promise<Pick<KindCheck, 'exported' | 'diagnostics'>> {
  const exported = await exportTenant(reader, { kinds: [kind.name] });
  const project = load(manifestsIn(exported.files));
  // What an export conceals is in the tenant, wherever the secrets of these manifests may be.
  const secrets = { ...project.secrets, problem: () => null, matches: () => true };
  const plan = await planChanges({ ...project, secrets }, reader);
  const { length } = project.resources;
  return { exported: length, diagnostics: [...exported.diagnostics, ...planFindings(plan.changes, length)] };
}

/** Exported files as the manifests of a project. */
function manifestsIn(files: readonly ExportedFile[]): ManifestFolder {
  const texts = new Map(files.map(({ path, content }) => [path, content]));
  const text = (path: string) => {
    const found = texts.get(path);
    if (found === undefined) throw failure('file-not-found', `${path} is not a file of the export.`);
    return found;
  };
  const glob = () => [...texts.keys()].filter((path) => path.endsWith('.yaml'));
  return { source: { glob, read: (path) => Buffer.from(text(path)), text }, manifests: ['**/*.yaml'] };
}
