import { createHash } from 'node:crypto';
import { isTooDeep, type Json, parseJson } from '../model/json.ts';
import { checkExperimental } from './host.ts';
import type { Operation, Query } from './operations.ts';
import { ApiError, badRequest } from './reply.ts';
import type { Variations } from './ways.ts';

const detailCodes = new Map([
  [400, '400.1 Bad request content'],
  [403, '403 Forbidden'],
  [404, '404 Not found'],
  [405, '405 Method not allowed'],
  [413, '413 Payload too large'],
  [500, '500.0 Internal fault'],
]);

/** The body of an error (api-notes, "error bodies"). The tracking id depends on `serial` alone: equal runs answer alike. */
export function errorBody(status: number, message: string, serial: number): Json {
  if (status === 401) return { error: message };
  if (status === 429) return { message };
  return {
    detailCode: detailCodes.get(status) ?? `${status} Error`,
    trackingId: createHash('sha256').update(`error ${serial}`).digest('hex').slice(0, 32),
    messages: [{ locale: 'en-US', localeOrigin: 'DEFAULT', text: message }],
    causes: [],
  };
}

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const maxBytes = 5 * 1024 * 1024;
const maxDepth = 64;

/** Throws a 400 (on some tenants a 403) if the experimental header, Accept or Content-Type is missing or wrong (seeds 000 and 001). */
export function checkHeaders(operation: Operation, headers: Headers, host: Variations): void {
  checkExperimental(operation, (name) => headers[name], host);
  if (operation.isExperimental && headers.accept !== 'application/json')
    throw badRequest('The header Accept must be application/json');
  const sent = headers['content-type'];
  if (operation.contentType === null && sent !== undefined) {
    throw badRequest('This operation has no body: Content-Type must not be sent');
  }
  if (operation.contentType !== null && sent !== operation.contentType) {
    throw badRequest(`The header Content-Type must be ${operation.contentType}`);
  }
}

/** Parses a query string. Throws a 400 for a parameter that the operation does not have, and for a repeated one. */
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

/** The JSON body of a request, or null. Throws a 413 above 5 MB, and a 400 for what is unexpected or broken. */
export function readBody(operation: Operation, bytes: Buffer | null): Json {
  const text = decodeBody(bytes);
  if (operation.contentType === null) {
    if (text !== '') throw badRequest('This operation has no body');
    return null;
  }
  const body = parseJson(text);
  if (body === undefined) throw badRequest('The body is not JSON');
  if (isTooDeep(body, maxDepth)) throw badRequest('The body is nested too deep');
  return body;
}

/** Decodes a body from {@link collectBody}. Throws a 413 if it is too large, and a 400 if it is not UTF-8. */
export function decodeBody(bytes: Buffer | null): string {
  if (bytes === null) throw new ApiError(413, `The body is larger than ${maxBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('The body is not UTF-8');
  }
}

/** Null if it is larger than 5 MB: then the rest is read and discarded. */
export async function collectBody(chunks: AsyncIterable<Uint8Array>): Promise<Buffer | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size <= maxBytes) parts.push(chunk);
  }
  return size > maxBytes ? null : Buffer.concat(parts);
}
