import { lineStart, nextLine } from '../../loader/file.ts';

/** The line ending of a text. */
export function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** The text with another one below it, in its own line endings. */
export function append(text: string, below: string): string {
  const eol = eolOf(text);
  return text + (text.endsWith('\n') ? '' : eol) + below.replaceAll('\n', eol);
}

/** Replaces the text from one offset to another. */
export function splice(text: string, from: number, to: number, replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}

/** The number of characters between the start of the line and the offset. */
export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

/** Whether only blanks precede the offset on its line. */
export function isFirstOnLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === '';
}

/** The lines of a block, all but the first indented, with the file's line endings. */
export function indentBelow(block: string, column: number, eol: string): string {
  const margin = ' '.repeat(column);
  return block
    .trimEnd()
    .split('\n')
    .map((line, index) => (index === 0 || line === '' ? line : margin + line))
    .join(eol);
}

/** The text without the lines of what begins and ends at the offsets. */
export function withoutLines(text: string, from: number, to: number): string {
  return splice(text, lineStart(text, from), nextLine(text, to), '');
}
