import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/index.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import { runProgram } from '../support/world.ts';

const program = fileURLToPath(new URL('../../dist/bin/cli.cjs', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'tenantctl-completion-'));
beforeAll(async () => {
  await runProgram(['init', '--pipelines', 'none'], { cwd: dir });
  // Half of a manifest, as it looks while somebody is typing.
  writeFileSync(
    join(dir, 'config/open.yaml'),
    'kind: SenderAddress\nemail: half@acme.example\nfields: [\n---\nkind: Nothing\n',
  );
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function complete(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runProgram(['completion', 'bash', '--', ...words], { cwd: dir });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('what may follow', () => {
  it('is every command at first', async () => {
    expect(await complete('')).toEqual(Object.keys(commands));
    expect(await complete('val')).toEqual(['validate']);
  });

  it.each(Object.keys(commands))('is an option of %s after a dash', async (name) => {
    expect(await complete(name, '--')).toContain('--help');
  });

  it('is an option of this command only', async () => {
    expect(await complete('plan', '--det')).toEqual(['--detailed-exitcode']);
    expect(await complete('show', '--det')).toEqual([]);
    expect(await complete('plan', '--no-')).toContain('--no-color');
    expect(await complete('plan', '-')).toEqual(expect.arrayContaining(['-c', '--config', '-e', '--env']));
    expect(await complete('plan', '--')).not.toContain('--e');
  });

  it.each([
    ['validate --format ', ['text', 'json', 'markdown', 'github', 'sarif']],
    ['validate --format=g', ['--format=github']],
    ['validate --format = g', ['github']],
    ['plan -e ', ['sandbox', 'production']],
    ['apply --env p', ['production']],
    ['-e p', ['production']],
    ['-e sandbox pl', ['plan']],
    ['-c p', []],
    ['export --kinds MailFrom Sender', ['SenderAddress']],
    ['completion f', ['fish']],
    ['env ', ['list']],
    ['search Active', ['Active contractors in Engineering']],
    ['plan --only Sim', ['SimIntegration/**', 'SimIntegration/ServiceNow']],
    ['plan --only X Y --except A Sim', ['SimIntegration/**', 'SimIntegration/ServiceNow']],
    ['plan --rotate SenderAddress/h', ['SenderAddress/half%40acme.example']],
    ['kind check Sou', ['Source']],
    ['kind draft Sou', []],
    ['kind ch', ['check']],
    ['kind add AccessP', ['AccessProfile']],
    ['sandbox --fault lat', ['late=1500', 'latency=200']],
    ['sandbox --preset sailpoint-n', ['sailpoint-nerm']],
    ['explain SimI', ['SimIntegration']],
    ['explain plan-st', ['plan-stale']],
    ['apply ', []],
    ['plan --out ', []],
    ['plan --only a --quiet S', []],
  ])('%j gives %j', async (line, expected) => {
    expect(await complete(...line.split(' '))).toEqual(expected);
  });

  it('is the result file of a past apply, the newest first', async () => {
    const files = ['2026-01-02T00-00-00-000Z', '2026-01-01T00-00-00-000Z'].map(
      (stamp) => `.tenantctl/sandbox/results/${stamp}-sandbox.json`,
    );
    mkdirSync(join(dir, '.tenantctl/sandbox/results'), { recursive: true });
    for (const file of files) writeFileSync(join(dir, file), '{}');
    expect(await complete('rollback', '')).toEqual(files);
    rmSync(join(dir, '.tenantctl'), { recursive: true });
    expect(await complete('rollback', '')).toEqual([]);
  });

  it('is a kind or another schema', async () => {
    expect(await complete('schema', '')).toEqual(
      expect.arrayContaining([...builtInKinds.all.map(({ name }) => name), 'plan']),
    );
  });

  it('is a template to send a test of', async () => {
    const found = await complete('send-test', '');
    expect(found).toContain('NotificationTemplate/password_expiring/EMAIL/fr');
    expect(found.every((address) => address.startsWith('NotificationTemplate/'))).toBe(true);
  });

  it('is nothing, without a word, where there is no project or none that can be read', async () => {
    expect(await complete('plan', '-c', 'nowhere/tenantctl.yaml', '-e', '')).toEqual([]);
    writeFileSync(join(dir, 'broken.yaml'), 'version: [\n');
    expect(await complete('plan', '-c', 'broken.yaml', '--env', '')).toEqual([]);
  });
});

describe('the scripts', () => {
  it('are for the shell that is named, or that is used', async () => {
    const fish = await runProgram(['completion', 'fish'], { cwd: dir });
    expect(fish.stdout).toContain('complete -c tenantctl');
    const used = await runProgram(['completion'], { cwd: dir, env: { SHELL: '/usr/bin/fish' } });
    expect(used.stdout).toBe(fish.stdout);
    expect((await runProgram(['completion', 'zsh'], { cwd: dir })).stdout).toContain('#compdef tenantctl');
    expect(await runProgram(['completion'], { cwd: dir })).toMatchObject({ code: 1, stdout: '' });
    expect(await runProgram(['completion', 'tcsh'], { cwd: dir })).toMatchObject({ code: 1, stdout: '' });
  });

  it('complete in bash, also what has to be quoted', () => {
    writeFileSync(join(dir, 'tenantctl'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    chmodSync(join(dir, 'tenantctl'), 0o755);
    const lines = ['plan --only SimIntegration/S', 'search Contracts', 'plan -e prod'];
    const asked = lines.map(
      (line) => `COMP_WORDS=(tenantctl ${line}); COMP_CWORD=${line.split(' ').length}
      _tenantctl; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
    const script = `source <(tenantctl completion bash); ${asked.join('; ')}`;
    const env = { ...process.env, PATH: `${dir}${delimiter}${process.env.PATH}` };
    const output = execFileSync('bash', ['--norc', '-c', script], { cwd: dir, env, encoding: 'utf8' });
    const search = 'Contracts\\ ending\\ within\\ 30\\ days';
    expect(output.trim().split('\n')).toEqual(['SimIntegration/ServiceNow', search, 'production']);
  });
});
