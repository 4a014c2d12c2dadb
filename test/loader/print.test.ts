import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments, parseDocument } from 'yaml';
import {
  type Mapping,
  type Printable,
  printBlock,
  printInline,
  printManifest,
} from '../../src/loader/print.ts';
import { anyText } from '../support/arbitraries.ts';

const mapping = (members: Readonly<Record<string, Printable>>): Mapping => ({
  members: Object.entries(members),
});
const print = (members: Readonly<Record<string, Printable>>) =>
  printManifest([{ ...mapping(members), ...bare }]);
const bare = { comments: new Map<string, string>(), remarks: [] };

describe('printing manifests', () => {
  it('writes plain text plain, and quotes what some parser reads as something else', () =>
    expect(
      print({
        a: 'Hello $name, ${x}',
        b: 'yes',
        c: '12',
        d: 'a: b',
        e: '2c91e5',
        f: '',
        g: 'it’s',
        h: '<p>',
      }),
    ).toBe('a: Hello $name, ${x}\nb: "yes"\nc: "12"\nd: "a: b"\ne: 2c91e5\nf: ""\ng: it’s\nh: <p>\n'));

  it.each([
    ...['0', '007', '1_000', '1.5', '1.2.3', '1e3', '1.5e+3', '12e45', '0x1F', '0o17', '0b1'],
    ...['12:30', '190:20:30.15', '2015-01-01', '2001-12-14t21:59:43.10-05:00', '<<', '.inf', '=', '~'],
  ])('quotes %s, which some parser takes for something else than text', (value) => {
    expect(print({ a: value })).toBe(`a: "${value}"\n`);
    for (const version of ['1.1', '1.2'] as const)
      expect(parseDocument(print({ a: value }), { version }).toJS()).toEqual({ a: value });
  });

  it('reads back the same texts with a parser for YAML 1.1', () => {
    const word = fc.string({ unit: fc.constantFrom(...'0123456789_.:-+eExXobfaytnZT <=~/') });
    fc.assert(
      fc.property(word, (value) => {
        expect(parseDocument(print({ a: value }), { version: '1.1' }).toJS()).toEqual({ a: value });
      }),
      { numRuns: 600 },
    );
  });

  it('writes short lists on one line, and comments beside values', () => {
    const long = ['one address that is long', 'another address that is long', 'a third'];
    const list = { media: ['EMAIL', 'SLACK'], long, lines: ['a\nb'], none: [], named: ['x', 'w'], id: 'z' };
    const comments = new Map([
      ['/named/1', 'Ypsilon'],
      ['/id', 'Zett'],
    ]);
    expect(printManifest([{ ...mapping(list), ...bare, comments }])).toBe(
      'media: [EMAIL, SLACK]\nlong:\n  - one address that is long\n  - another address that is long\n  - a third\n' +
        'lines:\n  - |-\n    a\n    b\nnone: []\nnamed:\n  - x\n  - w  # Ypsilon\nid: z  # Zett\n',
    );
  });

  it('writes lines as a block, and in quotes what an editor would change', () =>
    expect(print({ a: 'x\n\ny\n', b: 'x\ny', c: 'x \ny', d: 'x\r\ny', e: 'x\u00a0y' })).toBe(
      'a: |\n  x\n\n  y\nb: |-\n  x\n  y\nc: "x \\ny"\nd: "x\\r\\ny"\ne: "x\u00a0y"\n',
    ));

  it('writes no comment behind a block, where it would be text', () => {
    const comments = new Map([['/a', 'name']]);
    expect(printManifest([{ ...mapping({ a: 'x\n' }), ...bare, comments }])).toBe('a: |\n  x\n');
  });

  it('escapes invisible characters', () =>
    expect(print({ a: '\u2028\u202e\ufeff\u0085\ud800' })).toBe(
      'a: "\\u2028\\u202e\\ufeff\\u0085\\ud800"\n',
    ));

  it('writes tags, lookups on one line, and remarks below', () => {
    const lookup = {
      tag: '!lookup',
      value: mapping({ from: 'x', where: mapping({ uid: 'a, b' }), take: 'id' }),
    };
    const secret = { tag: '!secret', value: 'NAME' };
    expect(
      printManifest([
        { ...mapping({ lookup, secret }), ...bare, remarks: ['one', 'two'] },
        { ...mapping({ a: 1 }), ...bare },
      ]),
    ).toBe(
      'lookup: !lookup { from: x, where: { uid: "a, b" }, take: id }\nsecret: !secret NAME\n# one\n# two\n---\na: 1\n',
    );
  });

  it('is read back as it was, in every style', () => {
    const text = fc.oneof(
      anyText(20),
      fc.string({
        unit: fc.constantFrom(
          '\n',
          ' ',
          '\t',
          '\r',
          ':',
          '#',
          '-',
          "'",
          '"',
          'a',
          '1',
          '{',
          ',',
          '%',
          '!',
          '&',
        ),
      }),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.constantFrom(null, true, 0, -2.5, 1e21),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(
        fc.dictionary(text, value, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
        (members) => {
          const printed = printable(members);
          const manifest = printManifest([
            { ...printed, ...bare },
            { ...printed, ...bare, remarks: ['x'] },
          ]);
          const read = parseAllDocuments(manifest).map((document) => document.toJS());
          expect(read).toEqual([members, members]);
          expect(parseDocument(printInline(printed)).toJS()).toEqual(members);
          expect(parseDocument(printBlock(printed)).toJS()).toEqual(members);
        },
      ),
      { numRuns: 500 },
    );
  });
});

function printable(members: object): Mapping {
  return { members: Object.entries(members).map(([name, item]) => [name, printableValue(item)]) };
}

function printableValue(value: unknown): Printable {
  if (Array.isArray(value)) return value.map(printableValue);
  if (typeof value === 'object' && value !== null) return printable(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
