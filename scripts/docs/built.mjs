// The built program, as documents run it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../dist/bin/cli.cjs', import.meta.url));
// V8 optimizes the WebAssembly of the HTTP parser for a fifth of the time of a short run, which nobody needs here.
const node = `"${process.execPath}" --liftoff-only`;

/** What documents need of a program. */
export const built = {
  /** The text of the program `npx`. */
  npx: `#!/bin/sh\nshift 2\nexec ${node} "${program}" "$@"\n`,
  async startSandbox(options) {
    const { startSandbox } = await import('../../dist/lib/index.js');
    return startSandbox(options);
  },
  /** What these words and `--help` print. */
  help(...words) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words, '--help'], {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', LC_ALL: 'C.UTF-8' },
    });
    if (status !== 0) throw new Error(`tenantctl ${words.join(' ')} --help ended with ${status}: ${stderr}`);
    return stdout;
  },
};

/** Throws where the program does not run, for example while it is being rebuilt. */
export function requireProgram() {
  const { status } = spawnSync(process.execPath, [program, '--version']);
  if (status !== 0) throw new Error('The program does not run: `npm run build` first.');
}
