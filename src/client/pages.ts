import { serviceOf } from '../kinds/http.ts';
import type { JsonObject } from '../model/json.ts';
import type { Request } from '../model/plan.ts';
import { isSuccess } from './answer.ts';
import type { Client } from './client.ts';
import type { KnownPage } from './page-cache.ts';
import { badList, readFailure } from './read-failure.ts';
import { type Page, pageOf, recognisedPage } from './rows.ts';

/** A list to be read. */
export interface PageSource {
  /** What is read, for messages: a kind or a collection. */
  readonly what: string;
  /** The first page's request but for `limit`; GET, or a POST that only searches. */
  readonly request: Request;
  /** Rows to a page; `null` where the list is not paged. */
  readonly pageSize: number | null;
  /** Whether the first page is asked for without a limit. */
  readonly undeclaredPaging?: boolean | undefined;
  /** The member of the answer that holds the rows, where it is not the path's last segment. */
  readonly member?: string | undefined;
  /** No pages are asked for beyond so many rows. */
  readonly enough?: number | undefined;
  /** Nobody else asks for these pages, so that none of them need be remembered. */
  readonly forget?: boolean | undefined;
  /** The pages that are known by their digests. */
  readonly known?: ((digest: string) => KnownPage | null) | undefined;
}

type Sender = Pick<Client, 'send'>;

/** More pages than this are announced by mistake, or to keep us busy. */
const mostPages = 20_000;

/** Pages that are asked for at once; more than connections are of no use. */
const sideBySide = 16;

/** Beyond this a host is not listing but making rows up. */
const mostRows = 2_000_000;

/** A first page that ends exactly here may be a host's own limit rather than the end of the list. */
const usualLimits = [50, 100, 200];

/**
 * Reads a list page by page, side by side once its length is known. Offsets count records, and the first page has none
 * (api-notes, "offset"). Throws a Failure for an answer that failed or is no list, a row that comes twice, and
 * a total that is not reached: an incomplete list never looks like a whole one.
 */
export async function* readPages(client: Sender, source: PageSource): AsyncGenerator<Page> {
  const list = new Listing(source);
  const first = await readPage(client, source, 0);
  yield list.accept(first);
  const enough = source.enough ?? Number.POSITIVE_INFINITY;
  if (source.pageSize !== null) {
    if (first.total === null) yield* readOn(client, source, source.pageSize, enough, list);
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
  const { request, pageSize, what, member, known, forget } = source;
  const asksSize = pageSize !== null && !(source.undeclaredPaging && offset === 0);
  const query = {
    ...request.query,
    ...(asksSize ? { limit: String(pageSize) } : {}),
    ...(offset === 0 ? {} : { offset: String(offset) }),
  };
  const recognise = known && ((digest: string) => known(digest) !== null);
  const sent = await client.send({ ...request, query }, { recognise, forget });
  if (!isSuccess(sent)) throw readFailure(what, request, sent);
  const recognised = sent.unread && sent.digest !== undefined ? known?.(sent.digest) : null;
  if (recognised) return recognisedPage(sent, recognised, request.path, member);
  const page = pageOf(sent, request.path, member);
  if (page) return page;
  if (sent.text !== null) throw readFailure(what, request, sent);
  throw badList('bad-answer', what, request, 'did not answer with a list of objects');
}

/** The pages after the first of a list whose length nobody tells: until one is short. */
async function* readOn(client: Sender, source: PageSource, pageSize: number, enough: number, list: Listing) {
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

/** The pages after the first up to a known row; a host may give less at once than it was asked for. */
async function* readRest(client: Sender, source: PageSource, end: number, list: Listing) {
  const step = list.count;
  if (step === 0 || end / step > mostPages) return;
  const offsets: number[] = [];
  for (let offset = step; offset < end; offset += step) offsets.push(offset);
  for (let at = 0; at < offsets.length; at += sideBySide) {
    const pages = offsets.slice(at, at + sideBySide).map((offset) => readPage(client, source, offset));
    // All are awaited one by one below; one that fails meanwhile must not count as unhandled.
    for (const page of pages) page.catch(() => {});
    for (const page of pages) {
      const read = await page;
      // A total that is too high would be believed for hundreds of requests.
      if (read.names.length === 0) return;
      yield list.accept(read);
    }
  }
}

/** What has been read of one list so far. */
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

  /** The page without the rows that are not new; the first `overlap` must be the last one again. */
  accept(page: Page, overlap = 0): Page {
    const { names } = page;
    const { what, request } = this.#source;
    if (overlap > 0 && names[0] !== this.#last) {
      throw badList('page-repeats', what, request, 'does not go on where the page before ended');
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
    return overlap === 0
      ? page
      : { ...page, rows: page.rows.slice(overlap), names: names.slice(overlap), digest: null, known: null };
  }

  end(total: number | null): void {
    if (total === null || total === this.count) return;
    const { what, request } = this.#source;
    throw badList('total-mismatch', what, request, `announced ${total} rows and gave ${this.count}`);
  }
}
