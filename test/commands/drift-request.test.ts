/** Drift as a pull or merge request: the nightly jobs of `init` with a real repository and its remote on disk. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox, TenantState } from '../../src/sandbox/index.ts';
import { git } from '../support/repository.ts';
import { startSandbox } from '../support/sandbox.ts';
import { runProgram, seedFile } from '../support/world.ts';
import { checkOut, type Project, runNight, type System, systems } from './nightly-jobs.ts';
import { createRunner, type Runner } from './pipeline-runner.ts';
import { curl, gh, type Hub } from './played-ci-systems.ts';

let tenant: Sandbox;
let runner: Runner;
let folder: Project['folder'];
let branch: string;
/** The project file of the examples, with an overlay. */
let overlaid: string;

/** What each test begins with: the tenant, and a project that was applied, in a repository and its remote. */
let begun: TenantState;
const prepared = mkdtempSync(join(tmpdir(), 'tenantctl-prepared-'));

beforeAll(async () => {
  tenant = await startSandbox({ seed: seedFile, rateLimit: null });
  begun = structuredClone(tenant.state);
});
afterAll(async () => {
  await tenant.close();
  rmSync(prepared, { recursive: true });
});

/** Makes the project once, which is copied for each test. */
async function prepare(place: Project['folder'], dir: string): Promise<void> {
  const write = (path: string, text: string) => writeFileSync(join(dir, path), text);
  mkdirSync(dir);
  git(dir, 'init', '--quiet', '--initial-branch=main');
  const argv = ['init', `./${place}`, '--identity', tenant.url, '--profiles', tenant.url];
  expect((await runProgram([...argv, '--from', 'examples'], { cwd: dir })).code).toBe(0);
  rmSync(join(dir, place, 'config'), { recursive: true });
  mkdirSync(join(dir, place, 'config'));
  // The examples say how all templates of production differ.
  const file = `${place}tenantctl.yaml`;
  const whole = readFileSync(join(dir, file), 'utf8');
  write('.git/overlaid.yaml', whole);
  write(file, whole.replace(/^ +overlays:\n +#.*\n.*\n(?= +merge: \{ replyTo).*\n/m, ''));
  write(`${place}package-lock.json`, '{}');
  write('hub.json', JSON.stringify({ pulls: [], comments: [], statuses: [] }));
  write(`${place}config/mail.yaml`, template('Your ACME password expires in $daysLeft days'));
  if (place !== '') write('README.md', 'Of the whole repository\n');
  write('.git/info/exclude', 'hub.json\nnpm.log\noutputs\nsummary.md\nresult.json\n');
  git(dir, 'add', '--all', '.');
  git(dir, 'commit', '--quiet', '--message', 'Declare a mail');
  git(dir, 'tag', `tenantctl-applied${place === '' ? '' : '-apps-iga'}`);
  git(dir, 'clone', '--quiet', '--bare', '--no-local', '--no-tags', dir, `${dir}.git`);
}

/** A project that was applied, in a repository with a remote. */
async function setUp(place: Project['folder']): Promise<void> {
  folder = place;
  branch = folder === '' ? 'tenantctl/drift' : 'tenantctl/drift-apps-iga';
  Object.assign(tenant.state, structuredClone(begun));
  const from = join(prepared, place === '' ? 'top' : 'below');
  if (!existsSync(from)) await prepare(place, from);
  runner = await createRunner({ gh, curl });
  cpSync(from, runner.dir, { recursive: true });
  cpSync(`${from}.git`, `${runner.dir}.git`, { recursive: true });
  git(runner.dir, 'remote', 'add', 'origin', `${runner.dir}.git`);
  overlaid = runner.read('.git/overlaid.yaml');
}
afterEach(() => {
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
const textOfRequest = ({ body, description }: Readonly<Record<string, unknown>>) =>
  String(body ?? description);
const close = () => {
  const [latest, ...earlier] = hub().requests ?? [];
  runner.write(
    'hub.json',
    JSON.stringify({ ...hub(), requests: [{ ...latest, state: 'closed' }, ...earlier] }),
  );
};
const proposed = () => git(`${runner.dir}.git`, 'show', `${branch}:${folder}config/mail.yaml`);
const changedFiles = () => git(`${runner.dir}.git`, 'diff', '--name-only', 'main', branch);
const revision = () => git(`${runner.dir}.git`, 'rev-parse', branch);

const project = (): Project => ({ runner, folder, secrets: secrets() });

/** A night that finds drift. Returns what both jobs print. */
async function nightOf(system: System): Promise<string> {
  const { drift, propose } = await runNight(system, project());
  expect(drift.code, drift.output).toBe(2);
  expect(propose.code, propose.output).toBe(0);
  return drift.output + propose.output;
}

const places = systems.flatMap((system) =>
  (['', 'apps/iga/'] as const).map((place) => ({ system, name: system.name, place })),
);

describe.each(places)('a night of $name with a project in "$place"', ({ system, name, place }) => {
  const job = (job: string) => system.job(project(), job);
  const night = () => nightOf(system);
  beforeEach(() => setUp(place));

  it('opens a request that takes over what the tenant has, and changes no other file', async () => {
    changeSubject('Hurry! $daysLeft days left');
    await night();
    expect(hub().requests).toHaveLength(1);
    const title = `Accept changes from the tenant${place && ' (apps/iga)'}`;
    expect(request()).toMatchObject({ title });
    expect(request().head ?? request().source_branch).toBe(branch);
    expect(textOfRequest(request())).toMatch(/Merge it[\s\S]*Close it[\s\S]*### tenantctl plan[\s\S]*Hurry!/);
    expect(proposed()).toContain('# Ours\nkind: NotificationTemplate');
    expect(proposed()).toContain('subject: Hurry! $daysLeft days left');
    expect(changedFiles()).toBe(`${place}config/mail.yaml`);
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
    expect(textOfRequest(request())).toContain('Hurry up!');
    expect(proposed()).toContain('Hurry up!');
    expect(git(`${runner.dir}.git`, 'rev-list', '--count', `main..${branch}`)).toBe('1');
  });

  it('does not open a closed request again, but opens another one for other drift', async () => {
    changeSubject('Hurry!');
    await night();
    close();
    expect(await night()).toContain('was closed: the next apply restores the values of the manifests');
    expect(hub().requests).toHaveLength(1);
    changeSubject('Run!');
    await night();
    expect(hub().requests).toHaveLength(2);
    expect(proposed()).toContain('Run!');
  });

  it('moves the tag of the project, for which it needs no files', async () => {
    expect(await job('applied')).toMatchObject({ code: 0 });
    expect(hub().applied).toBe('m1');
  });

  it.runIf(name === 'GitHub')('has its plan approved, which the apply after the merge finds', async () => {
    changeSubject('Hurry!');
    await night();
    const head = revision();
    const context = `tenantctl/plan${place && '-apps-iga'}`;
    expect(hub().statuses).toMatchObject([{ sha: head, state: 'success', context }]);
    const pulls = [{ merge_commit_sha: 'm1', head: { sha: head } }];
    runner.write('hub.json', JSON.stringify({ ...hub(), pulls }));
    checkOut({ runner });
    git(runner.dir, 'merge', '--quiet', head);
    expect(await job('apply')).toMatchObject({ code: 0 });
    expect(await job('drift')).toMatchObject({ code: 0 });
  });
});

describe.each(systems)('a night of $name', (system) => {
  const { name } = system;
  const job = (job: string) => system.job(project(), job);
  const night = () => nightOf(system);
  beforeEach(() => setUp(''));

  it('says what merging and closing do also where the report is as long as it may be', async () => {
    const emails = Array.from({ length: 400 }, (_, at) => `${'team-'.repeat(11)}${at}@acme.example`);
    runner.write(
      'config/senders.yaml',
      emails.map((email) => `---\nkind: SenderAddress\nemail: ${email}\n`).join(''),
    );
    commit('Declare senders');
    git(runner.dir, 'tag', '--force', 'tenantctl-applied');
    // Somebody has deleted all of them in the tenant.
    await night();
    const text = textOfRequest(request());
    expect(text).toMatch(/Merge it[\s\S]*Close it[\s\S]*### tenantctl plan/);
    expect(text).toContain('Not shown: ');
    expect(text.length).toBeGreaterThan(60_000);
    expect(text.length).toBeLessThanOrEqual(65_536);
  });

  it('opens and closes nothing without drift', async () => {
    expect(await job('drift')).toMatchObject({ code: 0 });
    expect(hub().requests ?? []).toEqual([]);
    changeSubject('Hurry!');
    await night();
    changeSubject('Your ACME password expires in $daysLeft days');
    checkOut({ runner });
    expect(await job('drift')).toMatchObject({ code: 0 });
    expect(request().state).toMatch(/^open/);
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
    expect(textOfRequest(request())).toContain('Run!');
  });

  it.each([
    ['a field', (mail: string) => `${mail}description: New\n`],
    [
      'an object without fields',
      (mail: string) => `${mail}---\nkind: SenderAddress\nemail: new@acme.example\n`,
    ],
  ])('takes nothing back that main has and the tenant has not got yet: %s', async (_what, add) => {
    changeSubject('Hurry!');
    runner.write('config/mail.yaml', add(template('Your ACME password expires in $daysLeft days')));
    commit('Add it');
    const { code, output } = await job('drift');
    expect(code).toBe(2);
    expect(output).toContain('changes that were not applied yet');
    expect(git(runner.dir, 'status', '--porcelain')).toBe('');
  });

  it('takes over other drift where somebody has created again what is to be absent', async () => {
    const other = template('x').replace('password_expiring', 'contract_ending');
    runner.write('config/absent.yaml', other.replace('subject: x', 'ensure: absent'));
    commit('Want the default');
    git(runner.dir, 'tag', '--force', 'tenantctl-applied');
    changeSubject('Hurry!');
    await night();
    expect(proposed()).toContain('subject: Hurry!');
    expect(textOfRequest(request())).toContain('someone created this in the tenant again');
    expect(changedFiles()).toBe('config/mail.yaml');
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
    const shown = textOfRequest(request());
    for (const secret of [tenant.clientSecret, 'pw-4711', 'hub-token', 'lab-token'])
      expect(output + shown + runner.read('drift.patch')).not.toContain(secret);
    const prose = shown.replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, '').replaceAll(/(`+)[^`]*\1/g, '');
    expect(prose).not.toMatch(/^\/|<script|@everyone|::add-mask|!\[\]\(/m);
    expect(output).not.toMatch(/^\s*::add-mask/m);
  });

  it.runIf(name === 'GitHub')(
    'approves no plan where something could not be merged, and says so',
    async () => {
      runner.write('tenantctl.yaml', overlaid);
      commit('Differ in production');
      git(runner.dir, 'tag', '--force', 'tenantctl-applied');
      changeSubject('Hurry!');
      await night();
      expect(textOfRequest(request())).toContain('**Not everything could be merged.**');
      expect(hub().statuses).toEqual([]);
    },
  );
});
