import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The header that proves a request comes from the page itself. */
const tokenHeader = 'x-preview-token';

/** Sent with every answer: nothing but the page's own script runs, and nothing is asked of any other host. */
export const securityHeaders: Readonly<Record<string, string>> = {
  // Frames inherit the page's policy, so their inline styles have to be allowed here too.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-frame-options': 'DENY',
};

/** Why a request is refused. */
export type Refusal = { readonly status: 403; readonly message: string };

/**
 * A name that resolves to this machine (DNS rebinding) and pages of other origins get nothing; what is under `/api/`
 * needs the token that only the page knows.
 */
export function refusalOf(
  { headers, method, url = '' }: IncomingMessage,
  port: number,
  token: string,
): Refusal | null {
  const { host = '', origin } = headers;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)
    return { status: 403, message: 'This host name is not the one the preview listens on.' };
  const site = headers['sec-fetch-site'];
  const isForeign = (origin !== undefined && origin !== `http://${host}`) || site === 'cross-site';
  if (isForeign || (method !== 'GET' && origin === undefined))
    return { status: 403, message: 'Only the page of the preview may ask this.' };
  if (url.startsWith('/api/') && !isSame(headers[tokenHeader], token))
    return { status: 403, message: 'This page belongs to an earlier run: load it again.' };
  return null;
}

function isSame(given: string | readonly string[] | undefined, token: string): boolean {
  if (typeof given !== 'string' || Buffer.byteLength(given) !== Buffer.byteLength(token)) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(token));
}
