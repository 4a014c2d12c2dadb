import { createHash } from 'node:crypto';
import { canonicalJson } from './json.ts';

/** `sha256:` and the hex digest of the value's canonical JSON. */
export function sha256(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
}
