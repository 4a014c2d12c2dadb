import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import { type Place, sourceOf } from './file.ts';

/** More errors of one file are not shown: nobody reads them, and finding their lines takes time. */
const mostOfOneFile = 50;

type More = Partial<Pick<Diagnostic, 'severity' | 'address' | 'hint'>> & { excerpt?: false };

/** Collects what is wrong with a project, so that everything can be told at once. */
export class Problems {
  readonly #found = new Map<string, Diagnostic>();
  readonly #perFile = new Map<string, number>();

  /** Adds a problem, an error unless `severity` says otherwise; the same one at the same place counts once. */
  add(code: string, message: string, place: Place | null, more: More = {}): void {
    if (!this.#accepts(place, code)) return;
    const { severity = 'error', hint, address, excerpt } = more;
    this.#put({
      code,
      severity,
      message,
      ...(place && { source: sourceOf(place) }),
      ...(place && excerpt !== false && { excerpt: place.file.excerpt(place.offset) }),
      ...(hint !== undefined && { hint }),
      ...(address !== undefined && { address }),
    });
  }

  /** Adds what made reading a file fail, told at the place that asked for the file. */
  addFailure(failure: unknown, place: Place | null): void {
    if (!(failure instanceof Failure)) throw failure;
    for (const { code, message, hint } of failure.diagnostics) {
      this.add(code, message, place, hint === undefined ? {} : { hint });
    }
  }

  /** Everything found, by file and position. */
  get diagnostics(): readonly Diagnostic[] {
    return [...this.#found.values()].sort(byPlace);
  }

  get count(): number {
    return this.#found.size;
  }

  /** Throws a Failure of everything found, where there is an error among it. */
  throwIfAny(): void {
    if (this.hasErrors) throw this.asFailure();
  }

  get hasErrors(): boolean {
    return hasErrors([...this.#found.values()]);
  }

  /** Everything found, as a Failure. */
  asFailure(): Failure {
    return new Failure(this.diagnostics);
  }

  #accepts(place: Place | null, code: string): boolean {
    if (!place || code === 'too-many-problems') return true;
    const { path } = place.file;
    const count = (this.#perFile.get(path) ?? 0) + 1;
    this.#perFile.set(path, count);
    if (count === mostOfOneFile + 1) {
      this.add(
        'too-many-problems',
        `${path} has more problems: only the first ${mostOfOneFile} are shown`,
        place,
      );
    }
    return count <= mostOfOneFile;
  }

  #put(diagnostic: Diagnostic): void {
    const { code, message, source } = diagnostic;
    const id = JSON.stringify([code, message, source]);
    if (!this.#found.has(id)) this.#found.set(id, diagnostic);
  }
}

function byPlace({ source: a }: Diagnostic, { source: b }: Diagnostic): number {
  if (!a || !b) return Number(Boolean(a)) - Number(Boolean(b));
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
