/** Months of one project: people change the tenant and the manifests, requests fail, and each plan is like the first. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../support/effort.ts';
import { fillHost, worldOf } from '../support/hosts.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import { createTestWorld, setSecrets, succeed, type World } from '../support/world.ts';

shortenPauses();

const template = { kind: 'NotificationTemplate', key: 'welcome', medium: 'EMAIL', locale: 'en' };

/** What happens before a plan. The number tells one time from another. */
const events: Readonly<Record<string, (world: World, time: number) => void>> = {
  'nothing happens': () => {},
  'someone changes a template in the tenant': ({ sandbox }, time) => {
    for (const live of sandbox.state.templates) if (live.key === 'welcome') live.subject = `Theirs ${time}`;
  },
  'someone deletes what is declared': ({ sandbox }) => {
    const at = sandbox.state.senders.findIndex(({ email }) => email === 'iga@acme.example');
    sandbox.state.senders.splice(at, 1);
  },
  'someone adds what nobody declares': ({ sandbox }, time) => {
    const [first] = sandbox.state.senders;
    if (first) sandbox.state.senders.push({ ...first, id: `new-${time}`, email: `new-${time}@acme.example` });
  },
  'a manifest changes': (world, time) => {
    world.write('config/more.yaml', JSON.stringify({ ...template, locale: 'de', subject: `Ours ${time}` }));
  },
  'the tenant is busy': ({ sandbox }) => {
    sandbox.faults.add({ kind: 'status', status: 503, times: 2, retryAfter: 0 });
  },
  'an answer is cut off': ({ sandbox }) => sandbox.faults.add({ kind: 'cut-body', method: 'GET' }),
};

async function requestsOf(world: World, work: () => Promise<unknown>): Promise<number> {
  const before = world.sandbox.metrics.requests;
  await work();
  return world.sandbox.metrics.requests - before;
}

it(`${runs(300)} plans in a row are each made of the tenant as it is`, { timeout: 1_800_000 }, async () => {
  const world = await createTestWorld(worldOf({}));
  const { sandbox } = world;
  fillHost(sandbox.state);
  const declared = sandbox.state.senders.length;
  await succeed(world, 'export --out config');
  setSecrets(world);
  const usual = await requestsOf(world, () => world.plan());
  const names = fc.sample(fc.constantFrom(...Object.keys(events)), runs(300));
  for (const [time, name] of names.entries()) {
    events[name]?.(world, time);
    const { digest, changes } = await world.plan();
    sandbox.faults.clear();
    if (changes.length > 0) await succeed(world, 'apply --yes --expect', digest);
    expect([name, (await world.plan()).changes]).toEqual([name, []]);
  }
  const added = names.filter((name) => name.endsWith('nobody declares')).length;
  expect(sandbox.state.senders).toHaveLength(declared + added);
  const last = await requestsOf(world, () => world.plan());
  expect(last - usual).toBeLessThanOrEqual(names.includes('a manifest changes') ? 1 : 0);
});
