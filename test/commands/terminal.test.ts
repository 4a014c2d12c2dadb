/** The questions of `init` on a real terminal, as docs/first-tenant.md shows them. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { blocksOf } from '../docs/documents.ts';
import { program } from '../support/program.ts';
import { shellWord } from '../support/shell.ts';

/** The program of Linux that makes a terminal for a command. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

/** Runs the program on a terminal. Each answer is typed once its question is there. */
async function onTerminal(
  cwd: string,
  argv: readonly string[],
  answers: readonly (readonly [string, string])[],
) {
  const command = [process.execPath, program, ...argv].map(shellWord).join(' ');
  const env = { PATH: process.env.PATH, HOME: cwd, TERM: 'dumb', NO_COLOR: '1' };
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd,
    env,
  });
  let [shown, seen, next] = ['', 0, 0];
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    for (
      let [question, answer] = answers[next] ?? [];
      question !== undefined;
      [question, answer] = answers[next] ?? []
    ) {
      const at = shown.indexOf(question, seen);
      if (at < 0) return;
      [seen, next] = [at + question.length, next + 1];
      child.stdin.write(`${answer}\r`);
    }
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, shown: shown.replaceAll('\r', '') };
}

it.skipIf(!hasScript)('the questions are those of the page', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tenantctl-terminal-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const { code, shown } = await onTerminal(
    dir,
    ['init'],
    [
      ['or a tenant? [sandbox] ', 'tenant'],
      ['identity service: ', 'https://acme.api.example.com'],
      ['for none: [-] ', ''],
      ['such as production, or - for none: [-] ', ''],
      ['[both] ', 'none'],
    ],
  );
  expect(code).toBe(0);
  const [page] = blocksOf('docs/first-tenant.md', 'text');
  const lines = shown.split('\n');
  for (const line of page?.content.trimEnd().split('\n') ?? ['no such block'])
    expect(lines.map((each) => each.trimEnd())).toContain(line);
});
