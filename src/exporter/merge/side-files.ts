import { sideFilePath } from '../../loader/paths.ts';
import type { Printable } from '../../loader/print.ts';
import { type Pointer, pointer, segmentsOf } from '../../model/pointer.ts';
import { fitsSideFile } from '../draft.ts';
import { isList, isMapping, sideFileOf } from '../printable.ts';
import type { DeclaredDocument } from './manifest-file.ts';
import type { DocumentChanges, SideText } from './merge-document.ts';

/** A document, and what has to change; `null` for one that is not merged. */
export interface MergedDocument extends DeclaredDocument {
  readonly changes: DocumentChanges | null;
}

/** What is known of the files that documents name. Paths begin at the project's root. */
export interface SideFileContext {
  /** The file that a path leads to: several documents may reach one by links. */
  fileOf(path: string): string;
  /** Whether something that is not a document uses a file, such as an overlay. Then it stays as it is. */
  isUsedElsewhere(path: string): boolean;
}

/**
 * The side files that get new texts, by path. A file is only changed if all documents that use it want the same text, and
 * nothing else uses it. Otherwise the texts are set in the documents, and their changes get a note.
 */
export function mergeSideFiles(
  documents: readonly MergedDocument[],
  context: SideFileContext,
): ReadonlyMap<string, string> {
  const uses = documents.flatMap((document) =>
    sideFilesIn(document, context).map(({ at, path }) => {
      const sideText = document.changes?.sideTexts.find((each) => each.at === at);
      return { path, changes: document.changes, sideText };
    }),
  );
  const files = new Map<string, string>();
  for (const path of new Set(uses.map((use) => use.path))) {
    const users = uses.filter((use) => use.path === path);
    const [text] = users.flatMap(({ sideText }) => sideText?.text ?? []);
    if (text === undefined) continue;
    const isWanted = users.every(({ sideText }) => sideText?.text === text) && !context.isUsedElsewhere(path);
    if (isWanted && fitsSideFile(text)) files.set(path, text);
    else {
      for (const { changes, sideText } of users) if (changes && sideText) setInline(changes, sideText);
    }
  }
  return files;
}

function setInline({ notes, edits }: DocumentChanges, { at, inline }: SideText): void {
  notes.push({ at, reason: 'sideFile' });
  edits.push({ op: 'set', path: segmentsOf(at), value: inline });
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
  /** As the document names it. */
  readonly named: string;
  readonly path: string;
}

/** Every side file that a document names, and where. */
function sideFilesIn({ written, resource }: DeclaredDocument, { fileOf }: SideFileContext): SideFileUse[] {
  const filesIn = (value: Printable, at: Pointer): SideFileUse[] => {
    if (isList(value)) return value.flatMap((item, index) => filesIn(item, at + pointer(index)));
    if (isMapping(value)) return value.members.flatMap(([name, item]) => filesIn(item, at + pointer(name)));
    const file = sideFileOf(value);
    if (file === null) return [];
    const named = sideFilePath(file, resource.source().file);
    return [{ at, named, path: fileOf(named) }];
  };
  return filesIn(written, pointer());
}
