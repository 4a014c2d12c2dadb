import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Fault } from '../../src/sandbox/index.ts';
import { createWorld, type World, type WorldOptions } from '../support/world.ts';
import { everything, fillTenant, oneAtATime, visible } from './everything.ts';

let world: World;
async function open(more: WorldOptions = {}): Promise<void> {
  world = await createWorld({ ...oneAtATime, ...more, sandbox: { ...oneAtATime.sandbox, ...more.sandbox } });
  fillTenant(world.sandbox.state);
  world.declare(everything);
}
beforeEach(() => open());
afterEach(() => world.close());

/** Where the documents say that this answer means "not configured". */
const absences: Readonly<Record<string, readonly number[]>> = {
  'get-mail-from-attributes': [400, 404],
  'list-notification-preferences': [404],
};

async function refusesWith(fault: Fault): Promise<void> {
  const before = visible(world.sandbox.state);
  const { length } = world.sandbox.log;
  world.sandbox.faults.add(fault);
  const applied = await world.run('apply', '--yes', '--format', 'json');
  world.sandbox.faults.clear();
  expect(applied, `${JSON.stringify(fault)} ${applied.stderr}`).toMatchObject({ code: 1 });
  expect(JSON.parse(applied.stdout).diagnostics.length).toBeGreaterThan(0);
  expect(visible(world.sandbox.state)).toEqual(before);
  const sent = world.sandbox.log.slice(length).map(({ method, operation }) => `${method} ${operation}`);
  expect(sent.filter((name) => !name.startsWith('GET') && name !== 'POST issue-token')).toEqual([]);
}

it('a read that is refused is an error, never "absent": nothing is written', async () => {
  await world.plan();
  const reads = [
    ...new Set(world.sandbox.log.flatMap(({ operation }) => (operation === null ? [] : [operation]))),
  ];
  expect(reads.length).toBeGreaterThan(8);
  let cases = 0;
  for (const operation of reads) {
    for (const status of [400, 401, 403, 404, 500]) {
      if (absences[operation]?.includes(status)) continue;
      await refusesWith({ kind: 'status', status, operation, times: Number.POSITIVE_INFINITY });
      cases += 1;
    }
  }
  console.log(`Refused reads: ${cases} cases`);
});

it('nor is a page that repeats', async () => {
  await world.close();
  await open({ sandbox: { variations: { profileSearchDelete: true, repeatPages: true }, pageLimit: 1 } });
  const applied = await world.run('apply', '--yes');
  expect(applied).toMatchObject({ code: 1 });
  expect(world.sandbox.log.filter(({ method }) => ['PUT', 'PATCH', 'DELETE'].includes(method))).toEqual([]);
});
