import { LiveIndex } from '../../kinds/live-objects.ts';
import type { Resource } from '../../kinds/resource.ts';
import type { Address } from '../../model/address.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { secretNamesIn } from '../../model/marker.ts';
import { type Draft, type DraftInput, draftEach } from '../draft.ts';
import { applyEdits } from '../edit/apply-edits.ts';
import { createFiles, type ExportedFile } from '../files.ts';
import { mapTags } from '../printable.ts';
import { formerDiagnostic, noteDiagnostic, omissionDiagnostics, refusalDiagnostics } from '../remarks.ts';
import {
  addToEnvExample,
  envExampleFile,
  type NameSecret,
  nameAll,
  secretNames,
  secretsOf,
} from '../secret-names.ts';
import {
  type DeclaredDocument,
  findDocument,
  findOrphans,
  joinDocuments,
  type ManifestFile,
  mergeSideFiles,
  noChanges,
  openManifest,
  type SideFileContext,
} from './files.ts';
import { type MergeContext, mergeDocument } from './merge-document.ts';

export interface MergeInput extends DraftInput, MergeContext, SideFileContext {
  /** Everything that the manifests declare, with overlays applied and lookups filled in. */
  readonly resources: readonly Resource[];
  /** True for an object that was read and may be written; any other stays as it is. */
  inScope(object: Pick<Resource, 'kind' | 'key' | 'address'>): boolean;
  readonly all: boolean;
  /** The folder for new files, from the project's root. */
  readonly folder: string;
  /** Removes documents of objects that are gone. */
  readonly delete: boolean;
  /** The text of a file by its path from the project's root; `null` where there is none. */
  read(path: string): string | null;
}

export interface Merge {
  readonly changed: readonly ExportedFile[];
  readonly created: readonly ExportedFile[];
  /** The created or changed files that declare new objects. */
  readonly newManifests: readonly string[];
  /** Files without any document left, and side files that only they used. */
  readonly deleted: readonly string[];
  /** How many objects no manifest declares, although one could; they are only counted. */
  readonly undeclared: number;
  /** Declared objects that the tenant does not have. */
  readonly gone: readonly Address[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Brings existing manifests up to date with the tenant. Comments, order, quotes, styles and tags stay as long as their
 * value does. A manifest that cannot be changed this way stays as it is, with a diagnostic `cannot-edit`.
 */
export function mergeExport(input: MergeInput): Merge {
  const index = new LiveIndex(input.objects);
  const files = openFiles(input);
  const found = input.resources.map((resource) => ({ resource, live: index.find(resource) }));
  const documents = found.flatMap((each) => openDocument(each, files, input));
  const undeclared = draftUndeclared(found, index, input);
  const written = writeFiles(input, files, documents, undeclared.drafts);
  const opened = new Set(documents.map(({ resource }) => resource));
  const refused = [...input.resources.filter((resource) => !opened.has(resource)), ...written.refused];
  return {
    ...compareFiles(written.texts, input),
    newManifests: written.newManifests,
    undeclared: undeclared.count,
    gone: documents.filter(isGone).map(({ resource }) => resource.address),
    diagnostics: [
      ...refused.map((resource) => noteDiagnostic(resource, { reason: 'refused' })),
      ...documents.flatMap(({ resource, changes }) =>
        changes.notes.map((note) => noteDiagnostic(resource, note)),
      ),
      ...undeclared.diagnostics,
    ],
  };
}

type MatchedDocument = Pick<DeclaredDocument, 'resource' | 'live'>;

function openFiles({ resources, read }: MergeInput): ReadonlyMap<string, ManifestFile> {
  const paths = new Set(resources.map(({ source }) => source().file));
  const texts = [...paths].map((path) => [path, read(path)] as const);
  return new Map(texts.flatMap(([path, text]) => (text === null ? [] : [[path, openManifest(text)]])));
}

/** The document that declares an object; none where the file has changed since it was loaded. */
function openDocument(
  { resource, live }: MatchedDocument,
  files: ReadonlyMap<string, ManifestFile>,
  input: MergeInput,
): DeclaredDocument[] {
  const file = files.get(resource.source().file);
  const document = file && findDocument(file, resource);
  if (!document) return [];
  const isPresent = resource.ensure === 'present';
  const isMerged = isPresent && input.inScope(resource);
  const changes = isMerged && live ? mergeDocument(resource, live, document.written, input) : noChanges();
  if (isMerged && !live) changes.notes.push({ reason: input.delete ? 'removed' : 'gone' });
  if (live && !isPresent) changes.notes.push({ reason: 'absent' });
  return [{ ...document, resource, live, changes }];
}

const isGone = ({ changes }: DeclaredDocument): boolean =>
  changes.notes.some(({ reason }) => reason === 'gone' || reason === 'removed');

/** Drafts for the objects that no manifest declares, or their number, and the remarks on those without a draft. */
function draftUndeclared(found: readonly MatchedDocument[], index: LiveIndex, input: MergeInput) {
  // With manifests of their own, two would declare the objects that manifests rename.
  const former = found.flatMap(({ resource, live }) => {
    const { renamedFrom } = resource.lifecycle;
    const object = renamedFrom && index.findByKey(resource.kind, renamedFrom);
    return object && object !== live && input.inScope(object) ? [{ object, resource }] : [];
  });
  const named = new Set([...found.map(({ live }) => live), ...former.map(({ object }) => object)]);
  const objects = input.objects.filter((object) => !named.has(object) && input.inScope(object));
  const { drafts, refusals } = draftEach({ ...input, objects });
  if (!input.all) return { drafts: [], count: drafts.length, diagnostics: [] };
  const diagnostics = [
    ...omissionDiagnostics(drafts),
    ...refusalDiagnostics(refusals),
    ...former.map(({ object, resource }) => formerDiagnostic(object, resource)),
  ];
  return { drafts, count: 0, diagnostics };
}

/** The texts of all files, `null` for those that go. Documents that cannot be edited stay as they are. */
function writeFiles(
  input: MergeInput,
  files: ReadonlyMap<string, ManifestFile>,
  documents: readonly DeclaredDocument[],
  drafts: readonly Draft[],
) {
  const places = [
    ...secretsOf(drafts),
    ...documents.flatMap(({ resource, live, changes }) =>
      changes.secrets.map((at) => ({ address: (live ?? resource).address, at })),
    ),
  ];
  const taken = new Set(input.resources.flatMap(({ fields }) => secretNamesIn(fields)));
  const nameSecret = secretNames(places, taken);
  const isRemoved = (document: DeclaredDocument) => input.delete && isGone(document);
  const removed = documents.filter(isRemoved);
  const remaining = documents.filter((document) => !isRemoved(document));
  const texts = new Map<string, string | null>(mergeSideFiles(remaining, input));
  const edited = editFiles(files, remaining, removed, nameSecret);
  for (const [path, text] of edited.texts) texts.set(path, text);
  const textOf = (path: string) => (texts.has(path) ? (texts.get(path) ?? null) : input.read(path));
  const added = createFiles(drafts, { folder: input.folder, nameSecret, textOf });
  for (const { path, content } of added.files) texts.set(path, content);
  const listed = addToEnvExample(input.read(envExampleFile), nameAll(places, nameSecret));
  if (listed !== null) texts.set(envExampleFile, listed);
  for (const path of findOrphans(removed, remaining, input)) texts.set(path, null);
  return { texts, refused: edited.refused, newManifests: [...new Set(added.manifests.values())] };
}

/** The new text of each file, `null` where no document is left, and the documents that could not be edited. */
function editFiles(
  files: ReadonlyMap<string, ManifestFile>,
  remaining: readonly DeclaredDocument[],
  removed: readonly DeclaredDocument[],
  nameSecret: NameSecret,
) {
  const refused: Resource[] = [];
  const newTexts = new Map<unknown, string | null>(removed.map(({ segment }) => [segment, null]));
  for (const { segment, resource, live, changes } of remaining) {
    if (changes.edits.length === 0) continue;
    const { address } = live ?? resource;
    const nameTag = (tag: string, at: string) => (tag === '!secret' ? nameSecret({ address, at }) : at);
    const edits = changes.edits.map((edit) =>
      edit.op === 'remove' ? edit : { ...edit, value: mapTags(edit.value, nameTag) },
    );
    const text = applyEdits(segment.text, edits);
    if (text === null) refused.push(resource);
    else newTexts.set(segment, text);
  }
  const texts = [...files].map(([path, file]) => {
    return [path, joinDocuments(file, (segment) => newTexts.get(segment))] as const;
  });
  return { texts, refused };
}

function compareFiles(
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
