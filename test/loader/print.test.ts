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

const mapping = (members: Readonly<Record<string, Printable>>): Mapping => ({
  members: Object.entries(members),
});
const print = (members: Readonly<Record<string, Printable>>) =>
  printManifest([{ ...mapping(members), remarks: [] }]);

describe('printing manifests', () => {
  it('writes plain text plain, and quotes what some parser reads as something else', () => {
    expect(
      print({ a: 'Hello $name, ${x}', b: 'yes', c: '12', d: 'a: b', e: '2c91e5', f: '', g: 'it’s' }),
    ).toBe('a: Hello $name, ${x}\nb: "yes"\nc: "12"\nd: "a: b"\ne: "2c91e5"\nf: ""\ng: it’s\n');
  });

  it('writes lines as a block, and in quotes what an editor would change', () => {
    expect(print({ a: 'x\ny\n', b: 'x\ny', c: 'x \ny', d: 'x\r\ny' })).toBe(
      'a: |\n  x\n  y\nb: |-\n  x\n  y\nc: "x \\ny"\nd: "x\\r\\ny"\n',
    );
  });

  it('escapes invisible characters', () => {
    expect(print({ a: '\u2028\u202e\ufeff\u0085\ud800' })).toBe('a: "\\u2028\\u202e\\ufeff\\u0085\\ud800"\n');
  });

  it('writes tags, lookups on one line, and remarks below', () => {
    const lookup = {
      tag: '!lookup',
      value: mapping({ from: 'x', where: mapping({ uid: 'a, b' }), take: 'id' }),
    };
    const secret = { tag: '!secret', value: 'NAME' };
    expect(
      printManifest([
        { ...mapping({ lookup, secret }), remarks: ['one', 'two'] },
        { ...mapping({ a: 1 }), remarks: [] },
      ]),
    ).toBe(
      'lookup: !lookup { from: x, where: { uid: "a, b" }, take: id }\nsecret: !secret NAME\n# one\n# two\n---\na: 1\n',
    );
  });

  it('is read back as it was, in every style', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
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
            { ...printed, remarks: [] },
            { ...printed, remarks: ['x'] },
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
