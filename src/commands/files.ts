import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceFiles } from '../applier/replace-files.ts';
import type { ExportedFile } from '../exporter/index.ts';
import { requireOutputFile, resolveLinks } from '../loader/paths.ts';
import { decodeText } from '../loader/source.ts';
import { lazy } from '../model/basics.ts';
import {
  fail,
  interruption,
  messageOf,
  systemCode,
  unreadableFile,
  unwritableFile,
} from '../model/failure.ts';
import { readRegularFile } from '../model/regular-file.ts';
import { type Io, printNote } from './io.ts';

type FileIo = Pick<Io, 'cwd' | 'signal'>;

/**
 * Reads a file that the command line names, or a pipe such as `<(…)`. Throws a Failure if it cannot be read.
 *
 * @param most the size of the largest file that is read, in bytes
 * @param hint what to do if there is no such file
 */
export async function readNamedFile(
  file: string,
  io: FileIo,
  { most, hint }: { readonly most: number; readonly hint?: string },
): Promise<Buffer> {
  const path = resolve(io.cwd, file);
  const tooLarge = () => fail('file-too-large', `${file} is larger than ${most / 1024 / 1024} MB.`);
  try {
    const stats = await stat(path);
    if (stats.isFIFO()) {
      return await withPipe(file, constants.O_RDONLY, io, async (pipe) => {
        const chunks: Buffer[] = [];
        let size = 0;
        for await (const chunk of pipe) {
          size += chunk.length;
          if (size > most) throw tooLarge();
          chunks.push(chunk);
        }
        return Buffer.concat(chunks);
      });
    }
    if (!stats.isFile() && !stats.isDirectory())
      throw fail('file-unreadable', `${file} is a device, not a file.`, { hint: 'Name a file.' });
    if (stats.size > most) throw tooLarge();
    return await readFile(path);
  } catch (error) {
    throw unreadableFile(file, error, hint);
  }
}

/** Writes a file, and makes the folders above it. Throws a Failure if it cannot. */
export async function writeTextFile(
  file: string,
  text: string,
  io: FileIo,
  write: typeof writeFile | typeof appendFile = writeFile,
): Promise<void> {
  const path = resolve(io.cwd, file);
  requireOutputFile(path, io.cwd);
  try {
    await mkdir(dirname(path), { recursive: true });
    if (!isPipe(path)) return await write(path, text);
    await withPipe(file, constants.O_WRONLY, io, async (pipe) => {
      await new Promise<void>((done, fail) => {
        pipe.once('error', fail).once('close', done).end(text);
      });
    });
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
      mkdirSync(folder, { recursive: true });
      accessSync(folder, constants.W_OK);
    } catch (error) {
      throw unwritableFile(file, error);
    }
  }
  // An existing path may be read-only, a folder, or a link elsewhere. Most files of an export are new.
  for (const { path } of written)
    if (lstatSync(resolve(io.cwd, path), { throwIfNoEntry: false })) tryToWrite(path, io);
  await replaceFiles(written, io.cwd);
  for (const file of removed) rmSync(resolve(io.cwd, file));
}

export const isPipe = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;

/** The time for a pipe, in ms, until its other end is open and everything went through it. */
const pipeTimeout = 60_000;

/** Opens a pipe without a thread that waits for its other end. Throws a Failure after a time limit, and on Ctrl-C. */
async function withPipe<T>(
  file: string,
  mode: number,
  { cwd, signal }: FileIo,
  use: (pipe: Socket) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), pipeTimeout);
  const stop = AbortSignal.any([signal, limit.signal]);
  try {
    const fd = await openPipe(resolve(cwd, file), mode, stop);
    const isInput = mode === constants.O_RDONLY;
    const pipe = new Socket({ fd, readable: isInput, writable: !isInput, signal: stop });
    return await use(pipe).finally(() => pipe.destroy());
  } catch (error) {
    if (signal.aborted) throw interruption();
    if (!limit.signal.aborted) throw error;
    const message = `${file} is a pipe, and its other end was not ready within ${pipeTimeout / 1000} s.`;
    throw fail('pipe-timeout', message, {
      hint: 'Start the program that reads or writes it, or name a file.',
    });
  } finally {
    clearTimeout(timer);
  }
}

async function openPipe(path: string, mode: number, signal: AbortSignal): Promise<number> {
  for (;;) {
    try {
      return openSync(path, mode | constants.O_NONBLOCK);
    } catch (error) {
      // Nobody reads it yet.
      if (systemCode(error) !== 'ENXIO') throw error;
      await sleep(50, undefined, { signal });
    }
  }
}

/**
 * Throws a Failure for a file that cannot be written, for one that the command reads, such as the result that a rollback needs
 * again, and for one that is named twice: one document would overwrite the other. Leaves no new file behind.
 */
export function checkWritable(files: readonly string[], io: FileIo, reads: readonly string[]): void {
  const read = new Set(reads.map((file) => resolveLinks(resolve(io.cwd, file))));
  const named = new Set<string>();
  for (const file of files) {
    const path = resolve(io.cwd, file);
    const target = resolveLinks(path);
    if (read.has(target)) {
      throw fail('usage', `${file} is read by this command, and would be overwritten.`, {
        hint: 'Choose another file.',
      });
    }
    if (named.has(target)) {
      throw fail('usage', `${file} is named twice: the second document would overwrite the first.`, {
        hint: 'Name a different file for each.',
      });
    }
    named.add(target);
    if (existsSync(path) && /\.ya?ml$/i.test(file)) {
      throw fail('usage', `${file} exists and is YAML, like a manifest. Plans and results are JSON.`, {
        hint: 'Choose another file, for example plan.json.',
      });
    }
    tryToWrite(file, io);
  }
}

function tryToWrite(file: string, io: FileIo): void {
  const path = resolve(io.cwd, file);
  requireOutputFile(path, io.cwd);
  const isNew = !existsSync(path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Opening a pipe waits for its reader.
    if (isPipe(path)) return;
    closeSync(openSync(path, 'a'));
    if (isNew) rmSync(path);
  } catch (error) {
    throw unwritableFile(file, error);
  }
}

/**
 * Returns the text of a file; `null` if it does not exist. Throws a Failure if it cannot be read, or is not UTF-8: it
 * would not be the same when it is written again.
 *
 * @param shown what the Failure calls the file
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

/**
 * The surroundings of a command that is traced into a file. Throws a Failure for a file that cannot be written. Only the first
 * exchange overwrites the file: by then, the project has refused a file of its own.
 */
export function openTrace(file: string, io: Io): Io {
  checkWritable([file], io, []);
  const open = lazy(() => {
    const opened = openSync(resolve(io.cwd, file), 'w', 0o600);
    // A trace reveals much about a tenant: only its owner may read it, even if the file existed.
    if (fstatSync(opened).isFile()) fchmodSync(opened, 0o600);
    return opened;
  });
  let isBroken = false;
  return {
    ...io,
    trace(exchange) {
      if (isBroken) return;
      try {
        writeSync(open(), `${JSON.stringify(exchange)}\n`);
      } catch (error) {
        // The command continues: it may have changed the tenant already.
        isBroken = true;
        printNote(`The trace is not complete: ${file} cannot be written. ${messageOf(error)}`, io);
      }
    },
  };
}
