import { constants, mkdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail } from './failure.ts';

/** Throws a Failure for a pipe, a device or a folder: reading one may never end. */
export function requireRegularFile(file: string, stats: Stats, hint = 'Name a file.'): void {
  if (!stats.isFile()) throw fail('file-unreadable', `${file} is not a regular file.`, { hint });
}

/** Reads a file. Throws a Failure with `hint` where another thing is in its place, and the error of the system where nothing is. */
export function readRegularFile(file: string, shown = file, hint?: string): Buffer {
  requireRegularFile(shown, statSync(file), hint);
  return readFileSync(file);
}

/** Reads a file that tenantctl keeps for itself. Opening it never waits for the other end of a pipe. */
export async function readOwnFile(file: string, shown = file): Promise<Buffer> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    requireRegularFile(shown, await handle.stat(), 'Remove it: tenantctl keeps a file of its own there.');
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder and those above it; throws the error of the system. Not with `recursive` of Node: where the system takes no
 * folder, such as in /proc, that never ends, and cannot be interrupted.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  if (isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
