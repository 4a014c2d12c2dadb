/** The pipelines that `init` writes, run step by step against an embedded tenant; only their systems are played. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isArray, isObject, type Json, type JsonObject, own, textOf } from '../../src/model/json.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { runProgram } from '../support/world.ts';
import { createRunner, member, npm, type Ran, type Runner, scriptOf } from './runner.ts';

/** `gh` filters with a jq of its own; the one that plays `gh` here needs the machine's. */
const hasJq = spawnSync('jq', ['--version']).status === 0;

/** What GitHub knows: its answers to `gh api`, filtered by jq as gh does it. */
const gh = `
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
const [api, path, ...rest] = process.argv.slice(2);
const state = JSON.parse(readFileSync('hub.json', 'utf8'));
if (api !== 'api' || process.env.GH_TOKEN !== 'hub-token') throw new Error('not signed in');
const fields = {}; let jq = null; let method = null;
for (let at = 0; at < rest.length; at += 1) {
  if (rest[at] === '--field' || rest[at] === '--raw-field') {
    const raw = rest[at] === '--raw-field';
    const [, name, value] = /^([^=]+)=([^]*)$/.exec(rest[at += 1]);
    fields[name] = !raw && value.startsWith('@') ? readFileSync(value.slice(1), 'utf8') : value;
  } else if (rest[at] === '--jq') jq = rest[at += 1];
  else if (rest[at] === '--method') method = rest[at += 1];
  else if (rest[at] !== '--silent' && rest[at] !== '--paginate') throw new Error('unknown option ' + rest[at]);
}
const bot = { login: 'github-actions[bot]' };
const [route] = path.split('?');
const writes = Object.keys(fields).length > 0;
const at = (pattern) => new RegExp('^repos/acme/iga/' + pattern + '$').exec(route);
let answer;
if (at('issues/7/comments') && !writes) answer = state.comments;
else if (at('issues/7/comments')) state.comments.push({ id: state.comments.length + 1, user: bot, body: fields.body });
else if (at('issues/comments/(\\\\d+)') && method === 'PATCH') {
  state.comments.find(({ id }) => String(id) === at('issues/comments/(\\\\d+)')[1]).body = fields.body;
} else if (at('statuses/(\\\\w+)') && writes) {
  state.statuses.unshift({ sha: at('statuses/(\\\\w+)')[1], creator: bot, ...fields });
} else if (at('commits/(\\\\w+)/statuses')) {
  answer = state.statuses.filter(({ sha }) => sha === at('commits/(\\\\w+)/statuses')[1]);
} else if (at('commits/(\\\\w+)/pulls')) answer = state.pulls;
else if (at('git/refs/tags/tenantctl-applied') && method === 'PATCH' && state.applied) state.applied = fields.sha;
else if (at('git/refs') && method === 'POST' && !state.applied) state.applied = fields.sha;
else { console.error('404 ' + route); process.exit(1); }
writeFileSync('hub.json', JSON.stringify(state));
if (jq !== null) process.stdout.write(execFileSync('jq', ['-r', jq], { input: JSON.stringify(answer) }));
`;

/** What GitLab knows: its answers to curl. */
const curl = `
import { readFileSync, writeFileSync } from 'node:fs';
const args = process.argv.slice(2);
if (!args.includes('Authorization: Bearer lab-token')) throw new Error('not signed in');
const state = JSON.parse(readFileSync('hub.json', 'utf8'));
const url = args.at(-1).startsWith('http') ? args.at(-1) : args.find((each) => each.startsWith('http'));
const route = url.replace('https://lab.example/api/v4/projects/12', '');
const data = args[args.indexOf('--data-urlencode') + 1];
const me = { id: 99 };
if (url === 'https://lab.example/api/v4/user') console.log(JSON.stringify(me));
else if (route === '/merge_requests/7/notes') {
  const [name, file] = data.split('@');
  state.comments.unshift({ author: me, [name]: readFileSync(file, 'utf8').trimEnd() });
} else if (route === '/merge_requests/7/notes?order_by=created_at&sort=desc&per_page=100') {
  console.log(JSON.stringify(state.comments));
} else if (/^\\/repository\\/commits\\/\\w+\\/merge_requests$/.test(route)) console.log(JSON.stringify(state.pulls));
else if (args.includes('DELETE') && route === '/repository/tags/tenantctl-applied') delete state.applied;
else if (args.includes('POST') && route.startsWith('/repository/tags?tag_name=tenantctl-applied&ref=') && !state.applied) {
  state.applied = route.split('ref=')[1];
} else { console.error('curl: (22) 404 ' + route); process.exit(22); }
writeFileSync('hub.json', JSON.stringify(state));
`;

let tenant: Sandbox;
let runner: Runner;

beforeEach(async () => {
  tenant = await startSandbox({ rateLimit: null });
  runner = createRunner({ gh, curl, npm });
  hub({});
  const made = await runProgram(
    ['init', '--identity', tenant.url, '--profiles', tenant.url, '--from', 'examples'],
    {
      cwd: runner.dir,
    },
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

/** Commits everything, as the repository of the pipeline has it; `applied`: as the last applied revision. */
function commit({ applied }: { readonly applied: boolean }): void {
  const git = (...argv: string[]) => {
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@acme.example'];
    const { status, stderr } = spawnSync('git', [...who, ...argv], { cwd: runner.dir, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  if (!existsSync(join(runner.dir, '.git'))) git('init', '--quiet');
  // The example protects what the test removes.
  runner.write('tenantctl.yaml', runner.read('tenantctl.yaml').replace(/^ +- SenderAddress\/\*\n/m, ''));
  git('add', 'tenantctl.yaml', 'config');
  git('commit', '--quiet', '--allow-empty', '--message', 'Change');
  if (applied) git('tag', '--force', 'tenantctl-applied');
}

/** Removes the manifest of a sender that was applied. */
function removeAppliedSender(): void {
  tenant.state.senders.push(...['one', 'two', 'foreign'].map((name) => senderNamed(name)));
  declare('one@acme.example', 'two@acme.example');
  commit({ applied: true });
  declare('one@acme.example');
  commit({ applied: false });
}

interface Hub {
  /** Where the tag of the last applied revision is. */
  readonly applied?: string;
  readonly pulls: readonly object[];
  readonly comments: readonly { readonly body: string; readonly [other: string]: unknown }[];
  readonly statuses: readonly {
    readonly state: string;
    readonly description: string;
    readonly sha: string;
  }[];
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
/** A sender as the tenant holds it. */
function senderNamed(name: string): Sandbox['state']['senders'][number] {
  const email = `${name}@acme.example`;
  return {
    id: `id-${name}`,
    email,
    isVerifiedByDomain: false,
    verificationStatus: 'SUCCESS',
    region: null,
    readsLeft: null,
  };
}
const senders = () => tenant.state.senders.map(({ email }) => email).sort();

describe.skipIf(!hasJq)('the workflow for GitHub', () => {
  const workflow = (): Json =>
    parse(readFileSync(join(runner.dir, '.github/workflows/tenantctl.yaml'), 'utf8'));

  /** Runs the `run` steps of a job as GitHub does: after a failure only those that ask for it. */
  async function job(name: string, event: Readonly<Record<string, string>>): Promise<Ran> {
    const steps = own(member(workflow(), 'jobs', name), 'steps');
    const values: Record<string, string> = { 'github.token': 'hub-token', 'inputs.digest': '', ...event };
    let [code, output] = [0, ''];
    for (const step of isArray(steps) ? steps : []) {
      if (!isObject(step) || textOf(step, 'run') === null) continue;
      if (code !== 0 && !textOf(step, 'if')?.includes('!cancelled()')) continue;
      if (textOf(step, 'if')?.includes('hashFiles') && !exists('plan.md')) continue;
      const ran = await runner.shell(textOf(step, 'run') ?? '', {
        ...texts(member(workflow(), 'env'), values),
        ...texts(isObject(own(step, 'env')) ? member(step, 'env') : {}, values),
        GITHUB_REPOSITORY: 'acme/iga',
        GITHUB_SHA: 'm1',
        GITHUB_OUTPUT: join(runner.dir, 'outputs'),
        GITHUB_STEP_SUMMARY: join(runner.dir, 'summary.md'),
      });
      const id = textOf(step, 'id');
      if (id !== null) {
        values[`steps.${id}.outcome`] = ran.code === 0 ? 'success' : 'failure';
        for (const [, key, value] of exists('outputs')
          ? runner.read('outputs').matchAll(/^(\w+)=(.*)$/gm)
          : []) {
          values[`steps.${id}.outputs.${key}`] = value ?? '';
        }
      }
      code = code || ran.code;
      output += ran.output;
    }
    return { code, output };
  }

  const exists = (path: string) => existsSync(join(runner.dir, path));

  function texts(env: JsonObject, values: Readonly<Record<string, string>>): Record<string, string> {
    const all: Record<string, string> = { ...values };
    for (const [name, value] of Object.entries(secrets())) all[`secrets.${name}`] = value;
    const filled = Object.entries(env).map(([name, value]): [string, string] => [
      name,
      String(value).replace(/\$\{\{ (\S+) \}\}/g, (_, expression: string) => {
        const found = all[expression];
        if (found === undefined) throw new Error(`The test does not know ${expression}.`);
        return found;
      }),
    ]);
    return Object.fromEntries(filled);
  }

  const request = { 'github.event.pull_request.number': '7', 'github.event.pull_request.head.sha': 'h1' };

  it('comments the plan of a pull request, and applies its digest after the merge', async () => {
    const planned = await job('plan', request);
    expect(planned.code).toBe(0);
    expect(known().comments).toHaveLength(1);
    const [status] = known().statuses;
    expect(status).toMatchObject({ sha: 'h1', state: 'success', context: 'tenantctl/plan' });
    expect(known().comments[0]?.body).toContain(`Digest: \`${status?.description}\``);
    expect(senders()).toEqual([]);

    hub({
      ...known(),
      pulls: [
        { merge_commit_sha: 'other', head: { sha: 'h0' } },
        { merge_commit_sha: 'm1', head: { sha: 'h1' } },
      ],
    });
    const applied = await job('apply', {});
    expect(applied).toMatchObject({ code: 0 });
    expect(senders()).toEqual(['one@acme.example']);
    expect(JSON.parse(runner.read('result.json'))).toMatchObject({
      outcome: 'done',
      planDigest: status?.description,
    });
    expect(runner.read('summary.md')).toContain('tenantctl plan');
    expect(await job('drift', {})).toMatchObject({ code: 0 });
  });

  it('shows no secret, and installs what the lock file says, without scripts of packages', async () => {
    const { output } = await job('plan', request);
    for (const secret of [tenant.clientSecret, 'pw-4711', 'hub-token']) {
      expect(output + JSON.stringify(known())).not.toContain(secret);
    }
    expect(runner.read('npm.log')).toBe('ci --ignore-scripts --no-audit --no-fund\n');
  });

  it('edits its comment when it plans again', async () => {
    hub({
      comments: [{ id: 1, user: { login: 'a-person' }, body: '### tenantctl plan: mine' }] as Hub['comments'],
    });
    await job('plan', request);
    declare('one@acme.example', 'two@acme.example');
    await job('plan', request);
    expect(known().comments).toHaveLength(2);
    expect(known().comments[0]?.body).toBe('### tenantctl plan: mine');
    expect(known().comments[1]?.body).toContain('two%40acme.example');
  });

  it('applies nothing when something else changed after the review', async () => {
    await job('plan', request);
    hub({ ...known(), pulls: [{ merge_commit_sha: 'm1', head: { sha: 'h1' } }] });
    declare('one@acme.example', 'unreviewed@acme.example');
    expect(await job('apply', {})).toMatchObject({ code: 4 });
    expect(senders()).toEqual([]);
  });

  it('applies nothing that no pull request brought, or whose status is not its own', async () => {
    await job('plan', request);
    expect((await job('apply', {})).output).toContain('nobody has approved a plan');
    const statuses = known().statuses.map((status) => ({ ...status, creator: { login: 'a-person' } }));
    hub({ statuses, pulls: [{ merge_commit_sha: 'm1', head: { sha: 'h1' } }] });
    const { code, output } = await job('apply', {});
    expect({ code, senders: senders() }).toEqual({ code: 1, senders: [] });
    expect(output).toContain('no plan that could have been approved');
  });

  it('withdraws the digest where there is no plan any more', async () => {
    await job('plan', request);
    runner.write('config/senders.yaml', 'kind: SenderAddress\nemial: a@acme.example\n');
    const { code, output } = await job('plan', request);
    expect(code).toBe(1);
    expect(output).toMatch(/^::error .*emial/m);
    expect(known().statuses[0]).toMatchObject({ state: 'failure' });
    hub({ ...known(), pulls: [{ merge_commit_sha: 'm1', head: { sha: 'h1' } }] });
    expect(await job('apply', {})).toMatchObject({ code: 1 });
    expect(senders()).toEqual([]);
  });

  it('plans to delete what a pull request removes, and applies that', async () => {
    removeAppliedSender();
    const planned = await job('plan', request);
    expect(planned, planned.output).toMatchObject({ code: 0 });
    expect(known().comments[0]?.body).toContain('two%40acme.example');
    hub({ ...known(), pulls: [{ merge_commit_sha: 'm1', head: { sha: 'h1' } }] });
    expect(await job('apply', {})).toMatchObject({ code: 0 });
    expect(senders()).toEqual(['foreign@acme.example', 'one@acme.example']);
  });

  it('moves the tag of the last applied revision, the first one too, and only after a whole apply', async () => {
    expect(await job('applied', {})).toMatchObject({ code: 0 });
    expect(known().applied).toBe('m1');
    hub({ applied: 'm0' });
    expect(await job('applied', {})).toMatchObject({ code: 0 });
    expect(known().applied).toBe('m1');
    expect(own(member(workflow(), 'jobs', 'applied'), 'needs')).toBe('apply');
    expect(own(member(workflow(), 'jobs', 'applied'), 'if')).toBeUndefined();
  });

  it('applies a digest that is given by hand', async () => {
    await job('plan', request);
    const digest = known().statuses[0]?.description ?? '';
    hub({});
    expect(await job('apply', { 'inputs.digest': digest })).toMatchObject({ code: 0 });
    expect(senders()).toEqual(['one@acme.example']);
  });

  it('tells drift by a failure', async () => {
    const { code, output } = await job('drift', {});
    expect(code).toBe(2);
    expect(output).toContain('::error::The tenant differs');
    expect(senders()).toEqual([]);
  });

  it('looks for drift with the manifests removed since the last apply', async () => {
    removeAppliedSender();
    const { code, output } = await job('drift', {});
    expect(code).toBe(2);
    expect(output).toContain('- SenderAddress/two%40acme.example');
  });

  it('gives each job only the rights that it needs, and secrets to no step of others', () => {
    expect(member(workflow(), 'permissions')).toEqual({});
    const rights = Object.fromEntries(
      ['plan', 'apply', 'applied', 'drift'].map((name) => [
        name,
        member(workflow(), 'jobs', name, 'permissions'),
      ]),
    );
    expect(rights).toEqual({
      plan: { contents: 'read', 'pull-requests': 'write', statuses: 'write' },
      apply: { contents: 'read', 'pull-requests': 'read', statuses: 'read' },
      applied: { contents: 'write' },
      drift: { contents: 'read' },
    });
    expect(JSON.stringify(member(workflow(), 'jobs', 'applied'))).not.toMatch(/secrets\.|"uses"|npm/);
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
  const file = (): Json => parse(runner.read('.gitlab-ci.yml'));

  /** Runs a job's script, then what comes after it in a shell of its own. */
  async function job(name: string, event: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const variables = Object.entries(member(file(), 'variables')).map(([key, value]): [string, string] => [
      key,
      String(value),
    ]);
    const env = {
      ...Object.fromEntries(variables),
      ...secrets(),
      GITLAB_TOKEN: 'lab-token',
      CI_API_V4_URL: 'https://lab.example/api/v4',
      CI_PROJECT_ID: '12',
      CI_COMMIT_SHA: 'm1',
      CI_MERGE_REQUEST_IID: '7',
      ...event,
    };
    const before = scriptOf(member(file(), 'default'), 'before_script');
    const ran = await runner.shell(`${before}\n${scriptOf(member(file(), name), 'script')}`, env);
    const after = await runner.shell(scriptOf(member(file(), name), 'after_script'), env);
    return { code: ran.code, output: ran.output + after.output };
  }

  const merged = { iid: 7, state: 'merged' };

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

  it('applies nothing when something else changed after the review', async () => {
    await job('plan');
    hub({ ...known(), pulls: [merged] });
    declare('unreviewed@acme.example');
    expect(await job('apply')).toMatchObject({ code: 4 });
    expect(senders()).toEqual([]);
  });

  it('applies nothing without a merge request or without its plan', async () => {
    expect((await job('apply')).output).toContain('nobody has approved a plan');
    hub({ pulls: [merged] });
    const { code, output } = await job('apply');
    expect({ code, senders: senders() }).toEqual({ code: 1, senders: [] });
    expect(output).toContain('no plan that could have been approved');
  });

  it('plans to delete what a merge request removes, and applies that; then it moves the tag', async () => {
    removeAppliedSender();
    expect(await job('plan')).toMatchObject({ code: 0 });
    expect(known().comments[0]?.body).toContain('two%40acme.example');
    hub({ ...known(), pulls: [merged], applied: 'm0' });
    expect(await job('apply')).toMatchObject({ code: 0 });
    expect(senders()).toEqual(['foreign@acme.example', 'one@acme.example']);
    await job('applied');
    expect(known().applied).toBe('m1');
    hub({});
    await job('applied');
    expect(known().applied).toBe('m1');
    expect(own(member(file()), 'stages')).toEqual(['plan', 'apply', 'applied']);
  });

  it('takes no digest from a comment of somebody else, and none from inside a plan', async () => {
    await job('plan');
    const [plan] = known().comments;
    const digest = `Digest: \`sha256:${'a'.repeat(64)}\``;
    hub({
      pulls: [merged],
      comments: [
        { author: { id: 4 }, body: plan?.body ?? '' },
        { author: { id: 99 }, body: `### tenantctl plan: production\n\n${digest}\n\nno last line` },
      ],
    });
    expect(await job('apply')).toMatchObject({ code: 1 });
    expect(senders()).toEqual([]);
  });

  it('applies a digest that is given by hand, and tells drift by a failure', async () => {
    expect(await job('drift')).toMatchObject({ code: 2 });
    await job('plan');
    const { digest } = JSON.parse(runner.read('plan.json'));
    expect(await job('apply', { DIGEST: digest })).toMatchObject({ code: 0 });
  });

  it('shows no secret, and comments a refused plan as well', async () => {
    const { output } = await job('plan');
    for (const secret of [tenant.clientSecret, 'pw-4711', 'lab-token']) expect(output).not.toContain(secret);
    runner.write('config/senders.yaml', 'kind: [\n');
    await runner.shell('rm plan.md', {});
    expect((await job('plan')).code).toBe(1);
    expect(known().comments).toHaveLength(1);
  });

  it('has only keys that GitLab knows, in every job the same stages', () => {
    const keys = [
      'stage',
      'rules',
      'interruptible',
      'script',
      'after_script',
      'artifacts',
      'environment',
      'resource_group',
    ];
    for (const name of ['plan', 'apply', 'drift']) {
      const found = member(file(), name);
      expect(Object.keys(found).filter((key) => !keys.includes(key))).toEqual([]);
      expect(own(member(file()), 'stages')).toContain(own(found, 'stage'));
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

  it('lets only the hosts of the project have requests and credentials', () => {
    const [, hosts] = /^ +TENANTCTL_ALLOWED_HOSTS: (.*)$/m.exec(runner.read(path)) ?? [];
    expect(hosts).toBe(new URL(tenant.url).host);
  });

  it('knows no event in which strangers run with secrets, and applies no file of a request', () => {
    const text = runner.read(path);
    expect(text).not.toContain('pull_request_target');
    for (const [line] of text.matchAll(/^.*tenantctl apply .*$/gm)) {
      expect(line).toMatch(/apply -e "\$TENANTCTL_ENV" --expect "\$DIGEST"/);
    }
    expect(text).not.toMatch(/download-artifact|jobs\/artifacts/);
  });
});
