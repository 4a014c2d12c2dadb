import {
  accessSync,
  appendFileSync,
  constants,
  existsSync,
  lstatSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ExportedFile } from '../exporter/files.ts';
import { requireOutputFile, resolveLinks, statOf } from '../loader/paths.ts';
import { decodeText, manifestFolder } from '../loader/source.ts';
import { fail, systemCode, unreadableFile, unwritableFile } from '../model/failure.ts';
import { makeFolder, readRegularFile } from '../model/files.ts';
import type { Io } from './io.ts';

type FileIo = Pick<Io, 'cwd' | 'uses'>;

const noPipe = 'Name a file: pipes and devices are not read or written, since they may never end.';

/**
 * Reads a file that the command line names, of at most `most` bytes. Throws a Failure if it cannot be read; `hint` says what to do
 * about a file that does not exist.
 */
export function readNamedFile(file: string, io: FileIo, most: number, hint?: string): Buffer {
  const path = resolve(io.cwd, file);
  try {
    if (statSync(path).size > most)
      throw fail('file-too-large', `${file} is larger than ${most / 1024 / 1024} MB.`);
    const bytes = readRegularFile(path, file, noPipe);
    noteUse(file, 'read', io);
    return bytes;
  } catch (error) {
    throw unreadableFile(file, error, hint);
  }
}

/** The manifests or the backup at a path of the command line. */
export const namedFolder = (path: string, io: FileIo) =>
  manifestFolder(path, io.cwd, (file) => noteUse(file, 'read', io));

/**
 * Notes that the command reads a file or is about to write it. Throws a Failure for one that it also reads, such as the result
 * that a rollback needs again, and for one that is written twice: one document would overwrite the other.
 */
export function noteUse(file: string, use: 'read' | 'written', { cwd, uses }: FileIo): void {
  const path = resolveLinks(resolve(cwd, file));
  const earlier = uses.get(path);
  uses.set(path, { use, file });
  if (!earlier || (earlier.use === 'read' && use === 'read')) return;
  const output = earlier.use === 'read' ? file : earlier.file;
  const why = earlier.use === use ? 'is named twice' : 'is read by this command';
  throw fail('usage', `${output} ${why}, and would be overwritten.`, { hint: 'Choose another file.' });
}

/** Writes a file, and makes the folders above it. Throws a Failure if it cannot. */
export function writeTextFile(
  file: string,
  text: string,
  { cwd }: FileIo,
  write: typeof writeFileSync | typeof appendFileSync = writeFileSync,
): void {
  const path = resolve(cwd, file);
  requireOutputFile(path, cwd);
  try {
    makeFolder(dirname(path));
    // Writing to one would wait for its reader.
    if (statOf(path)?.isFIFO()) throw fail('unwritable-file', `${file} is a pipe.`, { hint: noPipe });
    write(path, text);
  } catch (error) {
    throw unwritableFile(file, error);
  }
}

/** Writes and removes files together. Throws a Failure before the first if one of them cannot be. */
export async function changeFiles(
  written: readonly ExportedFile[],
  removed: readonly string[],
  io: FileIo,
): Promise<void> {
  const files = [...written.map(({ path }) => path), ...removed];
  const oneInEach = new Map(files.map((file) => [dirname(resolve(io.cwd, file)), file]));
  for (const [folder, file] of oneInEach) {
    requireOutputFile(resolve(io.cwd, file), io.cwd);
    try {
      makeFolder(folder);
      accessSync(folder, constants.W_OK);
    } catch (error) {
      throw unwritableFile(file, error);
    }
  }
  // An existing path may be read-only, a folder, or a link elsewhere. Most files of an export are new.
  for (const { path } of written)
    if (lstatSync(resolve(io.cwd, path), { throwIfNoEntry: false })) tryToWrite(path, io);
  // Most commands replace no files.
  const { replaceFiles } = await import('../applier/replace-files.ts');
  await replaceFiles(written, io.cwd);
  for (const file of removed) rmSync(resolve(io.cwd, file));
}

/** Throws a Failure for a file that cannot be written, or is used already. Leaves no new file behind. */
export function checkWritable(files: readonly string[], io: FileIo): void {
  for (const file of files) {
    const path = resolve(io.cwd, file);
    const isManifest = existsSync(path) && /\.ya?ml$/i.test(file);
    // First of all: a link to a pipe, such as /dev/stdout, leads nowhere.
    if (!isManifest) tryToWrite(file, io);
    noteUse(file, 'written', io);
    if (isManifest) {
      throw fail('usage', `${file} exists and is YAML, like a manifest. Plans and results are JSON.`, {
        hint: 'Choose another file, for example plan.json.',
      });
    }
  }
}

function tryToWrite(file: string, io: FileIo): void {
  const path = resolve(io.cwd, file);
  const isNew = !existsSync(path);
  writeTextFile(file, '', io, appendFileSync);
  if (isNew) rmSync(path);
}

/**
 * Returns the text of a file, or `null` if it does not exist. Throws a Failure, in which the file is called `shown`, if it cannot
 * be read or is not UTF-8: written back, such a file would be another.
 */
export function readIfThere(file: string, shown = file): string | null {
  try {
    const bytes = readRegularFile(file, shown, 'Move it away: a file of that name belongs there.');
    decodeText(bytes, shown);
    // As it is, with a byte order mark.
    return bytes.toString();
  } catch (error) {
    // ENOTDIR: a file where a folder is needed. Making the folder reports that.
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null;
    throw unreadableFile(shown, error);
  }
}
