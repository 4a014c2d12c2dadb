import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { rollbackState } from '../../src/planner/rollback.ts';
import { answers, liveObjects, resource } from '../support/plan.ts';
import { readsOf, record, rollBack, rollbackInput } from './rolling-back.ts';

const address = 'SimIntegration/S';
const blank = {
  ...{ description: null, type: 'T', cluster: null, sources: null, attributes: null },
  ...{ request: null, statusMap: null, beforeProvisioningRule: null },
};
/** All ticket fields are shown, so that nothing is hidden. */
const live = (fields: JsonObject = {}, name = 'S') =>
  answers.integration('i1', name, { type: 'T', request: {}, statusMap: {}, ...fields });
const other = answers.integration('i2', 'Other');
const updated = (before: JsonObject, after: JsonObject, more = {}) =>
  record(address, { before, after, ...more });
const changedSince = (places: string) =>
  `${places} changed during or after the apply, but not by its plan: the tenant or somebody changed it.`;
const codes = (plan: { diagnostics: readonly { code: string }[] }) =>
  plan.diagnostics.map(({ code }) => code);
/** A request that the tenant answered so. */
const sent = (status: number | null, method: 'PATCH' | 'POST' = 'PATCH') =>
  [{ method, path: '/x', status, trackingId: null, attempts: 1, ms: 1 }] as const;

describe('undoing an update', () => {
  it('sets back single members, also those that did not exist', () => {
    const before = { attributes: { a: '1', c: null, d: { e: '1' } } };
    const after = { attributes: { a: '2', c: '2', d: { e: '2' } } };
    const now = { attributes: { a: '2', b: 'since', c: '2', d: { e: '2', f: 'since' } } };
    const plan = rollBack({ records: [updated(before, after)], live: [live(now)] });
    expect(plan.changes[0]?.diff).toMatchObject([
      { path: '/attributes/a', before: '2', after: '1' },
      { path: '/attributes/c', before: '2', after: null },
      { path: '/attributes/d/e', before: '2', after: '1' },
    ]);
  });

  it('sets back a member that changed from an object to a text, or to an object, as a whole', () => {
    const attributes = (before: JsonObject, after: JsonObject) => {
      const records = [updated({ attributes: before }, { attributes: after })];
      const [change] = rollBack({ records, live: [live({ attributes: after })] }).changes;
      return change?.requests[0]?.body;
    };
    const [inner, text] = [{ d: { e: '1' } }, { d: 'text' }];
    const setting = (value: JsonObject) => ({
      operations: [{ op: 'replace', path: '/attributes', value: { $jsonText: value } }],
    });
    expect(attributes(inner, text)).toEqual(setting(inner));
    expect(attributes(text, inner)).toEqual(setting(text));
  });

  it('keeps the members of a map that is declared as a whole', () => {
    const records = [updated({ statusMap: { a: '1', c: null } }, { statusMap: { a: '2', c: '2' } })];
    const plan = rollBack({ records, live: [live({ statusMap: { a: '2', b: 'canary', c: '2' } })] });
    expect(plan.changes[0]?.diff).toMatchObject([
      { path: '/statusMap/a', before: '2', after: '1' },
      { path: '/statusMap/c', before: '2', after: null },
    ]);
    expect(JSON.stringify(plan.changes[0]?.requests)).toContain('{"a":"1","b":{"$live":"/statusMap/b"}}');
    expect(JSON.stringify(plan)).not.toContain('canary');
  });

  it('warns where a field was another than the apply asked for when it ended', () => {
    const records = [updated({ type: 'Old' }, { type: 'By hand' }, { unmet: ['/type'] })];
    const plan = rollBack({ records, live: [live({ type: 'By hand', description: 'x' })] });
    const warnings = [changedSince('/type')];
    expect(plan.changes).toMatchObject([{ warnings, risk: ['undoes-tenant-change'] }]);
    const since = rollBack({ records, live: [live({ type: 'Since', description: 'x' })] });
    expect(since.changes).toMatchObject([{ warnings }]);
  });

  it('warns where the apply did not see what it made', () => {
    const records = [record(address, { before: { type: 'Old' }, after: null })];
    const warning = 'The apply did not see the result of this change, so later changes cannot be detected.';
    const { changes } = rollBack({ records, live: [live({ type: 'New' })] });
    expect(changes).toMatchObject([{ warnings: [warning], risk: [] }]);
  });

  it('takes away the members of what was unset, but for those that the result left out', () => {
    const before = { attributes: { url: null, auth: { user: null } } };
    const sides = { before, after: null };
    const records = [record(address, { ...sides, outcome: 'unknown', withheld: ['/attributes/auth/token'] })];
    const auth = { token: 'x', user: 'u' };
    const plan = rollBack({ records, live: [live({ attributes: { url: 'u', auth } })] });
    expect(plan.changes[0]?.diff).toMatchObject([
      // Neither a manifest nor the result says what they hold.
      { path: '/attributes/url', before: null, after: null, sensitive: true },
      { path: '/attributes/auth/user', before: null, after: null, sensitive: true },
    ]);
    expect(plan.diagnostics).toMatchObject([
      { code: 'rollback-incomplete', message: expect.stringContaining('keeps /attributes/auth/token') },
    ]);
  });

  it.each<[string, JsonObject, JsonObject, object]>([
    ['unsets what is empty then', { p: { x: null } }, { p: { x: '1' } }, { path: '/request', op: 'remove' }],
    ['keeps what was empty', { p: {}, x: '1' }, { p: {}, x: '2' }, { path: '/request/x', after: '1' }],
  ])('%s', (_, before, after, difference) => {
    const records = [updated({ request: before }, { request: after })];
    const { changes } = rollBack({ records, live: [live({ request: after })] });
    expect(changes.map(({ diff }) => diff)).toMatchObject([[difference]]);
  });

  it('writes back what the tenant no longer shows', () => {
    const [before, after] = [{ attributes: { pin: 'old' } }, { attributes: { pin: 'new' } }];
    const masked = liveObjects([live({ attributes: { pin: '****' } })]);
    const input = rollbackInput({ records: [updated(before, after)] });
    expect(rollbackState(input, masked).rotate).toEqual([address]);
  });

  it('leaves what somebody else put into an object that the apply made', () => {
    const sides = { before: { auth: { user: null } }, after: { auth: { user: 'u' } } };
    const records = [updated({ attributes: sides.before }, { attributes: sides.after })];
    const plan = rollBack({ records, live: [live({ attributes: { auth: { user: 'u', role: 'x' } } })] });
    expect(plan.changes[0]?.diff).toMatchObject([{ path: '/attributes/auth/user', op: 'remove' }]);
  });

  it('gives back the former name', () => {
    const renamed = record(address, { renamedFrom: ['Was'], before: blank, after: blank });
    expect(rollBack({ records: [renamed], live: [live()] }).changes).toMatchObject([
      { address: 'SimIntegration/Was', id: 'i1', diff: [{ path: '/name', before: 'S', after: 'Was' }] },
    ]);
    expect(readsOf({ records: [renamed] })).toEqual([{ kind: 'SimIntegration', keys: [['Was'], ['S']] }]);
    const back = rollBack({ records: [renamed], live: [live({}, 'Was')] });
    expect([back.changes, back.diagnostics]).toEqual([[], []]);
  });

  it('sets back the fields also where somebody has given back the former name', () => {
    const sides = { before: { ...blank, type: 'Old' }, after: { ...blank, type: 'New' } };
    const records = [record(address, { renamedFrom: ['Was'], ...sides })];
    const plan = rollBack({ records, live: [live({ type: 'New' }, 'Was')] });
    expect(plan.changes).toMatchObject([{ address: 'SimIntegration/Was', diff: [{ path: '/type' }] }]);
    expect(plan.diagnostics).toEqual([]);
  });

  describe('of an object that the apply renamed', () => {
    const sides = { before: { ...blank, type: 'Old' }, after: { ...blank, type: 'New' } };
    const renamed = record(address, { renamedFrom: ['Was'], id: 'i1', ...sides });
    const theirs = answers.integration('i2', 'Was', { type: 'New', request: {}, statusMap: {} });

    it('is refused where somebody else has its former name', () => {
      const plan = () => rollBack({ records: [renamed], live: [live({ type: 'New' }), theirs] });
      expect(plan).toThrow('cannot be renamed to "Was": the tenant has another SimIntegration of that name');
    });

    it('leaves that one alone where its own is gone', () => {
      const { changes, diagnostics } = rollBack({ records: [renamed], live: [theirs] });
      expect([changes, codes({ diagnostics })]).toEqual([[], ['rollback-gone']]);
    });

    it('warns where somebody gave it a third name', () => {
      const plan = rollBack({ records: [renamed], live: [live({ type: 'New' }, 'Third')] });
      expect(plan.changes).toMatchObject([
        { id: 'i1', warnings: [changedSince('/name')], risk: ['undoes-tenant-change'] },
      ]);
      expect(rollBack({ records: [renamed], live: [live({ type: 'New' })] }).changes).toMatchObject([
        { id: 'i1', warnings: [], risk: [] },
      ]);
    });
  });

  it.each([
    ['was renamed since', address],
    ['an older result names by its id alone', 'SimIntegration/i1'],
  ])('does not say that an object is gone which %s', (_, known) => {
    const records = [record(known, { before: { type: 'Old' }, after: { type: 'New' } })];
    const { changes, diagnostics } = rollBack({ records, live: [live({ type: 'New' }, 'Other')] });
    const message = `${known} was not found by its key, so what the apply changed in it cannot be restored.`;
    const hint = expect.stringContaining('under another key, set the former values by hand');
    expect(changes).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: 'rollback-gone', message, hint }]);
  });
});

describe('undoing a create', () => {
  const created = record('SenderAddress/a%40a.example', { action: 'create', before: null, after: {} });
  const senders = [answers.sender('1', 'a@a.example'), answers.sender('2', 'b@a.example')];

  it.each([
    ['SenderAddress', 'A@a.example', ['protected']],
    ['SenderAddress', 'b@a.example', []],
    ['ProfileSearch', 'a@a.example', []],
  ])('is refused where a manifest protects the object now: %s %s', (kind, name, refusals) => {
    const declared = [resource(kind, [name], {}, { lifecycle: { protect: true } })];
    expect(codes(rollBack({ records: [created], live: senders, declared }))).toEqual(refusals);
  });

  it('deletes what the tenant made under another name, and no other object', () => {
    const made = { action: 'create', outcome: 'failed', id: 'i1', after: { ...blank, type: 'T' } } as const;
    const records = [record(address, { ...made, requests: sent(201, 'POST') })];
    const theirs = answers.integration('i3', 'S');
    const { changes } = rollBack({ records, live: [live({}, 'S&amp;'), other, theirs] });
    expect(changes).toMatchObject([{ action: 'delete', key: ['S&amp;'], id: 'i1' }]);
    expect(rollBack({ records, live: [other, theirs] }).changes).toEqual([]);
  });

  it.each([
    ['changed', null, 'since'],
    ['cleared', 'D', null],
  ])('warns of any field that somebody %s since', (_, description, since) => {
    const made = record(address, { action: 'create', after: { ...blank, type: 'T', description } });
    const plan = rollBack({ records: [made], live: [live({ description: since }), other] });
    expect(plan.changes).toMatchObject([{ action: 'delete', warnings: [changedSince('/description')] }]);
    expect(plan.changes[0]?.risk).toContain('undoes-tenant-change');
  });

  it.each(['attributes', 'statusMap'])('shows no place in %s that the result left out', (field) => {
    const after = { ...blank, request: {}, statusMap: {}, [field]: {} };
    const made = record(address, { action: 'create', after, withheld: [`/${field}/plain`] });
    const plan = rollBack({ records: [made], live: [live({ [field]: { plain: 'canary' } }), other] });
    expect(plan.changes[0]?.action).toBe('delete');
    expect(JSON.stringify(plan)).not.toContain('canary');
    expect(plan.changes[0]?.warnings).toEqual([]);
  });
});

describe('undoing a delete', () => {
  const before = { ...blank, description: 'D', attributes: { url: 'u' } };
  const deleted = record(address, { action: 'delete', before, after: null });

  it('creates it under its former name, without a word of a rename, where the apply knew it by another', () => {
    const plan = rollBack({ records: [{ ...deleted, renamedFrom: ['Was'] }] });
    expect(plan.changes).toMatchObject([{ action: 'create', address: 'SimIntegration/Was' }]);
    expect(plan.diagnostics).toEqual([]);
  });

  it('leaves out a field that an edited result fills with a marker', () => {
    const marked = { description: { $secret: 'S' }, attributes: '{"a":{"$secret":"S"}}' };
    const plan = rollBack({
      records: [record(address, { action: 'delete', before: { ...before, ...marked } })],
    });
    expect(JSON.stringify(plan.changes)).not.toContain('$secret');
    expect(plan.diagnostics).toMatchObject([
      { code: 'rollback-incomplete', message: expect.stringContaining('/description, /attributes') },
    ]);
  });
});

describe('a place that the result left out', () => {
  const [then, after] = [
    { type: 'Old', attributes: { a: '1' } },
    { type: 'New', attributes: { a: '2' } },
  ];
  const records = [updated(then, after, { withheld: ['/attributes/password'] })];

  it('is not written where the tenant has nothing there', () => {
    expect(JSON.stringify(rollBack({ records, live: [live(after)] }).changes)).not.toContain('$live');
  });

  it('is not shown in a write of the whole', () => {
    const sides = { before: { subject: 'Old' }, after: { subject: 'New' }, withheld: ['/body'] };
    const changed = record('NotificationTemplate/k/EMAIL/en', sides);
    const shown = answers.template('k', { subject: 'New', body: 'canary' });
    const plan = rollBack({ records: [changed], live: [shown] });
    expect(plan.changes[0]?.requests[0]?.body).toMatchObject({ body: { $live: '/body' } });
    expect(JSON.stringify(plan)).not.toContain('canary');
  });

  it.each(['', '/b'])('does not count as ignored, since the apply may have changed it%s', (below) => {
    const ignore = ['/description', `/attributes/password${below}`];
    const declared = [resource('SimIntegration', ['S'], {}, { lifecycle: { ignore } })];
    const plan = rollBack({ records, live: [live(after)], declared });
    expect(plan.changes[0]?.ignored).toEqual(['/description']);
  });

  it.each<[string, string, JsonObject]>([
    ['', '/statusMap/token', { token: 'x' }],
    [' with the objects around it', '/statusMap/b/c/token', { b: { c: { token: 'x' } } }],
  ])('does not count as a change of someone else%s', (_, place, more) => {
    const made = { action: 'create', after: { ...blank, statusMap: { a: '1' } } } as const;
    const records = [record(address, { ...made, withheld: [place] })];
    const plan = rollBack({ records, live: [live({ statusMap: { a: '1', ...more } }), other] });
    expect(plan.changes[0]?.warnings).toEqual([]);
  });

  it('leaves the object that was around it', () => {
    const sides = { before: { request: { p: { x: null } } }, after: { request: { p: { x: '1' } } } };
    const changed = [record(address, { ...sides, withheld: ['/request/p/token'] })];
    const plan = rollBack({ records: changed, live: [live({ request: { p: { x: '1' } } })] });
    expect(plan.changes[0]?.diff).toMatchObject([{ path: '/request/p/x', op: 'remove' }]);
    expect(rollBack({ records: changed, live: [live({ request: { p: {} } })] }).changes).toEqual([]);
  });
});

describe('which changes are undone', () => {
  const make = (outcome: 'done' | 'failed' | 'unknown' | 'skipped' | 'notAttempted', more = {}) =>
    rollBack({
      records: [updated({ type: 'Old' }, { type: 'New' }, { outcome, ...more })],
      live: [live({ type: 'New' })],
    }).changes.length;

  it('are those that were made, or may have been', () => {
    const outcomes = ['done', 'unknown', 'skipped', 'notAttempted'] as const;
    expect(outcomes.map((outcome) => make(outcome))).toEqual([1, 1, 0, 0]);
  });

  it('are those of a failed change that was half made', () => {
    expect(make('failed')).toBe(1);
    expect(make('failed', { after: { type: 'Old' } })).toBe(0);
    expect(make('failed', { after: null })).toBe(1);
    expect(make('failed', { before: null, after: null })).toBe(0);
  });

  it('are those of a failed change that only renamed its object, but not of one that was refused', () => {
    const renamed = { outcome: 'failed', renamedFrom: ['Was'], before: blank, after: blank } as const;
    const undone = (status: number | null) => {
      const records = [record(address, { ...renamed, requests: sent(status) })];
      return rollBack({ records, live: [live()] }).changes.map(({ diff }) => diff[0]?.after);
    };
    expect([200, 204, 299].map(undone)).toEqual([['Was'], ['Was'], ['Was']]);
    expect([null, 100, 199, 300, 400, 500].map(undone)).toEqual([[], [], [], [], [], []]);
  });

  it('are none that failed without an effect: nothing is read or told of them', () => {
    const nothing = [
      updated({ type: 'Old' }, { type: 'Old' }, { outcome: 'failed' }),
      record('SimIntegration/U', { action: 'create', outcome: 'failed' }),
    ];
    expect(readsOf({ records: nothing })).toEqual([]);
    expect(rollBack({ records: nothing }).diagnostics).toEqual([]);
    const half = [updated({ type: 'Old' }, { type: 'New' }, { outcome: 'failed' })];
    expect(readsOf({ records: half })).toHaveLength(1);
    expect(codes(rollBack({ records: half }))).toEqual(['rollback-gone']);
  });

  it('are none of a create that failed: what is there is the work of someone else', () => {
    const created = (outcome: 'failed' | 'unknown', after: JsonObject | null) =>
      rollBack({
        records: [record('SenderAddress/a%40a.example', { action: 'create', outcome, after })],
        live: [answers.sender('1', 'a@a.example'), answers.sender('2', 'b@a.example')],
      }).changes;
    expect(created('failed', null)).toEqual([]);
    expect(created('failed', {})).toMatchObject([{ action: 'delete' }]);
    const warnings = [expect.stringContaining('outcome of this change is not known')];
    expect(created('unknown', null)).toMatchObject([{ action: 'delete', warnings, risk: ['delete'] }]);
  });

  it('are none of a delete that failed, unless the object is gone', () => {
    const deleted = (outcome: 'failed' | 'done', ...live: ReturnType<typeof answers.integration>[]) => {
      const records = [record(address, { action: 'delete', outcome, before: blank, after: null })];
      return rollBack({ records, live }).changes.map(({ action }) => action);
    };
    expect(deleted('done')).toEqual(['create']);
    expect(deleted('failed')).toEqual(['create']);
    expect(deleted('failed', live())).toEqual([]);
  });

  it('are those of a delete that failed once it was prepared, of which nobody is suspected', () => {
    const refused = { action: 'delete', outcome: 'failed', before: { ...blank, type: 'Old' } } as const;
    const plan = (after: JsonObject | null, type: string) => {
      const records = [record(address, { ...refused, after, requests: sent(200) })];
      return rollBack({ records, live: [live({ type })] }).changes;
    };
    const prepared = { ...blank, type: 'Off', request: {}, statusMap: {} };
    expect(plan(prepared, 'Off')).toMatchObject([{ action: 'update', warnings: [], risk: [] }]);
    expect(plan(prepared, 'Theirs')).toMatchObject([{ warnings: [changedSince('/type')] }]);
    expect(plan(null, 'Off')).toMatchObject([{ warnings: [expect.stringContaining('not see')], risk: [] }]);
  });

  it('are all recorded fields where the outcome is unknown, with a warning', () => {
    const records = [updated({ type: 'Old' }, { type: 'Old' }, { outcome: 'unknown' })];
    const warnings = [expect.stringContaining('outcome of this change is not known')];
    const plan = rollBack({ records, live: [live({ type: 'New' })] });
    expect(plan.changes).toMatchObject([{ diff: [{ path: '/type' }], warnings, risk: [] }]);
  });

  it('are a name beside an id that the tenant still has, where the outcome is unknown', () => {
    const before = { type: 'MFA', applicationId: 'app1', applicationName: 'Desk' };
    const plan = rollBack({
      records: [record('AuthProfile/P', { outcome: 'unknown', before, after: null })],
      live: [{ kind: 'AuthProfile', id: 'p', raw: { ...before, name: 'P', applicationName: null } }],
    });
    expect(plan.changes[0]?.diff).toMatchObject([{ path: '/applicationName', after: 'Desk' }]);
  });

  it('are no fields that the result did not record', () => {
    const records = [updated({ type: 'Old' }, { type: 'New' }, { outcome: 'unknown' })];
    const plan = rollBack({ records, live: [live({ type: 'New', description: 'stays', cluster: 'stays' })] });
    expect(plan.changes[0]?.diff.map(({ path }) => path)).toEqual(['/type']);
  });

  it('are those in scope', () => {
    const records = [
      updated({ type: 'Old' }, { type: 'New' }),
      record('SimIntegration/Other', { action: 'manual' }),
    ];
    const given = { records, live: [live({ type: 'New' }), other] };
    expect(rollBack({ ...given, scope: { only: [address] } }).changes).toHaveLength(1);
    expect(rollBack({ ...given, scope: { except: [address] } }).changes).toEqual([]);
    expect(codes(rollBack({ ...given, scope: { only: [address] } }))).toEqual([]);
    const message = 'SimIntegration/Other was a manual step. If it was done, undo it by hand.';
    const byHand = { code: 'rollback-by-hand', message, address: 'SimIntegration/Other' };
    expect(rollBack(given).diagnostics).toMatchObject([byHand]);
    expect(readsOf({ records, scope: { except: [address] } })).toEqual([]);
  });

  it('may lock people out only where the manifest allows it, which is named', () => {
    const profile = record('AuthProfile/P', { before: { type: 'BLOCK' }, after: { type: 'MFA' } });
    const there = [{ kind: 'AuthProfile', id: 'p', raw: { name: 'P', type: 'MFA' } }];
    const refusals = (...declared: readonly ReturnType<typeof resource>[]) => {
      const { diagnostics } = rollBack({ records: [profile], live: there, declared });
      return diagnostics.map(({ code, source }) => `${code} ${source?.file}`);
    };
    expect(refusals()).toEqual(['lockout undefined']);
    expect(refusals(resource('AuthProfile', ['P'], {}))).toEqual(['lockout config/test.yaml']);
    expect(refusals(resource('AuthProfile', ['P'], {}, { lifecycle: { allowLockout: true } }))).toEqual([]);
  });
});

describe('undoing a change of rules', () => {
  const rules = (before: readonly JsonObject[], after: readonly JsonObject[], live = after) => {
    const records = [record('ProfileSearch/S', { before: { rules: before }, after: { rules: after } })];
    const numbered = live.map((rule, at) => ({ id: at + 1, ...rule }));
    return rollBack({ records, live: [answers.search(1, 'S', numbered)] });
  };
  const written = (...rows: readonly JsonObject[]) => ({
    advanced_search: { condition_rules_attributes: rows },
  });
  const [a, b] = [
    { type: 'A', value: 'x' },
    { type: 'B', value: '1' },
  ];

  it('takes away the members that a rule got, and leaves the other rules', () => {
    const plan = rules([a, b], [{ type: 'A', value: 'y', comparison_operator: '==' }, b]);
    expect(plan.changes[0]?.requests[0]?.body).toEqual(written({ id: 1, ...a, comparison_operator: null }));
  });

  it('gives no rule the members of another one, not even without a value', () => {
    const gone = { type: 'C', value: 'z' };
    const [other, added] = [
      { ...a, value: 'y' },
      { ...b, condition_object_id: 'c' },
    ];
    const plan = rules([a, b, gone], [other, added]);
    const body = written({ id: 1, ...a }, b, gone, { id: 2, _destroy: true });
    expect(plan.changes[0]?.requests[0]?.body).toEqual(body);
    expect(JSON.stringify(plan.changes[0]?.diff)).not.toContain('"condition_object_id":null');
  });

  it('adds the rules again that it took, and takes those that came since, with a warning', () => {
    expect(rules([a, b], [a], [a, { type: 'C', value: 'since' }]).changes).toMatchObject([
      { requests: [{ body: written(b, { id: 2, _destroy: true }) }], warnings: [changedSince('/rules')] },
    ]);
  });
});

describe('a result file that nobody could have written', () =>
  it.each([
    ['an address of no kind', [record('Nothing/x')], /"Nothing\/x" is not an object of any kind/],
    ['an address with too few parts', [record('NotificationTemplate/x')], /is not an object of any kind/],
    ['no address', [record('x')], /is not an object of any kind/],
    ['two of one object', [record(address), record(address)], /it has two changes of SimIntegration\/S/],
    ['twice', [record('SenderAddress/a'), record('SenderAddress/A')], /two changes of SenderAddress\/A/],
    ['an impossible former key', [record(address, { renamedFrom: ['a', 'b'] })], /renamed from a key/],
    ['an empty former key', [record(address, { renamedFrom: [''] })], /renamed from a key/],
  ])('is refused: %s', (_, records, message) => expect(() => rollBack({ records })).toThrow(message)));
