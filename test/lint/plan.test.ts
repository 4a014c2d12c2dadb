import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, expectEnd, seedFile, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await createWorld({ sandbox: { seed: seedFile } });
});
afterEach(() => world.close());

const template = (fields: object) => ({
  kind: 'NotificationTemplate',
  key: 'access_request_decision',
  medium: 'EMAIL',
  locale: 'de',
  ...fields,
});
const attributeRule = (id: string) => ({
  kind: 'ProfileSearch',
  label: 'New',
  rules: [
    {
      type: 'ProfileAttributeRule',
      object_type: 'NeAttribute',
      condition_object_id: id,
      comparison_operator: '==',
      value: 'x',
    },
  ],
});

const typeRule = (value: unknown) => ({
  kind: 'ProfileSearch',
  label: 'New',
  rules: [{ type: 'ProfileTypeRule', comparison_operator: '==', value }],
});

const asked = () => {
  const operations = world.sandbox.log.map(({ operation, path }) => operation ?? path);
  return operations.filter((name) => !/token/.test(name)).sort();
};
const codesOf = (plan: { diagnostics: readonly { code: string }[] }) =>
  plan.diagnostics.map(({ code }) => code);

describe('what a plan asks for the sake of the lint', () => {
  const own = ['list-notification-template-defaults', 'list-notification-templates'];
  const context = 'get-notifications-template-context';

  it('is nothing if nothing changes, for any texts', async () => {
    world.declare([template({ subject: '$nobody $__global.nothing #if($a)', from: 'a@foreign.example' })]);
    expect((await world.run('apply', '--yes')).code).toBe(0);
    const before = world.sandbox.log.length;
    expect((await world.plan()).changes).toEqual([]);
    const since = world.sandbox.log.slice(before).map(({ operation }) => operation);
    expect(since.filter((name) => name !== null && !/token/.test(name))).toEqual([
      'list-notification-templates',
    ]);
  });

  it('is judged only in what changes', async () => {
    const broken = template({ subject: '$nobody #if($a)', from: 'a@foreign.example' });
    world.declare([broken, typeRule('6330517c-7b4a-c3b0-7c0a-eacee6c6e249')]);
    expect((await world.run('apply', '--yes')).code).toBe(0);
    world.declare([broken, { ...typeRule('6330517c-7b4a-c3b0-7c0a-eacee6c6e249'), label: 'Newer' }]);
    const plan = await world.plan();
    expect(plan.summary).toMatchObject({ create: 1, unchanged: 1 });
    expect(codesOf(plan)).toEqual(['renamed']);
  });

  it('is the default for a variable of a template whose default was not read, and at the same time the context', async () => {
    world.declare([template({ key: 'access_request_reviewer', subject: '$approvalUrl' })]);
    expect(codesOf(await world.plan())).toEqual([]);
    expect(asked()).toEqual(['get-notifications-template-context', ...own]);
    const of = ({ operation }: { operation: string | null }) =>
      operation === 'list-notification-template-defaults';
    expect(world.sandbox.log.find(of)?.query.filters).toContain('"access_request_reviewer"');
  });

  it('is the context in vain where the tenant does not show it and the default has all variables', async () => {
    world.sandbox.faults.add({ kind: 'status', path: '/v2025/notification-template-context', status: 403 });
    world.declare([template({ key: 'access_request_reviewer', subject: '$approvalUrl' })]);
    expect(codesOf(await world.plan())).toEqual([]);
  });

  it.each<[string, object, string[], string[]]>([
    ['nothing if the default has all variables', { subject: '$accessName: $decision' }, [], []],
    ['the context for a member of it', { subject: '$__global.productName' }, [], [context]],
    [
      'the context once, also if the default does not have the variable',
      { key: 'access_request_reviewer', subject: '$approvalUrl $nobody' },
      ['unknown-variable'],
      [context],
    ],
    [
      'senders and domains for an address that is not declared',
      { from: 'servicedesk@acme.example' },
      [],
      ['get-dkim-attributes', 'list-from-addresses'],
    ],
  ])('is %s', async (_what, fields, codes, more) => {
    world.declare([template(fields)]);
    expect(codesOf(await world.plan())).toEqual(codes);
    expect(asked()).toEqual([...more, ...own]);
  });
});

it('reports variables, senders and defaults in the plan', async () => {
  const repeated = { key: 'password_expiring', locale: 'fr' };
  const standard = world.sandbox.state.templateDefaults.find(
    ({ key, medium, locale }) => key === repeated.key && medium === 'EMAIL' && locale === repeated.locale,
  );
  world.declare([
    template({ subject: '$acessName', from: 'nobody@foreign.example' }),
    template({ ...repeated, subject: standard?.subject }),
  ]);
  const { diagnostics, digest } = await world.plan();
  expect(diagnostics.map(({ code, hint }) => `${code} ${hint}`)).toEqual([
    'unknown-variable Did you mean `accessName`?',
    'unknown-sender Declare it as a SenderAddress, or verify its domain.',
    "equals-default Remove the manifest, and the template follows the vendor's changes.",
  ]);
  expect((await world.run('apply', '--yes', '--expect', digest)).code).toBe(0);
});

it('says how a template that is customised in the tenant follows its default again', async () => {
  const key = { key: 'password_expiring', locale: 'en' };
  const isEnglish = ({ medium, locale }: { medium: string; locale: string }) =>
    medium === 'EMAIL' && locale === key.locale;
  const standard = world.sandbox.state.templateDefaults.find(
    (each) => each.key === key.key && isEnglish(each),
  );
  world.declare([template({ ...key, subject: 'Our own' })]);
  expect(await world.run('apply', '--yes')).toMatchObject({ code: 0 });
  world.declare([template({ ...key, subject: standard?.subject })]);
  const { diagnostics } = await world.plan();
  expect(diagnostics).toMatchObject([
    { code: 'equals-default', hint: expect.stringContaining('`ensure: absent`') },
  ]);
});

describe('a profile type', () => {
  it('is looked for in the tenant', async () => {
    world.declare([typeRule('employee')]);
    await expectEnd(
      world.run('plan'),
      1,
      'unknown-profile-type',
      '!lookup { from: profile_types, where: { uid: employee }, take: id',
    );
    expect(asked()).toEqual(['list-profile-searches', 'list-profile-types']);
  });
});

describe('an error', () => {
  it('stops plan and apply before anything is written', async () => {
    world.declare([template({ subject: 'Hi' }), attributeRule('department')]);
    for (const command of [['plan'], ['apply', '--yes']]) {
      await expectEnd(world.run(...command), 1, 'unknown-attribute', 'where: { uid: department }');
    }
    expect(world.sandbox.log.filter(({ method, path }) => method !== 'GET' && !/token/.test(path))).toEqual(
      [],
    );
  });

  it('stops validate if the project sets the rule to error', async () => {
    world.declare([template({ subject: '#if($a)' })]);
    expect((await world.run('validate')).code).toBe(0);
    world.write('tenantctl.yaml', `${world.read('tenantctl.yaml')}lint: { velocity-unclosed: error }\n`);
    const { stdout } = await expectEnd(world.run('validate', '--format', 'json'), 1);
    expect(stdout).toContain('velocity-unclosed');
  });
});

it('tells which checks were skipped in one order, whatever was refused first', async () => {
  const { faults } = world.sandbox;
  faults.add({ kind: 'status', path: '/v2025/notification-template-context', status: 403 });
  // These are asked twice, so their refusal comes last.
  faults.add({ kind: 'status', path: '/v2025/verified-from-addresses', status: 503 });
  faults.add({ kind: 'status', path: '/v2025/verified-from-addresses', status: 403, times: 2 });
  world.declare([template({ subject: '$__global.nothing', from: 'a@foreign.example' })]);
  const { diagnostics } = await world.plan();
  const messages = diagnostics.map(({ message }) => message);
  expect(messages).toEqual([
    expect.stringContaining('Reading SenderAddress'),
    expect.stringContaining('Reading the template context'),
  ]);
});

it('makes a plan even if the tenant refuses to answer the questions of the lint', async () => {
  const refused = { kind: 'status', path: '/v2025/notification-template-context', status: 403 } as const;
  world.sandbox.faults.add({ ...refused, times: 2 });
  world.declare([template({ subject: '$__global.nothing' })]);
  const { changes, diagnostics, digest } = await world.plan();
  expect(changes).toHaveLength(1);
  expect(diagnostics.map(({ code, severity }) => `${code} ${severity}`)).toEqual(['lint-not-asked warning']);
  // Otherwise the plan could never be approved by its digest.
  expect((await world.plan()).digest).toBe(digest);
});

describe('a sender that notifications cannot come from', () => {
  const addSender = (email: string, verificationStatus: 'FAILED' | 'SUCCESS') =>
    world.sandbox.state.senders.push({
      id: email,
      email,
      isVerifiedByDomain: false,
      verificationStatus,
      region: null,
    });

  it('is told with the reason, if the tenant could not verify it', async () => {
    addSender('Failed@foreign.example', 'FAILED');
    world.declare([template({ from: 'Failed@foreign.example' })]);
    const { diagnostics } = await world.plan();
    expect(diagnostics).toMatchObject([
      {
        code: 'unknown-sender',
        message: expect.stringContaining('is not a declared sender, nor a usable one of the tenant'),
        hint: expect.not.stringContaining('Did you mean'),
      },
    ]);
  });

  it('is told where the plan deletes it, for templates that do not change and are not in scope too', async () => {
    addSender('old@foreign.example', 'SUCCESS');
    world.declare([template({ from: 'Old@foreign.example', replyTo: '$__global.emailFromAddress' })]);
    expect(await world.run('apply', '--yes')).toMatchObject({ code: 0 });
    world.declare([
      template({ from: 'Old@foreign.example' }),
      { kind: 'SenderAddress', email: 'old@foreign.example', ensure: 'absent' },
    ]);
    for (const options of [[], ['--only', 'SenderAddress/*']]) {
      const { changes, diagnostics } = await world.plan(...options);
      expect(changes).toMatchObject([{ action: 'delete' }]);
      expect(diagnostics).toMatchObject([
        {
          code: 'unknown-sender',
          address: 'NotificationTemplate/access_request_decision/EMAIL/de',
          message: expect.stringContaining('is not a declared sender, nor a usable one of the tenant'),
        },
      ]);
    }
  });
});
