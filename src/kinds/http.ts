import type { Address, Key } from '../model/address.ts';
import type { Change, Request } from '../model/documents.ts';
import { fail } from '../model/failure.ts';
import { get, isObject, itemsOf, type Json, type JsonObject, objectFrom } from '../model/json.ts';
import { fillRefs, markersIn, refOf } from '../model/marker.ts';
import type { ApiSettings } from '../model/tenant.ts';

export type Service = 'identity' | 'profiles';

interface Lane {
  readonly service: Service;
  /** Requests of one group share a rate limit: an API version, or the own path of a resource. */
  readonly group: string;
}

export interface Call extends Request {
  readonly lane: Lane;
}

export interface ApiResource {
  readonly name: string;
  readonly service: Service;
  /** The path that hosts use which serve each resource under its own path and version (api-notes); `null`: none do. */
  readonly ownPath: string | null;
  /** From the base URL on, with `{name}` for the id of an object that it is below. */
  path(settings: ApiSettings): string;
  lane(settings: ApiSettings): Lane;
}

/** A resource of the identity service: below its documented API version, or under a path of its own (newer hosts). */
export function identityResource(name: string, version: string, segment: string): ApiResource {
  return resourceAt(name, 'identity', `/${version}/${segment}`, `/${segment}/v1`);
}

export function resourceAt(
  name: string,
  service: Service,
  documented: string,
  ownPath: string | null = null,
): ApiResource {
  const [, version = ''] = documented.split('/');
  return {
    name,
    service,
    ownPath,
    path: ({ paths }) => get(paths, name) ?? documented,
    lane: ({ paths }) => ({ service, group: get(paths, name) ?? version }),
  };
}

interface CallParts {
  readonly above?: readonly Json[];
  /** Segments, not encoded: texts, or markers for ids. */
  readonly below?: readonly Json[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json | undefined;
  readonly contentType?: string | undefined;
}

/** A request with the headers that the documents ask for. Throws a Failure for a segment that would leave the path. */
export function apiRequest(
  method: Request['method'],
  resource: ApiResource,
  settings: ApiSettings,
  { above = [], below = [], query = {}, body, contentType = 'application/json' }: CallParts = {},
): Call {
  const lane = resource.lane(settings);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = contentType;
  if (lane.service === 'identity') headers[settings.experimentalHeader.toLowerCase()] = 'true';
  const ids = [...above];
  const base = resource.path(settings).replaceAll(placeInPath, () => segmentOf(ids.shift() ?? ''));
  return { method, path: pathOf(base, ...below), query, headers, body: body ?? null, lane };
}

export function call(...parts: Parameters<typeof apiRequest>): Request {
  const { lane: _lane, ...request } = apiRequest(...parts);
  return request;
}

export function keyMembers(names: readonly string[], key: Key): JsonObject {
  return objectFrom(names.map((name, at) => [name, key[at] ?? null]));
}

/** An id as text: some hosts count them. `null` for other values. */
export function idText(id: Json | undefined): string | null {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}

export const jsonPatchType = 'application/json-patch+json';

/** A path with each segment percent-encoded. Throws a Failure for a segment that would leave it. */
export function pathOf(base: string, ...segments: readonly Json[]): string {
  return [base, ...segments.map(segmentOf)].join('/');
}

const placeInPath = /\{([^{}]+)\}/g;

/** Percent-encodes it; `{ADDRESS}` for the id of an object that an apply has yet to create. No other segment has a brace. */
function segmentOf(id: Json): string {
  const to = refOf(id);
  if (to !== null) return `{${to}}`;
  const segment = String(id);
  if (!isPathSegment(segment)) {
    throw fail(
      'unsafe-path-segment',
      `The tenant's id or name "${segment}" cannot stand in a request path.`,
      { hint: 'Leave the object out with --except, and correct it in the tenant.' },
    );
  }
  return encodeURIComponent(segment);
}

/** The addresses whose ids the requests of a change need. The path of one that follows the create of its own object does not. */
export function listNeeds({ address, requests }: Pick<Change, 'address' | 'requests'>): Address[] {
  const needs = requests.flatMap(({ path, body }) => {
    const inPath = [...path.matchAll(placeInPath)].map(([, to = '']) => to);
    return [...inPath.filter((to) => to !== address), ...markersIn(body, '$ref')];
  });
  return [...new Set(needs)];
}

/** The request with the ids of objects that an apply has created, as far as `idOf` knows them. */
export function fillRequest(request: Request, idOf: (to: Address) => Json | undefined): Request {
  const path = request.path.replaceAll(placeInPath, (place, to: Address) => {
    const id = idOf(to);
    return id === undefined ? place : segmentOf(id);
  });
  return { ...request, path, body: fillRefs(request.body, idOf) };
}

/** Whether the text can stand in a request path, once it is percent-encoded: some servers decode it before they resolve the path. */
export function isPathSegment(text: string): boolean {
  const walks = text.split(/[\\/]/).some((part) => part === '.' || part === '..');
  return text !== '' && !walks && text.isWellFormed() && !/\p{Cc}/u.test(text);
}

/** A filter expression (api-notes, "filter grammar"). Only this function makes one, so no value can break out of its quotes. */
export function filterBy(field: string, operator: 'eq' | 'in', values: readonly string[]): string {
  const quoted = [...new Set(values)].map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`);
  if (operator === 'in') return `${field} in (${quoted.join(',')})`;
  return quoted.map((value) => `${field} eq ${value}`).join(' or ');
}

const errorMembers: ReadonlySet<string> = new Set([
  ...['error', 'errors', 'error_description', 'message', 'messages', 'detailCode', 'causes', 'trackingId'],
  ...['requestId', 'code', 'status', 'statusCode', 'success', 'timestamp', 'path'],
]);

/** Whether a body only reports an error. Some gateways send such a body with a success status. */
export function isErrorBody(body: Json): boolean {
  if (!isObject(body) || !Object.keys(body).every((name) => errorMembers.has(name))) return false;
  if (get(body, 'success') === false) return true;
  return saysAny(body, ['error', 'errors', 'detailCode']);
}

export function looksLikeHtml(text: string): boolean {
  return /^\s*(<!doctype html|<html|<head|<body|<!--|<h1|<p>)/i.test(text.slice(0, 1000));
}

/** Whether an answer with a success status reports a failure: an error, or a web page instead of data. */
export function deniesSuccess({ body, text }: { body: Json; text: string | null }): boolean {
  return isErrorBody(body) || (text !== null && looksLikeHtml(text));
}

/** Whether one of these members has a value: hosts also write null, an empty value or false for none. */
export function saysAny(body: JsonObject, names: readonly string[]): boolean {
  return names.some((name) => {
    const value = get(body, name) ?? null;
    return typeof value === 'object' ? itemsOf(value).length > 0 : Boolean(value);
  });
}

/** Whether it may have been carried out: a server error, a gateway's 408, or a 303 with the result's place (RFC 9110, 15.4.4). */
export function isInconclusive({ status }: { readonly status: number }): boolean {
  return status >= 500 || status === 408 || status === 303;
}
