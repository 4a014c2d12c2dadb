import { describe, expect, it } from 'vitest';
import {
  alignWithLive,
  chooseSynonym,
  comparable,
  comparableRecord,
  isUnordered,
  itemsByText,
  listWithoutOrder,
  overlay,
  printedJson,
  readableFields,
  sameValue,
  sentValue,
  wireValue,
} from '../../src/kinds/field.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import type { Field, RecordsField } from '../../src/kinds/kind.ts';
import { Places } from '../../src/kinds/places.ts';
import type { Json } from '../../src/model/json.ts';
import { contractSettings } from '../../src/model/tenant.ts';

const whole: Field = { is: 'json', declares: 'whole' };
const members: Field = { is: 'json', declares: 'members' };
const pairs: Field = { is: 'json', declares: 'members', pairs: true };
const chat: Field = { is: 'json', declares: 'whole', nested: ['blocks'] };
const filled: Field & { is: 'json' } = { is: 'json', declares: 'whole', filled: true };
const plain: Field = { is: 'json', declares: 'whole', plain: true };
const records: RecordsField = { is: 'records', alike: ['type'] };
const reference: Field = { is: 'reference' };

it.each<[string, Field, Json, Json]>([
  ['texts with other line ends', { is: 'text' }, 'a\nb\nc\n', 'a\r\nb\rc\r\n'],
  ['addresses in other case', { is: 'email' }, 'Help@Acme.example', 'hELP@aCME.EXAMPLE'],
  ['lists in another order', { is: 'set' }, ['b', 'a', 'c'], ['c', 'b', 'a']],
  ['addresses of a list in other case', { is: 'set', of: 'email' }, ['Help@a.example'], ['hELP@A.example']],
  ['lists with something twice', { is: 'set' }, ['a', 'b', 'a'], ['a', 'b']],
  ['JSON and its text', whole, { a: [1, { b: null }] }, ' {"a": [1, {"b":null}]}'],
  ['settings as texts and as numbers', pairs, { a: 60, b: { c: true } }, { a: '60', b: { c: 'true' } }],
  ['JSON in a member and its text', chat, { blocks: [{ a: 1 }] }, { blocks: '[{"a": 1}]' }],
  ['references with one id', reference, { type: 'T', id: '1', name: 'A' }, { type: 'T', id: '1' }],
  ['references with one name', reference, { type: 'T', name: 'A' }, { type: 'T', name: 'A', x: 1 }],
  [
    'JSON and what a host filled it up with',
    filled,
    { a: 'x', b: { c: [{ d: 0 }] } },
    { a: 'x', b: { c: [{ d: 0, e: null }], f: '' }, g: false, h: { i: { j: null } }, k: null },
  ],
  ['a list and what a host filled its items up with', filled, [{ a: 1 }], [{ a: 1, b: {} }]],
  ['records in another order', records, [{ a: 1 }, { b: '2' }], [{ b: 2, c: null }, { a: '1' }]],
])('two values are equal: %s', (_, field, one, other) => {
  expect(comparable(field, one)).toEqual(comparable(field, other));
  expect(comparable(field, one)).not.toBeNull();
});

it.each<[string, Field, Json, Json]>([
  ['texts in another case', { is: 'text' }, 'a', 'A'],
  ['texts with a line more', { is: 'text' }, 'a\n\nb', 'a\nb'],
  ['variables in another case', { is: 'email' }, '${mailFrom}', '${mailfrom}'],
  ['plain values in another case', { is: 'value' }, 'a@b', 'A@b'],
  ['plain values with another line end', { is: 'value' }, 'a\r\n', 'a\n'],
  ['a number and its text', { is: 'value' }, 1, '1'],
  ['an empty plain text and none', { is: 'value' }, '', null],
  ['JSON numbers and texts', whole, { a: 60 }, { a: '60' }],
  ['JSON lists in another order', whole, { a: [1, 2] }, { a: [2, 1] }],
  ['a null setting and the text', pairs, { a: null }, { a: 'null' }],
  ['JSON text in a member that is text', chat, { other: '{"a":1}' }, { other: { a: 1 } }],
  ['references of another type', { is: 'reference' }, { type: 'T', id: '1' }, { type: 'U', id: '1' }],
  ['references with another id', { is: 'reference' }, { id: '1', name: 'A' }, { id: '2', name: 'A' }],
  ['references with another name', { is: 'reference' }, { name: 'A' }, { name: 'B' }],
  ['a reference by id and one by name', { is: 'reference' }, { id: 'A' }, { name: 'A' }],
  ['true and no value', filled, { a: 'x', b: true }, { a: 'x' }],
  ['an empty list and no value', filled, { a: 'x', b: [] }, { a: 'x' }],
  ['a number and no value', filled, { a: 'x', b: 0 }, { a: 'x' }],
  ['fillers where no host adds any', whole, { a: 'x', b: false }, { a: 'x' }],
  ['records with other values', records, [{ a: 1 }], [{ a: 2 }]],
  ['a list with something more', { is: 'set' }, ['a'], ['a', 'b']],
])('two values differ: %s', (_, field, one, other) =>
  expect(comparable(field, one)).not.toEqual(comparable(field, other)),
);

describe('a value is unset', () => {
  it.each<[Field, Json]>([
    ...(['text', 'email'] as const).map((is): [Field, Json] => [{ is }, '']),
    ...[{}, '', '{}'].map((value): [Field, Json] => [whole, value]),
    ...[{}, { type: 'T' }].map((value): [Field, Json] => [{ is: 'reference' }, value]),
    ...[plain, records, { is: 'set' } as const].map((field): [Field, Json] => [field, []]),
    [filled, { a: null, b: { c: false } }],
    [{ is: 'value' }, null],
  ])('where a %j is %j', (field, value) => {
    expect(comparable(field, value)).toBeNull();
    expect(comparable(field, undefined)).toBeNull();
    expect(comparable(field, null)).toBeNull();
  });

  it.each<[Field, Json]>([
    [{ is: 'text' }, ' '],
    [{ is: 'set' }, [null]],
    [whole, 'no JSON'],
    [whole, []],
    [plain, [0]],
    [{ is: 'value' }, ''],
    [{ is: 'value' }, false],
    [records, [{}]],
  ])('but not where a %j is %j', (field, value) => expect(comparable(field, value)).not.toBeNull());
});

it('a value of another shape than its field stays as it is: the tenant is believed', () => {
  const simple = (['text', 'email', 'set'] as const).map((is): Field => ({ is }));
  const fields: readonly Field[] = [...simple, { is: 'references', to: 'Role' }, records];
  for (const field of fields) for (const odd of [7, true, 'odd']) expect(comparable(field, odd)).toBe(odd);
});

it('odd items of a list of records are compared as they are', () => {
  expect(comparable(records, ['x', { a: 1 }])).toEqual(['x', { a: '1' }]);
  const record = { a: 1, b: true, c: null, d: [1], e: { f: 1 }, g: 'x' };
  expect(comparableRecord(record, records)).toEqual({ a: '1', b: 'true', d: [1], e: { f: 1 }, g: 'x' });
});

it('JSON is shown without what a host filled it up with, but for what the manifest declares', () => {
  const shown = '{"a":null,"b":false,"c":[{"d":null,"e":null},{"f":""}],"g":{"h":{}}}';
  expect(printedJson(filled, shown)).toEqual({ c: [{}, {}] });
  const declared = { a: 'x', c: [{ d: 'y' }], g: { h: null } };
  expect(printedJson(filled, shown, declared)).toEqual({ a: null, c: [{ d: null }, {}], g: { h: {} } });
  expect(printedJson({ is: 'json', declares: 'whole' }, shown)).toMatchObject({ a: null, b: false });
});

it('sets, references and records are lists without order', () => {
  const fields: readonly Field[] = [{ is: 'set' }, { is: 'references', to: 'Source' }, records];
  expect(fields.every(isUnordered)).toBe(true);
  expect([whole, { is: 'value' } as const].some(isUnordered)).toBe(false);
  expect(listWithoutOrder(builtInKinds.get('ProfileSearch'), '/rules/0/value')).toBe('/rules');
});

describe('what is written', () => {
  it('is the declared value alone, where a field is declared whole', () => {
    expect(overlay(whole, { a: 1 }, { b: 2 })).toEqual({ a: 1 });
    expect(overlay(whole, '{"a":1}', { b: 2 })).toEqual({ a: 1 });
    expect(overlay({ is: 'set' }, ['a'], ['b'])).toEqual(['a']);
    expect(overlay({ is: 'text' }, '{"a":1}', 'x')).toBe('{"a":1}');
  });

  it('is each item of a set once, where it stands first', () => {
    expect(overlay({ is: 'set' }, ['b', 'a', 'b', 1, '1'], null)).toEqual(['b', 'a', 1, '1']);
    expect(overlay({ is: 'set', to: 'Role' }, ['7', 'a', 7], null)).toEqual([7, 'a']);
  });

  it('is an unchanged reference as the tenant has it', () => {
    const [mine, theirs] = [
      { id: 'r1', name: 'Mine', more: 1 },
      { id: 'r1', name: { $secret: 'S' } },
    ];
    const kept = { id: 'r1', name: { $literal: { $secret: 'S' } } };
    expect(overlay({ is: 'references', to: 'Role' }, [mine], [theirs])).toEqual([kept]);
  });

  it('is the declared over the live members at every depth, where members are declared one by one', () => {
    const live = { a: 1, b: { c: 2, d: 3 }, e: 'text', f: 4 };
    const over = overlay(members, { b: { d: 9, g: 10 }, e: { h: 1 } }, live);
    expect(over).toEqual({ a: 1, b: { c: 2, d: 9, g: 10 }, e: { h: 1 }, f: 4 });
    expect(overlay(members, { a: 2 }, '{"a":1,"b":2}')).toEqual({ a: 2, b: 2 });
    expect(overlay(members, { a: 2 }, undefined)).toEqual({ a: 2 });
    expect(overlay(members, { a: 2 }, 'no JSON')).toEqual({ a: 2 });
    expect(overlay(members, null, live)).toBeNull();
    expect(overlay(members, { $live: '/f' }, live)).toEqual({ $live: '/f' });
  });

  it('lacks the members that a manifest sets to null, at every depth', () => {
    const over = overlay(members, { a: null, b: { c: null, x: null } }, { a: 1, b: { c: 2, d: 3 } });
    expect(over).toEqual({ b: { d: 3 } });
  });

  it('takes a secret as one value, and a live value for what it is', () => {
    const secret = { $secret: 'S' };
    expect(overlay(members, { a: secret }, { a: { b: 1 } })).toEqual({ a: secret });
    expect(overlay(members, { a: 1 }, { b: secret })).toEqual({ a: 1, b: { $literal: secret } });
    const live = { $live: '/x' };
    expect(overlay(members, { b: { c: 1 } }, { b: { d: live } })).toEqual({
      b: { c: 1, d: { $literal: live } },
    });
  });
});

describe('on the wire', () => {
  const asObjects = { ...contractSettings, jsonText: 'object' } as const;

  it('JSON is text, or an object where the environment says so', () => {
    expect(wireValue(whole, { a: 1 }, contractSettings)).toEqual({ $jsonText: { a: 1 } });
    expect(wireValue(whole, { a: 1 }, asObjects)).toEqual({ a: 1 });
  });

  it('JSON inside JSON is text in either case', () => {
    const value = { blocks: [{ a: 1 }], text: 'x' };
    expect(wireValue(chat, value, asObjects)).toEqual({ blocks: { $jsonText: [{ a: 1 }] }, text: 'x' });
    expect(wireValue(chat, { blocks: null }, asObjects)).toEqual({ blocks: null });
    expect(wireValue(chat, { blocks: '[]' }, asObjects)).toEqual({ blocks: '[]' });
  });

  it.each<[Field, Json | undefined, Json]>([
    [whole, '', null],
    [whole, null, null],
    [whole, undefined, null],
    [whole, 'no JSON', 'no JSON'],
    [{ is: 'text' }, '', ''],
    [{ is: 'text' }, undefined, null],
    [{ is: 'reference' }, { id: '1' }, { id: '1' }],
    [{ is: 'set' }, ['a'], ['a']],
  ])('a %j of %j is %j', (field, value, expected) =>
    expect(wireValue(field, value, contractSettings)).toEqual(expected),
  );
});

it('only JSON fields are parsed for reading', () => {
  const text = '{"a":1}';
  const fields = { attributes: text, description: text, unknown: text };
  const read = readableFields(builtInKinds.get('SimIntegration'), fields);
  expect(read).toEqual({ ...fields, attributes: { a: 1 } });
});

describe('a reference is sent', () => {
  const typed: Field = { is: 'reference', to: 'Identity', type: 'IDENTITY' };
  const untyped: Field = { is: 'reference', to: 'Identity' };
  const list: Field = { is: 'references', to: 'Role', type: 'ROLE' };
  const later = { $ref: 'Identity/Ann' };

  it.each<[Field, Json, Json]>([
    [typed, 'i1', { type: 'IDENTITY', id: 'i1' }],
    [typed, { id: 'i1', name: 'Ann' }, { type: 'IDENTITY', id: 'i1' }],
    [typed, { type: 'ROBOT', id: 'i1', name: 'Ann' }, { type: 'ROBOT', id: 'i1' }],
    [typed, { type: null, id: 'i1' }, { id: 'i1' }],
    [untyped, 'i1', { id: 'i1' }],
    [untyped, { type: 'ROBOT', id: 'i1' }, { type: 'ROBOT', id: 'i1' }],
    // An id that is not known yet is filled in later.
    [typed, later, { type: 'IDENTITY', id: later }],
    [typed, { id: later, name: 'Ann' }, { type: 'IDENTITY', id: later }],
    // Without an id, the name has to do.
    [typed, { type: 'IDENTITY', name: 'Ann' }, { type: 'IDENTITY', name: 'Ann' }],
    [typed, { id: null, name: 'Ann' }, { id: null, name: 'Ann' }],
    [typed, null, null],
    [list, ['r1', { id: 'r2', name: 'B' }], ['r1', 'r2'].map((id) => ({ type: 'ROLE', id }))],
    [list, null, null],
  ])('as %j: %j is %j', (field, value, expected) =>
    expect(sentValue(field, value, contractSettings)).toEqual(expected),
  );

  it('and any other value as its field writes it, or as it is where there is no field', () => {
    expect(sentValue(whole, { a: 1 }, contractSettings)).toEqual({ $jsonText: { a: 1 } });
    expect(sentValue({ is: 'text' }, 'a', contractSettings)).toBe('a');
    expect(sentValue(undefined, { a: 1 }, contractSettings)).toEqual({ a: 1 });
  });
});

describe('of several values that mean the same', () => {
  const synonyms: Field = { is: 'value', synonyms: true };

  it('the first is shown and sent', () => {
    expect(chooseSynonym(synonyms, ['c1', 'C'])).toBe('c1');
    expect(chooseSynonym(synonyms, 'c1')).toBe('c1');
    expect(chooseSynonym(synonyms, [])).toBeNull();
    expect(wireValue(synonyms, ['c1', 'C'], contractSettings)).toBe('c1');
  });

  it('there are none in other fields', () => {
    expect(chooseSynonym({ is: 'value' }, ['c1', 'C'])).toEqual(['c1', 'C']);
    expect(chooseSynonym({ is: 'set' }, ['c1', 'C'])).toEqual(['c1', 'C']);
  });
});

it.each<[Field, Json, Json, boolean]>([
  [{ is: 'set' }, 'a', 'a', true],
  [{ is: 'set' }, 'a', 'b', false],
  [{ is: 'references', to: 'Role' }, { id: 'r1', name: 'A' }, 'r1', true],
  [{ is: 'references', to: 'Role' }, { id: 'r1' }, { id: 'r2' }, false],
  [records, { type: 'T', value: 1 }, { type: 'T', value: '1', more: null }, true],
  [records, { type: 'T', value: 1 }, { type: 'T', value: 2 }, false],
])('in a %j, the items %j and %j are the same: %s', (field, one, other, expected) =>
  expect(sameValue(field, [one], [other])).toBe(expected),
);

it('the items of a list without order are sorted, each once, as they are', () => {
  const list: Field = { is: 'references', to: 'Role' };
  const items = (field: Field, value: Json | undefined) => [...itemsByText(field, value).values()];
  expect(items({ is: 'set' }, ['b', 'a', 'b'])).toEqual(['a', 'b']);
  expect(items(list, [{ id: 'r2', name: 'B' }, 'r1'])).toEqual(['r1', { id: 'r2', name: 'B' }]);
  expect(items(list, ['r1', { id: 'r1', name: 'A' }])).toHaveLength(1);
  for (const none of [undefined, null, 'a', []]) expect(items({ is: 'set' }, none)).toEqual([]);
});

describe('what a host filled up', () => {
  it('is nothing in the members that hold JSON in text, too', () => {
    const field: Field = { is: 'json', declares: 'whole', filled: true, nested: ['blocks'] };
    const shown = { text: 'x', blocks: '[{"type":"divider","more":null}]', other: false };
    expect(comparable(field, shown)).toEqual({ text: 'x', blocks: [{ type: 'divider' }] });
    expect(comparable(field, '{"text":""}')).toBeNull();
  });

  it('is nothing in a list at the top', () => {
    expect(comparable(filled, [{ a: 1, b: null }, null, 'x'])).toEqual([{ a: 1 }, null, 'x']);
    expect(comparable(whole, [{ a: 1, b: null }])).toEqual([{ a: 1 }]);
  });
});

it('JSON that is kept as it is, is sent as it is', () => {
  expect(wireValue(plain, { a: 1 }, contractSettings)).toEqual({ a: 1 });
  expect(wireValue(plain, [1], contractSettings)).toEqual([1]);
  expect(wireValue(whole, [1], contractSettings)).toEqual([1]);
});

it('a reference by name is compared by its name, and by its type unless the field says the kind', () => {
  const named = { type: 'T', name: 'A' };
  expect(comparable(reference, named)).toEqual(named);
  expect(comparable(reference, { name: 'A' })).toEqual({ type: null, name: 'A' });
  expect(comparable(reference, 'i1')).toEqual({ type: null, id: 'i1' });
  expect(comparable({ is: 'reference', to: 'Role' }, named)).toEqual({ name: 'A' });
  expect(comparable({ is: 'reference', to: 'Role' }, { type: 'T', id: 'r' })).toEqual({ id: 'r' });
});

describe('what the server keeps for itself in the items of a list', () => {
  const steps: Field = { ...whole, places: new Places([{ path: '*/id', is: 'serverOwned' }]) };
  const live = ['a', 'b', 'c'].map((name, id) => ({ id, name }));
  const from = (names: readonly string[]) => {
    const wanted = names.map((name) => ({ name }));
    const items = alignWithLive(steps, wanted, live, '/steps');
    return (Array.isArray(items) ? items : []).map((item) => JSON.stringify(item.id));
  };
  const ids = (...at: number[]) => at.map((index) => `{"$live":"/steps/${index}/id"}`);

  it('goes with an item that is as it was, wherever it stands', () =>
    expect(from(['c', 'a'])).toEqual(ids(2, 0)));

  it('stays with an item that was edited, and is of none where the list is longer', () => {
    expect(from(['a', 'x', 'c'])).toEqual(ids(0, 1, 2));
    expect(from(['c', 'x', 'a'])).toEqual(ids(2, 1, 0));
    expect(from(['a', 'x', 'b', 'c'])).toEqual([ids(0), undefined, ids(1), ids(2)].flat());
  });
});
