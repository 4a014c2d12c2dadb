import {
  type ChildProcessWithoutNullStreams,
  type SpawnOptionsWithoutStdio,
  spawn,
} from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The built program. */
export const program = fileURLToPath(new URL('../../dist/bin/cli.cjs', import.meta.url));

/**
 * The command line of the built program, without its arguments. V8 compiles the WebAssembly of the HTTP parser once and does
 * not optimize it, which would take a third of a short run: the program is the same.
 */
export const commandLine = [process.execPath, '--liftoff-only', program] as const;

/** Starts the built program. */
export function startProgram(
  argv: readonly string[],
  options: SpawnOptionsWithoutStdio,
): ChildProcessWithoutNullStreams {
  const [file, ...first] = commandLine;
  return spawn(file, [...first, ...argv], options);
}
