import { join, relative } from 'node:path';
import { Failure } from '../model/failure.ts';
import type { Result } from '../model/result.ts';
import type { Io } from './io.ts';
import { writeText } from './output.ts';

/**
 * A rollback is made from a result, so one that wrote anything is saved even if nobody named a file. The tenant has
 * changed by then: a result that cannot be saved is reported, and is no failure of the apply.
 */
export function saveResult(
  result: Result,
  folder: string,
  args: { readonly result: string | undefined; readonly quiet: boolean },
  io: Io,
): void {
  const { done, failed, unknown } = result.summary;
  const own = join(folder, `${result.startedAt.replaceAll(/[:.]/g, '-')}.json`);
  const files = [
    ...(args.result === undefined ? [] : [args.result]),
    ...(done + failed + unknown === 0 ? [] : [own]),
  ];
  const text = `${JSON.stringify(result, null, 2)}\n`;
  const written = files.filter((file) => writes(file, text, io));
  const [first] = written;
  if (first !== undefined && files.includes(own) && !args.quiet) {
    io.stderr.write(`Result file: ${first === own ? relative(io.cwd, own) : first}\n`);
  }
}

/** Whether the file could be written; reports where it could not. */
function writes(file: string, text: string, io: Io): boolean {
  try {
    writeText(file, text, io);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    io.stderr.write(`The result is not saved. ${error.message}\n`);
    return false;
  }
}
