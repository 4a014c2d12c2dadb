import { isArray, isObject, type Json, parseJson } from '../model/json.ts';
import { ApiError, badRequest } from './api-error.ts';
import { isExperimental, type Operation } from './operations.ts';

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const mostBytes = 5 * 1024 * 1024;
const deepestBody = 64;

/** Throws a 400 where a header is missing or wrong: experimental, Accept, Content-Type (seeds 000 and 001). */
export function checkHeaders(operation: Operation, headers: Headers, experimentalHeader: string): void {
  if (isExperimental(operation)) {
    if (headers[experimentalHeader.toLowerCase()] !== 'true') {
      throw badRequest(`The header ${experimentalHeader}: true is required for this experimental operation`);
    }
    if (headers.accept !== 'application/json') throw badRequest('The header Accept must be application/json');
  }
  const sent = headers['content-type'];
  if (operation.contentType === null && sent !== undefined) {
    throw badRequest('This operation has no body: Content-Type must not be sent');
  }
  if (operation.contentType !== null && sent !== operation.contentType) {
    throw badRequest(`The header Content-Type must be ${operation.contentType}`);
  }
}

/**
 * The JSON body of a request; null where the operation has none. Throws a 413 above 5 MB, and a 400 for a body that is
 * not wanted, not UTF-8, not JSON or nested too deep.
 */
export function readBody(operation: Operation, bytes: Buffer | null): Json {
  const text = bodyText(bytes);
  if (operation.contentType === null) {
    if (text !== '') throw badRequest('This operation has no body');
    return null;
  }
  const body = parseJson(text);
  if (body === undefined) throw badRequest('The body is no JSON');
  if (isDeeper(body, deepestBody)) throw badRequest('The body is nested too deep');
  return body;
}

/** The text of a body; `null` stands for one that was too large to keep. Throws a 413 or a 400. */
export function bodyText(bytes: Buffer | null): string {
  if (bytes === null) throw new ApiError(413, `The body is larger than ${mostBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('The body is not UTF-8');
  }
}

/** All of a body, or null where it is larger than 5 MB; the rest is then read and dropped. */
export async function collectBody(chunks: AsyncIterable<Uint8Array>): Promise<Buffer | null> {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size <= mostBytes) kept.push(chunk);
  }
  return size > mostBytes ? null : Buffer.concat(kept);
}

function isDeeper(value: Json, levels: number): boolean {
  if (!isArray(value) && !isObject(value)) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}
