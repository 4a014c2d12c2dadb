import type { Diagnostic } from '../generated/schemas/plan.ts';
import { get } from './json.ts';

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

declare const TENANTCTL_VERSION: string | undefined;
declare const TENANTCTL_BUGS: string | null | undefined;

/** The version in package.json, filled in by the build. */
export const version = typeof TENANTCTL_VERSION === 'string' ? TENANTCTL_VERSION : '0.0.0-source';

/** Says that an error is a bug, and where to report it if package.json names a place. */
export function bugHint(withWhat: string): string {
  const address = typeof TENANTCTL_BUGS === 'string' ? ` at ${TENANTCTL_BUGS}` : '';
  return `This is a bug in tenantctl. Please report it${address}, with ${withWhat}.`;
}

/** The exit codes of the program (design, section 4). */
export const ExitCode = {
  done: 0,
  couldNotRun: 1,
  changes: 2,
  incomplete: 3,
  refused: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

type FailureCode = Exclude<ExitCode, typeof ExitCode.done | typeof ExitCode.changes>;

export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly diagnostics: readonly Diagnostic[];
  readonly exitCode: FailureCode;

  constructor(diagnostics: readonly Diagnostic[], exitCode: FailureCode = ExitCode.couldNotRun) {
    super(diagnostics.map(({ message }) => message).join('\n'));
    this.diagnostics = diagnostics;
    // Code that passes on an interruption may keep only its diagnostics.
    this.exitCode = isInterruption(this) ? ExitCode.interrupted : exitCode;
  }
}

/** For `catch`: handles a Failure. Anything else is a bug, and is thrown on. */
export function onFailure<T>(instead: (failure: Failure) => T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Failure) return instead(error);
    throw error;
  };
}

/** What `work` returns, or `instead` if it throws a Failure. */
export function attempt<T, U>(work: () => T, instead: (failure: Failure) => U): T | U {
  try {
    return work();
  } catch (error) {
    return onFailure(instead)(error);
  }
}

/** What `work` returns, or `null` if it throws a Failure. */
export function attemptOrNull<T>(work: () => T): T | null {
  return attempt(work, () => null);
}

export function hasCode(error: unknown, ...codes: readonly string[]): error is Failure {
  return error instanceof Failure && codes.includes(error.diagnostics[0]?.code ?? '');
}

export function fail(
  code: string,
  message: string,
  more: Partial<Omit<Diagnostic, 'code' | 'message'>> = {},
  exitCode: FailureCode = ExitCode.couldNotRun,
): Failure {
  return new Failure([{ code, severity: 'error', message, ...more }], exitCode);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function interruption(message = 'Interrupted.'): Failure {
  return fail('interrupted', message, {}, ExitCode.interrupted);
}

export function isInterruption({ diagnostics }: Failure): boolean {
  return diagnostics.some(({ code }) => code === 'interrupted');
}

/** The operating system's code of an error: `ENOENT`, `EACCES`; `null` for other errors. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

export async function ifExists<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

const fileHints: Readonly<Record<string, string>> = {
  EISDIR: 'It is a folder: name a file.',
  EACCES: 'Choose another path, or change who may use this one.',
  EPERM: 'Choose another path, or change who may use this one.',
  ENOSPC: 'The disk is full: remove what is not needed, or choose another path.',
  EEXIST: 'A file is in the way: choose another path.',
  ENOTDIR: 'A file is in the way: choose another path.',
};

function fileHint(code: string | null): { readonly hint?: string } {
  const hint = code === null ? undefined : get(fileHints, code);
  return hint === undefined ? {} : { hint };
}

/** The failure for whatever else the operating system refuses; `null` for an error that is not its own. */
export function systemFailure(error: unknown): Failure | null {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return null;
  const hint = 'Choose another port with --port. Without --port, a free one is chosen.';
  return fail('system', error.message, error.syscall === 'listen' ? { hint } : fileHint(systemCode(error)));
}

/** A Failure `file-not-found` for a missing file (`hint` says what next), else `file-unreadable`. A Failure is returned as it is. */
export function unreadableFile(file: string, error: unknown, hint?: string): Failure {
  if (error instanceof Failure) return error;
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return fail('file-not-found', `There is no file ${file}.`, hint === undefined ? {} : { hint });
  return fail('file-unreadable', `${file} cannot be read (${code ?? String(error)}).`, fileHint(code));
}

/** The failure for a file that cannot be written, or whose folder cannot be made. A Failure says itself why. */
export function unwritableFile(file: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = systemCode(error);
  const message = `The file ${file} cannot be written (${code ?? String(error)}).`;
  return fail('unwritable-file', message, fileHint(code));
}
