/** Who moved: what `--since` tells about each difference. */
import { describe, expect, it } from 'vitest';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { liveObject } from '../../src/kinds/live-objects.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { changeFor } from '../../src/planner/change.ts';
import { descriptorFrom } from '../support/descriptor.ts';
import { answers, type PlanCase, planOf, resource } from '../support/plan.ts';

const integration = (fields: JsonObject, more = {}) => resource('SimIntegration', ['S'], fields, more);
/** An integration as the revision and the manifests declare it, and as the tenant has it. */
const threeSides = (then: JsonObject, now: JsonObject, live: JsonObject): PlanCase => ({
  previous: [integration(then)],
  declared: [integration(now)],
  live: [answers.integration('1', 'S', live)],
});

/** The origins of the differences by their places, and whether the change undoes one of the tenant. */
function told(given: PlanCase) {
  const [change] = planOf(given).changes;
  const origins = Object.fromEntries((change?.diff ?? []).map(({ path, origin }) => [path, origin]));
  return { origins, undoes: change?.risk.includes('undoes-tenant-change') };
}

describe('a field', () => {
  it.each<[string, JsonObject | null, JsonObject, JsonObject, string | null]>([
    ['changed in the repository', { type: 'A' }, { type: 'B' }, { type: 'A' }, 'repo'],
    ['changed in the tenant', { type: 'B' }, { type: 'B' }, { type: 'hand' }, 'tenant'],
    ['changed in both', { type: 'A' }, { type: 'B' }, { type: 'hand' }, 'both'],
    ['declared for the first time', {}, { type: 'B' }, { type: 'A' }, 'repo'],
    ['of an object that was not declared', null, { type: 'B' }, { type: 'A' }, 'repo'],
    ['cleared in the repository', { type: 'A' }, { type: null }, { type: 'A' }, 'repo'],
    ['cleared in the tenant', { type: 'A' }, { type: 'A' }, { type: null }, 'tenant'],
    ['set in the tenant where null is declared', { type: null }, { type: null }, { type: 'hand' }, 'tenant'],
  ])('%s', (_, then, now, live, origin) => {
    const previous = then === null ? [] : [integration(then)];
    const found = told({ ...threeSides({}, now, live), previous });
    expect(found).toEqual({ origins: { '/type': origin }, undoes: origin !== 'repo' });
  });

  it('is judged as it is compared: line ends, order and spelling do not count', () => {
    const then = { description: 'a\nb', sources: ['a', 'b'] };
    const now = { description: 'new', sources: ['a', 'b', 'c'] };
    const found = told(threeSides(then, now, { description: 'a\r\nb', managedSources: ['b', 'a'] }));
    expect(found).toEqual({ origins: { '/description': 'repo', '/sources/2': 'repo' }, undoes: false });
  });
});

describe('a member of JSON', () => {
  const given = (then: JsonObject, now: JsonObject, live: JsonObject) =>
    threeSides({ attributes: then }, { attributes: now }, { attributes: JSON.stringify(live) });

  it('is judged by itself', () => {
    const [then, now] = [
      { a: '1', b: '1', c: '1' },
      { a: '2', b: '1', c: '2' },
    ];
    const origins = { '/attributes/a': 'repo', '/attributes/b': 'tenant', '/attributes/c': 'both' };
    const found = told(given(then, now, { a: '1', b: 'hand', c: 'hand' }));
    expect(found).toEqual({ origins, undoes: true });
  });

  it('is the repository’s where it is new there, although the tenant has another', () =>
    expect(told(given({ a: '1' }, { a: '1', b: '2' }, { a: '1', b: '3' })).origins).toEqual({
      '/attributes/b': 'repo',
    }));

  const secret = { password: { $secret: 'S' } };
  const other = { password: 'other' };
  it.each<[string, JsonObject, JsonObject, JsonObject, string | null]>([
    ['has no origin: its name does not show who changed the value', secret, secret, other, null],
    ['is the repository’s where it is new there', {}, secret, other, 'repo'],
    ['is the repository’s where it has another name', { password: { $secret: 'T' } }, secret, other, 'repo'],
    ['is the tenant’s where it is declared in clear', { password: 'x' }, { password: 'x' }, other, 'tenant'],
  ])('with a secret %s', (_what, then, now, live, origin) => {
    const found = told({ ...given(then, now, live), secrets: { S: 'mine' } });
    expect(found).toEqual({ origins: { '/attributes/password': origin }, undoes: origin === 'tenant' });
  });
});

describe('a list without order inside JSON', () => {
  const described = { kind: 'Hook', path: '/v2025/hooks', update: 'put', fields: { form: 'json' } };
  const kind = kindFrom(descriptorFrom({ ...described, places: { 'form/**/tags': 'set' } }));
  const diffOf = (then: Json, now: Json, shown: Json, written?: JsonObject) => {
    const live = liveObject(kind, { id: '1', name: 'H', form: shown }, null);
    const { change } = changeFor({ kind, resource: resource(kind, ['H'], { form: now }), live }, null, {
      settings: contractSettings,
      unseen: { secrets: { matches: () => false }, left: true },
      since: { previous: resource(kind, ['H'], { form: then }), written },
    });
    return change?.diff ?? [];
  };
  const originsOf = (...given: Parameters<typeof diffOf>) => [
    ...new Set(diffOf(...given).map(({ origin }) => origin)),
  ];

  it('or a member beside it was not changed in the tenant where an apply since wrote it', () => {
    const form = (title: string) => ({ title });
    expect(originsOf(form('a'), form('a'), form('b'), { form: form('b') })).toEqual(['repo']);
    expect(originsOf(form('a'), form('a'), form('c'), { form: form('b') })).toEqual(['tenant']);
  });

  it.each<[string, (tags: string[]) => Json]>([
    ['at its place', (tags) => ({ steps: [{ tags }] })],
    ['in a list that is compared as a whole', (tags) => [{ tags }]],
  ])('is judged as a whole: indexes do not say which item somebody changed (%s)', (_where, form) => {
    const [then, more] = [form(['b', 'a']), form(['0', 'b', 'a'])];
    expect(originsOf(then, more, form(['a', 'b']))).toEqual(['repo']);
    expect(originsOf(then, form(['a', 'b']), form(['b']))).toEqual(['tenant']);
    expect(originsOf(then, more, form(['a']))).toEqual(['both']);
    const items = diffOf(then, more, form(['a'])).filter(({ path }) => path !== '/form');
    expect(items.filter(({ base }) => base !== undefined)).toEqual([]);
  });
});

describe('an object', () => {
  it('that is gone although the revision declared it was deleted in the tenant', () => {
    const found = told({ previous: [integration({ type: 'A' })], declared: [integration({ type: 'A' })] });
    expect(found).toEqual({ origins: { '/type': 'tenant' }, undoes: true });
  });

  it('that is gone in the tenant may have changed in the repository too', () => {
    const then = { type: 'A', description: 'x', attributes: { password: { $secret: 'S' } } };
    const now = { ...then, type: 'B', cluster: 'new' };
    const inTenant = { '/description': 'tenant', '/attributes/password': 'tenant' };
    const origins = { '/type': 'both', ...inTenant, '/cluster': 'repo' };
    const given = { previous: [integration(then)], declared: [integration(now)] };
    expect(told(given)).toEqual({ origins, undoes: true });
  });

  it('that an apply of this checkout deleted since is made again by the repository', () => {
    const declared = integration({ type: 'A' });
    const made = (written: JsonObject | null | undefined) =>
      changeFor({ kind: declared.kind, resource: declared, live: null }, null, {
        settings: contractSettings,
        unseen: { secrets: { matches: () => false }, left: true },
        since: { previous: declared, written },
      }).change;
    expect(made(null)).toMatchObject({ diff: [{ origin: 'repo' }], risk: [] });
    expect(made(undefined)).toMatchObject({ diff: [{ origin: 'tenant' }], risk: ['undoes-tenant-change'] });
  });

  it('that is new in the repository, or was declared absent, is made by it', () => {
    for (const previous of [[], [integration({ type: 'A' }, { ensure: 'absent' })]])
      expect(told({ previous, declared: [integration({ type: 'A' })] }).undoes).toBe(false);
  });

  it('that was to be absent and is there was made in the tenant, unless an apply of this checkout made it', () => {
    const declared = [resource('SenderAddress', ['A@acme.example'], {}, { ensure: 'absent' })];
    const live = ['a', 'b'].map((name) => answers.sender(name, `${name}@acme.example`));
    const undoes = (more: Partial<PlanCase>) => told({ declared, previous: declared, live, ...more }).undoes;
    expect(undoes({})).toBe(true);
    expect(undoes({ previous: [] })).toBe(false);
    expect(undoes({ written: new Map([['SenderAddress/a%40acme.example', {}]]) })).toBe(false);
  });

  it('is recognised by its pinned id and by its former name', () => {
    const live = [answers.integration('1', 'Old', { type: 'hand' })];
    const pinned = resource('SimIntegration', ['New'], { type: 'A' }, { id: '1' });
    const lifecycle = { renamedFrom: ['Old'] };
    const renamed = resource('SimIntegration', ['New'], { type: 'A' }, { lifecycle });
    const before = (id: string | null) => [resource('SimIntegration', ['Old'], { type: 'A' }, { id })];
    const origin = (declared: typeof pinned, id: string | null) =>
      told({ declared: [declared], previous: before(id), live }).origins['/type'];
    expect(origin(pinned, '1')).toBe('tenant');
    expect(origin(pinned, null)).toBe('tenant');
    expect(origin(renamed, null)).toBe('tenant');
  });

  it.each([
    ['renamed in the repository', 'Old', 'New', 'Old', 'repo'],
    ['renamed in the tenant', 'New', 'New', 'Hand', 'tenant'],
    ['renamed in both', 'Old', 'New', 'Hand', 'both'],
  ])('that is %s', (_, then, now, name, origin) => {
    const pinned = (key: string) => resource('SimIntegration', [key], {}, { id: '1' });
    const live = [answers.integration('1', name, {})];
    const found = told({ previous: [pinned(then)], declared: [pinned(now)], live });
    expect(found).toEqual({ origins: { '/name': origin }, undoes: origin !== 'repo' });
  });

  it('is not taken for one of another kind with the same name', () => {
    const previous = [resource('ProfileSearch', ['S'], { rules: [] }), integration({ type: 'A' })];
    const given = { ...threeSides({}, { type: 'A' }, { type: 'x' }), previous };
    expect(told(given).origins).toEqual({ '/type': 'tenant' });
  });
});

describe('what the revision declared', () => {
  /** The values of that time by the places of the differences, where they are told. */
  const based = (given: PlanCase) => {
    const [change] = planOf(given).changes;
    return Object.fromEntries(
      (change?.diff ?? []).flatMap(({ path, base }) => (base === undefined ? [] : [[path, base]])),
    );
  };

  it.each<[string, JsonObject, JsonObject, JsonObject, JsonObject]>([
    ['both changed', { type: 'A' }, { type: 'B' }, { type: 'hand' }, { '/type': 'A' }],
    ['both changed what was not set', { type: null }, { type: 'B' }, { type: 'hand' }, { '/type': null }],
    ['only the tenant changed: it is declared now as well', { type: 'B' }, { type: 'B' }, { type: 'x' }, {}],
    ['only the repository changed: the tenant has it', { type: 'A' }, { type: 'B' }, { type: 'A' }, {}],
    [
      'both changed a list without order',
      { sources: ['a'] },
      { sources: ['b'] },
      { managedSources: ['c'] },
      {},
    ],
  ])('is told beside both others where %s', (_, then, now, live, base) =>
    expect(based(threeSides(then, now, live))).toEqual(base),
  );

  it('is told of members of JSON, of names and of what the tenant deleted', () => {
    const having = (a: number, b: number) => ({ attributes: { a, b } });
    expect(based(threeSides(having(1, 1), having(2, 2), having(3, 1)))).toEqual({ '/attributes/a': 1 });
    const named = (name: string) => resource('SimIntegration', [name], {}, { id: '1' });
    const renamed = { previous: [named('Old')], declared: [named('New')] };
    expect(based({ ...renamed, live: [answers.integration('1', 'Hand', {})] })).toEqual({ '/name': 'Old' });
    const deleted = { previous: [integration({ type: 'A' })], declared: [integration({ type: 'B' })] };
    expect(based(deleted)).toEqual({ '/type': 'A' });
  });

  it.each([
    ['a lookup', { $lookup: { from: 'sources', where: { name: 'HR' }, take: 'id' } }],
    ['a reference', { $ref: 'SimIntegration/Other' }],
  ])('is not known where it was %s: the change is that of the repository', (_what, type) => {
    const given = threeSides({ type }, { type: 'B' }, { type: 'hand' });
    expect(told(given)).toEqual({ origins: { '/type': 'repo' }, undoes: false });
    expect(based(given)).toEqual({});
    // Of what the tenant deleted, too.
    expect(based({ previous: [integration({ type })], declared: [integration({ type: 'B' })] })).toEqual({});
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['the manifest says now that it is a secret', { x: 'canary' }, { x: { $secret: 'S' } }],
    ['the manifest said then that it is a secret', { x: { $secret: 'S' } }, { x: 'mine' }],
    ['its name says so', { x: 'plain', password: 'canary' }, { x: 'mine', password: 'mine' }],
    ['a name inside of it says so', { x: { password: 'canary' } }, { x: 'mine' }],
    ['a pair inside of it says so', { x: [{ name: 'password', value: 'canary' }] }, { x: 'mine' }],
    ['a name inside of JSON in text says so', { x: '{"password":"canary"}' }, { x: 'mine' }],
  ])('is no more shown than the other values where %s', (_, then, now) => {
    const live = { attributes: '{"x":"hand","password":"hand"}' };
    const given = threeSides({ attributes: then }, { attributes: now }, live);
    const plan = planOf({ ...given, secrets: { S: 'canary' } });
    expect(plan.changes).toHaveLength(1);
    expect(JSON.stringify(plan)).not.toContain('canary');
  });

  it('to be secret is not shown of the tenant either, where the manifest has a text in clear now', () => {
    const [then, now] = [{ x: { $secret: 'S' } }, { x: 'mine' }];
    const live = { attributes: '{"x":"canary"}' };
    const plan = planOf(threeSides({ attributes: then }, { attributes: now }, live));
    expect(plan.changes).toMatchObject([{ diff: [{ path: '/attributes/x', sensitive: true }] }]);
    expect(JSON.stringify(plan)).not.toContain('canary');
  });
});

it('without --since nothing is said', () => {
  const live = [answers.integration('1', 'S', { type: 'A' })];
  const { changes } = planOf({ declared: [integration({ type: 'B' })], live });
  expect(changes).toMatchObject([{ diff: [{ origin: null }], warnings: [] }]);
});
