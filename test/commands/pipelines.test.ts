/** The pipelines that `init` writes, run step by step against an embedded tenant; only their systems are played. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { pipelineFile, readPipelineFacts } from '../../src/commands/init/pipelines.ts';
import { get, type Json } from '../../src/model/json.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { startSandbox } from '../support/sandbox.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { runProgram } from '../support/world.ts';
import { expectWhatMatters, longPlanManifests, prepareForLongPlan } from './long-plan.ts';
import { createRunner, member, type Ran, type Runner, scriptOf } from './pipeline-runner.ts';
import { curl, gh, type Hub, runGithubJob, runGitlabJob } from './played-ci-systems.ts';

/** `gh` filters with a jq of its own; the one that plays `gh` here needs the machine's. */
const hasJq = spawnSync('jq', ['--version']).status === 0;

let tenant: Sandbox;
let runner: Runner;

beforeEach(async () => {
  tenant = await startSandbox({ rateLimit: null });
  runner = await createRunner({ gh, curl });
  hub({});
  const made = await runProgram(
    ['init', '--identity', tenant.url, '--profiles', tenant.url, '--from', 'examples'],
    { cwd: runner.dir },
  );
  expect(made.code).toBe(0);
  runner.write('package-lock.json', '{}');
  for (const folder of ['integrations', 'searches', 'sign-in', 'templates', 'mail']) {
    rmSync(join(runner.dir, 'config', folder), { recursive: true });
  }
  declare('one@acme.example');
});
afterEach(async () => {
  await tenant.close();
  runner.close();
});

function declare(...addresses: readonly string[]): void {
  const documents = addresses.map((email) => `---\nkind: SenderAddress\nemail: ${email}\n`);
  runner.write('config/senders.yaml', documents.join(''));
}

/** The example protects what the tests remove. */
const liftProtection = () =>
  runner.write('tenantctl.yaml', runner.read('tenantctl.yaml').replace(/^ +- SenderAddress\/\*\n/m, ''));

function declareLongPlan(): void {
  liftProtection();
  prepareForLongPlan(tenant);
  runner.write('config/senders.yaml', longPlanManifests());
}

/** Commits everything, as the repository of the pipeline has it; `applied`: as the last applied revision. */
function commit({ applied }: { readonly applied: boolean }): void {
  const git = (...argv: string[]) => {
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@acme.example'];
    const { status, stderr } = spawnSync('git', [...who, ...argv], { cwd: runner.dir, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  if (!existsSync(join(runner.dir, '.git'))) git('init', '--quiet');
  liftProtection();
  git('add', 'tenantctl.yaml', 'config');
  git('commit', '--quiet', '--allow-empty', '--message', 'Change');
  if (applied) git('tag', '--force', 'tenantctl-applied');
}

/** Removes the manifest of a sender that was applied. */
function removeAppliedSender(): void {
  const emails = ['one', 'two', 'foreign'].map((name) => `${name}@acme.example`);
  addObjects(tenant.state, { senders: emails.map((email) => ({ email })) });
  declare('one@acme.example', 'two@acme.example');
  commit({ applied: true });
  declare('one@acme.example');
  commit({ applied: false });
}

/** Files with the names of a plan that are part of the request. */
function bringPlan(): void {
  runner.write('plan.md', `### tenantctl plan: production\n\nDigest: \`sha256:${'a'.repeat(64)}\`\n`);
  runner.write('plan.json', '{}');
}

function hub(known: Partial<Hub>): Hub {
  const none: Hub = { pulls: [], comments: [], statuses: [] };
  const state = { ...none, ...known };
  runner.write('hub.json', JSON.stringify(state));
  return state;
}
const known = (): Hub => JSON.parse(runner.read('hub.json'));
const secrets = () => ({
  TENANT_CLIENT_ID: tenant.clientId,
  TENANT_CLIENT_SECRET: tenant.clientSecret,
  SNOW_PASSWORD: 'pw-4711',
});
const senders = () => tenant.state.senders.map(({ email }) => email).sort();

/** A system that runs the pipelines, its request after the merge, and what is special about it. */
interface System {
  readonly name: 'GitHub' | 'GitLab';
  readonly path: string;
  readonly merged: Hub['pulls'][number];
  /** The variable that gives the job `apply` a digest. */
  readonly digest: string;
  /** The longest comment. */
  readonly most: number;
  run(
    pipeline: Json,
    job: string,
    event?: Readonly<Record<string, string>>,
    values?: Readonly<Record<string, string>>,
  ): Promise<Ran>;
}

const github: System = {
  name: 'GitHub',
  path: '.github/workflows/tenantctl.yaml',
  merged: { merge_commit_sha: 'm1', head: { sha: 'h1' } },
  digest: 'inputs.digest',
  most: 65_536,
  run(pipeline, job, given = {}, values = secrets()) {
    const request = { 'github.event.pull_request.number': '7', 'github.event.pull_request.head.sha': 'h1' };
    const event = job === 'plan' ? request : given;
    return runGithubJob(runner, pipeline, job, { event, secrets: values });
  },
};

const gitlab: System = {
  name: 'GitLab',
  path: '.gitlab-ci.yml',
  merged: { iid: 7, state: 'merged', target_branch: 'main' },
  digest: 'DIGEST',
  most: 1_000_000,
  run: (pipeline, job, event = {}, values = secrets()) =>
    runGitlabJob(runner, pipeline, job, { event, secrets: values }),
};

const pipelineOf = ({ path }: System): Json => parse(runner.read(path));

/** A pipeline as `init` writes it for a project in a folder of the repository: by a link, the runner's is in one. */
function pipelineInFolder({ name }: System): Json {
  mkdirSync(join(runner.dir, 'apps'));
  symlinkSync('..', join(runner.dir, 'apps/iga'));
  const facts = readPipelineFacts(runner.dir, secrets(), null);
  return parse(pipelineFile(name === 'GitHub' ? 'github' : 'gitlab', facts, 'apps/iga/'));
}

describe.each(hasJq ? [github, gitlab] : [gitlab])('the pipeline for $name', (system) => {
  const { merged } = system;
  const job = (name: string, event?: Readonly<Record<string, string>>) =>
    system.run(pipelineOf(system), name, event);
  const merge = () => hub({ ...known(), pulls: [merged] });

  it('comments a plan of 900 changes within what the system takes, with what matters in it', async () => {
    declareLongPlan();
    const planned = await system.run(pipelineInFolder(system), 'plan');
    expect(planned, planned.output).toMatchObject({ code: 0 });
    const [{ body = '' } = {}] = known().comments;
    expect(body).toMatch(/^\*\*apps\/iga\*\*/);
    expect(body.length).toBeLessThanOrEqual(system.most);
    expectWhatMatters(body, { tenants: 1 });
    expect(body).toMatch(/\nDigest: \S+\s*$/);
  });

  it('shows no secret, and installs what the lock file says, without scripts of packages', async () => {
    const { output } = await job('plan');
    for (const secret of [tenant.clientSecret, 'pw-4711', 'hub-token', 'lab-token'])
      expect(output + JSON.stringify(known())).not.toContain(secret);
    expect(runner.read('npm.log')).toBe('ci --ignore-scripts --no-audit --no-fund\n');
  });

  it('applies nothing when something else changed after the review', async () => {
    await job('plan');
    merge();
    declare('one@acme.example', 'unreviewed@acme.example');
    expect(await job('apply')).toMatchObject({ code: 4 });
    expect(senders()).toEqual([]);
  });

  it('applies nothing without a request, without its plan, or with one of somebody else', async () => {
    await job('plan');
    const { comments, statuses } = known();
    expect((await job('apply')).output).toContain('nobody has approved a plan');
    const digest = `Digest: \`sha256:${'a'.repeat(64)}\``;
    const forged: Partial<Hub> = {
      statuses: statuses.map((status) => ({ ...status, creator: { login: 'a-person' } })),
      comments: [
        { author: { id: 4 }, body: comments[0]?.body ?? '' },
        { author: { id: 99 }, body: `### tenantctl plan: production\n\n${digest}\n\nno last line` },
      ],
    };
    for (const state of [{}, forged]) {
      hub({ ...state, pulls: [merged] });
      const { code, output } = await job('apply');
      expect({ code, senders: senders() }).toEqual({ code: 1, senders: [] });
      expect(output).toContain('no plan that could have been approved');
    }
  });

  it('shows no plan that a request brings with it', async () => {
    bringPlan();
    rmSync(join(runner.dir, 'package-lock.json'));
    expect(await job('plan')).toMatchObject({ code: 1 });
    expect(known().comments).toEqual([]);
    expect(known().statuses).toMatchObject(system === github ? [{ state: 'failure' }] : []);
  });

  it('plans to delete what a request removes, and applies that', async () => {
    removeAppliedSender();
    const planned = await job('plan');
    expect(planned, planned.output).toMatchObject({ code: 0 });
    expect(known().comments[0]?.body).toContain('two@acme.example');
    merge();
    expect(await job('apply')).toMatchObject({ code: 0 });
    expect(senders()).toEqual(['foreign@acme.example', 'one@acme.example']);
  });

  it('moves the tag of the last applied revision, the first one too', async () => {
    for (const state of [{}, { applied: 'm0' }]) {
      hub(state);
      expect(await job('applied')).toMatchObject({ code: 0 });
      expect(known().applied).toBe('m1');
    }
  });

  it('applies a digest that is given by hand, and tells drift by a failure', async () => {
    const drift = await job('drift');
    expect(drift.code).toBe(2);
    expect(drift.output).toContain(system === github ? '::error::The tenant differs' : '1 to create');
    expect(senders()).toEqual([]);
    await job('plan');
    const { digest } = JSON.parse(runner.read('plan.json'));
    hub({});
    expect(await job('apply', { [system.digest]: digest })).toMatchObject({ code: 0 });
    expect(senders()).toEqual(['one@acme.example']);
  });

  it('applies to a tenant that the project got what was reviewed, in one step', async () => {
    const second = await startSandbox({ rateLimit: null });
    try {
      const argv = ['init', '--identity', `us-2=${second.url}`];
      expect((await runProgram(argv, { cwd: runner.dir })).code).toBe(0);
      const values = {
        ...secrets(),
        US_2_CLIENT_ID: second.clientId,
        US_2_CLIENT_SECRET: second.clientSecret,
      };
      const run = (name: string) => system.run(pipelineOf(system), name, undefined, values);
      const planned = await run('plan');
      expect(planned, planned.output).toMatchObject({ code: 0 });
      expect(known().comments[0]?.body).toMatch(/^### tenantctl plan: 2 environments/);
      merge();
      const applied = await run('apply');
      expect(applied, applied.output).toMatchObject({ code: 0 });
      for (const { state } of [tenant, second])
        expect(state.senders).toMatchObject([{ email: 'one@acme.example' }]);
    } finally {
      await second.close();
    }
  });

  it('looks for drift with the manifests removed since the last apply', async () => {
    removeAppliedSender();
    const { code, output } = await job('drift');
    expect(code).toBe(2);
    expect(output).toContain('- SenderAddress/two@acme.example');
  });
});

describe.skipIf(!hasJq)('the workflow for GitHub', () => {
  const workflow = () => pipelineOf(github);
  const job = (name: string) => github.run(workflow(), name);
  const merge = () => hub({ ...known(), pulls: [github.merged] });

  it('comments the plan of a pull request, and applies its digest after the merge', async () => {
    const planned = await job('plan');
    expect(planned.code).toBe(0);
    expect(known().comments).toHaveLength(1);
    const [status] = known().statuses;
    expect(status).toMatchObject({ sha: 'h1', state: 'success', context: 'tenantctl/plan' });
    expect(known().comments[0]?.body).toContain(`Digest: \`${status?.description}\``);
    expect(senders()).toEqual([]);

    hub({ ...known(), pulls: [{ merge_commit_sha: 'other', head: { sha: 'h0' } }, github.merged] });
    const applied = await job('apply');
    expect(applied).toMatchObject({ code: 0 });
    expect(senders()).toEqual(['one@acme.example']);
    expect(JSON.parse(runner.read('result.json'))).toMatchObject({
      outcome: 'done',
      planDigest: status?.description,
    });
    expect(runner.read('summary.md')).toContain('tenantctl plan');
    expect(await job('drift')).toMatchObject({ code: 0 });
  });

  it('edits its comment when it plans again', async () => {
    hub({
      comments: [{ id: 1, user: { login: 'a-person' }, body: '### tenantctl plan: mine' }] as Hub['comments'],
    });
    await job('plan');
    declare('one@acme.example', 'two@acme.example');
    await job('plan');
    expect(known().comments).toHaveLength(2);
    expect(known().comments[0]?.body).toBe('### tenantctl plan: mine');
    expect(known().comments[1]?.body).toContain('two@acme.example');

    // A project in a folder has a comment of its own beside that of another project, and edits it.
    const inFolder = pipelineInFolder(github);
    for (const name of ['three', 'four']) {
      declare(`${name}@acme.example`);
      await github.run(inFolder, 'plan');
    }
    expect(known().comments).toHaveLength(3);
    expect(known().comments[1]?.body).toContain('two@acme.example');
    expect(known().comments[2]?.body).toMatch(
      /^\*\*apps\/iga\*\*\n\n### tenantctl plan[\s\S]*four@acme\.example/,
    );
  });

  it('withdraws the digest where there is no plan any more', async () => {
    await job('plan');
    runner.write('config/senders.yaml', 'kind: SenderAddress\nemial: a@acme.example\n');
    const { code, output } = await job('plan');
    expect(code).toBe(1);
    expect(output).toMatch(/^::error .*emial/m);
    expect(known().statuses[0]).toMatchObject({ state: 'failure' });
    merge();
    expect(await job('apply')).toMatchObject({ code: 1 });
    expect(senders()).toEqual([]);
  });

  it('gives each job only the rights that it needs, and secrets to no step of others', () => {
    expect(member(workflow(), 'permissions')).toEqual({});
    const rights = Object.fromEntries(
      ['plan', 'apply', 'applied', 'drift', 'propose'].map((name) => [
        name,
        member(workflow(), 'jobs', name, 'permissions'),
      ]),
    );
    expect(rights).toEqual({
      plan: { contents: 'read', 'pull-requests': 'write', statuses: 'write' },
      apply: { contents: 'read', 'pull-requests': 'read', statuses: 'read' },
      applied: { contents: 'write' },
      drift: { contents: 'read' },
      propose: { contents: 'write', 'pull-requests': 'write', statuses: 'write' },
    });
    expect(get(member(workflow(), 'jobs', 'applied'), 'needs')).toBe('apply');
    expect(get(member(workflow(), 'jobs', 'applied'), 'if')).toBeUndefined();
    expect(JSON.stringify(member(workflow(), 'jobs', 'applied'))).not.toMatch(/secrets\.|"uses"|npm/);
    expect(JSON.stringify(member(workflow(), 'jobs', 'propose'))).not.toMatch(/secrets\.|npm|node/);
    const text = runner.read('.github/workflows/tenantctl.yaml');
    for (const line of text.split('\n').filter((each) => each.includes('run:') || each.includes('uses:'))) {
      expect(line).not.toContain('${{');
    }
    expect(
      [...text.matchAll(/^ +- uses: (.+)/gm)].filter(
        ([, name = '']) => !/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(name),
      ),
    ).toEqual([]);
  });
});

describe('the pipeline for GitLab', () => {
  const file = () => pipelineOf(gitlab);
  const { merged } = gitlab;
  const job = (name: string) => gitlab.run(file(), name);

  it('comments a plan, and applies the one that was commented last', async () => {
    expect(await job('plan')).toMatchObject({ code: 0 });
    declare('one@acme.example', 'two@acme.example');
    expect(await job('plan')).toMatchObject({ code: 0 });
    const { digest } = JSON.parse(runner.read('plan.json'));
    expect(known().comments[0]?.body).toContain(digest);
    expect(JSON.parse(runner.read('plan.gitlab.json'))).toEqual({ create: 2, update: 0, delete: 0 });

    hub({ ...known(), pulls: [{ iid: 6, state: 'closed' }, merged] });
    expect(await job('apply')).toMatchObject({ code: 0 });
    expect(senders()).toEqual(['one@acme.example', 'two@acme.example']);
    expect(JSON.parse(runner.read('result.json'))).toMatchObject({ planDigest: digest });
    expect(await job('drift')).toMatchObject({ code: 0 });
  });

  it('of a project in a folder comments its plan, and applies it although another was commented later', async () => {
    const inFolder = pipelineInFolder(gitlab);
    const jobThere = (name: string) => gitlab.run(inFolder, name);
    expect(await jobThere('plan')).toMatchObject({ code: 0 });
    expect(known().comments[0]?.body).toMatch(/^\*\*apps\/iga\*\*\n\n### tenantctl plan/);
    const { digest } = JSON.parse(runner.read('plan.json'));
    declare('one@acme.example', 'two@acme.example');
    await job('plan');
    declare('one@acme.example');
    hub({ ...known(), pulls: [merged] });
    expect(await jobThere('apply')).toMatchObject({ code: 0 });
    expect(JSON.parse(runner.read('result.json'))).toMatchObject({ planDigest: digest });
  });

  it('takes no digest from a request for another branch that has the same commits', async () => {
    await job('plan');
    hub({ ...known(), pulls: [{ ...merged, target_branch: 'side' }] });
    expect((await job('apply')).output).toContain('nobody has approved a plan');
    hub({ ...known(), pulls: [{ ...merged, iid: 6, target_branch: 'side' }, merged] });
    expect(await job('apply')).toMatchObject({ code: 0 });
  });

  it('comments a refused plan as well', async () => {
    await job('plan');
    runner.write('config/senders.yaml', 'kind: [\n');
    await runner.shell('rm plan.md', {});
    expect((await job('plan')).code).toBe(1);
    expect(known().comments).toHaveLength(1);
  });

  it('has only keys that GitLab knows, in every job the same stages', () => {
    const keys = [
      'stage',
      'rules',
      'before_script',
      'interruptible',
      'script',
      'after_script',
      'artifacts',
      'environment',
      'resource_group',
    ];
    expect(get(member(file()), 'stages')).toEqual(['plan', 'apply', 'applied', 'propose']);
    for (const name of ['plan', 'apply', 'drift', 'propose']) {
      const found = member(file(), name);
      expect(Object.keys(found).filter((key) => !keys.includes(key))).toEqual([]);
      expect(get(member(file()), 'stages')).toContain(get(found, 'stage'));
      expect(scriptOf(found, 'script')).not.toBe('');
    }
  });
});

describe.each(['.github/workflows/tenantctl.yaml', '.gitlab-ci.yml'])('%s', (path) => {
  /** The lines that install, as they stand before everything else. */
  const install = () => {
    const lines = runner.read(path).split('\n');
    const start = lines.findIndex((line) => line.includes('if [ ! -f package-lock.json ]'));
    const end = lines.findIndex((line) => line.includes('npm ci '));
    return lines.slice(start, end + 1).join('\n');
  };

  it('runs nothing without a lock file, and says how to get one', async () => {
    rmSync(join(runner.dir, 'package-lock.json'));
    const { code, output } = await runner.shell(install(), {});
    expect(code).toBe(1);
    expect(output).toContain('Run npm install and commit package.json and package-lock.json.');
    expect(existsSync(join(runner.dir, 'npm.log'))).toBe(false);
  });

  it('names every version of what it runs', () => {
    const text = runner.read(path);
    expect(text).not.toMatch(/@latest|npm install [^a]|npx/);
    expect(text).toMatch(/npm ci /);
    expect(text).not.toMatch(/npm ci (?!--ignore-scripts)/);
    expect(text.match(/^ *(?:- |run: )?.*tenantctl (?:validate|plan|apply) .*$/gm)).not.toBe(null);
    for (const [line] of text.matchAll(/^(?! *#).*tenantctl (?:validate|plan|apply) .*$/gm)) {
      expect(line).toContain('node_modules/.bin/tenantctl');
    }
  });

  it('knows no event in which strangers run with secrets, and applies no file of a request', () => {
    const text = runner.read(path);
    expect(text).not.toContain('pull_request_target');
    for (const [line] of text.matchAll(/^.*tenantctl apply .*$/gm)) {
      expect(line).toMatch(/apply -e "\$TENANTCTL_ENV" --expect "\$DIGEST"/);
    }
    const [apply = ''] = /^( *)apply:\n(?:(?:\1 +.*)?\n)+/m.exec(text) ?? [];
    expect(apply).toContain('--expect');
    expect(apply).not.toMatch(/download-artifact|jobs\/artifacts/);
  });
});
