import { describe, expect, it } from 'vitest';
import { shareIds } from '../../src/engine/names.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { ownKind } from '../exporter/support.ts';

/** What two sides of a comparison show in the place of ids of records, which differ between tenants. */

const role = () =>
  ownKind('Role', ['name'], {
    description: { is: 'text' },
    mail: { is: 'email' },
    rest: { is: 'json', declares: 'whole', plain: true },
    owner: { is: 'reference', to: 'Identity', type: 'IDENTITY' },
    members: { is: 'references', to: 'Identity', type: 'IDENTITY' },
    sources: { is: 'set', to: 'Source' },
    cluster: { is: 'value', to: 'Cluster' },
  });

interface Side {
  readonly kind?: Kind;
  readonly fields: JsonObject;
  /** Left out: the fields. `null`: it is a manifest. */
  readonly raw?: JsonObject | null;
  /** What `!ref` says for ids. */
  readonly refs?: Readonly<Record<string, string>>;
  readonly records?: Readonly<Record<string, readonly JsonObject[]>>;
}

const stated = ({ kind = role(), fields, raw = fields, refs = {}, records = {} }: Side) => ({
  kind,
  fields,
  raw,
  sources: {
    records: new Map(Object.entries(records)),
    nameOf: (_: string, id: string) => (Object.hasOwn(refs, id) ? (refs[id] ?? null) : null),
  },
});
const share = (one: Side, other: Side) => shareIds([stated(one), stated(other)]);

describe('ids that both tenants can name', () => {
  const [ours, theirs] = [
    { c1: 'Cluster/va', i1: 'Identity/Ann', i2: 'Identity/Ben', s1: 'Source/HR' },
    { c9: 'Cluster/va', i8: 'Identity/Ann', i9: 'Identity/Ben', s9: 'Source/HR' },
  ];

  it('are their references, alone, in lists and in objects', () => {
    const one = {
      cluster: 'c1',
      sources: ['s1'],
      owner: { type: 'IDENTITY', id: 'i1', name: 'Ann Lee' },
      members: [{ type: 'IDENTITY', id: 'i2' }],
    };
    const other = {
      cluster: 'c9',
      sources: ['s9'],
      owner: { type: 'IDENTITY', id: 'i8', name: 'A. Lee' },
      members: [{ type: 'IDENTITY', id: 'i9', name: 'Ben' }],
    };
    const named = {
      cluster: '!ref Cluster/va',
      sources: ['!ref Source/HR'],
      owner: { id: '!ref Identity/Ann' },
      members: [{ id: '!ref Identity/Ben' }],
    };
    expect(share({ fields: one, refs: ours }, { fields: other, refs: theirs })).toEqual([named, named]);
  });

  it('are their references also beside synonyms, of which one is the id', () => {
    const [one, other] = [{ cluster: ['east', 'c1'] }, { cluster: ['c9', 'other'] }];
    const named = { cluster: '!ref Cluster/va' };
    expect(share({ fields: one, refs: ours }, { fields: other, refs: theirs })).toEqual([named, named]);
  });

  it('are named where both have the same id for records of other names', () => {
    const fields = { cluster: 'c1', sources: ['s1'] };
    expect(share({ fields, refs: ours }, { fields, refs: { c1: 'Cluster/va-2', s1: 'Source/HR' } })).toEqual([
      { cluster: '!ref Cluster/va', sources: ['!ref Source/HR'] },
      { cluster: '!ref Cluster/va-2', sources: ['!ref Source/HR'] },
    ]);
  });

  it('are named where the other side has no id in the field', () => {
    const [one, other] = share(
      { fields: { cluster: 'c1', owner: { id: 'i1' }, sources: ['s1'] }, refs: ours },
      { fields: { cluster: null, owner: null, sources: [] }, refs: theirs },
    );
    expect(one).toEqual({
      cluster: '!ref Cluster/va',
      owner: { id: '!ref Identity/Ann' },
      sources: ['!ref Source/HR'],
    });
    expect(other).toEqual({ cluster: null, owner: null, sources: [] });
  });

  it('are plain names in a field where one side has no reference for one of them', () => {
    const answer = { seen: [{ id: 's9', name: 'HR' }], at: { id: 'c9', name: 'va' } };
    const [one, other] = share(
      { fields: { cluster: 'c1', sources: ['s1'] }, refs: ours },
      { fields: { cluster: 'c9', sources: ['s9'] }, raw: answer, refs: { c9: 'Cluster/va' } },
    );
    expect(one).toEqual({ cluster: '!ref Cluster/va', sources: ['HR'] });
    expect(other).toEqual({ cluster: '!ref Cluster/va', sources: ['HR'] });
  });

  it('keep what stands beside their name where plain names are compared', () => {
    expect(
      share(
        { fields: { owner: { type: 'IDENTITY', id: 'i1' } }, refs: ours },
        { fields: { owner: { type: 'IDENTITY', id: 'i8', name: 'Ann' } } },
      ),
    ).toEqual([{ owner: { type: 'IDENTITY', name: 'Ann' } }, { owner: { type: 'IDENTITY', name: 'Ann' } }]);
  });

  it('have every part of their key in a plain name', () => {
    expect(
      share(
        { fields: { cluster: 'c1' }, refs: { c1: 'Cluster/va/eu%2F1' } },
        { fields: { cluster: 'c9' }, raw: { at: { id: 'c9', name: 'va/eu/1' } } },
      ),
    ).toEqual([{ cluster: 'va/eu/1' }, { cluster: 'va/eu/1' }]);
  });

  it('have the name that stands beside them, before one that the answer shows elsewhere', () => {
    const raw = { creator: { id: 'i8', name: 'Annabel' } };
    const [one] = share(
      { fields: { owner: { id: 'i1', name: 'Ann' } }, raw: { creator: { id: 'i1', name: 'Other' } } },
      { fields: { owner: { id: 'i8' } }, raw },
    );
    expect(one).toEqual({ owner: { name: 'Ann' } });
    const [, other] = share(
      { fields: { owner: { id: 'i1', name: 'Ann' } } },
      { fields: { owner: { id: 'i8' } }, raw },
    );
    expect(other).toEqual({ owner: { name: 'Annabel' } });
  });
});

describe('ids that cannot be compared by names', () => {
  const refs = { c1: 'Cluster/va', s1: 'Source/HR', s2: 'Source/AD' };

  it('stay where the other side names none of the same field', () => {
    const [one, other] = [
      { cluster: 'c1', sources: ['s1'] },
      { cluster: 'c9', sources: ['s9'] },
    ];
    expect(share({ fields: one, refs }, { fields: other })).toEqual([one, other]);
    expect(share({ fields: other }, { fields: one, refs })).toEqual([other, one]);
  });

  it('stay on both sides where one shows the same id without a name', () => {
    const [one, other] = share(
      { fields: { sources: ['s1', 's2'] }, refs },
      { fields: { sources: ['s1', 's8'] }, refs: { s8: 'Source/AD' } },
    );
    expect(one).toEqual({ sources: ['s1', '!ref Source/AD'] });
    expect(other).toEqual({ sources: ['s1', '!ref Source/AD'] });
  });

  it('of one field say nothing about another field', () => {
    const [one] = share(
      { fields: { cluster: 'same', sources: ['s1'] }, refs: { ...refs, same: 'Cluster/va' } },
      { fields: { cluster: 'c9', sources: ['same'] }, refs: { c9: 'Cluster/va' } },
    );
    expect(one).toEqual({ cluster: '!ref Cluster/va', sources: ['s1'] });
  });

  it('are not in texts, addresses and JSON, whatever these say', () => {
    const fields = {
      description: 's1',
      mail: 's1',
      rest: { id: 's1', list: ['s1'] },
      cluster: 5,
    };
    const raw = { seen: { id: 's1', name: 'HR' } };
    expect(share({ fields, raw, refs }, { fields, raw, refs })).toEqual([fields, fields]);
    // A reference without an id is one by name already.
    const unknown = { owner: { name: 'Ann' }, members: [{ name: 'Ben' }] };
    expect(share({ fields: unknown, refs }, { fields: unknown, refs })).toEqual([unknown, unknown]);
  });
});

describe('what a tenant holds', () => {
  it('is no reference and no lookup, whatever it looks like', () => {
    const named = { fields: { cluster: 'c9' }, refs: { c9: 'Cluster/va' } };
    const [text, id] = share({ fields: { cluster: '!ref Cluster/va' } }, named);
    expect([text, id]).toEqual([{ cluster: '!ref Cluster/va' }, { cluster: 'c9' }]);
    const marked = { cluster: { $ref: 'Cluster/va' }, owner: { $ref: 'Identity/Ann' } };
    expect(share({ fields: marked }, named)).toEqual([marked, { cluster: '!ref Cluster/va' }]);
    const lookup = { rest: { $lookup: { from: 'profiles', where: { name: 'X' }, take: 'id' } } };
    expect(share({ fields: lookup }, { fields: lookup })).toEqual([lookup, lookup]);
    const both = { ...lookup, cluster: 'c1' };
    expect(share({ fields: both, refs: { c1: 'Cluster/va' } }, named)[0]).toEqual({
      ...lookup,
      cluster: '!ref Cluster/va',
    });
  });
});

describe('a manifest', () => {
  const live = {
    fields: {
      cluster: 'c1',
      sources: ['s1'],
      owner: { type: 'IDENTITY', id: 'i1', name: 'Ann' },
      members: [{ id: 'i2' }],
    },
    refs: { c1: 'Cluster/va', s1: 'Source/HR', i1: 'Identity/Ann', i2: 'Identity/M%2FÜ' },
  };

  it('with references equals a tenant that shows their objects', () => {
    const fields = {
      description: 'Same',
      cluster: { $ref: 'Cluster/va' },
      sources: [{ $ref: 'Source/HR' }],
      owner: { $ref: 'Identity/Ann' },
      members: [{ type: 'IDENTITY', id: { $ref: 'Identity/M%2F%C3%9C' } }],
    };
    const named = {
      cluster: '!ref Cluster/va',
      sources: ['!ref Source/HR'],
      owner: { id: '!ref Identity/Ann' },
      members: [{ id: '!ref Identity/M%2FÜ' }],
    };
    expect(share({ fields, raw: null }, live)).toEqual([{ description: 'Same', ...named }, named]);
  });

  it('is compared by plain names where the tenant shows only these', () => {
    const [manifest, tenant] = share(
      { fields: { cluster: { $ref: 'Cluster/va' } }, raw: null },
      { fields: { cluster: 'c1' }, raw: { at: { id: 'c1', name: 'va' } } },
    );
    expect([manifest, tenant]).toEqual([{ cluster: 'va' }, { cluster: 'va' }]);
  });

  it('with bare ids has no names of its own for them', () => {
    const fields = { cluster: 'c1', sources: ['s1'] };
    expect(share({ fields, raw: null }, { ...live, fields })).toEqual([fields, fields]);
  });

  it('shows a lookup that nothing answered as it is written, at every depth', () => {
    const $lookup = { from: 'profiles', where: { name: 'X' }, take: 'id' };
    const words = '!lookup { from: profiles, where: { name: X }, take: id }';
    const [manifest] = share(
      { fields: { cluster: { $lookup }, rest: { list: [{ id: { $lookup } }], not: 1 } }, raw: null },
      { fields: {} },
    );
    expect(manifest).toEqual({ cluster: words, rest: { list: [{ id: words }], not: 1 } });
  });
});

describe('the name in a field beside its id', () => {
  const kind = builtInKinds.get('AuthProfile');
  const profile = (applicationId: string | null, applicationName: string | null): Side => ({
    kind,
    fields: { type: 'PTA', applicationId, applicationName },
  });

  it('names it', () => {
    const named = { type: 'PTA', applicationId: 'Portal', applicationName: 'Portal' };
    expect(share(profile('a1', 'Portal'), profile('a9', 'Portal'))).toEqual([named, named]);
  });

  it('has to be there on both sides', () => {
    const [one, other] = [profile('a1', 'Portal'), profile('a9', null)];
    expect(share(one, other)).toEqual([one.fields, other.fields]);
    const alone = profile(null, 'Portal');
    expect(share(alone, alone)).toEqual([alone.fields, alone.fields]);
  });
});

describe('ids of records in rules', () => {
  const kind = builtInKinds.get('ProfileSearch');
  const typed = (id: string, rows: readonly JsonObject[]): Side => ({
    kind,
    fields: { rules: [{ type: 'ProfileTypeRule', comparison_operator: '==', value: id }] },
    records: { profile_types: rows },
  });
  const valueIn = (fields: JsonObject) => JSON.stringify(fields).match(/"value":"(.*?)"\}/)?.[1];
  const values = (one: Side, other: Side) => share(one, other).map(valueIn);

  it('are the lookups that find them', () => {
    const words = '!lookup { from: profile_types, where: { uid: staff }, take: id }';
    expect(
      values(typed('t1', [{ id: 't1', uid: 'staff' }]), typed('t9', [{ id: 't9', uid: 'staff' }])),
    ).toEqual([words, words]);
  });

  it('stay where a side finds no record, or several', () => {
    const rows = [{ id: 't1', uid: 'staff' }];
    expect(values(typed('t1', rows), typed('t1', []))).toEqual(['t1', 't1']);
    expect(values(typed('t1', rows), typed('t9', [...rows, ...rows]))).toEqual(['t1', 't9']);
  });
});
