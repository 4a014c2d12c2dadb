import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { requireOutputFile } from '../loader/own-folder.ts';
import { resolveLinks } from '../loader/paths.ts';
import { decodeText } from '../loader/source.ts';
import { failure, systemCode, unreadableFile, unwritableFile } from '../model/failure.ts';
import type { Io } from './io.ts';

/**
 * Throws a Failure for a file that cannot be written, for one that the command reads, such as the result that a rollback
 * needs again, and for one that is named twice: one document would take the place of the other. Leaves no new file behind.
 */
export function checkWritable(files: readonly string[], io: Io, reads: readonly string[]): void {
  const read = new Set(reads.map((file) => resolveLinks(resolve(io.cwd, file))));
  const named = new Set<string>();
  for (const file of files) {
    const path = resolve(io.cwd, file);
    const target = resolveLinks(path);
    if (read.has(target)) {
      throw failure('usage', `${file} is what the command reads, and would be overwritten.`, {
        hint: 'Choose another file.',
      });
    }
    if (named.has(target)) {
      throw failure('usage', `${file} is named twice: the second document would overwrite the first.`, {
        hint: 'Name a file of its own for each.',
      });
    }
    named.add(target);
    tryToWrite(file, path, io);
  }
}

function tryToWrite(file: string, path: string, io: Io): void {
  requireOutputFile(path, io.cwd);
  const isNew = !existsSync(path);
  if (!isNew && /\.ya?ml$/i.test(file)) {
    throw failure('usage', `${file} exists and is YAML, as manifests are. Plans and results are JSON.`, {
      hint: 'Choose another file, for example plan.json.',
    });
  }
  try {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, 'a'));
    if (isNew) rmSync(path);
  } catch (error) {
    throw unwritableFile(file, error);
  }
}

/**
 * The text of a file; `null` where there is none. Throws a Failure where it cannot be read, or is not UTF-8: it would not be
 * the same when it is written again.
 *
 * @param shown what the Failure calls the file
 */
export function readIfThere(file: string, shown = file): string | null {
  try {
    const bytes = readFileSync(file);
    decodeText(bytes, shown);
    // As it is, with a byte order mark.
    return bytes.toString();
  } catch (error) {
    // ENOTDIR: a file is in the place of a folder. Making the folder reports that.
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null;
    throw unreadableFile(shown, error);
  }
}

/** Writes a file, and makes the folders above it. Throws a Failure where it cannot. */
export function writeText(file: string, text: string, io: Io): void {
  const path = resolve(io.cwd, file);
  requireOutputFile(path, io.cwd);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw unwritableFile(file, error);
  }
}
