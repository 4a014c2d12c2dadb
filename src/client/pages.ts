import { type Call, idText, saysAny } from '../kinds/http.ts';
import type { List } from '../kinds/kind.ts';
import { sha256 } from '../model/digest.ts';
import { Failure, hasCode, onFailure } from '../model/failure.ts';
import {
  get,
  getObject,
  getText,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectsIn,
} from '../model/json.ts';
import { type Answer, type Answered, isWhole } from './answer.ts';
import type { Client } from './client.ts';
import { badList, readFailure, shortenLine } from './describe.ts';

/** Without a `member`, the rows are in that of the path's last segment, or are the answer. */
export interface PageSource extends Pick<List, 'pageSize' | 'member'> {
  /** A kind or a collection, for messages. */
  readonly what: string;
  /** The request of the first page without `limit`: a GET, or a POST that only searches. */
  readonly request: Call;
  readonly undeclaredPaging?: boolean;
  /** True when a descriptor of the project defines the paging of the list. */
  readonly isDescribed?: boolean;
  /** Reading stops after this number of rows. */
  readonly enough?: number;
  /** The likely number of rows: as many are read concurrently. */
  readonly expected?: number;
}

interface ListPage {
  readonly rows: readonly JsonObject[];
  /** The id of each row, else a digest of its content. */
  readonly names: readonly string[];
  /** The length of the whole list; `null` if the answer does not say so. */
  readonly total: number | null;
  /** The length that other members of the answer promise; infinite if they only say that more rows follow. */
  readonly promised: number;
}

/** A page that was read ahead of the ones before it. */
interface PageAhead {
  readonly page: ListPage;
  readonly offset: number;
}

type Sender = Pick<Client, 'send'>;

/** A host that lists more rows or pages is broken or hostile. */
const mostRows = 2_000_000;
const mostPages = 20_000;

/** Pages that are requested concurrently; more than there are connections would not help. */
const concurrentPages = 16;

/** A first page of exactly this length may be a host's own limit rather than the end of the list. */
const usualLimits = [10, 20, 25, 30, 40, 50, 75, 100, 150, 200];

/** How often a list that changes during a read is read again. */
const rereads = 3;

/** Signs that a list changed between its pages: read again, it may be right. */
const signsOfChange = ['list-changed', 'page-repeats', 'total-mismatch'];

/** All rows of a list. Throws as {@link selectRows} does. */
export function readRows(client: Sender, source: PageSource): Promise<JsonObject[]> {
  return selectRows(client, source, (row) => row);
}

/**
 * Returns `select` of each row, without nulls. An incomplete list never looks whole: pages overlap by one row, and a list that changed in
 * between is read again. Throws a Failure for an answer that failed or is not a list, a row that comes twice, a page that does not
 * continue the one before, and a total that is not reached.
 */
export async function selectRows<T>(
  client: Sender,
  source: PageSource,
  select: (row: JsonObject) => T | null,
): Promise<T[]> {
  for (let reread = 0; ; reread += 1) {
    try {
      const selected: T[] = [];
      for await (const rows of new Listing(client, source, reread > 0).pages()) {
        for (const row of rows) {
          const item = select(row);
          if (item !== null) selected.push(item);
        }
      }
      return selected;
    } catch (error) {
      if (reread === rereads || !hasCode(error, ...signsOfChange)) throw error;
    }
  }
}

export function readFirstPage(client: Sender, source: PageSource): Promise<ListPage> {
  return new Listing(client, source, false).read(0);
}

/** One read of a list: its pages in order, each checked against those before. */
class Listing {
  readonly #client: Sender;
  readonly #source: PageSource;
  /** True when the list has been read before, so that earlier answers must not be used. */
  readonly #again: boolean;
  readonly #enough: number;
  readonly #seen = new Set<string>();
  #pages = 0;
  #last: string | null = null;
  #promised = 0;

  constructor(client: Sender, source: PageSource, again: boolean) {
    [this.#client, this.#source, this.#again] = [client, source, again];
    this.#enough = source.enough ?? Number.POSITIVE_INFINITY;
  }

  /** One page, from the record at `offset` on. The first page has no offset (api-notes, "offset"). */
  async read(offset: number): Promise<ListPage> {
    const { request, what, member, pageSize, undeclaredPaging } = this.#source;
    const asksSize = pageSize !== null && !(undeclaredPaging && offset === 0);
    const query = {
      ...request.query,
      ...(asksSize ? { limit: String(pageSize) } : {}),
      ...(offset === 0 ? {} : { offset: String(offset) }),
    };
    const sent = await this.#client.send({ ...request, query }, { again: this.#again });
    const page = pageOf(sent, request.path, member);
    if (page) return page;
    if (!isWhole(sent) || sent.text !== null) throw readFailure(what, request, sent);
    throw badList('bad-answer', this.#source, 'did not answer with a list of objects');
  }

  async *pages(): AsyncGenerator<readonly JsonObject[]> {
    const { pageSize, expected = 0, undeclaredPaging } = this.#source;
    const mayReadAhead = pageSize !== null && pageSize > 1 && !undeclaredPaging && !this.#again;
    const [first, ahead] = await Promise.all([
      this.read(0),
      mayReadAhead && expected > pageSize ? this.#readAhead(pageSize, expected) : null,
    ]);
    yield this.#accept(first, 0);
    const { total } = first;
    const count = this.#seen.size;
    // Some hosts count only the rows of the page: after a full page, the next one shows that.
    const isFull = pageSize !== null && (count >= pageSize || usualLimits.includes(count));
    // The list goes on from a full first page to the page ahead, and nothing says how long it is.
    if (
      ahead &&
      total === null &&
      count === pageSize &&
      ahead.page.names.length > 0 &&
      !this.#beginsWith(ahead.page)
    ) {
      // Its first row overlaps with the page before.
      yield* this.#upTo(ahead.offset + 2, ahead);
    } else if (pageSize !== null && total !== null && !(total === count && isFull)) {
      if (total > count && count > 0) yield* this.#upTo(Math.min(total, this.#enough));
    } else if (isFull || (pageSize !== null && this.#promised > count && count > 0)) {
      yield* this.#untilShort(count);
    }
    if (this.#seen.size < this.#enough) this.#end(total);
  }

  /**
   * The last page of a list of the expected length, asked for together with the first: if it has rows, all pages between them
   * have. A shorter list costs this one page. `null` if it cannot be read.
   */
  async #readAhead(pageSize: number, expected: number): Promise<PageAhead | null> {
    const step = pageSize - 1;
    const offset = Math.ceil((expected - pageSize) / step) * step;
    // Some hosts refuse an offset beyond the end. Any other problem shows in the pages before it too.
    return this.read(offset).then(
      (page) => ({ page, offset }),
      onFailure(() => null),
    );
  }

  async *#concurrently<T>(
    offsets: readonly number[],
    read: (offset: number) => Promise<T>,
  ): AsyncGenerator<T> {
    for (let at = 0; at < offsets.length; at += concurrentPages) {
      const pages = offsets.slice(at, at + concurrentPages).map(read);
      // They are awaited one by one; an earlier failure must not count as unhandled.
      for (const page of pages) page.catch(() => {});
      for (const page of pages) yield await page;
    }
  }

  /** Reads on after a full page until one is not full. Without an expected length, requests more and more at once: at most twice as many as needed. */
  async *#untilShort(full: number): AsyncGenerator<readonly JsonObject[]> {
    const { expected = 0, enough, undeclaredPaging, pageSize } = this.#source;
    const overlap = full > 1 ? 1 : 0;
    // If the host may have no pages, the next one is requested alone: it would be the whole list.
    const isUnknown = expected === 0 && !enough && !undeclaredPaging && full === pageSize;
    let atOnce = isUnknown ? 2 : 1;
    while (this.#seen.size < this.#enough) {
      const from = this.#seen.size - overlap;
      const offsets = Array.from({ length: atOnce }, (_, at) => from + at * (full - overlap));
      for await (const page of this.#concurrently(offsets, (offset) => this.#readFurther(offset))) {
        if (page === null || (await this.#hasNoPages(page)) || this.#isEndedBy(page, overlap)) return;
        yield this.#accept(page, overlap);
        if (page.names.length < full) return;
      }
      if (isUnknown) atOnce = Math.min(3 * atOnce, concurrentPages);
    }
  }

  /** Reads up to a known row. Hosts may return fewer rows at once. A change that leaves the total the same shows in the overlap. */
  async *#upTo(end: number, ahead: PageAhead | null = null): AsyncGenerator<readonly JsonObject[]> {
    const size = this.#seen.size;
    if (end / size > mostPages) return;
    const overlap = size > 1 ? 1 : 0;
    let isEndFull = false;
    const offsets: number[] = [];
    for (let next = size; next < end; next += size - overlap) offsets.push(next - overlap);
    const read = async (next: number) => (next === ahead?.offset ? ahead.page : this.read(next));
    for await (const page of this.#concurrently(offsets, read)) {
      // Without this, a total that is too high would cost hundreds of requests.
      if (page.names.length === 0 && !ahead) return;
      yield this.#accept(page, overlap);
      isEndFull = overlap > 0 && page.names.length >= size;
    }
    // Some hosts count no further than to a limit: after a full page, only the next one shows that the list ends.
    if (isEndFull) yield* this.#untilShort(size);
  }

  /** A page after the first; `null` if paging is not documented and the host refuses it (api-notes, "exactly 100 verified domains"). */
  async #readFurther(offset: number): Promise<ListPage | null> {
    try {
      return await this.read(offset);
    } catch (error) {
      if (!hasCode(error, 'tenant-bad-request')) throw error;
      if (this.#source.undeclaredPaging) return null;
      // Some hosts refuse an offset beyond the end: the list may have become shorter.
      throw new Failure(error.diagnostics.map((diagnostic) => ({ ...diagnostic, code: 'list-changed' })));
    }
  }

  #beginsWith({ names }: ListPage): boolean {
    const first = this.#seen.values();
    return names.length > 0 && names.every((name) => name === first.next().value);
  }

  /** Whether a host repeats its whole list. Another `limit` reveals a host that respects `limit` but not `offset`: it hides rows. */
  async #hasNoPages(page: ListPage): Promise<boolean> {
    const { request, member, undeclaredPaging } = this.#source;
    const isAll = (names: readonly string[]) => names.length === this.#seen.size;
    if (!this.#beginsWith(page)) return false;
    if (undeclaredPaging) return page.names.length > 1 || isAll(page.names);
    if (!isAll(page.names)) return false;
    const query = { ...request.query, limit: this.#seen.size > 1 ? '1' : '2' };
    const sent = await this.#client.send({ ...request, query }, { again: this.#again });
    const whole = pageOf(sent, request.path, member);
    return whole !== null && isAll(whole.names) && this.#beginsWith(whole);
  }

  /** True when a page has only rows that overlap. A host without a fixed order may give another of them than the last. */
  #isEndedBy({ names, promised }: ListPage, overlap: number): boolean {
    const isEnd = overlap > 0 && names.length === overlap && names.every((name) => this.#seen.has(name));
    // Hosts claim after each full page that more rows follow; this page shows otherwise.
    if (isEnd) this.#promised = promised;
    return isEnd;
  }

  /** The rows without those that overlap with the page before. Throws for a row that comes twice, or is missing. */
  #accept(page: ListPage, overlap: number): readonly JsonObject[] {
    const continues = overlap === 0 || page.names[0] === this.#last;
    const from = continues ? overlap : 0;
    for (const name of page.names.slice(from)) {
      if (this.#seen.has(name)) {
        const row = name.startsWith('sha256:') ? 'the same row' : `the row with id ${shortenLine(name, 100)}`;
        const advice =
          'If this list has no pages, set `list: { pageSize: null }` in the descriptor of the kind. Otherwise it may be changing while it is read: run again.';
        const { isDescribed } = this.#source;
        throw badList('page-repeats', this.#source, `lists ${row} twice`, isDescribed ? advice : undefined);
      }
      this.#seen.add(name);
    }
    if (!continues) {
      const problem =
        'returned pages that do not follow on from each other: the list changed while it was read';
      throw badList('list-changed', this.#source, problem);
    }
    this.#pages += 1;
    if (this.#seen.size > mostRows || this.#pages > mostPages)
      throw badList('bad-answer', this.#source, 'returns rows without end');
    this.#last = page.names.at(-1) ?? this.#last;
    this.#promised = page.promised;
    return page.rows.slice(from);
  }

  #end(total: number | null): void {
    const count = this.#seen.size;
    if (total !== null && total !== count)
      throw badList('total-mismatch', this.#source, `announced ${total} rows and returned ${count}`);
    if (total !== null || this.#promised <= count) return;
    const advice =
      'Lists are read by `limit` and `offset`. For a kind of your own, set `list.pageSize` to the number of rows that the tenant returns at once.';
    throw badList(
      'list-incomplete',
      this.#source,
      `returned ${count} rows and says that more follow`,
      advice,
    );
  }
}

/**
 * A bare array, or an object that holds it under `member` or the plural noun that ends the path (api-notes, "Collections"). No
 * rows if the answer says that there are none. `null` if it is not a list, failed, or a row is not an object.
 */
function pageOf(answer: Answer, path: string, member: string | undefined): ListPage | null {
  if (answer.outcome !== 'answered') return null;
  const noun = member ?? path.split('/').at(-1) ?? '';
  const { status, body, headers } = answer;
  const isAlone = isObject(body) && Object.keys(body).join() === 'error';
  if ([200, 400].includes(status) && isAlone && meansNothing(body, noun))
    return { rows: [], names: [], total: null, promised: 0 };
  if (!isWhole(answer)) return null;
  const listed = isObject(body) ? get(body, noun) : body;
  const rows = objectsIn(listed);
  // Some tenants answer null for an empty list that has a name (api-notes, "server rewrites").
  const isList = (isObject(body) && listed === null) || (isArray(listed) && rows.length === listed.length);
  // Rows that come with an error may be incomplete.
  const hasError = isObject(body) && !meansNothing(body, noun) && saysAny(body, ['error', 'errors']);
  if (!isList || hasError) return null;
  const names = rows.map((row) => idText(get(row, 'id')) ?? sha256(row));
  const { 'x-total-count': header = '' } = headers;
  const told = isObject(body) ? get(getObject(body, '_metadata'), 'total') : null;
  const isTold = typeof told === 'number' && Number.isInteger(told) && told >= 0;
  const counted = /^\d{1,9}$/.test(header.trim()) ? Number(header) : null;
  return { rows, names, total: isTold ? told : counted, promised: promiseIn(body, headers) };
}

/**
 * Some hosts answer 400, or 200, with `{"error": "no profiles found"}` for an empty list (api-notes, "What hosts of this family
 * really answer"). It has to name the collection: with "no permission found", the read failed, and the list is not empty.
 */
function meansNothing(body: JsonObject, noun: string): boolean {
  const found = /^no ([a-z]+(?:[ _][a-z]+){0,3}) found\.?$/i.exec((getText(body, 'error') ?? '').trim());
  const word = lastWord(found?.[1] ?? '');
  return word !== '' && [lastWord(noun), 'record', 'result'].includes(word);
}

/** The last word of a noun, in the singular: `search` of `advanced_searches`. */
function lastWord(noun: string): string {
  const word = noun.toLowerCase().split(/[ _-]/).at(-1) ?? '';
  return word.replace(/(?<=ch|sh|ss|x)es$|(?<!s)s$/, '');
}

/** `_metadata.next` and its like: pages are read by offset, but a list that ends early is incomplete. */
const moreNames = /^(@odata\.)?(has_?)?(more|next)/i;
const totalNames = /^total(_?(results|count|items|elements|records))?$/i;

function promiseIn(body: Json, { link = '' }: Answered['headers'] = {}): number {
  if (/;\s*rel="?next\b/i.test(link)) return Number.POSITIVE_INFINITY;
  if (!isObject(body)) return 0;
  const promises = Object.entries(body).map(([name, value]): number => {
    if (moreNames.test(name) && !isArray(value) && saysAny(body, [name])) return Number.POSITIVE_INFINITY;
    return typeof value === 'number' && totalNames.test(name) ? value : promiseIn(value);
  });
  return Math.max(0, ...promises);
}
