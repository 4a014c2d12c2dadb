import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { changes, codes, head, keeps, merge, mergedOne, mergeFile, mergeOne } from './merging.ts';
import { integration, template } from './support.ts';

/** Merging JSON fields: members, lists, secrets, and what only looks different. */

const head2 = 'kind: SimIntegration\nname: I\n';
const attributes = (fields: JsonObject) => integration('I', { attributes: fields });
const statusMap = (fields: Json) => integration('I', { statusMap: fields });

describe('settings that are declared by member', () => {
  it('change, and stay omitted where they are', () => {
    const manifest = `${head2}attributes:\n  url: a # the desk\n  deep:\n    x: '1'\n`;
    expect(mergeFile(manifest, attributes({ url: 'b', deep: { x: '2', more: 'm' }, more: 'm' }))).toBe(
      manifest.replace('url: a', 'url: b').replace("'1'", "'2'"),
    );
  });

  it('stay where only the type differs', () => {
    const manifest = `${head2}attributes:\n  port: 443\n  on: "true"\n  list: [1, "2"]\n`;
    keeps(manifest, attributes({ port: '443', on: true, list: ['1', 2] }));
    changes(manifest, attributes({ port: '444', on: true, list: ['1', 2] }), '443', '"444"');
  });

  it('go where the tenant has none, and all of them go with their field', () => {
    const manifest = `${head2}type: T\nattributes:\n  a: x\n  b: z\n`;
    const live = (fields: JsonObject) => integration('I', { type: 'T', attributes: fields });
    changes(manifest, live({ a: 'x', other: 'o' }), '  b: z\n', '');
    changes(manifest, live({ a: 'x', b: null }), '  b: z\n', '');
    expect(mergeFile(manifest, live({ other: 'o' }))).toBe(`${head2}type: T\n`);
    const deep = manifest.replace('a: x', 'a: { c: 1, d: 2, e: 3 }');
    changes(deep, live({ a: { e: 3 }, b: 'z' }), 'c: 1, d: 2, ', '');
  });

  it.each([
    ['JSON text', `'{"url": "https://desk/", "deep": {"a": 1}}'`, {}],
    ['a side file', '!file a.json', { 'config/a.json': '{"url": "https://desk/", "deep": {"a": 1}}\n' }],
  ])('stay omitted where one of those in %s changes', (_, value, files) => {
    const manifest = `${head2}attributes: ${value}\n`;
    const live = attributes({ url: 'v', deep: { a: 1, b: 2 }, user: 'u', password: 'p' });
    const { changed, diagnostics } = merge({ files: { 'config/a.yaml': manifest, ...files }, live: [live] });
    const written = changed.map(({ content }) => content).join('');
    expect([written, diagnostics.map(({ code }) => code)]).toEqual([
      value.startsWith('!file')
        ? '{\n  "url": "v",\n  "deep": {\n    "a": 1\n  }\n}\n'
        : `${head2}attributes:\n  url: v\n  deep:\n    a: 1\n`,
      [],
    ]);
  });

  it('keep names that YAML reads as numbers or truth values', () => {
    const manifest = `${head2}statusMap:\n  3: Committed # closed complete\n  true: Failed\n  007: Queued\n`;
    const live = { 3: 'Committed', true: 'Failed', '007': 'Queued' };
    keeps(manifest, statusMap(live));
    changes(manifest, statusMap({ ...live, true: 'Queued' }), 'Failed', 'Queued');
  });

  it('stay null where the tenant has none, and get the value where it has one', () => {
    const manifest = `${head2}attributes:\n  a: null\n  b: x\n`;
    keeps(manifest, attributes({ b: 'x' }));
    keeps(manifest, attributes({ a: null, b: 'x' }));
    changes(manifest, attributes({ a: 'new', b: 'x' }), 'null', 'new');
  });

  it('stay cleared while the tenant has none', () => {
    const manifest = `${head2}attributes: null\n`;
    keeps(manifest, integration('I', { attributes: {} }));
    expect(mergeFile(manifest, attributes({ a: 'x' }))).toBe(`${head2}attributes:\n  a: x\n`);
  });

  it.each(['{}', "'{}'"])('stay undeclared below %s, as in a plan', (nothing) => {
    const manifest = `${head2}attributes: ${nothing}\n`;
    keeps(manifest, attributes({ a: 'x', password: 'p' }));
  });
});

describe('JSON that is declared whole', () => {
  it('keeps a secret without a word where the tenant shows null', () => {
    const files = { 'config/a.yaml': `${head2}statusMap:\n  a: !secret PW\n  b: x\n` };
    const merged = merge({ files, live: [statusMap({ a: null, b: 'new' })] });
    expect(merged.changed[0]?.content).toBe(files['config/a.yaml'].replace('b: x', 'b: new'));
    expect(codes(merged)).toEqual([]);
  });

  it('keeps null where the tenant shows nothing, and leaves out null that it shows', () => {
    const files = { 'config/a.yaml': `${head2}statusMap:\n  a: !secret PW\n  b: x\n  c: null\n` };
    const merged = merge({ files, live: [statusMap({ a: 'clear', b: 'new', d: null })] });
    expect(merged.changed[0]?.content).toBe(files['config/a.yaml'].replace('b: x', 'b: new'));
  });

  it('gets new members and loses others', () => {
    const manifest = `${head2}statusMap:\n  a: x # first\n  b: z\n`;
    expect(mergeFile(manifest, statusMap({ a: 'x', c: 'w' }))).toBe(
      `${head2}statusMap:\n  a: x # first\n  c: w\n`,
    );
    expect(mergeFile(manifest, statusMap({}))).toMatch(
      /^kind: SimIntegration\nname: I\nstatusMap: (null|\{\})\n$/,
    );
  });
});

it('JSON whose members are all empty keeps its lines where it gets another member', () => {
  const manifest = `${head}subject: S\nslackTemplate:\n  'a b': '' # aside\n`;
  const live = template('a', { subject: 'S', slackTemplate: { 'a b': '', added: 'x' } });
  expect(mergeFile(manifest, live)).toBe(`${manifest}  added: x\n`);
});

describe('a list inside JSON', () => {
  const manifest = `${head2}statusMap:\n  list:\n    - a # 1\n    - b # 2\n    - c # 3\n`;
  const lines = (...items: string[]) =>
    `${head2}statusMap:\n  list:\n${items.map((item) => `    - ${item}\n`).join('')}`;

  it.each<[string, string[], string[]]>([
    ['an item goes', ['a', 'c'], ['a # 1', 'c # 3']],
    ['an item comes', ['a', 'b', 'x', 'c'], ['a # 1', 'b # 2', 'x', 'c # 3']],
    ['an item changes', ['a', 'x', 'c'], ['a # 1', 'x # 2', 'c # 3']],
    ['the first goes and a last comes', ['b', 'c', 'x'], ['b # 2', 'c # 3', 'x']],
    ['one becomes two', ['a', 'x', 'z', 'c'], ['a # 1', 'x # 2', 'z', 'c # 3']],
    ['two become one', ['x', 'c'], ['x # 1', 'c # 3']],
  ])('where %s', (_, live, expected) =>
    expect(mergeFile(manifest, statusMap({ list: live }))).toBe(lines(...expected)),
  );

  it.each<[string, string, string[]]>([
    ['an item changes', 'a1 b2 c1', ['a1 # 1', 'b2 # 2', 'c1 # 3']],
    ['an item changes beside one that goes', 'b2 c1', ['b2 # 2', 'c1 # 3']],
    ['an item changes beside one that comes', 'x3 a2 b1 c1', ['x3', 'a2 # 1', 'b1 # 2', 'c1 # 3']],
    ['an item changes and moves', 'b1 a2 c1', ['b1 # 2', 'a2', 'c1 # 3']],
    ['an item changes beside one that moves', 'c1 a2 x3', ['c1 # 3', 'a2', 'x3']],
    ['one comes that is like one that moves', 'a2 b1 a1', ['a2', 'b1 # 2', 'a1']],
    ['two that change swap their places', 'b2 a2 c1', ['b2', 'a2 # 1', 'c1 # 3']],
    ['only the last is left, and changes', 'c2', ['c2 # 3']],
  ])('of objects keeps each comment at its item where %s', (_, live, expected) => {
    const item = (name = '', value = '', end = '') => `{ name: ${name}, of: t, value: ${value} }${end}`;
    const written = (words: string) => item(words[0], words[1], words.slice(2));
    const objects = lines(...['a1 # 1', 'b1 # 2', 'c1 # 3'].map(written));
    const list = live.split(' ').map(([name = '', value = '']) => ({ name, of: 't', value: Number(value) }));
    expect(mergeFile(objects, statusMap({ list }))).toBe(lines(...expected.map(written)));
  });

  it('becomes another thing where the tenant has another', () => {
    expect(mergeFile(manifest, statusMap({ list: 'x' }))).toBe(`${head2}statusMap:\n  list: x\n`);
    expect(mergeFile(`${head2}statusMap:\n  list: x\n`, statusMap({ list: ['a'] }))).toBe(
      `${head2}statusMap:\n  list:\n    - a\n`,
    );
  });

  describe('with a secret in it', () => {
    const secret = `${head2}attributes:\n  list:\n    - !secret PW\n    - { name: t, value: !secret PW }\n`;
    const merged = (list: Json, hidden: string[] = []) =>
      mergeOne(secret, { ...attributes({ list }), hidden });

    it('stays without a word where the tenant shows the same, as far as it does', () => {
      const same = merged(['clear', { name: 't', value: 'clear' }]);
      const masked = merged(['clear', { name: 't', value: '***' }], ['/attributes/list/1/value']);
      for (const result of [same, masked]) expect(result).toMatchObject({ changed: [], diagnostics: [] });
    });

    it.each<[string, Json]>([
      ['another secret', ['other', { name: 't', value: 'clear' }]],
      ['another order', [{ name: 't', value: 'clear' }, 'clear']],
      ['one more', ['clear', { name: 't', value: 'clear' }, 'x']],
      ['another member', ['clear', { name: 'u', value: 'clear' }]],
      ['another thing', 'x'],
    ])('is not written over by %s, and that is an error', (_, list) => {
      const result = merged(list);
      expect(result.changed).toEqual([]);
      expect(result.diagnostics).toMatchObject([{ code: 'secret-kept', severity: 'error' }]);
    });
  });
});

describe('settings with a secret, where the tenant shows nothing of them', () => {
  const mergeNull = (written: string) => {
    const live = { ...attributes({}), fields: { ...attributes({}).fields, attributes: null } };
    return mergeOne(head2 + written, live);
  };

  it('keep the secret, which may still exist', () => {
    const result = mergeNull('attributes:\n  password: !secret PW\n');
    expect(result).toMatchObject({ changed: [], diagnostics: [] });
  });

  it('lose what the tenant would show', () => {
    const { changed } = mergeNull('attributes:\n  url: x\n  password: !secret PW\n');
    expect(changed).toMatchObject([{ content: `${head2}attributes:\n  password: !secret PW\n` }]);
  });
});

describe('JSON inside JSON', () => {
  const manifest = `${head}slackTemplate:\n  text: Hi\n  blocks:\n    - type: section # why\n      text: old\n`;
  const slack = (text: string) =>
    template('a', {
      slackTemplate: JSON.stringify({ text: 'Hi', blocks: JSON.stringify([{ type: 'section', text }]) }),
    });

  it('changes in place', () => {
    keeps(manifest, slack('old'));
    changes(manifest, slack('new'), 'old', 'new');
  });

  it('stays a text where it is one while it means the same, and is written out where it does not', () => {
    const text = `${head}slackTemplate:\n  text: Hi\n  blocks: '[{"type": "section", "text": "old"}]'\n`;
    keeps(text, slack('old'));
    expect(mergeFile(text, slack('new'))).toBe(
      `${head}slackTemplate:\n  text: Hi\n  blocks:\n    - type: section\n      text: new\n`,
    );
  });
});

describe('a value that no manifest can hold', () =>
  it('is noted, and nothing changes', () => {
    const manifest = `${head2}statusMap:\n  a: x\n`;
    expect(mergedOne(manifest, statusMap({ a: 'x', $secret: 'S' }))).toEqual([manifest, 'not-declarable']);
  }));

/** Which items of a list stay where they are when the tenant has another list. */

/** The merged items, each with the number of the declared item in whose place it stands; new ones have none. */
function mergedItems(declared: readonly string[], live: readonly string[]): string[] {
  const written = declared.map((item, at) => `    - ${item} # ${at}\n`).join('');
  const manifest = `kind: SimIntegration\nname: I\nstatusMap:\n  list:\n${written}`;
  const merged = mergeFile(manifest, integration('I', { statusMap: { list: live } }));
  return [...merged.matchAll(/- (\w+)(?: # (\d+))?/g)].map(([, item = '', at = '']) => item + at);
}

it.each([
  ['abc', 'abc', 'a0 b1 c2'],
  ['abc', 'ac', 'a0 c2'],
  ['ac', 'abc', 'a0 b c1'],
  ['abc', 'axc', 'a0 x1 c2'],
  ['abc', '', ''],
  ['abcd', 'xbcz', 'x0 b1 c2 z3'],
  ['abcde', 'bxd', 'b1 x2 d3'],
  ['aab', 'ab', 'a0 b2'],
  ['ab', 'aab', 'a0 a b1'],
  ['abcab', 'cab', 'c2 a3 b4'],
  // As many as possible stay.
  ['xaybzc', 'abc', 'a1 b3 c5'],
  // The others go, and come again.
  ['abcbdab', 'bdcaba', 'b1 d4 c a5 b6 a'],
  ['abcdef', 'defabc', 'd3 e4 f5 a b c'],
])('%j becomes %j: %s', (declared, live, expected) =>
  expect(mergedItems([...declared], [...live]).join(' ')).toBe(expected),
);

it('between a common beginning and end, each item takes the place of one', () => {
  const long = (mark: string) => ['first', ...Array.from({ length: 40 }, (_, at) => mark + at), 'last'];
  const [declared, live] = [long('a'), long('b')];
  expect(mergedItems(declared, live)).toEqual(live.map((item, at) => item + at));
});

it('all are those of the tenant, in its order', () => {
  const items = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(items, items, (declared, live) => {
      expect(mergedItems(declared, live).map((item) => item[0])).toEqual(live);
    }),
  );
});
