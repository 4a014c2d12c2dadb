#!/usr/bin/env node
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { version } from './commands/version.ts';
import { ExitCode } from './model/exit.ts';
import type * as program from './program.ts';

/** The file name of the bundled program, put in by the build. */
declare const TENANTCTL_PROGRAM: string;

// undici's parser of HTTP is WebAssembly. Optimising it takes 50 ms, more than most runs spend in it, and Node waits
// for that before it exits.
setFlagsFromString('--liftoff-only');
// Node 20 optimises so much of the program so early that it costs a fifth of a run's CPU and gains nothing.
if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=250000');

let isLost = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader such as `head` may have had enough.
  if (error.code === 'EPIPE' || isLost) return;
  isLost = true;
  process.stderr.write(`error  What is to be printed cannot be written (${error.code}).\n`);
});
process.on('exit', (code) => {
  const isDone = code === ExitCode.done || code === ExitCode.changes;
  // What was done is done; a 1 would say that nothing was.
  if (isLost && isDone) process.exitCode = ExitCode.incomplete;
});

const argv = process.argv.slice(2);
const [command = ''] = argv;
// Pipelines ask for the version to see whether the program is there, for which it need not be loaded.
if (argv.length === 1 && command === '--version') process.stdout.write(`${version}\n`);
else void start();

async function start(): Promise<void> {
  const { loadCompiled } = await import('./code-cache.ts');
  const bundle = join(import.meta.dirname, TENANTCTL_PROGRAM);
  const { exports, keep } = loadCompiled<typeof program>(bundle, partNeeded());
  await exports.run(argv);
  // What failed has compiled too little to be worth keeping.
  const isDone = process.exitCode === ExitCode.done || process.exitCode === ExitCode.changes;
  if (isDone) keep();
}

/** The name of the part of the program that a run needs. */
function partNeeded(): string {
  // Of a command, its help needs next to nothing.
  if (argv.includes('--help') || argv.includes('-h')) return 'help';
  return /^[a-z][a-z-]*$/.test(command) ? command : 'options';
}
