import { posix, sep } from 'node:path';

/** The links of a revision's tree: the path of each below the project's folder, and what it says. */
export type Links = ReadonlyMap<string, string>;

/** How many links may stand one behind the other: as many as a system follows. */
const longestChain = 40;

/**
 * Where a path leads when its links are followed, as they would be on the disk in `root`: a path of the project, `''`
 * for its folder, `null` outside it. Links that lead round in a circle end at one of them, which is no file.
 */
export function followLinks(path: string, links: Links, root: string): string | null {
  if (links.size === 0) return path;
  const home = root.split(sep).join('/').replace(/\/$/, '');
  let [real, followed] = [home, 0];
  // Last in, first out: what a link says comes before what follows it.
  const open = path.split('/').reverse();
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part === '' || part === '.') continue;
    const here = posix.normalize(`${real}/${part}`);
    const target = links.get(below(home, here) ?? '');
    if (target === undefined) {
      real = here;
      continue;
    }
    followed += 1;
    if (followed > longestChain) return below(home, here);
    if (posix.isAbsolute(target)) real = '';
    open.push(...target.split('/').reverse());
  }
  return below(home, real);
}

/** What the links of a tree make of it. */
export interface Linked {
  /** The paths that go through links and end at a file, and those that leave the project. */
  readonly paths: readonly string[];
  /** The links that lead nowhere. */
  readonly lost: readonly string[];
}

/** Every way through a tree's links to its files. A folder is not entered again from below itself. */
export function pathsThroughLinks(files: readonly string[], links: Links, root: string): Linked {
  const isFile = new Set(files);
  const all = [...files, ...links.keys()];
  const [paths, lost]: [string[], string[]] = [[], []];
  const enter = (path: string, above: readonly string[]): void => {
    const real = followLinks(path, links, root);
    if (real === null || isFile.has(real)) {
      paths.push(path);
      return;
    }
    if (above.some((folder) => isAtOrBelow(folder, real) || isAtOrBelow(real, folder))) return;
    const held = all.filter((each) => each !== real && isAtOrBelow(real, each));
    if (held.length === 0) lost.push(path);
    for (const each of held) {
      const next = posix.join(path, each.slice(real.length));
      if (links.has(each)) enter(next, [...above, real]);
      else paths.push(next);
    }
  };
  for (const link of links.keys()) enter(link, []);
  return { paths, lost };
}

function below(home: string, path: string): string | null {
  if (path === home) return '';
  return path.startsWith(`${home}/`) ? path.slice(home.length + 1) : null;
}

function isAtOrBelow(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
