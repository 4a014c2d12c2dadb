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

it('no explanation repeats a text of the file, which might be a secret', () => {
  fc.assert(
    fc.property(texts([...pieces, ...more, 'hunter2', 'hunter2']), (text) => {
      expect(JSON.stringify(explained(text))).not.toContain('hunter2');
    }),
    {
      examples: [['a: | hunter2\n'], ['a: >hunter2\n  b\n'], ['- ]\n"hunter2'], ['a: b\n...\n*x hunter2']],
    },
  );
});

const column =
  'Begin all fields of a mapping in the same column, and all items of a list with `- ` in the same column.';
const quotes = 'Put the text in quotes.';
const nameAndValue = 'Write `name: value`. If the line continues the text above, indent it.';
const conflict = 'The file contains the markers of a merge conflict.';
const notClosed = (what: string) => `The ${what} that begins here is not closed.`;
const endsBefore = 'The value ends before this text.';
const beginsText = 'Put the whole text in quotes. Without them, ';
const further = 'This line is indented further than the line above, which already has a value.';
const astray = 'This line does not begin in the same column as the lines that it belongs to.';

it.each<[text: string, problem: string, hint: string | undefined]>([
  ['a: - b', '1:4 A list must begin on a line of its own.', 'Put the `-` on the next line.'],
  ['a:\n\t- b', '2:1 This line is indented with a tab.', 'Indent it with spaces.'],
  ['a: b\r\n\tc: d\r\n', '2:1 This line is indented with a tab.', 'Indent it with spaces.'],
  ['a:\n  - b\n  c: d', `3:3 ${astray}`, column],
  ['a:\n  b: 1\n c: 2', `3:2 ${astray}`, column],
  ['a:\n   b: 1\n\n\n  c: 2', `5:3 ${astray}`, column],
  ['a: b\n  c: d', `2:3 ${further}`, column],
  ['a: b\n\n   c: d', `3:4 ${further}`, column],
  ['- a\n - b: c', `2:2 ${further}`, column],
  ['- a\nb', '2:1 This line does not belong to the list or mapping above.', column],
  ['a: b: c', '1:4 This text contains a colon followed by a space, so it is not one value.', quotes],
  ['a: b:\n', '1:4 This text contains a colon followed by a space, so it is not one value.', quotes],
  [
    'a: {b: 1 c: 2}',
    '1:8 A comma is missing here, between two settings in braces.',
    'Separate the settings by commas. Put a text that contains `: ` in quotes.',
  ],
  ['a: ["b" "c"]', '1:9 A comma is missing before this.', 'Separate the items by commas.'],
  ['a: [b,, c]', '1:7 There is one comma too many.', 'Remove it.'],
  ['a: {,}', '1:5 There is one comma too many.', 'Remove it.'],
  ['a: [b, c', `1:4 ${notClosed('list')}`, 'Close it with `]`.'],
  ['a: {b: [c}', `1:8 ${notClosed('list')}`, 'Close it with `]`.'],
  ['a: [{b: c]', `1:5 ${notClosed('mapping')}`, 'Close it with `}`.'],
  ['a: {\nb: 1\n', `1:4 ${notClosed('mapping')}`, 'Close it with `}`.'],
  ['a: "b\nc: d', `1:4 ${notClosed('quote (")')}`, 'Close it with ".'],
  ["x: 'y'\na: 'b\nc: d", `2:4 ${notClosed("quote (')")}`, "Close it with '."],
  ['x: [a]\ny: [b', `2:4 ${notClosed('list')}`, 'Close it with `]`.'],
  ['x: {a: b}\ny: {c', `2:4 ${notClosed('mapping')}`, 'Close it with `}`.'],
  ['a: [[b], [c', `1:10 ${notClosed('list')}`, 'Close it with `]`.'],
  ['x: "y"\nz: [ w, "v', `2:9 ${notClosed('quote (")')}`, 'Close it with ".'],
  ['%TAG x\n---\na: b\n', '1:1 A line can begin with `%` only in quotes.', quotes],
  [
    "a.b: 'c' d",
    `1:10 ${endsBefore}`,
    "Write an apostrophe inside single quotes twice: `'It''s time'`. Or use double quotes.",
  ],
  ['k-x_1: {b} c', `1:12 ${endsBefore}`, `${beginsText}\`{\` begins a mapping.`],
  ['a: [b]]', '1:7 No bracket is open that this `]` could close.', 'Remove it.'],
  ['a: }', '1:4 No bracket is open that this `}` could close.', 'Remove it.'],
  ['a: b\nc:d\n', '2:3 A colon needs a space after it.', 'Write `name: value`.'],
  ['a: b\na.b-c:d\n', '2:7 A colon needs a space after it.', 'Write `name: value`.'],
  ['a: b\nc\n', '2:1 This line has no colon between a name and a value.', nameAndValue],
  ['a: b\nc d:e\n', '2:1 This line has no colon between a name and a value.', nameAndValue],
  [
    'a: b\nx: |\nhunter\n',
    '3:1 This line belongs to the text that begins above, and must be indented.',
    'Indent every line of a text after `|` or `>`.',
  ],
  [
    'a: >-2\n\nhunter\n',
    '3:1 This line belongs to the text that begins above, and must be indented.',
    'Indent every line of a text after `|` or `>`.',
  ],
  ['a: b|\nc\n', '2:1 This line has no colon between a name and a value.', nameAndValue],
  ['a: | \n  b\nc\n', '3:1 This line has no colon between a name and a value.', nameAndValue],
  ['a: @b', '1:4 A text can begin with `@` only in quotes.', quotes],
  ['a: %b', '1:4 A text can begin with `%` only in quotes.', quotes],
  ['a: "b"#c', '1:7 A comment needs a space before its `#`.', 'Put a text that contains `#` in quotes.'],
  [
    'a: "\\q"',
    '1:5 YAML has no such escape with `\\`.',
    'Write a backslash as `\\\\`, or use single quotes.',
  ],
  [
    'a: *',
    '1:4 The name of an alias (`*`) or anchor (`&`) is missing or ends in a colon.',
    'If it is text, put it in quotes.',
  ],
  ['a: !b !c d', '1:7 A value can have only one tag (`!`).', 'Remove one of them.'],
  ['a: &b &c d', '1:7 A value can have only one anchor (`&`).', 'Remove one of them.'],
  [
    'a: &b c\nd: &e *b',
    '2:7 An alias (`*`) cannot have a tag or an anchor.',
    'Remove the tag or anchor before it.',
  ],
  [
    `${'k'.repeat(1100)}: 1`,
    '1:1 The name before a colon is longer than 1024 characters.',
    'Is a quote missing? Put a text that contains `: ` in quotes.',
  ],
  [
    "a: 'it's'",
    `1:8 ${endsBefore}`,
    "Write an apostrophe inside single quotes twice: `'It''s time'`. Or use double quotes.",
  ],
  [
    "-  - 'it's'",
    `1:10 ${endsBefore}`,
    "Write an apostrophe inside single quotes twice: `'It''s time'`. Or use double quotes.",
  ],
  [
    'x:\n  a.b: "b" c',
    `2:12 ${endsBefore}`,
    'Put the whole text in quotes, and write a quote inside it as `\\"`.',
  ],
  ['a: {b} c', `1:8 ${endsBefore}`, `${beginsText}\`{\` begins a mapping.`],
  ['a: [b] c', `1:8 ${endsBefore}`, `${beginsText}\`[\` begins a list.`],
  ['a: *x c', `1:7 ${endsBefore}`, `${beginsText}\`*\` begins an alias.`],
  ['... a\n', `1:5 ${endsBefore}`, quotes],
  [
    'a: | b\n',
    '1:6 A text after `|` or `>` must begin on the next line.',
    'Put it there, indented. Or put a text that begins with `|` or `>` in quotes.',
  ],
  ['a: !<x y', '1:4 YAML: Verbatim tags must end with a >.', undefined],
])('%j is explained', (text, problem, hint) => {
  expect(explained(text)[0]).toEqual([problem, hint]);
});

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
