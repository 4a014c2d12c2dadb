/** `apply --format jsonl`: what happens, as it happens. */
import { expect, it } from 'vitest';
import { createTestFleet } from '../support/fleet.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, expectEnd } from '../support/world.ts';

const sender = (email: string) => ({ kind: 'SenderAddress', email });
const eventsIn = (text: string): Record<string, unknown>[] =>
  JSON.parse(`[${text.trimEnd().split('\n').join()}]`);

it('tells the plan, each change as it begins and ends, and the summary', async () => {
  const world = await createTestWorld();
  world.declare([sender('a@acme.example'), sender('b@acme.example')]);
  world.sandbox.faults.add({ kind: 'status', status: 403, method: 'POST', path: '/v2025', nth: 1 });
  const { stdout } = await expectEnd(world.run('apply --yes --format jsonl'), 3);
  const events = eventsIn(stdout);
  const changes = [{ action: 'create' }, { action: 'create' }];
  expect(events[0]).toMatchObject({ type: 'planned', environment: 'test', summary: { create: 2 }, changes });
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type === 'started')).toHaveLength(2);
  expect([...types].sort()).toEqual(['done', 'failed', 'planned', 'started', 'started', 'summary']);
  expect(types.at(-1)).toBe('summary');
  expect(events.at(-1)).toMatchObject({ outcome: 'partial', summary: { done: 1, failed: 1 }, exitCode: 3 });
  expect(events.find(({ type }) => type === 'failed')?.error).toContain('403');
});

it('tells also what never began, and why nothing was applied', async () => {
  const world = await createTestWorld();
  world.declare([{ kind: 'AuthProfile', name: 'Employees', type: 'MFA' }]);
  const manual = eventsIn((await world.run('apply --yes --format jsonl')).stdout);
  expect(manual.map(({ type }) => type)).toEqual(['planned', 'notAttempted', 'summary']);
  world.write('config/all.yaml', 'kind: SenderAddress\nemial: a\n');
  const { stdout } = await expectEnd(world.run('apply --yes --format jsonl'), 1);
  expect(eventsIn(stdout)).toMatchObject([{ type: 'error', diagnostics: expect.any(Array) }]);
  await expectEnd(world.run('apply --dry-run --format jsonl'), 1, 'A dry run has no result and no events');
});

it('names the environment of each event', async () => {
  const fleet = await createTestFleet({ names: ['eu-1', 'us-1', 'us-2'] });
  fleet.writeProject({ 'us-1': { readOnly: true } });
  addObjects(fleet.sandboxOf('us-2').state, { senders: [{ email: 'old@acme.example' }] });
  fleet.declare([sender('a@acme.example'), { ...sender('old@acme.example'), ensure: 'absent' }]);
  const { stdout } = await expectEnd(fleet.run('apply -e * --yes --max-deletes 0 --format jsonl'), 4);
  const seen = eventsIn(stdout).map(({ type, environment }) => `${environment} ${type}`);
  expect(seen.sort()).toEqual([
    'eu-1 done',
    'eu-1 planned',
    'eu-1 started',
    'eu-1 summary',
    'us-1 error',
    'us-1 planned',
    'us-2 error',
    'us-2 planned',
  ]);
  const refused = eventsIn(stdout).find((each) => each.type === 'error' && each.environment === 'us-2');
  expect(refused).toMatchObject({ diagnostics: [{ code: 'max-deletes' }] });
});
