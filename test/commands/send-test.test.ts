import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createTestWorld, expectEnd, runProgram } from '../support/world.ts';

const seed = `
templateDefaults:
  - key: welcome
    subject: Welcome, $user.name
    body: |
      $!{manager.name} greets you. #foreach($item in $items)$item.name, #end
      #set($x = 1) $x $__global.productName $__global.unknown $list.size() $sender
    from: $__global.sender
  - { key: welcome, locale: de, subject: Willkommen }
templates:
  - { key: welcome, locale: de, subject: Hallo $name, replyTo: help@acme.example }
templateContext:
  attributes: { productName: ACME, sender: iga@acme.example }
`;

const address = 'NotificationTemplate/welcome/EMAIL/en';
const notSent = /Nothing was sent/;

test('with --yes the default context is sent, made from the template and the tenant', async () => {
  const { run, sandbox } = await createTestWorld({ seed });
  const { stdout, stderr } = await expectEnd(run('send-test', address, '--yes'), 0);
  expect(sandbox.state.sentNotifications).toMatchObject([
    {
      key: 'welcome',
      medium: 'EMAIL',
      context: {
        user: { name: 'Ann Example' },
        manager: { name: 'Cleo Specimen' },
        items: [{ name: 'Item 1' }, { name: 'Item 2' }],
        list: 'list',
        sender: 'iga@acme.example',
        __global: { productName: 'ACME', sender: 'iga@acme.example', unknown: 'unknown' },
      },
    },
  ]);
  expect(Object.keys(sandbox.state.sentNotifications[0]?.context ?? {})).not.toContain('x');
  expect(stdout).toContain('accepted the test notification welcome EMAIL: 204');
  expect(stderr).toMatch(/Welcome, \$user\.name[\s\S]*its API does not say who[\s\S]*"productName": "ACME"/);
});

test('a text that a manifest marks as secret is not shown, whatever an overlay makes of it', async () => {
  const { run, write } = await createTestWorld({
    seed,
    environment: { overlays: [{ target: address, merge: { subject: 'public' } }] },
  });
  write(
    'config/a.yaml',
    'kind: NotificationTemplate\nkey: welcome\nmedium: EMAIL\nlocale: en\nsubject: !secret SUBJECT\n',
  );
  const { stderr } = await expectEnd(run('send-test', address, '--yes'), 0, /subject +\(sensitive\)/);
  expect(stderr).not.toContain('Welcome, $user');
});

test.each(['yaml', 'json'])('the context of a %s file is sent as JSON text', async (kind) => {
  const { run, sandbox, write } = await createTestWorld({ seed });
  const text = kind === 'json' ? '{"user": {"name": "Ada"}, "n": 3}' : 'user:\n  name: Ada\nn: 3\n';
  write(`context.${kind}`, text);
  const argv = ['send-test', address, '--yes', '--context', `context.${kind}`, '--format', 'json'];
  const { json } = await expectEnd(run(...argv), 0);
  expect(json).toMatchObject({ sent: true, status: 204, template: 'default', context: { n: 3 } });
  const sent = sandbox.log.find(({ operation }) => operation === 'send-test-notification');
  expect(sent?.body).toEqual({ key: 'welcome', medium: 'EMAIL', context: '{"user":{"name":"Ada"},"n":3}' });
  expect(sandbox.log.some(({ path }) => path.endsWith('notification-template-context'))).toBe(false);
});

test('somebody at a terminal is shown it first, and asked', async () => {
  const { dir, env, sandbox } = await createTestWorld({ seed });
  const no = await runProgram(['send-test', address, '--no-color'], { cwd: dir, env, typed: 'y\n' });
  expect(no).toMatchObject({ code: 1, stdout: expect.stringMatching(notSent) });
  expect(no.stderr).toMatch(/subject +Welcome[\s\S]*Type 'yes' to send it:/);
  expect(sandbox.state.sentNotifications).toHaveLength(0);
  const argv = ['send-test', address, '--format', 'json'];
  const yes = await runProgram(argv, { cwd: dir, env, typed: 'yes\n' });
  expect(yes).toMatchObject({ code: 0, json: { sent: true } });
  expect(sandbox.state.sentNotifications).toHaveLength(1);
});

test('without a terminal nothing is sent unless --yes says so, and what is wrong with the address is said first', async () => {
  const { run, sandbox } = await createTestWorld({ seed });
  await expectEnd(run('send-test', address), 1, '[consent-required]');
  await expectEnd(run('send-test welcome'), 1, '[no-template-address]');
  expect(sandbox.log).toHaveLength(0);
});

test('the customised template is shown, and that the manifest differs from it', async () => {
  const manifest =
    'kind: NotificationTemplate\nkey: welcome\nmedium: EMAIL\nlocale: de\nsubject: Guten Tag $name\nreplyTo: HELP@acme.example\n';
  const { run } = await createTestWorld({ seed, files: { 'config/templates.yaml': manifest } });
  const { stderr, json } = await run('send-test NotificationTemplate/welcome/EMAIL/de --yes --format json');
  expect(json).toMatchObject({ template: 'customised', subject: 'Hallo $name', differing: ['subject'] });
  expect(stderr).toContain('the manifest differs in subject');
  // It is a warning, which --quiet keeps of all that is shown before.
  const quiet = await run('send-test NotificationTemplate/welcome/EMAIL/de --yes --quiet');
  expect(quiet.stderr).toMatch(/^ {2}warning: the manifest differs in subject[\s\S]*the manifest\.\n$/);
  expect((await run('send-test', address, '--yes', '--quiet')).stderr).toBe('');
});

test("a refusal is told in the tenant's words", async () => {
  const { run, sandbox } = await createTestWorld({ seed });
  sandbox.faults.add({ kind: 'status', status: 400, operation: 'send-test-notification' });
  const { json } = await expectEnd(run('send-test', address, '--yes', '--format', 'json'), 1);
  expect(json).toMatchObject({
    diagnostics: [{ code: 'test-refused', message: expect.stringContaining('Fault: 400'), address }],
  });
});

test.each(['json', 'html'] as const)('a success with an error in it proves nothing: %s', async (body) => {
  const { run, sandbox } = await createTestWorld({ seed });
  sandbox.faults.add({ kind: 'status', status: 200, body, operation: 'send-test-notification' });
  const { json } = await expectEnd(run('send-test', address, '--yes', '--format', 'json'), 3);
  expect(json).toMatchObject({ diagnostics: [{ code: 'test-unknown', address }] });
});

test('a lost answer is told as unknown, and nothing is sent twice', async () => {
  const { run, sandbox } = await createTestWorld({ seed });
  sandbox.faults.add({ kind: 'reset-after', operation: 'send-test-notification' });
  await expectEnd(run('send-test', address, '--yes'), 3, '[test-unknown]');
  expect(sandbox.state.sentNotifications).toHaveLength(1);
});

test.each([
  ['a word', 'welcome', 'no-template-address'],
  ['another kind', 'SenderAddress/a@b.example', 'no-template-address'],
  ['a part too few', 'NotificationTemplate/welcome/EMAIL', 'no-template-address'],
  ['a template that does not exist', 'NotificationTemplate/welcom/EMAIL/en', 'unknown-template'],
])('%s is no template to send', async (_what, word, code) => {
  const { run, sandbox } = await createTestWorld({ seed });
  await expectEnd(run('send-test', word, '--yes'), 1, `[${code}]`);
  expect(sandbox.state.sentNotifications).toHaveLength(0);
});

test('where the variables of the tenant cannot be read, a file with values helps', async () => {
  const { run, sandbox, write } = await createTestWorld({ seed });
  const operation = 'get-notifications-template-context';
  sandbox.faults.add({ kind: 'status', status: 403, operation, times: Number.POSITIVE_INFINITY });
  write('context.yaml', 'name: Ada');
  await expectEnd(run('send-test', address, '--yes'), 1, '[tenant-forbidden]');
  await expectEnd(run('send-test', address, '--yes', '--context', 'context.yaml'), 0);
  expect(sandbox.state.sentNotifications).toHaveLength(1);
});

test.each([
  ['a list', '- 1', 'context-no-object'],
  ['two documents', 'a: 1\n---\nb: 2', 'context-no-object'],
  ['a tag', 'a: !env HOME', 'misplaced-tag'],
  ['a secret marker', 'a: { $secret: TOKEN }', 'reserved-key'],
  ['a prototype', '__proto__: { a: 1 }', 'unsafe-key'],
  ['nothing, since it is not there,', null, 'file-not-found'],
])('a context file with %s is refused', async (_what, text, code) => {
  const { run, sandbox, write } = await createTestWorld({ seed });
  if (text !== null) write('context.yaml', text);
  await expectEnd(run('send-test', address, '--yes', '--context', 'context.yaml'), 1, `[${code}]`);
  expect(sandbox.log).toHaveLength(0);
});

describe('locale and recipients', () => {
  const extended = {
    seed,
    sandbox: { variations: { sendTest: 'extended' } },
    identity: { sendTest: 'extended' },
  } as const;
  const german = 'NotificationTemplate/welcome/EMAIL/de';
  const bodyIn = (log: Sandbox['log']) =>
    log.find(({ operation }) => operation === 'send-test-notification')?.body ?? null;

  test('are sent where the host takes them, the locale being that of the template', async () => {
    const { run, sandbox } = await createTestWorld(extended);
    const argv = ['send-test', german, '--yes', '--to', 'a@acme.example', '--to', 'b@acme.example'];
    await expectEnd(run(...argv), 0, /to +a@acme\.example, b@acme\.example\n +locale +de/);
    expect(sandbox.state.sentNotifications).toMatchObject([
      { locale: 'de', recipients: ['a@acme.example', 'b@acme.example'] },
    ]);
  });

  test('a recipient is never guessed, and the locale can be another', async () => {
    const { run, sandbox } = await createTestWorld(extended);
    const argv = ['send-test', german, '--yes', '--locale', 'fr', '--format', 'json'];
    const { json } = await expectEnd(run(...argv), 0, 'The tenant decides');
    expect(json).toMatchObject({ locale: 'fr', to: null });
    expect(bodyIn(sandbox.log)).toMatchObject({ locale: 'fr' });
    expect(bodyIn(sandbox.log)).not.toHaveProperty('recipientEmailList');
  });

  test.each([
    ['--locale', 'de', /cannot choose the locale of/],
    ['--to', 'a@acme.example', /cannot choose the recipients of/],
  ])('%s is refused where the host does not take it, with the setting', async (option, value, message) => {
    const { run, sandbox } = await createTestWorld({ seed });
    const refused = run('send-test', german, '--yes', option, value);
    await expectEnd(refused, 1, message, 'identity.sendTest: extended');
    expect(sandbox.log).toEqual([]);
  });

  test('are sent by an embedded tenant with the preset that the refusal names', async () => {
    const { run, write } = await createTestWorld({ seed });
    write('tenantctl.yaml', 'version: 1\nenvironments: { local: { sandbox: { seed: seed.yaml } } }\n');
    write('seed.yaml', seed);
    const argv = ['send-test', german, '--yes', '--to', 'a@acme.example'];
    await expectEnd(run(...argv), 1, '`sandbox: { presets: [sailpoint-isc] }`');
    write('environments/other.yaml', 'sandbox: { seed: seed.yaml, presets: [sailpoint-isc] }\n');
    await expectEnd(run(...argv, '-e', 'other'), 0, /to +a@acme\.example/);
  });

  test.each([
    ['--to', 'nobody', 'test-recipient'],
    ['--to', 'a@acme.example,b@acme.example', 'test-recipient'],
  ])('%s %j is refused', async (option, value, code) => {
    const { run, sandbox } = await createTestWorld(extended);
    await expectEnd(run('send-test', german, '--yes', `${option}=${value}`), 1, `[${code}]`);
    expect(sandbox.log).toEqual([]);
  });
});
