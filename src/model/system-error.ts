import { type Failure, failure } from './failure.ts';

/** The operating system's code of an error: `ENOENT`, `EACCES`; `null` for other errors. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/**
 * The failure for a file that cannot be read: `file-not-found` where there is none, else `file-unreadable`.
 *
 * @param hint what to do where there is no such file
 */
export function unreadableFile(file: string, error: unknown, hint?: string): Failure {
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return failure('file-not-found', `There is no file ${file}.`, hint === undefined ? {} : { hint });
  }
  return failure('file-unreadable', `${file} cannot be read (${code ?? String(error)}).`);
}

/** The failure for a file that cannot be written, or whose folder cannot be made. */
export function unwritableFile(file: string, error: unknown): Failure {
  const code = systemCode(error);
  const isFolder = error instanceof Error && 'syscall' in error && error.syscall === 'mkdir';
  const isBlocked = isFolder && (code === 'EEXIST' || code === 'ENOTDIR');
  return failure(
    'unwritable-file',
    `The file ${file} cannot be written (${code ?? String(error)}).`,
    isBlocked ? { hint: 'A file is in the place of a folder that is needed: choose another path.' } : {},
  );
}
