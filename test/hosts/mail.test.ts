import { describe, expect, test } from 'vitest';
import { type Host, worldOf } from '../support/hosts.ts';
import { createTestWorld, expectEnd, filesBelow, type World } from '../support/world.ts';

const seed = `
senders:
  - { email: a@acme.example, verificationStatus: SUCCESS }
identities:
  - { address: acme.example, dkimVerificationStatus: SUCCESS }
  - { address: slow.example, dkimVerificationStatus: FAILED }
  - { address: new.example, dkimVerificationStatus: PENDING }
mailFrom:
  - { identity: acme.example, mailFromDomain: bounce.acme.example, mailFromDomainStatus: SUCCESS }
templateDefaults:
  - { key: welcome }
  - { key: secret }
preferences:
  - { key: welcome, mediums: [EMAIL] }
`;

const open = (host: Host): Promise<World> => createTestWorld({ ...worldOf(host), seed });

async function exportAll(world: World, ...argv: string[]) {
  const exported = await world.run('export --out config', ...argv);
  expect(exported, exported.stderr).toMatchObject({ code: 0 });
  const files = [...filesBelow(`${world.dir}/config`).values()].join('');
  expect((await world.plan()).changes).toEqual([]);
  return { stderr: exported.stderr, files };
}

describe('an answer about the MAIL FROM of another identity', () => {
  test('is left out of an export with a remark, and all others are exported', async () => {
    const { stderr, files } = await exportAll(await open({ mailFromIdentity: 'domain' }));
    expect(stderr).toMatch(
      /MailFrom\/a%40acme\.example is not exported: [\s\S]*returned another[\s\S]*\[not-exported\]/,
    );
    expect(files).toContain('mailFromDomain: bounce.acme.example');
    expect(files).not.toContain('identity: a@acme.example');
  });

  test('leaves a manifest as it is, also with --delete', async () => {
    const world = await open({ mailFromIdentity: 'domain' });
    world.declare([{ kind: 'MailFrom', identity: 'a@acme.example', mailFromDomain: 'b.acme.example' }]);
    const before = world.read('config/all.yaml');
    const merged = await world.run('export --merge --delete --kinds MailFrom');
    expect(merged).toMatchObject({ code: 0 });
    expect(world.read('config/all.yaml')).toContain(before.trim());
    expect(merged.stderr).toContain('not-exported');
  });

  test('is an error of a plan that declares it, since "absent" is not certain, and status shows it', async () => {
    const world = await open({ mailFromIdentity: 'domain' });
    world.declare([{ kind: 'MailFrom', identity: 'a@acme.example', mailFromDomain: 'b.acme.example' }]);
    const planned = await world.run('plan');
    expect(planned.code).toBe(1);
    expect(planned.stderr).toMatch(/MailFrom\/a%40acme\.example[\s\S]*another MailFrom[\s\S]*--except/);
    const status = await world.run('status --format json');
    expect(status.code).toBe(0);
    expect(status.json).toMatchObject({
      identities: expect.arrayContaining([
        expect.objectContaining({ name: 'a@acme.example', kind: 'MailFrom', verification: 'unknown' }),
      ]),
    });
  });
});

test('a notification whose preferences are answered with 400 is left out of an export with a remark', async () => {
  const world = await open({ preferenceMissing: 'badRequest' });
  const { stderr, files } = await exportAll(world, '--kinds', 'NotificationPreference');
  expect(stderr).toMatch(/NotificationPreference\/secret is not exported: [\s\S]*400/);
  expect(files).toMatch(/kind: NotificationPreference\s+key: welcome/);
});

test('a notification whose preferences are answered with 400 is refused where a manifest has it, with advice', async () => {
  const world = await open({ preferenceMissing: 'badRequest' });
  world.declare([{ kind: 'NotificationPreference', key: 'secret', mediums: ['EMAIL'] }]);
  const { stderr } = await expectEnd(world.run('plan'), 1);
  expect(stderr).toMatch(/NotificationPreference\/secret[\s\S]*400[\s\S]*hint: [\s\S]*--except/);
});

test('a merge tells only of the objects that manifests declare, unless it adds the others', async () => {
  const world = await open({ mailFromIdentity: 'domain' });
  world.declare([{ kind: 'MailFrom', identity: 'acme.example', mailFromDomain: 'bounce.acme.example' }]);
  expect((await world.run('export --merge')).stderr).not.toContain('not-exported');
  expect((await world.run('export --merge --all')).stderr).toMatch(/MailFrom\/a%40acme\.example/);
});

describe.each([
  ['upper', 'NOT_STARTED', 'TEMPORARY_FAILURE'],
  ['camel', 'NotStarted', 'TemporaryFailure'],
] as const)('DKIM states of the mail provider, spelt %s', (dkimStates, pending, failed) => {
  test('leave their domains out of an export with a remark', async () => {
    const { stderr, files } = await exportAll(await open({ dkimStates }));
    expect(stderr).toMatch(/VerifiedDomain\/new\.example is not exported: The mail provider has not started/);
    expect(stderr).toMatch(/VerifiedDomain\/slow\.example is not exported: The mail provider could not/);
    expect(files).toContain('domain: acme.example');
  });

  test('are pending in a status, with a remark, and no difference in a plan', async () => {
    const world = await open({ dkimStates });
    const { json } = await world.run('status --format json');
    const state = (name: string, reported: string) =>
      expect.objectContaining({
        name,
        reported,
        verification: 'pending',
        remarks: expect.arrayContaining([expect.stringContaining('The mail provider')]),
      });
    expect(json).toMatchObject({
      identities: expect.arrayContaining([state('new.example', pending), state('slow.example', failed)]),
    });
    world.declare([{ kind: 'VerifiedDomain', domain: 'slow.example' }]);
    expect((await world.plan()).changes).toEqual([]);
  });
});
