import { posix } from 'node:path';
import type { Kind } from '../kinds/kind.ts';
import { type ManifestDocument, type Member, type Printable, printManifest } from '../loader/print.ts';
import { groupBy } from '../model/group.ts';
import type { Draft } from './draft.ts';
import { append } from './edit/lines.ts';
import { remarkOf } from './omission.ts';
import { chooseBasePaths, folderOf } from './paths.ts';
import { mapTags } from './printable.ts';
import type { NameSecret } from './secret-names.ts';

/** A file of an export. */
export interface ExportedFile {
  /** Below the export's folder, with `/`. */
  readonly path: string;
  readonly content: string;
}

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
    drafts.map(({ object }) => object).filter(({ kind }) => hasOwnFiles(kind)),
    isTaken,
  );
  const baseOf = ({ object }: Draft) => inFolder(bases.get(object.address) ?? folderOf(object.kind));
  const files = groupBy(drafts, ({ object }) => object.kind).flatMap(([kind, ofKind]): ExportedFile[] => {
    if (hasOwnFiles(kind)) return ofKind.flatMap((draft) => filesOf(draft, baseOf(draft), nameSecret));
    const path = inFolder(`${folderOf(kind)}.yaml`);
    const added = printManifest(ofKind.map((draft) => documentOf(draft, '', nameSecret)));
    const existing = textOf(path) ?? '';
    return [{ path, content: existing.trim() === '' ? added : append(existing, `---\n${added}`) }];
  });
  return { files, manifests: new Map(drafts.map((draft) => [draft, `${baseOf(draft)}.yaml`])) };
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
  { object, key, fields, lifecycle, names, omissions }: Draft,
  base: string,
  nameSecret: NameSecret,
): ManifestDocument {
  const fillIn = (value: Printable) =>
    mapTags(value, (tag, open) => {
      if (tag === '!secret') return nameSecret({ address: object.address, at: open });
      return tag === '!file' ? `${base}.${open}` : open;
    });
  return {
    members: [
      ['kind', object.kind.name],
      ...key,
      ...fields.map(([field, value]): Member => [field, fillIn(value)]),
      ...(lifecycle.length === 0 ? [] : [['lifecycle', { members: lifecycle }] as const]),
    ],
    comments: names,
    remarks: omissions.map(remarkOf),
  };
}

/** Whether each object of the kind has a file of its own; objects of other kinds share one. */
function hasOwnFiles(kind: Kind): boolean {
  const isStructured = Object.values(kind.fields).some(({ is }) => ['text', 'json', 'records'].includes(is));
  return isStructured || kind.pinnable;
}
