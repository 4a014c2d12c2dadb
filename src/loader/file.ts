import { LineCounter } from 'yaml';
import type { Source } from '../model/failure.ts';
import { looksLikeCredential, namesCredential } from '../model/sensitive.ts';
import { holdsCredentials } from './paths.ts';

const [shownBefore, shownAfter] = [60, 40];

export class SourceFile {
  /** From the project's root, with `/`. */
  readonly path: string;
  readonly text: string;
  #lines: LineCounter | null = null;

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
  }

  /** False for a file without text, and for one of credentials: none of its lines is shown. */
  get isShown(): boolean {
    return this.text !== '' && !holdsCredentials(this.path);
  }

  /** The line and column of an offset. Lines are counted when the first one is needed. */
  at(offset: number): Source {
    if (offset === 0) return { file: this.path, line: 1, column: 1 };
    if (!this.#lines) {
      this.#lines = new LineCounter();
      this.#lines.addNewLine(0);
      for (const { index } of this.text.matchAll(/\n/g)) this.#lines.addNewLine(index + 1);
    }
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.path, line, column: col };
  }

  /**
   * The line at `offset` with its number, and a caret below it. A long line is cut around the caret, and one that may show a
   * credential is left out: excerpts get into logs.
   */
  excerpt(offset: number): string {
    const { line } = this.at(offset);
    const [start, end] = [lineStart(this.text, offset), lineEnd(this.text, offset)];
    const above = lineStart(this.text, Math.max(0, start - 1));
    const below = lineEnd(this.text, nextLine(this.text, start));
    if (mayShowCredential(this.text.slice(start, end), this.text.slice(above, below)))
      return `${line} | (not shown: this line may hold a credential)`;
    const from = Math.max(start, offset - shownBefore);
    const until = Math.min(end, offset + shownAfter);
    const number = String(line);
    const cut = this.text.slice(from, until);
    const shown = cut.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ').trimEnd();
    const [left, right] = [from > start ? '…' : '', until < end ? '…' : ''];
    const caret = ' '.repeat(left.length + offset - from);
    return `${number} | ${left}${shown}${right}\n${' '.repeat(number.length)} | ${caret}^`;
  }
}

export function lineStart(text: string, offset: number): number {
  // A search from before the beginning would look at the first character.
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' && end > offset ? end - 1 : end;
}

export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

export interface Place {
  readonly file: SourceFile;
  readonly offset: number;
}

/** No credential: `password: !secret NAME`, `token: *shared`, and the name `key` of an ordinary field. */
const harmless =
  /(?<![\w-])key["']?\s{0,9}:|[\w-]{1,64}["']?\s{0,9}:\s{0,9}(?:!(?:secret|env|var|file|ref)\s{1,9}[^\s,}\]#]+|\*[\w-]+)(?=\s*(?:[,}\]#\n]|$))/g;

const namedCredential =
  /(?<![\w-])["']?(?:name|key|field|header)["']?\s{0,9}:\s{0,9}["']?[\w-]{0,40}(?:passw|pwd|secret|token|credential|authorization|api[-_]?key)/i;

/** Longer lines are not searched for credentials, which would take seconds, and so not shown. */
const longestLine = 20_000;

/** True if a line may show a credential: it looks like one, or one is named on the line or beside it. */
function mayShowCredential(line: string, lines: string): boolean {
  if (line.length > longestLine) return true;
  const searched = lines.split(/\r?\n/).filter((each) => each.length <= longestLine);
  const around = searched.join('\n');
  const rest = around.replaceAll(harmless, ' ');
  const names = [...rest.matchAll(/([\w-]{1,64})["']?\s{0,9}:/g)].map(([, name = '']) => name);
  const isPair = names.some((name) => /^value$/i.test(name)) && namedCredential.test(around);
  return isPair || names.some(namesCredential) || looksLikeCredential(line.replaceAll(harmless, ' '));
}
