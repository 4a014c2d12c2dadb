import { CST, Parser } from 'yaml';
import type { LiveObject } from '../../kinds/kind.ts';
import type { Resource } from '../../kinds/resource.ts';
import { sideFilePath } from '../../loader/paths.ts';
import type { Printable } from '../../loader/print.ts';
import { groupBy } from '../../model/basics.ts';
import { type Pointer, segmentsOf } from '../../model/pointer.ts';
import { fitsSideFile } from '../draft.ts';
import type { Edit } from '../edit/apply-edits.ts';
import { parseOne } from '../edit/document.ts';
import { sideFileOf, tagsIn } from '../printable.ts';
import type { Note } from '../remarks.ts';

const byteOrderMarkOf = (text: string): string => (text.startsWith('\uFEFF') ? '\uFEFF' : '');

export interface ManifestFile {
  readonly prefix: string;
  readonly segments: readonly Segment[];
  readonly lines: readonly number[];
}

/** One document of a file with the comments and markers around it. All segments together are the file. */
interface Segment {
  /** Where it begins in the file, not counting a byte order mark. */
  readonly offset: number;
  readonly text: string;
  readonly hasDocument: boolean;
  readonly end: string;
}

export interface DeclaredDocument {
  readonly resource: Resource;
  readonly live: LiveObject | null;
  readonly segment: Segment;
  /** The value of the document, with tags as written. */
  readonly written: Printable;
  readonly changes: DocumentChanges;
}

export function openManifest(text: string): ManifestFile {
  const prefix = byteOrderMarkOf(text);
  const rest = text.slice(prefix.length);
  const lines = [0, ...[...rest.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return { prefix, segments: splitDocuments(rest), lines };
}

function splitDocuments(text: string): Segment[] {
  const segments: { offset: number; text: string; hasDocument: boolean; end: string }[] = [];
  let offset = 0;
  for (const token of new Parser().parse(text)) {
    const source = CST.stringify(token);
    const last = segments.at(-1);
    const begins = !last || (last.hasDocument && token.type !== 'doc-end');
    const segment = begins ? { offset, text: '', hasDocument: false, end: '' } : last;
    if (begins) segments.push(segment);
    segment.text += source;
    segment.hasDocument ||= token.type === 'document';
    if (token.type === 'doc-end') segment.end = source;
    offset += source.length;
  }
  return segments;
}

/** The document that declares a resource; `null` if the file has changed since it was loaded. */
export function findDocument(
  { segments, lines }: ManifestFile,
  resource: Resource,
): Pick<DeclaredDocument, 'segment' | 'written'> | null {
  const { line, column } = resource.source();
  const offset = (lines[line - 1] ?? 0) + column - 1;
  const segment = segments.findLast((each) => each.offset <= offset);
  const parsed = segment ? parseOne(segment.text) : null;
  return segment && parsed ? { segment, written: parsed.tree } : null;
}

/**
 * The text of a file with some of its documents replaced or removed; `null` where no document is left.
 *
 * @param replaced the new text of a document; `null` where it is removed, `undefined` where it stays
 */
export function joinDocuments(
  { prefix, segments }: ManifestFile,
  replaced: (segment: Segment) => string | null | undefined,
): string | null {
  const left = segments.filter((segment) => replaced(segment) !== null);
  if (left.length < segments.length && !left.some(({ hasDocument }) => hasDocument)) return null;
  let isOpen = false;
  const texts = segments.map((segment) => {
    const text = replaced(segment);
    // What follows a `...` may begin without `---`, so the document before it has to end there.
    const written = text === null ? (isOpen ? segment.end : '') : (text ?? segment.text);
    isOpen = segment.end === '' && (isOpen || (text !== null && segment.hasDocument));
    return written;
  });
  return prefix + texts.join('');
}

interface SideText {
  readonly at: Pointer;
  /** In the line endings of the file, where those do not count. */
  readonly text: string;
  /** What the manifest gets where the side file cannot have the text. */
  readonly inline: Printable;
}

/** A `!secret` in the value of an edit holds its pointer until it is named. */
export interface DocumentChanges {
  readonly edits: Edit[];
  readonly notes: Note[];
  readonly sideTexts: SideText[];
  readonly secrets: Pointer[];
}

export const noChanges = (): DocumentChanges => ({ edits: [], notes: [], sideTexts: [], secrets: [] });

/** Paths begin at the project's root. */
export interface SideFileContext {
  /** The file that a path leads to: several documents may reach one by links. */
  fileOf(path: string): string;
  /** True where something that is not a document uses a file, such as an overlay. Then it stays as it is. */
  isUsedElsewhere(path: string): boolean;
}

/**
 * The side files that get new texts, by path. A file is only changed if all documents that use it want the same text, and
 * nothing else uses it. Otherwise the texts are set in the documents, and their changes get a note.
 */
export function mergeSideFiles(
  documents: readonly DeclaredDocument[],
  context: SideFileContext & { read(path: string): string | null },
): ReadonlyMap<string, string> {
  const uses = documents.flatMap((document) =>
    sideFilesIn(document, context).map(({ at, path }) => {
      const sideText = document.changes.sideTexts.find((each) => each.at === at);
      return { path, changes: document.changes, sideText };
    }),
  );
  const files = new Map<string, string>();
  for (const [path, users] of groupBy(uses, (use) => use.path)) {
    const [text] = users.flatMap(({ sideText }) => sideText?.text ?? []);
    if (text === undefined) continue;
    const isWanted = users.every(({ sideText }) => sideText?.text === text) && !context.isUsedElsewhere(path);
    if (isWanted && fitsSideFile(text)) files.set(path, byteOrderMarkOf(context.read(path) ?? '') + text);
    else {
      for (const { changes, sideText } of users) {
        if (!sideText) continue;
        const { at, inline } = sideText;
        changes.notes.push({ at, reason: 'sideFile' });
        changes.edits.push({ op: 'set', path: segmentsOf(at), value: inline });
      }
    }
  }
  return files;
}

/** Side files of removed documents that nothing else uses. Of a link only itself is one, and not what it leads to. */
export function findOrphans(
  removed: readonly DeclaredDocument[],
  remaining: readonly DeclaredDocument[],
  context: SideFileContext,
): string[] {
  const filesOf = (document: DeclaredDocument) => sideFilesIn(document, context);
  const used = new Set(remaining.flatMap(filesOf).map(({ path }) => path));
  const orphans = removed
    .flatMap(filesOf)
    .filter(({ path }) => !used.has(path) && !context.isUsedElsewhere(path));
  return [...new Set(orphans.map(({ named }) => named))];
}

interface SideFileUse {
  readonly at: Pointer;
  readonly named: string;
  readonly path: string;
}

function sideFilesIn({ written, resource }: DeclaredDocument, { fileOf }: SideFileContext): SideFileUse[] {
  return tagsIn(written).flatMap(([at, tag]) => {
    const file = sideFileOf(tag);
    if (file === null) return [];
    const named = sideFilePath(file, resource.source().file);
    return [{ at, named, path: fileOf(named) }];
  });
}
