import { isArray, isObject, type Json, type JsonObject, own } from '../model/json.ts';
import type { Answered } from './answer.ts';

/** The rows of one page, and how many rows the whole list has where the answer says so. */
export interface Page {
  readonly rows: readonly JsonObject[];
  readonly total: number | null;
}

/**
 * The rows in a list's answer: a bare array, or an object that holds it under `member` or the plural noun that ends the
 * path (api-notes, "Collections"). `null` where there are none or a row is no object.
 */
export function pageOf({ body, headers }: Answered, path: string, member: string | undefined): Page | null {
  // Some tenants answer null for an empty list that has a name (api-notes, "server rewrites").
  const rows = isObject(body) ? emptyForNull(own(body, member ?? path.split('/').at(-1) ?? '')) : body;
  if (!isArray(rows)) return null;
  const objects = rows.filter((row) => isObject(row));
  if (objects.length < rows.length) return null;
  return { rows: objects, total: totalOf(body, headers['x-total-count']) };
}

function emptyForNull(rows: Json | undefined): Json | undefined {
  return rows === null ? [] : rows;
}

function totalOf(body: Json, header: string | undefined): number | null {
  const metadata = isObject(body) ? own(body, '_metadata') : undefined;
  const total = isObject(metadata) ? own(metadata, 'total') : undefined;
  if (typeof total === 'number' && Number.isInteger(total) && total >= 0) return total;
  return header !== undefined && /^\d{1,9}$/.test(header.trim()) ? Number(header) : null;
}
