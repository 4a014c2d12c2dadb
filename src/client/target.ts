import type { ApiSettings } from '../model/settings.ts';
import { type Unsent, unsentAnswer } from './answer.ts';

/** Where a request goes: an origin, and the path with its query. */
export interface Target {
  readonly origin: string;
  readonly path: string;
}

/**
 * A request's path and query below a base URL. A path may come from a plan file or a tenant's id, so one that
 * would leave the base URL (another host, `/../`, a query or fragment of its own) is refused.
 */
export function targetOf(
  baseUrl: string,
  path: string,
  query: Readonly<Record<string, string>>,
): Target | Unsent {
  const base = parseUrl(baseUrl);
  if (!base || (base.protocol !== 'https:' && base.protocol !== 'http:')) {
    return unsentAnswer('unsafe', `"${baseUrl}" is not an http(s) base URL`);
  }
  const wanted = base.pathname.replace(/\/+$/, '') + path;
  const url = parseUrl(wanted, base);
  if (!path.startsWith('/') || !url || url.origin !== base.origin || url.pathname !== wanted) {
    return unsentAnswer('unsafe', `the path "${path}" leads out of the base URL`);
  }
  if (
    !Object.entries(query)
      .flat()
      .every((text) => text.isWellFormed())
  ) {
    return unsentAnswer('unsafe', `the query of "${path}" holds half a character, which no URL can hold`);
  }
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return { origin: url.origin, path: pairs.length > 0 ? `${wanted}?${pairs.join('&')}` : wanted };
}

/** `text` as a URL, or `null` where it is not one. */
export function parseUrl(text: string, base?: URL): URL | null {
  return URL.canParse(text, base?.href) ? new URL(text, base) : null;
}

/** What decides where a request goes and as whom. */
const reservedHeaders = /^(host|authorization|proxy-.*|connection|content-length|transfer-encoding)$/;

/**
 * Whether a request may have a header. A plan or a project file may have been edited: no header of it may send the request
 * or its token elsewhere, not as the experimental header either.
 */
export function mayBeSent(header: string, settings: ApiSettings): boolean {
  const name = header.toLowerCase();
  if (reservedHeaders.test(name)) return false;
  return ['accept', 'content-type', settings.experimentalHeader.toLowerCase()].includes(name);
}
