import { existsSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { type Failure, fail } from '../model/failure.ts';

/** The path of a side file, from the project's root, by the argument of a `!file` in a manifest. */
export function sideFilePath(argument: string, manifest: string): string {
  return posix.isAbsolute(argument) ? argument : posix.join(posix.dirname(manifest), argument);
}

export function resolveLinks(path: string): string {
  const above = dirname(path);
  if (above === path || existsSync(path)) return realpathSync.native(path);
  return join(resolveLinks(above), relative(above, path));
}

export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Matches a path into a folder of git. Some disks ignore case. */
const inGit = /(?:^|[\\/])\.git(?:[\\/]|$)/i;

const refusals = {
  'reserved-folder': [
    'is inside a reserved folder (.git or .tenantctl)',
    'Keep the files of the project outside `.git` and `.tenantctl`.',
  ],
  'reserved-file': [
    'holds credentials, and is not read as part of the project',
    'Write `!secret NAME` or `!env NAME` for a value in it, or give a file with other content another name.',
  ],
  'outside-project': [
    'leads out of the project',
    'Keep all files, and the targets of all links, in the folder of the project file or below it.',
  ],
} as const;

export function refusedPath(code: keyof typeof refusals, path: string): Failure {
  const [why, hint] = refusals[code];
  return fail(code, `${path} ${why}.`, { hint });
}

/**
 * `.env` and its usual variants, and credential files of package managers, git and GitHub actions. A name that a manifest may
 * have is not among them: no glob finds these files.
 */
const credentialFile =
  /(?:^|[\\/])(?:\.env(?:\.(?:[\w-]+\.)?local|\.(?:development|production|staging|test))?|\.(?:npmrc|yarnrc|yarnrc\.yml|pypirc|netrc|git-credentials)|gha-creds-[^\\/]*\.json)$/i;

/** True when a path names a file that holds credentials, such as `.env`. Some disks ignore case. */
export function holdsCredentials(path: string): boolean {
  return credentialFile.test(path);
}

/** The folder of a project that tenantctl writes to: journals, locks, results, the data of an embedded tenant. */
export const ownFolder = '.tenantctl';

export function environmentFolder(root: string, environment: string, ...below: string[]): string {
  return join(root, ownFolder, environment, ...below);
}

/**
 * Throws a Failure `outside-project` if `.tenantctl` or anything in it is a link that leads out of the project. Git can commit
 * such links, and an apply would write to any file of the machine. Called before writing there.
 */
export function requireOwnFolder(root: string): void {
  requireInside(root, ownFolder);
  const folder = join(root, ownFolder);
  if (!statOf(folder, lstatSync)?.isDirectory()) return;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const link of entries.filter((entry) => entry.isSymbolicLink())) {
    requireInside(root, relative(root, join(link.parentPath, link.name)));
  }
}

/** The same for a file that somebody names, absolute: git can have a link of that name. */
export function requireOutputFile(file: string, currentFolder: string): void {
  const at = file.lastIndexOf(join(sep, ownFolder, sep));
  if (at >= 0) requireInside(file.slice(0, at) || sep, file.slice(at + 1));
  const path = relative(currentFolder, file);
  // A folder of git that is named explicitly is meant.
  if (!isInside(currentFolder, file) || inGit.test(path)) return;
  requireInside(currentFolder, path, () => {
    const message = `${path} would be written through a link that leads out of this folder.`;
    const hint =
      'Links can come with the repository, so tenantctl writes nothing there. If it should, name the file that the link leads to.';
    return fail('outside-project', message, { hint });
  });
}

/** Refuses a file of the project that an output of the command would overwrite, even if the command does not read it. */
export function refuseOutputs(
  root: string,
  writes: readonly string[],
  filesOfProject: () => readonly string[],
): void {
  const links = writes.map(resolveLinks);
  // Else not every environment need be read.
  if (![...writes, ...links].some((path) => isInside(root, path) && existsSync(path))) return;
  // Problems in the files do not concern the output.
  const files = filesOfProject().map((file) => resolve(root, file));
  const found = files.find((path) => links.includes(resolveLinks(path)));
  if (found === undefined) return;
  const message = `${relative(root, found)} is read by the project, and would be overwritten.`;
  throw fail('usage', message, { hint: 'Choose another file for the output.' });
}

/**
 * Throws a Failure `outside-project` for a path, from the root, that leads out of the project through links, and
 * `reserved-folder` for one into a folder of git. A missing path is judged by its folder.
 */
export function requireInside(
  root: string,
  path: string,
  refusal = () => refusedPath('outside-project', path),
): void {
  if (inGit.test(path)) throw refusedPath('reserved-folder', path);
  for (let existing = join(root, path); existing !== root; existing = dirname(existing)) {
    if (!statOf(existing, lstatSync)) continue;
    const realRoot = realpathSync.native(root);
    // A write to a broken link would create its target anywhere.
    const real = existsSync(existing) ? realpathSync.native(existing) : '';
    if (!isInside(realRoot, real)) throw refusal();
    if (inGit.test(real.slice(realRoot.length))) throw refusedPath('reserved-folder', path);
    return;
  }
}

/** True when a file belongs to another user: in a shared folder, anybody could leave it. */
export function isForeign(path: string, folder: string): boolean {
  return ![process.geteuid?.(), statOf(folder)?.uid].includes(statOf(path)?.uid);
}

/** `undefined` if the path cannot be reached. */
export function statOf(path: string, read = statSync): Stats | undefined {
  try {
    return read(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
