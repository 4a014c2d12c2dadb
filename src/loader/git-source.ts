import { spawnSync } from 'node:child_process';
import { extname } from 'node:path';
import picomatch from 'picomatch';
import { failure } from '../model/failure.ts';
import { decodeText, type FileSource, largestFile, projectPath } from './source.ts';

interface Blob {
  readonly id: string;
  readonly path: string;
  readonly size: number;
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
  const blobs = new Map(
    listBlobs(git(root, revision, ['ls-tree', '-r', '-l', '-z', commit])).map((blob) => [blob.path, blob]),
  );
  const contents = new Map<string, Uint8Array>();
  return {
    glob(patterns) {
      const wanted = patterns.filter((pattern) => !pattern.startsWith('!')).map(projectPath);
      const unwanted = patterns
        .filter((pattern) => pattern.startsWith('!'))
        .map((pattern) => pattern.slice(1));
      const matches = picomatch(wanted, { ignore: [...unwanted, '**/node_modules/**'] });
      return [...blobs.keys()].filter((path) => matches(path)).sort();
    },
    read,
    text: (path) => decodeText(read(path), path),
    stamp: () => null,
  };

  function read(path: string): Uint8Array {
    const blob = blobs.get(projectPath(path));
    if (!blob) throw failure('file-not-found', `There is no file ${path} at ${revision}.`);
    if (blob.size > largestFile) throw failure('file-too-large', `${path} at ${revision} is too large.`);
    // One call of git for all files of an ending, not one for each file.
    if (!contents.has(blob.path)) readAlike(root, revision, [...blobs.values()], blob, contents);
    return contents.get(blob.path) ?? new Uint8Array();
  }
}

/** Lines of `ls-tree -l`: mode, type, id, size, a tab, the path from `root`. Links and submodules are left out. */
function listBlobs(listing: Buffer): Blob[] {
  return listing
    .toString()
    .split('\0')
    .flatMap((line): Blob[] => {
      const [, id, size, path] = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? [];
      return id === undefined || path === undefined ? [] : [{ id, path, size: Number(size) }];
    });
}

function readAlike(
  root: string,
  revision: string,
  blobs: readonly Blob[],
  { path }: Blob,
  contents: Map<string, Uint8Array>,
): void {
  const alike = blobs.filter((blob) => extname(blob.path) === extname(path) && blob.size <= largestFile);
  const output = git(root, revision, ['cat-file', '--batch'], alike.map(({ id }) => `${id}\n`).join(''));
  let offset = 0;
  for (const blob of alike) {
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
