import { sha256 } from '../model/digest.ts';
import { isArray, isObject, type Json, type JsonObject, own } from '../model/json.ts';
import type { Answered } from './answer.ts';

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
