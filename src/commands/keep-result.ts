import { join, relative } from 'node:path';
import { Failure } from '../model/failure.ts';
import type { Result } from '../model/result.ts';
import type { Io } from './io.ts';
import { writeText } from './output.ts';

/**
 * A result is what a rollback is made from, so one that wrote anything is kept even if nobody named a file. The tenant
 * has changed by then: what cannot be kept is told, and is no failure of the apply.
 */
export function keepResult(
  result: Result,
  folder: string,
  args: { readonly result: string | undefined; readonly quiet: boolean },
  io: Io,
): void {
  const { done, failed, unknown } = result.summary;
  const kept = join(folder, `${result.startedAt.replaceAll(/[:.]/g, '-')}.json`);
  const files = [
    ...(args.result === undefined ? [] : [args.result]),
    ...(done + failed + unknown === 0 ? [] : [kept]),
  ];
  const text = `${JSON.stringify(result, null, 2)}\n`;
  const written = files.filter((file) => isWritten(file, text, io));
  const [first] = written;
  if (first !== undefined && files.includes(kept) && !args.quiet) {
    io.stderr.write(`Result file: ${first === kept ? relative(io.cwd, kept) : first}\n`);
  }
}

function isWritten(file: string, text: string, io: Io): boolean {
  try {
    writeText(file, text, io);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    io.stderr.write(`A result is not kept. ${error.message}\n`);
    return false;
  }
}
