import { CST, Parser } from 'yaml';
import type { LiveObject } from '../kinds/kind.ts';
import { LiveIndex } from '../kinds/live-objects.ts';
import type { Secrets } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { sideFilePath } from '../loader/paths.ts';
import { groupBy } from '../model/basics.ts';
import { markersIn } from '../model/marker.ts';
import { segmentsOf } from '../model/pointer.ts';
import { type Draft, type DraftInput, draftEach, fitsSideFile, notExported } from './draft.ts';
import { applyEdits, renameReferences } from './edit/apply-edits.ts';
import { byteOrderMarkOf } from './edit/document.ts';
import { addToEnvExample, createFiles, type ExportedFile, envExampleFile, nameSecrets } from './files.ts';
import { mergeDocument, noteDiagnostic } from './merge-document.ts';
import { leavesIn, mapTags, sideFileOf } from './print-live.ts';

export interface MergeInput extends DraftInput {
  readonly secrets: Pick<Secrets, 'matches'>;
  /** Everything that the manifests declare, with overlays applied and lookups filled in. */
  readonly resources: readonly Resource[];
  /** The reference to an object that the merge renames, by the one that manifests have; `null` for any other text. */
  renamed(reference: string): string | null;
  /** True for an object that was read and may be written; any other stays as it is. */
  inScope(object: Pick<Resource, 'kind' | 'key' | 'address'>): boolean;
  readonly all: boolean;
  /** The folder for new files, from the project's root. */
  readonly folder: string;
  /** Removes documents of objects that are gone. */
  readonly delete: boolean;
  /** The text of a file by its path from the project's root, or `null`. */
  read(path: string): string | null;
  /** The file that a path leads to: several documents may reach one by links. */
  fileOf(path: string): string;
  /** True if something other than a document uses a file, such as an overlay. Then it stays as it is. */
  isUsedElsewhere(path: string): boolean;
}

export type Merge = Readonly<ReturnType<typeof mergeExport>>;

/**
 * Brings existing manifests up to date with the tenant. Comments, order, quotes, styles and tags stay as long as their
 * value does. A manifest that cannot be changed this way stays as it is, with a diagnostic `cannot-edit`.
 */
export function mergeExport(input: MergeInput) {
  const index = new LiveIndex(input.objects);
  const paths = [...new Set(input.resources.map(({ source }) => source().file))];
  const files = new Map(
    paths.flatMap((path) => {
      const text = input.read(path);
      return text === null ? [] : [[path, splitDocuments(text)] as const];
    }),
  );
  const found = input.resources.map((resource) => ({ resource, live: index.find(resource) }));
  const documents = found.flatMap((each) => openDocument(each, files, input));
  const undeclared = draftUndeclared(found, index, input);
  const written = writeFiles(input, files, documents, undeclared.drafts);
  const opened = new Set(documents.map(({ resource }) => resource));
  const refused = [...input.resources.filter((resource) => !opened.has(resource)), ...written.refused];
  return {
    ...compareFiles(written.texts, input),
    /** The created or changed files that declare new objects. */
    newManifests: written.newManifests,
    /** How many objects no manifest declares, although one could; they are only counted. */
    undeclared: undeclared.count,
    /** Declared objects that the tenant does not have. */
    gone: documents.filter(({ isGone }) => isGone).map(({ resource }) => resource.address),
    diagnostics: [
      ...refused.map((resource) => noteDiagnostic(resource, { reason: 'refused' })),
      ...documents.flatMap(({ resource, changes }) =>
        changes.notes.map((note) => noteDiagnostic(resource, note)),
      ),
      ...undeclared.diagnostics,
    ],
  };
}

interface MatchedDocument {
  readonly resource: Resource;
  readonly live: LiveObject | null;
}

type DeclaredDocument = ReturnType<typeof openDocument>[number];

/** The document that declares a resource, and its changes; none if the file has changed since it was loaded. */
function openDocument(
  { resource, live }: MatchedDocument,
  files: ReadonlyMap<string, ManifestFile>,
  input: MergeInput,
) {
  const { file, line } = resource.source();
  const segment = files.get(file)?.findLast((each) => each.line <= line);
  const parsed = segment ? renameReferences(segment.text, resource.kind, input.renamed) : null;
  if (!segment || !parsed) return [];
  const isPresent = resource.ensure === 'present';
  const isMerged = isPresent && input.inScope(resource);
  // The tenant does not have its object any more.
  const isGone = isMerged && !live;
  const changes = mergeDocument(resource, isMerged ? live : null, parsed.tree, input);
  if (isGone) changes.notes.push({ reason: input.delete ? 'removed' : 'gone' });
  if (live && !isPresent) changes.notes.push({ reason: 'absent' });
  // Where it names them, by their paths from the project's root, and with links followed.
  const sideFiles = leavesIn(parsed.tree).flatMap(([at, leaf]) => {
    const path = sideFileOf(leaf);
    if (path === null) return [];
    const named = sideFilePath(path, file);
    return [{ at, named, path: input.fileOf(named) }];
  });
  // The text has the names that the merge gives to other objects.
  return [{ resource, live, segment, text: parsed.text, sideFiles, changes, isGone }];
}

/** Drafts for the objects that no manifest declares, or their number, and the remarks on those without a draft. */
function draftUndeclared(found: readonly MatchedDocument[], index: LiveIndex, input: MergeInput) {
  // Otherwise two manifests would declare an object that a manifest renames.
  const former = found.flatMap(({ resource, live }) => {
    const { renamedFrom } = resource.lifecycle;
    const object = renamedFrom && index.findByKey(resource.kind, renamedFrom);
    return object && object !== live && input.inScope(object) ? [{ object, resource }] : [];
  });
  const named = new Set([...found.map(({ live }) => live), ...former.map(({ object }) => object)]);
  const objects = input.objects.filter((object) => !named.has(object) && input.inScope(object));
  const { drafts, diagnostics } = draftEach({ ...input, objects });
  if (!input.all) return { drafts: [], count: drafts.length, diagnostics: [] };
  const twice = former.map(({ object, resource: { address, point } }) => {
    const why = `${address} exists as well, and its manifest has this name in \`renamedFrom\`.`;
    const remark = notExported(object.address, why, 'Remove `renamedFrom`, and export again.');
    return { ...remark, source: point('/lifecycle/renamedFrom').source };
  });
  return { drafts, count: 0, diagnostics: [...diagnostics, ...twice] };
}

function writeFiles(
  input: MergeInput,
  files: ReadonlyMap<string, ManifestFile>,
  documents: readonly DeclaredDocument[],
  drafts: readonly Draft[],
) {
  const places = documents.flatMap(({ resource, live, changes }) =>
    changes.secrets.map((at) => ({ address: (live ?? resource).address, at })),
  );
  const taken = new Set(input.resources.flatMap(({ fields }) => markersIn(fields, '$secret')));
  const { secrets, nameSecret } = nameSecrets(drafts, places, taken);
  const removed = documents.filter(({ isGone }) => input.delete && isGone);
  const remaining = documents.filter(({ isGone }) => !input.delete || !isGone);
  const texts = new Map<string, string | null>(mergeSideFiles(remaining, input));
  const edited = editFiles(files, remaining, removed, nameSecret);
  for (const [path, text] of edited.texts) texts.set(path, text);
  const textOf = (path: string) => (texts.has(path) ? (texts.get(path) ?? null) : input.read(path));
  const added = createFiles(drafts, { folder: input.folder, nameSecret, textOf });
  for (const { path, content } of added.files) texts.set(path, content);
  const listed = addToEnvExample(input.read(envExampleFile), secrets);
  if (listed !== null) texts.set(envExampleFile, listed);
  const used = new Set(remaining.flatMap(({ sideFiles }) => sideFiles.map(({ path }) => path)));
  // A link counts itself, not its target.
  for (const { named, path } of removed.flatMap(({ sideFiles }) => sideFiles))
    if (!used.has(path) && !input.isUsedElsewhere(path)) texts.set(named, null);
  return { texts, refused: edited.refused, newManifests: [...new Set(added.manifests.values())] };
}

function editFiles(
  files: ReadonlyMap<string, ManifestFile>,
  remaining: readonly DeclaredDocument[],
  removed: readonly DeclaredDocument[],
  nameSecret: ReturnType<typeof nameSecrets>['nameSecret'],
) {
  const refused: Resource[] = [];
  const newTexts = new Map<Segment, string | null>(removed.map(({ segment }) => [segment, null]));
  for (const { segment, text: before, resource, live, changes } of remaining) {
    if (changes.edits.length === 0 && before === segment.text) continue;
    const { address } = live ?? resource;
    const edits = changes.edits.map((edit) => {
      if (!('value' in edit)) return edit;
      const value = mapTags(edit.value, (tag, at) => (tag === '!secret' ? nameSecret({ address, at }) : at));
      return { ...edit, value };
    });
    const text = applyEdits(before, edits);
    if (text === null) refused.push(resource);
    else newTexts.set(segment, text);
  }
  const texts = [...files].map(([path, file]) => [path, joinDocuments(file, newTexts)] as const);
  return { texts, refused };
}

/** Among the deleted are files without any document left, and side files that only they used. */
function compareFiles(texts: ReadonlyMap<string, string | null>, { read }: MergeInput) {
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

type ManifestFile = readonly Segment[];

/** One document of a file with the comments and markers around it. All segments together are the file. */
interface Segment {
  readonly line: number;
  readonly text: string;
  readonly hasDocument: boolean;
  /** The `...` that ends it, or nothing. */
  readonly end: string;
}

function splitDocuments(text: string): Segment[] {
  const segments: { line: number; text: string; hasDocument: boolean; end: string }[] = [];
  let line = 1;
  for (const token of new Parser().parse(text)) {
    const source = CST.stringify(token);
    const last = segments.at(-1);
    const begins = !last || (last.hasDocument && token.type !== 'doc-end');
    const segment = begins ? { line, text: '', hasDocument: false, end: '' } : last;
    if (begins) segments.push(segment);
    segment.text += source;
    segment.hasDocument ||= token.type === 'document';
    if (token.type === 'doc-end') segment.end = source;
    line += source.split('\n').length - 1;
  }
  return segments;
}

/** The text of a file with documents replaced, removed (`null`) or kept; `null` if no document is left. */
function joinDocuments(segments: ManifestFile, replaced: ReadonlyMap<Segment, string | null>): string | null {
  const left = segments.filter((segment) => replaced.get(segment) !== null);
  if (left.length < segments.length && !left.some(({ hasDocument }) => hasDocument)) return null;
  const texts = segments.map((segment) => {
    const text = replaced.get(segment);
    // A document after `...` may begin without `---`.
    return text === null ? segment.end : (text ?? segment.text);
  });
  return texts.join('');
}

/**
 * The side files that get new texts, by path. A file is only changed if all documents that use it want the same text, and
 * nothing else uses it. Otherwise the texts are set in the documents, and their changes get a note.
 */
function mergeSideFiles(documents: readonly DeclaredDocument[], input: MergeInput) {
  const uses = documents.flatMap(({ sideFiles, changes }) =>
    sideFiles.map(({ at, path }) => {
      return { path, changes, sideText: changes.sideTexts.find((each) => each.at === at) };
    }),
  );
  const files = new Map<string, string>();
  for (const [path, users] of groupBy(uses, (use) => use.path)) {
    const [text] = users.flatMap(({ sideText }) => sideText?.text ?? []);
    if (text === undefined) continue;
    const isWanted = users.every(({ sideText }) => sideText?.text === text) && !input.isUsedElsewhere(path);
    if (isWanted && fitsSideFile(text)) files.set(path, byteOrderMarkOf(input.read(path) ?? '') + text);
    else {
      for (const { changes, sideText } of users) {
        if (!sideText) continue;
        const { at, inline } = sideText;
        changes.notes.push({ at, reason: 'tag' });
        changes.edits.push({ op: 'set', path: segmentsOf(at), value: inline });
      }
    }
  }
  return files;
}
