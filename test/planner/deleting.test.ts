import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/model/documents.ts';
import { answers, type PlanCase, planOf, resource } from '../support/plan.ts';

const absent = { ensure: 'absent' } as const;
const sender = (email: string, more = {}) => resource('SenderAddress', [email], {}, more);
const integration = (name: string, more = {}) => resource('SimIntegration', [name], {}, more);
const live = ['Old', 'Other', 'Third'].map((name, at) => answers.integration(`${at + 1}`, name));
const pruneAll = { scope: { prune: true }, policy: { prune: { kinds: ['SimIntegration'], keep: [] } } };

const deletesOf = (given: PlanCase): Change[] =>
  planOf(given).changes.filter(({ action }) => action === 'delete');
const deleted = (given: PlanCase) => deletesOf(given).map(({ address }) => address);

describe('pruning', () => {
  it('spares an object that a manifest pins by its id under another name', () => {
    expect(deleted({ declared: [integration('New name', { id: '1' })], live, ...pruneAll })).toEqual([
      'SimIntegration/Other',
      'SimIntegration/Third',
    ]);
  });

  it('does not happen without --prune, nor to kinds that are not listed', () => {
    expect(deleted({ declared: [], live, policy: pruneAll.policy })).toEqual([]);
    const senders = ['a', 'b'].map((name) => answers.sender(name, `${name}@a.example`));
    expect(deleted({ declared: [sender('a@a.example')], live: senders, ...pruneAll })).toEqual([]);
  });

  it('has no manifest to point to; a tombstone has its own', () => {
    expect(deletesOf({ declared: [], live, ...pruneAll })[0]?.source).toBeNull();
    expect(deletesOf({ declared: [integration('Old', absent)], live })[0]?.source).toEqual({
      file: 'config/test.yaml',
      line: 1,
    });
  });

  it('is refused by an apply where an ignored value has changed too: it would be deleted as well', () => {
    const shown = [answers.integration('1', 'Old', { description: 'D' }), ...live.slice(1)];
    const print = (more = {}) =>
      deletesOf({ declared: [integration('Old', { ...absent, ...more })], live: shown })[0]?.fingerprint;
    expect(print({ lifecycle: { ignore: ['/description'] } })).toBe(print());
    expect(print()).toMatch(/^sha256:/);
  });
});

describe('--since', () => {
  it('leaves alone what the revision declared absent and somebody has made since', () => {
    expect(deleted({ declared: [], previous: [integration('Old', absent)], live })).toEqual([]);
    expect(deleted({ declared: [], previous: [integration('Old')], live })).toEqual(['SimIntegration/Old']);
  });

  it('finds what the revision pinned by its id, and nothing by a name that no longer pins', () => {
    expect(deleted({ declared: [], previous: [integration('X', { id: '2' })], live })).toEqual([
      'SimIntegration/Other',
    ]);
    expect(deleted({ declared: [], previous: [integration('Old', { id: '9' })], live })).toEqual([]);
  });

  it('keeps the protection that the removed manifest gave', () => {
    const previous = [integration('Old', { lifecycle: { protect: true } })];
    const { diagnostics } = planOf({ declared: [], previous, live });
    expect(diagnostics).toMatchObject([{ code: 'protected' }]);
    // There is no manifest any more to take the protection out of.
    expect(diagnostics[0]?.message).toContain('in the manifest that was removed');
    expect(diagnostics[0]?.hint).toMatch(/^Put the manifest back without `lifecycle.protect`/);
  });

  it('does not show what the removed manifest marked as secret', () => {
    const previous = [resource('SimIntegration', ['Old'], { attributes: { plain: { $secret: 'S' } } })];
    const old = answers.integration('1', 'Old', { attributes: { plain: 'canary', url: 'u' } });
    const [change] = deletesOf({ declared: [], previous, live: [old, ...live.slice(1)] });
    expect(JSON.stringify(change)).not.toContain('canary');
    expect(change?.secrets).toEqual(['/attributes/plain']);
  });
});

it('an object whose id no request can name is deleted by hand, and the others as ever', () => {
  const declared = ['Unnamed', 'Old'].map((name) => integration(name, absent));
  const { changes } = planOf({ declared, live: [...live, answers.integration('..', 'Unnamed', {})] });
  const told = changes.map(({ action, address }) => `${action} ${address}`);
  expect(told.toSorted()).toEqual(['delete SimIntegration/Old', 'manual SimIntegration/Unnamed']);
});

it('an object that several reasons delete is deleted once, by the first', () => {
  const both = planOf({
    declared: [integration('Old', { ...absent, lifecycle: { protect: true } })],
    previous: [integration('Old'), integration('Other', { lifecycle: { protect: true } })],
    live,
    ...pruneAll,
  });
  const all = ['Old', 'Other', 'Third'].map((name) => `SimIntegration/${name}`);
  expect(both.changes.map(({ address }) => address)).toEqual(all);
  const guarded = both.diagnostics.filter(({ code }) => code === 'protected');
  expect(guarded.map(({ address }) => address)).toEqual(all.slice(0, 2));
});

it('what is declared absent and is absent counts as unchanged', () => {
  const plan = planOf({
    declared: [sender('gone@a.example', absent), sender('new@a.example'), sender('there@a.example')],
    live: [answers.sender('1', 'there@a.example')],
  });
  expect(plan.summary).toMatchObject({ create: 1, update: 0, delete: 0, manual: 0, unchanged: 2 });
  expect(planOf({ declared: [sender('x@a.example', absent)], live: [] }).summary.unchanged).toBe(1);
});

it('a tombstone with an unknown id is no error: the object is gone', () =>
  expect(deleted({ declared: [integration('X', { ...absent, id: '9' })], live })).toEqual([]));

describe('templates that go back to their defaults', () => {
  const template = (key: string) => resource('NotificationTemplate', [key, 'EMAIL', 'en'], {}, absent);
  const keys = (count: number) => Array.from({ length: count }, (_, at) => `t${String(at).padStart(3, '0')}`);

  it('share a request of at most a hundred, in the order of their deletion', () => {
    const names = keys(102);
    const changes = deletesOf({
      declared: names.map(template),
      live: [...names, 'stays'].map((name) => answers.template(name)),
    });
    const bodies = changes.map(({ requests: [request] }) => request?.body);
    expect(changes).toHaveLength(102);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(2);
    expect(bodies[0]).toHaveLength(100);
    expect(bodies[99]).toEqual(bodies[0]);
    expect(bodies[101]).toHaveLength(2);
    const sent = changes.map(({ key: [key = '', medium = '', locale = ''] }) => ({ key, medium, locale }));
    expect(bodies[0]).toEqual(sent.slice(0, 100));
    expect(bodies[101]).toEqual(sent.slice(100));
  });

  it('show what the default changes', () => {
    const [change] = deletesOf({
      declared: [template('a')],
      live: [answers.template('a', { subject: 'Ours' }), answers.template('b')],
      defaults: [answers.template('a', { subject: 'Theirs' }, null)],
    });
    expect(change?.diff).toMatchObject([{ path: '/subject', before: 'Ours', after: 'Theirs' }]);
    expect(change?.risk).toEqual(['delete', 'back-to-default']);
  });

  it('leave the requests of other kinds alone', () => {
    const changes = deletesOf({
      declared: [template('a'), sender('a@a.example', absent), sender('b@a.example', absent)],
      live: [
        ...['a', 'b'].map((key) => answers.template(key)),
        ...['a', 'b', 'c'].map((name) => answers.sender(name, `${name}@a.example`)),
      ],
    });
    expect(changes.map(({ requests: [request] }) => `${request?.method} ${request?.path}`)).toEqual([
      'POST /v2025/notification-templates/bulk-delete',
      'DELETE /v2025/verified-from-addresses/a',
      'DELETE /v2025/verified-from-addresses/b',
    ]);
  });
});

it('deletes go against the order of creation: kinds the other way round, then by address', () => {
  const declared = ['b@a.example', 'a@a.example', 'c@a.example'].map((email) => sender(email, absent));
  const there = ['c', 'a', 'b', 'd'].map((name) => answers.sender(name, `${name}@a.example`));
  const gone = [integration('Other', absent), integration('Old', absent)];
  expect(deleted({ declared: [...declared, ...gone], live: [...there, ...live] })).toEqual([
    'SimIntegration/Old',
    'SimIntegration/Other',
    'SenderAddress/a%40a.example',
    'SenderAddress/b%40a.example',
    'SenderAddress/c%40a.example',
  ]);
});

describe('an object that its manifest pins by the id, and that has another name in the tenant', () => {
  const pinned = (more = {}) => integration('Declared', { id: '1', ...more });
  const ways: [string, PlanCase][] = [
    ['ensure: absent', { declared: [pinned(absent)], live }],
    ['--since', { declared: [integration('Other')], previous: [pinned(), integration('Other')], live }],
  ];
  const names = ['SimIntegration/Declared', 'SimIntegration/Old'];

  it.each(ways)('is deleted by %s', (_, given) => {
    expect(planOf(given).diagnostics).toEqual([]);
    expect(deleted(given)).toEqual(['SimIntegration/Old']);
  });

  it.each(ways)('is protected under both names (%s)', (_, given) => {
    for (const name of names) {
      const plan = planOf({ ...given, policy: { protect: [name] } });
      expect(plan.diagnostics).toMatchObject([{ code: 'protected', address: 'SimIntegration/Old' }]);
    }
  });

  it.each(ways)('is chosen by the name in its manifest alone (%s)', (_, given) => {
    expect(deleted({ ...given, scope: { only: ['SimIntegration/Declared'] } })).toEqual([
      'SimIntegration/Old',
    ]);
    expect(deleted({ ...given, scope: { only: ['SimIntegration/Other'] } })).toEqual([]);
    const both = { only: ['SimIntegration/Declared'], except: ['SimIntegration/Old'] };
    expect(deleted({ ...given, scope: both })).toEqual([]);
  });

  it.each(ways)('is left out under both names (%s)', (_, given) => {
    for (const name of names) expect(deleted({ ...given, scope: { except: [name] } })).toEqual([]);
  });
});
