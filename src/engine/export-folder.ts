import { dirname, posix, relative, sep } from 'node:path';
import type { NewDeclaration } from '../exporter/index.ts';
import type { Project } from '../kinds/project.ts';
import type { Declarations } from '../loader/index.ts';
import { resolveLinks } from '../loader/paths.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import { namesAndMore } from '../model/words.ts';

/** The path of a folder from the project's root, with `/`. The path of a folder outside the project begins with `..`. */
export function pathInProject(
  folder: string,
  { root, configFile }: Pick<Project, 'root' | 'configFile'>,
): string {
  const asNamed = relative(dirname(configFile), folder);
  // The root is without links, but the folder may have been named by a path with links.
  const path = asNamed.split(sep)[0] === '..' ? relative(root, resolveLinks(folder)) : asNamed;
  return path.split(sep).join('/');
}

/**
 * Throws a Failure where an export would declare objects a second time: the project could not be loaded any more.
 *
 * @param folder where the exported files go, as {@link pathInProject} gives it
 */
export function refuseDeclared(
  declared: readonly NewDeclaration[],
  folder: string,
  declarations: Declarations,
): void {
  const twice = declared
    .filter(({ path }) => declarations.covers(posix.join(folder, path)))
    .flatMap(({ object }) => {
      const source = declarations.find(object);
      return source ? [{ address: object.address, source }] : [];
    });
  const [first] = twice;
  if (!first) return;
  const what =
    twice.length === 1
      ? `${first.address} is already declared`
      : `${twice.length} of ${declared.length} objects are already declared, such as ${first.address}`;
  throw new Failure([
    {
      code: 'already-declared',
      severity: 'error',
      message: `${what}. Nothing was written.`,
      hint: 'Update the existing manifests with `export --merge`, or export into a folder that `manifests` does not match.',
      ...first,
    },
  ]);
}

/** A remark where no glob matches new manifests. It is no error: an export may be meant for reading only. */
export function unreadManifests(
  paths: readonly string[],
  { covers, globs }: Declarations,
): readonly Diagnostic[] {
  const unread = [...new Set(paths)].filter((path) => !covers(path));
  const [first] = unread;
  if (first === undefined) return [];
  const named = namesAndMore([first], unread.length - 1);
  return [
    {
      code: 'unread-manifest',
      severity: 'info',
      message: `No glob of \`manifests\` (${globs.patterns.join(', ')}) matches ${named}: plans do not read what it declares.`,
      hint: 'Add a glob to `manifests`, or export into a folder that one matches.',
      source: globs.source,
    },
  ];
}

/** Throws a Failure where no glob matches new manifests: every further merge would create them again. */
export function refuseUnread(paths: readonly string[], declarations: Declarations): void {
  const unread = unreadManifests(paths, declarations);
  if (unread.length === 0) return;
  throw new Failure(
    unread.map((each) => ({ ...each, severity: 'error', message: `${each.message} Nothing was written.` })),
  );
}
