import { randomUUID } from 'node:crypto';
import { type Diagnostic, Failure, hasErrors } from '../model/failure.ts';
import { didYouMean } from '../model/words.ts';
import type { Place } from './file.ts';

/** Further problems of a file are not shown: nobody reads them, and finding their lines takes time. */
const maxPerFile = 50;

/**
 * Replaces a value that could not be read, which has been reported: no further message quotes it. Since it is random, no file can
 * contain it.
 */
export const unresolved = `\0${randomUUID()}`;

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | null | undefined;
}

interface Details extends Partial<Pick<Diagnostic, 'severity' | 'address'>>, Pick<Problem, 'hint'> {
  /** `false`: the line is not shown. */
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
    const severity = details.severity ?? (this.tolerated.includes(code) ? 'warning' : 'error');
    const source = place?.file.at(place.offset);
    const id = JSON.stringify([code, message, source]);
    if (this.#found.has(id)) return;
    this.#found.set(id, {
      code,
      severity,
      message,
      ...(source && { source }),
      ...(place && excerpt !== false && place.file.isShown && { excerpt: place.file.excerpt(place.offset) }),
      ...(typeof hint === 'string' && { hint }),
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
    try {
      return work();
    } catch (error) {
      this.addFailure(error, place);
      return otherwise;
    }
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
