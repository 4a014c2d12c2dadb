import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode, unreadableFile, unwritableFile } from '../../model/system-error.ts';
import type { ProjectFile } from './files.ts';

/** What became of one file. */
export interface Note {
  readonly path: string;
  readonly what: 'created' | 'updated' | 'kept' | 'cannot be added to';
}

/** Writes the files below `root`, as each file's own rule has it. */
export function writeFiles(root: string, files: readonly ProjectFile[]): Note[] {
  return files.map(({ path, content }) => {
    const file = join(root, path);
    const existing = readIfThere(file);
    const text = content(existing);
    if (text === null) return { path, what: 'cannot be added to' };
    if (text === existing) return { path, what: 'kept' };
    try {
      mkdirSync(dirname(file), { recursive: true });
      // What appeared since it was looked for is not ours to replace.
      writeFileSync(file, text, { flag: existing === null ? 'wx' : 'w' });
    } catch (error) {
      throw unwritableFile(file, error);
    }
    return { path, what: existing === null ? 'created' : 'updated' };
  });
}

/** One line for each file. */
export function notes(written: readonly Note[]): string {
  return written.map(({ path, what }) => `${what.padEnd(8)}  ${path}`).join('\n');
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // A file that stands where a folder is needed is found when the folder is made.
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null;
    throw unreadableFile(file, error);
  }
}
