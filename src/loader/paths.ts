import { existsSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { type Failure, fail } from '../model/failure.ts';

/** Matches a part that is empty, `.` or `..`, and a null character. */
const unclean = /(?:^|\/)\.{0,2}(?:\/|$)|\0/;

/** `path` without `.` and `..`. Throws a Failure `outside-project` where it leads out of the project. */
export function projectPath(path: string): string {
  if (!unclean.test(path)) return path;
  if (leadsOut(path)) throw outsideProjectFailure(path);
  return posix.normalize(path);
}

/** True when a path, from the project's root, leads out of the project by itself. */
export function leadsOut(path: string): boolean {
  if (!unclean.test(path)) return false;
  const normal = posix.normalize(path);
  return normal === '..' || normal.startsWith('../') || posix.isAbsolute(normal) || path.includes('\0');
}

/**
 * The path of a side file, from the project's root.
 *
 * @param argument the argument of a `!file` tag
 * @param manifest the file with the tag
 */
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

/** True when a path leads into a folder of git. Some disks ignore case. */
export function isInGit(path: string): boolean {
  return /(?:^|[\\/])\.git(?:[\\/]|$)/i.test(path);
}

export function isInReserved(path: string): boolean {
  return /(?:^|[\\/])\.(?:git|tenantctl)(?:[\\/]|$)/i.test(path);
}

export function reservedFolderFailure(path: string): Failure {
  return fail('reserved-folder', `${path} is inside a reserved folder (.git or .tenantctl).`, {
    hint: 'Keep the files of the project outside `.git` and `.tenantctl`.',
  });
}

/**
 * `.env` and its usual variants, and what package managers, git and actions of GitHub keep for their own sign-in. A name that
 * a manifest may have is not among them: no glob finds these files.
 */
const credentialFile =
  /(?:^|[\\/])(?:\.env(?:\.(?:[\w-]+\.)?local|\.(?:development|production|staging|test))?|\.(?:npmrc|yarnrc|yarnrc\.yml|pypirc|netrc|git-credentials)|gha-creds-[^\\/]*\.json)$/i;

/** True when a path is that of a file which holds credentials, such as `.env`. Some disks ignore case. */
export function holdsCredentials(path: string): boolean {
  return credentialFile.test(path);
}

/** The Failure for such a file in the place of a manifest, a side file or a file of an embedded tenant. */
export function credentialsFailure(path: string): Failure {
  return fail('reserved-file', `${path} holds credentials, and is not read as part of the project.`, {
    hint: 'Write `!secret NAME` or `!env NAME` for a value in it, or give a file with other content another name.',
  });
}

export function outsideProjectFailure(path: string): Failure {
  return fail('outside-project', `${path} leads out of the project.`, {
    hint: 'Keep all files, and the targets of all links, in the folder of the project file or below it.',
  });
}

/** True when a file is another user's: in a folder that many people can write to, anybody could leave it. */
export function isForeign(path: string, folder: string): boolean {
  return ![process.geteuid?.(), statOf(folder)?.uid].includes(statOf(path)?.uid);
}

/** `undefined` where the path cannot be reached. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
