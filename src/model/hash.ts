import { createHash, hash } from 'node:crypto';
import { canonicalJson } from './json.ts';

/** A short digest of a text or of bytes: equal for what is equal, and for nothing else. */
export function digestOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64');
}

/** `sha256:` and the hex digest of the value's canonical JSON. */
export function sha256(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
}
