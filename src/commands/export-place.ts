import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import type { NewDeclaration } from '../exporter/index.ts';
import type { Declarations } from '../loader/index.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';

/** A folder by its path from the project's root on, with `/`; one that is elsewhere begins with `..`. */
export function folderInProject(folder: string, configFile: string, root: string): string {
  const asNamed = relative(dirname(configFile), folder);
  // The root has no links in it, and the folder may be reached by one.
  const path = asNamed.split(sep)[0] === '..' ? relative(root, realPath(folder)) : asNamed;
  return path.split(sep).join('/');
}

/** The path without links, as far as it exists. */
function realPath(path: string): string {
  const above = dirname(path);
  if (above === path || existsSync(path)) return realpathSync.native(path);
  return join(realPath(above), relative(above, path));
}

/** Throws a Failure where objects would be declared twice: no command could load the project any more. */
export function refuseDeclared(
  declared: readonly NewDeclaration[],
  folder: string,
  declarations: Declarations,
): void {
  const twice = declared
    .filter(({ path }) => declarations.covers(posix.join(folder, path)))
    .flatMap(({ object }): Diagnostic[] => {
      const source = declarations.find(object);
      if (!source) return [];
      return [
        {
          code: 'already-declared',
          severity: 'error',
          message: `${object.address} is declared already; nothing was written.`,
          hint: 'Update the manifests there are with --merge, or export into a folder that `manifests` does not match.',
          source,
          address: object.address,
        },
      ];
    });
  if (twice.length > 0) throw new Failure(twice);
}

/**
 * A remark where new manifests would never be read, which is no mistake where somebody only wants to look at what the
 * tenant has.
 */
export function unreadManifests(
  paths: readonly string[],
  { covers, globs }: Declarations,
): readonly Diagnostic[] {
  const unread = [...new Set(paths)].filter((path) => !covers(path));
  const [first] = unread;
  if (first === undefined) return [];
  const others = unread.length > 1 ? ` and ${unread.length - 1} more` : '';
  return [
    {
      code: 'unread-manifest',
      severity: 'info',
      message: `No glob of \`manifests\` (${globs.patterns.join(', ')}) matches ${first}${others}: no plan reads what is declared there.`,
      hint: 'To have it read, add a glob to `manifests`, or export into a folder that one matches.',
      source: globs.source,
    },
  ];
}

/** Throws a Failure where new manifests would never be read: each merge would write their objects again. */
export function refuseUnread(paths: readonly string[], declarations: Declarations): void {
  const unread = unreadManifests(paths, declarations);
  if (unread.length === 0) return;
  throw new Failure(
    unread.map((each) => ({ ...each, severity: 'error', message: `${each.message} Nothing was written.` })),
  );
}
