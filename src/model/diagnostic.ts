import type { Diagnostic } from '../generated/schemas/plan.ts';

export type { Diagnostic } from '../generated/schemas/plan.ts';

export type Severity = Diagnostic['severity'];

/** A place in a file the user wrote; line and column count from 1. */
export type Source = NonNullable<Diagnostic['source']>;

/** The texts of a field in which a declared object differs from the vendor's default; `null` if it is not set. */
export type Versions = NonNullable<Diagnostic['versions']>[number];

/** Adds a note if an overlay of the environment sets the value: the manifest has another one. */
export function noteOverlay(message: string, isOverlaid: boolean): string {
  return isOverlaid ? message.replace(/\.$/, ' (set by this overlay).') : message;
}

export function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(isError);
}
