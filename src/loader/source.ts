import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { globSync } from 'tinyglobby';
import { Failure, failure } from '../model/failure.ts';

/** Where manifests and side files come from: the disk, or a revision of a repository. Paths are the project's, with `/`. */
export interface FileSource {
  /** The files that match, sorted, each once. Throws a Failure for a glob that leaves the project. */
  glob(patterns: readonly string[]): string[];
  /** A file's bytes. Throws a Failure: `file-not-found`, `file-unreadable`, `outside-project`, `file-too-large`. */
  read(path: string): Uint8Array;
  /** A file's text, exactly: line endings and a byte order mark included. Throws as `read` does, or `not-utf8`. */
  text(path: string): string;
  /** The same as long as the file is untouched; `null` where that cannot be told, or not yet. */
  stamp(path: string): Stamp | null;
}

/** What the system changes whenever a file changes. */
export type Stamp = readonly [size: number, changed: number, inode: number];

/** The largest file that is read, in bytes. */
export const largestFile = 5 * 1024 * 1024;

/** The files below `root`, an absolute path without links; a link that leads out of it is refused. */
export function diskSource(root: string): FileSource {
  const inside = root.endsWith(sep) ? root : root + sep;
  const resolveLinks = linkResolver(root);
  /** What was looked at last, which is mostly what is read next. */
  let last: { path: string; file: ResolvedFile } | null = null;
  const resolve = (path: string): ResolvedFile => {
    if (last?.path !== path) last = { path, file: existing(path, () => resolveLinks(projectPath(path))) };
    return last.file;
  };
  return {
    glob(patterns) {
      for (const pattern of patterns) projectPath(pattern.replace(/^!/, ''));
      if (!patterns.some((pattern) => existsSync(join(root, plainFolder(pattern))))) return [];
      const lost: Failure[] = [];
      const paths = globSync([...patterns], {
        cwd: root,
        ignore: ['**/node_modules/**'],
        expandDirectories: false,
        fs: heedful(root, lost),
      });
      if (lost.length > 0) throw new Failure(lost.flatMap(({ diagnostics }) => diagnostics));
      return [...new Set(paths)].sort();
    },
    read: (path) => existing(path, () => readFileSync(readable(path).real)),
    text(path) {
      const { real } = readable(path);
      const text = existing(path, () => readFileSync(real, 'utf8'));
      // What is no UTF-8 is read as this character, which may stand in a text as well.
      if (!text.includes('\uFFFD')) return text;
      const bytes = existing(path, () => readFileSync(real));
      return decodeText(bytes, path);
    },
    stamp(path) {
      try {
        return stampOf(readable(path).stats);
      } catch (error) {
        // Whoever reads the file is told.
        if (error instanceof Failure) return null;
        throw error;
      }
    },
  };

  /** A regular file inside the project that is not too large. */
  function readable(path: string): ResolvedFile {
    const { real, stats } = resolve(path);
    if (real !== root && !real.startsWith(inside)) throw outside(path);
    if (!stats.isFile()) throw failure('file-unreadable', `${path} is not a regular file.`);
    if (stats.size > largestFile) {
      throw failure('file-too-large', `${path} is larger than ${largestFile / 1024 / 1024} MB.`);
    }
    return { real, stats };
  }
}

/**
 * The file system for a glob, which by itself passes over what it cannot read. What is declared there would count as
 * absent, and might be deleted.
 *
 * @param lost receives what could not be read
 */
function heedful(root: string, lost: Failure[]) {
  const heeding = <T extends (...args: never[]) => unknown>(
    work: T,
    problemOf: (path: string, error: unknown) => Failure | null,
  ): T =>
    new Proxy(work, {
      apply(_work, self, args: unknown[]) {
        try {
          return Reflect.apply(work, self, args);
        } catch (error) {
          const problem = problemOf(pathFrom(root, String(args[0])), error);
          if (problem) lost.push(problem);
          throw error;
        }
      },
    });
  return {
    readdirSync: heeding(readdirSync, (path, error) =>
      codeOf(error) === 'ENOENT' ? null : unreadable(path, error),
    ),
    // Editors mark a file that is open with a hidden link that leads nowhere.
    realpathSync: heeding(realpathSync, (path, error) =>
      posix.basename(path).startsWith('.') ? null : lostLink(path, error),
    ),
  };
}

const pathFrom = (root: string, path: string) => relative(root, path).split(sep).join('/') || '.';

/** The folders that a glob names before its first sign that may stand for another: where they are not, nothing matches. */
export function plainFolder(pattern: string): string {
  const end = pattern.search(/[\\*?[\](){}!+@|]/);
  return pattern.slice(0, pattern.lastIndexOf('/', end < 0 ? undefined : end) + 1);
}

/** Bytes as text. Throws a Failure `not-utf8`. */
export function decodeText(bytes: Uint8Array, path: string): string {
  try {
    return strict.decode(bytes);
  } catch {
    throw failure('not-utf8', `${path} is not UTF-8 text.`, { hint: 'Save the file as UTF-8.' });
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Milliseconds in which a file can change twice and keep its time: file systems count in ticks, or in seconds. */
const [tick, second] = [100, 2000];

/** `null` for a file that is still too young. */
function stampOf({ size, ctimeMs, ino }: Stats): Stamp | null {
  const settled = ctimeMs % 1000 === 0 ? second : tick;
  return ctimeMs < Date.now() - settled ? [size, ctimeMs, ino] : null;
}

interface ResolvedFile {
  readonly real: string;
  readonly stats: Stats;
}

/** Resolves the links in a path. Each folder is looked at once, which saves most of the time. */
function linkResolver(root: string): (path: string) => ResolvedFile {
  const folders = new Map<string, string>();
  return (path) => {
    const end = path.lastIndexOf('/');
    const folder = path.slice(0, Math.max(end, 0));
    const realFolder = folders.get(folder) ?? realpathSync.native(join(root, folder));
    folders.set(folder, realFolder);
    const file = `${realFolder}${sep}${path.slice(end + 1)}`;
    const stats = lstatSync(file);
    if (!stats.isSymbolicLink()) return { real: file, stats };
    const real = realpathSync.native(file);
    return { real, stats: statSync(real) };
  };
}

/** A part that is empty, `.` or `..`, or no character at all. */
const unclean = /(?:^|\/)\.{0,2}(?:\/|$)|\0/;

/** `path` without `.` and `..`. Throws a Failure `outside-project` where it leads out of the project. */
export function projectPath(path: string): string {
  if (!unclean.test(path)) return path;
  const normal = posix.normalize(path);
  if (normal === '..' || normal.startsWith('../') || posix.isAbsolute(normal) || path.includes('\0')) {
    throw outside(path);
  }
  return normal;
}

function existing<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(path, error);
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : null);

function unreadable(path: string, error: unknown) {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return failure('file-not-found', `There is no file ${path}.`);
  return failure('file-unreadable', `${path} cannot be read (${String(code ?? error)}).`);
}

function lostLink(path: string, error: unknown) {
  if (codeOf(error) !== 'ENOENT') return unreadable(path, error);
  return failure('file-not-found', `${path} is a link that leads nowhere.`, {
    hint: 'Mend or remove it.',
  });
}

/** The problem of a path that leaves the project, by itself or by a link. */
export function outside(path: string): Failure {
  return failure('outside-project', `${path} leads out of the project.`, {
    hint: 'Keep every file below the folder of the project file; links may not lead out of it.',
  });
}
