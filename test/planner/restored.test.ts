import { describe, expect, it } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import { contentDigest, LiveIndex } from '../../src/kinds/live-objects.ts';
import type { ChangeResult, Result } from '../../src/model/documents.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { findMovedDefaults, movedDefaultRemark, provenDefault } from '../../src/planner/moved-defaults.ts';
import { rollbackState } from '../../src/planner/rollback.ts';
import { answers, liveFrom, resource } from '../support/plan.ts';
import { kinds, live, profile, ref, role } from './referring.ts';
import { record, resultOf, rollbackInput } from './rolling-back.ts';

/** What a rollback says of later applies. */

const records = [
  record('SenderAddress/a', { action: 'create' }),
  record('SimIntegration/New', { renamedFrom: ['Old'] }),
];
const { tenant } = resultOf([]);
const file = '.tenantctl/test/results/later.json';

const remarks = (later: ReturnType<typeof laterResult>) =>
  rollbackState(rollbackInput({ records, later: [later] }), []).diagnostics.filter(
    ({ code }) => code === 'rollback-later',
  );
const laterResult = (changes: readonly ChangeResult[], more: Partial<Result> = {}) => ({
  file,
  result: resultOf(changes, { startedAt: '2026-02-01T00:00:00Z', ...more }),
});

it.each([
  ['its name after a rename', record('SimIntegration/New')],
  ['its name before it', record('SimIntegration/Old')],
  ['a name that it has got since', record('SimIntegration/Newest', { renamedFrom: ['New'] })],
])('an object is known by %s, and named once', (_what, change) =>
  expect(remarks(laterResult([change])).map(({ address }) => address)).toEqual(['SimIntegration/New']),
);

it.each<[string, Parameters<typeof laterResult>]>([
  ['other objects', [[record('SenderAddress/b'), record('ProfileSearch/a')]]],
  ['no object', [[record('SenderAddress/a', { outcome: 'skipped' })]]],
  ['another tenant', [[record('SenderAddress/a')], { tenant: { ...tenant, identity: 'x' } }]],
  ['another second service', [[record('SenderAddress/a')], { tenant: { ...tenant, profiles: 'x' } }]],
])('nothing is said of an apply that changed %s', (_what, given) =>
  expect(remarks(laterResult(...given))).toEqual([]),
);

/** What a rollback gives an object that refers to one which was deleted, and has another id once it is created again. */

const deleted = (address: string, id: string) => record(address, { action: 'delete', before: {}, id });

const fields = { text: 'p1', owner: { type: 'IDENTITY', id: 'i1' }, profiles: [{ id: 'p1' }, { id: 'p2' }] };

/** What a rollback makes of a role whose fields were others, and of other changes. */
function rollBack(
  others: readonly ChangeResult[],
  { before = fields, only = [], again = [] }: { before?: JsonObject; only?: string[]; again?: string[] } = {},
) {
  const input = rollbackInput({ records: [record('Role/Reader', { before }), ...others], scope: { only } });
  const objects = [live(role, 'r1', 'Reader'), ...again.map((name) => live(profile, 'p7', name))];
  const { resources, diagnostics } = rollbackState(
    { ...input, environment: { ...input.environment, kinds } },
    objects,
  );
  return { restored: resources[0]?.fields, diagnostics };
}

describe('a restored object', () => {
  it('refers to the objects that take the place of deleted ones, each kind by itself', () => {
    const having = (id: Json) => ({ ...fields, profiles: [{ id }, { id: 'p2' }] });
    const both = [deleted('Profile/Read', 'p1'), deleted('Profile/i1', 'i1')];
    expect(rollBack(both).restored).toEqual(having(ref('Profile/Read')));
    expect(rollBack(both.slice(0, 1), { again: ['Read'] }).restored).toEqual(having('p7'));
  });

  it.each([
    ['was not deleted', record('Profile/Read', { action: 'update', before: {}, id: 'p1' })],
    ['was made', record('Profile/Made', { action: 'create', id: 'p2' })],
    ['had an id that nobody recorded', record('Profile/undefined', { action: 'delete', before: {} })],
    ['the API cannot create again', deleted('Identity/Ann', 'i1')],
  ])('keeps the id of what %s', (_what, other) => expect(rollBack([other]).restored).toEqual(fields));
});

describe('a warning', () => {
  const only = ['Role/**'];
  const warnings = (...args: Parameters<typeof rollBack>) =>
    rollBack(...args).diagnostics.filter(({ code }) => code === 'rollback-former-id');

  it('names each object once that is gone and that the rollback does not create', () => {
    const before = { profiles: [{ id: 'p1' }, { id: 'p1' }], owner: { id: 7 } };
    const message =
      'Role/Reader gets back the former id of Profile/Read, which was deleted and which this rollback does not create.';
    const hint = 'Roll both back together, or create Profile/Read first and refer to it by a manifest.';
    expect(warnings([deleted('Profile/Read', 'p1')], { before, only })).toEqual([
      { code: 'rollback-former-id', severity: 'warning', message, hint, address: 'Role/Reader' },
    ]);
    const two = [deleted('Profile/Read', 'p1'), deleted('Identity/Ann', 'i1')];
    expect(warnings(two, { only })).toHaveLength(2);
  });

  it('is not given for other objects, or for one that is created again', () => {
    expect(warnings([deleted('Profile/Other', 'p9'), deleted('Role/p1', 'p1')], { only })).toEqual([]);
    expect(warnings([deleted('Profile/Read', 'p1')])).toEqual([]);
  });
});

const kind = builtInKinds.get('NotificationTemplate');
const old = { subject: 'Hello', body: 'Sign in.', footer: 'Bye' };

/** A template that declares `ours` and was customised from `from`; the vendor's default is now `theirs`. */
function moved(ours: JsonObject, theirs: JsonObject | null, live: JsonObject | null = ours, from = old) {
  const based = liveFrom(answers.template('welcome', { ...old, ...from }, null));
  const declared = resource(kind, ['welcome', 'EMAIL', 'en'], ours, {
    lifecycle: { basedOn: contentDigest(kind, based) },
  });
  const match = { kind, resource: declared, live: live && liveFrom(answers.template('welcome', live)) };
  const standards = theirs === null ? [] : [liveFrom(answers.template('welcome', theirs, null))];
  return findMovedDefaults([match], new LiveIndex(standards));
}

describe("a vendor's default", () => {
  it('has moved where it is another than the one that was customised', () => {
    expect(moved({ subject: 'Ours' }, old)).toEqual([]);
    expect(moved({ subject: 'Ours' }, { ...old, body: 'Use a passkey.' })).toHaveLength(1);
  });

  it('that is gone has not moved: nothing is left to compare with', () =>
    expect(moved({ subject: 'Ours' }, null, { ...old, subject: 'Ours' })).toEqual([]));
});

describe('the default that a template was customised from', () => {
  const theirs = { subject: 'Welcome', body: 'Use a passkey.', footer: 'Bye' };
  const provenOf = (declared: JsonObject) =>
    moved({ subject: 'Ours' }, theirs).map((each) => provenDefault(each, declared));

  it('is proven by what was declared then, mixed with what the vendor has now', () => {
    const fields = expect.objectContaining(old);
    expect(provenOf({ subject: 'Hello', body: 'Sign in.' })).toEqual([fields]);
    expect(provenOf({ subject: 'Hello', body: 'Sign in.', footer: 'Ours' })).toEqual([fields]);
    expect(provenOf({ subject: 'Hello' })).toEqual([null]);
    const one = moved({ subject: 'Ours' }, { ...old, subject: 'Welcome' });
    expect(one.map((each) => provenDefault(each, { subject: 'Hello', footer: 'Ours' }))).toEqual([fields]);
  });

  it('is proven although many fields are declared, of which the vendor has most', () => {
    const same = Object.fromEntries(Object.keys(kind.fields).map((name) => [name, null]));
    expect(Object.keys(same).length).toBeGreaterThan(8);
    expect(provenOf({ ...same, ...old, subject: 'Hello' })).toEqual([expect.objectContaining(old)]);
  });
});

describe('the remark on a moved default', () => {
  const remarkOn = ([found]: ReturnType<typeof moved>, earlier: JsonObject | null = null) =>
    found && movedDefaultRemark({ ...found, earlier });

  it('shows what the tenant has beside what the vendor has now, also in fields that nobody declares', () => {
    const theirs = { ...old, subject: 'Welcome' };
    const { fields: earlier } = liveFrom(answers.template('x', old));
    const shown = { ...old, subject: 'Before', footer: 'By hand' };
    const remark = remarkOn(moved({ subject: 'Ours' }, theirs, shown), earlier);
    expect(remark?.versions).toEqual([
      { name: 'subject', ours: 'Ours', theirs: 'Welcome', old: 'Hello' },
      { name: 'footer', ours: 'By hand', theirs: 'Bye', old: 'Bye' },
    ]);
    expect(remark?.message).toContain('differs from the new default in subject, footer.');
    expect(remark?.hint).toContain(contentDigest(kind, liveFrom(answers.template('x', theirs, null))));
  });

  it('leaves out what the manifest marks as a secret', () => {
    const remark = remarkOn(moved({ subject: { $secret: 'S' } }, { ...old, subject: 'Welcome' }, old));
    expect(remark).not.toHaveProperty('versions');
  });

  it('says so where the manifest is as the vendor has it now', () => {
    const remark = remarkOn(moved({ subject: 'Welcome' }, { ...old, subject: 'Welcome' }, null));
    expect(remark).not.toHaveProperty('versions');
    expect(remark?.message).toContain('differs from the new default in no field that it shows.');
  });
});
