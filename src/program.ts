import { main } from './commands/main.ts';

/** Runs the program in this process, with its streams, environment and signals, and sets its exit code. */
export async function run(argv: readonly string[]): Promise<void> {
  const interrupt = new AbortController();
  // SIGTERM is how a CI job is cancelled.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // The first Ctrl-C lets requests in flight finish; whoever presses it again does not want to wait.
      if (interrupt.signal.aborted) {
        process.stderr.write('Ended at once. What was on its way may have been carried out.\n');
        process.exit(130);
      }
      interrupt.abort();
    });
  }

  // Nobody may be reading any more what a run has to say: that is no reason to leave a tenant half changed.
  process.stderr.on('error', () => {});

  process.exitCode = await main(argv, {
    cwd: process.cwd(),
    env: process.env,
    // To open it takes a while, and only questions are answered there.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    signal: interrupt.signal,
  });
}
