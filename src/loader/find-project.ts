import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { failure } from '../model/failure.ts';
import { isForeign, statOf } from './paths.ts';

/** The name of a project file. */
export const projectFileName = 'tenantctl.yaml';

/** The folder beside a project file with the descriptors of its own kinds; `null` where there is none. */
export function kindsFolderIn(root: string): string | null {
  const folder = join(root, 'kinds');
  return existsSync(folder) ? folder : null;
}

/**
 * The project file for work in a folder: `tenantctl.yaml` there or in the nearest folder above. Where there is none, the
 * path that it would have in the folder itself, for the message that says so.
 *
 * Throws a Failure `foreign-project` for a file above that belongs to somebody else: in a folder that many people can
 * write to, such as `/tmp`, anybody could leave a project file that sends credentials to a host of their own.
 *
 * @param folder absolute
 */
export function findProjectFile(folder: string): string {
  for (let current = folder; ; current = dirname(current)) {
    const file = join(current, projectFileName);
    if (statOf(file)) {
      if (current !== folder && isForeign(file, folder)) throw foreign(file);
      return file;
    }
    if (current === dirname(current)) return join(folder, projectFileName);
  }
}

function foreign(file: string) {
  return failure('foreign-project', `The nearest project file, ${file}, belongs to another user.`, {
    hint: 'Run the command in the folder of your project. If this is the right file, name it with --config.',
  });
}
