import { Failure } from '../model/failure.ts';
import { type Place, SourceFile } from './file.ts';
import type { Problems } from './problems.ts';
import type { FileSource } from './source.ts';

const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const byteOrderMark = '\uFEFF';

/** Reads a YAML file; `null`, and a problem told, where that fails. */
export function openFile(source: FileSource, path: string, problems: Problems): SourceFile | null {
  try {
    return new SourceFile(path, readText(source, path));
  } catch (error) {
    problems.addFailure(error, firstFault(source, path));
    return null;
  }
}

/** The text of a YAML file. Throws the Failure of `FileSource.text`. */
export function readText(source: FileSource, path: string): string {
  const text = source.text(path);
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/** Where a file stops being UTF-8; its beginning where it cannot be read. */
function firstFault(source: FileSource, path: string): Place {
  const bytes = bytesOf(source, path);
  const lossy = lenient.decode(bytes);
  const good = Buffer.from(lossy);
  const fault = bytes.findIndex((byte, at) => byte !== good[at]);
  return { file: new SourceFile(path, lossy), offset: lenient.decode(bytes.subarray(0, fault)).length };
}

function bytesOf(source: FileSource, path: string): Uint8Array {
  try {
    return source.read(path);
  } catch (error) {
    if (error instanceof Failure) return new Uint8Array();
    throw error;
  }
}
