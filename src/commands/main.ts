import { ExitCode } from '../model/exit.ts';
import type { Io } from './io.ts';
import { version } from './version.ts';

/**
 * Runs the program; nothing is thrown.
 *
 * @param argv the arguments after the program's name
 */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    // Pipelines ask for it to see whether the program is there: it needs no parser, which is half of a start.
    if (argv.length === 1 && argv[0] === '--version') {
      io.stdout.write(`${version}\n`);
      return ExitCode.done;
    }
    const { dispatch } = await import('./dispatch.ts');
    return await dispatch(argv, io);
  } catch (error) {
    const { reportFailure } = await import('./report-failure.ts');
    return reportFailure(error, argv, io);
  }
}
