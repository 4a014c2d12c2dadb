import { Failure, failure } from './failure.ts';
import { own } from './json.ts';

/** The operating system's code of an error: `ENOENT`, `EACCES`; `null` for other errors. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Returns `null` for a file or folder that does not exist. */
export async function ifThere<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The next step for a file, by the operating system's code. */
const fileHints: Readonly<Record<string, string>> = {
  EISDIR: 'It is a folder: name a file.',
  EACCES: 'Choose another path, or change who may use this one.',
  EPERM: 'Choose another path, or change who may use this one.',
  EROFS: 'The file system is read-only: choose another path.',
  ENOSPC: 'The disk is full: remove what is not needed, or choose another path.',
};

const portHint = 'Choose another port with --port. Without --port, a free one is taken.';

function fileHint(code: string | null): { readonly hint?: string } {
  const hint = code === null ? undefined : own(fileHints, code);
  return hint === undefined ? {} : { hint };
}

/** The failure for whatever else the operating system refuses; `null` for an error that is not its own. */
export function systemFailure(error: unknown): Failure | null {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return null;
  const options = error.syscall === 'listen' ? { hint: portHint } : fileHint(systemCode(error));
  return failure('system', error.message, options);
}

/**
 * The failure for a file that cannot be read: `file-not-found` where there is none, else `file-unreadable`. A Failure says
 * itself why.
 *
 * @param hint what to do where there is no such file
 */
export function unreadableFile(file: string, error: unknown, hint?: string): Failure {
  if (error instanceof Failure) return error;
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return failure('file-not-found', `There is no file ${file}.`, hint === undefined ? {} : { hint });
  }
  return failure('file-unreadable', `${file} cannot be read (${code ?? String(error)}).`, fileHint(code));
}

/** The failure for a file that cannot be written, or whose folder cannot be made. A Failure says itself why. */
export function unwritableFile(file: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = systemCode(error);
  const isFolder = error instanceof Error && 'syscall' in error && error.syscall === 'mkdir';
  const isBlocked = isFolder && (code === 'EEXIST' || code === 'ENOTDIR');
  return failure(
    'unwritable-file',
    `The file ${file} cannot be written (${code ?? String(error)}).`,
    isBlocked
      ? { hint: 'A file is in the place of a folder that is needed: choose another path.' }
      : fileHint(code),
  );
}
