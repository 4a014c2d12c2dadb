/** The built program as a process: what only its bundle could break. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { serve } from '../support/api-host.ts';
import { program } from '../support/program.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, seedFile, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await createTestWorld();
});
async function run(...argv: string[]) {
  const options = { cwd: world.dir, env: { ...process.env, ...world.env } };
  return promisify(execFile)(process.execPath, [program, ...argv], options);
}

it('takes a password of bullets for a mask, and never writes it over the credential', async () => {
  const attributes = { url: 'https://desk.acme.example', password: '••••' };
  addObjects(world.sandbox.state, { simIntegrations: [{ name: 'Desk', type: 'ServiceNow', attributes }] });
  const declared = { url: 'https://other.acme.example' };
  world.declare([{ kind: 'SimIntegration', name: 'Desk', attributes: declared }]);
  const { stdout } = await run('plan');
  expect(stdout).toContain('The tenant masks /attributes/password of "Desk"');
  expect(stdout).toContain('Plan: 0 to create, 0 to update, 0 to delete, 1 by hand, 0 unchanged.');
});

it('folds the equal lines between two changes of a long text, and counts the changed ones by their signs', async () => {
  const lines = Array.from({ length: 40 }, (_, at) => `<p>line ${at}</p>`);
  const key = { key: 'welcome', medium: 'EMAIL', locale: 'en' } as const;
  const body = `${lines.join('\n')}\n`;
  addObjects(world.sandbox.state, { templateDefaults: [{ ...key, body }], templates: [key] });
  const changed = lines.map((line, at) => (at === 2 || at === 37 ? line.replace('line', 'LINE') : line));
  world.declare([{ kind: 'NotificationTemplate', ...key, body: `${changed.join('\n')}\n` }]);
  const { stdout } = await run('plan', '--report', 'plan.html');
  const page = world.read('plan.html');
  expect(page).toContain('<details class="gap"><summary>28 equal lines (7 to 34)</summary>');
  expect(page).toContain('body +2 −2');
  expect(stdout).toContain('+ <p>LINE 37</p>');
});

it('says that its folder was removed', async () => {
  world.write('gone/here', '');
  const script = 'cd gone && rm here && rmdir ../gone && "$@"; echo $?';
  const argv = ['-c', script, 'sh', process.execPath, program, 'plan'];
  const { stdout, stderr } = await promisify(execFile)('sh', argv, { cwd: world.dir });
  expect(stdout).toBe('1\n');
  expect(stderr).toBe('error  The current folder was removed. Change to another folder, and try again.\n');
});

it('reads compressed answers', async () => {
  const packing = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = 'GET', url = '', headers } = request;
    const names = ['authorization', 'accept', 'content-type', 'x-service-experimental'];
    const answer = await fetch(world.sandbox.url + url, {
      method,
      headers: names.flatMap((name): [string, string][] =>
        headers[name] ? [[name, String(headers[name])]] : [],
      ),
      ...(method === 'GET' ? {} : { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(await answer.text()));
  });
  const config = world.read('tenantctl.yaml').replaceAll(world.sandbox.url, packing);
  world.write('tenantctl.yaml', config);
  world.declare([{ kind: 'SenderAddress', email: 'help@acme.example' }]);
  const { stdout, stderr } = await run('plan', '--quiet');
  expect(stdout).toMatch(/^Plan: 1 to create/m);
  expect(stderr).toBe('');
});

it.each([['--version'], ['--help']])('a reader that has had enough of %s is no error', async (option) => {
  const child = spawn(process.execPath, [program, option]);
  child.stdout.destroy();
  let complaints = '';
  child.stderr.on('data', (text) => {
    complaints += text;
  });
  expect([await new Promise((resolve) => child.on('close', resolve)), complaints]).toEqual([0, '']);
});

it('loads the code of its command, that of other formats than text on demand, and the compiler of schemas only for kinds that the project describes', async () => {
  world.write(
    'hook.cjs',
    `process.on('exit', () => process.stderr.write(Object.keys(require.cache).join('\\n')));`,
  );
  const loaded = async (format = 'text') => {
    const argv = ['--require', `${world.dir}/hook.cjs`, program, 'validate', '--format', format];
    return (await promisify(execFile)(process.execPath, argv, { cwd: world.dir, env: world.env })).stderr;
  };
  world.declare([{ kind: 'SenderAddress', email: 'help@acme.example' }]);
  const files = await loaded();
  expect(files).toContain('validators/SenderAddress.cjs');
  expect(files).not.toContain('compiler.cjs');
  expect(files).toMatch(/\/validate-\w+\.cjs/);
  expect(files).not.toMatch(/\/(?:plan|export|sandbox|writers)-\w+\.cjs/);
  expect(await loaded('markdown')).toMatch(/\/writers-\w+\.cjs/);
  world.write('kinds/Role.kind.yaml', 'kind: Role\npath: /v2025/roles\nkey: name\ncreate: true\n');
  expect(await loaded()).not.toContain('compiler.cjs');
  world.declare([{ kind: 'Role', name: 'Engineers' }]);
  expect(await loaded()).toContain('validators/compiler.cjs');
});

it('prints no tokens of manifests where LOG_TOKENS is set for other programs', async () => {
  world.declare([{ kind: 'SenderAddress', email: 'help@acme.example' }]);
  Object.assign(world.env, { LOG_TOKENS: '1', LOG_STREAM: '1' });
  const { stdout } = await run('validate', '--format', 'json');
  expect(JSON.parse(stdout)).toHaveProperty('diagnostics');
});

describe('a renderer that ends before it is asked, as where memory is short', () => {
  const plan = async (shim: string) => {
    const world = await createTestWorld({ sandbox: { seed: seedFile } });
    world.write('shim.cjs', `const processes = require('node:child_process');\n${shim}`);
    world.write('gone.cjs', 'process.exit(1)');
    world.declare([
      { kind: 'NotificationTemplate', key: 'password_expiring', medium: 'EMAIL', locale: 'en', body: 'Hi' },
    ]);
    const argv = ['--require', `${world.dir}/shim.cjs`, program, 'plan', '--report', 'plan.html'];
    const child = spawn(process.execPath, argv, { cwd: world.dir, env: { ...process.env, ...world.env } });
    const printed = [child.stdout, child.stderr].map(text);
    const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), ...printed]);
    return { stdout, stderr, code, report: () => world.read('plan.html') };
  };
  const endsAtOnce = `const { fork } = processes;
    processes.fork = (_file, ...more) => fork(__dirname + '/gone.cjs', ...more);`;

  it('is told in the report', async () => {
    const { stdout, code, report } = await plan(endsAtOnce);
    expect(stdout).toContain('Plan: ');
    expect(report()).toContain('cannot be started');
    expect(code).toBe(0);
  });

  it('is an error, and no plan without changes, should the program ever end with it', async () => {
    const shim = `${endsAtOnce}\nprocesses.ChildProcess.prototype.ref = () => {};`;
    const { stdout, stderr, code } = await plan(shim);
    expect({ stdout, code }).toEqual({ stdout: '', code: 3 });
    expect(stderr).toContain('The program ended before its work was done');
  });
});
