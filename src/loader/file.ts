import { LineCounter } from 'yaml';
import type { Source } from '../model/diagnostic.ts';
import { looksLikeCredential, namesCredential } from '../model/sensitive.ts';

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
    const [start, end] = [lineStart(this.text, offset), lineEnd(this.text, offset)];
    const from = Math.max(start, offset - shownBefore);
    const until = Math.min(end, offset + shownAfter);
    const number = String(line);
    const masked = maskCredentials(this.text.slice(start, end), this.#beside(start));
    const shown = replaceControls(masked.slice(from - start, until - start));
    const [left, right] = [from > start ? '…' : '', until < end ? '…' : ''];
    const caret = ' '.repeat(left.length + offset - from);
    return `${number} | ${left}${shown}${right}\n${' '.repeat(number.length)} | ${caret}^`;
  }

  /** The lines before and after the one that begins at `start`. */
  #beside(start: number): Neighbours {
    const next = nextLine(this.text, start);
    return {
      above: start === 0 ? '' : lineAt(this.text, start - 1),
      below: this.text.slice(next, lineEnd(this.text, next)),
    };
  }
}

/** Where the line of the offset begins. */
export function lineStart(text: string, offset: number): number {
  // A search from before the beginning would look at the first character.
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line ends, before its line ending. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' && end > offset ? end - 1 : end;
}

/** Where the next line begins. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** The line of the offset, without its line ending. */
export function lineAt(text: string, offset: number): string {
  return text.slice(lineStart(text, offset), lineEnd(text, offset));
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

/** The lines beside a line. */
interface Neighbours {
  readonly above: string;
  readonly below: string;
}

const setting = /([\w-]{1,64})["']?\s{0,9}:\s{0,9}/g;
/**
 * A value on one line. Tags and aliases are not secret, and lists and mappings have settings of their own. What begins a
 * block holds no text, but a mistake may put text behind it.
 */
const plainValue =
  /"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?|(?:[^\s!&*{[|>"']|[|>](?![-+\d]{0,2}\s*(?:#.*)?$))(?:[^,]|,(?=\S))*/y;

/**
 * The line with the values of credentials replaced by dots, so that they do not get into a log. A text that looks like a
 * credential is replaced as a whole, and so is a value whose name is a credential's on the same line or one beside it.
 */
function maskCredentials(line: string, { above, below }: Neighbours): string {
  if (isBelowCredential(line, above)) return line.replace(/\S.*/, dots);
  const isPair = namedCredential.test(`${above}\n${line}\n${below}`);
  let shown = '';
  let judged = 0;
  for (const { 0: colon, 1: name = '', index } of line.matchAll(setting)) {
    if (index < shown.length) continue;
    const at = index + colon.length;
    const isNamed = isCredentialName(name) || (isPair && /^value$/i.test(name));
    // Judged as a part of the value around it. Each one by itself would take hours in a long line.
    if (!isNamed && at < judged) continue;
    const value = valueAt(line, at);
    if (!isNamed && !looksLikeCredential(value ?? '')) {
      judged = at + (value ?? '').length;
      continue;
    }
    const hidden = value ?? (isCredentialName(name) ? collectionAt(line, at) : '');
    shown += line.slice(shown.length, at) + dots(hidden);
  }
  const masked = shown + line.slice(shown.length);
  return masked.replaceAll(/\S+/g, (word) => (looksLikeCredential(word) ? dots(word) : word));
}

/** The plain value that begins here; `null` where none does. */
function valueAt(line: string, at: number): string | null {
  plainValue.lastIndex = at;
  return plainValue.exec(line)?.[0] ?? null;
}

/** `key` alone is an ordinary field. */
const isCredentialName = (name: string): boolean => name !== 'key' && namesCredential(name);
const dots = (text: string): string => '•'.repeat(text.length);

/** A name whose value begins on the next line. */
const opening = /([\w-]{1,64})["']?\s{0,9}:\s{0,9}(?:[|>][-+\d]{0,2}\s{0,9})?$/;
/** A line that is not plain text: a setting, a comment, or something that is not secret. */
const otherLine = /^\s*(?:(?:- +)*["']?[\w.-]+["']?\s*:(?:\s|$)|[!&*#{[])/;

/** Whether a line is the value of a credential that the line above names, or was meant to be. */
function isBelowCredential(line: string, above: string): boolean {
  const [, name = ''] = opening.exec(above) ?? [];
  return isCredentialName(name) && !otherLine.test(line);
}

/** The list or mapping that begins here, as far as the line shows it. */
function collectionAt(line: string, at: number): string {
  let depth = 0;
  for (let end = at; end < line.length; end += 1) {
    if ('{['.includes(line.charAt(end))) depth += 1;
    if ('}]'.includes(line.charAt(end))) depth -= 1;
    if (depth === 0) return end === at ? '' : line.slice(at, end + 1);
  }
  return line.slice(at);
}

/** A pair's name, such as `name: password`. */
const namedCredential =
  /(?<![\w-])["']?(?:name|key|field|header)["']?\s{0,9}:\s{0,9}["']?[\w-]{0,40}(?:passw|pwd|secret|token|credential|authorization|api[-_]?key)/i;
