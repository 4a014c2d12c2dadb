/** Names that are words of ours, of YAML, of shells or of JavaScript: whatever the name, what runs gets exactly it. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { pipelineFile } from '../../src/commands/init/pipelines.ts';
import { selectEnvironments } from '../../src/loader/selection.ts';
import { isAllowed, parseAllowedHost } from '../../src/model/tenant.ts';
import { runs } from '../support/effort.ts';
import { expectSound } from '../support/workflows.ts';
import { createTestFolder, expectEnd, filesBelow, runProgram, type World } from '../support/world.ts';

let dir: string;
let read: World['read'];
let write: World['write'];
beforeEach(() => {
  ({ dir, read, write } = createTestFolder());
});

const run = (argv: readonly string[]) => runProgram(argv, { cwd: dir, env: {} });

/** Runs `init` for somebody at a terminal who names a tenant, and types these lines after it. */
const typed = (...lines: readonly string[]) =>
  runProgram(['init'], { cwd: dir, env: {}, typed: `${['tenant', ...tenant, ...lines].join('\n')}\n` });
const tenant = ['https://a.example', '-'];

const words = ['sandbox', 'tenant', 'production', 'test', 'none', 'both', 'again', 'yes', 'no'];
const scalars = ['null', 'true', 'on', 'y', '0123', '1.10', '1e3', '0x1F', '1_000', '12:30', '2024-01-01'];
const members = ['toString', 'valueOf', 'hasOwnProperty', 'length'];
const refused = ['constructor', 'prototype'];
const names = [...words, ...scalars, ...members].filter((name) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name));

it.each(['export', 'examples'])('tenants become environments of their names, from the %s', async (from) => {
  const urls = names.flatMap((name) => ['--identity', `${name}=https://a.example`]);
  expect(await run(['init', ...urls, '--from', from])).toMatchObject({ code: 0, stderr: '' });
  const { environments, groups } = JSON.parse((await run(['env', 'list', '--format', 'json'])).stdout);
  expect(environments).toEqual(names);
  expect(groups).toEqual({ production: names.slice(1) });
  const { stdout } = await run(['env', 'list', '-e', names.join(',')]);
  const lines = stdout.split('\n').slice(1, names.length + 1);
  expect(lines.map((line) => line.split(' ')[0])).toEqual(names);
});

it('a person may answer any of them to the questions for names', async () => {
  const others = names.filter((name) => name !== 'test');
  const { stderr } = await expectEnd(
    typed(...others.flatMap((name) => [name, ...tenant]), '-', '', 'both'),
    0,
  );
  expect(stderr).not.toContain('internal');
  const { stdout } = await run(['env', 'list', '--format', 'json']);
  expect(JSON.parse(stdout).environments).toEqual(['test', ...others]);
});

it('tenants whose names differ by a sign have variables of their own', async () => {
  const alike = ['eu-1', 'eu.1', 'EU_1', '1', 'tenant-1'];
  const urls = alike.flatMap((name) => ['--identity', `${name}=https://a.example`]);
  await run(['init', ...urls, '--from', 'examples']);
  const used = read('tenantctl.yaml').match(/\w+_(?:CLIENT_ID|SNOW_PASSWORD)/g) ?? [];
  expect([used.length, new Set(used).size]).toEqual([10, 10]);
});

it('each tenant gets credentials of its own, and test is offered to one only', async () => {
  await expectEnd(typed('tenant', ...tenant, 'test', ...tenant, '-', '', 'none'), 0);
  const { environments } = parse(read('tenantctl.yaml'), { logLevel: 'silent' });
  const idOf = (name: string) => ({ identity: { auth: { clientId: `${name.toUpperCase()}_CLIENT_ID` } } });
  expect(environments).toMatchObject({ first: idOf('first'), tenant: idOf('tenant'), test: idOf('test') });
  expect(Object.keys(environments)).toHaveLength(3);
});

it.each(refused)('no tenant can be called %s, which is said at once', async (name) => {
  const init = run(['init', '--identity', `${name}=https://a.example`]);
  await expectEnd(init, 1, `An environment cannot be named ${name}.`);
  expect(filesBelow(dir).size).toBe(0);
  await expectEnd(typed(name, '-', 'none'), 0, 'Please give a new name');
});

describe('a pipeline', () => {
  const systems = ['github', 'gitlab'] as const;
  const plain = fc.oneof(
    fc.constantFrom(...names),
    fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,8}$/),
    fc.stringMatching(/^[0-9]{1,4}[.eE_][0-9]{1,3}$/).filter((name) => !name.startsWith('_')),
  );
  const folder = fc.oneof(
    fc.constantFrom('', 'true/', '-x/', '0123/', 'null/', '1e3/', '~/'.slice(1), 'apps/-rf/', 'a.b/c_d/'),
    fc.stringMatching(/^([A-Za-z0-9._-]{1,4}\/){1,2}$/).filter((path) => !/(^|\/)\.+\//.test(path)),
  );
  const host = fc.constantFrom(
    ...['a.example', '[::1]:8443', '[2001:db8::1]', '127.0.0.1:8080', '0123.example', 'x-1.example:1'],
  );
  const stage = (selection: string) => ({ selection, names: ['ID', 'SECRET'] });
  type Facts = Parameters<typeof pipelineFile>[1];

  it('hands on exactly the names that it is given, in YAML 1.1 and 1.2', () => {
    fc.assert(
      fc.property(plain, plain, fc.array(host, { minLength: 1 }), folder, (one, two, hosts, where) => {
        for (const version of ['1.1', '1.2'] as const)
          for (const system of systems) {
            const read = (facts: Omit<Facts, 'hosts'>) =>
              parse(pipelineFile(system, { ...facts, hosts }, where), { version });
            const single = read({ shape: 'one', stages: [stage(one)] });
            const double = read({ shape: 'promotion', stages: [stage(one), stage(two)] });
            const [env, both] = [single.env ?? single.variables, double.env ?? double.variables];
            expect([env.TENANTCTL_ENV, both.TENANTCTL_FIRST, both.TENANTCTL_NEXT]).toEqual([one, one, two]);
            const environments = ['zzz', ...new Set([one, two])];
            expect(
              selectEnvironments([env.TENANTCTL_ENV], { environments, groups: {}, defaultEnvironment: null }),
            ).toEqual([one]);
            const allowed = env.TENANTCTL_ALLOWED_HOSTS.split(',').flatMap(
              (each: string) => parseAllowedHost(each) ?? [],
            );
            for (const each of hosts) expect(isAllowed(allowed, `https://${each}`)).toBe(true);
            if (where === '') continue;
            const dir = where.slice(0, -1);
            if (single.jobs) expect(single.defaults.run['working-directory']).toBe(dir);
            else expect(single.default.before_script[0]).toBe(`cd './${dir}'`);
            const text = JSON.stringify(single);
            expect(text).toContain(`${where}plan.`);
            expect(text).toContain(`${where}result.json`);
          }
      }),
      { numRuns: runs(200) },
    );
  });

  it.each(['true', '-x', '0123', '-rf'])('in the folder %s works, and passes actionlint', async (where) => {
    for (const file of ['.git/HEAD', `${where}/own.txt`]) write(file, '');
    // The option parser takes no folder that looks like an option.
    await expectEnd(runProgram(['init', '.'], { cwd: join(dir, where), env: {} }), 0);
    const cd = parse(read('.gitlab-ci.yml')).default.before_script[0];
    expect(
      execFileSync('bash', ['-c', `${cd}; cat own.txt tenantctl.yaml`], { cwd: dir, encoding: 'utf8' }),
    ).toBe(read(`${where}/tenantctl.yaml`));
    const workflow = read('.github/workflows/tenantctl.yaml');
    await expectSound(workflow);
    expect(parse(workflow).defaults.run['working-directory']).toBe(where);
  });

  it.each(['a,b', 'a*b', 'a{b}', '${{github.token}}', "a'b", 'a$b'])(
    'cannot carry the host %s.example, so nothing is written',
    async (odd) => {
      const init = ['init', '--identity', `https://${odd}.example`];
      await expectEnd(run(init), 1, `A pipeline cannot pass on the host "${odd}.example".`);
      expect(filesBelow(dir).size).toBe(0);
      await expectEnd(run([...init, '--pipelines', 'none']), 0);
    },
  );

  it.each(['i g a', 'a(b', 'größe', 'a b; $(x)'])('cannot name %s, so nothing is written', async (odd) => {
    write('.git/HEAD', '');
    await expectEnd(run(['init', odd]), 1, `A pipeline cannot pass on the folder "${odd}".`);
    expect(existsSync(join(dir, odd))).toBe(false);
    expect((await run(['init', odd, '--pipelines', 'none'])).stdout).toContain(`\n  cd '${odd}'\n`);
  });

  it('cannot carry a selection that GitLab would read, so nothing is written', async () => {
    const environments = { a: { sandbox: {} }, b: { sandbox: {} } };
    write('tenantctl.yaml', JSON.stringify({ version: 1, environments }));
    const told = 'A pipeline cannot pass on the environment "[$a]".';
    await expectEnd(run(['init', '--promote', '[$a]', 'b']), 1, told);
    expect(existsSync(join(dir, '.gitignore'))).toBe(false);
  });

  it('gets the variables of its environment only, however YAML reads the name', async () => {
    const tenant = (name: string) =>
      `{ identity: { baseUrl: "https://${name}.example", auth: { token: !secret ${name.toUpperCase()}_TOKEN } } }`;
    write(
      'tenantctl.yaml',
      `version: 1\ndefaultEnvironment: '1e3'\nenvironments:\n  1e3: ${tenant('one')}\n  'null': ${tenant('two')}\n`,
    );
    await expectEnd(run(['init']), 0);
    expect(new Set(read('.github/workflows/tenantctl.yaml').match(/secrets\.\w+/g))).toEqual(
      new Set(['secrets.ONE_TOKEN']),
    );
  });
});
