import { LineCounter } from 'yaml';
import type { Source } from '../model/diagnostic.ts';

/** Columns of the source line shown left and right of the caret. */
const [before, after] = [60, 40];

/** The text of a file the user wrote, and what is needed to point into it. */
export class SourceFile {
  /** From the project's root on, with `/`. */
  readonly path: string;
  readonly text: string;
  #lines: LineCounter | null = null;

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
  }

  at(offset: number): Source {
    this.#lines ??= countLines(this.text);
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.path, line, column: col };
  }

  /** The line at `offset` with its number, and below it a caret; long lines are cut around the caret. */
  excerpt(offset: number): string {
    const { line } = this.at(offset);
    const start = this.text.lastIndexOf('\n', offset - 1) + 1;
    const end = this.text.indexOf('\n', offset);
    const from = Math.max(start, offset - before);
    const until = Math.min(end === -1 ? this.text.length : end, offset + after);
    const number = String(line);
    const cut = from > start ? '…' : '';
    const caret = ' '.repeat(cut.length + offset - from);
    return `${number} | ${cut}${printable(this.text.slice(from, until))}\n${' '.repeat(number.length)} | ${caret}^`;
  }
}

function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines.addNewLine(end + 1);
  return lines;
}

/** Control characters, which a terminal might obey, as blanks. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ').trimEnd();
}

/** A position in a file, from which line, column and excerpt are made when they are needed. */
export interface Place {
  readonly file: SourceFile;
  readonly offset: number;
}

export function sourceOf({ file, offset }: Place): Source {
  return file.at(offset);
}
