#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { main } from './commands/main.ts';

// undici's parser of HTTP is WebAssembly. Optimising it takes 50 ms, more than most runs spend in it, and Node waits
// for that before it exits.
setFlagsFromString('--liftoff-only');
// Node 20 optimises so much of the program so early that it costs a fifth of a run's CPU and gains nothing.
if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=400000');

const interrupt = new AbortController();
// SIGTERM is how a CI job is cancelled.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The first Ctrl-C lets requests in flight finish; whoever presses it again does not want to wait.
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort();
  });
}
// A reader such as `head` may have had enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await main(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interrupt.signal,
});
