import type { ExitCode } from '../model/failure.ts';
import type { Io } from './io.ts';

/**
 * Runs the program; nothing is thrown.
 *
 * @param argv the arguments after the program's name
 */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    const { dispatch } = await import('./dispatch.ts');
    return await dispatch(argv, io);
  } catch (error) {
    const { reportFailure } = await import('./report-failure.ts');
    return reportFailure(error, argv, io);
  }
}
