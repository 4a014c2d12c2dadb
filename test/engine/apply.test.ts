import { existsSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { applyPlan } from '../../src/engine/apply.ts';
import { planChanges } from '../../src/engine/plan.ts';
import { openTenant, type Tenant } from '../../src/engine/tenant.ts';
import { loadProject } from '../../src/loader/index.ts';
import { createTestWorld } from '../support/world.ts';

/** A project that declares a sender, with its tenant. */
async function openWorld() {
  const world = await createTestWorld();
  world.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  const project = loadProject({ configFile: join(world.dir, 'tenantctl.yaml'), env: world.env });
  const tenant = await openTenant(project);
  onTestFinished(() => tenant.close());
  return { world, project, tenant };
}

it('an apply that has ended has given its lock back and written its result', async () => {
  const { world, project, tenant } = await openWorld();
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
});

it.runIf(existsSync('/proc/self/fd'))('an apply that throws keeps no file open', async () => {
  const { world, project, tenant } = await openWorld();
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
});

it('a saved plan with a secret that is not set is refused before anything is sent or written', async () => {
  const world = await createTestWorld();
  const manifest = 'kind: SimIntegration\nname: Desk\nattributes: { url: u, password: !secret DESK }\n';
  world.write('config/all.yaml', `${manifest}---\nkind: SenderAddress\nemail: new@acme.example\n`);
  const configFile = join(world.dir, 'tenantctl.yaml');
  const project = loadProject({ configFile, env: { ...world.env, DESK: 'hunter2' } });
  const tenant = await openTenant(project);
  onTestFinished(() => tenant.close());
  const plan = await planChanges(project, tenant);
  const without = loadProject({ configFile, env: world.env });
  await expect(applyPlan(without, tenant, plan, { env: {} })).rejects.toMatchObject({
    diagnostics: [{ code: 'secret-unset', message: expect.stringContaining('DESK') }],
  });
  expect(existsSync(join(world.dir, '.tenantctl'))).toBe(false);
  expect((await planChanges(project, tenant)).summary).toMatchObject({ create: 2 });
});

/** The tenant with another way to send. */
const tenantWith = (tenant: Tenant, send: Client['send']): Tenant => ({
  ...tenant,
  client: {
    tenant: tenant.client.tenant,
    settings: tenant.client.settings,
    send,
    signIn() {},
    redact: tenant.client.redact.bind(tenant.client),
    close: tenant.client.close.bind(tenant.client),
  },
});

it.each([
  ['alone', undefined],
  ['beside Ctrl-C, which did not come', new AbortController().signal],
])('an apply whose lock is gone sends nothing more, and says so: %s', async (_name, signal) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { world, project, tenant } = await openWorld();
  const guarded = tenantWith(tenant, async (call, options) => {
    if (call.method === 'POST') {
      rmSync(join(world.dir, '.tenantctl/test/lock'));
      vi.advanceTimersByTime(60_000);
      await expect.poll(() => options?.signal?.aborted, { interval: 1 }).toBe(true);
    }
    return tenant.client.send(call, options);
  });
  const plan = await planChanges(project, tenant);
  const result = await applyPlan(project, guarded, plan, { env: {}, ...(signal && { signal }) });
  expect(result).toMatchObject({
    outcome: 'interrupted',
    summary: { notAttempted: 1 },
    diagnostics: [{ code: 'lock-lost' }],
  });
  expect((await planChanges(project, tenant)).summary).toMatchObject({ create: 1 });
});

it('an apply whose lock goes when its last request is made has nothing left to finish', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { world, project, tenant } = await openWorld();
  const guarded = tenantWith(tenant, async (call, options) => {
    const answer = await tenant.client.send(call, options);
    if (call.method === 'POST') {
      rmSync(join(world.dir, '.tenantctl/test/lock'));
      vi.advanceTimersByTime(60_000);
      await expect.poll(() => options?.signal?.aborted, { interval: 1 }).toBe(true);
    }
    return answer;
  });
  const result = await applyPlan(project, guarded, await planChanges(project, tenant), { env: {} });
  expect(result).toMatchObject({ outcome: 'done', summary: { done: 1 } });
  expect(result).not.toHaveProperty('diagnostics');
});

/** The file behind a descriptor, or nothing where it is closed by now. */
function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}
