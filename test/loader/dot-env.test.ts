import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadProject } from '../../src/loader/index.ts';
import { runProgram } from '../support/world.ts';
import { config, type Files, failureOf, load, project, resource, thrown } from './fixture.ts';

const sender = 'kind: SenderAddress\nemail: !env SENDER\n';
const plain = 'kind: SenderAddress\nemail: a@b.example\n';
const senderOf = (dotEnv: string, env: NodeJS.ProcessEnv = {}) =>
  resource(sender, { '.env': dotEnv }, { env }).key[0];

/** What is wrong with a `.env`: code, place and message. */
const problemsOf = (dotEnv: string | Uint8Array) =>
  failureOf({ '.env': dotEnv, 'config/a.yaml': plain }, { env: {} }).map(
    ({ code, source, message }) => `${source?.file}:${source?.line} ${code} ${message}`,
  );

describe('the values in .env', () => {
  it.each([
    ['plain', 'SENDER=a@b.example'],
    ['with export, blanks, comments and CRLF', '# mine\r\n\r\n export SENDER = a@b.example # x\r\n'],
    [
      'with tabs, and blanks in an empty line',
      '\tA=1\n \r\n\t# b\nexport \tSENDER\t=\ta@b.example\t# c\nC=1',
    ],
    ['in quotes', 'SENDER="a@b.example"'],
    ['beside one of another program that begins with a #', 'COLOR=#fff\nSENDER=a@b.example'],
    ['after a value of several lines', "KEY='one\nSENDER=no\nthree'\nSENDER=a@b.example"],
  ])('are found: %s', (_what, text) => expect(senderOf(text)).toBe('a@b.example'));

  it('never replace what is set, empty or by a file', () => {
    expect(senderOf('SENDER=a@b.example', { SENDER: 'set@b.example' })).toBe('set@b.example');
    const files = { '.env': 'PASSWORD=in-file', password: 'in-other-file' };
    expect(load(files, { env: { PASSWORD: '' } }).secrets.problem('PASSWORD')?.message).toContain('is empty');
    const root = project(files);
    const env = { PASSWORD_FILE: join(root, 'password') };
    const { secrets } = loadProject({ configFile: join(root, 'tenantctl.yaml'), env });
    expect(secrets.reveal('PASSWORD')).toBe('in-other-file');
    expect(load(files, { env: { PASSWORD_FILE: '' } }).secrets.reveal('PASSWORD')).toBe('in-file');
    expect(senderOf('SENDER=a@b.example', { SENDER_FILE: '/var/log/sender' })).toBe('a@b.example');
  });

  it('are secrets that the output does not show', () => {
    const root = project({ '.env': 'PASSWORD=hunter2' });
    const learnt: string[] = [];
    const onSecret = (text: string) => learnt.push(text);
    const { secrets } = loadProject({ configFile: join(root, 'tenantctl.yaml'), env: {}, onSecret });
    expect(secrets.reveal('PASSWORD')).toBe('hunter2');
    expect(learnt).toEqual(['hunter2']);
  });

  it('are not read in CI', () => {
    expect(() => senderOf('SENDER=a@b.example', { CI: 'true' })).toThrow('SENDER is not set');
    for (const CI of ['false', 'False', '0', ''])
      expect(senderOf('SENDER=a@b.example', { CI }), CI).toBe('a@b.example');
  });

  it('are suggested where a secret is not set, except in CI', () => {
    const hint = (env: NodeJS.ProcessEnv) => load({}, { env }).secrets.problem('PASSWORD')?.hint;
    expect(hint({})).toContain('PASSWORD, add it to .env, or set PASSWORD_FILE');
    // An empty variable counts more than the file.
    expect(hint({ PASSWORD: '' })).not.toContain('.env');
    expect(hint({ CI: 'true' })).toContain('PASSWORD, or set PASSWORD_FILE');
  });

  it('are not settings of the program: no environment, project file, proxy or host', async () => {
    const dotEnv =
      'TENANTCTL_ENV=other\nTENANTCTL_CONFIG=other.yaml\nTENANTCTL_ALLOWED_HOSTS=a.example\nHTTPS_PROXY=::\nPATH=/nowhere\nNODE_OPTIONS=--bad\n';
    const tenant = `version: 1\nenvironments:\n  test: { identity: { baseUrl: 'https://b.example', auth: { token: !secret T } } }\n`;
    const dir = project({ '.env': dotEnv, 'tenantctl.yaml': tenant });
    const env: NodeJS.ProcessEnv = {};
    expect(await runProgram(['validate'], { cwd: dir, env })).toMatchObject({ code: 0 });
    expect(env).toEqual({});
    const loaded = loadProject({ configFile: join(dir, 'tenantctl.yaml'), env });
    expect(loaded.environment.connection).toMatchObject({ network: { allowedHosts: null, proxies: null } });
  });

  it('are those beside the project file, wherever the command runs', async () => {
    const dir = project({
      '.env': 'SENDER=a@b.example',
      'config/a.yaml': sender,
      'config/.env': 'SENDER=no',
    });
    expect(await runProgram(['validate'], { cwd: join(dir, 'config') })).toMatchObject({ code: 0 });
  });
});

it('a value of several lines has the same line endings in every checkout', () => {
  const { secrets } = load({ '.env': 'PASSWORD="one\r\n two "\r\n' }, { env: {} });
  expect(secrets.reveal('PASSWORD')).toBe('one\n two ');
});

describe('a .env that cannot be used', () => {
  const misread = 'env-file-syntax This line of .env would not be read as it looks.';

  it.each([
    ['no =', 'SENDER a@b.example', `.env:1 ${misread}`],
    ['YAML', 'A=1\n\nB: 2\nC=3', `.env:3 ${misread}`],
    ['an open quote', 'A="1\nB=2', `.env:1 ${misread}`],
    ['a name of a file', 'A=1\nP_FILE=/etc/shadow', `.env:2 ${misread}`],
    ['too large', 'A=1\n'.repeat(20_000), '.env:1 file-too-large .env is larger than 64 KB.'],
    ['not UTF-8', Uint8Array.from([65, 61, 255]), '.env:1 not-utf8 .env is not UTF-8 text.'],
  ])('is an error with its line: %s', (_what, text, problem) => expect(problemsOf(text)).toEqual([problem]));

  it.each(['A=se#cret', "A='it''s'", 'A="se\\"cret"', 'A="sec" ret', 'A=`sec`ret', 'A="pa#ss\\new"'])(
    'would be cut short by Node, or changed: %s',
    (line) => expect(problemsOf(`B=1\n${line}\nC=3`)).toEqual([`.env:2 ${misread}`]),
  );

  it.each([
    ['.env:1:1 ', 'PIN hunter2\nTOKEN="hunter3'],
    ['.env:1:12 ', Buffer.from('PIN=hunter2\xff', 'latin1')],
  ])('is not shown, since its lines may hold secrets: %s', async (place, text) => {
    const { code, stdout, stderr } = await runProgram(['validate'], { cwd: project({ '.env': text }) });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(place);
    expect(stdout + stderr).not.toContain('hunter');
  });

  it('is a link out of the project, a broken link, or a folder', () => {
    const outside = mkdtempSync(join(tmpdir(), 'tenantctl-outside-'));
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
    writeFileSync(join(outside, 'env'), 'SENDER=a@b.example');
    const linked = (make: (path: string) => void) => {
      const root = project({ 'config/a.yaml': sender });
      make(join(root, '.env'));
      return thrown(() => loadProject({ configFile: join(root, 'tenantctl.yaml'), env: {} })).diagnostics[0];
    };
    expect(linked((path) => symlinkSync(join(outside, 'env'), path))).toMatchObject({
      code: 'outside-project',
      source: { file: '.env' },
    });
    expect(linked((path) => symlinkSync('nowhere', path))?.source?.file).toBe('.env');
    expect(linked((path) => mkdirSync(path))?.source?.file).toBe('.env');
  });

  it.skipIf(process.geteuid?.() !== 0)(
    'is one of another user, but not one of the owner of the folder',
    () => {
      const owned = (...paths: string[]) => {
        const root = project({ '.env': 'SENDER=a@b.example', 'config/a.yaml': sender });
        chmodSync(root, 0o755);
        for (const path of paths) chownSync(join(root, path), 12345, 12345);
        return () => loadProject({ configFile: join(root, 'tenantctl.yaml'), env: {} });
      };
      expect(owned('.env')).toThrow('belongs to another user');
      expect(owned('.env', '.')).not.toThrow();
    },
  );
});

describe('what was declared at a revision', () =>
  it('is resolved with the values of today', async () => {
    const files: Files = {
      'tenantctl.yaml': config('    variables: { a: !env SENDER }\n'),
      'config/a.yaml': 'kind: SenderAddress\nemail: !var a\n',
      '.gitignore': '.env\n',
      '.env': 'SENDER=a@b.example',
    };
    const dir = project(files);
    const git = (...words: string[]) => execFileSync('git', words, { cwd: dir });
    git('init', '--quiet');
    git('add', '.');
    git('-c', 'user.name=me', '-c', 'user.email=me@b.example', 'commit', '--quiet', '-m', 'one');
    const { code, stdout, stderr } = await runProgram(['plan', '--since', 'HEAD'], { cwd: dir });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('+ SenderAddress/a@b.example');
    expect(stdout).not.toContain('SENDER is not set');
  }));
