import { CST, Parser } from 'yaml';
import type { Resource } from '../../kinds/resource.ts';
import type { Printable } from '../../loader/print.ts';
import { parseOne } from '../edit/document.ts';

/** The byte order mark that a file begins with, or nothing. */
export const byteOrderMarkOf = (text: string): string => (text.startsWith('\uFEFF') ? '\uFEFF' : '');

/** A manifest file, cut into its documents. */
export interface ManifestFile {
  /** A byte order mark, or nothing. */
  readonly prefix: string;
  readonly segments: readonly Segment[];
  /** The offset at which each line begins. */
  readonly lines: readonly number[];
}

/** One document of a file with the comments and markers around it. All segments together are the file. */
interface Segment {
  /** Where it begins in the file, not counting a byte order mark. */
  readonly offset: number;
  readonly text: string;
  readonly hasDocument: boolean;
  /** The `...` that ends the document, or nothing. */
  readonly end: string;
}

/** A document that declares an object. */
export interface DeclaredDocument {
  readonly resource: Resource;
  readonly segment: Segment;
  /** The value of the document, with tags as written. */
  readonly written: Printable;
}

/** Cuts the text of a file into its documents. */
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
export function findDocument({ segments, lines }: ManifestFile, resource: Resource): DeclaredDocument | null {
  const { line, column } = resource.source();
  const offset = (lines[line - 1] ?? 0) + column - 1;
  const segment = segments.findLast((each) => each.offset <= offset);
  const parsed = segment ? parseOne(segment.text) : null;
  return segment && parsed ? { resource, segment, written: parsed.tree } : null;
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
