import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Member, type Printable, printManifest } from '../../src/loader/print.ts';
import type { Json } from '../../src/model/json.ts';
import { resource, resources } from './fixture.ts';

/** Text that YAML readers take for something else, and pieces to make more of. */
const nasty = [
  '',
  ' ',
  'null',
  '~',
  'yes',
  'No',
  'true',
  '007',
  '0x1F',
  '1e3',
  '-0',
  '.inf',
  '2024-01-01',
  '12:30:45',
  '=',
  '<<',
  '---',
  '...',
  '- a',
  '? a',
  'a: b',
  'a #b',
  '#a',
  ' lead',
  'trail ',
  '\ttab',
  '*a',
  '&a',
  '!a',
  '|',
  '>',
  '%a',
  '@a',
  '`a',
  '"a"',
  "'a'",
  '{a}',
  '[a]',
  'a,b',
  '\n',
  'a\n',
  '\n\na',
  'a\n\n',
  'a\r\nb',
  'a\rb',
  '  a\n b\n',
  'a \nb',
  'a\n\tb',
  '---\na',
  'a\n---\nb',
  'a\n...\n',
  '\u0000',
  '\u0007',
  '\u0085',
  '\u2028',
  '\uFEFFa',
  '\u200b',
  'ü',
  '日本',
  '😀',
  '\ud800',
  `long ${'word '.repeat(60)}`,
];

const text = fc.oneof(
  fc.constantFrom(...nasty),
  fc
    .array(fc.constantFrom(...nasty, ' ', '\n', '\r\n', ':', '#', '-'), { maxLength: 6 })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
  fc.string(),
);

const refused = ['__proto__', 'constructor', 'prototype', '$secret', '$lookup', '$jsonText', '$literal'];
const key = text.filter((name) => !refused.includes(name));
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(1e21, 1e-7, 12345678901234567000, 5e-324, 1.7976931348623157e308),
);
const { value: json } = fc.letrec<{ value: Json; object: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 4 })
    .map((members) => Object.fromEntries(members)),
}));

function printable(value: Json): Printable {
  if (Array.isArray(value)) return value.map(printable);
  if (value === null || typeof value !== 'object') return value;
  return { members: Object.entries(value).map(([name, item]): Member => [name, printable(item)]) };
}

function manifest(...members: Member[]): string {
  return printManifest([{ members: [['kind', 'SimIntegration'], ['name', 'a'], ...members], remarks: [] }]);
}

/** What JSON says of a value: it has no -0. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('what is printed is read back as it was', () => {
  test('any JSON value', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, json), { maxLength: 4 }), (members) => {
        const attributes = Object.fromEntries(members);
        const { fields } = resource(manifest(['attributes', printable(attributes)]));
        expect(asJson(fields)).toEqual(asJson({ attributes }));
      }),
      { numRuns: 400 },
    );
  });

  test.each(nasty.map((each) => [JSON.stringify(each), each]))('the text %s', (_shown, value) => {
    const printed = manifest(['description', value], ['attributes', { members: [['k', [value]]] }]);
    expect(resource(printed).fields).toEqual({ description: value, attributes: { k: [value] } });
  });

  test('tags', () => {
    const where = { members: [['uid', 'a, b: {c}']] satisfies Member[] };
    const lookup = {
      members: [
        ['from', 'profiles'],
        ['where', where],
        ['take', 'id'],
      ] satisfies Member[],
    };
    const printed = manifest(
      ['description', { tag: '!file', value: 'texts/ä b #1.txt' }],
      ['cluster', { tag: '!lookup', value: lookup }],
      ['attributes', { members: [['password', { tag: '!secret', value: 'SNOW_PASSWORD' }]] }],
    );
    expect(resource(printed, { 'config/texts/ä b #1.txt': 'text' }).fields).toEqual({
      description: 'text',
      cluster: { $lookup: { from: 'profiles', where: { uid: 'a, b: {c}' }, take: 'id' } },
      attributes: { password: { $secret: 'SNOW_PASSWORD' } },
    });
  });

  test('several documents, whatever their texts contain', () => {
    const members = (name: string): Member[] => [
      ['kind', 'SimIntegration'],
      ['name', name],
      ['description', '---\nkind: x\n...\n'],
    ];
    const printed = printManifest(
      ['a', 'b'].map((name) => ({ members: members(name), remarks: ['a remark: # here'] })),
    );
    expect(resources(printed).map(({ key: [name] }) => name)).toEqual(['a', 'b']);
  });
});
