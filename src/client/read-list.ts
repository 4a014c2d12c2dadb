import { apiRequest } from '../kinds/http.ts';
import type { Kind, List } from '../kinds/kind.ts';
import { KnownLiveObject, liveObject } from '../kinds/live.ts';
import type { Wanted } from '../kinds/wanted.ts';
import { Failure } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { LiveName, LiveObject } from '../model/live.ts';
import type { ApiSettings } from '../model/settings.ts';
import type { Client } from './client.ts';
import { type PageCache, type ReadObject, readObject } from './page-cache.ts';
import { type PageSource, readPages } from './pages.ts';
import { badList } from './read-failure.ts';
import type { Page } from './rows.ts';

export interface Reader {
  readonly client: Client;
  readonly settings: ApiSettings;
  /** What earlier runs know of the pages of lists; `null`: every page is read. */
  readonly pages: PageCache | null;
}

/** A reader of objects that need not be kept whole. */
export interface ReaderFor<Kept extends LiveName> extends Reader {
  /** What is kept of an object as soon as it has arrived, so that thousands of them need not be held. */
  readonly keepOf: (object: LiveObject) => Kept;
}

/** Tells the rows that are needed from the rest. */
export type IsNeeded = (object: LiveName) => boolean;

/** Longer filter expressions (percent-encoded) do not safely fit into a URL. */
const longestFilter = 4000;

/** The objects that are needed of a whole list. Throws a Failure where it cannot be read, or holds something else. */
export function readWhole<Kept extends LiveName>(
  reader: ReaderFor<Kept>,
  kind: Kind,
  list: List,
  isNeeded: IsNeeded,
): Promise<Kept[]> {
  return readNeeded(reader, kind, sourceOf(reader, kind, list, null), isNeeded);
}

/** Page by page, so that rows which nobody wants do not stay: of a list of thousands few may be declared. */
async function readNeeded<Kept extends LiveName>(
  { client, settings, pages, keepOf }: ReaderFor<Kept>,
  kind: Kind,
  source: PageSource,
  isNeeded: IsNeeded,
): Promise<Kept[]> {
  const objects: Kept[] = [];
  const parse = (row: JsonObject): LiveObject | null => {
    const object = liveObject(kind, row, settings, null);
    if (object || kind.isForeign?.(row)) return object;
    // Left out, it would count as absent.
    throw badList('bad-answer', kind.name, source.request, `lists a row that is no ${kind.name}`);
  };
  const known = pages ? (digest: string) => pages.find(kind.name, digest) : undefined;
  for await (const page of readPages(client, { ...source, known })) {
    const found: (ReadObject | null)[] = [];
    for (const object of objectsOf(kind, page, parse)) {
      if (pages) found.push(object && readObject(object));
      if (object && isNeeded(object)) objects.push(keepOf(object));
    }
    const { digest, totalInBody, names } = page;
    if (digest !== null) pages?.keep(kind.name, digest, { totalInBody, names, objects: found });
  }
  return objects;
}

/** The objects of a page, one by one: those of a page that is known are read when somebody asks for them. */
function* objectsOf(
  kind: Kind,
  page: Page,
  parse: (row: JsonObject) => LiveObject | null,
): Generator<LiveObject | null> {
  if (!page.known) {
    for (const row of page.rows) yield parse(row);
    return;
  }
  for (const [at, { object }] of page.known.rows.entries()) {
    const read = () => {
      const row = page.rows[at];
      const whole = row && parse(row);
      if (!whole) throw new TypeError(`Row ${at} of a known page is no ${kind.name}.`);
      return whole;
    };
    yield object && new KnownLiveObject(kind, object, read);
  }
}

/** The same of what a filter leaves of the list; `null` where the tenant does not take the filter. */
export async function readFiltered<Kept extends LiveName>(
  reader: ReaderFor<Kept>,
  kind: Kind,
  list: List,
  filter: string,
  isNeeded: IsNeeded,
): Promise<Kept[] | null> {
  try {
    return await readNeeded(reader, kind, sourceOf(reader, kind, list, filter), isNeeded);
  } catch (error) {
    if (error instanceof Failure && error.diagnostics[0]?.code === 'tenant-bad-request') return null;
    throw error;
  }
}

/** The filter expression that finds what is wanted; `null` where only the whole list does. */
export function filterFor({ kind, keys, ids, complete }: Wanted, list: List): string | null {
  // An object that may have another key than its manifest is found by its id, for which no list has a filter.
  const needsIds = ids.length > 0 && (kind.pinnable || kind.renamable);
  if (complete || !list.filter || keys.length === 0 || needsIds) return null;
  const filter = list.filter(keys);
  return encodeURIComponent(filter).length <= longestFilter ? filter : null;
}

/** Where the pages of a list, whole or filtered, are read. */
export function sourceOf({ settings }: Reader, kind: Kind, list: List, filter: string | null): PageSource {
  const whole = list.counts ? { count: 'true' } : {};
  const query = filter === null ? whole : { filters: filter };
  return {
    what: kind.name,
    request: apiRequest('GET', list.path(settings), settings, { query }),
    pageSize: list.pageSize,
    undeclaredPaging: list.undeclaredPaging,
    forget: !list.shared,
    member: list.member,
  };
}
