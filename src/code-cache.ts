import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { writeCacheFile } from './model/cache-file.ts';

/** What a compiled program exports, and a way to spare its next start the compiling. */
export interface Compiled<T> {
  readonly exports: T;
  /** Keeps the code that this run has compiled or found; where that cannot be written, nothing happens. */
  keep(): void;
}

const digestBytes = 32;
/** After a day, in milliseconds, the code is kept again, with what the first run did not need. */
const keptFor = 24 * 60 * 60 * 1000;

/**
 * Loads a bundle, with the code that an earlier run of the same name has compiled: half of what a start
 * costs. That code lies beside the bundle, where only those can write who could change the program itself, and V8
 * takes it only from its own version with the same flags.
 *
 * `NODE_DISABLE_COMPILE_CACHE=1` turns it off, as it does Node's own cache of this kind.
 *
 * @param file the bundle, a function of `require` (for Node's own modules), `__filename` and `__dirname` that gives the
 *   exports; its name changes with its content
 * @param name what is run: different commands need different parts of a program
 */
export function loadCompiled<T>(file: string, name: string): Compiled<T> {
  const cache = process.env.NODE_DISABLE_COMPILE_CACHE ? null : cacheFileOf(file, name);
  const cachedData = cache === null ? undefined : readCode(cache);
  // The build writes ASCII only, which is read fastest as Latin 1.
  const script = new Script(readFileSync(file, 'latin1'), { filename: file, cachedData });
  return {
    exports: script.runInThisContext()(process.getBuiltinModule, file, dirname(file)),
    keep() {
      if (cache === null) return;
      const isKept = cachedData !== undefined && script.cachedDataRejected === false;
      if (isKept && ageOf(cache) < keptFor) return;
      const code = script.createCachedData();
      writeCacheFile(cache, Buffer.concat([digestOf(code), code]));
    },
  };
}

function cacheFileOf(file: string, name: string): string {
  return join(`${file}.cache`, `${process.versions.v8}-${process.arch}-${name}`);
}

/** How long ago the file was written, in milliseconds. */
function ageOf(file: string): number {
  const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - written;
}

/** The code in the file; `undefined` where there is none, or not all of it. */
function readCode(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const code = bytes.subarray(digestBytes);
    return bytes.subarray(0, digestBytes).equals(digestOf(code)) ? code : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(code: Uint8Array): Buffer {
  return createHash('sha256').update(code).digest();
}
