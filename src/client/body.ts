import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { isTooDeep, type Json, parseJson } from '../model/json.ts';

/** The body of an answer, read as far as it makes sense. */
export type Body =
  | { readonly is: 'json'; readonly json: Json }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'empty' }
  | { readonly is: 'too-large' };

/**
 * Reads a body by its content rather than by its headers: a wrong Content-Encoding, HTML or broken JSON never fails.
 * JSON that is nested deeper than anything the API has counts as text; so does JSON that is not UTF-8, since its letters
 * would be written back wrong.
 *
 * @param encoding the Content-Encoding header
 * @param limit bytes a compressed body may unpack to
 */
export async function readBody(bytes: Buffer, encoding: string | undefined, limit: number): Promise<Body> {
  const plain = await unpack(bytes, encoding, limit);
  if (plain === null) return { is: 'too-large' };
  // Drops a byte order mark.
  const text = new TextDecoder().decode(plain);
  if (text.trim() === '') return { is: 'empty' };
  const json = isUtf8(plain) ? parseJson(text) : undefined;
  return json === undefined || isTooDeep(json) ? { is: 'text', text } : { is: 'json', json };
}

async function unpack(bytes: Buffer, encoding: string | undefined, limit: number): Promise<Buffer | null> {
  const format = formatOf(bytes, encoding);
  if (format === null) return bytes;
  // Loaded only where a host compresses its answers.
  const { brotliDecompress, gunzip, inflate } = process.getBuiltinModule('node:zlib');
  const decoders = { br: promisify(brotliDecompress), gzip: promisify(gunzip), deflate: promisify(inflate) };
  try {
    return await decoders[format](bytes, { maxOutputLength: limit });
  } catch (error) {
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return tooLarge ? null : bytes;
  }
}

function formatOf(bytes: Buffer, encoding = ''): 'gzip' | 'br' | 'deflate' | null {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  const name = encoding.trim().toLowerCase();
  return name === 'br' || name === 'deflate' ? name : null;
}
