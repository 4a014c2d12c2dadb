import { CST, Parser } from 'yaml';

/** One document of a file with the comments and markers around it. All segments together are the file. */
export interface Segment {
  /** Where it begins in the file. */
  readonly offset: number;
  readonly text: string;
  readonly hasDocument: boolean;
}

/** Cuts the text of a file between its documents. */
export function segmentsOf(text: string): Segment[] {
  const segments: { offset: number; text: string; hasDocument: boolean }[] = [];
  let offset = 0;
  for (const token of new Parser().parse(text)) {
    const source = CST.stringify(token);
    const last = segments.at(-1);
    const begins = !last || (last.hasDocument && token.type !== 'doc-end');
    const segment = begins ? { offset, text: '', hasDocument: false } : last;
    if (begins) segments.push(segment);
    segment.text += source;
    segment.hasDocument ||= token.type === 'document';
    offset += source.length;
  }
  return segments;
}
