import { PassThrough, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { confirm } from '../../src/commands/prompt.ts';
import { createTestWorld, runProgram } from '../support/world.ts';

it.each([
  ['yes\n', true],
  ['  yes \n', true],
  ['no\n', false],
  ['y\n', false],
  ['yess\n', false],
  ['\nyes\n', false],
  ['', false],
])('takes %j for %s', async (typed, expected) => {
  const stdin = new PassThrough();
  stdin.end(typed);
  expect(await confirm('apply', io(stdin, new AbortController().signal))).toBe(expected);
});

it('ends with 130 on Ctrl-C', async () => {
  const interrupt = new AbortController();
  const answer = confirm('apply', io(new PassThrough(), interrupt.signal));
  interrupt.abort();
  await expect(answer).rejects.toMatchObject({ exitCode: 130, diagnostics: [{ code: 'interrupted' }] });
});

it('applies nothing where nobody answers', async () => {
  const { dir, env, sandbox } = await createTestWorld({
    files: { 'config/a.yaml': 'kind: SenderAddress\nemail: a@acme.example\n' },
  });
  const { code, stderr } = await runProgram(['apply', '--no-color'], { cwd: dir, env, typed: '' });
  expect(stderr).toContain("\n1 e-mail goes out\nType 'yes' to apply: ");
  expect(stderr).toContain('Nothing was applied.');
  expect(code).toBe(0);
  const argv = ['apply', '--format', 'json', '--quiet'];
  const asJson = await runProgram(argv, { cwd: dir, env, typed: 'no\n' });
  expect(asJson.code).toBe(0);
  expect(JSON.parse(asJson.stdout).diagnostics).toMatchObject([{ code: 'declined' }]);
  expect(sandbox.state.senders).toEqual([]);
});

function io(stdin: PassThrough, signal: AbortSignal) {
  const sink = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  return { cwd: '/', env: {}, stdin, stdout: sink(), stderr: sink(), signal };
}
