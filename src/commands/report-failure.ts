import { ExitCode, Failure } from '../model/failure.ts';
import { renderReport } from '../report/index.ts';
import { hasColour, type Io, widthOf } from './io.ts';

/** Tells the reader why a command stopped; where JSON was asked for, stdout holds it as JSON too. */
export function reportFailure(error: unknown, argv: readonly string[], io: Io): ExitCode {
  const failed = asFailure(error, io);
  // Information is for `validate`: here the reader wants to know what stopped the command.
  const diagnostics = failed.diagnostics.filter(({ severity }) => severity !== 'info');
  const document = { is: 'diagnostics', diagnostics } as const;
  const args = { color: !argv.includes('--no-color') };
  const view = { colour: hasColour(io.stderr, io, args), width: widthOf(io.stderr) };
  io.stderr.write(`${renderReport(document, 'text', view).trimEnd()}\n`);
  if (wantsJson(argv)) io.stdout.write(`${renderReport(document, 'json', view).trimEnd()}\n`);
  return failed.exitCode;
}

/** The arguments may be what is wrong, so they are looked at as words. */
function wantsJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, at) => word === '--format=json' || (word === '--format' && argv[at + 1] === 'json'),
  );
}

function asFailure(error: unknown, io: Io): Failure {
  if (error instanceof Failure) return error;
  if (io.signal.aborted) {
    return new Failure(
      [{ code: 'interrupted', severity: 'error', message: 'Interrupted.' }],
      ExitCode.interrupted,
    );
  }
  const message = error instanceof Error ? error.message : String(error);
  if (isSystemError(error)) return new Failure([{ code: 'system', severity: 'error', message }]);
  const hint = 'This is a mistake in tenantctl. Please report it with the lines above.';
  const stack = error instanceof Error && error.stack ? `\n${error.stack}` : '';
  return new Failure([{ code: 'internal', severity: 'error', message: `${message}${stack}`, hint }]);
}

/** What the operating system refused: a file that cannot be read, a port that is taken. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}
