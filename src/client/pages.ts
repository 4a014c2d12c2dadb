import { serviceOf } from '../kinds/http.ts';
import { sha256 } from '../model/digest.ts';
import { isArray, isObject, type Json, type JsonObject, own } from '../model/json.ts';
import type { Request } from '../model/plan.ts';
import { type Answered, isSuccess } from './answer.ts';
import type { Client } from './client.ts';
import { badList, readFailure } from './describe.ts';

/** Where a list is read. */
export interface PageSource {
  /** What is read, for messages: a kind or a collection. */
  readonly what: string;
  /** The request of the first page without `limit`: a GET, or a POST that only searches. */
  readonly request: Request;
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

/** A host that announces more pages is broken or hostile. */
const mostPages = 20_000;

/** Pages that are requested concurrently; more than there are connections would not help. */
const concurrentPages = 16;

/** A host that lists more rows never ends. */
const mostRows = 2_000_000;

/** A first page of exactly this length may be a host's own limit rather than the end of the list. */
const usualLimits = [50, 100, 200];

/**
 * Reads a list page by page, concurrently once its length is known. Offsets count records, and the first page has none
 * (api-notes, "offset"). Throws a Failure for an answer that failed or is no list, a row that comes twice, and
 * a total that is not reached: an incomplete list never looks like a whole one.
 */
export async function* readPages(client: Sender, source: PageSource): AsyncGenerator<Page> {
  const { enough = Number.POSITIVE_INFINITY } = source;
  const list = new Listing(source);
  const first = await readPage(client, source, 0);
  yield list.accept(first);
  if (source.pageSize !== null) {
    if (first.total === null) yield* readOn(client, source, source.pageSize, list);
    else yield* readRest(client, source, Math.min(first.total, enough), list);
  }
  if (list.count < enough) list.end(first.total);
}

/** All rows of a list; see {@link readPages}. */
export async function readRows(client: Sender, source: PageSource): Promise<JsonObject[]> {
  const rows: JsonObject[] = [];
  for await (const page of readPages(client, source)) rows.push(...page.rows);
  return rows;
}

/** One page, from the record at `offset` on. */
export async function readPage(client: Sender, source: PageSource, offset: number): Promise<Page> {
  const { request, pageSize, what, member } = source;
  const asksSize = pageSize !== null && !(source.undeclaredPaging && offset === 0);
  const query = {
    ...request.query,
    ...(asksSize ? { limit: String(pageSize) } : {}),
    ...(offset === 0 ? {} : { offset: String(offset) }),
  };
  const sent = await client.send({ ...request, query });
  if (!isSuccess(sent)) throw readFailure(what, request, sent);
  const page = pageOf(sent, request.path, member);
  if (page) return page;
  if (sent.text !== null) throw readFailure(what, request, sent);
  throw badList('bad-answer', what, request, 'did not answer with a list of objects');
}

/** The pages after the first of a list of unknown length: until one is short. */
async function* readOn(client: Sender, source: PageSource, pageSize: number, list: Listing) {
  const { enough = Number.POSITIVE_INFINITY } = source;
  // The profile-management interface takes offsets "up to the last record index" only (seed 002, "Limits"): there the
  // next page begins with the last record again.
  const overlap = serviceOf(source.request.path) === 'profiles' ? 1 : 0;
  const full = list.count > pageSize || usualLimits.includes(list.count) ? list.count : pageSize;
  let more = list.count >= full;
  while (more && list.count < enough) {
    const page = await readPage(client, source, list.count - overlap);
    more = page.names.length >= full;
    yield list.accept(page, overlap);
  }
}

/** The pages after the first, up to a known row. A host may return fewer rows at once than requested. */
async function* readRest(client: Sender, source: PageSource, end: number, list: Listing) {
  const step = list.count;
  if (step === 0 || end / step > mostPages) return;
  const offsets: number[] = [];
  for (let offset = step; offset < end; offset += step) offsets.push(offset);
  for (let at = 0; at < offsets.length; at += concurrentPages) {
    const pages = offsets.slice(at, at + concurrentPages).map((offset) => readPage(client, source, offset));
    // They are awaited one by one below; a failure before that must not count as unhandled.
    for (const page of pages) page.catch(() => {});
    for (const page of pages) {
      const read = await page;
      // Without this, a total that is too high would cost hundreds of requests.
      if (read.names.length === 0) return;
      yield list.accept(read);
    }
  }
}

/** The rows of one list that have been read so far. */
class Listing {
  readonly #source: PageSource;
  readonly #seen = new Set<string>();
  #last: string | null = null;

  constructor(source: PageSource) {
    this.#source = source;
  }

  get count(): number {
    return this.#seen.size;
  }

  /** The page without the rows that overlap with the page before. Throws for a row that comes twice. */
  accept(page: Page, overlap = 0): Page {
    const { names } = page;
    const { what, request } = this.#source;
    if (overlap > 0 && names[0] !== this.#last) {
      throw badList('page-repeats', what, request, 'does not continue where the page before ended');
    }
    for (const name of names.slice(overlap)) {
      if (this.#seen.has(name)) {
        const which = name.startsWith('sha256:') ? 'the same row' : `the row with id ${name.slice(0, 100)}`;
        throw badList('page-repeats', what, request, `lists ${which} twice`);
      }
      this.#seen.add(name);
    }
    if (this.#seen.size > mostRows) throw badList('bad-answer', what, request, 'lists rows without end');
    this.#last = names.at(-1) ?? this.#last;
    return { ...page, rows: page.rows.slice(overlap), names: names.slice(overlap) };
  }

  end(total: number | null): void {
    if (total === null || total === this.count) return;
    const { what, request } = this.#source;
    throw badList('total-mismatch', what, request, `announced ${total} rows and gave ${this.count}`);
  }
}

/** One page of a list. */
export interface Page {
  readonly rows: readonly JsonObject[];
  /** What identifies each row in the list. */
  readonly names: readonly string[];
  /** How many rows the whole list has; `null` where the answer does not say so. */
  readonly total: number | null;
}

/**
 * The rows in a list's answer: a bare array, or an object that holds it under `member` or the plural noun that ends the
 * path (api-notes, "Collections"). `null` where there are none or a row is no object.
 */
export function pageOf(answer: Answered, path: string, member: string | undefined): Page | null {
  const { body, headers } = answer;
  const rows = rowsIn(body, path, member);
  if (!rows) return null;
  return { rows, names: rows.map(nameOf), total: totalOf(body) ?? countIn(headers['x-total-count']) };
}

function rowsIn(body: Json, path: string, member: string | undefined): readonly JsonObject[] | null {
  const rows = isObject(body) ? own(body, member ?? path.split('/').at(-1) ?? '') : body;
  // Some tenants answer null for an empty list that has a name (api-notes, "server rewrites").
  if (isObject(body) && rows === null) return [];
  if (!isArray(rows)) return null;
  const objects = rows.filter((row) => isObject(row));
  return objects.length < rows.length ? null : objects;
}

function totalOf(body: Json): number | null {
  const metadata = isObject(body) ? own(body, '_metadata') : undefined;
  const total = isObject(metadata) ? own(metadata, 'total') : undefined;
  return typeof total === 'number' && Number.isInteger(total) && total >= 0 ? total : null;
}

function countIn(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,9}$/.test(header.trim()) ? Number(header) : null;
}

/** What identifies a row: its id, else all of its content. */
function nameOf(row: JsonObject): string {
  const id = own(row, 'id');
  return typeof id === 'string' || typeof id === 'number' ? String(id) : sha256(row);
}
