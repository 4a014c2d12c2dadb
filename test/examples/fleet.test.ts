/** The examples for many tenants, run step by step against embedded tenants, each part as a machine of its own would. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { Fleet } from '../../src/model/documents.ts';
import { get, getText, isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createRunner, member, type Ran, type Runner } from '../commands/pipeline-runner.ts';
import { runGithubJob, runGitlabJob } from '../commands/played-ci-systems.ts';
import { startSandbox } from '../support/sandbox.ts';
import { expectSound } from '../support/workflows.ts';
import { runProgram } from '../support/world.ts';

const names = ['eu-1', 'eu-2', 'us-1'];
const parts = ['1', '2', '3', '4'];
const secrets = { TENANT_CLIENT_ID: 'sandbox-client', TENANT_CLIENT_SECRET: 'only-for-this-test' };

let tenants: ReadonlyMap<string, Sandbox>;
let runner: Runner;

beforeEach(async () => {
  const client = { clientSecret: secrets.TENANT_CLIENT_SECRET };
  const started: [string, Sandbox][] = [];
  for (const name of names) started.push([name, await startSandbox({ rateLimit: null, ...client })]);
  tenants = new Map(started);
  runner = await createRunner();
  const auth = '{ clientId: !env TENANT_CLIENT_ID, clientSecret: !secret TENANT_CLIENT_SECRET }';
  const environments = started.map(
    ([name, { url }]) =>
      `  ${name}: { identity: { baseUrl: ${url}, auth: ${auth} }, limits: { settle: 0s } }\n`,
  );
  runner.write(
    'tenantctl.yaml',
    `version: 1\ngroups: { production: [eu-*, us-*] }\nenvironments:\n${environments.join('')}`,
  );
  await runner.shell('mkdir config', {});
  runner.write('config/sender.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
  runner.write('package-lock.json', '{}');
});
afterEach(async () => {
  for (const tenant of tenants.values()) await tenant.close();
  runner.close();
});

const textOfExample = (path: string) =>
  readFileSync(new URL(`../../examples/fleet/${path}`, import.meta.url), 'utf8');
/** The hosts of an example are those of a reader's tenants. */
const hosts = () => [...tenants.values()].map(({ url }) => new URL(url).host).join(',');
const example = (path: string): Json =>
  parse(textOfExample(path).replace(/(?<=TENANTCTL_ALLOWED_HOSTS: ).*/, hosts()));

const sendersOf = () => names.map((name) => tenants.get(name)?.state.senders.map(({ email }) => email));
const planWhole = async (): Promise<Fleet> => {
  const { stdout } = await runProgram(['plan', '-e', '@production', '--format', 'json'], {
    cwd: runner.dir,
    env: secrets,
  });
  return JSON.parse(stdout);
};

const everywhere = names.map(() => ['a@acme.example']);

/** An example whose jobs are numbered from 1 on. */
const numbered = [
  {
    file: 'github-shards.yaml',
    job: (name: string, part = '') =>
      runGithubJob(runner, example('github-shards.yaml'), name, { event: { 'matrix.part': part }, secrets }),
  },
  {
    file: 'gitlab-ci.yaml',
    job: (name: string, part = '') =>
      runGitlabJob(runner, example('gitlab-ci.yaml'), name, {
        event: { CI_NODE_INDEX: part, CI_NODE_TOTAL: '4' },
        secrets,
      }),
  },
];

describe.each(numbered)('$file', ({ job }) => {
  it('plans in parts what one job would plan, and applies each part as it was planned', async () => {
    const { digest } = await planWhole();
    for (const part of parts) expect(await job('plan', part)).toMatchObject({ code: 0 });
    expect(await job('report')).toMatchObject({ code: 0 });
    expect(runner.read('plans.md')).toContain(`Digest: \`${digest}\``);
    expect(runner.read('plans.md')).toContain('In 3 of 3: eu-1, eu-2, us-1');
    for (const part of parts) expect(await job('apply', part)).toMatchObject({ code: 0 });
    expect(sendersOf()).toEqual(everywhere);
  });

  it('applies to the others where one tenant is down, which the report names first', async () => {
    await tenants.get('eu-1')?.close();
    // A tenant that cannot be reached is tried for as long as its environment says.
    const project = runner.read('tenantctl.yaml');
    runner.write(
      'tenantctl.yaml',
      project.replace('limits: { settle: 0s }', 'limits: { settle: 0s, timeout: 300ms }'),
    );
    const codes = [];
    for (const part of parts) codes.push((await job('plan', part)).code);
    expect(codes).toEqual([1, 0, 0, 0]);
    await job('report');
    expect(runner.read('plans.md')).toMatch(/\| ❌ eu-1 \|[\s\S]*\| eu-2 \|[\s\S]*\| us-1 \|/);
    for (const part of parts) await job('apply', part);
    expect(sendersOf().slice(1)).toEqual(everywhere.slice(1));
  });
});

describe('github-matrix.yaml', () => {
  const job = (name: string, environment = ''): Promise<Ran> =>
    runGithubJob(runner, example('github-matrix.yaml'), name, {
      event: { 'matrix.environment': environment },
      secrets,
    });

  it('makes a job for each environment that the project lists', async () => {
    const { digest } = await planWhole();
    expect(await job('list')).toMatchObject({ code: 0 });
    const [, matrix = ''] = /^matrix=(.*)$/m.exec(runner.read('outputs')) ?? [];
    expect(JSON.parse(matrix)).toEqual({ environment: names });
    for (const name of names) expect(await job('plan', name)).toMatchObject({ code: 0 });
    expect(await job('report')).toMatchObject({ code: 0 });
    expect(runner.read('summary.md')).toContain(digest);
    for (const name of names) expect(await job('apply', name)).toMatchObject({ code: 0 });
    expect(sendersOf()).toEqual(everywhere);
  });
});

it.each(['github-matrix.yaml', 'github-shards.yaml'])('%s passes actionlint', async (path) => {
  await expectSound(textOfExample(path));
});

it.each(['github-matrix.yaml', 'github-shards.yaml', 'gitlab-ci.yaml'])('%s names every version', (path) => {
  const text = textOfExample(path);
  expect(text).not.toMatch(/@latest|npx|npm ci (?!--ignore-scripts)/);
  for (const [, name = ''] of text.matchAll(/^ +- uses: (.+)/gm)) {
    expect(name).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});

describe('kubernetes-job.yaml', () => {
  const jobs = () => parseAllDocuments(textOfExample('kubernetes-job.yaml')).map((each): Json => each.toJS());
  const jobNamed = (name: string): Json =>
    jobs().find((each) => get(member(each, 'metadata'), 'name') === name) ?? null;
  const schema = JSON.parse(readFileSync(new URL('kubernetes-job.schema.json', import.meta.url), 'utf8'));
  const validate = new Ajv({ strict: false }).compile(schema);

  const containerOf = (job: Json): JsonObject => {
    const containers = get(member(job, 'spec', 'template', 'spec'), 'containers');
    const [container] = isArray(containers) ? containers.filter(isObject) : [];
    if (!container) throw new Error('There is no container.');
    return container;
  };

  /** Runs the container of a pod as Kubernetes does: its command with its arguments, and its variables. */
  const pod = (name: string, index: number): Promise<Ran> => {
    const container = containerOf(jobNamed(name));
    const [args, env] = [get(container, 'args'), get(container, 'env')];
    const variables = (isArray(env) ? env.filter(isObject) : []).map((each) => [
      getText(each, 'name') ?? '',
      getText(each, 'value') ?? '',
    ]);
    const [script] = isArray(args) ? args : [];
    return runner.shell(String(script), {
      ...Object.fromEntries(variables),
      ...secrets,
      REPORTS: runner.dir,
      TENANTCTL_ALLOWED_HOSTS: hosts(),
      JOB_COMPLETION_INDEX: String(index),
    });
  };

  it("has only what Kubernetes' own schema of a Job knows, which would refuse a typo", () => {
    for (const job of jobs()) expect(validate(job), JSON.stringify(validate.errors)).toBe(true);
    const [job] = jobs();
    for (const wrong of [
      { completionMod: 'Indexed' },
      { completions: '4' },
      { completionMode: 'Numbered' },
    ]) {
      expect(validate({ ...member(job), spec: { ...member(job, 'spec'), ...wrong } })).toBe(false);
    }
  });

  it('says the number of pods wherever it is needed', () => {
    for (const job of jobs()) {
      const spec = member(job, 'spec');
      expect(spec).toMatchObject({ completions: 4, parallelism: 4, completionMode: 'Indexed' });
    }
    expect(get(containerOf(jobNamed('tenants-plan')), 'env')).toContainEqual({ name: 'PARTS', value: '4' });
  });

  it('plans and applies in pods that are numbered from 0 on', async () => {
    const { digest } = await planWhole();
    await runner.shell('npm ci', {});
    for (const index of [0, 1, 2, 3]) expect(await pod('tenants-plan', index)).toMatchObject({ code: 0 });
    const shown = await runner.shell('node_modules/.bin/tenantctl show plan-*.json --format json', {});
    expect(JSON.parse(shown.output)).toMatchObject({ digest, summary: { environments: 3, create: 3 } });
    // The pod that takes the place of one that failed finishes its work, with the same files.
    const [first] = tenants.values();
    first?.faults.add({ kind: 'status', status: 403, times: Number.POSITIVE_INFINITY });
    expect(await pod('tenants-apply', 0)).toMatchObject({ code: 1 });
    first?.faults.clear();
    for (const index of [0, 1, 2, 3]) expect(await pod('tenants-apply', index)).toMatchObject({ code: 0 });
    expect(sendersOf()).toEqual(everywhere);
  });

  it('runs a script that bash understands', () => {
    for (const job of jobs()) {
      const args = get(containerOf(job), 'args');
      const { status } = spawnSync('bash', ['-n', '-c', String(isArray(args) ? args[0] : '')]);
      expect(status).toBe(0);
    }
  });
});
