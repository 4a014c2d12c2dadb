/** `init` for a tenant: what it finds out, asks, writes and keeps. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { presets } from '../../src/kinds/project.ts';
import { fillHost, worldOf } from '../support/hosts.ts';
import { type Sandbox, type SandboxOptions, startSandbox, variationsFrom } from '../support/sandbox.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import { expectSound } from '../support/workflows.ts';
import {
  createTestFolder,
  expectEnd,
  filesBelow,
  runProgram,
  type World,
  writesIn,
} from '../support/world.ts';

shortenPauses();

let dir: string;
let read: World['read'];
let write: World['write'];
beforeEach(() => {
  ({ dir, read, write } = createTestFolder());
});

const run = (argv: readonly string[], env: NodeJS.ProcessEnv = {}) => runProgram(argv, { cwd: dir, env });
const change = (path: string, edit: (text: string) => string) => write(path, edit(read(path)));
const project = () => parse(read('tenantctl.yaml'), { logLevel: 'silent' });

/** Starts a tenant that departs from the contract, and returns what it takes to reach it. */
async function host(...variations: string[]) {
  const { other: tenant, both } = await anotherHost({ variations: variationsFrom(variations) });
  return { tenant, env: credentialsOf(tenant), both };
}

const credentialsOf = ({ clientId, clientSecret }: Sandbox, name = 'TENANT') => ({
  [`${name}_CLIENT_ID`]: clientId,
  [`${name}_CLIENT_SECRET`]: clientSecret,
});

/** Starts another tenant, with the same client. */
async function anotherHost(options: SandboxOptions) {
  const other = await startSandbox({ clientSecret: 'hunter2-hunter2', rateLimit: null, ...options });
  onTestFinished(() => other.close());
  if (options.seed !== null) fillHost(other.state);
  return { other, both: ['--identity', other.url, '--profiles', other.url] };
}

const pipelines = ['.github/workflows/tenantctl.yaml', '.gitlab-ci.yml'];
const tickets = 'kind: SimIntegration\nname: Tickets\ntype: Other\nattributes: { password: !secret SNOW }\n';

/** Runs `init` for somebody at a terminal who types these lines. */
const typed = (lines: readonly string[], argv: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
  runProgram(['init', ...argv], { cwd: dir, env, typed: lines.map((line) => `${line}\n`).join('') });

describe('the settings that init writes for a host', () => {
  /** What the sections of the environment say besides address and credentials. */
  const settings = () => {
    const { identity, profiles } = project().environments.production;
    const { baseUrl: _, auth: __, ...ofIdentity } = identity;
    const { baseUrl: ___, ...ofProfiles } = profiles;
    return { ...ofIdentity, ...ofProfiles };
  };

  const header = { experimentalHeader: 'X-Acme-Preview' };
  const searches = { profileSearchObjectType: 'condition_object_type' };
  const { paths } = worldOf({ identityPaths: 'own' }).identity ?? {};
  it.each<[string, object]>([
    ['', {}],
    [
      'experimentalHeader=X-Acme-Preview jsonText=object ruleObjectType=condition_object_type',
      { ...header, jsonText: 'object', ...searches },
    ],
    [
      'headerMissing=unnamed experimentalFor=integrations experimentalHeader=X-SailPoint-Experimental',
      { experimentalHeader: 'X-SailPoint-Experimental' },
    ],
    ['ruleObjectType=attribute_class', { preset: 'sailpoint-nerm' }],
    [
      'identityPaths=own experimentalHeader=X-Acme-Preview jsonText=object',
      { ...header, paths, jsonText: 'object' },
    ],
    // A read cannot tell these, or tenantctl understands them without a setting.
    [
      'jsonText=map simStatusMap=hidden simSecrets=absent collections=wrapped simPatchBody=array bulkDelete=forbidden',
      {},
    ],
    [
      'slackTeams=object simStatusMap=attributes simSecrets=encrypted simPatchOps=replace collections=bare unknownFilter=ignored offsetZero=refused offsetBeyondEnd=refused',
      {},
    ],
    ['emptyAsNull=true shuffleLists=true domainPages=ignored mailFromMissing=notFound', {}],
  ])('are right: %s', async (vary, expected) => {
    const { tenant, env, both } = await host(...vary.split(' ').filter((each) => each !== ''));
    tenant.state.simIntegrations.forEach((each) => {
      each.attributes = { url: 'https://desk.example' };
    });
    const { stderr } = await expectEnd(run(['init', ...both, '--pipelines', 'none'], env), 0);
    expect(settings()).toEqual(expected);
    for (const [name, value] of Object.entries(expected)) {
      const [shown, written] = name === 'paths' ? ['{ ', '\n'] : [`${value}, since `, ` ${value}\n`];
      expect(stderr).toContain(`.${name}: ${shown}`);
      expect(read('tenantctl.yaml')).toMatch(
        new RegExp(`# Detected by \`tenantctl init\`: .*\\n +${name}:${written}`),
      );
    }
    // With them the tenant can be planned, and nothing was written to it.
    await expectEnd(run(['plan', '--detailed-exitcode'], env), 0);
    expect(writesIn(tenant.log)).toEqual([]);
  });
});

describe('what init learns where little shows it', () => {
  it('is the form of JSON from chat templates, where there is no integration', async () => {
    const { tenant, env, both } = await host('jsonText=object', 'slackTeams=object');
    tenant.state.simIntegrations.length = 0;
    // Also of the vendor's defaults, where nothing is customised.
    tenant.state.templates.length = 0;
    await expectEnd(
      run(['init', ...both, '--pipelines', 'none'], env),
      0,
      'identity.jsonText: object, since templates have `slackTemplate`',
    );
    expect(project().environments.production.identity).toMatchObject({ jsonText: 'object' });
  });

  it('is the class of attributes from live rules, where the attributes cannot be read', async () => {
    const { tenant, env, both } = await host('ruleObjectType=attribute_class');
    tenant.faults.add({ kind: 'status', status: 403, path: '/api/ne_attributes', times: 99 });
    const { stderr } = await run(['init', ...both, '--pipelines', 'none'], env);
    expect(stderr).toMatch(
      /profileSearchObjectType: attribute_class, since the rules .* such as `\w+Attribute`/,
    );
  });

  it.each([
    ['acme.api.identitynow.com', 'acme.nonemployee.com', ['sailpoint-isc', 'sailpoint-nerm']],
    ['acme.api.identitynow-demo.com', 'profiles.acme.example', ['sailpoint-isc', undefined]],
    ['acme.api.identitynow.com.acme.example', 'a.nonemployee.com.acme.example', [undefined, undefined]],
  ])('is the preset from the names of hosts: %s, %s', async (identity, profiles, expected) => {
    const urls = ['--identity', `https://${identity}`, '--profiles', `https://${profiles}`];
    await expectEnd(run(['init', ...urls, '--pipelines', 'none']), 0);
    const { production } = project().environments;
    expect([production.identity.preset, production.profiles.preset]).toEqual(expected);
    const comment = /# Detected by `tenantctl init`: hosts of SailPoint .* are named \*\./;
    if (expected[0]) expect(read('tenantctl.yaml')).toMatch(comment);
  });

  it('is said by `check` of an existing project, unless it has the preset or its settings', async () => {
    const { other: tenant } = await anotherHost({ presets: ['sailpoint-isc'] });
    const env = credentialsOf(tenant);
    const urls = ['--identity', tenant.url, '--pipelines', 'none'];
    const again = async (change: (text: string) => string) => {
      write('tenantctl.yaml', change(read('tenantctl.yaml')));
      return (await run(['check'], env)).stdout.replaceAll(/\s+/g, ' ');
    };
    await run(['init', ...urls], env);
    expect(await again((text) => text)).not.toContain('Missing in');
    const added = await again((text) => text.replace('preset: sailpoint-isc', 'jsonText: text'));
    expect(added).toContain('Missing in the environment, needed for reads: identity.preset: sailpoint-isc');
    // A setting of the file's own wins over the preset, so that it has to go too.
    const other = await again((text) => text.replace('jsonText: text', 'experimentalHeader: X-Own'));
    expect(other).toContain('identity.experimentalHeader: X-SailPoint-Experimental, since');
    await again((text) => text.replace('experimentalHeader: X-Own', 'jsonText: text'));
    const settings = Object.entries(presets['sailpoint-isc'].settings).map((each) => each.join(': '));
    const single = await again((text) => text.replace('jsonText: text', settings.join('\n      ')));
    expect(single).not.toContain('Missing in');
  });
});

describe('a project for a tenant', () => {
  it('begins with an export, in the terms of the tenant, with nothing of the examples', async () => {
    const { env, both } = await host();
    const { stdout } = await expectEnd(
      run(['init', ...both], env),
      0,
      /^Signed in to http.* Found: 2 VerifiedDomain, 2 SenderAddress, /m,
    );
    expect(project()).toMatchObject({ defaultEnvironment: 'production' });
    expect(Object.keys(project().environments)).toEqual(['production']);
    expect(read('tenantctl.yaml')).toContain('environments:\n  production:\n');
    expect(existsSync(join(dir, 'sandbox.seed.yaml'))).toBe(false);
    for (const path of ['tenantctl.yaml', ...pipelines, 'package.json'])
      expect(read(path)).not.toMatch(/acme|SNOW/i);
    expect(stdout).toMatch(
      / {2}# Set what `plan` asks for, .*\n( {2}export SIM_\w+=…\n)+ {2}npx --no-install tenantctl plan\n$/,
    );
  });

  it('begins with examples that its own services know', async () => {
    const env = { TENANT_CLIENT_ID: 'a', TENANT_CLIENT_SECRET: 'b', SNOW_PASSWORD: 'c' };
    const init = ['--identity', 'https://a.example', '--from', 'examples'];
    for (const [folder = '', ...more] of [['without'], ['with', '--profiles', 'https://profiles.example']]) {
      await run(['init', folder, ...init, ...more]);
      const argv = ['validate', '-e', 'production', '--config', `${folder}/tenantctl.yaml`];
      await expectEnd(run(argv, env), 0);
      const { stdout } = await run(['get', '--declared', 'ProfileSearch/**', ...argv.slice(1)], env);
      expect(stdout.includes('ProfileSearch')).toBe(folder === 'with');
    }
  });

  it('works without the profile-management service, and says what is left out', async () => {
    const { tenant, env } = await host();
    await expectEnd(
      run(['init', '--identity', tenant.url], env),
      0,
      'ProfileSearch is left out: the `profiles` service is missing in production.\n',
    );
    expect(read('tenantctl.yaml')).not.toContain('profiles');
    expect([...filesBelow(dir).keys()].filter((path) => path.includes('search'))).toEqual([]);
    // A later export says the same, and an error only where the kind is asked for.
    await expectEnd(run(['export', '--out', 'again'], env), 0, 'ProfileSearch is left out');
    await expectEnd(run(['export', '--out', 'more', '--kinds', 'ProfileSearch'], env), 1, '[no-endpoint]');
    expect(existsSync(join(dir, 'config/sender-addresses.yaml'))).toBe(true);
  });

  it('takes the own paths of those resources that answer there, and of no other', async () => {
    const { env } = await host();
    const { both } = await anotherHost({
      variations: variationsFrom(['identityPaths=own']),
      faults: [{ kind: 'status', status: 404, path: '/sim-integrations/v1' }],
    });
    const left = 'SimIntegration is left out: Reading SimIntegration: GET /v2024/sim-integrations';
    await expectEnd(run(['init', ...both], env), 0, left);
    const { paths } = worldOf({ identityPaths: 'own' }).identity ?? {};
    const found = project().environments.production.identity.paths;
    expect({ ...found, SimIntegration: '/sim-integrations/v1' }).toEqual(paths);
    expect(found).not.toHaveProperty('SimIntegration');
  });

  it('leaves out what the tenant refuses to list, or the defaults of which, with its reason', async () => {
    const { env } = await host();
    const refuse = (path: string) =>
      ({ kind: 'status', status: 403, path, times: Number.POSITIVE_INFINITY }) as const;
    const { both } = await anotherHost({
      faults: [refuse('/v2024/sim-integrations'), refuse('/v2025/notification-template-defaults')],
    });
    const left = [
      'SimIntegration is left out: Reading SimIntegration: GET /v2024/sim-integrations',
      'NotificationTemplate is left out: Reading NotificationTemplate: GET /v2025/notification-template-defaults',
    ];
    await expectEnd(run(['init', ...both], env), 0, ...left);
    expect(existsSync(join(dir, 'config/sim-integrations'))).toBe(false);
    expect(existsSync(join(dir, 'config/auth-profiles'))).toBe(true);
  });

  it('is not written with a wrong secret, or for a host that does not answer, which is said at once', async () => {
    const { env, both, tenant } = await host();
    const wrong = { ...env, TENANT_CLIENT_SECRET: 'wrong-wrong' };
    const refused = await expectEnd(
      run(['init', ...both], wrong),
      1,
      'refused the credentials',
      '[tenant-unauthorized]',
    );
    await tenant.close();
    const codes = /\[(tenant-unreachable|token-endpoint)\]/;
    const silent = await expectEnd(run(['init', ...both], env), 1, 'refuses the connection', codes);
    // The project file that a place would be in does not exist.
    for (const { stdout, stderr } of [refused, silent])
      expect([stdout, stderr]).toEqual(['', expect.not.stringContaining('tenantctl.yaml:')]);
    expect(filesBelow(dir).size).toBe(0);
  });

  it('is not written where the header that the tenant asks for is not its own to choose', async () => {
    const { tenant, env } = await host('experimentalHeader=Authorization');
    await expectEnd(run(['init', '--identity', tenant.url], env), 1, 'experimental');
    expect(filesBelow(dir).size).toBe(0);
  });

  it('is written without credentials too, and says what to set and do', async () => {
    const urls = ['--identity', 'https://one.example', '--profiles', 'https://two.example'];
    const { stdout } = await expectEnd(run(['init', ...urls]), 0);
    expect(stdout).toMatch(
      /export TENANT_CLIENT_ID=…\n.*TENANT_CLIENT_SECRET=…\n {2}npx --no-install tenantctl export\n {2}npx --no-install tenantctl plan\n$/,
    );
    expect(project().environments.production).toMatchObject({
      identity: { baseUrl: 'https://one.example' },
      profiles: { baseUrl: 'https://two.example' },
    });
    expect(existsSync(join(dir, 'config'))).toBe(false);
  });

  it('is read by `init` only once, and `check` says the settings that it lacks', async () => {
    const { tenant, env } = await host('identityPaths=own', 'experimentalHeader=X-Acme-Preview');
    await run(['init', '--identity', tenant.url]);
    const { stdout, stderr } = await run(['init'], env);
    expect({ stderr, requests: tenant.log.length }).toEqual({ stderr: '', requests: 0 });
    expect(stdout).toMatch(/ {2}npx --no-install tenantctl export\n {2}npx --no-install tenantctl plan\n$/);
    const checked = (await run(['check'], env)).stdout.replaceAll(/\s+/g, ' ');
    const missing = 'Missing in the environment, needed for reads: identity';
    expect(checked).toContain(`${missing}.experimentalHeader: X-Acme-Preview, since the tenant asked`);
    expect(checked).toContain(
      `${missing}.paths: { VerifiedDomain: /verified-domains/v1, … } (11 members), since`,
    );
  });

  it.each(['--identity', '--profiles'])('is not written with a version of the API in %s', async (name) => {
    const urls = { '--identity': 'https://one.example', '--profiles': 'https://two.example' };
    const given = Object.entries({ ...urls, [name]: 'https://one.example/v2025' }).flat();
    const told = new RegExp(`${name} cannot be used: .* must end before\\s+\`/v2025\``, 's');
    await expectEnd(run(['init', ...given]), 1, told);
    expect(filesBelow(dir).size).toBe(0);
  });

  it('takes its credentials from .env', async () => {
    const { tenant, env } = await host();
    const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
    write('.env', lines.join(''));
    const { stdout, stderr } = await run(['init', '--identity', tenant.url]);
    expect(stderr).toContain('Signed in');
    expect(stdout).not.toContain('export TENANT_');
  });
});

describe('the questions', () => {
  it('take empty answers for the presets, and are not asked with --yes', async () => {
    await typed(['', '']);
    const before = filesBelow(dir);
    rmSync(dir, { recursive: true });
    mkdirSync(dir);
    expect((await typed([], ['--yes'])).stderr).toBe('');
    expect(filesBelow(dir)).toEqual(before);
  });

  it.each([[[]], [['--identity', 'https://one.example']]])(
    'are not about a tenant where the project exists, or options name one: %j',
    async (argv) => {
      if (argv.length === 0) write('tenantctl.yaml', 'version: 1\n');
      await expectEnd(typed(['none'], argv), 0, /^A pipeline for [^\n]*$/);
    },
  );

  it('leave nothing behind when the answers end', async () => {
    for (const lines of [['sandbox'], ['tenant'], ['tenant', 'https://one.example', '-', '']]) {
      expect(await typed(lines)).toMatchObject({ code: 130, stdout: '' });
      expect(filesBelow(dir).size).toBe(0);
    }
  });

  it('are asked again for what cannot be, without repeating it', async () => {
    const lines = ['tenant', 'no address', 'https://me:hunter2@one.example', 'http://one.example'];
    const { stderr } = await expectEnd(
      typed([...lines, 'https://one.example', '-', '', 'github']),
      0,
      'it is not a URL such as',
      'must begin with https://',
    );
    expect(stderr).not.toContain('hunter2');
    expect(project().environments.production.identity).toMatchObject({ baseUrl: 'https://one.example' });
    expect(read('tenantctl.yaml')).not.toContain('profiles:');
    expect(existsSync(join(dir, '.gitlab-ci.yml'))).toBe(false);
  });

  it('lead to a check of the tenant', async () => {
    const { tenant, env } = await host();
    await expectEnd(typed(['tenant', tenant.url, '-', '', 'none'], [], env), 0, /Signed in to .* Found: /);
    const wrong = { ...env, TENANT_CLIENT_SECRET: 'wrong-wrong' };
    rmSync(dir, { recursive: true });
    mkdirSync(dir);
    await expectEnd(typed(['tenant', tenant.url, '-', ''], [], wrong), 1, /refused the\s+credentials/);
    expect(filesBelow(dir).size).toBe(0);
  });
});

describe('an existing project', () => {
  const tenant = 'identity: { baseUrl: "http://127.0.0.1:1", auth: { token: !secret TOKEN } }';
  const writeProject = (environments: string) => {
    write('tenantctl.yaml', `version: 1\n${environments}`);
    write('config/tickets.yaml', tickets);
  };

  it('is told which of its credentials are not set, as a new one is', async () => {
    writeProject(`environments: { live: { ${tenant} } }\n`);
    const { stdout } = await run(['init']);
    expect(stdout).toMatch(/ {2}# Set what `plan` asks for, .*:\n {2}export SNOW=…\n {2}export TOKEN=…\n/);
    write('.env', 'TOKEN=x\n');
    const again = await run(['init'], { SNOW: 'y' });
    expect(again.stdout).not.toMatch(/export (?:TOKEN|SNOW)/);
  });

  it('is told of none where its plans read an embedded tenant', async () => {
    writeProject(
      `defaultEnvironment: trial\nenvironments: { trial: { sandbox: {} }, live: { ${tenant} } }\n`,
    );
    expect((await run(['init'])).stdout).not.toContain('export TOKEN');
    expect((await run(['init', '--promote', 'trial', 'live'])).stdout).toContain('export TOKEN=…\n');
  });
});

describe('several tenants', () => {
  const three = ['test', 'eu', 'us'].flatMap((name) => ['--identity', `${name}=https://${name}.example`]);

  it('are environments with credentials of their own, and all but the first a group', async () => {
    const { stdout } = await expectEnd(
      run(['init', ...three, '--profiles', 'us=https://profiles.example']),
      0,
    );
    const { environments, groups, defaultEnvironment } = project();
    expect(Object.keys(environments)).toEqual(['test', 'eu', 'us']);
    expect(environments.us).toMatchObject({
      identity: { baseUrl: 'https://us.example', auth: { clientId: 'US_CLIENT_ID' } },
      profiles: { baseUrl: 'https://profiles.example' },
    });
    expect(environments.eu).not.toHaveProperty('profiles');
    expect({ groups, defaultEnvironment }).toEqual({
      groups: { production: ['eu', 'us'] },
      defaultEnvironment: 'test',
    });
    expect(stdout).toMatch(
      / {2}npx --no-install tenantctl export -e us\n {2}npx --no-install tenantctl plan -e test -e @production\n$/,
    );
    const { stdout: listed } = await run(['env', 'list']);
    expect(listed).toMatch(/\ntest \(default\)\neu +@production\nus +@production\n$/);
  });

  it('of an existing project without a default are named in the next commands and in the pipelines', async () => {
    const tenant = (name: string) =>
      `  ${name}: { identity: { baseUrl: "https://${name}.example", auth: { token: !secret TOKEN } } }\n`;
    write('tenantctl.yaml', `version: 1\nenvironments:\n${tenant('test')}${tenant('eu')}`);
    const { stdout } = await expectEnd(run(['init']), 0);
    expect(stdout).toContain('# The pipelines are for eu. For several environments, run');
    expect(stdout).toMatch(
      / {2}npx --no-install tenantctl export -e eu\n {2}npx --no-install tenantctl plan -e '\*'\n$/,
    );
    for (const path of pipelines) {
      expect(read(path)).toMatch(/^ +TENANTCTL_ENV: 'eu'$/m);
      expect(read(path)).toMatch(/^ +TENANTCTL_ALLOWED_HOSTS: 'eu\.example'$/m);
    }
  });

  it('with the examples have a password each for the ticket system', async () => {
    await run(['init', ...three, '--from', 'examples']);
    expect(project().environments.eu.variables.snowPassword).toBe('EU_SNOW_PASSWORD');
    expect((await run(['validate', '-e', '*'], { TEST_CLIENT_ID: 'x' })).stderr).not.toContain('SNOW');
  });

  it('are exported from the last one, with the settings that each needs', async () => {
    const { tenant: last } = await host('experimentalHeader=X-Acme-Preview');
    const { other: first } = await anotherHost({ seed: null });
    const urls = ['--identity', `test=${first.url}`, '--identity', `live=${last.url}`];
    const env = { ...credentialsOf(first, 'TEST'), ...credentialsOf(last, 'LIVE') };
    await expectEnd(run(['init', ...urls], env), 0, /Found: 0 VerifiedDomain[\s\S]*Found: 2 VerifiedDomain/);
    const { test, live } = project().environments;
    expect(live.identity.experimentalHeader).toBe('X-Acme-Preview');
    expect(test.identity).not.toHaveProperty('experimentalHeader');
    const plan = ['plan', '-e', 'live', '--detailed-exitcode', '--only', 'SenderAddress/*'];
    await expectEnd(run(plan, env), 0);
  });

  it.each([
    [['--identity', 'https://a.example', '--identity', 'https://b.example'], 'each needs a name'],
    [['--identity', 'a=https://a.example', '--identity', 'a=https://b.example'], 'each needs a name'],
    [
      ['--identity', 'a=https://a.example', '--profiles', 'b=https://b.example'],
      'no --identity of that name',
    ],
    [['--profiles', 'https://b.example'], 'needs the base URL of its identity service'],
    [['--identity', 'a=https://user:hunter2@a.example'], '--identity cannot be used'],
  ])('are refused before anything is written: %j', async (argv, message) => {
    const { stderr } = await expectEnd(run(['init', ...argv]), 1, message);
    expect(filesBelow(dir).size).toBe(0);
    expect(stderr).not.toContain('hunter2');
  });

  it('are asked for after the first one, by their names', async () => {
    const first = ['tenant', 'https://test.example', '-'];
    const second = ['production', 'https://live.example', '-'];
    const { stderr } = await expectEnd(
      typed([...first, ...second, 'production', '-', 'production', '', 'none']),
      0,
    );
    expect(stderr.match(/Please give a new name/g)).toHaveLength(2);
    expect(project().environments).toMatchObject({
      test: { identity: { baseUrl: 'https://test.example', auth: { clientId: 'TEST_CLIENT_ID' } } },
      production: { identity: { auth: { clientId: 'PRODUCTION_CLIENT_ID' } } },
    });
  });
});

describe('a tenant that a project gets', () => {
  const two = ['--identity', 'test=https://test.example', '--identity', 'eu-1=https://eu.example'];
  const other = ['--identity', 'us-2=https://us.example'];

  it('has a file of its own, and everything else is kept', async () => {
    await run(['init', ...two, '--from', 'examples', '--pipelines', 'none']);
    const project = read('tenantctl.yaml');
    const { stdout } = await expectEnd(run(['init', ...other, '--pipelines', 'none']), 0);
    expect(read('tenantctl.yaml')).toBe(project);
    expect(parse(read('environments/us-2.yaml').replaceAll(/!\w+ /g, ''))).toEqual({
      identity: {
        baseUrl: 'https://us.example',
        auth: { clientId: 'US_2_CLIENT_ID', clientSecret: 'US_2_CLIENT_SECRET' },
      },
      limits: expect.objectContaining({ maxDeletes: 10 }),
    });
    expect(stdout).toContain('created   environments/us-2.yaml');
    expect(stdout).not.toContain('has the environment');
    expect(stdout).toContain('variables that `npx --no-install tenantctl validate -e us-2` asks for');
    expect(stdout.match(/export \S+=/g)).toEqual(['export US_2_CLIENT_ID=', 'export US_2_CLIENT_SECRET=']);
    expect(stdout).toContain('npx --no-install tenantctl plan -e us-2');
    const again = await run(['init', ...other, '--pipelines', 'none']);
    expect(again.stdout).toContain('The project has the environment us-2.');
    const missing = await run(['validate', '-e', 'us-2'], { US_2_CLIENT_ID: 'x' });
    expect(missing.stderr + missing.stdout).toContain('The environment us-2 has no variable `cluster`.');
  });

  const third = [...two, '--identity', 'eu-2=https://eu2.example'];
  /** Makes a project of tenants with pipelines, edits it, and adds `us-2`. */
  const addTo = async (tenants: readonly string[], edit: () => void = () => {}, argv = other) => {
    await run(['init', ...tenants, '--from', 'export']);
    edit();
    const { stdout } = await expectEnd(run(['init', ...argv]), 0);
    return stdout;
  };

  it.each<[string, readonly string[], RegExp, string, string]>([
    [
      'the only tenant',
      ['--identity', 'https://one.example'],
      /^ {2}TENANTCTL_ENV: 'production,us-2'$/m,
      'production',
      'production',
    ],
    ['the second of two', two, /^ {2}TENANTCTL_NEXT: 'eu-1,us-2'$/m, 'eu-1', 'eu-1'],
    ['a group', third, /^ {2}TENANTCTL_NEXT: '@production,us-2'$/m, '@production', 'production'],
  ])('joins %s in pipelines as they were made', async (_what, tenants, selection, neighbours, deployment) => {
    await run(['init', ...tenants, '--from', 'export']);
    const before = read('tenantctl.yaml');
    const { stdout } = await run(['init', ...other]);
    expect(read('tenantctl.yaml')).toBe(before);
    for (const path of pipelines) {
      expect(stdout).toMatch(new RegExp(`updated +${path}`));
      expect(read(path)).toMatch(selection);
      expect(read(path)).toMatch(/HOSTS: '.*,us\.example'$/m);
    }
    const workflow = read('.github/workflows/tenantctl.yaml');
    const places = (name: string) => workflow.split(`: \${{ secrets.${name}_CLIENT_SECRET }}`).length;
    expect(places('US_2')).toBe(places(tenants === two || tenants === third ? 'EU_1' : 'TENANT'));
    await expectSound(workflow);
    expect(workflow).toMatch(new RegExp(`environment: '?${deployment}'?$`, 'm'));
    expect(stdout).toContain(`Pipelines apply to us-2 in one step with ${neighbours}.`);
    expect(stdout).toContain(
      `set US_2_CLIENT_ID and US_2_CLIENT_SECRET twice: of a client that may write, for the environment \`${deployment}\``,
    );
    // A further one comes beside it.
    await run(['init', '--identity', 'us-3=https://us3.example']);
    expect(read('.gitlab-ci.yml')).toContain('us-2,us-3');
  });

  it('changes no group whose glob matches it, and is said what an edited pipeline lacks', async () => {
    const globs = () => {
      change('tenantctl.yaml', (text) => text.replace('[eu-1, eu-2]', '[eu-*, us-*]'));
      for (const path of pipelines) change(path, (text) => `${text}# mine\n`);
    };
    const stdout = await addTo(third, globs);
    for (const path of pipelines) {
      expect(read(path)).not.toContain('us.example');
      expect(stdout).toContain(
        `# ${path} was edited, so it stays as it is. Change or add these lines in it:\n` +
          "  #   TENANTCTL_ALLOWED_HOSTS: 'test.example,eu.example,eu2.example,us.example'\n",
      );
    }
    expect(stdout.match(/ {2}# {3}US_2_CLIENT_ID: .*/g)).toEqual([
      '  #   US_2_CLIENT_ID: ${{ secrets.US_2_CLIENT_ID }}',
    ]);
    expect(stdout).toContain('# The credentials belong wherever those of @production stand.');
    expect(stdout).not.toContain('Pipelines apply to us-2');
    expect(read('tenantctl.yaml')).toContain('production: [eu-*, us-*]\n');
  });

  it('joins pipelines that were made before the manifests named secrets, and which keep what else they allow', async () => {
    const stdout = await addTo(two, () => {
      write('config/tickets.yaml', tickets);
      for (const path of pipelines)
        change(path, (text) => text.replace('test.example,', 'test.example,my.example,'));
    });
    for (const path of pipelines) {
      expect(stdout).toMatch(new RegExp(`updated +${path}`));
      expect(read(path)).toMatch(/HOSTS: 'test\.example,eu\.example,us\.example,my\.example'$/m);
    }
    expect(read('.github/workflows/tenantctl.yaml')).toContain('SNOW: ${{ secrets.SNOW }}');
  });

  it('gets other jobs beside an edited pipeline that has none for several tenants', async () => {
    const stdout = await addTo(['--identity', 'https://one.example'], () =>
      change('.gitlab-ci.yml', (text) => `${text}# mine\n`),
    );
    expect(stdout).toContain('updated   .github/workflows/tenantctl.yaml');
    expect(stdout).toContain(
      '# .gitlab-ci.yml stays as it is: take over the jobs of tenantctl.gitlab-ci.yml, then delete that file.',
    );
    expect(read('.gitlab-ci.yml')).toContain("TENANTCTL_ENV: 'production'\n");
    expect(read('tenantctl.gitlab-ci.yml')).toContain("TENANTCTL_ENV: 'production,us-2'\n");
  });

  it('comes first where --promote says so, in pipelines that promoted nothing', async () => {
    const stdout = await addTo(['--identity', 'https://one.example'], undefined, [
      ...['--identity', 'test=https://test.example', '--promote', 'test', 'production'],
    ]);
    for (const path of pipelines) {
      expect(stdout).toMatch(new RegExp(`updated +${path}`));
      expect(read(path)).toMatch(/TENANTCTL_FIRST: 'test'\n +TENANTCTL_NEXT: 'production'\n/);
    }
    expect(stdout).toContain('of a client that may write, for the environment `test`;');
  });

  it('is added to no pipeline that names what is not there', async () => {
    await run(['init', ...two, '--from', 'export']);
    change('.gitlab-ci.yml', (text) => text.replace("NEXT: 'eu-1'", 'NEXT: gone'));
    rmSync(join(dir, '.github'), { recursive: true });
    const { code, stderr } = await run(['init', ...other]);
    expect({ code, there: existsSync(join(dir, 'environments')) }).toEqual({ code: 1, there: false });
    expect(stderr).toContain('The pipelines: There is no environment `gone`.');
  });

  it('brings no pipelines into a project that has none', async () => {
    await run(['init', '--identity', 'https://one.example', '--from', 'export', '--pipelines', 'none']);
    const { stdout } = await run(['init', ...other]);
    expect(stdout).toContain('created   environments/us-2.yaml');
    expect(stdout).not.toMatch(/pipeline is for|\.gitlab-ci\.yml|workflows/);
    const asked = await run(['init', '--identity', 'us-3=https://us3.example', '--pipelines', 'gitlab']);
    expect(asked.stdout).toContain('created   .gitlab-ci.yml');
    rmSync(join(dir, '.gitlab-ci.yml'));
    const promoting = ['--identity', 'us-4=https://us4.example', '--promote', 'us-3', 'us-4'];
    expect((await run(['init', ...promoting])).stdout).toContain('created   .gitlab-ci.yml');
  });
});
