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
import picomatch from 'picomatch';
import { globSync } from 'tinyglobby';
import { Failure, failure, systemCode, unreadableFile } from '../model/failure.ts';
import { isSlowGlob, slowGlobFailure } from '../model/glob.ts';
import {
  credentialsFailure,
  holdsCredentials,
  isInReserved,
  isInside,
  leadsOut,
  outsideProjectFailure,
  projectPath,
  reservedFolderFailure,
  resolveLinks,
} from './paths.ts';

/** A source of manifests and side files. Paths are relative to the project's root, with `/`. */
export interface FileSource {
  /** The files that match, sorted, each once. Throws a Failure with each glob that leads where no file is read. */
  glob(patterns: readonly string[]): string[];
  /**
   * A file's bytes. Throws a Failure: `file-not-found`, `file-unreadable`, `file-too-large`, `outside-project`, or
   * `reserved-folder` inside `.git` and `.tenantctl`, or `reserved-file` for a `.env`.
   */
  read(path: string): Uint8Array;
  /** A file's text, with its line endings, without a byte order mark. Throws as `read` does, or `not-utf8`. */
  text(path: string): string;
}

/** The largest file that is read, in bytes. */
export const largestFile = 5 * 1024 * 1024;

/** What no glob matches. The settings of git may hold a token, and tenantctl's own folder what a tenant said. */
const ignored = ['**/node_modules/**', '**/.git/**', '**/.tenantctl/**'];

/**
 * The files below `root`, an absolute path without links. A link that leads out of it is refused.
 *
 * @param largest the size of the largest file that is read, in bytes
 * @param isSecret whether a path is that of a file which is refused because of what it holds
 */
export function diskSource(root: string, largest = largestFile, isSecret = holdsCredentials): FileSource {
  const resolve = linkResolver(root);
  return {
    glob(patterns) {
      throwAll(patterns.flatMap((pattern) => globRefusal(pattern, isSecret) ?? []));
      if (!patterns.some((pattern) => existsSync(join(root, fixedFolder(pattern))))) return [];
      const problems: Failure[] = [];
      const paths = globSync([...patterns], {
        cwd: root,
        ignore: ignored,
        expandDirectories: false,
        // Without it, the library never looks into hidden folders at the top for a glob such as `**/.github/*.yaml`.
        dot: patterns.some(namesHidden),
        fs: strictFs(root, problems),
      });
      throwAll(problems);
      const isWanted = matchGlobs(patterns);
      return [...new Set(paths)].filter((path) => isWanted(path) && !isSecret(path)).sort();
    },
    read: (path) => readFrom(path, () => readFileSync(readable(path))),
    text(path) {
      const real = readable(path);
      const text = readFrom(path, () => readFileSync(real, 'utf8'));
      // Invalid bytes are decoded as this character, but a file may also contain it.
      if (!text.includes('\uFFFD')) return text.replace(/^\uFEFF/, '');
      const bytes = readFrom(path, () => readFileSync(real));
      return decodeText(bytes, path);
    },
  };

  /** The real path of a regular file inside the project that is not too large. */
  function readable(path: string): string {
    const { real, stats } = readFrom(path, () => resolve(projectPath(path)));
    if (!isInside(root, real)) throw outsideProjectFailure(path);
    if (isInReserved(real.slice(root.length))) throw reservedFolderFailure(path);
    if (isSecret(path) || isSecret(real)) throw credentialsFailure(path);
    if (!stats.isFile())
      throw failure('file-unreadable', `${path} is not a regular file.`, { hint: 'Name a file.' });
    if (stats.size > largest) {
      throw failure('file-too-large', `${path} is larger than ${largest / 1024 / 1024} MB.`);
    }
    return real;
  }
}

/** Why a glob is not used: it leads where no file is read, or takes too long to compare; `null` where it is. */
export function globRefusal(pattern: string, isSecret = holdsCredentials): Failure | null {
  const path = pattern.replace(/^!/, '');
  if (leadsOut(path)) return outsideProjectFailure(path);
  if (isInReserved(pattern)) return reservedFolderFailure(pattern);
  if (isSecret(pattern) && path === pattern) return credentialsFailure(pattern);
  return isSlowGlob(pattern) ? slowGlobFailure(pattern) : null;
}

function throwAll(failures: readonly Failure[]): void {
  if (failures.length > 0) throw new Failure(failures.flatMap(({ diagnostics }) => diagnostics));
}

/** A source with one file, of any name. */
export function singleFile(text: string): FileSource {
  return { glob: () => [], read: () => Buffer.from(text), text: () => text };
}

/**
 * A source that refuses the files that a command will write, such as its reports: they would take the place of what is read.
 *
 * @param writes absolute paths, and where their links lead
 */
export function refuseWritten(source: FileSource, root: string, writes: readonly string[]): FileSource {
  // What is not there cannot be read: links are only followed where it is.
  const present = writes.filter((path) => existsSync(path));
  if (present.length === 0) return source;
  return {
    ...source,
    text(path) {
      if (present.includes(resolveLinks(join(root, path)))) throw overwriteFailure(path);
      return source.text(path);
    },
  };
}

/** The Failure for a file of the project that a command would write. */
export function overwriteFailure(path: string): Failure {
  const message = `${path} is read by the project, and the output of this command would overwrite it.`;
  return failure('usage', message, { hint: 'Choose another file for the output.' });
}

/**
 * A source that refuses to read more than `megabytes` in all, with a Failure `project-too-large` for the first file
 * beyond. Further files count as empty, so that this remains the only problem. A file that is read twice counts twice,
 * since its text is kept twice.
 */
export function limitSize(source: FileSource, megabytes: number): FileSource {
  let left = megabytes * 1024 * 1024;
  let isFull = false;
  return {
    ...source,
    text(path) {
      if (isFull) return '';
      const text = source.text(path);
      left -= text.length;
      if (left >= 0) return text;
      isFull = true;
      const what = `The manifests and the files they include are larger than ${megabytes} MB together`;
      throw failure('project-too-large', `${what}; ${path} is the first that is not read.`, {
        hint: 'Check what the globs under `manifests` match. Raise `sizeLimit` in the project file if the size is right.',
      });
    },
  };
}

/**
 * Whether a path matches globs, without reading the disk. A glob that begins with `!` excludes paths, and what is in an
 * excluded folder.
 */
export function matchGlobs(patterns: readonly string[]): (path: string) => boolean {
  // Where files are listed, a slow glob is an error.
  const usable = patterns.filter((pattern) => !isSlowGlob(pattern));
  const isWanted = picomatch(usable.filter((pattern) => !isNegated(pattern)).map(projectPath));
  const isExcluded = matchExcluded(usable);
  return (path) => isWanted(path) && !isExcluded(path);
}

/** Whether a glob means hidden files or folders: a star does not stand for the dot that their names begin with. */
const namesHidden = (pattern: string) => /(?:^|[/{,(|\\[])\.(?!\.?\/)/.test(pattern);

const isNegated = (pattern: string) => pattern.startsWith('!');

/** Whether globs exclude a path. Unlike those that include, they mean hidden files and folders too. */
function matchExcluded(patterns: readonly string[]): (path: string) => boolean {
  const unwanted = patterns.filter(isNegated).map((pattern) => projectPath(pattern.slice(1)));
  const isUnwanted = picomatch([...unwanted, ...ignored], { dot: true });
  return (path) => isUnwanted(path) || foldersOf(path).some((each) => isUnwanted(each));
}

/** The folders above a path, the nearest first. */
function foldersOf(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === '.' || folder === '/' ? [] : [folder, ...foldersOf(folder)];
}

/**
 * A file system for globs that reports what cannot be read. By default such folders are skipped: their manifests would
 * be missing, and the objects in them could be deleted.
 *
 * @param problems receives a Failure for everything that cannot be read
 */
function strictFs(root: string, problems: Failure[]) {
  const strict = <T extends (...args: never[]) => unknown>(
    work: T,
    problemOf: (path: string, error: unknown) => Failure | null,
  ): T =>
    new Proxy(work, {
      apply(_work, self, args: unknown[]) {
        try {
          return Reflect.apply(work, self, args);
        } catch (error) {
          const problem = problemOf(pathFrom(root, String(args[0])), error);
          if (problem) problems.push(problem);
          throw error;
        }
      },
    });
  return {
    readdirSync: strict(readdirSync, (path, error) =>
      systemCode(error) === 'ENOENT' ? null : unreadableFile(path, error),
    ),
    // Some editors mark an open file with a hidden broken link.
    realpathSync: strict(realpathSync, (path, error) =>
      posix.basename(path).startsWith('.') ? null : brokenLinkFailure(path, error),
    ),
  };
}

const pathFrom = (root: string, path: string) => relative(root, path).split(sep).join('/') || '.';

/** The folder that a glob begins with, before its first wildcard. */
function fixedFolder(pattern: string): string {
  const end = pattern.search(/[\\*?[\](){}!+@|]/);
  return pattern.slice(0, pattern.lastIndexOf('/', end < 0 ? undefined : end) + 1);
}

/** Bytes as text, without a byte order mark. Throws a Failure `not-utf8`. */
export function decodeText(bytes: Uint8Array, path: string): string {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    const hint = 'Save the file as UTF-8.';
    const encoding = isUtf16(bytes) ? 'is UTF-16 text, not UTF-8' : 'is not UTF-8 text';
    throw failure('not-utf8', `${path} ${encoding}.`, { hint });
  }
}

/** Whether a file begins with the byte order mark of UTF-16. */
export function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

const strictDecoder = new TextDecoder('utf-8', { fatal: true });

/** Resolves the links in paths. Each folder is resolved only once, which saves most of the time. */
function linkResolver(root: string) {
  const folders = new Map<string, string>();
  return (path: string): { readonly real: string; readonly stats: Stats } => {
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

/** Reads a file and converts the errors of the file system to Failures. */
function readFrom<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

function brokenLinkFailure(path: string, error: unknown): Failure {
  if (systemCode(error) !== 'ENOENT') return unreadableFile(path, error);
  return failure('file-not-found', `${path} is a broken link.`, { hint: 'Correct or remove the link.' });
}
