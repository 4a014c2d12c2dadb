import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SourceFile } from '../../src/loader/file.ts';
import { parseDocuments } from '../../src/loader/parse.ts';
import { Problems } from '../../src/loader/problems.ts';

const pieces = [
  'a',
  ': ',
  ':',
  '\n',
  '  ',
  '\t',
  '- ',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  ', ',
  '#',
  '&b ',
  '*b',
  '!c ',
];
const more = ['|', '>', '%', '@', '`', '\\', '<<<<<<< x', '---', '? ', '\r\n'];

/** What is wrong with a text, as `line:column message`. */
function problemsOf(text: string): string[] {
  const problems = new Problems();
  parseDocuments(new SourceFile('a.yaml', text), problems);
  return problems.diagnostics.map(({ source, message }) => `${source?.line}:${source?.column} ${message}`);
}

it('every mistake is explained at a place in the file', () => {
  const texts = fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 14 }).map((all) => all.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      for (const problem of problemsOf(text)) {
        const [, line = '', column = ''] = /^(\d+):(\d+) \S/.exec(problem) ?? [];
        expect(Number(line)).toBeLessThanOrEqual(text.split('\n').length);
        expect(Number(column)).toBeLessThanOrEqual((text.split('\n')[Number(line) - 1]?.length ?? 0) + 1);
      }
    }),
  );
});

it.each([
  ['a: - b', '1:4 A list must begin on a line of its own'],
  ['a:\n  - b\n  c: d', '3:3 This line does not begin in the same column as the lines that it belongs to'],
  ['- a\nb', '2:1 This line does not belong to the list or mapping above'],
  ['a: "b"#c', '1:7 A comment needs a space before its `#`'],
  ['a: "\\q"', '1:5 There is no such escape with `\\`'],
  ['a: [b c: d]', ''],
  ['a: [b,, c]', '1:7 There is a comma too many'],
  ['a: *', '1:4 The name of an alias (`*`) or anchor (`&`) is missing or ends in a colon'],
  ['a: !b !c d', '1:7 A value can have only one tag (`!`)'],
  ['a: &b c\nd: &e *b', '2:7 An alias (`*`) cannot have a tag or an anchor'],
])('%j is explained', (text, explanation) => {
  expect(problemsOf(text)[0] ?? '').toBe(explanation);
});
