import type { Call } from '../kinds/http.ts';
import { Failure, hasCode } from '../model/failure.ts';
import { canonicalJson, type JsonObject } from '../model/json.ts';
import { isWhole } from './answer.ts';
import type { Client } from './client.ts';
import { badList, isBadRequest, readFailure } from './describe.ts';
import { Listing, mostPages } from './listing.ts';
import { type Page, pageOf } from './page.ts';

/** Where a list is read. */
export interface PageSource {
  /** What is read, for messages: a kind or a collection. */
  readonly what: string;
  /** The request of the first page without `limit`: a GET, or a POST that only searches. */
  readonly request: Call;
  /** Rows to a page; `null` where the list is not paged. */
  readonly pageSize: number | null;
  /** Whether the first page is asked for without a limit. */
  readonly undeclaredPaging?: boolean | undefined;
  /** The member of the answer that holds the rows, if it is not the path's last segment. */
  readonly member?: string | undefined;
  /** Reading stops after this number of rows. */
  readonly enough?: number | undefined;
}

type Sender = Pick<Client, 'send'>;

type PageQuery = Call['query'];

/** A host that links more pages without rows never ends. */
const mostEmptyPages = 100;

/** Pages that are requested concurrently; more than there are connections would not help. */
const concurrentPages = 16;

/** A first page of exactly this length may be a host's own limit rather than the end of the list. */
const usualLimits = [10, 20, 25, 30, 40, 50, 75, 100, 150, 200];

/** How often a list that changes while it is read is read again. */
const rereads = 3;

/** What a list that changed between its pages looks like: read again, it may be right. */
const signsOfChange = ['list-changed', 'page-repeats', 'total-mismatch'];

/** All rows of a list. Throws as {@link selectRows} does. */
export function readRows(client: Sender, source: PageSource): Promise<JsonObject[]> {
  return selectRows(client, source, (row) => row);
}

/**
 * What `select` makes of the rows of a list; rows that it makes `null` of are not kept. An incomplete list never looks
 * like a whole one: pages overlap by one row, and a list that changed between its pages is read again, up to three
 * times. Throws a Failure for an answer that failed or is not a list, a row that comes twice, a page that does not
 * continue the one before, and a total that is not reached.
 */
export async function selectRows<T>(
  client: Sender,
  source: PageSource,
  select: (row: JsonObject) => T | null,
): Promise<T[]> {
  for (let reread = 0; ; reread += 1) {
    try {
      return await selectOnce({ client, source, again: reread > 0 }, select);
    } catch (error) {
      if (reread === rereads || !hasCode(error, ...signsOfChange)) throw error;
    }
  }
}

/** One read of a list. */
interface Reading {
  readonly client: Sender;
  readonly source: PageSource;
  /** Whether the pages have been read before, so that earlier answers must not be used. */
  readonly again: boolean;
}

async function selectOnce<T>(reading: Reading, select: (row: JsonObject) => T | null): Promise<T[]> {
  const selected: T[] = [];
  for await (const { rows } of readPages(reading)) {
    for (const row of rows) {
      const item = select(row);
      if (item !== null) selected.push(item);
    }
  }
  return selected;
}

/** The pages of a list. */
async function* readPages(reading: Reading): AsyncGenerator<Page> {
  const { enough = Number.POSITIVE_INFINITY } = reading.source;
  const list = new Listing(reading.source);
  const first = await readAt(reading, 0);
  yield list.accept(first);
  yield* readOthers(reading, first, list);
  if (list.count < enough) list.end(first.total);
}

/** The pages after the first, in the way in which the host has them: concurrently where the length of the list is known. */
function readOthers(
  reading: Reading,
  { total, next }: Page,
  list: Listing,
): AsyncIterable<Page> | readonly Page[] {
  const { pageSize, enough = Number.POSITIVE_INFINITY } = reading.source;
  // Pages by `offset` can overlap, which shows changes of the list. A smaller `offset` counts pages.
  const isByOffset = pageSize !== null && Number(next?.offset) >= list.count;
  if (total !== list.count && next !== null && !isByOffset) return readLinked(reading, next, list);
  if (pageSize === null) return [];
  // Some hosts count the rows of the page only: where it is full, the next one shows that.
  const isUnknown = total === null || (total === list.count && isFull(total, pageSize));
  if (!isUnknown) return readRest(reading, Math.min(total, enough), list);
  const isCut = isFull(list.count, pageSize) || (list.saysMore && list.count > 0);
  return readOn(reading, isCut ? list.count : pageSize, list);
}

/** The pages after the first, where each links the next one. Some of them may be empty. */
async function* readLinked(reading: Reading, next: PageQuery, list: Listing) {
  const { enough = Number.POSITIVE_INFINITY } = reading.source;
  const read = new Set<string>();
  for (let query: PageQuery | null = next; query !== null && list.count < enough; ) {
    const page: Page = await readPage(reading, query);
    yield list.accept(page);
    read.add(canonicalJson(query));
    // Pages without rows may link each other, or further ones without end.
    const isBeyond = page.next === null || read.has(canonicalJson(page.next));
    query = isBeyond || read.size >= list.count + mostEmptyPages ? null : page.next;
  }
}

/** The first page of a list. */
export function readFirstPage(client: Sender, source: PageSource): Promise<Page> {
  return readAt({ client, source, again: false }, 0);
}

/** One page, from the record at `offset` on. The first page has no offset (api-notes, "offset"). */
function readAt(reading: Reading, offset: number): Promise<Page> {
  const { request, pageSize, undeclaredPaging } = reading.source;
  const asksSize = pageSize !== null && !(undeclaredPaging && offset === 0);
  return readPage(reading, {
    ...request.query,
    ...(asksSize ? { limit: String(pageSize) } : {}),
    ...(offset === 0 ? {} : { offset: String(offset) }),
  });
}

async function readPage({ client, source, again }: Reading, query: PageQuery): Promise<Page> {
  const { request, what, member } = source;
  const sent = await client.send({ ...request, query }, { again });
  const page = pageOf(sent, request.path, member);
  if (page) return page;
  if (!isWhole(sent) || sent.text !== null) throw readFailure(what, request, sent);
  throw badList('bad-answer', what, request, 'did not answer with a list of objects');
}

/** Whether there may be more rows after a first page of so many. */
function isFull(count: number, pageSize: number): boolean {
  return count >= pageSize || usualLimits.includes(count);
}

/** The further pages of a list of unknown length: until one is shorter than a full one. */
async function* readOn(reading: Reading, full: number, list: Listing) {
  const { enough = Number.POSITIVE_INFINITY } = reading.source;
  const overlap = full > 1 ? 1 : 0;
  let more = list.count >= full;
  while (more && list.count < enough) {
    const page = await readFurther(reading, list.count - overlap, list);
    if (page === null || list.isEndedBy(page, overlap)) return;
    more = page.names.length >= full;
    yield list.accept(page, overlap);
  }
}

/**
 * A page after the first. `null` where paging is not documented and the host shows that it has none: it refuses the
 * parameters, or ignores them and begins again (api-notes, "exactly 100 verified domains").
 */
async function readFurther(reading: Reading, offset: number, list: Listing): Promise<Page | null> {
  const { undeclaredPaging } = reading.source;
  try {
    const page = await readAt(reading, offset);
    return undeclaredPaging && list.beginsWith(page) ? null : page;
  } catch (error) {
    if (!isBadRequest(error)) throw error;
    if (undeclaredPaging) return null;
    // Some hosts refuse an offset beyond the end: the list may have become shorter.
    throw new Failure(error.diagnostics.map((diagnostic) => ({ ...diagnostic, code: 'list-changed' })));
  }
}

/** The pages after the first, up to a known row. A host may return fewer rows at once than requested. */
async function* readRest(reading: Reading, end: number, list: Listing) {
  const size = list.count;
  if (size === 0 || end / size > mostPages) return;
  // The total shows most changes. One that leaves it the same only shows where pages overlap.
  const overlap = size > 1 ? 1 : 0;
  let isEndFull = false;
  const offsets: number[] = [];
  for (let next = size; next < end; next += size - overlap) offsets.push(next - overlap);
  for (let at = 0; at < offsets.length; at += concurrentPages) {
    const pages = offsets.slice(at, at + concurrentPages).map((offset) => readAt(reading, offset));
    // They are awaited one by one below; a failure before that must not count as unhandled.
    for (const page of pages) page.catch(() => {});
    for (const page of pages) {
      const read = await page;
      // Without this, a total that is too high would cost hundreds of requests.
      if (read.names.length === 0) return;
      yield list.accept(read, overlap);
      isEndFull = overlap > 0 && read.names.length >= size;
    }
  }
  // Some hosts count no further than to a limit: after a full page, only the next one shows that the list ends.
  if (isEndFull) yield* readOn(reading, size, list);
}
