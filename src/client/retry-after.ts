/**
 * The wait that a Retry-After header asks for, in milliseconds: seconds or an HTTP date (RFC 9110, 10.2.3).
 *
 * @param now milliseconds since 1970
 * @returns `null` where there is no such header or it makes no sense
 */
export function retryAfter(header: string | undefined, now: number): number | null {
  const value = header?.trim() ?? '';
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  if (!/^[A-Za-z]{3,9},? /.test(value)) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
