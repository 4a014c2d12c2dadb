import { describe, expect, it } from 'vitest';
import type { Resource } from '../../src/kinds/resource.ts';
import { Problems, SourceFile } from '../../src/loader/problems.ts';
import { Failure, fail, hasErrors } from '../../src/model/failure.ts';
import { brief, config, type Files, refusalOf, resource, thrown } from './fixture.ts';

/** How problems are collected, and how their places are shown. */

const file = new SourceFile('a.yaml', 'one: 1\ntwo: 2\n');
const at = (offset: number, of = file) => ({ file: of, offset });

describe('problems', () => {
  it('have their place, excerpt, hint and address, and are errors', () => {
    const problems = new Problems();
    problems.add('a', 'Message', at(7), { hint: 'Hint', address: 'Kind/a' });
    problems.add('b', 'No place', null, { hint: null });
    expect(problems.diagnostics).toEqual([
      { code: 'b', severity: 'error', message: 'No place' },
      {
        code: 'a',
        severity: 'error',
        message: 'Message',
        source: { file: 'a.yaml', line: 2, column: 1 },
        excerpt: '2 | two: 2\n  | ^',
        hint: 'Hint',
        address: 'Kind/a',
      },
    ]);
  });

  it('have no excerpt where that is not wanted, or where there is no text', () => {
    const problems = new Problems();
    problems.add('a', 'm', at(0), { excerpt: false });
    problems.add('b', 'm', at(0, new SourceFile('b.yaml', '')));
    expect(problems.diagnostics.map((each) => Object.keys(each))).toEqual(
      Array(2).fill(['code', 'severity', 'message', 'source']),
    );
  });

  it('are sorted by file, line and column, those without a place first', () => {
    const problems = new Problems();
    problems.add('d', 'm', at(12));
    problems.add('first', 'm', null);
    problems.add('e', 'm', at(0, new SourceFile('b.yaml', 'x')));
    problems.add('c', 'm', at(7));
    problems.add('b', 'm', at(3));
    problems.add('a', 'm', at(0, new SourceFile('B.yaml', 'x')));
    expect(problems.diagnostics.map(brief)).toEqual([
      'first',
      'a B.yaml:1:1',
      'b a.yaml:1:4',
      'c a.yaml:2:1',
      'd a.yaml:2:6',
      'e b.yaml:1:1',
    ]);
  });

  it('count once at one place, with the first hint', () => {
    const problems = new Problems();
    for (const hint of ['first', 'second']) problems.add('a', 'm', at(0), { hint });
    expect(problems.count).toBe(1);
    expect(problems.diagnostics[0]?.hint).toBe('first');
    problems.add('a', 'other', at(0));
    problems.add('b', 'm', at(0));
    problems.add('a', 'm', at(1));
    problems.add('a', 'm', null);
    expect(problems.count).toBe(5);
  });

  it('are warnings where their code is tolerated, or where they say so', () => {
    const problems = new Problems(['gone']);
    problems.add('gone', 'Something', null);
    problems.add('note', 'Something', null, { severity: 'info' });
    expect(problems.diagnostics.map(({ severity }) => severity)).toEqual(['warning', 'info']);
    expect(hasErrors(problems.diagnostics)).toBe(false);
    expect(() => problems.throwIfAny()).not.toThrow();
    problems.add('other', 'Something', null);
    expect(hasErrors(problems.diagnostics)).toBe(true);
    expect(thrown(() => problems.throwIfAny()).diagnostics).toHaveLength(3);
  });

  it('of others are warnings where their code is tolerated here', () => {
    const [problems, others] = [new Problems(['gone', 'note']), new Problems()];
    others.add('gone', 'Something', null);
    others.add('note', 'Something', null, { severity: 'info' });
    problems.addAll(others);
    expect(problems.diagnostics.map(({ severity }) => severity)).toEqual(['warning', 'info']);
  });

  it('take the problems of a Failure to a place, and no other error', () => {
    const problems = new Problems();
    problems.addFailure(fail('a', 'Message', { hint: 'Hint' }), at(7));
    expect(problems.diagnostics).toMatchObject([
      { code: 'a', message: 'Message', hint: 'Hint', source: { line: 2 } },
    ]);
    expect(() => problems.addFailure(new Error('a bug'), null)).toThrow('a bug');
  });

  it('take those that others have found, each once', () => {
    const [mine, others] = [new Problems(), new Problems()];
    for (const each of [mine, others]) {
      each.add('a', 'm', at(0));
      each.add('b', 'm', null);
    }
    others.add('c', 'm', at(7));
    mine.addAll(others);
    expect(mine.diagnostics.map(({ code }) => code)).toEqual(['b', 'a', 'c']);
    expect(() => mine.throwIfAny()).toThrow(Failure);
  });

  it('of one file are fifty at most, and one more that says so', () => {
    const problems = new Problems();
    const long = new SourceFile('long.yaml', 'x\n'.repeat(100));
    for (let line = 0; line < 100; line += 1) problems.add('a', 'm', at(line * 2, long));
    for (let line = 0; line < 3; line += 1) problems.add('b', 'm', at(line));
    for (let index = 0; index < 60; index += 1) problems.add('c', `m${index}`, null);
    const count = (wanted: string) => problems.diagnostics.filter(({ code }) => code === wanted).length;
    expect(['a', 'b', 'c'].map(count)).toEqual([50, 3, 60]);
    expect(problems.diagnostics.filter(({ code }) => code === 'too-many-problems')).toMatchObject([
      {
        message: 'long.yaml has more problems: only the first 50 are shown.',
        source: { file: 'long.yaml', line: 51, column: 1 },
      },
    ]);
  });
});

it('names are not compared for problems that are not shown', () => {
  const problems = new Problems();
  const file = new SourceFile('long.yaml', 'x\n'.repeat(100));
  const suggest = () => problems.suggest({ file, offset: 0 }, 'hoost', () => ['host']);
  expect(suggest()).toBe('Did you mean `host`?');
  for (let line = 0; line < 60; line += 1) problems.add('a', 'm', { file, offset: line * 2 });
  expect(suggest()).toBeNull();
  const other = new SourceFile('other.yaml', 'x');
  expect(problems.suggest({ file: other, offset: 0 }, 'hoost', () => ['host'])).not.toBeNull();
});

describe('a place', () => {
  const at = (text: string, needle: string) => {
    const source = new SourceFile('a', text);
    const offset = text.indexOf(needle);
    const { line, column } = source.at(offset);
    return { at: `${line}:${column}`, excerpt: source.excerpt(offset).split('\n') };
  };

  it.each([
    ['first', '^a\nb', '1:1', ['1 | ^a', '  | ^']],
    ['last, without a line end', 'a\nb ^', '2:3', ['2 | b ^', '  |   ^']],
    ['after empty lines', '\n\n\n  ^', '4:3', ['4 |   ^', '  |   ^']],
    ['of Windows', 'a\r\nb ^\r\nc\r\n', '2:3', ['2 | b ^', '  |   ^']],
    ['with a number of two digits', `${'\n'.repeat(9)}a: ^`, '10:4', ['10 | a: ^', '   |    ^']],
    ['with what a terminal would interpret', 'a\u001b[31m^\u202e', '1:7', ['1 | a [31m^', '  |       ^']],
  ])('is shown in its line: %s', (_what, text, place, excerpt) =>
    expect(at(text, '^')).toEqual({ at: place, excerpt }),
  );

  it.each([
    ['at its beginning', 0, 100, '', '…'],
    ['in its middle', 100, 100, '…', '…'],
    ['at its end', 100, 0, '…', ''],
    ['where it just fits', 60, 39, '', ''],
    ['where one character is too many', 61, 40, '…', '…'],
  ])('in a long line is shown with what is around it: %s', (_what, before, after, left, right) => {
    const shownLeft = Math.min(before, 60);
    const shownRight = Math.min(after, 39);
    expect(at(`x\n${'a'.repeat(before)}^${'b'.repeat(after)}\ny`, '^')).toEqual({
      at: `2:${before + 1}`,
      excerpt: [
        `2 | ${left}${'a'.repeat(shownLeft)}^${'b'.repeat(shownRight)}${right}`,
        `  | ${' '.repeat(left.length + shownLeft)}^`,
      ],
    });
  });
});

describe('a line that may hold a credential is not shown', () => {
  const isShown = (line: string, { above = '', below = '' } = {}) => {
    const excerpt = new SourceFile('a', `${above}\n${line}\n${below}`).excerpt(above.length + 1);
    const hidden = '2 | (not shown: this line may hold a credential)';
    if (excerpt !== hidden) expect(excerpt).toBe(`2 | ${line}\n  | ^`);
    return excerpt !== hidden;
  };

  it.each([
    'password: hunter2',
    '{ password: "a, b}", x: y }',
    "{ 'token' : 'it''s', x: y }",
    'password: [a, b] # c',
    '{ password: { a: [b] }, x: y }',
    'password: |',
    'password: | hunter2',
    'password: !secret NAME, token: hunter2',
    'password: !secret NAME hunter2',
    'password: !secret "hunter2"',
    'password: !secret hunter2!',
    'password: !!str hunter2',
    'name: x-api-key, value: abc',
    '{ field: "password", Value: abc }',
    'a ghp_0123456789abcdef b',
    '{ p: !bad x, note: "the password: hunter2" }',
    '{ p: !bad x, url: "https://user:hunter2@host.example" }',
    '{ p: !bad x, note: "-----BEGIN PRIVATE KEY----- hunter2" }',
    '{ credentials: { a: [hunter2], value: hunter2 }, p: !bad x }',
    'query: https://host.example?a=b&token=hunter2 # !bad',
    `{ password: hunter2${'x'.repeat(200)}, p: !bad x, url: u }`,
    'x'.repeat(20_001),
  ])('%s', (line) => expect(isShown(line)).toBe(false));

  it.each([
    'key: a',
    'passwordPolicies: a',
    'password: !secret NAME',
    'password: !secret NAME, token: *a }',
    '{ name: a, value: abc }',
    'header: Authorization, valued: abc',
  ])('but this one is: %s', (line) => expect(isShown(line)).toBe(true));

  it('nor where the line above or below says that it is one', () => {
    expect(isShown('  value: abc', { above: '- name: client_secret' })).toBe(false);
    expect(isShown('- value: abc', { below: '  key: apiKey' })).toBe(false);
    expect(isShown('  hunter2', { above: 'password:' })).toBe(false);
    expect(isShown('hunter2 a', { above: '"token": >-' })).toBe(false);
    expect(isShown('  text', { above: 'key: |' })).toBe(true);
    expect(isShown('  text', { above: 'password: !secret NAME' })).toBe(true);
  });

  it('nor where it is inside a key of several lines', () => {
    const key = '-----BEGIN KEY-----\nMIIE\nAQEF\n-----END KEY-----\nkind: A\nname: b\n';
    const lines = [0, 20, 25, 30, 48, 56].map((offset) => new SourceFile('a', key).excerpt(offset));
    expect(lines.map((line) => line.includes('not shown'))).toEqual([true, true, true, false, false, false]);
  });

  it('and no message quotes its values, nor those of a `secret` place', () => {
    const kind = {
      kind: 'Foo',
      path: '/v1/foos',
      key: 'name',
      update: 'put',
      fields: { pin: 'text' },
      places: { pin: 'secret' },
    };
    const found = refusalOf({
      'kinds/Foo.kind.yaml': JSON.stringify(kind),
      'config/a.yaml': 'kind: SimIntegration\nname: a\nattributes: { password: 0421 }\n',
      'config/b.yaml': 'kind: Foo\nname: a\npin: 4217\n',
      'config/c.yaml': 'kind: NotificationTemplate\nkey: k\nmedium: EMAIL\nlocale: en\nsubject: 099\n',
    });
    expect(found.map(brief)).toEqual([
      'inexact-number config/a.yaml:3:25',
      'wrong-type config/b.yaml:3:6',
      'inexact-number config/c.yaml:5:10',
    ]);
    expect(JSON.stringify(found)).not.toContain('421');
    expect(found[0]?.message).toBe('`•••` is read as the number •••.');
    expect(found[2]?.hint).toBe('If it is text, put it in quotes: "099". If it is a number, write 99.');
    const auth = config('    identity: { baseUrl: "https://a.example", auth: hunter2 }\n');
    expect(JSON.stringify(refusalOf({ 'tenantctl.yaml': auth }))).not.toContain('hunter2');
  });
});

/** Where a message points that is about one character of a text, such as a mistake in a template. */

const head = 'kind: NotificationTemplate\nkey: k\nmedium: EMAIL\nlocale: en\n';

/** Where the first `#` of a field's text stands for the reader: `file:line:column`, and the excerpt. */
function hashIn(field: 'body' | 'subject', declared: Resource): { place: string; excerpt: string } {
  const offset = String(declared.fields[field]).indexOf('#');
  if (offset < 0) throw new Error('The text has no #.');
  const { source, excerpt } = declared.point(`/${field}`, offset);
  return { place: `${source?.file}:${source?.line}:${source?.column}`, excerpt };
}

const template = (fields: string, files: Files = {}) => resource(head + fields, files);

describe('a character of a text is found where it is written', () => {
  it.each([
    ['plain', 'subject: one#two\n', 'config/a.yaml:5:13'],
    ['in double quotes', 'subject: "one #two"\n', 'config/a.yaml:5:15'],
    ['in single quotes', "subject: 'one #two'\n", 'config/a.yaml:5:15'],
    ['at its beginning', 'subject: "#one"\n', 'config/a.yaml:5:11'],
    ['under its key', 'subject:\n  one#two\n', 'config/a.yaml:6:6'],
    ['before a quoted part that repeats it', 'subject: one#two one#two\n', 'config/a.yaml:5:13'],
  ])('%s', (_what, fields, place) => expect(hashIn('subject', template(fields)).place).toBe(place));

  it.each([
    ['in the first line of a block', 'body: |\n  #one\n  two\n', 'config/a.yaml:6:3'],
    ['in a later line', 'body: |\n  one\n  two\n  thr#ee\n', 'config/a.yaml:8:6'],
    ['in the last line, without a line end', 'body: |-\n  one\n  t#wo', 'config/a.yaml:7:4'],
    ['in a line that is indented further', 'body: |\n  one\n     t#wo\n  three\n', 'config/a.yaml:7:7'],
    ['after an empty line', 'body: |\n  one\n\n  #two\n', 'config/a.yaml:8:3'],
    ['in a block whose first line is indented further', 'body: |2\n    one\n  t#wo\n', 'config/a.yaml:7:4'],
    ['in a block with a comment in its header', 'body: | # text\n    one\n    t#wo\n', 'config/a.yaml:7:6'],
  ])('%s', (_what, fields, place) => expect(hashIn('body', template(fields)).place).toBe(place));

  it('in the file that `!file` names, from the project on', () => {
    const text = '<p>\n  one #two\n</p>\n';
    const { place, excerpt } = hashIn('body', template('body: !file ../t/a.html\n', { 't/a.html': text }));
    expect(place).toBe('t/a.html:2:7');
    expect(excerpt).toBe('2 |   one #two\n  |       ^');
  });

  it('in the overlay that sets it', () => {
    const overlay = config('    overlays:\n      - { target: "**", merge: { body: "one #two" } }\n');
    const declared = template('body: "other #text"\n', { 'tenantctl.yaml': overlay });
    expect(hashIn('body', declared).place).toBe('tenantctl.yaml:6:45');
  });

  it('in the last of several overlays that set it', () => {
    const merges = ['body: "one #two"', 'body: "for #two"', 'subject: s'];
    const lines = merges.map((merge) => `      - { target: "**", merge: { ${merge} } }\n`);
    const declared = template('', { 'tenantctl.yaml': config(`    overlays:\n${lines.join('')}`) });
    expect(hashIn('body', declared).place).toBe('tenantctl.yaml:7:45');
  });

  it('with the line that holds it', () =>
    expect(hashIn('body', template('body: |\n  one\n  two #three\n')).excerpt).toBe(
      '7 |   two #three\n  |       ^',
    ));
});

describe('the beginning of the value is shown where the file does not hold the text as it is', () =>
  it.each([
    ['folded', 'body: >\n  one\n  t#wo\n', 'config/a.yaml:5:7'],
    ['with an escape before the character', 'body: "one\\ttwo#three"\n', 'config/a.yaml:5:7'],
    ['with a doubled quote before the character', "body: 'it''s #one'\n", 'config/a.yaml:5:7'],
    ['plain over two lines', 'body: one\n  t#wo\n', 'config/a.yaml:5:7'],
    ['made of variables', 'body: !format "%{host} #one"\n', 'config/a.yaml:5:7'],
    ['of a variable', 'body: !var note\n', 'config/a.yaml:5:7'],
    ['under an alias', 'subject: &s one#two\nbody: *s\n', 'config/a.yaml:6:7'],
  ])('%s', (_what, fields, place) => {
    const variables = config('    variables: { host: h, note: "one #two" }\n');
    expect(hashIn('body', template(fields, { 'tenantctl.yaml': variables })).place).toBe(place);
  }));

it('a place is that of the value where no character is named, of the mapping where there is no value', () => {
  const declared = template('subject: "one"\n');
  expect(declared.point('/subject')).toEqual({
    source: { file: 'config/a.yaml', line: 5, column: 10 },
    excerpt: '5 | subject: "one"\n  |          ^',
  });
  expect(declared.point('/body', 3).source).toMatchObject({ line: 1, column: 1 });
  expect(declared.point('', 3).source).toMatchObject({ line: 1, column: 1 });
});
