import { describe, expect, it } from 'vitest';
import { compareField, differencesBetween } from '../../src/kinds/compare.ts';
import type { Field } from '../../src/kinds/kind.ts';
import { Places } from '../../src/kinds/places.ts';
import { profileSearch } from '../../src/kinds/profile-search.ts';
import { simIntegration } from '../../src/kinds/sim-integration.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';

const members: Field = { is: 'json', declares: 'members', pairs: true };
const whole: Field = { is: 'json', declares: 'whole' };
const rules: Field = { is: 'records', alike: ['type', 'id'] };

/** A difference as a short text: `op path before -> after`. */
const textOf = ({ op, path, before, after }: ReturnType<typeof compareField>[number]) =>
  `${op} ${path} ${JSON.stringify(before)} -> ${JSON.stringify(after)}`;
const diff = (field: Field, declared: Json, live?: Json) =>
  compareField('f', field, declared, live).map(textOf);

it('of two sides the first is the one before, also where the other one has nothing', () => {
  const [one, other] = [{ type: 'A', attributes: { a: 1 } }, { description: 'D' }];
  const between = (first: JsonObject, second: JsonObject) =>
    differencesBetween(simIntegration, first, second).map(textOf);
  const [added, type, attribute] = [
    '/description null -> "D"',
    '/type "A" -> null',
    '/attributes/a "1" -> null',
  ];
  expect(between(one, other)).toEqual([`add ${added}`, `remove ${type}`, `remove ${attribute}`]);
  expect(between(other, one).map((text) => text.split(' ')[0])).toEqual(['remove', 'add', 'add']);
});

it('of records on two sides, all members are compared, and one that is always sent has its usual value', () => {
  const rule = { type: 'ProfileAttributeRule', condition_object_id: 'a1', value: 'x' };
  const between = (one: readonly JsonObject[], other: readonly JsonObject[]) =>
    differencesBetween(profileSearch, { rules: one }, { rules: other }).map(
      (each) => `${each.op} ${each.path}`,
    );
  expect(between([rule], [{ ...rule, object_type: 'NeAttribute' }])).toEqual([]);
  expect(between([{ ...rule, object_type: 'TextFieldAttribute' }], [rule])).toEqual([]);
  expect(between([{ ...rule, note: 'n' }], [rule])).toEqual(['remove /rules/0/note']);
  expect(between([rule], [{ ...rule, note: 'n' }])).toEqual(['add /rules/0/note']);
  // Either way the second one is the same, and the first one differs.
  const second = { ...rule, value: 'y' };
  const one = [rule, second];
  const other = [{ ...rule, note: 'n' }, second];
  expect(between(one, other)).toEqual(['add /rules/0/note']);
  expect(between(other, one)).toEqual(['remove /rules/0/note']);
});

describe('a plain field', () => {
  it.each<[Json, Json | undefined, string[]]>([
    ['a', 'a', []],
    ['a', 'b', ['replace /f "b" -> "a"']],
    ['a', null, ['add /f null -> "a"']],
    ['a', undefined, ['add /f null -> "a"']],
    [null, 'b', ['remove /f "b" -> null']],
    [null, undefined, []],
    [null, null, []],
    [false, null, ['add /f null -> false']],
    [['a', 'b'], ['b', 'a'], ['replace /f ["b","a"] -> ["a","b"]']],
  ])('declared %j, live %j', (declared, live, expected) =>
    expect(diff({ is: 'value' }, declared, live)).toEqual(expected),
  );

  it('shows the texts as they are, not as they are compared', () => {
    expect(diff({ is: 'text' }, 'A\r\nb', 'a\rb')).toEqual(['replace /f "a\\rb" -> "A\\r\\nb"']);
    expect(diff({ is: 'email' }, 'New@A.example', 'Old@A.example')).toEqual([
      'replace /f "Old@A.example" -> "New@A.example"',
    ]);
    expect(diff({ is: 'text' }, '', 'a')).toEqual(['remove /f "a" -> null']);
    expect(diff({ is: 'text' }, 'a', '')).toEqual(['add /f null -> "a"']);
    const reference = { type: 'T', id: '2', name: 'New' };
    expect(diff({ is: 'reference' }, reference, { type: 'T', id: '1', name: 'Old' })).toEqual([
      `replace /f {"type":"T","id":"1","name":"Old"} -> ${JSON.stringify(reference)}`,
    ]);
  });
});

it.each<[Json, Json, string[]]>([
  [{ '': 'x' }, {}, ['add /f/ null -> "x"']],
  [{ a: { '': 'x', b: 1 } }, { a: { b: 1 } }, ['add /f/a/ null -> "x"']],
  [{ '': { '': [{ '': 'x' }] } }, { '': { '': [{}] } }, ['add /f///0/ null -> "x"']],
  [{ '': 'y' }, { '': 'x' }, ['replace /f/ "x" -> "y"']],
  [{ a: 1 }, { a: 1, '': 'x' }, ['remove /f/ "x" -> null']],
  [{ '': 'x' }, { '': 'x' }, []],
  [{ l: [null] }, { l: ['a'] }, ['replace /f/l/0 "a" -> null']],
  [{ l: ['a'] }, { l: [null] }, ['replace /f/l/0 null -> "a"']],
])(
  'members without a name and null in a list are compared like others: declared %j, live %j',
  (declared, live, expected) => expect(diff(whole, declared, live)).toEqual(expected),
);

describe('a list without order', () => {
  it('shows what leaves and what comes, each once', () => {
    expect(diff({ is: 'set' }, ['b', 'c', 'c'], ['a', 'b'])).toEqual([
      'remove /f/0 "a" -> null',
      'add /f/1 null -> "c"',
    ]);
    expect(diff({ is: 'set' }, ['b', 'a'], ['a', 'b'])).toEqual([]);
  });

  it('is empty where it is unset', () => {
    expect(diff({ is: 'set' }, [], null)).toEqual([]);
    expect(diff({ is: 'set' }, null, ['a'])).toEqual(['remove /f/0 "a" -> null']);
    expect(diff({ is: 'set' }, ['a'], undefined)).toEqual(['add /f/0 null -> "a"']);
  });

  it('takes the place of what is no list', () => {
    expect(diff({ is: 'set' }, [], 'a')).toEqual(['remove /f "a" -> null']);
    expect(diff({ is: 'set' }, null, 'a')).toEqual(['remove /f "a" -> null']);
    expect(diff({ is: 'references', to: 'T' }, ['1'], { id: '1' })).toEqual([
      'replace /f {"id":"1"} -> ["1"]',
    ]);
  });
});

describe('JSON that is declared by member', () => {
  it('leaves other members alone, at every depth', () => {
    expect(diff(members, { a: 1, b: { c: 2 } }, { a: 1, x: 9, b: { c: 2, y: 9 } })).toEqual([]);
    expect(diff(members, { b: { c: 3 } }, { b: { c: 2, y: 9 } })).toEqual(['replace /f/b/c "2" -> "3"']);
    expect(diff(members, { b: { c: 3 } }, { b: 'text' })).toEqual(['replace /f/b "text" -> {"c":"3"}']);
    expect(diff(members, { b: 'text' }, { b: { c: 3 } })).toEqual(['replace /f/b {"c":"3"} -> "text"']);
  });

  it.each<[Json | undefined]>([[{ a: '1' }], [{ a: '1', gone: null }], ['{"a":"1"}']])(
    'settles where a member is declared null and the tenant has %j',
    (live) => {
      expect(diff(members, { a: '1', gone: null }, live)).toEqual([]);
      expect(diff(members, { a: '1', deep: { gone: null } }, { a: '1', deep: {} })).toEqual([]);
    },
  );

  it('clears a member that is declared null', () => {
    expect(diff(members, { gone: null }, { a: '1', gone: 'x' })).toEqual(['remove /f/gone "x" -> null']);
    expect(diff(members, { deep: { gone: null } }, { deep: { gone: 'x', y: '1' } })).toEqual([
      'remove /f/deep/gone "x" -> null',
    ]);
  });

  it('leaves all members alone where none is declared, and clears them where null is', () => {
    expect(diff(members, {}, { a: '1' })).toEqual([]);
    expect(diff(members, '{}', { a: '1' })).toEqual([]);
    expect(diff(members, null, { a: '1' })).toEqual(['remove /f {"a":"1"} -> null']);
    expect(diff(members, null, undefined)).toEqual([]);
    expect(diff(members, null, '{"a":"1"}')).toEqual(['remove /f {"a":"1"} -> null']);
  });

  it('is added where the tenant has none, and replaced where it has another thing', () => {
    expect(diff(members, { a: '1' }, null)).toEqual(['add /f/a null -> "1"']);
    expect(diff(members, { a: '1' }, 'no JSON')).toEqual(['replace /f "no JSON" -> {"a":"1"}']);
    expect(diff(members, 'no JSON', { a: '1' })).toEqual(['replace /f {"a":"1"} -> "no JSON"']);
    expect(diff(members, { a: '1', gone: null }, 'no JSON')).toEqual(['replace /f "no JSON" -> {"a":"1"}']);
  });

  it('takes a secret for one value, whatever the tenant has in its place', () => {
    const secret = { $secret: 'S' };
    const live: [Json, string][] = [
      ['x', '"x"'],
      [{ $secret: 'T' }, '{"$secret":"T"}'],
      [{ a: 'x' }, '{"a":"x"}'],
    ];
    for (const [p, shown] of live)
      expect(diff(members, { p: secret }, { p })).toEqual([`replace /f/p ${shown} -> {"$secret":"S"}`]);
    expect(diff(members, { p: secret }, {})).toEqual(['add /f/p null -> {"$secret":"S"}']);
    const below = diff(members, { p: { q: secret } }, { p: { q: 'x', r: 'y' } });
    expect(below).toEqual(['replace /f/p/q "x" -> {"$secret":"S"}']);
  });
});

describe('JSON that is declared whole', () => {
  it('names a member as the tenant does where that looks like a marker', () => {
    expect(diff(whole, { a: { b: 1 } }, { a: { $secret: 'x' } })).toEqual([
      'replace /f/a {"$secret":"x"} -> {"b":1}',
    ]);
    expect(diff(whole, { a: { $secret: 2, b: 1 } }, { a: { $secret: 'x', b: 1 } })).toEqual([
      'replace /f/a/$secret "x" -> 2',
    ]);
    expect(diff(whole, { a: { $secret: 2, b: 1 } }, { a: { $secret: 'x' } })).toEqual([
      'replace /f/a {"$secret":"x"} -> {"$secret":2,"b":1}',
    ]);
  });

  it('shows the members that differ, with those that the manifest leaves out', () => {
    expect(diff(whole, { a: 1, b: [1, 2] }, { a: 1, b: [1], x: 9 })).toEqual([
      'add /f/b/1 null -> 2',
      'remove /f/x 9 -> null',
    ]);
    expect(diff(whole, { a: { 'b/c': 1 } }, '{"a": {"b/c": 2}}')).toEqual(['replace /f/a/b~1c 2 -> 1']);
    expect(diff(whole, { a: 1 }, null)).toEqual(['add /f/a null -> 1']);
    expect(diff(whole, {}, { a: 1 })).toEqual(['remove /f {"a":1} -> null']);
    expect(diff(whole, { a: 1 }, [])).toEqual(['replace /f [] -> {"a":1}']);
    expect(diff(whole, '{"a":1}', { a: 1 })).toEqual([]);
  });
});

describe('records', () => {
  const rule = (id: string, value: string, more = {}) => ({ type: 'T', id, value, ...more });

  it('are equal in any order, whatever the tenant adds', () => {
    const [one, two] = [rule('1', 'a'), rule('2', 'b')];
    expect(diff(rules, [one, two], [{ ...two, x: 1 }, one])).toEqual([]);
    expect(diff(rules, [], null)).toEqual([]);
    expect(diff(rules, [], undefined)).toEqual([]);
  });

  it('show the member that differs, at the place in the manifest', () => {
    expect(diff(rules, [rule('1', 'a'), rule('2', 'c')], [rule('2', 'b'), rule('1', 'a')])).toEqual([
      'replace /f/1/value "b" -> "c"',
    ]);
    expect(diff(rules, [{ ...rule('1', 'a'), more: true }], [rule('1', 'a')])).toEqual([
      'add /f/0/more null -> "true"',
    ]);
  });

  it('are a set: one that is there twice is no difference', () => {
    const [a, b] = [() => rule('1', 'a'), () => rule('1', 'b')];
    expect(diff(rules, [a()], [a(), a()])).toEqual([]);
    expect(diff(rules, [a(), a()], [a()])).toEqual([]);
    expect(diff(rules, [b()], [a(), a()])).toHaveLength(2);
    expect(diff(rules, [], [a(), a()])).toHaveLength(2);
    expect(diff(rules, [a(), a()], [])).toHaveLength(2);
    expect(diff(rules, [a(), b()], [a(), a()])).toEqual(['replace /f/1/value "a" -> "b"']);
    expect(diff(rules, [a()], [a(), { ...a(), more: true }])).toHaveLength(1);
  });

  it('show whole records that come and go', () =>
    expect(diff(rules, [rule('1', 'a')], [rule('2', 'a')])).toEqual([
      'add /f/0 null -> {"type":"T","id":"1","value":"a"}',
      'remove /f/1 {"type":"T","id":"2","value":"a"} -> null',
    ]));

  it('pair exactly equal ones first, so that one more of a sort is one that comes', () =>
    expect(diff(rules, [rule('1', 'a'), rule('1', 'b')], [rule('1', 'b')])).toEqual([
      'add /f/0 null -> {"type":"T","id":"1","value":"a"}',
    ]));
});

describe('a list of references', () => {
  const field: Field = { is: 'references', to: 'Source', type: 'SOURCE' };
  const live = [
    { type: 'SOURCE', id: 's2', name: 'HR' },
    { type: 'SOURCE', id: 's1', name: 'AD' },
  ];

  it('is compared by ids, in any order', () => {
    expect(compareField('sources', field, ['s1', { id: 's2', name: 'another name' }], live)).toEqual([]);
    expect(compareField('sources', field, [], null)).toEqual([]);
  });

  it('shows what is added and removed as it is', () =>
    expect(compareField('sources', field, [{ id: 's1' }, { id: 's3' }], live)).toEqual([
      { path: '/sources/1', op: 'remove', before: live[0], after: null },
      { path: '/sources/1', op: 'add', before: null, after: { id: 's3' } },
    ]));
});

it('takes a record for the one that equals it, though another one before it has all that is declared', () => {
  const declared = [{ type: 'A', id: '1', value: 'x' }];
  expect(diff(rules, declared, [{ ...declared[0], operator: '==' }, ...declared])).toEqual([
    expect.stringMatching(/^remove .*"operator":"=="/),
  ]);
});

describe('a value that the tenant may show in several ways', () => {
  const cluster: Field = { is: 'value', synonyms: true };

  it.each<[Json, Json | undefined]>([
    ['c1', ['c1', 'C']],
    ['C', ['c1', 'C']],
    [
      ['c2', 'C'],
      ['c1', 'C'],
    ],
    [['c1', 'C'], 'C'],
    [null, undefined],
  ])('declared %j, live %j: equal', (declared, live) => expect(diff(cluster, declared, live)).toEqual([]));

  it('shows the first of them where none is declared', () => {
    expect(diff(cluster, 'c2', ['c1', 'C'])).toEqual(['replace /f "c1" -> "c2"']);
    expect(diff(cluster, ['c2', 'D'], 'c1')).toEqual(['replace /f "c1" -> "c2"']);
    expect(diff(cluster, 'c2', undefined)).toEqual(['add /f null -> "c2"']);
    expect(diff(cluster, null, ['c1', 'C'])).toEqual(['remove /f "c1" -> null']);
  });

  it('is one value in a field without synonyms', () =>
    expect(diff({ is: 'value' }, 'c1', ['c1', 'C'])).toEqual(['replace /f ["c1","C"] -> "c1"']));
});

it('a record loses a member that is declared null, once', () => {
  expect(diff(rules, [{ type: 'T', id: '1', value: null }], [{ type: 'T', id: '1', value: 'x' }])).toEqual([
    'remove /f/0/value "x" -> null',
  ]);
  expect(diff(rules, [{ type: 'T', id: '1', value: null }], [{ type: 'T', id: '1' }])).toEqual([]);
});

it('a list among members is compared item by item, and as a whole where it becomes another thing', () => {
  expect(diff(whole, { a: [1, 2, 3] }, { a: [1] })).toEqual(['add /f/a/1 null -> 2', 'add /f/a/2 null -> 3']);
  expect(diff(whole, { a: 'x' }, { a: [1] })).toEqual(['replace /f/a [1] -> "x"']);
  expect(diff(members, { a: ['x'] }, { a: ['x', 'y'] })).toEqual(['remove /f/a/1 "y" -> null']);
});

it('JSON text that is declared by member is compared as its members', () => {
  expect(diff(members, '{"a":"2"}', { a: '1', b: '1' })).toEqual(['replace /f/a "1" -> "2"']);
  expect(diff(members, '', { a: '1' })).toEqual(['remove /f {"a":"1"} -> null']);
});

it('a value is shown without what only the server sets in it', () => {
  const places = new Places([{ path: 'at', is: 'serverOwned' }]);
  expect(diff({ is: 'value', places }, { v: 3 }, { at: 1, v: 2 })).toEqual(['replace /f {"v":2} -> {"v":3}']);
});

it('a member that is null in JSON that a manifest declares as a whole is equal to one that is absent, but not to an item of a list', () => {
  expect(diff(whole, { a: 1, b: null }, { a: 1 })).toEqual([]);
  expect(diff(whole, { a: 1 }, { a: 1, b: null })).toEqual([]);
  expect(diff(whole, { a: [{ b: null }] }, { a: [{}] })).toEqual([]);
  expect(diff(whole, { a: [1, null] }, { a: [1] })).toEqual(['add /f/a/1 null -> null']);
});
