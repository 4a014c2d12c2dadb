import { LineCounter } from 'yaml';
import type { Source } from '../model/diagnostic.ts';
import { maskCredentials, type Neighbours } from './mask.ts';

/** How many characters of the source line are shown left and right of the caret. */
const [shownBefore, shownAfter] = [60, 40];

/** The text of a file, with the lines and columns of its offsets. */
export class SourceFile {
  /** From the project's root, with `/`. */
  readonly path: string;
  readonly text: string;
  #lines: LineCounter | null = null;

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
  }

  /** The line and column of an offset. Lines are counted when the first one is needed. */
  at(offset: number): Source {
    // Most documents begin here.
    if (offset === 0) return { file: this.path, line: 1, column: 1 };
    this.#lines ??= countLines(this.text);
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.path, line, column: col };
  }

  /** The line at `offset` with its number, and a caret below it. A long line is cut around the caret. */
  excerpt(offset: number): string {
    const { line } = this.at(offset);
    const start = this.text.lastIndexOf('\n', offset - 1) + 1;
    const end = this.text.indexOf('\n', offset);
    const from = Math.max(start, offset - shownBefore);
    const lineEnd = end === -1 ? this.text.length : end;
    const until = Math.min(lineEnd, offset + shownAfter);
    const number = String(line);
    const masked = maskCredentials(this.text.slice(start, lineEnd), this.#beside(start, lineEnd));
    const shown = replaceControls(masked.slice(from - start, until - start));
    const [left, right] = [from > start ? '…' : '', until < lineEnd ? '…' : ''];
    const caret = ' '.repeat(left.length + offset - from);
    return `${number} | ${left}${shown}${right}\n${' '.repeat(number.length)} | ${caret}^`;
  }

  /** The lines before and after a line. */
  #beside(start: number, end: number): Neighbours {
    const above = start < 2 ? 0 : this.text.lastIndexOf('\n', start - 2) + 1;
    const after = this.text.indexOf('\n', end + 1);
    return {
      above: this.text.slice(above, Math.max(above, start - 1)),
      below: this.text.slice(end + 1, after === -1 ? this.text.length : after),
    };
  }
}

function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines.addNewLine(end + 1);
  return lines;
}

/** The text with control characters, which a terminal might interpret, replaced by blanks. */
function replaceControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ').trimEnd();
}

/** A position in a file. Its line, column and excerpt are worked out when they are needed. */
export interface Place {
  readonly file: SourceFile;
  readonly offset: number;
}

/** The line and column of a place. */
export function sourceOf({ file, offset }: Place): Source {
  return file.at(offset);
}
