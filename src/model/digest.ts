import { hash } from 'node:crypto';
import { canonicalJson } from './json.ts';

/** `sha256:` and the hex digest of the value's canonical JSON. */
export function sha256(value: unknown, spell?: (text: string) => string): string {
  return `sha256:${hash('sha256', canonicalJson(value, spell))}`;
}

/** The digest of a checked-out file: git may change line endings, so they do not count. */
export function checkoutDigest(value: unknown): string {
  return sha256(value, (text) => text.replaceAll('\r\n', '\n'));
}

/** The first hex digits of a value's digest, for a unique name. */
export function digestStart(value: unknown, digits = 8): string {
  return sha256(value).slice('sha256:'.length, 'sha256:'.length + digits);
}

/** The hex digits of a digest. They name a file, so of any other text its digest is used. */
export function fileStem(digest: string): string {
  return /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1] ?? hash('sha256', digest);
}
