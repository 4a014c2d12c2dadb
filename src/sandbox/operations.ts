import jsonpatch from 'fast-json-patch';
import { get, isArray, isObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import type { DescribedKind } from './described-kind.ts';
import { ApiError, choice, object, type Read, refuse, text } from './shape.ts';
import type { TenantState } from './state.ts';
import type { Variations } from './ways.ts';

/** One operation as the documents describe it, and what it does. Every request is checked against it. */
export interface Operation {
  /** The documented name; operations that the documents do not name have one of the same form. */
  readonly name: string;
  readonly method: string;
  /** With `{name}` for a segment that varies. */
  readonly path: string;
  readonly contentType: string | null;
  /** The query parameters; `*` stands for the attributes that a collection filters by. */
  readonly query: readonly string[];
  /** The ways of the hosts that have it: all hosts if there are none. */
  readonly onlyWith: Partial<Variations>;
  /** True when it requires the experimental header and `Accept: application/json` (seeds 000 and 001). */
  readonly isExperimental: boolean;
  /** Throws `ApiError` to refuse a call, before it changes anything. Null for the token request, which the server answers itself. */
  readonly handler: ((call: Call, tenant: Tenant) => Reply) | null;
}

export interface Call {
  /** As it was asked for, without the query. */
  readonly path: string;
  readonly params: ReadonlyMap<string, string>;
  /** Each at most once. */
  readonly query: ReadonlyMap<string, string>;
  readonly body: Json;
}

export interface Tenant {
  readonly state: TenantState;
  readonly kinds: ReadonlyMap<string, DescribedKind>;
  readonly variations: Variations;
  readonly pageLimit: number;
  readonly now: () => number;
  readonly timestamp: () => string;
}

export interface Reply {
  readonly status: number;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** Work that the tenant does a while after its answer. */
  readonly later?: () => void;
}

export const badRequest = (message: string): ApiError => new ApiError(400, message);
export const notFound = (message: string): ApiError => new ApiError(404, message);

export const ok = (body: Json): Reply => ({ status: 200, body });

/** The content type of bodies, unless an operation has another. */
const usualTypes: Readonly<Record<string, string>> = {
  POST: 'application/json',
  PUT: 'application/json',
  PATCH: 'application/json-patch+json',
};

/** @param route the method, the path and the query parameters: `GET /v2025/notification-templates?limit&offset` */
export function operation(
  name: string,
  route: string,
  handler: Operation['handler'],
  others: Partial<Pick<Operation, 'contentType' | 'onlyWith' | 'isExperimental'>> = {},
): Operation {
  const [method = '', path = '', ...query] = route.match(/[^ ?&]+/g) ?? [];
  const contentType = usualTypes[method] ?? null;
  const isExperimental = path.startsWith('/v20');
  return { name, method, path, query, handler, contentType, onlyWith: {}, isExperimental, ...others };
}

export function param(call: Call, name: string): string {
  return call.params.get(name) ?? '';
}

/** The record whose id, or other member, ends the path. Throws a 404, or what `missing` makes, that calls it a `noun`. */
export function findByPath<T extends JsonObject>(
  records: readonly T[],
  { params }: Call,
  noun: string,
  { by = 'id', missing = notFound } = {},
): T {
  const wanted = [...params.values()].at(-1);
  const found = records.find((record) => get(record, by) === wanted);
  if (found === undefined) throw missing(`There is no ${noun} ${wanted}`);
  return found;
}

/** Removes the record that {@link findByPath} finds in one of the lists of `state`. */
export function deleteByPath<T extends JsonObject>(
  records: T[],
  call: Call,
  noun: string,
  state: TenantState,
): Reply {
  records.splice(records.indexOf(findByPath(records, call, noun)), 1);
  state.generation += 1;
  return { status: 204 };
}

/** Reads an object that the contract sends as text, and that tenants with `jsonText: object` take as an object. */
export const jsonObject =
  ({ jsonText }: Pick<Variations, 'jsonText'>): Read<JsonObject | null> =>
  (value = null, at) => {
    if (value === null) return null;
    if (jsonText === 'object') return isObject(value) ? value : refuse(at, 'must be an object');
    const parsed = typeof value === 'string' ? parseJson(value) : undefined;
    return isObject(parsed) ? parsed : refuse(at, 'must be text that holds a JSON object');
  };

/** An object in the form in which the tenant answers it. Other values are answered as they are. */
export function writeJsonText(value: Json, { jsonText }: Pick<Variations, 'jsonText'>): Json {
  if (!isObject(value) || jsonText === 'object') return value;
  return jsonText === 'text' ? JSON.stringify(value) : writeMap(value);
}

/** An object in the form in which a client sends it: no tenant takes the form of a map. */
export function writeSentJson(value: Json, { jsonText }: Pick<Variations, 'jsonText'>): Json {
  return writeJsonText(value, { jsonText: jsonText === 'map' ? 'text' : jsonText });
}

/** `{a=b, c=d}`, as some servers print a map. */
function writeMap(value: Json): string {
  if (isArray(value)) return `[${value.map(writeMap).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const members = Object.entries(value).map(([key, item]) => `${key}=${writeMap(item)}`);
  return `{${members.join(', ')}}`;
}

const pointer: Read<string> = (value, at) => {
  const path = text(value, at);
  if (!/^\/([^~]|~[01])*$/.test(path)) throw badRequest(`${at}: "${path}" is not a JSON pointer`);
  return path;
};

/**
 * A copy of `document` with `patch` applied. Throws a 400 if it is malformed, leads nowhere, or a `test` fails. No tenant accepts
 * `move` and `copy`. Some accept only `replace`, which then sets members of the document itself: answers show these as null, so
 * they are never missing (api-notes, SimIntegration).
 */
export function applyPatch(document: JsonObject, patch: Json, ops: 'all' | 'replace'): JsonObject {
  if (!isArray(patch) || patch.length === 0)
    throw badRequest('The patch must be a non-empty array of operations');
  const readOperation = object({
    op: choice(ops === 'replace' ? ['replace'] : ['add', 'replace', 'remove', 'test']),
    path: pointer,
    value: (value) => value,
  });
  return patch.reduce<JsonObject>((current, given, index) => {
    const at = `operation ${index + 1}`;
    const operation = readOperation(given, at);
    const sets = ops === 'replace' && operation.path.lastIndexOf('/') === 0;
    try {
      const asked = sets ? { ...operation, op: 'add' as const } : operation;
      return jsonpatch.applyOperation(current, asked, true, false).newDocument;
    } catch (error) {
      // The message of such an error holds the whole document.
      const why = error instanceof Error ? error.name : 'impossible';
      throw badRequest(`${at} (${operation.op} ${operation.path}): it cannot be applied there (${why})`);
    }
  }, document);
}
