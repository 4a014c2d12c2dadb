import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { digestOf } from '../model/hash.ts';
import { isTooDeep, type Json, parseJson } from '../model/json.ts';

/** Whether the JSON whose bytes have this digest is known, and need not be read. */
export type Recognise = (digest: string) => boolean;

/** The body of an answer, read as far as it makes sense. */
export type Body =
  | { readonly is: 'json'; readonly json: Json; readonly digest?: string }
  | { readonly is: 'recognised'; readonly bytes: Uint8Array; readonly digest: string }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'empty' }
  | { readonly is: 'too-large' };

const decoders = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
};

/**
 * Reads a body by what it is rather than by what its headers claim: a wrong Content-Encoding, HTML or broken JSON
 * never fails. JSON nested deeper than anything the API has is taken for text; so is JSON in another encoding than
 * UTF-8, since its letters would be written back wrong.
 *
 * @param encoding the Content-Encoding header
 * @param limit bytes a compressed body may unpack to
 */
export async function readBody(
  bytes: Buffer,
  encoding: string | undefined,
  limit: number,
  recognise?: Recognise,
): Promise<Body> {
  const plain = await unpack(bytes, encoding, limit);
  if (plain === null) return { is: 'too-large' };
  const digest = recognise && digestOf(plain);
  if (digest !== undefined && recognise?.(digest)) return { is: 'recognised', bytes: plain, digest };
  const text = new TextDecoder().decode(plain);
  if (text.trim() === '') return { is: 'empty' };
  const json = isUtf8(plain) ? parseJson(text) : undefined;
  if (json === undefined || isTooDeep(json)) return { is: 'text', text };
  return { is: 'json', json, ...(digest !== undefined && { digest }) };
}

async function unpack(bytes: Buffer, encoding: string | undefined, limit: number): Promise<Buffer | null> {
  const decode = decoderOf(bytes, encoding);
  if (!decode) return bytes;
  try {
    return await decode(bytes, { maxOutputLength: limit });
  } catch (error) {
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return tooLarge ? null : bytes;
  }
}

function decoderOf(bytes: Buffer, encoding = '') {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return decoders.gzip;
  const name = encoding.trim().toLowerCase();
  if (name === 'br') return decoders.br;
  return name === 'deflate' ? decoders.deflate : null;
}
