import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { SourceFile } from '../../src/loader/file.ts';
import { parseDocuments, schema, tokensOf } from '../../src/loader/parse.ts';
import { plainDocuments } from '../../src/loader/plain.ts';
import { Problems } from '../../src/loader/problems.ts';
import { deferTag, readTree } from '../../src/loader/tree.ts';
import { trickyText } from '../support/arbitraries.ts';
import { runs } from '../support/effort.ts';

/** What is read straight from the tokens; `null` where that is left to the composer. */
function plain(text: string) {
  return plainDocuments(tokensOf(new SourceFile('a.yaml', text), new Problems()) ?? [], schema);
}

/** What is read from nodes, if the file is sound and without tags. */
function composed(text: string) {
  const problems = new Problems();
  const read = parseDocuments(new SourceFile('a.yaml', text), problems).map((document) => {
    const { value, tagged } = readTree(document, deferTag, problems);
    return { offset: document.offset, value, tagged };
  });
  if (problems.count > 0 || read.some(({ tagged }) => tagged)) return null;
  return read.map(({ offset, value }) => ({ offset, value }));
}

const line = fc.oneof(
  fc.constantFrom(
    ...[
      'key: value',
      'name: two words',
      'empty:',
      'empty: ',
      'tight:value',
      'wide :  value',
      'kind: ~',
      'on: yes',
    ],
    ...[
      'number: 12',
      'float: 1.5',
      'truth: true',
      'hex: 0x1f',
      'nothing: null',
      'date: 2026-01-01',
      'null: a',
    ],
    ...[
      'text: |',
      'text: >-',
      'text: |+',
      'text: |2',
      'text: | # comment',
      'text: |\t',
      'nested:',
      'nested: # comment',
    ],
    ...[
      '  inner: value',
      '    deep: value',
      '   odd: value',
      '  line of text',
      '\ttab: value',
      '  \ttab',
      '  ',
      '',
    ],
    ...[
      '# comment',
      '  # comment',
      'key: value # comment',
      'key: value#none',
      '---',
      '...',
      '%YAML 1.2',
      '- item',
    ],
    ...[
      'key: &anchor value',
      'key: *anchor',
      'key: !tag value',
      '!tag key: value',
      '? key',
      ': value',
      '<<: value',
    ],
    ...[
      'key: {a: b}',
      'key: [a]',
      'key: a: b',
      'key: "quoted"',
      "key: 'quoted'",
      'key: "a\\tb\\u0041"',
      'key: "open',
    ],
    ...[
      "key: 'open",
      '"quoted": value',
      'key: "a" b',
      'key: @value',
      'key: `value`',
      'key: %value',
      'key: - value',
    ],
    ...[
      '  - item',
      '- name: value',
      '  - name: value',
      '    more: value',
      '- "item" # comment',
      '-',
      '- - item',
      '-  item',
      'key: [a, "b", 1]',
      'key: [ a , b ]',
      'key: [a,b]',
      'key: [a, b: c]',
      'key: [a,]',
      'key: []',
      'key: {}',
      'key: {a: b, c: [d, {e: f}]} # comment',
      'key: { a: b }',
      'key: {a: b, a: c}',
      'key: {a:b}',
      'key: {"a": b}',
      'key: {"a":b}',
      'key: [a',
      '  , b]',
      'key: [a # comment',
      'key: [!tag a]',
      'key: [a]]',
      'key: [a] b',
      'key: -0',
      'key: 007',
      'key: -12',
      'key: 123456789012345678',
    ],
    ...[
      '__proto__: value',
      'constructor: value',
      '$secret: value',
      'key.with-all_1: value',
      'ключ: value',
      'key:\tvalue',
    ],
    ...[
      'key: value\t',
      'key: "it\'s" # comment',
      "key: 'it''s'",
      'key: value: ',
      'key: ,value',
      'key: >\r',
      'a: b\r',
    ],
  ),
  fc.tuple(fc.constantFrom('a', 'b', '  c'), trickyText).map(([key, value]) => `${key}: ${value}`),
);

const name = fc.constantFrom('kind', 'name', 'body', 'description', 'a-b.c');
const text = fc.oneof(
  { weight: 3, arbitrary: trickyText },
  { weight: 2, arbitrary: fc.stringMatching(/^[a-z :#'"<>$-]{1,12}$/) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom('', '  a', 'b: c', '<p>', '# d'), { minLength: 2 })
      .map((l) => l.join('\n')),
  },
);

const written = fc
  .record({
    value: fc.dictionary(
      fc.oneof({ weight: 20, arbitrary: name }, { weight: 1, arbitrary: fc.constantFrom('null', 'a b') }),
      fc.oneof(
        { weight: 12, arbitrary: text },
        { weight: 3, arbitrary: fc.dictionary(name, text, { minKeys: 1, maxKeys: 3 }) },
        {
          weight: 2,
          arbitrary: fc.array(fc.oneof(text, fc.dictionary(name, text, { maxKeys: 2 })), { maxLength: 3 }),
        },
        { weight: 2, arbitrary: fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.constant(null)) },
      ),
      { minKeys: 1, maxKeys: 5 },
    ),
    options: fc.record({
      indent: fc.constantFrom(1, 2, 4),
      lineWidth: fc.constantFrom(0, 20, 80),
      defaultStringType: fc.constantFrom(
        ...(['PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'] as const),
      ),
      singleQuote: fc.constantFrom(true, false, null),
      collectionStyle: fc.constantFrom('any', 'any', 'flow'),
      indentSeq: fc.boolean(),
    }),
  })
  .map(({ value, options }) => stringify(value, options));

const several = fc.array(written, { minLength: 1, maxLength: 3 }).map((all) => all.join('---\n'));

const assembled = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 7 }), fc.constantFrom('\n', '\n', '\r\n'))
  .map(([lines, end]) => lines.join(end) + end);

/** A text with some characters taken out, put in or doubled. */
const damaged = fc
  .tuple(
    fc.oneof(written, assembled),
    fc.array(
      fc.record({
        at: fc.nat(),
        remove: fc.nat({ max: 3 }),
        insert: fc.constantFrom(
          '',
          ' ',
          ':',
          '\n',
          '"',
          '|',
          '-',
          '#',
          '\t',
          ' a: ',
          ',',
          '[',
          ']',
          '{',
          '}',
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((changed, { at, remove, insert }) => {
      const place = at % (changed.length + 1);
      return changed.slice(0, place) + insert + changed.slice(place + remove);
    }, text),
  );

describe('what is read straight from the tokens', () => {
  it.each([
    ['of plain manifests', written, 0.05],
    ['of several in a file', several, 0.02],
    ['of lines of all sorts', assembled, 0.01],
    ['of damaged texts', damaged, 0.01],
  ])('is what the composer reads, %s', (_, texts, least) => {
    let [all, read] = [0, 0];
    fc.assert(
      fc.property(texts, (yaml) => {
        const found = plain(yaml);
        all += 1;
        if (!found || found.length === 0) return;
        read += 1;
        const expected = composed(yaml);
        expect(found).toEqual(expected);
        expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
      }),
      { numRuns: runs(5000) },
    );
    // Were nothing read this way, the law would hold all the same.
    expect(read / all).toBeGreaterThan(least);
  });

  it('is a file of many', () => {
    const text = '# First\n---\na: b\n--- # second\n\nc: d\n';
    expect(plain(text)).toEqual([
      { offset: 12, value: { a: 'b' } },
      { offset: 31, value: { c: 'd' } },
    ]);
    expect(composed(text)).toEqual(plain(text));
    expect(plain('')).toEqual([]);
  });

  it('is a manifest as most are', () => {
    const text = [
      '# About this',
      'kind: NotificationTemplate',
      'key: welcome # the key',
      "subject: 'It''s here: $name'",
      'name: "Tab\\t"',
      'body: |',
      '  <p>One</p>',
      '',
      '    <p>Two</p>',
      'lifecycle:',
      '  note: nested',
      '',
    ].join('\n');
    const value = {
      kind: 'NotificationTemplate',
      key: 'welcome',
      subject: "It's here: $name",
      name: 'Tab\t',
      body: '<p>One</p>\n\n  <p>Two</p>\n',
      lifecycle: { note: 'nested' },
    };
    expect(plain(text)).toEqual([{ offset: 13, value }]);
    expect(composed(text)).toEqual([{ offset: 13, value }]);
  });

  it('is lists, numbers and brackets on a line', () => {
    const text = [
      'rules:',
      '  - type: one # first',
      '    value: 12',
      '  # second',
      '  - { type: two, value: -3, of: [a, "b c", null] }',
      'mediums:',
      '- EMAIL',
      "- 'SLACK'",
      'sources: [src-1, src-2] # all',
      'none: []',
      'offNetwork: true',
      '',
    ].join('\n');
    const value = {
      rules: [
        { type: 'one', value: 12 },
        { type: 'two', value: -3, of: ['a', 'b c', null] },
      ],
      mediums: ['EMAIL', 'SLACK'],
      sources: ['src-1', 'src-2'],
      none: [],
      offNetwork: true,
    };
    expect(plain(text)).toEqual([{ offset: 0, value }]);
    expect(composed(text)).toEqual([{ offset: 0, value }]);
  });

  it.each([
    'a: 1.5',
    'a: yes\nb: 0x1f',
    'a: -0',
    'a: !env B',
    'a: &x y',
    '- a',
    'a: [b,\n  c]',
    'a: [b]c',
    'a: [b}',
    'a: {b: c]',
    'a: [b]# c',
    'a: "b"# c',
    'a: {b: c, b: d}',
    'a:\n  - - b',
    'a: b\n---\nc: !x 1',
    '--- a: b',
    'a: b\n...\n---\nc: d',
    'a: b\n---\n---\nc: d',
    'a: b\na: c',
    '<<: a',
    '---',
  ])('is not `%s`', (text) => {
    expect(plain(`${text}\n`)).toBeNull();
  });
});
