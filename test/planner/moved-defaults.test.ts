import { describe, expect, it } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import { contentDigest, LiveIndex } from '../../src/kinds/live-objects.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { findMovedDefaults, movedDefaultRemark, provenDefault } from '../../src/planner/moved-defaults.ts';
import { answers, liveFrom, resource } from '../support/plan.ts';

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

  it('that is gone has not moved: nothing is left to compare with', () => {
    expect(moved({ subject: 'Ours' }, null, { ...old, subject: 'Ours' })).toEqual([]);
  });
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
  it('shows what the tenant has beside what the vendor has now, also in fields that nobody declares', () => {
    const theirs = { ...old, subject: 'Welcome' };
    const found = moved({ subject: 'Ours' }, theirs, { ...old, subject: 'Before', footer: 'By hand' });
    const [remark] = found.map((each) =>
      movedDefaultRemark({ ...each, earlier: liveFrom(answers.template('x', old)).fields }),
    );
    expect(remark?.versions).toEqual([
      { name: 'subject', ours: 'Ours', theirs: 'Welcome', old: 'Hello' },
      { name: 'footer', ours: 'By hand', theirs: 'Bye', old: 'Bye' },
    ]);
    expect(remark?.message).toContain('differs from the new default in subject, footer.');
    expect(remark?.hint).toContain(contentDigest(kind, liveFrom(answers.template('x', theirs, null))));
  });

  it('leaves out what the manifest marks as a secret', () => {
    const [remark] = moved({ subject: { $secret: 'S' } }, { ...old, subject: 'Welcome' }, old).map((each) =>
      movedDefaultRemark({ ...each, earlier: null }),
    );
    expect(remark).not.toHaveProperty('versions');
  });

  it('says so where the manifest is as the vendor has it now', () => {
    const theirs = { ...old, subject: 'Welcome' };
    const [remark] = moved({ subject: 'Welcome' }, theirs, null).map((each) =>
      movedDefaultRemark({ ...each, earlier: null }),
    );
    expect(remark).not.toHaveProperty('versions');
    expect(remark?.message).toContain('differs from the new default in no field that it shows.');
  });
});
