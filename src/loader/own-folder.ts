import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type Failure, fail, systemCode } from '../model/failure.ts';
import { isInGit, isInside, outsideProjectFailure, reservedFolderFailure } from './paths.ts';

/** The folder of a project that tenantctl writes to: journals, locks, results, the data of an embedded tenant. */
export const ownFolder = '.tenantctl';

export function environmentFolder(root: string, environment: string): string {
  return join(root, ownFolder, environment);
}

/**
 * Throws a Failure `outside-project` where `.tenantctl` or anything in it is a link that leads out of the project. Git
 * can commit such links, and what an apply writes would go to any file of the machine. Called before writing there.
 *
 * @param root the project's folder, absolute
 */
export function requireOwnFolder(root: string): void {
  requireInside(root, ownFolder);
  for (const link of linksBelow(join(root, ownFolder))) requireInside(root, relative(root, link));
}

/** The same for a file that somebody names, absolute: git can have a link of that name. */
export function requireOutputFile(file: string, currentFolder: string): void {
  const at = file.lastIndexOf(join(sep, ownFolder, sep));
  if (at >= 0) requireInside(file.slice(0, at) || sep, file.slice(at + 1));
  const path = relative(currentFolder, file);
  // Who names a folder of git means it.
  if (isInside(currentFolder, file) && !isInGit(path)) requireInside(currentFolder, path, linkedOutput);
}

/**
 * Throws a Failure `outside-project` for a path, from the root, that leads out of the project through links, and
 * `reserved-folder` for one into a folder of git. What does not exist yet is judged by the folder that it would be in.
 */
export function requireInside(root: string, path: string, refusal = outsideProjectFailure): void {
  if (isInGit(path)) throw reservedFolderFailure(path);
  for (let existing = join(root, path); existing !== root; existing = dirname(existing)) {
    if (!exists(existing)) continue;
    const real = realPathOf(existing);
    const realRoot = realpathSync.native(root);
    if (real === null || !isInside(realRoot, real)) throw refusal(path);
    if (isInGit(real.slice(realRoot.length))) throw reservedFolderFailure(path);
    return;
  }
}

function linkedOutput(path: string): Failure {
  return fail('outside-project', `${path} would be written through a link that leads out of this folder.`, {
    hint: 'Links can come with the repository, so tenantctl writes nothing there. If it should, name the file that the link leads to.',
  });
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file is in the place of a folder: making the folder reports that.
    if (systemCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

/** `null` for a broken link: what is written to it would be made wherever it leads. */
function realPathOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

function linksBelow(folder: string): string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name));
}
