/** Hosts that list the variables of each template: their names, types and examples are used in place of made-up ones. */
import { expect, test } from 'vitest';
import { worldOf } from '../support/hosts.ts';
import { createTestWorld, succeed, type World } from '../support/world.ts';

const seed = `
templateDefaults: [{ key: request, subject: Request }, { key: other, subject: Other }]
templateContext: { attributes: { productName: ACME } }
templateVariables:
  - { template: request, key: requester, example: Grace Hopper }
  - { template: request, key: requestee.name, example: Alan Turing }
  - { template: request, key: $days, type: number, example: '14' }
  - { template: request, key: isUrgent, type: boolean }
  - { template: request, key: isOpen, type: boolean, example: 'false' }
  - { template: request, key: items, type: list, example: '["Payroll", "Wiki"]' }
  - { template: request, key: broken, type: map, example: not JSON }
  - { template: request, key: util, type: function, example: none }
`;
const subject = '$requester requests #foreach($i in $items)$i, #end for $requestee.name in $days days$broken';
const template = (key: string, text: string) => ({
  kind: 'NotificationTemplate',
  key,
  medium: 'EMAIL',
  locale: 'en',
  subject: text,
});
const host = worldOf({ templateVariables: 'listed' });
const asked = ({ sandbox }: World) =>
  sandbox.log.filter(({ operation }) => operation === 'get-notification-template-variables');

test('a test notification has the examples, in the form that the template expects', async () => {
  const world = await createTestWorld({ ...host, seed });
  world.declare([template('request', `${subject} $isUrgent $isOpen $util $unlisted $__global.productName`)]);
  await succeed(world, 'apply --yes');
  await succeed(world, 'send-test', 'NotificationTemplate/request/EMAIL/en', '--yes');
  expect(world.sandbox.state.sentNotifications[0]?.context).toEqual({
    requester: 'Grace Hopper',
    items: ['Payroll', 'Wiki'],
    requestee: { name: 'Alan Turing' },
    days: 14,
    isUrgent: true,
    isOpen: false,
    broken: 'broken',
    util: 'util',
    unlisted: 'unlisted',
    __global: { productName: 'ACME' },
  });
});

test('the lint knows the names, and says that one is not listed', async () => {
  const world = await createTestWorld({ ...host, seed });
  world.declare([template('request', '$requester $util $requestr $__global.name')]);
  const { diagnostics } = await world.plan();
  expect(diagnostics.map(({ code, message, hint }) => ({ code, message, hint }))).toEqual([
    {
      code: 'unknown-variable',
      message: 'The tenant lists no variable `$requestr` for this template.',
      hint: 'Did you mean `requester`?',
    },
    {
      code: 'unknown-variable',
      message: 'The template context has no `name`.',
    },
  ]);
});

test('a plan asks only for templates with a variable that the default does not have', async () => {
  const world = await createTestWorld({ ...host, seed });
  world.declare([template('request', '$requester'), template('other', 'No variable')]);
  expect((await world.plan()).diagnostics).toEqual([]);
  expect(asked(world).map(({ path }) => path)).toEqual([
    '/v2026/notification-template-variables/request/EMAIL',
  ]);
});

test('a report shows the message with the examples', async () => {
  const world = await createTestWorld({ ...host, seed });
  world.declare([template('request', subject)]);
  await succeed(world, 'plan --report plan.html');
  expect(world.read('plan.html')).toContain(
    'Grace Hopper requests Payroll, Wiki,  for Alan Turing in 14 days',
  );
});

test('a host of the contract is not asked', async () => {
  const world = await createTestWorld({ seed });
  world.declare([template('request', '$requester')]);
  const { diagnostics } = await world.plan();
  expect(diagnostics).toMatchObject([{ code: 'unknown-variable' }]);
  expect(world.sandbox.log.filter(({ status }) => status === 404)).toEqual([]);
});
