import { failure } from '../model/failure.ts';
import type { Json } from '../model/json.ts';
import type { Request } from '../model/plan.ts';
import type { ApiSettings } from '../model/settings.ts';

/**
 * Requests of the API with the headers its documents ask for: Accept always, Content-Type with a body, and the
 * experimental header on every v2024 and v2025 call (seeds 000 and 001, "Endpoints").
 */
export function apiRequest(
  method: Request['method'],
  path: string,
  settings: ApiSettings,
  more: { query?: Readonly<Record<string, string>>; body?: Json; contentType?: string } = {},
): Request {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (more.body !== undefined) headers['content-type'] = more.contentType ?? 'application/json';
  if (serviceOf(path) === 'identity') headers[settings.experimentalHeader.toLowerCase()] = 'true';
  return { method, path, query: more.query ?? {}, headers, body: more.body ?? null };
}

export const jsonPatchType = 'application/json-patch+json';

/** A path with each segment percent-encoded. Throws a Failure for a segment that would walk out of it. */
export function pathOf(base: string, ...segments: readonly string[]): string {
  return [base, ...segments.map(encodeSegment)].join('/');
}

/** One segment of a path, percent-encoded. Throws a Failure for one that would walk out of the path. */
export function encodeSegment(segment: string): string {
  // Some servers decode a segment before they walk the path.
  const walks = segment.split(/[\\/]/).some((part) => part === '.' || part === '..');
  if (segment === '' || walks || !segment.isWellFormed() || /\p{Cc}/u.test(segment)) {
    throw failure(
      'unsafe-path-segment',
      `The tenant's id or name "${segment}" cannot stand in a request path.`,
    );
  }
  return encodeURIComponent(segment);
}

/** The two HTTP services of a tenant. */
export type Service = 'identity' | 'profiles';

/** Which service serves a path: the versioned ones are the identity service's. */
export function serviceOf(path: string): Service {
  return /^\/v\d{4}\//.test(path) ? 'identity' : 'profiles';
}

/**
 * Filter expressions of list operations (api-notes, "filter grammar"): SCIM-like, text in double quotes with
 * `\"` and `\\`. Everything that goes into a filter goes through here, so that no value can break out of it.
 */
export const eq = (field: string, value: string): string => `${field} eq ${quote(value)}`;

export const isIn = (field: string, values: readonly string[]): string =>
  `${field} in (${values.map(quote).join(',')})`;

export const or = (expressions: readonly string[]): string => expressions.join(' or ');

function quote(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
