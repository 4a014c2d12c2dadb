import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { applyPlan } from '../../src/engine/apply.ts';
import { planChanges } from '../../src/engine/plan.ts';
import { openTenant } from '../../src/engine/tenant.ts';
import { loadProject } from '../../src/loader/index.ts';
import { createTestWorld } from '../support/world.ts';

it('an apply that has ended has given its lock back and written its result', async () => {
  const world = await createTestWorld();
  world.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  const project = loadProject({ configFile: join(world.dir, 'tenantctl.yaml'), env: world.env });
  const tenant = await openTenant(project);
  const lock = join(world.dir, '.tenantctl/test/lock');
  const seen: (boolean | string)[] = [];
  const result = await applyPlan(project, tenant, await planChanges(project, tenant), {
    env: {},
    onEvent: ({ type }) => {
      if (type === 'checking') seen.push(existsSync(lock));
    },
    onSaved: ([saved]) => seen.push(existsSync(lock), saved?.file ?? ''),
  });
  // At once: whoever waits for the end may start the next apply.
  expect(existsSync(lock)).toBe(false);
  expect(seen).toEqual([true, true, expect.stringContaining(join('.tenantctl', 'test', 'results'))]);
  expect(JSON.parse(world.read(String(seen[2]).slice(world.dir.length + 1)))).toEqual(result);
  await tenant.close();
});

it.runIf(existsSync('/proc/self/fd'))('an apply that throws keeps no file open', async () => {
  const world = await createTestWorld();
  world.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  const project = loadProject({ configFile: join(world.dir, 'tenantctl.yaml'), env: world.env });
  const tenant = await openTenant(project);
  const opened = () =>
    readdirSync('/proc/self/fd')
      .map(targetOf)
      .filter((file) => file.startsWith(world.dir));
  const seen: string[] = [];
  const applied = applyPlan(project, tenant, await planChanges(project, tenant), {
    env: {},
    onEvent: ({ type }) => {
      if (type !== 'finished') return;
      seen.push(...opened());
      throw new Error('from a listener');
    },
  });
  await expect(applied).rejects.toThrow('from a listener');
  expect(seen).toContainEqual(expect.stringContaining(join('.tenantctl', 'test', 'results')));
  expect(opened()).toEqual([]);
  await tenant.close();
});

/** The file behind a descriptor, or nothing where it is closed by now. */
function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}
