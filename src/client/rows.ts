import { sha256 } from '../model/hash.ts';
import { isArray, isObject, type Json, type JsonObject, own, parseJson } from '../model/json.ts';
import type { Answered } from './answer.ts';
import { bodyText } from './body.ts';
import type { KnownPage } from './page-cache.ts';

/** One page of a list. */
export interface Page {
  readonly rows: readonly JsonObject[];
  /** What tells each row from the others of the list. */
  readonly names: readonly string[];
  /** How many rows the whole list has; `null` where the answer does not say so. */
  readonly total: number | null;
  /** The same as far as the body says it, which is all that its digest vouches for. */
  readonly totalInBody: number | null;
  /** Of the answer's bytes, where pages are kept. */
  readonly digest: string | null;
  /** What an earlier run found in this very page; its rows are read when somebody asks for them. */
  readonly known: KnownPage | null;
}

/**
 * The rows in a list's answer: a bare array, or an object that holds it under `member` or the plural noun that ends the
 * path (api-notes, "Collections"). `null` where there are none or a row is no object.
 */
export function pageOf(answer: Answered, path: string, member: string | undefined): Page | null {
  const { body, headers, digest = null } = answer;
  const rows = rowsIn(body, path, member);
  if (!rows) return null;
  const totalInBody = totalOf(body);
  const total = totalInBody ?? countIn(headers['x-total-count']);
  return { rows, names: rows.map(nameOf), total, totalInBody, digest, known: null };
}

/** The page of an answer that was recognised. */
export function recognisedPage(
  answer: Answered,
  known: KnownPage,
  path: string,
  member: string | undefined,
): Page {
  const { headers, unread = [], digest = null } = answer;
  let rows: readonly JsonObject[] | null = null;
  return {
    get rows() {
      rows ??= rowsIn(parseJson(bodyText(Buffer.concat(unread))) ?? null, path, member) ?? [];
      return rows;
    },
    names: known.rows.map(({ name }) => name),
    total: known.totalInBody ?? countIn(headers['x-total-count']),
    totalInBody: known.totalInBody,
    digest,
    known,
  };
}

function rowsIn(body: Json, path: string, member: string | undefined): readonly JsonObject[] | null {
  // Some tenants answer null for an empty list that has a name (api-notes, "server rewrites").
  const rows = isObject(body) ? emptyForNull(own(body, member ?? path.split('/').at(-1) ?? '')) : body;
  if (!isArray(rows)) return null;
  const objects = rows.filter((row) => isObject(row));
  return objects.length < rows.length ? null : objects;
}

function emptyForNull(rows: Json | undefined): Json | undefined {
  return rows === null ? [] : rows;
}

function totalOf(body: Json): number | null {
  const metadata = isObject(body) ? own(body, '_metadata') : undefined;
  const total = isObject(metadata) ? own(metadata, 'total') : undefined;
  return typeof total === 'number' && Number.isInteger(total) && total >= 0 ? total : null;
}

function countIn(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,9}$/.test(header.trim()) ? Number(header) : null;
}

/** What tells a row from others: its id, else everything in it. */
function nameOf(row: JsonObject): string {
  const id = own(row, 'id');
  return typeof id === 'string' || typeof id === 'number' ? String(id) : sha256(row);
}
