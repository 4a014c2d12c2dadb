import { badRequest } from './api-error.ts';
import type { Operation } from './operations.ts';

/** The query parameters of a request; each at most once. */
export type Query = ReadonlyMap<string, string>;

/** Parses a query string. Throws a 400 for a parameter that the operation has not, and for one given twice. */
export function parseQuery(text: string, { query: allowed }: Operation): Query {
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (!allowed.includes(name) && !allowed.includes('*'))
      throw badRequest(`Unknown query parameter "${name}"`);
    if (query.has(name)) throw badRequest(`Query parameter "${name}" is given twice`);
    query.set(name, value);
  }
  return query;
}

/** A whole number from `least` to `most`, or `fallback` where it is not given. Throws a 400. */
export function numberIn(query: Query, name: string, least: number, most: number, fallback: number): number {
  const text = query.get(name);
  if (text === undefined) return fallback;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw badRequest(`${name} must be a whole number from ${least} to ${most}`);
  return value;
}

/** `true` or `false`; false where it is not given. Throws a 400. */
export function flagIn(query: Query, name: string): boolean {
  const text = query.get(name) ?? 'false';
  if (text !== 'true' && text !== 'false') throw badRequest(`${name} must be true or false`);
  return text === 'true';
}

const int32 = 2 ** 31 - 1;

/** One page of `records` for `limit` and `offset`, as the notification interface pages (seed 001). */
export function pageOf<T>(
  records: readonly T[],
  query: Query,
  pageLimit: number,
  repeat: boolean,
): readonly T[] {
  const limit = numberIn(query, 'limit', 1, pageLimit, pageLimit);
  const offset = numberIn(query, 'offset', 0, int32, 0);
  const from = repeat ? 0 : offset;
  return records.slice(from, from + limit);
}

/** `records` in the order of a `sorters` expression over `fields`. Throws a 400 for another field. */
export function sorted<T>(
  records: readonly T[],
  sorters: string | undefined,
  fields: ReadonlyMap<string, (record: T) => string>,
): readonly T[] {
  if (sorters === undefined) return records;
  const keys = sorters.split(',').map((sorter) => {
    const name = sorter.replace(/^-/, '');
    const read = fields.get(name);
    if (read === undefined) throw badRequest(`sorters: field "${name}" is not supported`);
    return { read, sign: sorter.startsWith('-') ? -1 : 1 };
  });
  return records.toSorted((a, b) =>
    keys.reduce((so, { read, sign }) => so || sign * order(read(a), read(b)), 0),
  );
}

/** The order of two texts by code unit. */
export function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
