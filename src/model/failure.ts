import type { Diagnostic } from './diagnostic.ts';

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

/** Why a command stops: one or more diagnostics, and the exit code. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly diagnostics: readonly Diagnostic[];
  readonly exitCode: ExitCode;

  constructor(diagnostics: readonly Diagnostic[], exitCode: ExitCode = ExitCode.couldNotRun) {
    super(diagnostics.map(({ message }) => message).join('\n'));
    this.diagnostics = diagnostics;
    // Whoever passes on an interruption may have taken its diagnostics only.
    this.exitCode = isInterruption(this) ? ExitCode.interrupted : exitCode;
  }
}

/** For `catch`: what `instead` makes of a Failure. Anything else is a bug, and is thrown on. */
export function ifFailure<T>(instead: (failure: Failure) => T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Failure) return instead(error);
    throw error;
  };
}

/** Whether an error is a Failure whose first problem has one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): error is Failure {
  return error instanceof Failure && codes.includes(error.diagnostics[0]?.code ?? '');
}

/** A failure with one error diagnostic. */
export function failure(
  code: string,
  message: string,
  more: Partial<Omit<Diagnostic, 'code' | 'message'>> = {},
  exitCode: ExitCode = ExitCode.couldNotRun,
): Failure {
  return new Failure([{ code, severity: 'error', message, ...more }], exitCode);
}

/** What an error says; of anything else that was thrown, its text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The failure of a run that Ctrl-C has stopped. */
export function interruption(message = 'Interrupted.'): Failure {
  return failure('interrupted', message, {}, ExitCode.interrupted);
}

/** Whether a run was stopped by Ctrl-C. */
export function isInterruption({ diagnostics }: Failure): boolean {
  return diagnostics.some(({ code }) => code === 'interrupted');
}
