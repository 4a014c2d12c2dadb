import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { isTooDeep, parseJson } from '../model/json.ts';
import { systemCode } from '../model/system-error.ts';
import type { Answered } from './answer.ts';

/**
 * Reads a body by its content rather than by its headers: a wrong Content-Encoding, HTML or broken JSON never fails.
 * JSON that is nested deeper than anything the API has counts as text; so does JSON that is not UTF-8, since its letters
 * would be written back wrong.
 *
 * @param encoding the Content-Encoding header
 * @param limit bytes a compressed body may unpack to
 * @returns `null` for a body that unpacks to more
 */
export async function readBody(
  bytes: Buffer,
  encoding: string | undefined,
  limit: number,
): Promise<Pick<Answered, 'body' | 'text'> | null> {
  const plain = await unpack(bytes, encoding, limit);
  if (plain === null) return null;
  // Drops a byte order mark.
  const text = new TextDecoder().decode(plain);
  if (text.trim() === '') return { body: null, text: null };
  const body = isUtf8(plain) ? parseJson(text) : undefined;
  return body === undefined || isTooDeep(body) ? { body: null, text } : { body, text: null };
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
    return systemCode(error) === 'ERR_BUFFER_TOO_LARGE' ? null : bytes;
  }
}

function formatOf(bytes: Buffer, encoding = ''): 'gzip' | 'br' | 'deflate' | null {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  const name = encoding.trim().toLowerCase();
  return name === 'br' || name === 'deflate' ? name : null;
}
