import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import type { Kinds } from '../kinds/project.ts';
import { matchGlob, slowGlob } from '../model/address.ts';
import { Failure, fail, systemCode, unreadableFile } from '../model/failure.ts';
import { requireRegularFile } from '../model/files.ts';
import { pointer } from '../model/pointer.ts';
import { holdsCredentials, isInside, refusedPath } from './paths.ts';
import { type Place, Problems } from './problems.ts';
import { findNode, type YamlDocument } from './tree.ts';

/** A source of manifests and side files. Paths are relative to the project's root, with `/`. */
export interface FileSource {
  /** The files that match, sorted, each once. Throws a Failure with each glob that leads where no file is read. */
  glob(patterns: readonly string[]): string[];
  /**
   * A file's text, with its line endings, without a byte order mark. Throws a Failure: `file-not-found`, `file-unreadable`,
   * `file-too-large`, `outside-project`, `reserved-folder` inside `.git` and `.tenantctl`, `reserved-file` for a `.env`, or
   * `not-utf8` unless `isLossy`: then U+FFFD is in place of what is no UTF-8.
   */
  text(path: string, isLossy?: boolean): string;
}

export const largestFile = 5 * 1024 * 1024;

/** Never matched: git's settings may hold a token, and tenantctl's own folder a tenant's answers. */
const ignored = ['**/node_modules/**', '**/.git/**', '**/.tenantctl/**'];

/** The files below `root`, an absolute path without links. A link that leads out of it is refused. */
export function diskSource(root: string, largest = largestFile, isSecret = holdsCredentials): FileSource {
  // Each folder is resolved only once, which saves most of the time.
  const folders = new Map<string, string>();
  return { glob, text };

  function glob(patterns: readonly string[]): string[] {
    const refused = patterns.flatMap((pattern) => globRefusal(pattern, isSecret) ?? []);
    const { paths, problems } =
      refused.length > 0 ? { paths: [], problems: refused } : search(root, patterns);
    if (problems.length > 0) throw new Failure(problems.flatMap(({ diagnostics }) => diagnostics));
    return paths.filter((path) => !isSecret(path)).sort();
  }

  function text(path: string, isLossy = false): string {
    return readFrom(path, () => {
      const real = locate(path);
      const text = readFileSync(real, 'utf8');
      if (text.startsWith('version https://git-lfs.github.com/spec/'))
        throw fail('file-unreadable', `Git LFS has not fetched the content of ${path}.`, {
          hint: 'Run `git lfs pull`. In GitHub Actions, set `lfs: true` for actions/checkout.',
        });
      // Node reads text faster than bytes, but puts this character in place of what is not UTF-8.
      const isDoubtful = text.includes('\uFFFD') && !isLossy;
      return isDoubtful ? decodeText(readFileSync(real), path) : text.replace(/^\uFEFF/, '');
    });
  }

  function locate(path: string): string {
    const clean = projectPath(path);
    if (clean === null) throw refusedPath('outside-project', path);
    const end = clean.lastIndexOf('/');
    const folder = clean.slice(0, Math.max(end, 0));
    const realFolder = folders.get(folder) ?? realpathSync.native(join(root, folder));
    folders.set(folder, realFolder);
    const file = `${realFolder}${sep}${clean.slice(end + 1)}`;
    const found = lstatSync(file);
    const real = found.isSymbolicLink() ? realpathSync.native(file) : file;
    if (!isInside(root, real)) throw refusedPath('outside-project', path);
    if (inReserved.test(real.slice(root.length))) throw refusedPath('reserved-folder', path);
    if (isSecret(path) || isSecret(real)) throw refusedPath('reserved-file', path);
    const stats = real === file ? found : statSync(real);
    requireRegularFile(path, stats);
    if (stats.size <= largest) return real;
    const size = largest < 2 ** 20 ? `${largest / 2 ** 10} KB` : `${largest / 2 ** 20} MB`;
    throw fail('file-too-large', `${path} is larger than ${size}.`);
  }
}

/** A few folders that link to each other have millions of paths. */
const mostLinked = 1000;

/**
 * Finds the files that globs match, from the root on, also through links. A folder that cannot be read is a problem: its
 * manifests would be missing, and the objects in them could be deleted.
 */
function search(root: string, patterns: readonly string[]) {
  const { wanted, isWanted, isExcluded } = readGlobs(patterns);
  const ways = wanted.map(wayOf);
  const paths: string[] = [];
  const problems: Failure[] = [];
  let left = mostLinked;
  const visit = (folder: string, above: readonly string[]): void => {
    const real = realpathSync.native(join(root, folder));
    // A link, which git can contain, must not make a run walk the disk and report what is there.
    if (!isInside(root, real)) throw refusedPath('outside-project', folder);
    if (above.includes(real) || left < 0) return;
    if (real !== join(root, folder)) left -= 1;
    for (const entry of readdirSync(real, { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const isLink = entry.isSymbolicLink();
      const mayBeFolder = isLink || entry.isDirectory();
      const mayEnter = mayBeFolder && ways.some((leadsInto) => leadsInto(path)) && !isExcluded(path);
      if (!mayEnter && (entry.isDirectory() || !isWanted(path))) continue;
      try {
        const isFolder = isLink ? statSync(join(real, entry.name)).isDirectory() : entry.isDirectory();
        if (!isFolder && (!mayEnter || isWanted(path))) paths.push(path);
        else if (isFolder && mayEnter) visit(path, [...above, real]);
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') problems.push(unreadableFile(path, error));
        // Some editors mark an open file with a hidden broken link.
        else if (isLink && !entry.name.startsWith('.'))
          problems.push(
            fail('file-not-found', `${path} is a broken link.`, { hint: 'Correct or remove the link.' }),
          );
      }
    }
  };
  readFrom('.', () => visit('', []));
  const hint = 'Remove links between folders, or exclude them from `manifests`: `!PATH`.';
  const message = `Links lead to more than ${mostLinked} folders.`;
  if (left < 0) problems.push(fail('project-too-large', message, { hint }));
  return { paths, problems };
}

/** Matches a part that is empty, `.` or `..`, and a null character. */
const unclean = /(?:^|\/)\.{0,2}(?:\/|$)|\0/;

/** `path` without `.` and `..`; `null` if it leads out of the project. */
export function projectPath(path: string): string | null {
  if (!unclean.test(path)) return path;
  const normal = posix.normalize(path);
  const leadsOut = normal === '..' || normal.startsWith('../') || posix.isAbsolute(normal);
  return leadsOut || path.includes('\0') ? null : normal;
}

const inReserved = /(?:^|[\\/])\.(?:git|tenantctl)(?:[\\/]|$)/i;

/** Why a glob is not used: it leads to a place where no file is read, or is too slow; `null` if it is. */
function globRefusal(pattern: string, isSecret = holdsCredentials): Failure | null {
  const path = pattern.replace(/^!/, '');
  if (projectPath(path) === null) return refusedPath('outside-project', path);
  if (inReserved.test(pattern)) return refusedPath('reserved-folder', pattern);
  if (isSecret(pattern) && path === pattern) return refusedPath('reserved-file', pattern);
  const slow = slowGlob(pattern);
  return slow && new Failure([{ severity: 'error', ...slow }]);
}

export function sizeLimit(megabytes: number) {
  const limit = {
    left: megabytes * 2 ** 20,
    /** Throws a Failure `project-too-large` that calls the first thing beyond the limit `what`, and none for those after it. */
    count(size: number, what: string): void {
      const wasFull = limit.left < 0;
      limit.left -= size;
      if (wasFull || limit.left >= 0) return;
      const all = `The manifests, with what they include and repeat, are larger than ${megabytes} MB together`;
      throw fail('project-too-large', `${all}; ${what} is the first that is not read.`, {
        hint: 'Check what the globs under `manifests` match. Raise `sizeLimit` in the project file if the size is right.',
      });
    },
  };
  return limit;
}

/** A source that adds what is read to `texts`. Beyond a limit, files count as empty, so that this remains the only problem. */
export function limitSize(
  source: FileSource,
  limit: ReturnType<typeof sizeLimit>,
  texts = new Map<string, string>(),
): FileSource {
  return {
    ...source,
    text(path, isLossy) {
      const text = limit.left < 0 ? '' : source.text(path, isLossy);
      texts.set(path, text);
      limit.count(text.length, path);
      return text;
    },
  };
}

/** True when a path matches globs. One with a `!` in front excludes paths, and what is in an excluded folder. */
export const matchGlobs = (patterns: readonly string[]) => readGlobs(patterns).isWanted;

/** Matches globs that mean hidden files or folders: a star does not stand for the dot that their names begin with. */
const hidden = /(?:^|[/{,(|\\[])\.(?!\.?\/)/;

function readGlobs(patterns: readonly string[]) {
  // When files are listed, a slow glob is an error.
  const usable = patterns.filter((pattern) => !slowGlob(pattern));
  const wanted = usable.flatMap((pattern) => (pattern.startsWith('!') ? [] : (projectPath(pattern) ?? [])));
  const unwanted = usable.flatMap((pattern) =>
    pattern.startsWith('!') ? (projectPath(pattern.slice(1)) ?? []) : [],
  );
  const isMatch = matchGlob(wanted);
  // Unlike globs that include, those that exclude mean hidden files and folders too.
  const isUnwanted = matchGlob([...unwanted, ...ignored], { dot: true });
  // Thousands of files share a folder.
  const folders = new Map<string, boolean>([
    ['.', false],
    ['/', false],
  ]);
  const isExcluded = (path: string): boolean => {
    const folder = posix.dirname(path);
    const isInExcluded = folders.get(folder) ?? isExcluded(folder);
    folders.set(folder, isInExcluded);
    return isInExcluded || isUnwanted(path);
  };
  return { wanted, isExcluded, isWanted: (path: string) => isMatch(path) && !isExcluded(path) };
}

/** Tells by the names of the folders on the way whether a glob may match what is in the last one. */
function wayOf(glob: string): (folder: string) => boolean {
  const steps = picomatch.scan(glob, { parts: true }).parts ?? [];
  const found = steps.findIndex((step) => /\*\*|\//.test(step));
  const open = found < 0 ? steps.length - 1 : found;
  const isStep = steps.slice(0, open).map((step) => matchGlob(step));
  return (folder) => {
    const names = folder.split('/');
    return (
      (found >= 0 || names.length <= open) &&
      names.every((name, at) => isStep[at]?.(name) ?? (hidden.test(glob) || !name.startsWith('.')))
    );
  };
}

interface ManifestGlobs {
  readonly manifests: readonly string[];
  readonly notManifests: readonly string[];
  readonly document: YamlDocument;
  /** Of the globs in the document. */
  readonly place: Place;
  readonly kinds: Kinds;
}

/** The files of a project that its globs for manifests match. Problems are reported. */
export function listManifests(project: ManifestGlobs, source: FileSource, problems: Problems): string[] {
  const { manifests, notManifests, place, document } = project;
  const patterns = manifests.filter((glob, at) => {
    const refusal = globRefusal(glob);
    if (refusal) problems.addFailure(refusal, findNode(document, pointer('manifests', at)).place);
    return refusal === null;
  });
  return problems.attempt(place, [], () => {
    const [ending = '', ...otherEndings] = new Set(patterns.map((glob) => posix.extname(glob)));
    const isYaml = otherEndings.length === 0 && /^\.ya?ml$/.test(ending);
    // Both endings are listed at once, since most of the time goes into listing folders.
    const all = patterns.map((glob) => (isYaml ? glob.replace(/\.ya?ml$/, '.{yaml,yml,YAML,YML}') : glob));
    // Only the source can match its paths: those of a folder elsewhere begin with that folder.
    const files = source.glob(all).filter((path) => !notManifests.includes(path));
    const paths = files.filter((path) => !isYaml || path.endsWith(ending));
    for (const path of files)
      if (isYaml && !path.endsWith(ending)) warnOfUnread(path, project, source, problems);
    // A faulty glob may be the reason.
    if (paths.length === 0 && patterns.length > 0 && patterns.length === manifests.length) {
      const message = `No file matches ${patterns.join(', ')}.`;
      const hint =
        'Correct `manifests`, whose globs are relative to the folder of the project file, or write manifests with `tenantctl export`.';
      problems.add('no-manifests', message, place, { severity: 'warning', hint });
    }
    return paths;
  });
}

/**
 * Warns of a file that names a kind of the project, as a manifest would, but has another ending than the globs: with `--since`,
 * the objects of a manifest that is no longer read would be deleted. Its bytes do not count for `sizeLimit`.
 */
function warnOfUnread(
  path: string,
  { kinds, manifests: [glob = ''], place }: ManifestGlobs,
  source: FileSource,
  problems: Problems,
): void {
  const text = new Problems().attempt(null, '', () => source.text(path, true));
  if (![...text.matchAll(/^kind:[ \t]*(\w+)/gm)].some(([, name = '']) => kinds.find(name))) return;
  const message = `${path} is not read: no glob of \`manifests\` matches its ending.`;
  const renamed = path.replace(/\.ya?ml$/i, posix.extname(glob));
  const hint = `Rename it to ${renamed}, or add a glob for it to \`manifests\`.`;
  problems.add('unread-file', message, place, { severity: 'warning', hint, excerpt: false });
}

export function decodeText(bytes: Uint8Array, path: string): string {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    const hint = 'Save the file as UTF-8. Some Windows programs write UTF-16 unless told otherwise.';
    throw fail('not-utf8', `${path} is not UTF-8 text.`, { hint });
  }
}

const strictDecoder = new TextDecoder('utf-8', { fatal: true });

function readFrom<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

export interface ManifestFolder {
  readonly source: FileSource;
  readonly manifests: readonly string[];
}

/** A backup is one file, unlike manifests. */
const largestBackup = 100 * 1024 * 1024;

/** The YAML files of a folder without those of a project that are not manifests. */
const manifestsBelow = ['**/*.yaml', '**/*.yml', '!tenantctl.yaml', '!environments/*', '!**/*.kind.yaml'];

/**
 * The manifests or the backup in a folder, or in one file. Nothing outside the folder is read: no side file, and no link that leads out of
 * it. Messages name its files from `cwd` on. Throws a Failure for a path that does not exist or cannot be read.
 */
export function manifestFolder(path: string, cwd: string, onRead: (file: string) => void = () => {}) {
  const real = readFrom(path, () => realpathSync.native(resolve(cwd, path)));
  const isFile = !statSync(real).isDirectory();
  const root = isFile ? dirname(real) : real;
  if (inReserved.test(root)) throw refusedPath('reserved-folder', path);
  const named = isFile ? dirname(resolve(cwd, path)) : resolve(cwd, path);
  const shown = relative(cwd, named).split(sep).join('/');
  const literal = basename(real).replace(/[\\*?[\](){}!+@|]/g, '\\$&');
  const manifests = isFile ? [literal] : manifestsBelow;
  const isBackup = isFile ? real.endsWith('.json') : diskSource(root).glob(manifests).length === 0;
  const source = shownBelow(diskSource(root, isBackup ? largestBackup : largestFile), shown, onRead);
  return {
    source,
    manifests,
    /** The JSON files of a backup: the one that is named, or those of a folder without manifests. Else none. */
    backup: isBackup ? source.glob(isFile ? manifests : ['**/*.json']) : [],
  };
}

/** The same files, whose paths begin with that of their folder. */
function shownBelow(source: FileSource, folder: string, onRead: (file: string) => void): FileSource {
  const inside = (path: string): string => {
    if (folder === '') return path;
    if (path.startsWith(`${folder}/`)) return path.slice(folder.length + 1);
    throw fail('outside-project', `${path} leads out of ${folder}.`, {
      hint: 'Nothing outside the folder is read: keep the files that its manifests name inside it.',
    });
  };
  return {
    glob: (patterns) => source.glob(patterns).map((path) => posix.join(folder, path)),
    text(path, isLossy) {
      onRead(path);
      return source.text(inside(path), isLossy);
    },
  };
}
