import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Outcome, World } from './world.ts';

/** The built program. */
export const program = fileURLToPath(new URL('../../dist/bin/cli.cjs', import.meta.url));

/**
 * The command line of the built program, without its arguments. V8 compiles the WebAssembly of the HTTP parser once and does
 * not optimize it, which would take a third of a short run: the program is the same.
 */
export const commandLine = [process.execPath, '--liftoff-only', program] as const;

/** The built program at work, and how it ended: with -1 where it was killed. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
}

/** Starts the built program in the folder of a project. */
export function startProgram({ dir, env }: Pick<World, 'dir' | 'env'>, ...argv: readonly string[]): Started {
  const [file, ...first] = commandLine;
  const child = spawn(file, [...first, ...argv], { cwd: dir, env: { PATH: process.env.PATH, ...env } });
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code: typeof code === 'number' ? code : -1, stdout, stderr }),
  );
  return { child, ended };
}
