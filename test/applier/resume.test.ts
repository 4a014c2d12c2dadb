import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Journal, openJournal } from '../../src/applier/journal.ts';
import { openResultFile } from '../../src/applier/result-file.ts';
import type { ApplyEvent } from '../../src/applier/run.ts';
import { readResultFile } from '../../src/applier/saved-file.ts';
import type { ReadRequest } from '../../src/kinds/live-objects.ts';
import type { Change, ChangeResult, Plan, Result } from '../../src/model/documents.ts';
import { isThorough } from '../support/effort.ts';
import { secretsOf } from '../support/plan.ts';
import { apply, killedRun, newFolder, outcomes, watched } from './run.ts';
import { answered, lost, lostAnswer, startTenant, type Tenant, type World } from './tenant.ts';
import {
  change,
  createThing,
  deleteNotes,
  deleteThing,
  diff,
  objectOf,
  plannedUpdate,
  planOf,
  request,
  thing,
  updateThing,
  writeNote,
} from './things.ts';

const old = { id: 't1', name: 'old', text: 'before', rule: 'r0' };
const other = { id: 't2', name: 'other', text: 'before', attributes: '{"url":"u"}' };
const gone = { id: 't3', name: 'gone', text: 'x' };
const late = { id: 't4', name: 'late', text: 'x' };
const notes = ['n1', 'n2'].map((key) => ({ id: `id-${key}`, key, text: 'x' }));
const live = { id: 'id-live', key: 'live', text: 'x' };
const base = { key: 'vendor', text: 'from the vendor' };
const world: World = {
  things: { old, other, gone, late },
  notes: { n1: notes[0] ?? {}, n2: notes[1] ?? {}, live },
  defaults: { vendor: base },
};
const rotate = plannedUpdate(other, { text: 'after', attributes: { password: { $secret: 'PASSWORD' } } });
const pool: readonly (readonly Change[])[] = [
  [createThing('a')],
  [createThing('b', { text: 'x', tags: ['p'], attributes: { url: 'u' } })],
  [createThing('lower', { above: { $ref: 'Thing/upper' } }), createThing('upper')],
  [updateThing(old, 'after', 'r1')],
  [rotate],
  [deleteThing(gone)],
  [deleteThing(late)],
  [writeNote('vendor', 'mine', { base })],
  [writeNote('live', 'mine', { live })],
  deleteNotes(notes),
];

/** What lies on disk and in the tenant at one moment of a run. */
interface Moment {
  readonly journal: Buffer;
  readonly world: World;
}

/** Runs a plan to its end and keeps every moment at which it could have been killed. */
async function momentsOf(
  plan: Plan,
  tenant: Tenant,
): Promise<{ moments: Moment[]; after: World; effects: string[]; earlier: Recorded }> {
  const folder = await newFolder();
  tenant.become(world);
  const moments: Moment[] = [];
  const journal = await openJournal(folder, plan);
  const keep = async () => {
    const bytes = await readFile(journal.file).catch(() => Buffer.alloc(0));
    moments.push({ journal: bytes, world: structuredClone(tenant.world) });
  };
  tenant.onEffect = keep;
  const watched: Journal = {
    ...journal,
    append: (record) => journal.append(record).then(keep),
  };
  await keep();
  const result = await apply(plan, tenant, { journal: watched, concurrency: 1 });
  expect(result.outcome).toBe('done');
  return { moments, after: tenant.world, effects: [...tenant.carriedOut], earlier: recordedIn(result) };
}

type Recorded = ReadonlyMap<string, readonly ChangeResult[]>;
const recordedIn = ({ changes }: Result): Recorded =>
  new Map(changes.map((change) => [change.address, [change]]));

const withoutIds = (value: World): unknown =>
  JSON.parse(JSON.stringify(value, (key, item) => (['id', 'above'].includes(key) ? undefined : item)));

describe('a run that was killed', () => {
  it('is finished by applying the plan again, wherever it was killed, and makes nothing twice', async () => {
    let cases = 0;
    const tenant = await startTenant();
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...pool], { minLength: 1 }), fc.nat(), async (parts, cut) => {
        const plan = planOf(parts.flat());
        const { moments, after, effects } = await momentsOf(plan, tenant);
        for (const [at, moment] of moments.entries()) {
          const next = moments[at + 1]?.journal ?? moment.journal;
          // A line may have been cut while it was written.
          const length = moment.journal.length + (cut % Math.max(1, next.length - moment.journal.length));
          const folder = await newFolder();
          const { file } = await openJournal(folder, plan);
          await writeFile(file, next.length > length ? next.subarray(0, length) : moment.journal);
          tenant.become(moment.world);
          expect((await apply(plan, tenant, { folder })).outcome).toBe('done');
          expect(withoutIds(tenant.world)).toEqual(withoutIds(after));
          const posts = tenant.carriedOut.filter((effect) => effect === 'POST /v2024/things').length;
          const missing = ['a', 'b', 'upper', 'lower'].filter(
            (name) => after.things[name] && !moment.world.things[name],
          ).length;
          expect(posts).toBe(missing);
          expect(tenant.things.get('lower')?.above).toBe(tenant.things.get('upper')?.id);
          expect(tenant.carriedOut.length).toBeLessThanOrEqual(effects.length);
          cases++;
        }
      }),
      { numRuns: isThorough ? 7 : 2, seed: 7 },
    );
    expect(cases).toBeGreaterThan(isThorough ? 90 : 20);
  });

  it('tells what was there before, though it was changed before this run', async () => {
    const plan = planOf([updateThing(old, 'after', 'r1'), createThing('a'), deleteThing(gone)]);
    const tenant = await startTenant();
    const { moments, earlier } = await momentsOf(plan, tenant);
    const last = moments.at(-1);
    const folder = await newFolder();
    await writeFile((await openJournal(folder, plan)).file, last?.journal ?? '');
    tenant.become(last?.world ?? {});
    const result = await apply(plan, tenant, { folder, earlier });
    expect(tenant.sent).toEqual([]);
    const { changes } = result;
    expect(changes.map(({ before }) => before)).toEqual([
      { text: 'before', rule: 'r0' },
      null,
      { text: 'x' },
    ]);
    expect(changes).toMatchObject([
      { after: { text: 'after', rule: 'r1' } },
      { after: { text: 'new' } },
      { after: null },
    ]);
  });

  it('has what it had made in the result that a second run leaves behind when it is killed too', async () => {
    const plan = planOf([updateThing(old, 'after', 'r1'), createThing('a'), createThing('b')]);
    const tenant = await startTenant();
    const { moments, earlier } = await momentsOf(plan, tenant);
    const left = moments.filter(({ world: { things } }) => !things.b);
    for (const moment of left) {
      const folder = await newFolder();
      const journal = await openJournal(folder, plan);
      if (moment.journal.length > 0) await writeFile(journal.file, moment.journal);
      const started = plan.changes.filter(({ address }) => moment.journal.includes(`"${address}"`));
      const file = join(folder, 'result.json');
      const record = openResultFile(file, plan, () => plan.createdAt);
      tenant.become(moment.world);
      const listed: string[][] = [];
      tenant.fault = async () => {
        const known = readResultFile(await readFile(file, 'utf8'), file).changes.filter(
          ({ action, before }) => action === 'create' || before?.text === 'before',
        );
        listed.push(known.map(({ address }) => address));
        return null;
      };
      await apply(plan, tenant, { folder, record, earlier, concurrency: 1 });
      await record.close();
      expect(listed[0]).toEqual(expect.arrayContaining(started.map(({ address }) => address)));
    }
    expect(left.length).toBeGreaterThan(8);
  });

  it('is finished where the tenant gives an object another id with each write', async () => {
    const plan = planOf([updateThing(old, 'after'), createThing('a')]);
    const folder = await newFolder();
    const tenant = await startTenant();
    tenant.become(world);
    tenant.fault = ({ method }) => (method === 'POST' ? answered(400) : null);
    await apply(plan, tenant, { folder });
    tenant.things.set('old', { ...tenant.things.get('old'), id: 't9' });
    tenant.fault = null;
    expect((await apply(plan, tenant, { folder })).outcome).toBe('done');
  });

  it.each([
    ['changed', 'made', null],
    ['deleted', 'made', null],
    ['deleted', 'made without an answer', lostAnswer],
  ])('is refused when somebody %s what it had %s', async (did, _, lost) => {
    const plan = planOf([createThing('a'), createThing('b')]);
    const folder = await newFolder();
    const tenant = await startTenant({}, (_request, count) => (count === 2 ? answered(400) : lost));
    await apply(plan, tenant, { folder, concurrency: 1 });
    if (did === 'deleted') tenant.things.delete('a');
    else tenant.things.set('a', { ...tenant.things.get('a'), text: 'by hand' });
    const sent = tenant.sent.length;
    const result = await apply(plan, tenant, { folder });
    const why = 'an earlier run of this plan made the change, and the object has changed since';
    const message = `Thing/a has changed since the plan was made: ${why}.`;
    expect(result.outcome).toBe('refused');
    const hint = expect.stringMatching(/^Make a new plan\. If it is refused as well, move .* away\.$/);
    expect(result.diagnostics).toMatchObject([{ code: 'plan-stale', address: 'Thing/a', message, hint }]);
    expect(tenant.sent).toHaveLength(sent);
  });

  it('is refused when the ambiguous request left neither the old state nor the new', async () => {
    const plan = planOf([updateThing(old, 'after')]);
    const folder = await killedRun(plan, 'Thing/old', { before: plan.changes[0]?.fingerprint ?? null });
    const tenant = await startTenant({ things: { old: { ...old, text: 'by hand' } } });
    expect((await apply(plan, tenant, { folder })).outcome).toBe('refused');
  });

  it('knows a rewritten field for what it is', async () => {
    const plan = planOf([updateThing(old, 'after'), createThing('a')]);
    const folder = await newFolder();
    const tenant = await startTenant({ things: { old } });
    tenant.rewrite = (raw) => ({ ...raw, text: 'REWRITTEN' });
    tenant.fault = ({ method }) => (method === 'POST' ? answered(400) : null);
    expect((await apply(plan, tenant, { folder })).outcome).toBe('partial');
    tenant.fault = null;
    expect(outcomes(await apply(plan, tenant, { folder }))).toBe('Thing/old done, Thing/a done');
    expect(tenant.carriedOut.filter((effect) => effect.startsWith('PATCH'))).toHaveLength(1);
  });
});

describe('a run that failed in part', () =>
  it('goes on where it ended: failed changes and deletes that waited', async () => {
    const plan = planOf([createThing('a'), createThing('b'), deleteThing(gone)]);
    const folder = await newFolder();
    const tenant = await startTenant({ things: { gone } });
    tenant.fault = (_request, count) => (count === 2 ? answered(400) : null);
    expect((await apply(plan, tenant, { folder, concurrency: 1 })).outcome).toBe('partial');
    expect((await apply(plan, tenant, { folder })).outcome).toBe('done');
    expect(tenant.carriedOut).toEqual([
      'POST /v2024/things',
      'POST /v2024/things',
      'DELETE /v2024/things/t3',
    ]);
  }));

it('a second request that was refused is sent again, though the tenant rewrote what the first one set', async () => {
  const plan = planOf([updateThing(old, 'after', 'r1')]);
  const folder = await newFolder();
  const tenant = await startTenant({ things: { old } });
  tenant.rewrite = (raw) => ({ ...raw, text: 'REWRITTEN' });
  tenant.fault = ({ path }) => (path.endsWith('/rule') ? answered(400) : null);
  expect((await apply(plan, tenant, { folder })).outcome).toBe('partial');
  tenant.fault = null;
  expect((await apply(plan, tenant, { folder })).outcome).toBe('done');
  expect(tenant.carriedOut).toEqual(['PATCH /v2024/things/t1', 'PATCH /v2024/things/t1/rule']);
});

it('a change of which Ctrl-C holds back the second request once more is one that is half made', async () => {
  const plan = planOf([updateThing(old, 'after', 'r1')]);
  const folder = await newFolder();
  const tenant = await startTenant({ things: { old } });
  tenant.fault = ({ path }) => (path.endsWith('/rule') ? answered(400) : null);
  const earlier = recordedIn(await apply(plan, tenant, { folder }));
  const control = new AbortController();
  const onEvent = ({ type }: ApplyEvent) => type === 'checked' && control.abort();
  const again = await apply(plan, tenant, { folder, earlier, signal: control.signal, onEvent });
  const error = '1 of 2 requests were sent; apply the same plan again to finish. Then the run was stopped.';
  // A rollback of this result takes the text back.
  const sides = { before: { text: 'before' }, after: { text: 'after' } };
  expect(again).toMatchObject({ outcome: 'interrupted', changes: [{ outcome: 'failed', error, ...sides }] });
});

describe('a rename', () => {
  const rename = change(thing, ['new name'], {
    action: 'update',
    id: 't1',
    fingerprint: objectOf(thing, old).fingerprint(),
    diff: [diff('/name', 'old', 'new name')],
    requests: [request('PATCH', '/v2024/things/t1', { name: 'new name' })],
  });

  it('asks for the object by its id and both keys', async () => {
    const tenant = await startTenant({ things: { old } });
    const asked: ReadRequest[] = [];
    const port = watched(tenant, { read: (requests) => asked.push(...requests) });
    expect((await apply([rename], port)).outcome).toBe('done');
    expect(asked[0]).toEqual({
      kind: thing,
      keys: [['new name'], ['old']],
      ids: ['t1'],
      idsAsNames: [],
      complete: false,
      written: false,
    });
    expect([...tenant.things.keys()]).toEqual(['new name']);
  });

  it('whose answer was lost is found under the new key', async () => {
    const tenant = await startTenant({ things: { old } }, lostAnswer);
    expect((await apply([rename], tenant)).outcome).toBe('done');
  });

  it('whose answer was lost is unknown where somebody else takes the new key', async () => {
    const tenant = await startTenant({ things: { old } });
    tenant.fault = () => {
      tenant.things.set('new name', { ...old, id: 't9', name: 'new name' });
      return lost;
    };
    expect(outcomes(await apply([rename], tenant))).toBe('Thing/new%20name unknown');
  });

  it('is refused when the new key is taken', async () => {
    const tenant = await startTenant({ things: { old, taken: { id: 't9', name: 'new name' } } });
    expect((await apply([rename], tenant)).outcome).toBe('refused');
  });
});

describe('a run that is done', () => {
  it('is finished by applying the plan again, where its result could not be kept', async () => {
    const plan = planOf([createThing('a')]);
    const folder = await newFolder();
    const tenant = await startTenant();
    const full = () => Promise.reject(new Error('the disk is full'));
    expect(await apply(plan, tenant, { folder, onDone: full })).toMatchObject({
      outcome: 'done',
      diagnostics: [{ code: 'records-open', message: expect.stringContaining('the disk is full') }],
    });
    expect((await apply(plan, tenant, { folder })).outcome).toBe('done');
    expect(tenant.carriedOut).toEqual(['POST /v2024/things']);
  });

  it('is done, also where somebody removes its journal before the end', async () => {
    const folder = await newFolder();
    const onDone = () => rm(folder, { recursive: true });
    expect(await apply([createThing('a')], await startTenant(), { folder, onDone })).toMatchObject({
      outcome: 'done',
      diagnostics: [{ code: 'records-open', message: expect.stringContaining('cannot be written (ENOENT)') }],
    });
  });

  it('ends its journal: the same plan is then refused as stale', async () => {
    const plan = planOf([createThing('a')]);
    const folder = await newFolder();
    const tenant = await startTenant();
    await apply(plan, tenant, { folder });
    expect(await readdir(folder)).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}\.20260102T030405678Z\.done\.jsonl$/),
    ]);
    expect((await apply(plan, tenant, { folder })).outcome).toBe('refused');
  });
});

it('a journal holds no values and no secrets', async () => {
  const folder = await newFolder();
  const fields = { text: 'canary-text', attributes: { url: 'canary-url', password: { $secret: 'S' } } };
  const raw = { ...old, name: 'a', attributes: { url: 'u' } };
  const secrets = { S: 'canary-secret' };
  await apply([plannedUpdate(raw, fields, secrets)], await startTenant({ things: { a: raw } }), {
    folder,
    secrets: secretsOf(secrets),
  });
  const [file = '', ...others] = await readdir(folder);
  expect(others).toEqual([]);
  const text = await readFile(join(folder, file), 'utf8');
  expect(text).toContain('Thing/a');
  expect(text).not.toContain('canary');
});

it('a bulk delete that had half an effect is finished by the same plan', async () => {
  const [one, two] = ['one', 'two'].map((key) => ({ id: `n-${key}`, key, text: 'x' }));
  if (!one || !two) throw new Error('There are two.');
  const tenant = await startTenant({ notes: { one, two } });
  const plan = planOf(deleteNotes([one, two]));
  const folder = await newFolder();
  tenant.fault = () => {
    tenant.notes.delete('one');
    return answered(500);
  };
  expect(outcomes(await apply(plan, tenant, { folder }))).toBe('Note/one done, Note/two failed');
  tenant.fault = null;
  expect((await apply(plan, tenant, { folder })).outcome).toBe('done');
  expect(tenant.notes.size).toBe(0);
});
