/** The pipelines of `init` for several tenants, run step by step against embedded tenants; only their systems are played. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { pipelineFile, readPipelineFacts } from '../../src/commands/init/pipelines.ts';
import { get, type Json } from '../../src/model/json.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { commitAll, git } from '../support/repository.ts';
import { startSandbox } from '../support/sandbox.ts';
import { expectSound } from '../support/workflows.ts';
import { expectEnd, runProgram } from '../support/world.ts';
import { expectWhatMatters, longPlanManifests, prepareForLongPlan } from './long-plan.ts';
import { createRunner, member, type Ran, type Runner } from './pipeline-runner.ts';
import { curl, gh, runGithubJob, runGitlabJob } from './played-ci-systems.ts';

const hasJq = spawnSync('jq', ['--version']).status === 0;

let test: Sandbox;
let production: Sandbox;
let runner: Runner;

beforeEach(async () => {
  test = await startSandbox({ rateLimit: null });
  production = await startSandbox({ rateLimit: null });
  runner = await createRunner({ gh, curl });
  const tenants = ['--identity', `test=${test.url}`, '--identity', `production=${production.url}`];
  await expectEnd(init(...tenants, '--from', 'examples'), 0);
  runner.write('package-lock.json', '{}');
  rmSync(join(runner.dir, 'config'), { recursive: true });
  await runner.shell('mkdir config', {});
  runner.write('hub.json', JSON.stringify({ pulls: [], comments: [], statuses: [] }));
  // The examples protect what the test removes, and say how all templates of production differ.
  const text = runner.read('tenantctl.yaml').replaceAll(/^ +- SenderAddress\/\*\n/gm, '');
  runner.write('tenantctl.yaml', text.replaceAll(/^ +limits: .*$/gm, '    limits: { settle: 0s }'));
  declare('one@acme.example');
});
afterEach(async () => {
  await test.close();
  await production.close();
  runner.close();
});

const init = (...argv: readonly string[]) => runProgram(['init', ...argv], { cwd: runner.dir });
const declare = (...emails: readonly string[]) =>
  runner.write(
    'config/senders.yaml',
    emails.map((email) => `---\nkind: SenderAddress\nemail: ${email}\n`).join(''),
  );
const secrets = () => ({
  TEST_CLIENT_ID: test.clientId,
  TEST_CLIENT_SECRET: test.clientSecret,
  TEST_SNOW_PASSWORD: 'pw-4711',
  PRODUCTION_CLIENT_ID: production.clientId,
  PRODUCTION_CLIENT_SECRET: production.clientSecret,
  PRODUCTION_SNOW_PASSWORD: 'pw-4712',
});
const sendersOf = ({ state }: Sandbox) => state.senders.map(({ email }) => email).sort();
const hub = () => JSON.parse(runner.read('hub.json'));

const github = '.github/workflows/tenantctl.yaml';
const systems = [
  {
    file: github,
    runs: hasJq,
    job: (name: string, folder = ''): Promise<Ran> => {
      const event = { 'github.event.pull_request.number': '7' };
      return runGithubJob(runner, pipelineOf(github, folder), name, { event, secrets: secrets() });
    },
  },
  {
    file: '.gitlab-ci.yml',
    runs: true,
    job: (name: string, folder = ''): Promise<Ran> =>
      runGitlabJob(runner, pipelineOf('.gitlab-ci.yml', folder), name, { secrets: secrets() }),
  },
];
/** For a folder, the pipeline that `init` writes there: by a link, the runner's own folder is that one. */
function pipelineOf(path: string, folder: string): Json {
  if (folder === '') return fileOf(path);
  mkdirSync(join(runner.dir, 'apps'));
  symlinkSync('..', join(runner.dir, 'apps/iga'));
  const facts = readPipelineFacts(runner.dir, secrets(), ['test', 'production']);
  return parse(pipelineFile(path === github ? 'github' : 'gitlab', facts, folder));
}
const fileOf = (path: string): Json => parse(readFileSync(join(runner.dir, path), 'utf8'));

describe.each(systems.filter(({ runs }) => runs))('$file', ({ file, job }) => {
  it('plans all, applies to test, and to production what was proven there', async () => {
    expect(await job('plan')).toMatchObject({ code: 0 });
    const [comment] = hub().comments;
    expect(comment.body).toMatch(/^### tenantctl plan: 2 environments/);
    expect(comment.body).toContain('In 2 of 2: production, test');
    expect(comment.body).toMatch(/\[All files of this plan\]\(https:\/\/\S+\)\n?$/);
    if (file !== github) {
      expect(get(member(fileOf(file), 'plan', 'artifacts'), 'reports')).toEqual({
        terraform: 'plan.gitlab.json',
      });
      expect(JSON.parse(runner.read('plan.gitlab.json'))).toEqual({ create: 2, update: 0, delete: 0 });
    }
    expect([test, production].map(sendersOf)).toEqual([[], []]);

    expect(await job('first')).toMatchObject({ code: 0 });
    expect([test, production].map(sendersOf)).toEqual([['one@acme.example'], []]);
    const reviewed = await job('review');
    expect(reviewed).toMatchObject({ code: 0 });
    expect(reviewed.output).toContain('1 to create');
    expect(sendersOf(production)).toEqual([]);
    expect(await job('next')).toMatchObject({ code: 0 });
    expect(sendersOf(production)).toEqual(['one@acme.example']);
    expect(JSON.parse(runner.read('result.next.json'))).toMatchObject({
      outcome: 'done',
      planDigest: JSON.parse(runner.read('plan.next.json')).digest,
    });
    await job('applied');
    expect(hub().applied).toBe('m1');
    expect(await job('drift')).toMatchObject({ code: 0 });
  });

  it.each(['', 'apps/iga/'])(
    'comments a plan of 900 changes for each tenant within what GitHub takes, with what matters: %j',
    async (folder) => {
      for (const tenant of [test, production]) prepareForLongPlan(tenant);
      runner.write('config/senders.yaml', longPlanManifests());
      const planned = await job('plan', folder);
      expect(planned, planned.output).toMatchObject({ code: 0 });
      const [{ body }] = hub().comments;
      expect(body).toMatch(
        folder === '' ? /^### tenantctl plan: 2 env/ : /^\*\*apps\/iga\*\*\n\n### tenantctl plan: 2 env/,
      );
      expect(body).toMatch(/\[All files of this plan\]\(https:\/\/\S+\)\n?$/);
      expect(body.length).toBeLessThanOrEqual(65_536);
      expectWhatMatters(body, { tenants: 2 });
    },
  );

  it('asks nobody to approve what was not proven', async () => {
    await job('first');
    declare('one@acme.example', 'two@acme.example');
    const { code, output } = await job('review');
    expect(code).toBe(4);
    expect(output).toContain('SenderAddress/two%40acme.example is not proven');
    expect(output).not.toContain('one%40acme.example is not proven');
  });

  it('applies nothing to production after its plan is stale, or without the proof', async () => {
    await job('first');
    await job('review');
    const proof = runner.read('result.first.json');
    runner.write('result.first.json', proof.replace(/"proven": \{[^}]*\}/, '"proven": {}'));
    expect(await job('next')).toMatchObject({ code: 4 });
    runner.write('result.first.json', proof);
    production.state.senders.push(...test.state.senders);
    expect(await job('next')).toMatchObject({ code: 4 });
    expect(sendersOf(production)).toEqual(['one@acme.example']);
  });

  it('shows before the approval what differs in production', async () => {
    runner.write(
      'config/tickets.yaml',
      'kind: SimIntegration\nname: Tickets\ntype: ServiceNow Service Desk\ndescription: !var company\n',
    );
    await job('first');
    const { code, output } = await job('review');
    expect(code).toBe(0);
    expect(output.replaceAll(/\s+/g, ' ')).toContain('SimIntegration/Tickets differs here: ');
  });

  it('deletes in production what was removed, also where a later run tests it again', async () => {
    declare('one@acme.example', 'two@acme.example');
    for (const name of ['first', 'review', 'next']) await job(name);
    commitAll(runner.dir);
    git(runner.dir, 'tag', 'tenantctl-applied');
    declare('one@acme.example');
    for (const name of ['first', 'first', 'review', 'next'])
      expect(await job(name), name).toMatchObject({ code: 0 });
    expect([test, production].map(sendersOf)).toEqual([['one@acme.example'], ['one@acme.example']]);
  });

  it('proposes to take over what one tenant has, and says that the others get it too', async () => {
    const tickets = 'kind: SimIntegration\nname: Tickets\ntype: ServiceNow Service Desk\n';
    runner.write('config/all.yaml', `# Ours\n${tickets}description: Declared\n`);
    rmSync(join(runner.dir, 'config/senders.yaml'));
    await expectEnd(
      runProgram(['apply', '-e', 'test,production', '--yes'], { cwd: runner.dir, env: secrets() }),
      0,
    );
    runner.write('.gitignore', 'hub.json\nnpm.log\noutputs\nsummary.md\n.tenantctl\n');
    commitAll(runner.dir);
    git(runner.dir, 'tag', 'tenantctl-applied');
    git(runner.dir, 'clone', '--quiet', '--bare', '.', `${runner.dir}.git`);
    git(runner.dir, 'remote', 'add', 'origin', `${runner.dir}.git`);
    Object.assign(production.state.simIntegrations[0] ?? {}, { description: 'Changed there' });
    expect(await job('drift')).toMatchObject({ code: 2 });
    expect(git(runner.dir, 'status', '--porcelain', '--', 'config')).toBe('');
    expect(await job('propose')).toMatchObject({ code: 0 });
    const [request, ...others] = hub().requests;
    expect(others).toEqual([]);
    expect(request).toMatchObject({ title: 'Accept changes from the tenant production' });
    const text = String(request.body ?? request.description);
    expect(text).toMatch(/The other environments get it too[\s\S]*does in production if you close it/);
    const left = text.slice(text.indexOf('if you merge it.'));
    expect(left).toMatch(/SimIntegration\/Tickets[\s\S]*Changed there/);
    expect(left).toMatch(/\| test \|/);
    const proposed = ['show', 'tenantctl/drift-production:config/all.yaml'];
    expect(git(`${runner.dir}.git`, ...proposed)).toBe(`# Ours\n${tickets}description: Changed there`);
    rmSync(`${runner.dir}.git`, { recursive: true });
  });

  it('gives a job only the secrets of the tenants that it works on, and shows none', async () => {
    let output = '';
    for (const name of ['plan', 'first', 'review', 'next']) output += (await job(name)).output;
    for (const secret of [test.clientSecret, production.clientSecret, 'pw-471', 'hub-token', 'lab-token']) {
      expect(output + JSON.stringify(hub())).not.toContain(secret);
    }
    if (file !== github) return;
    const jobs = member(fileOf(file), 'jobs');
    const secretsOf = (name: string) =>
      JSON.stringify(member(jobs, name)).match(/secrets\.(TEST|PRODUCTION)/g);
    expect(new Set(secretsOf('first'))).toEqual(new Set(['secrets.TEST']));
    for (const name of ['review', 'next']) {
      expect(new Set(secretsOf(name))).toEqual(new Set(['secrets.PRODUCTION']));
    }
    expect(JSON.stringify(get(jobs, 'applied'))).not.toMatch(/secrets\.|"uses"|npm/);
  });

  it('waits for people before production, in an environment of its own', () => {
    const jobs = file === github ? member(fileOf(file), 'jobs') : member(fileOf(file));
    expect(get(member(jobs, 'first'), 'environment')).toBe('test');
    expect(get(member(jobs, 'next'), 'environment')).toBe('production');
    if (file === github) expect(get(member(jobs, 'next'), 'needs')).toBe('review');
    else
      expect(get(member(jobs, 'next'), 'rules')).toEqual(
        expect.arrayContaining([expect.objectContaining({ when: 'manual' })]),
      );
  });
});

describe('init --promote', () => {
  it.each(['yaml', 'yml'])('writes the pipelines of a project, with its groups: %s', async (ending) => {
    for (const path of [github, '.gitlab-ci.yml']) rmSync(join(runner.dir, path));
    const auth = 'auth: { clientId: !env EU_ID, clientSecret: !secret EU_SECRET } # !env NOT_USED';
    const text = runner.read('tenantctl.yaml').replace(/^ {2}production:$[\s\S]*/m, '');
    runner.write('tenantctl.yaml', `${text}\ngroups: { live: [eu] }\n`);
    await runner.shell('mkdir environments', {});
    runner.write(`environments/eu.${ending}`, `identity:\n  baseUrl: https://eu.example\n  ${auth}\n`);
    const { stdout } = await expectEnd(init('--promote', 'test', '@live'), 0);
    expect(stdout).toContain('tenantctl plan -e test -e @live\n');
    const workflow = fileOf(github);
    expect(member(workflow, 'env')).toMatchObject({ TENANTCTL_FIRST: 'test', TENANTCTL_NEXT: '@live' });
    expect(get(member(workflow, 'jobs', 'next'), 'environment')).toBe('live');
    expect(runner.read(github)).not.toContain('`production`');
    const [step] = runner.read(github).split('plan.next.json').slice(0, 1).join('').split('env:').slice(-1);
    expect(step?.match(/secrets\.\w+/g)).toEqual(['secrets.EU_ID', 'secrets.EU_SECRET']);
    await expectSound(runner.read(github));
    expect(member(fileOf('.gitlab-ci.yml'), 'variables')).toMatchObject({ TENANTCTL_NEXT: '@live' });
  });

  it('names the tenant to export, where the project has several and no manifests', async () => {
    rmSync(join(runner.dir, 'config'), { recursive: true });
    const { stdout } = await init('--promote', 'test', 'production');
    expect(stdout).toMatch(/^ {2}npx --no-install tenantctl export -e production$/m);
  });

  it('keeps a pipeline that promotes nothing, and says what to add to it', async () => {
    runner.write(github, runner.read(github).replaceAll('TENANTCTL_FIRST', 'OTHER'));
    const { stdout } = await init('--promote', 'test', 'production');
    expect(stdout).toContain(`# ${github} stays as it is: take over the jobs of tenantctl.github.yaml,`);
    expect(runner.read('tenantctl.github.yaml')).toContain('TENANTCTL_FIRST');
  });

  it.each([
    [['--promote', 'test', '@nobody'], '--promote: There is no group `@nobody`.'],
    [['other', '--promote', 'test', 'production'], 'takes environments of an existing project'],
  ])('refuses %j', async (argv, message) => {
    await expectEnd(init(...argv), 1, message);
  });
});
