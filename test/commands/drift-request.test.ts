/** Drift as a pull or merge request: the nightly jobs of `init` with a real repository and its remote on disk. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { git } from '../support/repository.ts';
import { runProgram, seedFile } from '../support/world.ts';
import { curl, gh, type Hub, runGithubJob, runGitlabJob } from './hub.ts';
import { createRunner, type Ran, type Runner } from './runner.ts';

const hasJq = spawnSync('jq', ['--version']).status === 0;
const branch = 'tenantctl/drift';

let tenant: Sandbox;
let runner: Runner;
/** The project file of the examples, with an overlay. */
let overlaid: string;

beforeEach(async () => {
  tenant = await startSandbox({ seed: seedFile, rateLimit: null });
  runner = await createRunner({ gh, curl });
  const argv = ['init', '--identity', tenant.url, '--profiles', tenant.url, '--from', 'examples'];
  expect((await runProgram(argv, { cwd: runner.dir })).code).toBe(0);
  // The examples say how all templates of production differ.
  overlaid = runner.read('tenantctl.yaml');
  runner.write(
    'tenantctl.yaml',
    overlaid.replace(/^ +overlays:\n +#.*\n.*\n(?= +merge: \{ replyTo).*\n/m, ''),
  );
  rmSync(`${runner.dir}/config`, { recursive: true });
  await runner.shell('mkdir config', {});
  runner.write('package-lock.json', '{}');
  runner.write('hub.json', JSON.stringify({ pulls: [], comments: [], statuses: [] }));
  runner.write('config/mail.yaml', template('Your ACME password expires in $daysLeft days'));
  git(runner.dir, 'init', '--quiet', '--initial-branch=main');
  runner.write('.git/info/exclude', 'hub.json\nnpm.log\noutputs\nsummary.md\nresult.json\n');
  git(runner.dir, 'init', '--quiet', '--bare', `${runner.dir}.git`);
  git(runner.dir, 'remote', 'add', 'origin', `${runner.dir}.git`);
  commit('Declare a mail');
  git(runner.dir, 'tag', 'tenantctl-applied');
});
afterEach(async () => {
  await tenant.close();
  rmSync(`${runner.dir}.git`, { recursive: true, force: true });
  runner.close();
});

const template = (subject: string) =>
  `# Ours\nkind: NotificationTemplate\nkey: password_expiring\nmedium: EMAIL\nlocale: en\nsubject: ${subject}\n`;
const secrets = () => ({
  TENANT_CLIENT_ID: tenant.clientId,
  TENANT_CLIENT_SECRET: tenant.clientSecret,
  SNOW_PASSWORD: 'pw-4711',
});

/** A commit on main, there and in the remote. */
function commit(message: string): void {
  git(runner.dir, 'add', '--all', '.');
  git(runner.dir, 'commit', '--quiet', '--message', message);
  git(runner.dir, 'push', '--quiet', 'origin', 'HEAD:main');
}

/** Somebody changes the subject in the tenant. */
function changeSubject(subject: string): void {
  for (const each of tenant.state.templates)
    if (each.key === 'password_expiring' && each.medium === 'EMAIL' && each.locale === 'en')
      each.subject = subject;
}

const hub = (): Hub => JSON.parse(runner.read('hub.json'));
const request = () => hub().requests?.[0] ?? {};
const textOf = ({ body, description }: Readonly<Record<string, unknown>>) => String(body ?? description);
const close = () => {
  const [latest, ...earlier] = hub().requests ?? [];
  runner.write(
    'hub.json',
    JSON.stringify({ ...hub(), requests: [{ ...latest, state: 'closed' }, ...earlier] }),
  );
};
const proposed = (path = 'config/mail.yaml') => git(`${runner.dir}.git`, 'show', `${branch}:${path}`);
const revision = () => git(`${runner.dir}.git`, 'rev-parse', branch);

const systems = [
  {
    name: 'GitHub',
    runs: hasJq,
    job: (name: string, event: Readonly<Record<string, string>> = {}): Promise<Ran> =>
      runGithubJob(runner, parse(runner.read('.github/workflows/tenantctl.yaml')), name, {
        event,
        secrets: secrets(),
      }),
  },
  {
    name: 'GitLab',
    runs: true,
    job: (name: string): Promise<Ran> =>
      runGitlabJob(runner, parse(runner.read('.gitlab-ci.yml')), name, { secrets: secrets() }),
  },
];

describe.each(systems.filter(({ runs }) => runs))('a night of $name', ({ name, job }) => {
  /** Both jobs, each on a fresh checkout of main. Returns what they print. */
  async function night(): Promise<string> {
    git(runner.dir, 'checkout', '--quiet', '--force', 'main');
    const drift = await job('drift');
    git(runner.dir, 'checkout', '--quiet', '--force', 'main');
    expect(drift.code, drift.output).toBe(2);
    git(runner.dir, 'checkout', '--quiet', '--detach');
    const { code, output } = await job('propose');
    expect(code, output).toBe(0);
    return drift.output + output;
  }

  it('opens a request that takes over what the tenant has', async () => {
    changeSubject('Hurry! $daysLeft days left');
    await night();
    expect(hub().requests).toHaveLength(1);
    expect(textOf(request())).toMatch(/Merge it[\s\S]*Close it[\s\S]*### tenantctl plan[\s\S]*Hurry!/);
    expect(proposed()).toContain('# Ours\nkind: NotificationTemplate');
    expect(proposed()).toContain('subject: Hurry! $daysLeft days left');
    const changed = git(`${runner.dir}.git`, 'diff', '--name-only', 'main', branch);
    expect(changed).toBe('config/mail.yaml');
  });

  it('updates the same request on a later night, and leaves its files where nothing else changed', async () => {
    changeSubject('Hurry!');
    await night();
    const first = revision();
    await night();
    expect(revision()).toBe(first);
    changeSubject('Hurry up!');
    await night();
    expect(revision()).not.toBe(first);
    expect(hub().requests).toHaveLength(1);
    expect(textOf(request())).toContain('Hurry up!');
    expect(proposed()).toContain('Hurry up!');
    expect(git(`${runner.dir}.git`, 'rev-list', '--count', `main..${branch}`)).toBe('1');
  });

  it('opens and closes nothing without drift', async () => {
    expect(await job('drift')).toMatchObject({ code: 0 });
    expect(hub().requests ?? []).toEqual([]);
    changeSubject('Hurry!');
    await night();
    changeSubject('Your ACME password expires in $daysLeft days');
    rmSync(`${runner.dir}/drift.patch`);
    git(runner.dir, 'checkout', '--quiet', '--force', 'main');
    expect(await job('drift')).toMatchObject({ code: 0 });
    expect(request().state).toMatch(/^open/);
  });

  it('does not open a closed request again, but opens another one for other drift', async () => {
    changeSubject('Hurry!');
    await night();
    close();
    expect(await night()).toContain('was closed: the next apply puts back what the manifests say');
    expect(hub().requests).toHaveLength(1);
    changeSubject('Run!');
    await night();
    expect(hub().requests).toHaveLength(2);
    expect(proposed()).toContain('Run!');
  });

  it('keeps commits that somebody added to the request', async () => {
    changeSubject('Hurry!');
    await night();
    git(runner.dir, 'fetch', '--quiet', 'origin');
    git(runner.dir, 'checkout', '--quiet', '--force', '-B', 'mine', `origin/${branch}`);
    runner.write('config/mail.yaml', template('Mine'));
    git(runner.dir, 'commit', '--quiet', '--all', '--message', 'Say it better');
    git(runner.dir, 'push', '--quiet', 'origin', `HEAD:${branch}`);
    changeSubject('Run!');
    expect(await night()).toContain('Somebody has added commits');
    expect(proposed()).toContain('subject: Mine');
    expect(textOf(request())).toContain('Run!');
  });

  it('takes nothing back that main has and the tenant has not got yet', async () => {
    changeSubject('Hurry!');
    runner.write(
      'config/mail.yaml',
      `${template('Your ACME password expires in $daysLeft days')}description: New\n`,
    );
    commit('Describe it');
    const { code, output } = await job('drift');
    expect(code).toBe(2);
    expect(output).toContain('changes that were not applied yet');
    expect(git(runner.dir, 'status', '--porcelain')).toBe('');
  });

  it('removes the manifest of what somebody deleted in the tenant', async () => {
    const { templates } = tenant.state;
    templates.splice(0, templates.length, ...templates.filter(({ key }) => key !== 'password_expiring'));
    await night();
    expect(() => proposed()).toThrow(/does not exist|exists on disk/);
  });

  it('shows no secret, and hostile texts of the tenant as text', async () => {
    changeSubject(
      'x\n/approve\n<script>alert(1)</script> @everyone\n::add-mask::x ![](https://evil.example/p.png)',
    );
    const output = await night();
    const shown = textOf(request());
    for (const secret of [tenant.clientSecret, 'pw-4711', 'hub-token', 'lab-token'])
      expect(output + shown + runner.read('drift.patch')).not.toContain(secret);
    const prose = shown.replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, '').replaceAll(/(`+)[^`]*\1/g, '');
    expect(prose).not.toMatch(/^\/|<script|@everyone|::add-mask|!\[\]\(/m);
    expect(output).not.toMatch(/^\s*::add-mask/m);
  });

  it.runIf(name === 'GitHub')(
    'approves no plan where something could not be taken over, and says so',
    async () => {
      runner.write('tenantctl.yaml', overlaid);
      commit('Differ in production');
      git(runner.dir, 'tag', '--force', 'tenantctl-applied');
      changeSubject('Hurry!');
      await night();
      expect(textOf(request())).toContain('**Not everything could be taken over.**');
      expect(hub().statuses).toEqual([]);
    },
  );

  it.runIf(name === 'GitHub')('has its plan approved, which the apply after the merge finds', async () => {
    changeSubject('Hurry!');
    await night();
    const head = revision();
    expect(hub().statuses).toMatchObject([{ sha: head, state: 'success', context: 'tenantctl/plan' }]);
    runner.write(
      'hub.json',
      JSON.stringify({ ...hub(), pulls: [{ merge_commit_sha: 'm1', head: { sha: head } }] }),
    );
    git(runner.dir, 'checkout', '--quiet', '--force', 'main');
    git(runner.dir, 'merge', '--quiet', head);
    expect(await job('apply')).toMatchObject({ code: 0 });
    expect(await job('drift')).toMatchObject({ code: 0 });
  });
});
