import { idText } from '../kinds/operation.ts';
import { sha256 } from '../model/digest.ts';
import { isArray, isObject, type Json, type JsonObject, own, textOf } from '../model/json.ts';
import { type Answer, type Answered, isWhole } from './answer.ts';
import { type Continuation, continuationOf } from './continuation.ts';

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
  if (!isObject(body) || meansNothing(body, noun)) return false;
  return ['error', 'errors'].some((name) => {
    const value = own(body, name) ?? null;
    return isArray(value) || isObject(value) ? Object.keys(value).length > 0 : Boolean(value);
  });
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
  const metadata = isObject(body) ? own(body, '_metadata') : undefined;
  const total = isObject(metadata) ? own(metadata, 'total') : undefined;
  return typeof total === 'number' && Number.isInteger(total) && total >= 0 ? total : null;
}

function countIn(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,9}$/.test(header.trim()) ? Number(header) : null;
}

/** What identifies a row: its id, else all of its content. */
function nameOf(row: JsonObject): string {
  return idText(own(row, 'id')) ?? sha256(row);
}
