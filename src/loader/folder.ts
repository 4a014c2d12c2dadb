import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, posix, relative, resolve, sep } from 'node:path';
import { failure, unreadableFile } from '../model/failure.ts';
import { projectFileName } from './config.ts';
import { isInReserved, reservedFolderFailure } from './paths.ts';
import { diskSource, type FileSource } from './source.ts';

/** Manifests outside the globs of a project, such as an exported folder. */
export interface ManifestFolder {
  readonly source: FileSource;
  /** Globs of its manifests. */
  readonly manifests: readonly string[];
}

/** The YAML files of a folder without those of a project that are not manifests. */
const manifestsBelow = ['**/*.yaml', '**/*.yml', `!${projectFileName}`, '!environments/*', '!**/*.kind.yaml'];

/**
 * The manifests in a folder, or in one file. Nothing outside the folder is read: no side file, and no link that leads out of
 * it. Messages name its files from `cwd` on. Throws a Failure for a path that does not exist or cannot be read.
 */
export function manifestFolder(path: string, cwd: string): ManifestFolder {
  const real = realPath(path, cwd);
  const isFile = !statSync(real).isDirectory();
  const root = isFile ? dirname(real) : real;
  if (isInReserved(root)) throw reservedFolderFailure(path);
  const named = isFile ? dirname(resolve(cwd, path)) : resolve(cwd, path);
  const shown = relative(cwd, named).split(sep).join('/');
  return {
    source: shownBelow(diskSource(root), shown),
    manifests: isFile ? [literalGlob(basename(real))] : manifestsBelow,
  };
}

function realPath(path: string, cwd: string): string {
  try {
    return realpathSync.native(resolve(cwd, path));
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

const literalGlob = (name: string): string => name.replace(/[\\*?[\](){}!+@|]/g, '\\$&');

/** The same files, whose paths begin with that of their folder. */
function shownBelow(source: FileSource, folder: string): FileSource {
  const inside = (path: string): string => {
    if (folder === '') return path;
    if (path.startsWith(`${folder}/`)) return path.slice(folder.length + 1);
    throw failure('outside-project', `${path} leads out of ${folder}.`, {
      hint: 'Nothing outside the folder is read: keep the files that its manifests name inside it.',
    });
  };
  return {
    glob: (patterns) => source.glob(patterns).map((path) => posix.join(folder, path)),
    read: (path) => source.read(inside(path)),
    text: (path) => source.text(inside(path)),
  };
}
