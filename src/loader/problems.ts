import { randomUUID } from 'node:crypto';
import { LineCounter } from 'yaml';
import { attempt, type Diagnostic, Failure, hasErrors, type Source } from '../model/failure.ts';
import { looksLikeCredential, namesCredential } from '../model/sensitive.ts';
import { didYouMean } from '../model/words.ts';
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

  /** Whether the line at `offset` may show a credential: messages then quote nothing of it. */
  conceals(offset: number): boolean {
    const { text } = this;
    const start = lineStart(text, offset);
    const above = lineStart(text, Math.max(0, start - 1));
    const below = lineEnd(text, nextLine(text, start));
    const isInKey = text.lastIndexOf('-----BEGIN ', start) > text.lastIndexOf('-----END ', start);
    return isInKey || mayShowCredential(text.slice(start, lineEnd(text, offset)), text.slice(above, below));
  }

  /**
   * The line at `offset` with its number, and a caret below it. A long line is cut around the caret, and one that may show a
   * credential is left out: excerpts get into logs.
   */
  excerpt(offset: number): string {
    const { line } = this.at(offset);
    if (this.conceals(offset)) return `${line} | (not shown: this line may hold a credential)`;
    const [start, end] = [lineStart(this.text, offset), lineEnd(this.text, offset)];
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
  /(?<![\w-])key["']?\s{0,9}:|[\w-]{1,64}["']?\s{0,9}:\s{0,9}(?:!(?:secret|env|var)\s{1,9}[A-Za-z_][\w.-]*|!(?:file|ref)\s{1,9}[^\s,}\]#]+|\*[\w-]+)(?=\s*(?:[,}\]#\n]|$))/g;

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

/** Further problems of a file are not shown: nobody reads them, and finding their lines takes time. */
const maxPerFile = 50;

/**
 * Replaces a value that could not be read, which has been reported: no further message quotes it. Since it is random, no file can
 * contain it.
 */
export const unresolved = `\0${randomUUID()}`;

/** A value of a file in a message: shown only if its line is. */
export const quoted = (text: string): string => `${quoteMark}${text.replaceAll(quoteMark, '')}${quoteMark}`;

const quoteMark = '\u0001';
const quotations = new RegExp(`${quoteMark}([^${quoteMark}]*)${quoteMark}`, 'g');

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | null | undefined;
}

interface Details extends Partial<Pick<Diagnostic, 'severity' | 'address'>>, Pick<Problem, 'hint'> {
  /** `false`: neither the line nor {@link quoted} values are shown. */
  readonly excerpt?: false;
}

export class Problems {
  readonly tolerated: readonly string[];
  readonly #found = new Map<string, Diagnostic>();
  readonly #perFile = new Map<string, number>();

  /** @param tolerated codes of problems that are warnings at most */
  constructor(tolerated: readonly string[] = []) {
    this.tolerated = tolerated;
  }

  /** Adds a problem: an error, unless `severity` says otherwise. The same problem at the same place counts once. */
  add(code: string, message: string, place: Place | null, details: Details = {}): void {
    if (message.includes(unresolved) || !this.#accepts(place, code)) return;
    const { hint, address, excerpt } = details;
    // None of the lines of a file of credentials is shown, and a file without text has none.
    const isShown = excerpt !== false && place?.file.text && !holdsCredentials(place.file.path);
    const isConcealed = excerpt === false || place?.file.conceals(place.offset) === true;
    const show = (text: string) => text.replaceAll(quotations, isConcealed ? '•••' : '$1');
    const severity = details.severity ?? (this.tolerated.includes(code) ? 'warning' : 'error');
    const source = place?.file.at(place.offset);
    const id = JSON.stringify([code, message, source]);
    if (this.#found.has(id)) return;
    this.#found.set(id, {
      code,
      severity,
      message: show(message),
      ...(source && { source }),
      ...(isShown && { excerpt: place.file.excerpt(place.offset) }),
      ...(typeof hint === 'string' && { hint: show(hint) }),
      ...(address !== undefined && { address }),
    });
  }

  report({ code, message, hint }: Problem, place: Place | null, details: Omit<Details, 'hint'> = {}): void {
    this.add(code, message, place, { ...details, hint });
  }

  /** {@link didYouMean}; `null` for a problem that would not be shown: comparing all names of a file could take hours. */
  suggest({ file }: Place, word: string, candidates: () => Iterable<string>): string | null {
    return (this.#perFile.get(file.path) ?? 0) < maxPerFile ? didYouMean(word, candidates()) : null;
  }

  /** Adds the problems of a Failure, reported at the given place. Throws anything that is not a Failure. */
  addFailure(failure: unknown, place: Place | null): void {
    if (!(failure instanceof Failure)) throw failure;
    for (const diagnostic of failure.diagnostics) this.report(diagnostic, place);
  }

  /** Returns what `work` returns; or `otherwise` if it throws a Failure, which is reported at the given place. */
  attempt<T, U>(place: Place | null, otherwise: U, work: () => T): T | U {
    return attempt(work, (failure) => {
      this.addFailure(failure, place);
      return otherwise;
    });
  }

  /** Adds the problems of others: codes that are tolerated here are warnings at most. */
  addAll(others: Problems): void {
    for (const [id, diagnostic] of others.#found) {
      const isTolerated = diagnostic.severity === 'error' && this.tolerated.includes(diagnostic.code);
      this.#found.set(id, isTolerated ? { ...diagnostic, severity: 'warning' } : diagnostic);
    }
    for (const [path, count] of others.#perFile)
      this.#perFile.set(path, count + (this.#perFile.get(path) ?? 0));
  }

  get diagnostics(): readonly Diagnostic[] {
    return [...this.#found.values()].sort(comparePlaces);
  }

  throwIfAny(): void {
    const { diagnostics } = this;
    if (hasErrors(diagnostics)) throw new Failure(diagnostics);
  }

  get count(): number {
    return this.#found.size;
  }

  #accepts(place: Place | null, code: string): boolean {
    if (!place || code === 'too-many-problems') return true;
    const { path } = place.file;
    const count = (this.#perFile.get(path) ?? 0) + 1;
    this.#perFile.set(path, count);
    if (count === maxPerFile + 1) {
      this.add(
        'too-many-problems',
        `${path} has more problems: only the first ${maxPerFile} are shown.`,
        place,
      );
    }
    return count <= maxPerFile;
  }
}

export function comparePlaces({ source: a }: Diagnostic, { source: b }: Diagnostic): number {
  if (!a || !b) return Number(Boolean(a)) - Number(Boolean(b));
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
