import { posix } from 'node:path';
import { kinds } from '../kinds/index.ts';
import { type ManifestDocument, type Member, type Printable, printManifest } from '../loader/print.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { LiveObject } from '../model/live.ts';
import { type Draft, type DraftContext, draftOf, type Refusal } from './draft.ts';
import { remarkOf } from './omission.ts';
import { basePaths, folderOf, hasOwnFiles } from './paths.ts';
import { envExample, type SecretPlace, secretNames } from './secret-names.ts';

/** A file of an export. */
export interface ExportedFile {
  /** Below the export's folder, with `/`. */
  readonly path: string;
  readonly content: string;
}

/** The file of an export that names the secrets which its manifests need. */
export const secretsFile = '.env.example';

export interface ExportInput extends DraftContext {
  readonly objects: readonly LiveObject[];
}

/** A live object that nobody has declared, and the manifest that does now. */
export interface NewDeclaration {
  readonly object: LiveObject;
  /** As an exported file's. */
  readonly path: string;
}

export interface Export {
  /** By path. */
  readonly files: readonly ExportedFile[];
  readonly declared: readonly NewDeclaration[];
  /** Objects that no manifest can declare. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Manifests of live objects, their side files, and `.env.example` where there are secrets. The plan of what they
 * declare is empty. The same objects give the same files, in whatever order they come.
 */
export function exportObjects(input: ExportInput): Export {
  const { drafts, refusals } = draftAll(input);
  const places = secretPlaces(drafts);
  const secretName = secretNames(places);
  const paths = basePaths(drafts.filter(({ kind }) => hasOwnFiles(kind)));
  const files = kinds.flatMap((kind): ExportedFile[] => {
    const ofKind = drafts.filter((draft) => draft.kind === kind);
    if (ofKind.length === 0) return [];
    if (hasOwnFiles(kind)) {
      return ofKind.flatMap((draft) => filesOf(draft, paths.get(draft.object.address) ?? '', secretName));
    }
    const documents = ofKind.map((draft) => documentOf(draft, '', secretName));
    return [{ path: `${folderOf(kind)}.yaml`, content: printManifest(documents) }];
  });
  const env = places.length > 0 ? [{ path: secretsFile, content: envExample(places, secretName) }] : [];
  return {
    files: [...files, ...env].sort((a, b) => (a.path < b.path ? -1 : 1)),
    declared: drafts.map((draft) => ({ object: draft.object, path: manifestPath(draft, paths) })),
    diagnostics: refusals.map(refusalDiagnostic),
  };
}

/** The manifest of an object, given the paths of those that have a file of their own. */
export function manifestPath({ object, kind }: Draft, paths: ReadonlyMap<Address, string>): string {
  return `${hasOwnFiles(kind) ? (paths.get(object.address) ?? '') : folderOf(kind)}.yaml`;
}

/** What manifests would say of the objects, by address. */
export function draftAll(input: ExportInput): { drafts: Draft[]; refusals: Refusal[] } {
  const sorted = [...input.objects].sort((a, b) => (a.address < b.address ? -1 : 1));
  const drafted = sorted.map((object) => draftOf(object, input));
  return {
    drafts: drafted.flatMap((draft) => ('refused' in draft ? [] : [draft])),
    refusals: drafted.flatMap((draft) => ('refused' in draft ? [draft] : [])),
  };
}

export function secretPlaces(drafts: readonly Draft[]): SecretPlace[] {
  return drafts.flatMap(({ object, secrets }) => secrets.map((at) => ({ address: object.address, at })));
}

/** The manifest of one object and its side files; `base` is their path without ending. */
export function filesOf(
  draft: Draft,
  base: string,
  secretName: (place: SecretPlace) => string,
): ExportedFile[] {
  const document = documentOf(draft, posix.basename(base), secretName);
  return [
    { path: `${base}.yaml`, content: printManifest([document]) },
    ...draft.sideTexts.map(({ field, extension, text }) => ({
      path: `${base}.${field}.${extension}`,
      content: text,
    })),
  ];
}

/** The draft with its secrets and side files named. */
export function documentOf(
  { object, kind, key, fields, sideTexts, omissions }: Draft,
  base: string,
  secretName: (place: SecretPlace) => string,
): ManifestDocument {
  const name = (value: Printable) =>
    mapTags(value, ({ tag, value: open }) => {
      if (tag === '!secret') return secretName({ address: object.address, at: open });
      const side = sideTexts.find(({ field }) => field === open);
      return side ? `${base}.${side.field}.${side.extension}` : open;
    });
  return {
    members: [['kind', kind.name], ...key, ...fields.map(([field, value]): Member => [field, name(value)])],
    remarks: omissions.map(remarkOf),
  };
}

/** The value with the text of each tag that has a text replaced. */
export function mapTags(
  value: Printable,
  change: (tagged: { readonly tag: string; readonly value: string }) => string,
): Printable {
  if (value === null || typeof value !== 'object') return value;
  if ('members' in value) {
    return { members: value.members.map(([name, item]): Member => [name, mapTags(item, change)]) };
  }
  if (!('tag' in value)) return value.map((item) => mapTags(item, change));
  const { tag, value: text } = value;
  return typeof text === 'string' ? { tag, value: change({ tag, value: text }) } : value;
}

export function refusalDiagnostic({ object, refused }: Refusal): Diagnostic {
  return {
    code: 'not-declarable',
    severity: 'warning',
    message: `${object.address} is not exported: no manifest can declare it, since ${refused}.`,
    hint: 'It stays as it is in the tenant.',
    address: object.address,
  };
}
