import type { Call } from '../kinds/http.ts';
import { type Failure, failure } from '../model/failure.ts';
import { badList, shortenLine } from './describe.ts';
import type { Page } from './page.ts';

/** A host that lists more rows never ends. */
const mostRows = 2_000_000;
/** A host that announces or lists more pages is broken or hostile. */
export const mostPages = 20_000;

/** A list as messages name it: a kind or a collection, and its request. */
interface NamedList {
  readonly what: string;
  readonly request: Call;
}

/** The rows of one list that have been read so far. */
export class Listing {
  readonly #list: NamedList;
  readonly #seen = new Set<string>();
  #pages = 0;
  #last: string | null = null;
  #tail: Page | null = null;

  constructor(list: NamedList) {
    this.#list = list;
  }

  get count(): number {
    return this.#seen.size;
  }

  /** Whether the page that was read last says that more rows follow. */
  get saysMore(): boolean {
    const { more = false, announced = null } = this.#tail ?? {};
    return more || (announced ?? 0) > this.count;
  }

  /** Whether the page repeats the rows with which the list begins. */
  beginsWith({ names }: Page): boolean {
    const first = this.#seen.values();
    return names.length > 1 && names.every((name) => name === first.next().value);
  }

  /**
   * Whether a page shows that no rows follow: it has just those that overlap, and they are known. A host that has no fixed order
   * may give another one there than the last.
   */
  isEndedBy(page: Page, overlap: number): boolean {
    const { names } = page;
    const isEnd = overlap > 0 && names.length === overlap && names.every((name) => this.#seen.has(name));
    // Hosts say after each full page that more rows follow: this page knows better.
    if (isEnd) this.#tail = page;
    return isEnd;
  }

  /** The page without the rows that overlap with the page before. Throws for a row that comes twice, or is missing. */
  accept(page: Page, overlap = 0): Page {
    const { what, request } = this.#list;
    const continues = overlap === 0 || page.names[0] === this.#last;
    const from = continues ? overlap : 0;
    const names = page.names.slice(from);
    for (const name of names) {
      if (this.#seen.has(name)) {
        const which = name.startsWith('sha256:')
          ? 'the same row'
          : `the row with id ${shortenLine(name, 100)}`;
        throw badList('page-repeats', what, request, `lists ${which} twice`);
      }
      this.#seen.add(name);
    }
    if (!continues) {
      const problem = 'gave pages that do not continue each other: the list changed while it was read';
      throw badList('list-changed', what, request, problem);
    }
    this.#pages += 1;
    if (this.#seen.size > mostRows || this.#pages > mostPages)
      throw badList('bad-answer', what, request, 'lists rows without end');
    this.#last = names.at(-1) ?? this.#last;
    this.#tail = page;
    return { ...page, rows: page.rows.slice(from), names };
  }

  end(total: number | null): void {
    const { what, request } = this.#list;
    if (total === null && this.saysMore) throw incomplete(what, request, this.count);
    if (total === null || total === this.count) return;
    throw badList('total-mismatch', what, request, `announced ${total} rows and gave ${this.count}`);
  }
}

function incomplete(what: string, { method, path }: Call, count: number): Failure {
  const message = `Reading ${what}: ${method} ${path} gave ${count} rows and says that more follow.`;
  const hint =
    'Nothing was written. Lists are read by `limit` and `offset`, or by links to the next page. For a kind of your own, set `list.pageSize` to the number of rows that the tenant gives at once.';
  return failure('list-incomplete', message, { hint });
}
