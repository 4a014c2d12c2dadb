import type { Kind } from '../kinds/kind.ts';
import { sha256 } from '../model/digest.ts';
import type { LiveObject } from '../model/live.ts';

/** Names longer than this are cut, so that a whole path stays below what Windows allows. */
const longest = 80;
/** Windows takes these for devices, whatever stands after a dot. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

/** Whether each object of the kind is worth a file of its own; the others share one. */
export function hasOwnFiles(kind: Kind): boolean {
  const structured = Object.values(kind.fields).some(({ is }) => ['text', 'json', 'records'].includes(is));
  return structured || kind.pinnable;
}

/** `notification-templates`, `sender-addresses`: the folder or file of a kind. */
export function folderOf({ name }: Kind): string {
  const words = name.replaceAll(/(?!^)[A-Z]/g, '-$&').toLowerCase();
  if (words.endsWith('from')) return words;
  return /(s|x|ch|sh)$/.test(words) ? `${words}es` : `${words}s`;
}

/**
 * A path without ending for each object that has a file of its own: made of its key, safe on every system, and
 * different from all others even where upper and lower case are the same.
 */
export function basePaths(
  objects: readonly { readonly object: LiveObject; readonly kind: Kind }[],
  isTaken: (path: string) => boolean = () => false,
): ReadonlyMap<string, string> {
  const wanted = objects.map(({ object, kind }) => ({
    address: object.address,
    path: `${folderOf(kind)}/${object.key.map(slug).join('.')}`,
  }));
  const uses = new Map<string, number>();
  for (const { path } of wanted) uses.set(path, (uses.get(path) ?? 0) + 1);
  return new Map(
    wanted.map(({ address, path }) => {
      const safe = isSafe(path) && uses.get(path) === 1 && !isTaken(path);
      return [address, safe ? path : distinct(path, address, isTaken)];
    }),
  );
}

/** Lower case, and no character that some system, shell or glob gives a meaning. */
function slug(part: string): string {
  return part
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|[-_]+$/g, '');
}

function isSafe(path: string): boolean {
  const name = path.slice(path.indexOf('/') + 1);
  return name.length <= longest && !/^\.|\.\.|\.$|^$/.test(name) && !devices.test(name);
}

function distinct(path: string, address: string, isTaken: (path: string) => boolean): string {
  const [folder = '', name = ''] = path.split('/');
  const stem = name
    .slice(0, longest)
    .replaceAll(/^[.]+|[.]+$/g, '')
    .replaceAll(/\.{2,}/g, '.');
  const device = devices.test(stem) ? 'x-' : '';
  for (let turn = 0; ; turn += 1) {
    const mark = sha256(turn === 0 ? address : [address, turn]).slice('sha256:'.length, 'sha256:'.length + 8);
    const tried = `${folder}/${device}${stem}${stem === '' ? '' : '-'}${mark}`;
    if (!isTaken(tried)) return tried;
  }
}
