import { type Stats, statSync } from 'node:fs';

/**
 * Whether a file belongs to another user than this process and the folder that it is used for: in a folder that many people
 * can write to, anybody could leave it.
 */
export function isForeign(path: string, folder: string): boolean {
  return ![process.geteuid?.(), statOf(folder)?.uid].includes(statOf(path)?.uid);
}

/** What the file system says about a path; `undefined` where it cannot be reached. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
