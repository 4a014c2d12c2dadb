import { failure } from '../model/failure.ts';
import { type Place, SourceFile } from './file.ts';
import type { Problems } from './problems.ts';
import type { FileSource } from './source.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const byteOrderMark = '\uFEFF';

/** Bytes as text, exactly, line endings and a byte order mark included. Throws a Failure `not-utf8`. */
export function decodeText(bytes: Uint8Array, path: string): string {
  try {
    return strict.decode(bytes);
  } catch {
    throw failure('not-utf8', `${path} is not UTF-8 text.`, { hint: 'Save the file as UTF-8.' });
  }
}

/** Reads a YAML file; `null`, and a problem told, where that fails. */
export function openFile(source: FileSource, path: string, problems: Problems): SourceFile | null {
  let bytes: Uint8Array = new Uint8Array();
  try {
    bytes = source.read(path);
    return new SourceFile(path, withoutMark(decodeText(bytes, path)));
  } catch (error) {
    problems.addFailure(error, firstFault(path, bytes));
    return null;
  }
}

/** The text of a YAML file. Throws the Failure of `FileSource.read`, or `not-utf8`. */
export function readText(source: FileSource, path: string): string {
  return withoutMark(decodeText(source.read(path), path));
}

function withoutMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/** Where the bytes stop being UTF-8. */
function firstFault(path: string, bytes: Uint8Array): Place {
  const lossy = lenient.decode(bytes);
  const good = Buffer.from(lossy);
  const fault = bytes.findIndex((byte, at) => byte !== good[at]);
  return { file: new SourceFile(path, lossy), offset: lenient.decode(bytes.subarray(0, fault)).length };
}
