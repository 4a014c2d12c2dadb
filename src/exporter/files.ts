import { posix } from 'node:path';
import { kinds } from '../kinds/index.ts';
import type { Kind } from '../kinds/kind.ts';
import { type ManifestDocument, type Member, type Printable, printManifest } from '../loader/print.ts';
import type { Address } from '../model/address.ts';
import { sha256 } from '../model/digest.ts';
import type { Draft } from './draft.ts';
import { printPlace, remarkOf } from './omission.ts';
import { mapTags } from './printable.ts';
import type { NameSecret, SecretPlace } from './secret-names.ts';

/** A file of an export. */
export interface ExportedFile {
  /** Below the export's folder, with `/`. */
  readonly path: string;
  readonly content: string;
}

/** The file of an export that lists the secrets its manifests need. */
export const secretsFile = '.env.example';

/** Where files are written, and what is there. */
export interface Destination {
  /** From the project's root; `''` or `.` for the root itself. */
  readonly folder: string;
  readonly nameSecret: NameSecret;
  /** The content of a file, by its path from the project's root; `null` where there is none. */
  textOf(path: string): string | null;
}

export interface CreatedFiles {
  readonly files: readonly ExportedFile[];
  /** The manifest that declares the object, for each draft. */
  readonly manifests: ReadonlyMap<Draft, string>;
}

/**
 * Manifests and side files for drafts. A kind with little to say has one file for all its objects, which are added to
 * that file where it exists.
 */
export function createFiles(drafts: readonly Draft[], destination: Destination): CreatedFiles {
  const { folder, nameSecret, textOf } = destination;
  const inFolder = (path: string) => posix.join(folder, path);
  const sideEndings = drafts.flatMap(({ sideTexts }) => sideTexts.map(({ ending }) => ending));
  const isTaken = (base: string) =>
    ['yaml', ...sideEndings].some((ending) => textOf(inFolder(`${base}.${ending}`)) !== null);
  const bases = chooseBasePaths(
    drafts.filter(({ kind }) => hasOwnFiles(kind)),
    isTaken,
  );
  const baseOf = ({ object, kind }: Draft) => inFolder(bases.get(object.address) ?? folderOf(kind));
  const files = kinds.flatMap((kind): ExportedFile[] => {
    const ofKind = drafts.filter((draft) => draft.kind === kind);
    if (ofKind.length === 0) return [];
    if (hasOwnFiles(kind)) return ofKind.flatMap((draft) => filesOf(draft, baseOf(draft), nameSecret));
    const path = inFolder(`${folderOf(kind)}.yaml`);
    const added = printManifest(ofKind.map((draft) => documentOf(draft, '', nameSecret)));
    return [{ path, content: append(textOf(path), `---\n${added}`, added) }];
  });
  return { files, manifests: new Map(drafts.map((draft) => [draft, `${baseOf(draft)}.yaml`])) };
}

const envHeader =
  '# The secrets that the manifests name. Set them where tenantctl runs; keep the values out of git.\n';

/** `.env.example` with the name of each secret, and where it is used; `null` where there are none to add. */
export function createEnvExample(
  places: readonly SecretPlace[],
  { folder, nameSecret, textOf }: Destination,
): ExportedFile | null {
  if (places.length === 0) return null;
  const path = posix.join(folder, secretsFile);
  const entries = places.map((place) => {
    return `\n# ${place.address}, ${printPlace(place.at)}\n${nameSecret(place)}=\n`;
  });
  const added = entries.join('');
  return { path, content: append(textOf(path), added, envHeader + added) };
}

function append(existing: string | null, added: string, whole: string): string {
  if (existing === null || existing.trim() === '') return whole;
  const eol = existing.includes('\r\n') ? '\r\n' : '\n';
  const gap = existing.endsWith('\n') ? '' : eol;
  return existing + gap + added.replaceAll('\n', eol);
}

/** The manifest of one object and its side files; `base` is their path without ending. */
function filesOf(draft: Draft, base: string, nameSecret: NameSecret): ExportedFile[] {
  const document = documentOf(draft, posix.basename(base), nameSecret);
  return [
    { path: `${base}.yaml`, content: printManifest([document]) },
    ...draft.sideTexts.map(({ ending, text }) => ({ path: `${base}.${ending}`, content: text })),
  ];
}

/** The draft with its secrets and side files named. */
function documentOf(
  { object, kind, key, fields, omissions }: Draft,
  base: string,
  nameSecret: NameSecret,
): ManifestDocument {
  const fillIn = (value: Printable) =>
    mapTags(value, (tag, open) => {
      if (tag === '!secret') return nameSecret({ address: object.address, at: open });
      return tag === '!file' ? `${base}.${open}` : open;
    });
  return {
    members: [['kind', kind.name], ...key, ...fields.map(([field, value]): Member => [field, fillIn(value)])],
    remarks: omissions.map(remarkOf),
  };
}

/** Whether each object of the kind has a file of its own; objects of other kinds share one. */
function hasOwnFiles(kind: Kind): boolean {
  const isStructured = Object.values(kind.fields).some(({ is }) => ['text', 'json', 'records'].includes(is));
  return isStructured || kind.pinnable;
}

/** `notification-templates`, `sender-addresses`: the folder or file of a kind. */
function folderOf({ name }: Kind): string {
  const words = name.replaceAll(/(?!^)[A-Z]/g, '-$&').toLowerCase();
  if (words.endsWith('from')) return words;
  return /(s|x|ch|sh)$/.test(words) ? `${words}es` : `${words}s`;
}

/**
 * A path without ending for each object that has a file of its own: made of its key, valid on every system, and
 * unique even where upper and lower case are the same.
 */
function chooseBasePaths(
  drafts: readonly Draft[],
  isTaken: (path: string) => boolean,
): ReadonlyMap<Address, string> {
  const wanted = drafts.map(({ object, kind }) => ({
    address: object.address,
    path: `${folderOf(kind)}/${object.key.map(slug).join('.')}`,
  }));
  const uses = new Map<string, number>();
  for (const { path } of wanted) uses.set(path, (uses.get(path) ?? 0) + 1);
  return new Map(
    wanted.map(({ address, path }) => {
      const isFree = isPortable(path) && uses.get(path) === 1 && !isTaken(path);
      return [address, isFree ? path : makeDistinct(path, address, isTaken)];
    }),
  );
}

/** Lower case, without any character that has a meaning for a system, a shell or a glob. */
function slug(part: string): string {
  return part
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|[-_]+$/g, '');
}

/** Longer names are cut, so that a whole path stays within the limit of Windows. */
const longestName = 80;
/** Names of devices on Windows, with or without an extension. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

function isPortable(path: string): boolean {
  const name = path.slice(path.indexOf('/') + 1);
  return name.length <= longestName && !/^\.|\.\.|\.$|^$/.test(name) && !devices.test(name);
}

/** The path with a digest of the address. */
function makeDistinct(path: string, address: Address, isTaken: (path: string) => boolean): string {
  const [folder = '', name = ''] = path.split('/');
  const stem = name
    .slice(0, longestName)
    .replaceAll(/^[.]+|[.]+$/g, '')
    .replaceAll(/\.{2,}/g, '.');
  const device = devices.test(stem) ? 'x-' : '';
  for (let turn = 0; ; turn += 1) {
    const mark = sha256(turn === 0 ? address : [address, turn]).slice('sha256:'.length, 'sha256:'.length + 8);
    const tried = `${folder}/${device}${stem}${stem === '' ? '' : '-'}${mark}`;
    if (!isTaken(tried)) return tried;
  }
}
