/** Where the fields of an object have ids of others, and how `!ref` is written there. */
import { describe, expect, it } from 'vitest';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import type { Field } from '../../src/kinds/kind.ts';
import { idsIn, idsOnSide, mapIds, targetKindOf, withReferences } from '../../src/kinds/references.ts';
import type { Json } from '../../src/model/json.ts';
import type { Difference } from '../../src/model/plan.ts';
import { difference } from '../report/fixtures.ts';
import { descriptorFrom } from '../support/descriptor.ts';

const value: Field = { is: 'value', to: 'Cluster' };
const set: Field = { is: 'set', to: 'Source' };
const one: Field = { is: 'reference', to: 'Identity', type: 'IDENTITY' };
const list: Field = { is: 'references', to: 'Role' };
const untyped: Field = { is: 'reference', to: 'Identity' };
const json: Field = { is: 'json', declares: 'whole' };
const ref = { $ref: 'Source/HR' };

it.each<[Field, string | null]>([
  [value, 'Cluster'],
  [set, 'Source'],
  [one, 'Identity'],
  [list, 'Role'],
  [{ is: 'value' }, null],
  [{ is: 'set' }, null],
  [{ is: 'reference' }, null],
  [{ is: 'text' }, null],
  [json, null],
  [{ is: 'records', alike: [] }, null],
])('the ids in a field %j belong to %s', (field, to) => {
  expect(targetKindOf(field)).toBe(to);
});

describe('the ids in a field', () => {
  it.each<[Field, Json, string]>([
    [value, 'c1', ' c1'],
    [value, ref, ' !ref'],
    [value, null, ''],
    // The tenant shows synonyms of one id.
    [value, ['c1', 'C'], '/0 c1,/1 C'],
    [set, ['s1', null, ref], '/0 s1,/2 !ref'],
    [set, [], ''],
    [one, 'i1', ' i1'],
    [one, { type: 'IDENTITY', id: 'i1', name: 'Ann' }, '/id i1'],
    [one, { id: ref }, '/id !ref'],
    [one, { name: 'Ann' }, ''],
    [one, { id: null, name: 'Ann' }, ''],
    [list, [{ id: 'r1' }, 'r2', { name: 'x' }], '/0/id r1,/1 r2'],
    // Ids that belong to no kind are no references.
    [{ is: 'value' }, 'c1', ''],
    [{ is: 'set' }, ['s1'], ''],
    [json, { id: 'x' }, ''],
  ])('%j of %j are found where they stand', (field, given, expected) => {
    const found = idsIn(field, given).map(({ at, id }) => `${at} ${id === ref ? '!ref' : id}`);
    expect(found.join()).toBe(expected);
  });

  it.each<[Field, Json, Json]>([
    [value, 'c1', 'new c1'],
    [value, null, null],
    [value, ['c1', 'C'], ['new c1', 'new C']],
    [set, ['s1', null], ['new s1', null]],
    [one, { type: 'T', id: 'i1', name: 'Ann' }, { type: 'T', id: 'new i1', name: 'Ann' }],
    [list, [{ id: 'r1', name: 'id' }, 'r2'], [{ id: 'new r1', name: 'id' }, 'new r2']],
    [{ is: 'set' }, ['s1'], ['s1']],
    [json, { id: 'x' }, { id: 'x' }],
  ])('%j of %j are replaced, and nothing else is', (field, given, expected) => {
    expect(mapIds(field, given, '', ({ id }) => `new ${String(id)}`)).toEqual(expected);
  });

  it('are replaced where a marker stands for one', () => {
    expect(mapIds(set, [ref, 's1'], '', ({ id }) => (id === ref ? 'found' : id))).toEqual(['found', 's1']);
  });
});

it.each<[Field, Json, Json]>([
  [value, ref, 'id of Source/HR'],
  [value, 'c1', 'c1'],
  [set, [ref, 's1'], ['id of Source/HR', 's1']],
  [set, null, null],
  [one, ref, { type: 'IDENTITY', id: 'id of Source/HR' }],
  [untyped, ref, { id: 'id of Source/HR' }],
  [one, { id: ref, name: 'Ann' }, { id: 'id of Source/HR', name: 'Ann' }],
  // Only an id may be a reference.
  [one, { id: 'i1', name: ref }, { id: 'i1', name: ref }],
  [one, 'i1', 'i1'],
  [one, null, null],
  [
    { ...list, type: 'ROLE' },
    [ref, { id: ref }, 'r1'],
    [{ type: 'ROLE', id: 'id of Source/HR' }, { id: 'id of Source/HR' }, 'r1'],
  ],
  [list, null, null],
  // At any place inside JSON, but not in what only looks like a marker.
  [json, { id: ref, at: [ref] }, { id: 'id of Source/HR', at: ['id of Source/HR'] }],
  [json, { $literal: { id: ref } }, { $literal: { id: ref } }],
  [{ is: 'text' }, 'a', 'a'],
])('!ref in %j, %j is written as the field writes ids', (field, given, expected) => {
  expect(withReferences(field, given, (to) => `id of ${to}`)).toEqual(expected);
});

describe('a difference refers', () => {
  const kind = kindFrom(
    descriptorFrom({
      kind: 'Role',
      path: '/v2025/roles',
      key: 'name',
      fields: {
        cluster: { is: 'value', to: 'Cluster' },
        sources: { is: 'set', to: 'Source' },
        owner: { is: 'reference', to: 'Identity' },
        tags: 'set',
        form: 'json',
      },
      places: { 'form/**/sourceId': { is: 'reference', to: 'Source' } },
    }),
  );
  it.each<[string, Difference, 'before' | 'after', { to: string; ids: Json[] }]>([
    ['to what was', difference('/cluster', 'c1', 'c2'), 'before', { to: 'Cluster', ids: ['c1'] }],
    ['to what comes', difference('/cluster', 'c1', 'c2'), 'after', { to: 'Cluster', ids: ['c2'] }],
    ['to an item', difference('/sources/1', null, 's1'), 'after', { to: 'Source', ids: ['s1'] }],
    ['to all', difference('/sources', ['s1', 's2'], null), 'before', { to: 'Source', ids: ['s1', 's2'] }],
    ['to nothing any more', difference('/sources/1', 's1', null), 'after', { to: 'Source', ids: [] }],
    ['to an object', difference('/owner', { id: 'i1' }, null), 'before', { to: 'Identity', ids: ['i1'] }],
    ['inside JSON', difference('/form/a/0/sourceId', 's1', null), 'before', { to: 'Source', ids: ['s1'] }],
    ['to nothing by plain items', difference('/tags/0', null, 'a'), 'after', { to: '', ids: [] }],
    ['to nothing by its key', difference('/name', 'a', 'b'), 'after', { to: '', ids: [] }],
  ])('%s', (_what, given, side, expected) => {
    const found = idsOnSide(kind, given, side).map(({ id, to }) => ({ id, to }));
    expect(found).toEqual(expected.ids.map((id) => ({ id, to: [expected.to] })));
  });
});
