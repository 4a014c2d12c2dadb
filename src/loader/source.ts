import {
  Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { globSync } from 'tinyglobby';
import { Failure, fail, systemCode, unreadableFile } from '../model/failure.ts';
import { slowGlob } from '../model/glob.ts';
import { requireRegularFile } from '../model/regular-file.ts';
import {
  credentialsFailure,
  holdsCredentials,
  isInside,
  outsideProjectFailure,
  reservedFolderFailure,
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

export const largestFile = 5 * 1024 * 1024;

/** Never matched: git's settings may hold a token, and tenantctl's own folder a tenant's answers. */
const ignored = ['**/node_modules/**', '**/.git/**', '**/.tenantctl/**'];

/**
 * The files below `root`, an absolute path without links. A link that leads out of it is refused.
 */
export function diskSource(root: string, largest = largestFile, isSecret = holdsCredentials): FileSource {
  const resolve = linkResolver(root);
  return {
    glob(patterns) {
      throwAll(patterns.flatMap((pattern) => globRefusal(pattern, isSecret) ?? []));
      // Without the folder that a glob begins with, before its first wildcard, nothing has to be listed.
      const folders = patterns.map((pattern) => /^([^\\*?[\](){}!+@|]*\/)?/.exec(pattern)?.[0] ?? '');
      if (!folders.some((folder) => existsSync(join(root, folder)))) return [];
      const problems: Failure[] = [];
      const paths = globSync([...patterns], {
        cwd: root,
        ignore: ignored,
        expandDirectories: false,
        // Without it, the library never looks into hidden folders at the top for a glob such as `**/.github/*.yaml`.
        dot: patterns.some((pattern) => hidden.test(pattern)),
        fs: strictFs(root, problems),
      });
      throwAll(problems);
      const isWanted = matchGlobs(patterns);
      return [...new Set(paths)].filter((path) => isWanted(path) && !isSecret(path)).sort();
    },
    read,
    text(path) {
      const text = readFrom(path, () => readFileSync(readable(path), 'utf8'));
      // Node reads text faster than bytes, but puts this character in place of what is not UTF-8.
      return text.includes('\uFFFD') ? decodeText(read(path), path) : text.replace(/^\uFEFF/, '');
    },
  };

  function read(path: string): Uint8Array {
    return readFrom(path, () => readFileSync(readable(path)));
  }

  function readable(path: string): string {
    const { real, stats } = readFrom(path, () => resolve(projectPath(path)));
    if (!isInside(root, real)) throw outsideProjectFailure(path);
    if (isInReserved(real.slice(root.length))) throw reservedFolderFailure(path);
    if (isSecret(path) || isSecret(real)) throw credentialsFailure(path);
    requireRegularFile(path, stats);
    if (stats.size > largest) {
      const size = largest < 2 ** 20 ? `${largest / 2 ** 10} KB` : `${largest / 2 ** 20} MB`;
      throw fail('file-too-large', `${path} is larger than ${size}.`);
    }
    return real;
  }
}

/** Matches a part that is empty, `.` or `..`, and a null character. */
const unclean = /(?:^|\/)\.{0,2}(?:\/|$)|\0/;

/** `path` without `.` and `..`. Throws a Failure `outside-project` if it leads out of the project. */
export function projectPath(path: string): string {
  if (!unclean.test(path)) return path;
  if (leadsOut(path)) throw outsideProjectFailure(path);
  return posix.normalize(path);
}

function leadsOut(path: string): boolean {
  if (!unclean.test(path)) return false;
  const normal = posix.normalize(path);
  return normal === '..' || normal.startsWith('../') || posix.isAbsolute(normal) || path.includes('\0');
}

function isInReserved(path: string): boolean {
  return /(?:^|[\\/])\.(?:git|tenantctl)(?:[\\/]|$)/i.test(path);
}

/** Why a glob is not used: it leads to a place where no file is read, or is too slow; `null` if it is. */
export function globRefusal(pattern: string, isSecret = holdsCredentials): Failure | null {
  const path = pattern.replace(/^!/, '');
  if (leadsOut(path)) return outsideProjectFailure(path);
  if (isInReserved(pattern)) return reservedFolderFailure(pattern);
  if (isSecret(pattern) && path === pattern) return credentialsFailure(pattern);
  const slow = slowGlob(pattern);
  return slow && fail(slow.code, slow.message, { hint: slow.hint });
}

function throwAll(failures: readonly Failure[]): void {
  if (failures.length > 0) throw new Failure(failures.flatMap(({ diagnostics }) => diagnostics));
}

export function singleFile(text: string): FileSource {
  return { glob: () => [], read: () => Buffer.from(text), text: () => text };
}

/** A source that adds to `texts` what is read. */
export function noteTexts(source: FileSource, texts: Map<string, string>): FileSource {
  return {
    ...source,
    text(path) {
      const text = source.text(path);
      texts.set(path, text);
      return text;
    },
  };
}

/** A source with further files, which have these texts. None of them is refused. */
export function withTexts(source: FileSource, texts: ReadonlyMap<string, string>): FileSource {
  const textAt = (path: string) => (leadsOut(path) ? undefined : texts.get(projectPath(path)));
  return {
    glob(patterns) {
      const isWanted = matchGlobs(patterns);
      return [...source.glob(patterns), ...[...texts.keys()].filter(isWanted)].sort();
    },
    read(path) {
      const text = textAt(path);
      return text === undefined ? source.read(path) : Buffer.from(text);
    },
    text: (path) => textAt(path) ?? source.text(path),
  };
}

export function sizeLimit(megabytes: number) {
  let left = megabytes * 2 ** 20;
  const isFull = () => left < 0;
  return {
    isFull,
    /** Throws a Failure `project-too-large` that calls the first thing beyond the limit `what`, and none for those after it. */
    count(size: number, what: string): void {
      const wasFull = isFull();
      left -= size;
      if (wasFull || !isFull()) return;
      const all = `The manifests, with what they include and repeat, are larger than ${megabytes} MB together`;
      throw fail('project-too-large', `${all}; ${what} is the first that is not read.`, {
        hint: 'Check what the globs under `manifests` match. Raise `sizeLimit` in the project file if the size is right.',
      });
    },
  };
}

/** A source that reads `megabytes` in all. Further files count as empty, so that this remains the only problem. */
export function limitSize(source: FileSource, megabytes: number): FileSource & ReturnType<typeof sizeLimit> {
  const limit = sizeLimit(megabytes);
  return {
    ...source,
    ...limit,
    text(path) {
      const text = limit.isFull() ? '' : source.text(path);
      limit.count(text.length, path);
      return text;
    },
  };
}

/** True when a path matches globs. One with a `!` in front excludes paths, and what is in an excluded folder. */
export function matchGlobs(patterns: readonly string[]): (path: string) => boolean {
  // When files are listed, a slow glob is an error.
  const usable = patterns.filter((pattern) => !slowGlob(pattern));
  const isWanted = picomatch(usable.filter((pattern) => !pattern.startsWith('!')).map(projectPath));
  const isExcluded = matchExcluded(usable);
  return (path) => isWanted(path) && !isExcluded(path);
}

/** Matches globs that mean hidden files or folders: a star does not stand for the dot that their names begin with. */
const hidden = /(?:^|[/{,(|\\[])\.(?!\.?\/)/;

/** True when globs exclude a path. Unlike those that include, they mean hidden files and folders too. */
function matchExcluded(patterns: readonly string[]): (path: string) => boolean {
  const negated = patterns.filter((pattern) => pattern.startsWith('!'));
  const unwanted = negated.map((pattern) => projectPath(pattern.slice(1)));
  const isUnwanted = picomatch([...unwanted, ...ignored], { dot: true });
  // Thousands of files share a folder.
  const folders = new Map<string, boolean>([
    ['.', false],
    ['/', false],
  ]);
  const isBelowUnwanted = (path: string): boolean => {
    const folder = posix.dirname(path);
    const known = folders.get(folder) ?? (isUnwanted(folder) || isBelowUnwanted(folder));
    folders.set(folder, known);
    return known;
  };
  return (path) => isUnwanted(path) || isBelowUnwanted(path);
}

/**
 * A file system for globs that reports what cannot be read. By default such folders are skipped: their manifests would
 * be missing, and the objects in them could be deleted.
 */
function strictFs(root: string, problems: Failure[]) {
  /** Runs `work` with `call`. `problemOf` explains an error, or returns `null`. */
  const strict = <T extends (...args: never[]) => unknown>(
    work: T,
    call: (path: string, run: () => unknown) => unknown,
    problemOf: (path: string, error: unknown) => Failure | null,
  ): T =>
    new Proxy(work, {
      apply(_work, self, args: unknown[]) {
        const path = String(args[0]);
        try {
          return call(path, () => Reflect.apply(work, self, args));
        } catch (error) {
          const problem = problemOf(path, error);
          if (problem) problems.push(problem);
          throw error;
        }
      },
    });
  /** The links to folders, by what they lead to. */
  const links = new Map<string, string>();
  const shownFolder = (path: string) => pathFrom(root, links.get(resolve(path)) ?? path);
  return {
    readdirSync: strict(
      readdirSync,
      (path, run) => {
        // A link, which git can contain, must not make a run walk the disk and report what is there.
        if (!isInside(root, realpathSync.native(path))) throw outsideProjectFailure(shownFolder(path));
        return listSpecial(run());
      },
      (path, error) => (systemCode(error) === 'ENOENT' ? null : unreadableFile(shownFolder(path), error)),
    ),
    realpathSync: strict(
      realpathSync,
      (path, run) => {
        const real = run();
        links.set(String(real), path);
        return real;
      },
      (path, error) => {
        const shown = pathFrom(root, path);
        // Some editors mark an open file with a hidden broken link.
        if (posix.basename(shown).startsWith('.')) return null;
        if (systemCode(error) !== 'ENOENT') return unreadableFile(shown, error);
        return fail('file-not-found', `${shown} is a broken link.`, { hint: 'Correct or remove the link.' });
      },
    ),
  };
}

/** The entries of a folder, with pipes and devices as files: reading one reports what it is. */
function listSpecial(entries: unknown): unknown {
  for (const entry of Array.isArray(entries) ? entries : []) {
    const isKnown = !(entry instanceof Dirent) || entry.isDirectory() || entry.isSymbolicLink();
    if (!isKnown) entry.isFile = () => true;
  }
  return entries;
}

const pathFrom = (root: string, path: string) => relative(root, path).split(sep).join('/') || '.';

export function decodeText(bytes: Uint8Array, path: string): string {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    const hint = 'Save the file as UTF-8. Some Windows programs write UTF-16 unless told otherwise.';
    throw fail('not-utf8', `${path} is not UTF-8 text.`, { hint });
  }
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

function readFrom<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

export const projectFileName = 'tenantctl.yaml';

export interface ManifestFolder {
  readonly source: FileSource;
  readonly manifests: readonly string[];
}

export interface BackupFolder {
  readonly source: FileSource;
  /** The JSON files of a backup: the one that is named, or those of a folder without manifests. Else none. */
  readonly backup: readonly string[];
}

/** A backup is one file, unlike manifests. */
const largestBackup = 100 * 1024 * 1024;

/** The YAML files of a folder without those of a project that are not manifests. */
const manifestsBelow = ['**/*.yaml', '**/*.yml', `!${projectFileName}`, '!environments/*', '!**/*.kind.yaml'];

/**
 * The manifests or the backup in a folder, or in one file. Nothing outside the folder is read: no side file, and no link that leads out of
 * it. Messages name its files from `cwd` on. Throws a Failure for a path that does not exist or cannot be read.
 */
export function manifestFolder(path: string, cwd: string): ManifestFolder & BackupFolder {
  const real = readFrom(path, () => realpathSync.native(resolve(cwd, path)));
  const isFile = !statSync(real).isDirectory();
  const root = isFile ? dirname(real) : real;
  if (isInReserved(root)) throw reservedFolderFailure(path);
  const named = isFile ? dirname(resolve(cwd, path)) : resolve(cwd, path);
  const shown = relative(cwd, named).split(sep).join('/');
  const literal = basename(real).replace(/[\\*?[\](){}!+@|]/g, '\\$&');
  const manifests = isFile ? [literal] : manifestsBelow;
  const isBackup = isFile ? real.endsWith('.json') : diskSource(root).glob(manifests).length === 0;
  const source = shownBelow(diskSource(root, isBackup ? largestBackup : largestFile), shown);
  return { source, manifests, backup: isBackup ? source.glob(isFile ? manifests : ['**/*.json']) : [] };
}

/** The same files, whose paths begin with that of their folder. */
function shownBelow(source: FileSource, folder: string): FileSource {
  const inside = (path: string): string => {
    if (folder === '') return path;
    if (path.startsWith(`${folder}/`)) return path.slice(folder.length + 1);
    throw fail('outside-project', `${path} leads out of ${folder}.`, {
      hint: 'Nothing outside the folder is read: keep the files that its manifests name inside it.',
    });
  };
  return {
    glob: (patterns) => source.glob(patterns).map((path) => posix.join(folder, path)),
    read: (path) => source.read(inside(path)),
    text: (path) => source.text(inside(path)),
  };
}
