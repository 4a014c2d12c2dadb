import { beforeEach, describe, expect, it } from 'vitest';
import { createTestWorld, expectEnd, seedFile, succeed, type World } from '../support/world.ts';

const locales = ['de', 'fr', 'it', 'es', 'pt', 'nl'];
/** Each with a variable that does not exist: a warning. */
const templates = locales.map((locale) => ({
  kind: 'NotificationTemplate',
  key: 'access_request_decision',
  medium: 'EMAIL',
  locale,
  subject: '$nobody',
}));
const sender = { kind: 'SenderAddress', email: 'a@acme.example' };

let world: World;
beforeEach(async () => {
  const environment = { protect: ['NotificationTemplate/**'] };
  world = await createTestWorld({ sandbox: { seed: seedFile }, environment });
  world.declare([...templates, sender]);
});

const count = (text: string, word: string) => text.split(word).length - 1;

it('that only inform are told by validate, and not in a plan', async () => {
  world.declare([{ kind: 'SimIntegration', name: 'Desk', type: 'Jira' }]);
  const { stdout, stderr } = await world.run('plan');
  expect(stdout + stderr).not.toContain('[sim-deprecated]');
  expect((await world.run('validate')).stdout).toContain('[sim-deprecated]');
});

it('that are alike are folded into the first one, which names some of the others, and are all shown with --verbose and in JSON', async () => {
  const { stdout } = await world.run('plan');
  expect(count(stdout, '[unknown-variable]')).toBe(1);
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /and 5 more: NotificationTemplate\/access_request_decision\/EMAIL\/\w+, .*, … \(--verbose shows all\)/,
  );
  expect(count((await world.run('plan --verbose')).stdout, '[unknown-variable]')).toBe(6);
  expect((await world.plan()).diagnostics).toHaveLength(6);
});

describe('--quiet', () => {
  it('leaves out neither warnings nor changes nor risks', async () => {
    const { stdout, stderr } = await world.run('plan --quiet');
    expect(stdout).toContain('unknown-variable');
    expect(stdout).toContain('+ SenderAddress/a@acme.example');
    expect(stdout).toContain('SENDS E-MAIL');
    expect(stderr).toBe('');
  });

  it('does not leave out why a plan is refused', async () => {
    await succeed(world, 'apply --yes --quiet');
    world.declare([{ ...templates[0], subject: undefined, ensure: 'absent' }]);
    expect((await expectEnd(world.run('plan --quiet'), 4)).stdout).toContain('[protected]');
  });

  it('shows before an apply what a reviewer should notice', async () => {
    await expectEnd(world.run('apply --yes --quiet'), 0, /e-mail goes out/i);
    expect((await world.run('apply --yes --quiet')).stderr).toBe('');
  });

  it('shows before an apply the warnings of its changes', async () => {
    // The result says what to do by hand.
    const byHand = { kind: 'AuthProfile', name: 'New', type: 'MFA' };
    world.declare([{ kind: 'VerifiedDomain', domain: 'a.example' }, byHand]);
    const { stderr } = await succeed(world, 'apply --yes --quiet');
    expect(stderr).toBe(
      'warning  VerifiedDomain/a.example: Then publish the DKIM records of a.example: `tenantctl status` prints them.\n1 step by hand\n',
    );
  });

  it('shows the warnings that `validate` finds, and leaves out the remarks of an export', async () => {
    world.write('tenantctl.yaml', `${world.read('tenantctl.yaml')}manifests: [none]\n`);
    expect((await world.run('validate --quiet')).stdout).toMatch(/\[no-manifests\][\s\S]*\n1 warning\n$/);
    expect((await world.run('export --quiet --kinds SenderAddress')).stderr).toBe('');
  });
});

it('a rollback says which addresses are not in the result, and names what is near', async () => {
  await succeed(world, 'apply --yes --result result.json');
  const rollback = world.run('rollback result.json --only SenderAddress/b@acme.example');
  await expectEnd(rollback, 1, '[unknown-address]', 'Did you mean `SenderAddress/a%40acme.example`?');
});
