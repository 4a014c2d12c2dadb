import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeKeys, finderIn, readSettled, requestsForChanges } from '../../src/applier/find.ts';
import { openJournal, type RecentWrite, readRecentWrites } from '../../src/applier/journal.ts';
import type { Kind, LiveObject } from '../../src/kinds/kind.ts';
import { allOf, keyBefore, someOf } from '../../src/kinds/live-objects.ts';
import type { Change } from '../../src/model/documents.ts';
import { newFolder, steppingClock } from './run.ts';
import { change, createThing, diff, note, objectOf, thing, updateThing, writeNote } from './things.ts';

const rawOf = (name: string, id = `id-${name}`) => ({ id, name, text: 'x' });
const updateOf = (name: string) => updateThing(rawOf(name), 'y');
const renamed: Change = { ...updateOf('new'), diff: [diff('/text', 'x', 'y'), diff('/name', 'old', 'new')] };
const nothing = { tenant: { identity: '', profiles: '' }, objects: [], defaults: [] };

describe('what is read for changes', () => {
  it('is asked of each kind at once: by keys, by those before a rename too, and by ids', () => {
    const entries = [
      { kind: thing, change: renamed },
      { kind: note, change: writeNote('n', 'text') },
      { kind: thing, change: createThing('made') },
    ];
    const asked = { idsAsNames: [], complete: false, written: false };
    expect(requestsForChanges(entries)).toEqual([
      { ...asked, kind: thing, keys: [['new'], ['old'], ['made']], ids: ['id-new'] },
      { ...asked, kind: note, keys: [['n']], ids: [] },
    ]);
    expect(requestsForChanges(entries, { written: true })).toMatchObject([
      { written: true },
      { written: true },
    ]);
    expect(requestsForChanges([])).toEqual([]);
  });

  it('is asked by id alone where each object has a call of its own, and all of them are known', () => {
    const list = { resource: thing.resource, pageSize: null };
    const each = () => {
      throw new Error('Nothing is called here.');
    };
    const apart: Kind = { ...thing, read: { how: 'list-then-each', list, each } };
    const keysFor = (kind: Kind, ...changes: Change[]) => {
      const entries = changes.map((one) => ({ kind, change: one }));
      return requestsForChanges(entries, { found: true }).map(({ keys, ids }) => [keys.length, ids.length]);
    };
    expect(keysFor(apart, updateOf('a'), updateOf('b'))).toEqual([[0, 2]]);
    expect(keysFor(apart, updateOf('a'), createThing('b'))).toEqual([[2, 1]]);
    expect(keysFor(thing, updateOf('a'), updateOf('b'))).toEqual([[2, 2]]);
  });
});

describe('the key before a rename', () => {
  it('is that of the difference, and of no other change', () => {
    expect(keyBefore(thing, renamed)).toEqual(['old']);
    expect(changeKeys(thing, renamed)).toEqual([['new'], ['old']]);
    expect(keyBefore(thing, updateOf('a'))).toBeNull();
    expect(changeKeys(thing, updateOf('a'))).toEqual([['a']]);
    expect(keyBefore(thing, { ...updateOf('a'), diff: [diff('/name', null, 'a')] })).toBeNull();
    expect(keyBefore(thing, { ...updateOf('a'), diff: [diff('/name/x', 'old', 'a')] })).toBeNull();
  });

  it('has the parts that stay', () => {
    const parts: Kind = { ...thing, keyFields: [{ name: 'name' }, { name: 'locale' }] };
    const moved = change(parts, ['a', 'en'], { action: 'update', diff: [diff('/locale', 'de', 'en')] });
    expect(keyBefore(parts, moved)).toEqual(['a', 'de']);
    expect(keyBefore(thing, moved)).toBeNull();
  });
});

describe('the object of a change', () => {
  it('is found by its key, its key before, and its id, and by nothing else', () => {
    const findIn = (...raws: ReturnType<typeof rawOf>[]) => {
      const find = finderIn({ ...nothing, objects: raws.map((raw) => objectOf(thing, raw)) });
      return find({ kind: thing, change: renamed });
    };
    for (const raw of [rawOf('NEW', 'x'), rawOf('old', 'x'), rawOf('other', 'id-new')])
      expect(findIn(rawOf('else', 'y'), raw).live?.key).toEqual([raw.name]);
    expect(findIn(rawOf('else', 'y'))).toEqual({ live: null, others: [], standard: null });
    expect(findIn(rawOf('new', 'x'), rawOf('old', 'y')).others).toHaveLength(1);
  });

  it('is told from the default of the vendor', () => {
    const base = objectOf(note, { id: 'd', key: 'n', text: 'theirs' });
    const find = (key: string) =>
      finderIn({ ...nothing, defaults: [base] })({ kind: note, change: writeNote(key, 'text') });
    expect(find('n')).toEqual({ live: null, others: [], standard: base });
    expect(find('other').standard).toBeNull();
  });
});

const settle = 60_000;
const named = (name: string, text: string) => objectOf(thing, { id: 't1', name, text });
const [first, second, third] = ['first', 'second', 'third'].map((text) => named('a', text));

/** Reads what the tenant shows, which changes with the seconds that pass, after `writes` of which each took a second. */
async function read(
  writes: readonly (Pick<RecentWrite, 'before' | 'after'> & Partial<RecentWrite>)[],
  shown: (seconds: number) => readonly (LiveObject | undefined)[],
  request = someOf(thing, [['a']]),
) {
  const clock = steppingClock();
  const start = clock.now();
  const waits: string[] = [];
  const at = (index: number) => start - 1000 * (writes.length - index);
  const recent = writes.map((write, index) => ({ address: 'Thing/a', at: at(index), ...write }));
  const elapsed = () => clock.now() - start;
  const readNow = async () => ({ objects: shown(elapsed() / 1000).filter((object) => object !== undefined) });
  const result = await readSettled([request], readNow, {
    ...{ recent, settle, clock, signal: new AbortController().signal },
    onEvent: ({ addresses }) => waits.push(...addresses),
  });
  return { shown: result.objects, elapsed: elapsed(), waits };
}

const print = (object: LiveObject | undefined) => object?.fingerprint() ?? null;
/** What was written by a change from one object to another. */
const wrote = (before: LiveObject | undefined, after: LiveObject | undefined) => ({
  ...{ before: [print(before)], after: print(after) },
});

describe('the objects of recent writes', () => {
  const both = someOf(thing, [['b'], ['a']]);

  it('are read again until they are as they were written', async () => {
    const lagging = (seconds: number) => [seconds < 3 ? first : second];
    const { shown, elapsed, waits } = await read([wrote(first, second)], lagging);
    expect(shown).toEqual([second]);
    expect(elapsed).toBeLessThan(6000);
    expect(new Set(waits)).toEqual(new Set(['Thing/a']));
  });

  it('are believed once the time since the write is over', async () => {
    expect(await read([{ before: [null] }], () => [])).toMatchObject({ shown: [], elapsed: settle - 1000 });
  });

  it('are not waited for where the write changed nothing that shows', async () =>
    expect((await read([{ before: [print(first)], after: print(first) }], () => [first])).elapsed).toBe(0));

  it('may show the state before any of several writes', async () => {
    const lagging = (seconds: number) => [seconds < 2 ? first : seconds < 4 ? second : third];
    expect((await read([wrote(first, second), wrote(second, third)], lagging)).shown).toEqual([third]);
  });

  it('may show the state between two requests of a change that was cut short', async () => {
    const half = (seconds: number) => [seconds < 3 ? second : third];
    expect((await read([{ before: [print(first), print(first)] }], half)).shown).toEqual([third]);
  });

  it('may show what a delete sets before it', async () => {
    const write = { before: [print(first), print(first)], after: null };
    const gone = (seconds: number) => (seconds < 3 ? [second] : []);
    expect((await read([write], gone)).shown).toEqual([]);
  });

  it('are not waited for where only an earlier one of several writes had several requests', async () => {
    const writes = [
      { before: [print(first), print(first)], after: print(second) },
      { before: [print(second)] },
    ];
    expect((await read(writes, () => [third])).elapsed).toBe(0);
  });

  it('are not waited for after several requests whose end was seen', async () => {
    const write = { before: [print(first), print(first)], after: print(second) };
    expect((await read([write], () => [third])).elapsed).toBe(0);
  });

  it('may be back as they were: the last write counts', async () => {
    expect((await read([wrote(first, second), wrote(second, first)], () => [first])).elapsed).toBe(0);
  });

  it('have their old key while a rename does not show', async () => {
    const write = { address: 'Thing/b', ...wrote(first, named('b', 'first')) };
    const other = objectOf(thing, { id: 't2', name: 'c', text: 'first' });
    const shown = (seconds: number) => [other, seconds < 3 ? first : named('b', 'first')];
    const { elapsed } = await read([write], shown, both);
    expect(elapsed).toBeGreaterThanOrEqual(3000);
    expect(elapsed).toBeLessThan(6000);
  });

  it.each([
    ['another value', 'a', someOf(thing, [['a']])],
    ['another key', 'b', both],
  ])(
    'have %s while a write does not show, whatever somebody sets in what it ignored',
    async (_, name, request) => {
      const made = (key: string, size: number, text: string) =>
        objectOf(thing, { id: 't1', name: key, text, tags: [String(size)] });
      const ignored = ['/text'];
      const printed = (key: string, size: number) => made(key, size, 'planned').fingerprint(ignored);
      const before = [printed('a', 1)];
      const write = { address: `Thing/${name}`, ignored, before, after: printed(name, 2) };
      const lagging = (at: number) => [at < 3 ? made('a', 1, 'by hand') : made(name, 2, 'by hand')];
      const { shown, elapsed } = await read([write], lagging, request);
      expect(shown).toMatchObject([{ key: [name] }]);
      expect(elapsed).toBeGreaterThanOrEqual(3000);
      expect(elapsed).toBeLessThan(6000);
    },
  );

  it('are not waited for where a later write took a rename back', async () => {
    const renamed = { address: 'Thing/b', ...wrote(first, named('b', 'first')) };
    const back = wrote(named('b', 'first'), first);
    expect((await read([renamed, back], () => [first], both)).elapsed).toBe(0);
    expect((await read([back, renamed], () => [first], both)).elapsed).toBe(settle - 1000);
  });

  it('are not waited for where somebody else changed them since, or renamed another one', async () => {
    const write = wrote(first, second);
    expect((await read([write], () => [third])).elapsed).toBe(0);
    const renamed = { ...write, address: 'Thing/b' };
    expect((await read([renamed], () => [named('b', 'else'), first], both)).elapsed).toBe(0);
  });

  it('are not waited for where they are not asked for', async () => {
    const write = { before: [null] };
    expect((await read([write], () => [], someOf(thing, [['other']]))).elapsed).toBe(0);
    expect((await read([write], () => [], someOf(note, [['a']]))).elapsed).toBe(0);
    expect((await read([write], () => [], allOf(thing))).elapsed).toBe(settle - 1000);
    expect((await read([write], () => [], someOf(thing, [['A']]))).elapsed).toBe(settle - 1000);
  });

  it('are waited for no longer than a write may take, though the clock was set back', async () => {
    const write = { before: [null], at: Date.parse('2026-01-02T05:00:00Z') };
    expect((await read([write], () => [])).elapsed).toBe(settle);
  });
});

it('an interrupt ends the wait, and what was read so far is not believed', async () => {
  const control = new AbortController();
  const clock = steppingClock();
  const read = async () => {
    if (control.signal.aborted) throw new Error('interrupted');
    return { objects: [] };
  };
  const reading = readSettled([someOf(thing, [['a']])], read, {
    recent: [{ address: 'Thing/a', at: clock.now(), before: [null] }],
    settle,
    clock,
    signal: control.signal,
    onEvent: () => control.abort(),
  });
  await expect(reading).rejects.toThrow('interrupted');
});

describe('the writes of earlier runs', () => {
  const tenant = { identity: 'https://tenant.example', profiles: 'https://profiles.example' };
  const began = Date.now();
  const time = (seconds: number) => new Date(began + 1000 * seconds).toISOString();
  const plan = (letter: string, parts = {}) => ({
    digest: `sha256:${letter.repeat(64)}`,
    createdAt: time(-1000),
    tenant: { ...tenant, ...parts },
    changes: [],
  });
  const since = began - 60_000;
  const result = { type: 'result', request: 0 } as const;

  it('are those of all journals of the tenant, in order of time, without what was refused', async () => {
    const folder = await newFolder();
    const ignored = ['/text'];
    const later = await openJournal(folder, { ...plan('a'), changes: [{ ...updateOf('a'), ignored }] });
    await later.append({ type: 'intent', at: time(-19), request: 0, before: [['Thing/a', 'sha256:1']] });
    await later.append({ ...result, at: time(-8), changes: ['Thing/a'], verdict: 'done', status: 200 });
    await later.append({ type: 'intent', at: time(-7), request: 1, before: [['Thing/a', 'sha256:2']] });
    await later.append({ type: 'settled', at: time(-6), change: 'Thing/a', unmet: [], after: 'sha256:3' });
    await later.append({ type: 'intent', at: time(-5), request: 0, before: [['Thing/b', null]] });
    await later.append({ ...result, at: time(-4), changes: ['Thing/b'], verdict: 'refused', status: 400 });
    await later.finish(time(-3));
    const earlier = await openJournal(folder, plan('b'));
    await earlier.append({ type: 'intent', at: time(-20), request: 0, before: [['Thing/c', null]] });
    await earlier.append({
      ...result,
      at: time(-19),
      changes: ['Thing/c', 'Thing/d'],
      verdict: 'unclear',
      status: null,
    });
    await earlier.append({ type: 'intent', at: time(-900), request: 0, before: [['Thing/old', null]] });
    await earlier.close();
    for (const parts of [{ identity: 'x' }, { profiles: 'x' }]) {
      const other = await openJournal(folder, plan('identity' in parts ? 'c' : 'd', parts));
      await other.append({ type: 'intent', at: time(-2), request: 0, before: [['Thing/other', null]] });
      await other.close();
    }
    await writeFile(join(folder, 'note.txt'), 'no journal\n');
    const written = { ignored, before: ['sha256:1', 'sha256:2'], after: 'sha256:3' };
    expect(await readRecentWrites(folder, tenant, since)).toEqual([
      { address: 'Thing/c', at: began - 19_000, before: [null] },
      { address: 'Thing/d', at: began - 19_000, before: [null] },
      { address: 'Thing/a', at: began - 7_000, ...written },
    ]);
  });

  it('are also those of a journal whose folder has a clock that is half a minute behind', async () => {
    const folder = await newFolder();
    const journal = await openJournal(folder, plan('a'));
    await journal.append({ type: 'intent', at: time(-59), request: 0, before: [['Thing/a', null]] });
    await journal.close();
    const behind = new Date(began - 89_000);
    await utimes(journal.file, behind, behind);
    expect(await readRecentWrites(folder, tenant, since)).toMatchObject([{ address: 'Thing/a' }]);
  });

  it('are found also where a run ends meanwhile, which gives its journal another name', async () => {
    const folder = await newFolder();
    for (let at = 0; at < 200; at += 1) await writeFile(join(folder, `${at}.jsonl`), '');
    const journal = await openJournal(folder, plan('f'));
    await journal.append({ type: 'intent', at: time(-1), request: 0, before: [['Thing/a', null]] });
    const reading = readRecentWrites(folder, tenant, since);
    await readdir(folder);
    await journal.finish(time(0));
    expect(await reading).toMatchObject([{ address: 'Thing/a' }]);
  });

  it('are none where there is no journal', async () =>
    expect(await readRecentWrites(join(await newFolder(), 'missing'), tenant, since)).toEqual([]));
});
