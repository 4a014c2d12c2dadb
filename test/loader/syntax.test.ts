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
  return explained(text).map(([problem]) => problem);
}

/** The same with the hints. */
function explained(text: string): [problem: string, hint: string | undefined][] {
  const problems = new Problems();
  parseDocuments(new SourceFile('a.yaml', text), problems);
  return problems.diagnostics.map(({ source, message, hint }) => [
    `${source?.line}:${source?.column} ${message}`,
    hint,
  ]);
}

const texts = (of: readonly string[]) =>
  fc.array(fc.constantFrom(...of), { maxLength: 14 }).map((all) => all.join(''));

it('every mistake is explained at a place in the file', () => {
  fc.assert(
    fc.property(texts([...pieces, ...more]), (text) => {
      for (const problem of problemsOf(text)) {
        const [, line = '', column = ''] = /^(\d+):(\d+) \S/.exec(problem) ?? [];
        expect(Number(line)).toBeLessThanOrEqual(text.split('\n').length);
        expect(Number(column)).toBeLessThanOrEqual((text.split('\n')[Number(line) - 1]?.length ?? 0) + 1);
      }
    }),
  );
});

it('the first three mistakes of a document are told', () => {
  expect(problemsOf('a: b: c\n'.repeat(5))).toHaveLength(3);
});

it('no explanation repeats a text of the file, which might be a secret', () => {
  fc.assert(
    fc.property(texts([...pieces, ...more, 'hunter2', 'hunter2']), (text) => {
      expect(JSON.stringify(explained(text))).not.toContain('hunter2');
    }),
    { examples: [['a: | hunter2\n'], ['a: >hunter2\n  b\n'], ['- ]\n"hunter2'], ['a: b\n...\n*x hunter2']] },
  );
});

const conflict = 'The file contains the markers of a merge conflict.';

it.each(['<<<<<<< HEAD\na: b\n', 'a: b\n=======\n', 'a: b\r\n=======\r\n', 'a: b\n>>>>>>> main\n'])(
  'the markers of a merge conflict are named, whatever else is wrong: %j',
  (text) => {
    const [[problem, hint = ''] = []] = explained(`${text}c: [\n`);
    expect(problem).toBe(`${text.startsWith('<') ? 1 : 2}:1 ${conflict}`);
    expect(hint).toContain('Keep one side of each conflict');
  },
);

it.each(['a: [\n# a ======= b\n', 'a: [\n========\n', 'a: [\n#\n<<<<<<\n'])(
  'what only looks like the markers of a merge conflict is none: %j',
  (text) => {
    expect(problemsOf(text)[0]).not.toContain(conflict);
  },
);

it.each(['a: [b c: d]', 'a: &b\n- c\n', 'a: b "c', 'a: *b:c', 'a: b]'])(
  '%j is no mistake of syntax',
  (text) => {
    expect(explained(text)).toEqual([]);
  },
);
