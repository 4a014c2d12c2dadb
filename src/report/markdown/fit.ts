import { counted } from '../words.ts';

/** What GitHub takes as the body of a comment, in characters. */
const maxLength = 65_536;

/** One part of a comment, whole and in one line. */
export interface Section {
  readonly whole: string;
  readonly brief: string;
}

/**
 * Head, sections and foot within the limit: sections that do not fit whole are shown in brief, the rest is
 * counted in a note. The foot is always there.
 */
export function fitComment(head: string, sections: readonly Section[], foot: string): string {
  const reserve = 200;
  let room = maxLength - foot.length - reserve - head.length;
  let briefly = 0;
  let omitted = 0;
  const kept: string[] = [];
  for (const { whole, brief } of sections) {
    const text = whole.length <= room && omitted === 0 ? whole : brief;
    if (text.length > room) {
      omitted += 1;
      continue;
    }
    if (text === brief && text !== whole) briefly += 1;
    kept.push(text);
    room -= text.length;
  }
  const body = `${clip(head, maxLength - foot.length - reserve)}${kept.join('')}`;
  return `${body}${note(briefly, omitted)}${foot}`;
}

function note(briefly: number, omitted: number): string {
  const parts = [
    ...(briefly > 0 ? [`${counted(briefly, 'change')} shown without details`] : []),
    ...(omitted > 0 ? [`${counted(omitted, 'change')} not shown`] : []),
  ];
  return parts.length === 0
    ? ''
    : `\n_Cut to the length of a comment: ${parts.join(', ')}. The report file has everything._\n`;
}

/** A head that alone is too long ends at a line break, outside of anything that would have to be closed. */
function clip(head: string, length: number): string {
  return head.length <= length ? head : `${head.slice(0, head.lastIndexOf('\n\n', length))}\n\n`;
}
