import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/client/rate-limiter.ts';
import { type FleetOptions, forEachEnvironment, planFleet } from '../../src/engine/fleet.ts';
import { readStatus } from '../../src/engine/status.ts';
import { openProjects } from '../../src/loader/index.ts';
import type { Fleet } from '../../src/model/documents.ts';
import { jumpingClock } from '../client/support.ts';
import { createTestFleet, type TestFleet } from '../support/fleet.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, expectEnd, runProgram, seedFile, succeed, writesIn } from '../support/world.ts';

shortenPauses();

const names = ['eu-1', 'eu-2', 'us-1'];

let fleet: TestFleet;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  fleet = await createTestFleet({ names, groups: { europe: ['eu-*'] } });
  ({ env } = fleet);
  fleet.writeProject(companies);
  declareSenders('a@acme.example');
});

/** A variable of each environment. */
const companies = Object.fromEntries(names.map((name) => [name, { variables: { company: name } }]));

const stateOf = (name: string) => fleet.sandboxOf(name).state;
const sendersOf = (name: string) => stateOf(name).senders.map(({ email }) => email);
const expectSenders = (...emails: string[]) => {
  for (const name of names) expect(sendersOf(name)).toEqual(emails);
};
const refuse = (name: string) =>
  fleet.sandboxOf(name).faults.add({ kind: 'status', status: 403, times: Number.POSITIVE_INFINITY });

/** Applies a saved plan of all environments, of which one is refused for now. */
async function applyInPart(): Promise<void> {
  refuse('eu-2');
  const { stdout } = await expectEnd(run('apply fleet.json'), 3);
  expect(stdout).toContain('[tenant-unauthorized]');
  fleet.sandboxOf('eu-2').faults.clear();
}

/** A tenant that cannot be reached is tried for as long as its environment says. */
async function takeDown(name: string): Promise<void> {
  await fleet.sandboxOf(name).close();
  const limits = { settle: '0s', timeout: '300ms' };
  fleet.writeProject({ ...companies, [name]: { ...companies[name], limits } });
}

function declareSenders(...emails: string[]): void {
  fleet.declare(emails.map((email) => ({ kind: 'SenderAddress', email })));
}

const run = (...argv: string[]) => fleet.run(...argv);

async function fleetOf(...argv: string[]): Promise<Fleet & { code: number }> {
  const { code, stdout, stderr } = await run(...argv, '--format', 'json');
  expect(stdout, stderr).not.toBe('');
  return { ...JSON.parse(stdout), code };
}

describe('several environments', () => {
  it('are planned in one report: each change once, with what is particular to one', async () => {
    stateOf('us-1').senders.push(...stateOf('eu-1').senders);
    fleet.write(
      'config/own.yaml',
      'kind: SimIntegration\nname: Tickets\ntype: ServiceNow Service Desk\ndescription: !var company\n',
    );
    const { stdout } = await expectEnd(run('plan -e *'), 0);
    expect(stdout.match(/\+ SenderAddress\/a@acme\.example/g)).toHaveLength(1);
    expect(stdout).toContain('In 3 of 3: eu-1, eu-2, us-1');
    for (const name of names) expect(stdout).toContain(`description  "${name}"  (in ${name})`);
    expect(stdout).toContain('Plan: 6 to create, 0 to update, 0 to delete, 0 by hand, 0 unchanged.');
  });

  it('are told once of a value that overlays of their own set', async () => {
    fleet.write('config/own.yaml', 'kind: SimIntegration\nname: Tickets\ntype: ServiceNow Service Desk\n');
    const overlays = [{ target: 'SimIntegration/*', merge: { description: 'For all' } }];
    fleet.writeProject(Object.fromEntries(names.map((name) => [name, { overlays }])));
    const { stdout } = await run('plan -e * --only SimIntegration/*');
    expect(stdout.match(/\+ SimIntegration\/Tickets/g)).toHaveLength(1);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /In 3 of 3: eu-1, eu-2, us-1 .*"For all" \(set by overlays in tenantctl\.yaml:\d+, tenantctl\.yaml:\d+, tenantctl\.yaml:\d+\)/,
    );
  });

  it('of which one is left behave like that one', async () => {
    const { stdout } = await run('plan -e us-*');
    expect(stdout).toContain('Plan for us-1');
    // Only the command that applies it says how it was selected.
    const one = await run('plan -e us-1');
    expect(one.stdout).toBe(stdout.replace("--env 'us-*'", '--env us-1'));
  });

  it('are refused by commands that work on one', async () => {
    await expectEnd(run('export -e eu-*'), 1, 'works on one environment, and --env selects 2: eu-1, eu-2.');
  });

  it('are applied, and then equal the manifests', async () => {
    expect((await fleetOf('plan', '-e', '*', '--detailed-exitcode')).code).toBe(2);
    const applied = await fleetOf('apply', '-e', '*', '--yes');
    expect(applied.code).toBe(0);
    expect(applied.environments.map(({ result }) => result?.outcome)).toEqual(['done', 'done', 'done']);
    expectSenders('a@acme.example');
    expect((await fleetOf('plan', '-e', '*', '--detailed-exitcode')).code).toBe(0);
  });
});

it.each([
  ['no', 1, []],
  ['yes', 0, ['a@acme.example']],
])('several environments are applied to where somebody types yes: %s', async (typed, code, senders) => {
  const ran = runProgram(['apply -e * --no-color'], { cwd: fleet.dir, env, typed: `${typed}\n` });
  await expectEnd(ran, code, "Type 'yes' to apply to 3 environments (eu-1, eu-2, us-1): ");
  expectSenders(...senders);
});

describe('a saved fleet', () => {
  it('is applied exactly, with its digest or none, once, and refused where it was edited', async () => {
    await run('plan -e * --out fleet.json');
    const text = fleet.read('fleet.json');
    for (const edited of [text.replaceAll('a@acme', 'b@acme'), text.replace('"us-1"', '"eu-9"')]) {
      fleet.write('edited.json', edited);
      await expectEnd(run('apply edited.json'), 4, '[plan-edited]');
    }
    const { digest } = JSON.parse(text);
    await expectEnd(run('apply fleet.json --expect', `sha256:${'0'.repeat(64)}`), 4, '[digest-mismatch]');
    expectSenders();
    await expectEnd(run('apply fleet.json --expect', digest, '--result', 'result.json'), 0);
    const summary = { environments: 3, failed: 0 };
    expect(JSON.parse(fleet.read('result.json'))).toMatchObject({ digest, summary });
    expect((await run('show result.json')).stdout).toContain('3 environments: 3 applied.');
    // The next time it says why it is refused for each tenant, and writes nothing.
    const writes = () => fleet.sandboxes.map(({ log }) => writesIn(log).length);
    expect(writes()).toEqual([1, 1, 1]);
    const { stdout } = await expectEnd(run('apply fleet.json'), 4);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('it already matches the plan. [plan-stale]');
    expect(writes()).toEqual([1, 1, 1]);
  });

  it('is not applied to a part of its environments, nor where --env selects more: they would be taken for done', async () => {
    await run('plan -e eu-* --out europe.json');
    await expectEnd(run('apply europe.json -e *'), 1, '(eu-1, eu-2), and --env selects eu-1, eu-2, us-1.');
    await run('plan -e * --out fleet.json');
    for (const [options, why] of [
      [['-e', 'eu-1'], '(eu-1, eu-2, us-1), and --env selects eu-1.'],
      [['-e', '@europe'], '--env selects eu-1, eu-2.'],
      [['--shard', '1/2'], 'cannot be combined with --shard'],
    ] as const)
      await expectEnd(run('apply fleet.json', ...options), 1, why);
    expectSenders();
    await expectEnd(run('apply fleet.json -e us-*,@europe'), 0);
  });

  it('of one environment is applied also with a group or glob that has just this one', async () => {
    await run('plan -e us-1 --shard 1/1 --out fleet.json');
    await expectEnd(run('apply fleet.json -e eu-* --dry-run'), 1, '[usage]');
    await expectEnd(run('apply fleet.json -e us-*'), 0);
    expect(sendersOf('us-1')).toEqual(['a@acme.example']);
  });
});

it('the file with the results of one apply may get those of the next: it holds no plan to apply', async () => {
  for (const senders of [['a@acme.example'], ['a@acme.example', 'b@acme.example']]) {
    declareSenders(...senders);
    await succeed(fleet, 'apply -e * --yes --result all.json');
  }
  expect(JSON.parse(fleet.read('all.json'))).toMatchObject({ summary: { create: 3 } });
});

it('an apply that failed in part is finished by the same command, and touches no tenant that was done', async () => {
  await run('plan -e * --out fleet.json');
  await applyInPart();
  const sent = ['eu-1', 'us-1'].map((name) => fleet.sandboxOf(name).log.length);
  const again = await fleetOf('apply', 'fleet.json');
  expect(again.code).toBe(0);
  expect(again.environments.map(({ result }) => result?.outcome)).toEqual(['done', 'done', 'done']);
  expect(['eu-1', 'us-1'].map((name) => fleet.sandboxOf(name).log.length)).toEqual(sent);
  expect(sendersOf('eu-2')).toEqual(['a@acme.example']);
});

it('an apply in part does not call done what was rolled back meanwhile, nor does it again', async () => {
  await run('plan -e * --out fleet.json');
  await applyInPart();
  const [result = ''] = readdirSync(join(fleet.dir, '.tenantctl/eu-1/results'));
  const back = ['rollback', `.tenantctl/eu-1/results/${result}`, '--allow-delete-all', 'SenderAddress'];
  await run(...back, '--out', 'back.json');
  await expectEnd(run('apply back.json'), 0);
  expect(sendersOf('eu-1')).toEqual([]);
  const again = await fleetOf('apply', 'fleet.json');
  const stale = { code: 'plan-stale', address: 'SenderAddress/a%40acme.example' };
  expect(again).toMatchObject({
    code: 4,
    environments: [{ error: { diagnostics: [stale] } }, { error: null }, { error: null }],
  });
  expect(names.map(sendersOf)).toEqual([[], ['a@acme.example'], ['a@acme.example']]);
});

it('an apply in part does not call done what a later apply may have changed', async () => {
  await run('plan -e * --out fleet.json');
  await applyInPart();
  stateOf('eu-1').senders.length = 0;
  fleet.sandboxOf('eu-1').faults.add({ kind: 'status', status: 504, method: 'POST', path: '/v2025' });
  const later = await run('apply -e eu-1 --yes --format json');
  expect(later.json).toMatchObject({ changes: [{ outcome: 'unknown' }] });
  const { stdout } = await expectEnd(run('apply fleet.json --format json'), 4);
  expect(JSON.parse(stdout).environments[0]?.error?.diagnostics[0]?.code).toBe('plan-stale');
});

it('an apply in part is finished by the same command where the plan was made by a clock that is ahead', async () => {
  await run('plan -e * --out fleet.json');
  const planned: Fleet = JSON.parse(fleet.read('fleet.json'));
  const createdAt = new Date(Date.now() + 3_600_000).toISOString();
  const environments = planned.environments.map((each) => ({ ...each, plan: { ...each.plan, createdAt } }));
  fleet.write('fleet.json', JSON.stringify({ ...planned, environments }));
  await applyInPart();
  await expectEnd(run('apply fleet.json'), 0);
  expectSenders('a@acme.example');
});

it('an equal plan that is made after an apply in part is applied to all, also where that was done and undone', async () => {
  fleet.sandboxOf('eu-2').faults.add({ kind: 'status', status: 403, method: 'POST', path: '/v2025' });
  await expectEnd(run('apply -e * --yes'), 3);
  fleet.sandboxOf('eu-2').faults.clear();
  for (const name of ['eu-1', 'us-1']) stateOf(name).senders.length = 0;
  const again = await fleetOf('apply', '-e', '*', '--yes');
  expect(again.code).toBe(0);
  expectSenders('a@acme.example');
});

describe('an apply that got nowhere in any environment', () => {
  beforeEach(async () => {
    await run('plan -e * --out fleet.json');
    for (const name of names) refuse(name);
  });

  it('is told as an apply, and not as what was planned', async () => {
    const { stdout } = await expectEnd(run('apply fleet.json --report r.md --report r.html'), 1);
    expect(stdout).toMatch(/^Apply to several environments[\s\S]*\n3 environments: 3 failed\.\nDigest/);
    expect(fleet.read('r.md')).toMatch(/^### tenantctl apply: 3 environments: 3 failed/);
    for (const report of ['r.md', 'r.html'])
      expect(fleet.read(report)).not.toMatch(/to create|e-mails? goes? out/);
  });

  it('leaves a result whose plans can be applied, without its errors', async () => {
    await run('apply fleet.json --result result.json');
    for (const name of names) fleet.sandboxOf(name).faults.clear();
    expect(await run('apply result.json --dry-run')).toMatchObject({ code: 0, stderr: '' });
    refuse('eu-1');
    const again = await fleetOf('apply', 'result.json');
    expect(again).toMatchObject({ code: 3, summary: { failed: 1 } });
    expect(again.environments.map(({ error }) => error === null)).toEqual([false, true, true]);
    expect(names.map((name) => sendersOf(name).length)).toEqual([0, 1, 1]);
  });
});

describe('a dry run of several environments', () => {
  it('refuses saved plans as their apply would, says in which environment, and shows the requests of the others', async () => {
    await run('plan -e * --out fleet.json');
    const sound = await run('apply fleet.json --dry-run');
    expect([sound.code, sound.stdout.match(/^POST /gm)?.length]).toEqual([0, 3]);
    addObjects(stateOf('eu-2'), { senders: [{ email: 'a@acme.example' }] });
    const stale = await run('apply fleet.json --dry-run');
    expect([stale.code, stale.stdout.match(/^# \S+$/gm)]).toEqual([4, ['# eu-1', '# us-1']]);
    expect(stale.stderr.replaceAll(/\s+/g, ' ')).toMatch(/\(only in eu-2\)\. \[plan-stale\]/);
    const { environments } = await fleetOf('apply', 'fleet.json', '--dry-run');
    expect(environments.map(({ plan, error }) => [plan !== null, error?.exitCode ?? 0])).toEqual([
      [true, 0],
      [true, 4],
      [true, 0],
    ]);
    expect(names.map((name) => sendersOf(name).length)).toEqual([0, 1, 0]);
  });

  it('says which new plan a guard refuses', async () => {
    addObjects(stateOf('eu-2'), { senders: [{ email: 'a@acme.example' }, { email: 'b@acme.example' }] });
    fleet.declare([{ kind: 'SenderAddress', email: 'a@acme.example', ensure: 'absent' }]);
    const { stderr } = await expectEnd(run('apply -e * --dry-run --max-deletes 0'), 4, '[max-deletes]');
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(/ at most 0 .* \(only in eu-2\)\. \[max-deletes\]/);
    expect((await run('plan -e eu-2 --max-deletes 0')).stdout).toContain('[max-deletes]');
  });

  it('says why an environment has no plan, and shows the requests of the others', async () => {
    refuse('eu-2');
    const { code, stdout, stderr } = await run('apply -e * --dry-run');
    expect([code, stdout.match(/^# \S+$/gm)]).toEqual([1, ['# eu-1', '# us-1']]);
    expect(stderr).toContain('403');
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('(only in eu-2)');
  });
});

it('results that `show` has joined are not applied: they have no plans', async () => {
  for (const name of ['eu-1', 'us-1'])
    expect(await run('apply -e', name, '--yes', '--result', `${name}.json`)).toMatchObject({ code: 0 });
  fleet.write('both.json', (await run('show eu-1.json us-1.json --format json')).stdout);
  await expectEnd(run('show both.json'), 0);
  await expectEnd(run('apply both.json'), 4, 'both.json has a result of "eu-1" but no plan');
});

describe('environments that were given the same tenant', () => {
  beforeEach(() => {
    const { url } = fleet.sandboxOf('eu-1');
    const text = fleet.read('tenantctl.yaml').replaceAll(fleet.sandboxOf('eu-2').url, url);
    fleet.write('tenantctl.yaml', text.replaceAll('EU_2_', 'EU_1_'));
    const rules = [{ type: 'ProfileStatusRule', comparison_operator: '==', value: 'Active' }];
    fleet.declare([{ kind: 'ProfileSearch', label: 'All', rules }]);
  });

  it('are refused what both would make, and stop no other', async () => {
    const applied = await fleetOf('apply', '-e', '*', '--yes');
    expect(applied.code).toBe(4);
    expect(names.map((name) => stateOf(name).profileSearches.length)).toEqual([0, 0, 1]);
    expect(applied.environments[0]?.plan?.diagnostics).toMatchObject([
      {
        code: 'shared-tenant',
        severity: 'error',
        message: expect.stringContaining('ProfileSearch/All would also be changed by eu-2'),
        hint: expect.stringContaining('one after the other, with `limits.settle` between them'),
      },
    ]);
    // One after the other, the second finds what the first has made.
    await expectEnd(run('apply -e eu-1 --yes'), 0);
    const { environments } = await fleetOf('plan', '-e', '*');
    expect(environments.flatMap(({ plan }) => plan?.changes)).toEqual([]);
    expect(stateOf('eu-1').profileSearches).toHaveLength(1);
  });

  it('are refused that also where they were planned in parts, which `show` has joined', async () => {
    for (const part of [1, 2, 3]) {
      await expectEnd(run('plan -e * --shard', `${part}/3`, '--out', `part-${part}.json`), 0);
    }
    const joined = await run('show part-1.json part-2.json part-3.json --format json');
    fleet.write('joined.json', joined.stdout);
    const applied = await fleetOf('apply', 'joined.json');
    const { digest } = JSON.parse(joined.stdout);
    expect(applied).toMatchObject({ code: 4, digest, summary: { failed: 2 } });
    expect(applied.environments[0]?.error?.diagnostics).toMatchObject([{ code: 'shared-tenant' }]);
    expect(names.map((name) => stateOf(name).profileSearches.length)).toEqual([0, 0, 1]);
  });
});

it('a tenant is the same under another name of its host, and so is a key in other letters', async () => {
  const url = fleet.sandboxOf('eu-1').url.replace('127.0.0.1', 'localhost');
  const text = fleet.read('tenantctl.yaml').replaceAll(fleet.sandboxOf('eu-2').url, url);
  const email = (name: string) => ({ 'eu-1': 'Help@acme.example', 'eu-2': 'help@ACME.example' })[name];
  fleet.write('tenantctl.yaml', text.replaceAll('EU_2_', 'EU_1_'));
  for (const name of ['eu-1', 'eu-2']) {
    fleet.write('config/sender.json', JSON.stringify({ kind: 'SenderAddress', email: email(name) }));
    await run('plan -e', name, '--out', `${name}.json`);
  }
  fleet.write('both.json', (await run('show eu-1.json eu-2.json --format json')).stdout);
  const error = { diagnostics: [{ code: 'shared-tenant' }] };
  expect(await fleetOf('apply', 'both.json')).toMatchObject({
    code: 4,
    environments: [{ error }, { error }],
  });
  expect(stateOf('eu-1').senders).toEqual([]);
});

it('a fleet is reported as Markdown with its failures first, and as JUnit with a suite for each environment', async () => {
  refuse('us-1');
  const { stdout } = await expectEnd(run('plan -e * --format markdown --report fleet.xml'), 1);
  expect(stdout).toMatch(/\| ❌ us-1 \|[\s\S]*\| eu-1 \| \*\*1\*\* \| 0 \| 0 \| 0 \| 0 \|/);
  expect(stdout).toMatch(/#### us-1\n[\s\S]*403[\s\S]*#### In 2 of 3: eu-1, eu-2/);
  expect(fleet.read('fleet.xml')).toMatch(/<testsuite name="us-1" tests="1" failures="1"/);
  expect(fleet.read('fleet.xml')).toContain(
    'classname="eu-1" name="SenderAddress: SenderAddress/a@acme.example"',
  );
});

it('an error that several environments share is told once, in each form, with their names', async () => {
  fleet.write('config/search.yaml', 'kind: ProfileSearch\nlabel: !env LABEL_OF_SEARCH\n');
  const noFile = { body: { path: 'no-such-file' } };
  fleet.writeProject({ 'eu-2': { overlays: [{ target: 'SenderAddress/*', merge: noFile }] } });
  for (const [format, shared, alone] of [
    ['text', /^eu-1, eu-2, us-1\n/gm, /^eu-2\n/gm],
    ['markdown', /^#### eu-1, eu-2, us-1$/gm, /^#### eu-2$/gm],
  ] as const) {
    const { stdout } = await expectEnd(run('plan -e * --format', format), 1);
    expect(stdout.match(shared)).toHaveLength(1);
    expect(stdout.match(alone)).toHaveLength(1);
    expect(stdout.match(/The environment variable LABEL.*SEARCH is not set/g), stdout).toHaveLength(1);
  }
  await run('plan -e * --report plan.html');
  expect(fleet.read('plan.html').match(/(?<=<h3>).*(?=<\/h3>)/g)).toEqual(['eu-1, eu-2, us-1', 'eu-2']);
});

it('what plans remark is told once, with the environments that it is about', async () => {
  const hint = { key: 'access_request_decision', medium: 'EMAIL', subject: '$nobody' };
  const seeded = await createTestFleet({ names, sandbox: () => ({ seed: seedFile }) });
  seeded.declare(['de', 'fr'].map((locale) => ({ kind: 'NotificationTemplate', locale, ...hint })));
  const overlays = [{ target: 'NotificationTemplate/**/fr', merge: { subject: 'Somebody' } }];
  seeded.writeProject({ 'us-1': { overlays } });
  for (const format of ['text', 'markdown']) {
    const { stdout } = await seeded.run('plan -e * --format', format);
    expect(stdout).toContain('unknown-variable');
    // Without wrapped lines, and without what Markdown escapes.
    const words = stdout.replaceAll(/[^\w]+/g, ' ');
    expect(words.match(/ only in eu 1 eu 2 /g)).toHaveLength(1);
    const quiet = await seeded.run('plan -e * --format', format, '--quiet');
    expect(quiet.stdout).toContain('unknown-variable');
  }
});

it('what no proof covers is told once, with its environments, before the apply', async () => {
  fleet.write(
    'config/own.yaml',
    'kind: SimIntegration\nname: Tickets\ntype: ServiceNow Service Desk\ndescription: !var company\n',
  );
  await expectEnd(run('apply -e us-1 --yes --result us-1.json'), 0);
  const { stderr } = await expectEnd(run('apply -e * --yes --proven-by us-1.json'), 0);
  expect(stderr.match(/\[differs-here\]/g)).toHaveLength(1);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('decide /description (only in eu-1, eu-2)');

  // The plans of a file say as much, where the manifests are still those that were planned.
  const applySaved = () => run('apply fleet.json --proven-by us-1.json --dry-run');
  for (const { state } of fleet.sandboxes) state.simIntegrations.length = 0;
  await run('plan -e eu-* --out fleet.json');
  expect((await applySaved()).stderr.replaceAll(/\s+/g, ' ')).toContain(
    'decide /description. [differs-here]',
  );
  fleet.write('config/own.yaml', 'kind: SimIntegration\nname: [');
  expect((await applySaved()).stderr).toBe('');
});

it('a format that a fleet does not have is refused before any tenant is asked', async () => {
  await expectEnd(run('plan -e * --report fleet.sarif'), 1, '[unsupported-format]');
  await expectEnd(run('apply -e * --yes --report fleet.gitlab.json'), 1, '[unsupported-format]');
  expect(fleet.sandboxes.flatMap(({ log }) => log)).toEqual([]);
});

it('validate tells what all environments share once, and names those that are alone with a problem', async () => {
  declareSenders('not an address');
  fleet.writeProject({ ...companies, 'eu-2': { variables: { company: ['eu-2'] } } });
  fleet.write(
    'config/a.yaml',
    'kind: SimIntegration\nname: Tickets\ntype: ServiceNow\ndescription: !var company\n',
  );
  const { stdout } = await expectEnd(run('validate -e *'), 1);
  // In the order of their places, whichever environment has them.
  const places = stdout.match(/(?<=^config\/)\w+\.yaml:\d+(?=.* error )/gm);
  expect(places).toEqual(['a.yaml:4', 'all.yaml:2']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('(only in eu-2)');
});

it.each([
  ['-e *', ['unknown-field', 'unknown-field']],
  ['-e asia-*', ['unknown-field']],
])(
  'validate %s tells problems of the project file in every format, and those of manifests too',
  async (which, codes) => {
    fleet.writeProject({ ...companies, 'eu-1': { colour: 'red' } });
    fleet.write('config/a.yaml', 'kind: SimIntegration\nname: Tickets\ntyp: ServiceNow\n');
    const { stdout } = await expectEnd(run(`validate ${which} --format github`), 1);
    expect([...stdout.matchAll(/^::error .*?title=([a-z-]+)/gm)].map(([, code]) => code)).toEqual(codes);
    const sarif = JSON.parse((await expectEnd(run(`validate ${which} --format sarif`), 1)).stdout);
    const errors = sarif.runs[0].results.filter(({ level }: { level: string }) => level === 'error');
    expect(errors).toHaveLength(codes.length);
  },
);

it('validate tells first which line of the project file is why a group is unknown', async () => {
  fleet.write('tenantctl.yaml', 'version: 1\ngroups: { europe: 5 }\nenvironments: { a: { sandbox: {} } }\n');
  const { stdout } = await expectEnd(run('validate -e @europe --format json'), 1);
  expect(JSON.parse(stdout).diagnostics).toMatchObject([{ code: 'wrong-type', source: { line: 2 } }]);
  fleet.writeProject(companies);
  const shard = await expectEnd(run('validate --shard 9 --format github'), 1);
  expect(shard.stdout).toContain('title=shard-syntax::');
  const unknown = await expectEnd(run('validate -e a* --format github'), 1);
  expect(unknown.stdout).toContain('title=unknown-environment::');
});

it('status shows each environment below its name, and one that is down stops no other', async () => {
  await takeDown('eu-2');
  const { stdout, stderr } = await expectEnd(run('status -e *'), 1, '[token-endpoint]');
  expect(stdout).toMatch(/^eu-1\n[\s\S]*a@acme\.example[\s\S]*us-1\n/);
  expect(stderr).toMatch(/^eu-2$/m);
  expect(stderr).toContain(new URL(fleet.sandboxOf('eu-2').url).host);
  const asJson = await run('status -e * --format json');
  expect(JSON.parse(asJson.stdout).environments).toMatchObject([
    { name: 'eu-1', error: null },
    { name: 'eu-2', status: null },
    { name: 'us-1', error: null },
  ]);
});

it('the zone format of several environments holds a record that they share once', async () => {
  const domain = { address: 'acme.example', dkimTokens: ['aaa', 'bbb'] };
  for (const name of names) addObjects(stateOf(name), { identities: [domain] });
  fleet.declare([{ kind: 'VerifiedDomain', domain: 'acme.example' }]);
  const { stdout } = await succeed(fleet, 'status -e * --format zone');
  expect(stdout.match(/^aaa\._domainkey/gm)).toHaveLength(1);
  expect(stdout.match(/^; also: aaa\._domainkey/gm)).toHaveLength(2);
});

it('status says in which environment the time is up', async () => {
  const { stderr } = await expectEnd(run('status -e eu-* --wait 1ms --quiet'), 3);
  for (const name of ['eu-1', 'eu-2']) {
    expect(stderr).toContain(`The time is up. Not verified in ${name}: SenderAddress/a%40acme.example`);
  }
});

it('status prints what tenants say without signs that a terminal or a pipeline would obey', async () => {
  fleet.declare([{ kind: 'VerifiedDomain', domain: 'acme.example' }]);
  const dkimTokens = ['\u009b31mred', '##[error]x', 'plain'];
  addObjects(stateOf('eu-1'), { identities: [{ address: 'acme.example', dkimTokens }] });
  const { stdout } = await run('status -e eu-* --format json');
  expect(stdout).not.toMatch(/\u009b|##\[/);
  expect(JSON.stringify(JSON.parse(stdout))).toContain('\u009b31mred');
});

it('env list names environments and groups, also as the matrix of a GitHub job', async () => {
  const table = 'environment  groups\neu-1         @europe\neu-2         @europe\nus-1\n';
  expect((await run('env list')).stdout).toBe(table);
  const matrix = '{"environment":["eu-1","eu-2"]}\n';
  expect((await run('env list -e @europe --format github-matrix')).stdout).toBe(matrix);
  fleet.env.TENANTCTL_ENV = '@europe';
  expect((await run('env list --format github-matrix')).stdout).toBe(matrix);
  delete fleet.env.TENANTCTL_ENV;
  const empty = await createTestFleet({ names, groups: { asia: ['asia-*'] } });
  expect((await empty.run('env')).stdout).toMatch(/^ +@asia: none$/m);
  expect(JSON.parse((await run('env list --format json --shard 2/2')).stdout)).toEqual({
    formatVersion: 1,
    environments: ['eu-2'],
    groups: { europe: ['eu-1', 'eu-2'] },
  });
});

/** Two environments of one tenant and client, with a rate limit of so many requests. */
async function twinEnvironments(requests: number) {
  const world = await createTestWorld();
  const auth = '{ clientId: !env CLIENT_ID, clientSecret: !secret CLIENT_SECRET }';
  const limits = `limits: { requests: ${requests}, per: 1h, settle: 0s }`;
  const environment = `{ identity: { baseUrl: ${world.sandbox.url}, auth: ${auth} }, ${limits} }`;
  world.write('tenantctl.yaml', `version: 1\nenvironments:\n  a: ${environment}\n  b: ${environment}\n`);
  world.declare([{ kind: 'SenderAddress', email: 'a@acme.example' }]);
  // No time passes but that of waits, however busy the machine is.
  const [types, clock]: [string[], Clock] = [[], jumpingClock()];
  const options: FleetOptions = {
    parallel: 2,
    signal: new AbortController().signal,
    tenantOptions: () => ({ clock, onEvent: ({ type }) => void types.push(type) }),
  };
  const projects = openProjects({ configFile: join(world.dir, 'tenantctl.yaml'), env: world.env });
  return { projects, options, types };
}

it.each([
  [2, true],
  [4, false],
])(
  'two environments of one client share its limit of %i requests: one waits: %s',
  async (requests, waits) => {
    const { projects, options, types } = await twinEnvironments(requests);
    const { summary } = await planFleet(projects, ['a', 'b'], options);
    expect(summary).toMatchObject({ create: 2 });
    expect(types.includes('rate-limit-wait')).toBe(waits);
  },
);

it.each([
  [3, true],
  [4, false],
])('so they do for a status, with %i requests: one waits: %s', async (requests, waits) => {
  const { projects, options, types } = await twinEnvironments(requests);
  const scope = { resources: [], includes: (address: string) => address.startsWith('VerifiedDomain/') };
  await forEachEnvironment(['a', 'b'], options, (name, withTenant) =>
    withTenant(projects.load(name), (tenant) => readStatus(tenant, scope)),
  );
  expect(types.includes('rate-limit-wait')).toBe(waits);
});

it('the JSON that is printed is the JSON that is saved, also where a secret is one of its words', async () => {
  const other = await createTestFleet({ names, sandbox: () => ({ clientSecret: 'create' }) });
  other.declare([{ kind: 'SenderAddress', email: 'a@acme.example' }]);
  const { stdout } = await succeed(other, 'plan -e * --format json --out fleet.json');
  expect(JSON.parse(stdout)).toEqual(JSON.parse(other.read('fleet.json')));
});

describe('rollback', () => {
  it('undoes the apply of one environment from the file of several', async () => {
    await expectEnd(run('apply -e * --yes --result all.json'), 0);
    const unclear = await expectEnd(run('rollback all.json --format json'), 1, '[several-environments]');
    expect(unclear.stdout).toContain('all.json holds the results of several environments: eu-1, eu-2, us-1.');
    const other = await run('rollback all.json -e asia-1 --format json');
    expect(other.stdout).toContain('Name one of them with --env.');
    const plan = ['-e', 'eu-2', '--out', 'back.json', '--allow-delete-all', 'SenderAddress'];
    await expectEnd(run('rollback all.json', ...plan), 0);
    await expectEnd(run('apply back.json'), 0);
    fleet.env.TENANTCTL_ENV = 'eu-1';
    const { stdout } = await succeed(fleet, 'rollback all.json --except **');
    expect(stdout).toMatch(/^Plan for eu-1 /);
    expect(names.map(sendersOf)).toEqual([['a@acme.example'], [], ['a@acme.example']]);
  });

  it('refuses the only result of such a file for another environment than its own', async () => {
    await takeDown('eu-2');
    await expectEnd(run('apply -e eu-1,eu-2 --yes --result all.json'), 3);
    const other = await run('rollback all.json -e us-1 --format json');
    expect(other).toMatchObject({ code: 4, stdout: expect.stringContaining('"code": "result-tenant"') });
  });
});
