import { spawnSync } from 'node:child_process';
import { extname, posix } from 'node:path';
import picomatch from 'picomatch';
import { Failure, failure } from '../model/failure.ts';
import { followLinks, type Linked, pathsThroughLinks } from './git-links.ts';
import { matchGlobs, splitGlobs } from './glob.ts';
import { decodeText, type FileSource, largestFile, outside, plainFolder, projectPath } from './source.ts';

interface Blob {
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly isLink: boolean;
}

const largestAnswer = 1024 * 1024 * 1024;

/**
 * The files below `root` as they are at `revision` of its git repository.
 *
 * Throws a Failure when git cannot be run, `root` is in no repository, or there is no such revision.
 */
export function gitSource(root: string, revision: string): FileSource {
  const commit = git(root, revision, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${revision}^{commit}`,
  ])
    .toString()
    .trim();
  const listed = listBlobs(git(root, revision, ['ls-tree', '-r', '-l', '-z', commit]));
  const blobs = new Map(listed.filter(({ isLink }) => !isLink).map((blob) => [blob.path, blob]));
  const links = readLinks(root, revision, listed);
  const contents = new Map<string, Uint8Array>();
  let linked: Linked | null = null;
  return {
    glob(patterns) {
      const matches = matchGlobs(patterns);
      const { wanted, unwanted } = splitGlobs(patterns);
      linked ??= pathsThroughLinks([...blobs.keys()], links, root);
      refuseLost(linked.lost, wanted, picomatch(unwanted), revision);
      return [...blobs.keys(), ...linked.paths].filter((path) => matches(path)).sort();
    },
    read,
    text: (path) => decodeText(read(path), path),
    stamp: () => null,
  };

  function read(path: string): Uint8Array {
    const real = followLinks(projectPath(path), links, root);
    if (real === null) throw outside(path);
    const blob = blobs.get(real);
    if (!blob) throw failure('file-not-found', `There is no file ${path} at ${revision}.`);
    if (blob.size > largestFile) throw failure('file-too-large', `${path} at ${revision} is too large.`);
    // One call of git for all files of an ending, not one for each file.
    if (!contents.has(blob.path)) readAlike(root, revision, [...blobs.values()], blob, contents);
    return contents.get(blob.path) ?? new Uint8Array();
  }
}

/** Lines of `ls-tree -l`: mode, type, id, size, a tab, the path from `root`. Submodules are left out. */
function listBlobs(listing: Buffer): Blob[] {
  return listing
    .toString()
    .split('\0')
    .flatMap((line): Blob[] => {
      const [, type, id, size, path] = /^(100|120)\d{3} blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? [];
      if (id === undefined || path === undefined) return [];
      return [{ id, path, size: Number(size), isLink: type === '120' }];
    });
}

/** What the links of a revision say, which git keeps as the content of a file. */
function readLinks(root: string, revision: string, listed: readonly Blob[]): Map<string, string> {
  const links = listed.filter(({ isLink }) => isLink);
  if (links.length === 0) return new Map();
  const contents = new Map<string, Uint8Array>();
  readBlobs(root, revision, links, contents);
  return new Map([...contents].map(([path, target]) => [path, Buffer.from(target).toString()]));
}

/**
 * What is declared behind a link that leads nowhere would count as absent, as it would on the disk. Editors mark a file
 * that is open with a hidden one.
 */
function refuseLost(
  lost: readonly string[],
  wanted: readonly string[],
  isIgnored: (path: string) => boolean,
  revision: string,
): void {
  const folders = wanted.map(plainFolder);
  const problems = lost
    .filter((path) => folders.some((folder) => path.startsWith(folder) || folder.startsWith(`${path}/`)))
    .filter((path) => !posix.basename(path).startsWith('.') && !isIgnored(path))
    .map((path) =>
      failure('file-not-found', `${path} is a link that leads nowhere at ${revision}.`, {
        hint: 'Name a revision in which it leads to a file or folder, or in which it does not exist.',
      }),
    );
  if (problems.length > 0) throw new Failure(problems.flatMap(({ diagnostics }) => diagnostics));
}

function readAlike(
  root: string,
  revision: string,
  blobs: readonly Blob[],
  { path }: Blob,
  contents: Map<string, Uint8Array>,
): void {
  const alike = blobs.filter((blob) => extname(blob.path) === extname(path) && blob.size <= largestFile);
  readBlobs(root, revision, alike, contents);
}

function readBlobs(
  root: string,
  revision: string,
  blobs: readonly Blob[],
  contents: Map<string, Uint8Array>,
): void {
  const output = git(root, revision, ['cat-file', '--batch'], blobs.map(({ id }) => `${id}\n`).join(''));
  let offset = 0;
  for (const blob of blobs) {
    // `<id> blob <size>`, a line feed, the content, a line feed.
    const start = output.indexOf(10, offset) + 1;
    contents.set(blob.path, output.subarray(start, start + blob.size));
    offset = start + blob.size + 1;
  }
}

function git(root: string, revision: string, args: readonly string[], input = ''): Buffer {
  const { status, stdout, stderr, error } = spawnSync('git', ['-C', root, ...args], {
    input,
    maxBuffer: largestAnswer,
    env: { ...process.env, LC_ALL: 'C' },
  });
  if (error) throw failure('git-unavailable', `git cannot be run (${error.message}); --since needs it.`);
  if (status === 0) return stdout;
  const why = stderr.toString().trim().split('\n')[0];
  throw failure('unknown-revision', `git knows no revision "${revision}" here${why ? `: ${why}` : ''}.`, {
    hint: 'Name a commit, tag or branch of the repository that holds the project; in CI fetch enough history.',
  });
}
