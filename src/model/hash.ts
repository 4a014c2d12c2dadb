import { createHash, hash } from 'node:crypto';
import { canonicalJson } from './json.ts';

/** A short digest of a text: equal for what is equal, and for nothing else. */
export function digestOf(content: string): string {
  return hash('sha256', content, 'base64');
}

/** The same of bytes in pieces, as if they were one. */
export function digestOfPieces(pieces: readonly Uint8Array[]): string {
  const all = createHash('sha256');
  for (const piece of pieces) all.update(piece);
  return all.digest('base64');
}

/** `sha256:` and the hex digest of the value's canonical JSON. */
export function sha256(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
}
