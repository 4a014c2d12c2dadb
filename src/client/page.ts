import { saysAny } from '../kinds/http.ts';
import { idText } from '../kinds/operation.ts';
import { sha256 } from '../model/digest.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  numberOf,
  objectOf,
  own,
  textOf,
} from '../model/json.ts';
import { parseUrl } from '../model/network.ts';
import { type Answer, type Answered, isWhole } from './answer.ts';

/** One page of a list. */
export interface Page extends Continuation {
  readonly rows: readonly JsonObject[];
  /** What identifies each row in the list. */
  readonly names: readonly string[];
  /** How many rows the whole list has; `null` where the answer does not say so. */
  readonly total: number | null;
}

/**
 * The rows in a list's answer: a bare array, or an object that holds it under `member` or the plural noun that ends the
 * path (api-notes, "Collections"). No rows where the answer says that there are none. `null` where it is not a list,
 * failed, or a row is not an object.
 */
export function pageOf(answer: Answer, path: string, member: string | undefined): Page | null {
  if (answer.outcome !== 'answered') return null;
  const noun = member ?? path.split('/').at(-1) ?? '';
  if (saysNothingFound(answer, noun))
    return { rows: [], names: [], total: null, next: null, more: false, announced: null };
  if (!isWhole(answer)) return null;
  const { body, headers } = answer;
  const rows = rowsIn(body, noun);
  if (!rows || reportsError(body, noun)) return null;
  const total = totalOf(body) ?? countIn(headers['x-total-count']);
  return { rows, names: rows.map(nameOf), total, ...continuationOf(body, headers, path) };
}

/**
 * Whether the answer only says that no such records were found: some hosts answer 400, or 200, with
 * `{"error": "no profiles found"}` for an empty list (api-notes, "What hosts of this family really answer"). The words
 * have to name what was asked for: "no permission found" is another matter, and a failed read is never an empty list.
 */
function saysNothingFound({ status, body }: Answered, noun: string): boolean {
  if (status !== 200 && status !== 400) return false;
  return isObject(body) && Object.keys(body).join() === 'error' && meansNothing(body, noun);
}

function meansNothing(body: JsonObject, noun: string): boolean {
  const found = /^no ([a-z]+(?:[ _][a-z]+){0,3}) found\.?$/i.exec((textOf(body, 'error') ?? '').trim());
  const word = lastWord(found?.[1] ?? '');
  return word !== '' && [lastWord(noun), 'record', 'result'].includes(word);
}

/** Whether the rows come with an error: then they are not all, or none although there are some. */
function reportsError(body: Json, noun: string): boolean {
  return isObject(body) && !meansNothing(body, noun) && saysAny(body, ['error', 'errors']);
}

/** The last word of a noun, in the singular: `search` of `advanced_searches`. */
function lastWord(noun: string): string {
  const word = noun.toLowerCase().split(/[ _-]/).at(-1) ?? '';
  return word.replace(/(?<=ch|sh|ss|x)es$|(?<!s)s$/, '');
}

function rowsIn(body: Json, noun: string): readonly JsonObject[] | null {
  const rows = isObject(body) ? own(body, noun) : body;
  // Some tenants answer null for an empty list that has a name (api-notes, "server rewrites").
  if (isObject(body) && rows === null) return [];
  if (!isArray(rows)) return null;
  const objects = rows.filter((row) => isObject(row));
  return objects.length < rows.length ? null : objects;
}

function totalOf(body: Json): number | null {
  const total = isObject(body) ? numberOf(objectOf(body, '_metadata'), 'total') : null;
  return total !== null && Number.isInteger(total) && total >= 0 ? total : null;
}

function countIn(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,9}$/.test(header.trim()) ? Number(header) : null;
}

/** What identifies a row: its id, else all of its content. */
function nameOf(row: JsonObject): string {
  return idText(own(row, 'id')) ?? sha256(row);
}

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
  const url = typeof text === 'string' ? parseUrl(text, base) : null;
  if (!url) return null;
  const { pathname, searchParams } = url;
  const isOnce = new Set(searchParams.keys()).size === searchParams.size;
  return pathname.endsWith(path) && searchParams.size > 0 && isOnce ? Object.fromEntries(searchParams) : null;
}
