import { describe, expect, it } from 'vitest';
import type { KindChange, Task } from '../../src/applier/find.ts';
import { keepFresh } from '../../src/applier/freshness.ts';
import { startRun, type TenantPort } from '../../src/applier/run.ts';
import type { Kind, UpdateInput, Write } from '../../src/kinds/kind.ts';
import { ignoring } from '../../src/kinds/live-objects.ts';
import type { Change } from '../../src/model/documents.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { changeFor } from '../../src/planner/change.ts';
import { resource, secretsOf } from '../support/plan.ts';
import { optionsFor, steppingClock } from './run.ts';
import {
  createThing,
  note,
  objectOf,
  planOf,
  request,
  taskOf,
  thing,
  updateThing,
  writeNote,
} from './things.ts';

const doubling: Kind = { ...thing, can: { ...thing.can, create: 'duplicates' } };
const rawOf = (name: string, text: string | null = 'before') => ({ id: `id-${name}`, name, text });

const updateOf = (name: string, kind = thing): Task => {
  const raw = rawOf(name);
  return taskOf(updateThing(raw, 'after'), raw, { kind, live: objectOf(kind, raw) });
};
const createOf = (kind: Kind, change: Change) => taskOf(change, null, { kind });
const none = new Map();
const namesOf = (entries: readonly KindChange[]) => entries.map(({ change }) => change.address);

/** Tasks whose objects were read just now, in a tenant that shows them as they were. */
async function world(
  tasks: readonly Task[],
  { reads = async () => {} }: { reads?: () => Promise<void> } = {},
) {
  const clock = steppingClock();
  const asked: string[][] = [];
  /** What somebody changed meanwhile. */
  const changed = new Map<string, string | null>();
  const created = new Set(namesOf(tasks.filter(({ change }) => change.action === 'create')));
  const tenant = { identity: '', profiles: '' };
  const port: TenantPort = {
    tenant,
    async read(requests) {
      const entries = requests.flatMap(({ kind, keys, ids }) => {
        const names = keys.length > 0 ? keys.map(([name = '']) => name) : ids.map((id) => id.slice(3));
        return names.map((name) => ({ kind, name, address: `${kind.name}/${name}` }));
      });
      asked.push(entries.map(({ address }) => address));
      await reads();
      const objects = entries.flatMap(({ kind, name, address }) =>
        created.has(address) && !changed.has(address)
          ? []
          : [objectOf(kind, rawOf(name, changed.get(address)))],
      );
      return { tenant, objects, defaults: [] };
    },
    send: () => Promise.reject(new Error('Nothing is sent here.')),
    lookUp: () => Promise.reject(new Error('Nothing is looked up here.')),
  };
  const run = startRun(port, await optionsFor(planOf([]), { clock }));
  const sightings = keepFresh(tasks, clock.now(), run);
  return { sightings, clock, asked, changed, start: clock.now() };
}

describe('what was read for a change', () => {
  it('may be relied on for a second where the tenant would create it twice, and not without another read', async () => {
    const task = createOf(doubling, createThing('a'));
    const { sightings, clock, asked, start } = await world([task]);
    expect(await sightings.check([task])).toMatchObject({ reasons: none, notAfter: start + 1_000 });
    clock.pass(1_000);
    await sightings.check([task]);
    expect(asked).toHaveLength(1);
    clock.pass(1);
    await sightings.check([task]);
    expect(asked).toHaveLength(2);
  });

  it('is read with the others of its kind that are still to be made, and with nothing else', async () => {
    const tasks = ['a', 'b', 'c'].map((name) => updateOf(name));
    const [a, b] = tasks;
    const others = [createOf(note, writeNote('n', 'text')), createOf(thing, createThing('new'))];
    const { sightings, clock, asked } = await world([...tasks, ...others]);
    if (!a || !b) throw new Error('There are three.');
    sightings.forget([b]);
    clock.pass(10_001);
    await sightings.check([a]);
    expect(asked).toEqual([['Thing/a', 'Thing/c', 'Thing/new']]);
  });

  it('is not read with what has to be younger', async () => {
    const created = ['x', 'y'].map((name) => createOf(doubling, createThing(name)));
    const changed = ['a', 'b'].map((name) => updateOf(name, doubling));
    const { sightings, clock, asked } = await world([...created, ...changed]);
    await sightings.check(created.slice(0, 1));
    clock.pass(10_001);
    await sightings.check(changed.slice(0, 1));
    expect(asked).toEqual([
      ['Thing/x', 'Thing/y'],
      ['Thing/a', 'Thing/b'],
    ]);
  });

  it.each([
    ['list', 100],
    ['list-then-each', 16],
  ] as const)('is read with as many as can be made in time: %s, %i', async (how, most) => {
    const list = { resource: thing.resource, pageSize: null };
    const each = () => {
      throw new Error('Nothing is called here.');
    };
    const kind: Kind = { ...thing, read: how === 'list' ? { how, list } : { how, list, each } };
    const tasks = Array.from({ length: 150 }, (_, at) => updateOf(`thing-${at}`, kind));
    const { sightings, clock, asked } = await world(tasks);
    clock.pass(10_001);
    await sightings.check(tasks.slice(0, 1));
    expect(asked.map((names) => names.length)).toEqual([most]);
    await sightings.check(tasks.slice(most - 1, most));
    expect(asked).toHaveLength(1);
    await sightings.check(tasks.slice(most, most + 1));
    expect(asked).toHaveLength(2);
  });

  it('is not read twice at once', async () => {
    const [a, b, late] = [updateOf('a'), updateOf('b'), createOf(note, writeNote('n', 'text'))];
    const { sightings, clock, asked } = await world([a, b, late], { reads: () => Promise.resolve() });
    clock.pass(10_001);
    const seen = await Promise.all([sightings.check([a]), sightings.check([b]), sightings.check([late])]);
    expect(seen.map(({ reasons }) => reasons)).toEqual([none, none, none]);
    expect(asked).toEqual([['Thing/a', 'Thing/b'], ['Note/n']]);
  });

  it.each([
    ['works', true],
    ['fails', false],
  ])('is not relied on while others are read, whose list it would change: that %s', async (_how, works) => {
    let isUp = true;
    let isRead = false;
    const [a, n] = [updateOf('a'), createOf(note, writeNote('n', 'text'))];
    const { sightings, clock } = await world([a, n], {
      async reads() {
        await new Promise((resolve) => setImmediate(resolve));
        isRead = true;
        if (!isUp) throw new Error('down');
      },
    });
    clock.pass(10_001);
    await sightings.check([n]);
    [isUp, isRead] = [works, false];
    const others = sightings.check([a]).catch(() => null);
    expect(await sightings.check([n])).toMatchObject({ reasons: none });
    expect(isRead).toBe(true);
    expect((await others) !== null).toBe(works);
  });

  it('is read once more after a read that failed', async () => {
    const task = updateOf('a');
    let isDown = true;
    const { sightings, clock, asked } = await world([task], {
      async reads() {
        if (isDown) throw new Error('down');
      },
    });
    clock.pass(10_001);
    await expect(sightings.check([task])).rejects.toThrow('down');
    isDown = false;
    expect(await sightings.check([task])).toMatchObject({ reasons: none });
    expect(asked).toHaveLength(2);
  });

  it('of several that are made together is as old as the oldest of them', async () => {
    const [a, n] = [updateOf('a'), createOf(note, writeNote('n', 'text'))];
    const { sightings, clock, asked, start } = await world([a, n]);
    clock.pass(10_001);
    await sightings.check([a]);
    clock.pass(5_000);
    await sightings.check([n]);
    expect(asked).toHaveLength(2);
    expect(await sightings.check([a, n])).toMatchObject({ reasons: none, notAfter: start + 20_001 });
  });

  it('of several that are made together is read again where one of them is too old', async () => {
    const [a, n] = [updateOf('a'), createOf(note, writeNote('n', 'text'))];
    const { sightings, clock, asked } = await world([a, n]);
    clock.pass(10_001);
    await sightings.check([a]);
    await sightings.check([a, n]);
    expect(asked).toEqual([['Thing/a'], ['Thing/a', 'Note/n']]);
  });

  it('is not taken from a read that goes on and is of others, in part', async () => {
    const [a, n] = [updateOf('a'), createOf(note, writeNote('n', 'text'))];
    const { sightings, clock, asked } = await world([a, n]);
    clock.pass(10_001);
    const seen = await Promise.all([sightings.check([a]), sightings.check([a, n])]);
    expect(seen.map(({ reasons }) => reasons)).toEqual([none, none]);
    expect(asked).toEqual([['Thing/a'], ['Thing/a', 'Note/n']]);
  });

  it('gives what a change ignores to a request of the whole object, as it is now', async () => {
    const update = ({ fields }: UpdateInput): Write => ({
      requests: [request('PUT', '/v2024/things/id-a', { ...fields })],
    });
    const kind: Kind = { ...thing, write: { ...thing.write, update } };
    const live = ignoring(objectOf(kind, rawOf('a')), ['/text']);
    const declared = resource(kind, ['a'], { rule: 'r' }, { lifecycle: { ignore: ['/text'] } });
    const context = { settings: contractSettings, unseen: { secrets: secretsOf({}), left: true } };
    const { change } = changeFor({ kind, resource: declared, live }, null, context);
    if (!change) throw new Error('Its rule differs.');
    const task: Task = { kind, change, live, from: 0, resumed: false };
    const { sightings, clock, changed } = await world([task]);
    const body = async () => (await sightings.check([task])).tasks[0]?.change.requests[0]?.body;
    expect(await body()).toEqual({ rule: 'r', text: { $live: '/text' } });
    changed.set('Thing/a', null);
    clock.pass(10_001);
    expect((await sightings.check([task])).reasons).toEqual(none);
    expect(await body()).toEqual({ rule: 'r', text: null });
    changed.set('Thing/a', 'by hand');
    clock.pass(10_001);
    expect(await body()).toEqual({ rule: 'r', text: { $live: '/text' } });
  });

  it('says why it is another now, for each of those that are made together', async () => {
    const [a, b] = [updateOf('a'), updateOf('b')];
    const { sightings, clock, changed } = await world([a, b]);
    clock.pass(10_001);
    changed.set('Thing/b', 'by hand');
    expect(await sightings.check([a])).toMatchObject({ reasons: none });
    const reasons = new Map([['Thing/b', 'Changed since the plan: its content is different now.']]);
    expect(await sightings.check([a, b])).toMatchObject({ reasons });
  });
});
