import type { Pointer } from './pointer.ts';

export type Severity = 'error' | 'warning' | 'info';

/** A place in a file the user wrote; line and column count from 1. */
export interface Source {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The texts of a field in which a declared object differs from the vendor's default; `null` where it is not set. */
export interface Versions {
  readonly name: string;
  readonly ours: string | null;
  readonly theirs: string | null;
  /** The vendor's text that the object was customised from. Left out where it is not known. */
  readonly old?: string | null;
}

/** A message for the user: what, where, why, and what to do next. */
export interface Diagnostic {
  /** A stable slug, such as `unknown-field`; each has its entry in docs/troubleshooting.md. */
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly source?: Source;
  /** The source line with a caret below the column, ready to print. */
  readonly excerpt?: string;
  /** The next step: "did you mean `subject`?". */
  readonly hint?: string;
  readonly address?: string;
  /** For a reader to compare: the declared texts and those of the vendor. */
  readonly versions?: readonly Versions[];
}

/** Adds a note if an overlay of the environment sets the value: the manifest has another one. */
export function noteOverlay(message: string, isOverlaid: boolean): string {
  return isOverlaid ? message.replace(/\.?$/, ' (set by this overlay)$&') : message;
}

/** Says in a plan that it cannot compare these places. */
export function notComparableWords(address: string, places: readonly Pointer[]): string {
  return `${address}: the tenant does not show ${places.join(', ')}, so it cannot be compared.`;
}

export function saysNotComparable(
  at: Pointer,
  { code, message }: Pick<Diagnostic, 'code' | 'message'>,
): boolean {
  return code === 'not-comparable' && message.includes(` ${at},`);
}

export function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(isError);
}
