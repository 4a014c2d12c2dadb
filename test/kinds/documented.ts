import type { Request } from '../../src/model/documents.ts';
import type { Json } from '../../src/model/json.ts';

/** A request as the API documents want it: the identity service, all but what is below `/api/`, with its experimental header. */
export function documentedRequest(
  method: Request['method'],
  path: string,
  body: Json = null,
  contentType = 'application/json',
): Request {
  const headers = {
    accept: 'application/json',
    ...(body !== null && { 'content-type': contentType }),
    ...(!path.startsWith('/api/') && { 'x-service-experimental': 'true' }),
  };
  return { method, path, query: {}, headers, body };
}
