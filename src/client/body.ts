import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { digestOfPieces } from '../model/hash.ts';
import { isTooDeep, type Json, parseJson } from '../model/json.ts';

/** Whether the JSON whose bytes have this digest is known, and need not be read. */
export type Recognise = (digest: string) => boolean;

/** The body of an answer, read as far as it makes sense. */
export type Body =
  | { readonly is: 'json'; readonly json: Json; readonly digest?: string }
  | { readonly is: 'recognised'; readonly pieces: readonly Uint8Array[]; readonly digest: string }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'empty' }
  | { readonly is: 'too-large' };

/**
 * Reads a body by what it is rather than by what its headers claim: a wrong Content-Encoding, HTML or broken JSON
 * never fails. JSON nested deeper than anything the API has is taken for text; so is JSON in another encoding than
 * UTF-8, since its letters would be written back wrong.
 *
 * @param pieces the bytes as they came
 * @param encoding the Content-Encoding header
 * @param limit bytes a compressed body may unpack to
 */
export async function readBody(
  pieces: readonly Buffer[],
  encoding: string | undefined,
  limit: number,
  recognise?: Recognise,
): Promise<Body> {
  const unpacked = await unpack(pieces, encoding, limit);
  if (unpacked === null) return { is: 'too-large' };
  const digest = recognise && digestOfPieces(unpacked);
  if (digest !== undefined && recognise?.(digest)) return { is: 'recognised', pieces: unpacked, digest };
  const body = readPieces(unpacked);
  return body.is === 'json' && digest !== undefined ? { ...body, digest } : body;
}

/** A body of which the bytes are there, unpacked. */
export function readPieces(pieces: readonly Uint8Array[]): Exclude<Body, { is: 'recognised' | 'too-large' }> {
  const plain = Buffer.concat(pieces);
  const text = bodyText(plain);
  if (text.trim() === '') return { is: 'empty' };
  const json = isUtf8(plain) ? parseJson(text) : undefined;
  return json === undefined || isTooDeep(json) ? { is: 'text', text } : { is: 'json', json };
}

/** The text of a body without a byte order mark. */
export function bodyText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

async function unpack(
  pieces: readonly Buffer[],
  encoding: string | undefined,
  limit: number,
): Promise<readonly Buffer[] | null> {
  // The two bytes that tell gzip may come one by one.
  const [first] = pieces;
  const format = formatOf(first && first.length > 1 ? first : Buffer.concat(pieces), encoding);
  if (format === null) return pieces;
  // Loaded for those that pack their answers.
  const { brotliDecompress, gunzip, inflate } = process.getBuiltinModule('node:zlib');
  const decoders = { br: promisify(brotliDecompress), gzip: promisify(gunzip), deflate: promisify(inflate) };
  try {
    return [await decoders[format](Buffer.concat(pieces), { maxOutputLength: limit })];
  } catch (error) {
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return tooLarge ? null : pieces;
  }
}

function formatOf(bytes: Buffer, encoding = ''): 'gzip' | 'br' | 'deflate' | null {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  const name = encoding.trim().toLowerCase();
  return name === 'br' || name === 'deflate' ? name : null;
}
