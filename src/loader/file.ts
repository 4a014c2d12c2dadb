import { LineCounter } from 'yaml';
import type { Source } from '../model/diagnostic.ts';
import { looksSecret } from '../model/sensitive.ts';

/** Columns of the source line shown left and right of the caret. */
const [before, after] = [60, 40];

/** The text of a file the user wrote, and what is needed to point into it. */
export class SourceFile {
  /** From the project's root on, with `/`. */
  readonly path: string;
  #text: string | (() => string);
  #lines: LineCounter | null = null;

  /** @param text the text, or how to come by it when somebody asks */
  constructor(path: string, text: string | (() => string)) {
    this.path = path;
    this.#text = text;
  }

  get text(): string {
    if (typeof this.#text !== 'string') this.#text = this.#text();
    return this.#text;
  }

  at(offset: number): Source {
    // Where most documents begin.
    if (offset === 0) return { file: this.path, line: 1, column: 1 };
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
    const lineEnd = end === -1 ? this.text.length : end;
    const until = Math.min(lineEnd, offset + after);
    const number = String(line);
    const shown = printable(
      withoutCredentials(this.text.slice(start, lineEnd)).slice(from - start, until - start),
    );
    const [left, right] = [from > start ? '…' : '', until < lineEnd ? '…' : ''];
    const caret = ' '.repeat(left.length + offset - from);
    return `${number} | ${left}${shown}${right}\n${' '.repeat(number.length)} | ${caret}^`;
  }
}

function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines.addNewLine(end + 1);
  return lines;
}

const setting = /([\w-]{1,64})["']?\s{0,9}:\s{0,9}/g;
/** A value on one line. A tag or an alias stands for one; a list or a mapping has settings of its own. */
const plainValue = /"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s!&*{[|>"'](?:[^,]|,(?=\S))*/y;

/** What goes by a credential's name, dotted out: a log is no place for it, though it stands in a file. */
function withoutCredentials(line: string): string {
  let shown = '';
  for (const { 0: colon, 1: name = '', index } of line.matchAll(setting)) {
    // By itself `key` is a field like any other.
    if (index < shown.length || name === 'key' || !looksSecret(name)) continue;
    const at = index + colon.length;
    plainValue.lastIndex = at;
    const value = plainValue.exec(line)?.[0] ?? '';
    shown += line.slice(shown.length, at) + '•'.repeat(value.length);
  }
  return shown + line.slice(shown.length);
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
