import { createHash } from 'node:crypto';
import type { Json } from '../model/json.ts';

/** The refusal of a request: status, message and headers of the answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export const badRequest = (message: string): ApiError => new ApiError(400, message);
export const notFound = (message: string): ApiError => new ApiError(404, message);

const detailCodes = new Map([
  [400, '400.1 Bad request content'],
  [403, '403 Forbidden'],
  [404, '404 Not found'],
  [405, '405 Method not allowed'],
  [413, '413 Payload too large'],
  [500, '500.0 Internal fault'],
]);

/**
 * The body of an error: `{error}` for 401, `{message}` for 429, else an ErrorResponseDto (api-notes, "error bodies").
 * The tracking id depends only on `serial`, so that two equal runs give equal answers.
 */
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
