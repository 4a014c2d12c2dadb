import module from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { bugHint, ExitCode, version } from './model/failure.ts';

let isLost = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader such as `head` may have had enough.
  if (error.code === 'EPIPE' || isLost) return;
  isLost = true;
  process.stderr.write(`error  The output cannot be written (${error.code}).\n`);
});
// The reader of progress and logs may have gone away. A tenant must not stay half changed because of that.
process.stderr.on('error', () => {});
process.on('exit', (code) => {
  const isDone = code === ExitCode.done || code === ExitCode.changes;
  // What was done is done; a 1 would say that nothing was.
  if (isLost && isDone) process.exitCode = ExitCode.incomplete;
});

const argv = process.argv.slice(2);
// Pipelines ask for the version to see whether the program is there, for which it need not be loaded.
if (argv.length === 1 && argv[0] === '--version') process.stdout.write(`${version}\n`);
else void run();

async function run(): Promise<void> {
  const interrupt = new AbortController();
  const received = new Set<string>();
  // SIGTERM is how a CI job is cancelled, SIGHUP how a terminal is closed.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // The first Ctrl-C lets requests in flight finish; a second one ends the process at once. CI systems send
      // different signals one after the other: that is not a person in a hurry.
      if (received.has(signal)) {
        process.stderr.write('Ended at once. Requests in flight may have been carried out.\n');
        process.exit(ExitCode.interrupted);
      }
      received.add(signal);
      interrupt.abort();
    });
  }
  const cwd = currentFolder();
  if (cwd === null) {
    process.stderr.write('error  The current folder was removed. Change to another folder, and try again.\n');
    process.exitCode = ExitCode.couldNotRun;
    return;
  }
  tuneCompiler();
  const { main } = await import('./commands/main.ts');
  process.once('beforeExit', reportEarlyEnd);
  process.exitCode = await main(argv, {
    cwd,
    env: process.env,
    // Opening it takes a while, and only questions are answered there.
    stdin: () => process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: interrupt.signal,
  });
  process.off('beforeExit', reportEarlyEnd);
}

/**
 * Node's own modules come with compiled code, which V8 refuses once its flags have changed: those that most commands need are
 * loaded before. Other versions of V8 may name the flags differently, and complain about those that they do not know.
 */
function tuneCompiler(): void {
  for (const name of ['assert', 'crypto', 'fs/promises', 'https', 'zlib'])
    process.getBuiltinModule(`node:${name}`);
  const [v8 = ''] = process.versions.v8.split('.');
  // Most runs end before code that V8 optimizes has paid for that, so a function has to run about ten times longer first.
  if (v8 === '11') setFlagsFromString('--interrupt-budget=1000000');
  if (!['12', '13', '14'].includes(v8)) return;
  setFlagsFromString('--invocation-count-for-turbofan=100000');
  setFlagsFromString('--invocation-count-for-osr=10000');
  // What is kept is compiled whole: Node keeps only what was compiled when a file was loaded, and functions that wait for their
  // first call would be compiled again in every run.
  if (keepsCode()) setFlagsFromString('--no-lazy');
}

/** Whether Node keeps the compiled code of the program for its next start, as 22.1 and later do if there is a folder for it. */
function keepsCode(): boolean {
  if (!('enableCompileCache' in module && typeof module.enableCompileCache === 'function')) return false;
  module.enableCompileCache();
  return (
    'getCompileCacheDir' in module &&
    typeof module.getCompileCacheDir === 'function' &&
    module.getCompileCacheDir() !== undefined
  );
}

/** `null` if it was removed: then libraries, which ask for it as they load, would fail. */
function currentFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

/** Node ends when nothing is left to wait for. If the command has not ended then, its exit code would be 0. */
function reportEarlyEnd(): void {
  process.stderr.write(
    `error  The program ended before its work was done  [internal]\n    hint: ${bugHint('the command')}\n`,
  );
  process.exitCode = ExitCode.incomplete;
}
