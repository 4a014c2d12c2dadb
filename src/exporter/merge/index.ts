import type { Address } from '../../model/address.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { segmentsOf } from '../../model/pointer.ts';
import type { Resource } from '../../model/resource.ts';
import { applyEdits, type Edit } from '../edit/apply-edits.ts';
import {
  draftAll,
  type ExportedFile,
  type ExportInput,
  mapTags,
  refusalDiagnostic,
  secretPlaces,
} from '../fresh.ts';
import { type SecretPlace, secretNames } from '../secret-names.ts';
import { envFileFor, filesForNew } from './created.ts';
import {
  type Declared,
  documentOfResource,
  type ManifestFile,
  mergeDocument,
  openManifest,
} from './documents.ts';
import type { Found, MergeContext } from './found.ts';
import { matchObjects } from './match.ts';
import { absentDiagnostic, goneDiagnostic, noteDiagnostics, refusedDiagnostic } from './remarks.ts';
import { secretsIn } from './secrets.ts';
import { type SideUse, settleSideTexts, sideFilesIn, sidePath } from './side-texts.ts';

export interface MergeInput extends ExportInput, MergeContext {
  /** Everything the manifests declare, overlays laid over and lookups filled in. */
  readonly resources: readonly Resource[];
  /** Whether the tenant was read for an object and it is to be written; any other stays as it is. */
  inScope(object: Pick<Resource, 'kind' | 'key' | 'address'>): boolean;
  /** Where files for new objects go, from the project's root on. */
  readonly folder: string;
  /** Whether documents of objects that are gone are removed. */
  readonly delete: boolean;
  /** The text of a file by its path from the project's root on; `null` where there is none. */
  read(path: string): string | null;
}

/** What a merge does to the project's files; a file that is not named stays as it is. */
export interface Merge {
  readonly changed: readonly ExportedFile[];
  readonly created: readonly ExportedFile[];
  /** The files among them, and among those that change, in which new objects are declared. */
  readonly newManifests: readonly string[];
  /** Files in which nothing is declared any more, and side files that went with them. */
  readonly deleted: readonly string[];
  /** Declared objects that the tenant does not have. */
  readonly gone: readonly Address[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Brings existing manifests up to date with the tenant. Comments, order, quotes, styles and tags stay wherever the
 * value they belong to does. A manifest that cannot be changed so is left as it is, with a diagnostic `cannot-edit`.
 */
export function mergeExport(input: MergeInput): Merge {
  const { liveOf, undeclared } = matchObjects(input.resources, input.objects);
  const files = openFiles(input);
  const documents = input.resources.map((resource) => {
    const file = files.get(resource.source.file);
    const declared = file ? documentOfResource(file, resource, liveOf.get(resource) ?? null) : null;
    return { resource, declared };
  });
  const declared = documents.flatMap((each) => each.declared ?? []);
  const present = declared.filter(({ resource }) => resource.ensure === 'present' && input.inScope(resource));
  const gone = present.filter(({ live }) => !live);
  const removed = input.delete ? gone : [];
  const merged = new Map(
    present.flatMap((each): [Declared, Found][] =>
      each.live ? [[each, mergeDocument(each, each.live, input)]] : [],
    ),
  );
  const kept = declared.filter((each) => !removed.includes(each));
  const side = settleSideTexts(kept.flatMap((each) => sideUses(each, merged.get(each))));
  for (const use of side.refused) writeInline(use, merged);

  const { drafts, refusals } = draftAll({ ...input, objects: undeclared.filter(input.inScope) });
  const places = [
    ...secretPlaces(drafts),
    ...[...merged].flatMap(([each, found]) => newSecrets(each, found)),
  ];
  const secretName = secretNames(places, new Set(input.resources.flatMap(({ fields }) => secretsIn(fields))));

  const edited = editFiles(files, merged, removed, secretName);
  const texts = new Map([...edited.texts, ...side.files]);
  const textOf = (path: string) => (texts.has(path) ? (texts.get(path) ?? null) : input.read(path));
  const naming = { folder: input.folder, secretName, textOf };
  const added = filesForNew({ ...naming, drafts });
  const env = envFileFor(places, naming);
  for (const { path, content } of [...added.files, ...(env ? [env] : [])]) texts.set(path, content);
  for (const path of orphans(removed, kept)) texts.set(path, null);

  return {
    ...sorted(texts, input),
    newManifests: added.manifests,
    gone: gone.map(({ resource }) => resource.address),
    diagnostics: [
      ...documents.flatMap((each) => (each.declared ? [] : [refusedDiagnostic(each.resource)])),
      ...edited.refused.map(({ resource }) => refusedDiagnostic(resource)),
      ...[...merged].flatMap(([{ resource }, { notes }]) => noteDiagnostics(resource, notes)),
      ...gone.map(({ resource }) => goneDiagnostic(resource, input.delete)),
      ...declared.flatMap(({ resource, live }) =>
        live && resource.ensure === 'absent' ? [absentDiagnostic(resource)] : [],
      ),
      ...refusals.map(refusalDiagnostic),
    ],
  };
}

function openFiles({ resources, read }: MergeInput): ReadonlyMap<string, ManifestFile> {
  const paths = [...new Set(resources.map(({ source }) => source.file))];
  return new Map(
    paths.flatMap((path): [string, ManifestFile][] => {
      const text = read(path);
      return text === null ? [] : [[path, openManifest(path, text)]];
    }),
  );
}

function sideUses({ resource, written }: Declared, found: Found | undefined): SideUse[] {
  return sideFilesIn(written).map(({ at, file }): SideUse => {
    const next = found?.sideTexts.find((each) => each.at === at);
    const path = sidePath(resource.source.file, file);
    return { resource, at, path, text: next?.text ?? null, inline: next?.inline ?? null };
  });
}

/** Puts a text into the manifest, where its side file cannot have it. */
function writeInline({ resource, at, inline }: SideUse, merged: ReadonlyMap<Declared, Found>): void {
  for (const [declared, found] of merged) {
    if (declared.resource !== resource) continue;
    found.notes.push({ at, reason: 'sideFile' });
    found.edits.push({ op: 'set', path: segmentsOf(at), value: inline });
  }
}

function newSecrets({ live }: Declared, { secrets }: Found): SecretPlace[] {
  return live ? secrets.map((at) => ({ address: live.address, at })) : [];
}

interface Edited {
  /** New texts by path; `null` for a file in which no document is left. */
  readonly texts: ReadonlyMap<string, string | null>;
  readonly refused: readonly Declared[];
}

function editFiles(
  files: ReadonlyMap<string, ManifestFile>,
  merged: ReadonlyMap<Declared, Found>,
  removed: readonly Declared[],
  secretName: (place: SecretPlace) => string,
): Edited {
  const gone = new Set(removed.map(({ segment }) => segment));
  const refused: Declared[] = [];
  const newTexts = new Map(
    [...merged].map(([each, { edits }]) => {
      const text = applyEdits(each.segment.text, named(edits, each, secretName));
      if (text === null) refused.push(each);
      return [each.segment, text ?? each.segment.text];
    }),
  );
  const texts = [...files.values()].map(({ path, prefix, segments }): [string, string | null] => {
    const left = segments.filter((segment) => !gone.has(segment));
    const text = prefix + left.map((segment) => newTexts.get(segment) ?? segment.text).join('');
    const isEmpty = left.length < segments.length && !left.some(({ hasDocument }) => hasDocument);
    return [path, isEmpty ? null : text];
  });
  return { texts: new Map(texts), refused };
}

function named(
  edits: readonly Edit[],
  { live }: Declared,
  secretName: (place: SecretPlace) => string,
): Edit[] {
  const address = live?.address ?? '';
  return edits.map((edit) => {
    if (edit.op === 'remove') return edit;
    const value = mapTags(edit.value, ({ tag, value: at }) =>
      tag === '!secret' ? secretName({ address, at }) : at,
    );
    return { ...edit, value };
  });
}

/** Side files of removed documents that nobody else uses. */
function orphans(removed: readonly Declared[], kept: readonly Declared[]): string[] {
  const pathsOf = ({ resource, written }: Declared) =>
    sideFilesIn(written).map(({ file }) => sidePath(resource.source.file, file));
  const used = new Set(kept.flatMap(pathsOf));
  return [...new Set(removed.flatMap(pathsOf))].filter((path) => !used.has(path));
}

function sorted(
  texts: ReadonlyMap<string, string | null>,
  { read }: MergeInput,
): Pick<Merge, 'changed' | 'created' | 'deleted'> {
  const [changed, created, deleted]: [ExportedFile[], ExportedFile[], string[]] = [[], [], []];
  for (const [path, content] of [...texts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const before = read(path);
    if (content === null) {
      if (before !== null) deleted.push(path);
    } else if (before === null) created.push({ path, content });
    else if (before !== content) changed.push({ path, content });
  }
  return { changed, created, deleted };
}
