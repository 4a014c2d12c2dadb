import { expect, it } from 'vitest';
import { addObjects } from '../support/tenant-objects.ts';
import {
  createTestWorld,
  expectEnd,
  seedFile,
  succeed,
  type World,
  type WorldOptions,
  writesIn,
} from '../support/world.ts';

let world: World;

function template(number: number) {
  const key = `notice_${String(number).padStart(4, '0')}`;
  return { key, medium: 'EMAIL', locale: 'en', name: key, subject: key };
}

/** A tenant with that many customised templates, each over a default. */
async function tenantOf(count: number, options: WorldOptions = {}): Promise<ReturnType<typeof template>[]> {
  world = await createTestWorld(options);
  const templates = Array.from({ length: count }, (_, number) => template(number));
  addObjects(world.sandbox.state, { templateDefaults: templates, templates });
  return templates;
}

function manifestOf({ key, medium, locale, subject }: ReturnType<typeof template>) {
  return { kind: 'NotificationTemplate', key, medium, locale, subject };
}

/** The operations that were asked for, with how often. */
function asked(): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { operation } of world.sandbox.log) {
    const name = operation ?? 'unknown';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

it('sends a token request and a page of 250 each for a plan without changes', async () => {
  const templates = await tenantOf(600);
  world.declare(templates.map(manifestOf));
  expect((await world.plan()).summary.unchanged).toBe(600);
  expect(asked()).toEqual({ 'issue-token': 1, 'list-notification-templates': 3 });
});

it('signs in while it reads many manifests, and sends nothing else where one of them is wrong', async () => {
  const templates = await tenantOf(400);
  for (const each of templates) world.write(`config/${each.key}.yaml`, JSON.stringify(manifestOf(each)));
  world.write('config/zzz.yaml', 'kind: Nonsense\n');
  await expectEnd(world.run('plan'), 1);
  expect(asked()).toEqual({ 'issue-token': 1 });
});

it('asks nothing where nothing is declared, and nothing to validate', async () => {
  world = await createTestWorld({ sandbox: { seed: seedFile } });
  world.write('config/none.yaml', '');
  await world.plan();
  await world.run('validate');
  expect(asked()).toEqual({});
});

it('reads the declared kinds only, authentication profiles by a list and a call each', async () => {
  world = await createTestWorld({ sandbox: { seed: seedFile } });
  const { authProfiles } = world.sandbox.state;
  const [first] = authProfiles;
  world.declare([{ kind: 'AuthProfile', name: first?.name, type: first?.type }]);
  await world.plan();
  expect(asked()).toEqual({
    'issue-token': 1,
    'get-profile-config-list': 1,
    'get-profile-config': authProfiles.length,
  });
});

it('asks once for the defaults of what is created, deleted and judged', async () => {
  const templates = await tenantOf(4);
  world.sandbox.state.templates.shift();
  const absent = { subject: undefined, ensure: 'absent' };
  const changes = [{ subject: 'New' }, absent, { subject: 'For $user' }, {}];
  world.declare(templates.map((each, at) => ({ ...manifestOf(each), ...changes[at] })));
  expect((await world.plan()).summary).toMatchObject({ create: 1, update: 1, delete: 1, unchanged: 1 });
  expect(asked()).toEqual({
    'issue-token': 1,
    'list-notification-templates': 1,
    'list-notification-template-defaults': 1,
    'get-notifications-template-context': 1,
  });
  const [defaults] = world.sandbox.log.filter(({ operation }) => operation?.endsWith('-template-defaults'));
  const named = templates.map(({ key }) => defaults?.query.filters?.includes(`"${key}"`));
  expect(named).toEqual([true, true, true, false]);
});

it('writes only what differs, and reads again only that', async () => {
  const templates = await tenantOf(600);
  for (const at of [0, 300]) Object.assign(templates[at] ?? {}, { subject: 'Changed' });
  world.declare(templates.map(manifestOf));
  await succeed(world, 'apply --yes');
  const create = 'create-notification-template';
  expect(writesIn(world.sandbox.log).map(({ operation }) => operation)).toEqual([create, create]);
  expect(asked()).toEqual({ 'issue-token': 1, 'list-notification-templates': 4, [create]: 2 });
});

it('asks no lookup of what --only leaves aside', async () => {
  world = await createTestWorld({ sandbox: { seed: seedFile } });
  const uid = world.sandbox.state.profileTypes[0]?.uid;
  world.write(
    'config/all.yaml',
    `kind: SenderAddress
email: new@acme.example
---
kind: ProfileSearch
label: One
rules:
  - type: ProfileTypeRule
    comparison_operator: "=="
    value: !lookup { from: profile_types, where: { uid: ${uid} }, take: id }
`,
  );
  expect((await world.plan('--only', 'SenderAddress/**')).summary.create).toBe(1);
  expect(asked()).not.toHaveProperty('list-profile-types');
  expect((await world.plan()).summary.create).toBe(2);
  expect(asked()).toHaveProperty('list-profile-types');
});

it('asks nothing twice, though lookups, comparison and lint look at the same', async () => {
  world = await createTestWorld({ sandbox: { seed: seedFile } });
  const lookup = (uid: string) => `!lookup { from: ne_attributes, where: { uid: ${uid} }, take: id }`;
  const rule = (uid: string) =>
    `  - { type: ProfileAttributeRule, object_type: NeAttribute, condition_object_id: ${lookup(uid)}, comparison_operator: '==', value: x }`;
  world.write(
    'config/all.yaml',
    `kind: NotificationTemplate
key: password_expiring
medium: EMAIL
locale: en
subject: $__global.productName
from: somebody@acme.example
---
kind: SenderAddress
email: new@acme.example
---
kind: VerifiedDomain
domain: acme.example
---
kind: ProfileSearch
label: Several
rules:
${['job_title', 'skills', 'country'].map(rule).join('\n')}
`,
  );
  const { summary } = await world.plan('--report', 'plan.html');
  expect(summary).toMatchObject({ create: 2, update: 1 });
  const reads = world.sandbox.log.filter(({ method }) => method === 'GET');
  const targets = reads.map(({ path, query }) => `${path}?${new URLSearchParams(query)}`);
  expect(targets.toSorted()).toEqual([...new Set(targets)].toSorted());
  for (const list of ['ne_attributes', 'verified-domains', 'verified-from-addresses'])
    expect(targets.filter((target) => target.includes(list))).not.toEqual([]);
});
