import { isArray, isObject, type Json, textOf } from '../model/json.ts';

/** What the answer of a list says about the rows after its own. */
export interface Continuation {
  /** The query of the next page, where the answer links it; else `null`. */
  readonly next: Readonly<Record<string, string>> | null;
  /** Whether it says that more rows follow. */
  readonly more: boolean;
  /** How many rows it says that the list has; `null` where it does not say so. */
  readonly announced: number | null;
}

/**
 * Reads what hosts say in many ways: links to the next page in the header `Link` or in the body, tokens, flags and totals. Of a
 * link, only the query counts, and only where it leads to the same path.
 *
 * @param path of the request
 */
export function continuationOf(
  body: Json,
  headers: Readonly<Record<string, string>>,
  path: string,
): Continuation {
  const beside = membersBeside(body);
  const valuesNamed = (pattern: RegExp) =>
    beside.flatMap(([name, value]) => (pattern.test(name) ? [value] : []));
  const targets = [...linkHeader(headers.link ?? ''), ...valuesNamed(nextNames).filter(isSaid)];
  const isEnd = valuesNamed(moreNames).includes(false) || valuesNamed(lastNames).includes(true);
  const isMore = valuesNamed(moreNames).includes(true) || valuesNamed(lastNames).includes(false);
  const totals = valuesNamed(totalNames).flatMap((value) =>
    typeof value === 'number' && Number.isInteger(value) ? [value] : [],
  );
  const linked = targets.map((target) => queryOf(target, path)).find((query) => query !== null);
  return {
    next: isEnd ? null : (linked ?? null),
    more: !isEnd && (isMore || targets.length > 0),
    announced: totals.toSorted((a, b) => b - a)[0] ?? null,
  };
}

/** Names without underscores, as in `next_page_token`, `@odata.nextLink`, `hasMore`, `isLastPage` and `totalResults`. */
const nextNames = /^next(page|records)?(link|url|uri|href|token|cursor)?$/;
const moreNames = /^(has)?(more|next)(pages?|results|items|records)?$/;
const lastNames = /^(is)?last(page)?$/;
const totalNames = /^total(results|count|items|elements|records|size)?$/;

/** Members that describe the page. */
const containers = [
  'metadata',
  'meta',
  'page',
  'pageinfo',
  'paging',
  'pagination',
  'links',
  'responsemetadata',
];

const plainName = (name: string): string =>
  name
    .replace(/^@odata\./, '')
    .replaceAll(/[_-]/g, '')
    .toLowerCase();

function membersBeside(body: Json): [name: string, value: Json][] {
  if (!isObject(body)) return [];
  return Object.entries(body).flatMap(([given, value]): [string, Json][] => {
    const name = plainName(given);
    return containers.includes(name) && isObject(value) ? membersBeside(value) : [[name, value]];
  });
}

/** Hosts also write nothing as an empty text, as 0 or as false. A list holds rows, or nothing. */
function isSaid(value: Json): boolean {
  const said = isObject(value) ? textOf(value, 'href') : value;
  return said !== null && said !== '' && said !== 0 && said !== false && !isArray(said);
}

/** The targets that a `Link` header (RFC 8288) names as the next page. */
function linkHeader(header: string): string[] {
  const links = header.matchAll(/<([^<>]*)>([^<]*)/g);
  return [...links].flatMap(([, target = '', about = '']) => {
    const [, relations = ''] = /;\s*rel\s*=\s*("[^"]*"|[^\s;,"]+)/i.exec(about) ?? [];
    return relations.replaceAll('"', '').toLowerCase().split(/\s+/).includes('next') ? [target] : [];
  });
}

/** The query of a link to the same path; `null` for anything else, such as a token. */
function queryOf(target: Json, path: string): Record<string, string> | null {
  const text = isObject(target) ? textOf(target, 'href') : target;
  const base = `http://host.invalid${path}`;
  if (typeof text !== 'string' || !URL.canParse(text, base)) return null;
  const { pathname, searchParams } = new URL(text, base);
  const isOnce = new Set(searchParams.keys()).size === searchParams.size;
  return pathname.endsWith(path) && searchParams.size > 0 && isOnce ? Object.fromEntries(searchParams) : null;
}
