import { posix } from 'node:path';
import type { Printable } from '../../loader/print.ts';
import { type Pointer, pointer } from '../../model/pointer.ts';
import type { Resource } from '../../model/resource.ts';
import { fileOf } from './found.ts';

/** A `!file` of a document: where it stands, and the file as it names it. */
export interface SideFile {
  readonly at: Pointer;
  readonly file: string;
}

/** A place that takes its text from a file, and the text it should have. */
export interface SideUse {
  readonly resource: Resource;
  readonly at: Pointer;
  readonly path: string;
  /** `null`: as it is. */
  readonly text: string | null;
  /** What the manifest says where the file cannot have the text. */
  readonly inline: Printable;
}

export interface SideTexts {
  /** New contents by path. */
  readonly files: ReadonlyMap<string, string>;
  /** Uses whose text cannot go into the file: it is no UTF-8, or others need the file as it is. */
  readonly refused: readonly SideUse[];
}

/** Where the argument of `!file` in a manifest points, from the project's root on. */
export function sidePath(manifest: string, argument: string): string {
  return posix.normalize(
    posix.isAbsolute(argument) ? argument : posix.join(posix.dirname(manifest), argument),
  );
}

/** Every `!file` of a document, at whatever depth. */
export function sideFilesIn(written: Printable, at: Pointer = pointer()): SideFile[] {
  if (written === null || typeof written !== 'object') return [];
  if ('members' in written)
    return written.members.flatMap(([name, value]) => sideFilesIn(value, at + pointer(name)));
  if (!('tag' in written)) return written.flatMap((item, index) => sideFilesIn(item, at + pointer(index)));
  const file = fileOf(written);
  return file === null ? [] : [{ at, file }];
}

/** Decides which side files get a new text: only where all who use the file want the same. */
export function settleSideTexts(uses: readonly SideUse[]): SideTexts {
  const files = new Map<string, string>();
  const refused: SideUse[] = [];
  for (const path of new Set(uses.map((use) => use.path))) {
    const users = uses.filter((use) => use.path === path);
    const changed = users.filter(({ text }) => text !== null);
    const [first] = changed;
    if (!first || first.text === null) continue;
    const agreed = users.every(({ text }) => text === first.text);
    if (agreed && !/\p{Cs}/u.test(first.text)) files.set(path, first.text);
    else refused.push(...changed);
  }
  return { files, refused };
}
