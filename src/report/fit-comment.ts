import { joinParts, pluralize } from './words.ts';

/** The longest comment that GitHub accepts, in characters. */
const maxLength = 65_536;

/** One part of a comment, in full and in one line. */
export interface Section {
  readonly whole: string;
  readonly brief: string;
}

/**
 * Head, sections and foot, within the length of a comment. Sections that do not fit whole are shown in brief, and a
 * note counts the rest. The foot is always there.
 */
export function fitComment(head: string, sections: readonly Section[], foot: string): string {
  const reserve = 200;
  let room = maxLength - foot.length - reserve - head.length;
  let briefly = 0;
  let omitted = 0;
  const shown: string[] = [];
  for (const { whole, brief } of sections) {
    const text = whole.length <= room && omitted === 0 ? whole : brief;
    if (text.length > room) {
      omitted += 1;
      continue;
    }
    if (text === brief && text !== whole) briefly += 1;
    shown.push(text);
    room -= text.length;
  }
  const body = `${clip(head, maxLength - foot.length - reserve)}${shown.join('')}`;
  return `${body}${note(briefly, omitted)}${foot}`;
}

function note(briefly: number, omitted: number): string {
  if (briefly + omitted === 0) return '';
  const parts = [
    briefly > 0 && `${pluralize(briefly, 'change')} shown without details`,
    omitted > 0 && `${pluralize(omitted, 'change')} not shown`,
  ];
  return `\n_Cut to the length of a comment: ${joinParts(parts, ', ')}. The report file has everything._\n`;
}

/** A head that is too long by itself ends at an empty line, so that no markup stays open. */
function clip(head: string, length: number): string {
  return head.length <= length ? head : `${head.slice(0, head.lastIndexOf('\n\n', length))}\n\n`;
}
