import { posix } from 'node:path';
import type { Printable } from '../../loader/print.ts';
import { sideFilePath } from '../../loader/source.ts';
import { type Pointer, pointer, segmentsOf } from '../../model/pointer.ts';
import { isList, isMapping, sideFileOf } from '../printable.ts';
import type { DocumentChanges } from './document-merge.ts';
import type { DeclaredDocument } from './manifest-file.ts';

/** A place that takes its text from a side file. */
interface SideFileUse {
  readonly at: Pointer;
  readonly path: string;
  /** The changes of the document; `null` where it is not merged. */
  readonly changes: DocumentChanges | null;
}

/**
 * The side files that get new texts, by path. A file is only changed if all documents that use it want the same text.
 * Otherwise the texts are set in the documents, and their changes get a note.
 *
 * @param documents every document with its changes; `null` for one that is not merged
 */
export function mergeSideFiles(
  documents: readonly (readonly [DeclaredDocument, DocumentChanges | null])[],
): ReadonlyMap<string, string> {
  const uses = documents.flatMap(([document, changes]) =>
    sideFilesIn(document).map(({ at, path }): SideFileUse => ({ at, path, changes })),
  );
  const files = new Map<string, string>();
  for (const path of new Set(uses.map((use) => use.path))) {
    const users = uses.filter((use) => use.path === path);
    const texts = users.map((use) => newTextOf(use)?.text ?? null);
    const text = texts.find((each) => each !== null) ?? null;
    if (text === null) continue;
    // Half of a surrogate pair cannot be stored in a UTF-8 file.
    const fits = texts.every((each) => each === text) && !/\p{Cs}/u.test(text);
    if (fits) files.set(path, text);
    else for (const use of users) setInline(use);
  }
  return files;
}

function newTextOf({ at, changes }: SideFileUse): DocumentChanges['sideTexts'][number] | null {
  return changes?.sideTexts.find((each) => each.at === at) ?? null;
}

function setInline(use: SideFileUse): void {
  const { at, changes } = use;
  const text = newTextOf(use);
  if (!changes || !text) return;
  changes.notes.push({ at, reason: 'sideFile' });
  changes.edits.push({ op: 'set', path: segmentsOf(at), value: text.inline });
}

/** Side files of removed documents that no other document uses. */
export function findOrphans(
  removed: readonly DeclaredDocument[],
  remaining: readonly DeclaredDocument[],
): string[] {
  const pathsOf = (document: DeclaredDocument) => sideFilesIn(document).map(({ path }) => path);
  const used = new Set(remaining.flatMap(pathsOf));
  return [...new Set(removed.flatMap(pathsOf))].filter((path) => !used.has(path));
}

/** Every side file that a document names, and where. */
function sideFilesIn({ written, resource }: DeclaredDocument): { at: Pointer; path: string }[] {
  return fileTagsIn(written, pointer()).map(({ at, file }) => ({
    at,
    path: posix.normalize(sideFilePath(file, resource.source.file)),
  }));
}

function fileTagsIn(written: Printable, at: Pointer): { at: Pointer; file: string }[] {
  if (isList(written)) return written.flatMap((item, index) => fileTagsIn(item, at + pointer(index)));
  if (isMapping(written)) {
    return written.members.flatMap(([name, value]) => fileTagsIn(value, at + pointer(name)));
  }
  const file = sideFileOf(written);
  return file === null ? [] : [{ at, file }];
}
