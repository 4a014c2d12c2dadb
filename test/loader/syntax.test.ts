import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseDocuments, yamlOptions } from '../../src/loader/parse.ts';
import { Problems, SourceFile } from '../../src/loader/problems.ts';
import { errors, failureOf, refusalOf, resource } from './fixture.ts';

const parts = [
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
const problemsOf = (text: string): string[] => explained(text).map(([problem]) => problem);

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

it('every mistake is explained at a place in the file', () =>
  fc.assert(
    fc.property(texts([...parts, ...more]), (text) => {
      for (const problem of problemsOf(text)) {
        const [, line = '', column = ''] = /^(\d+):(\d+) \S/.exec(problem) ?? [];
        expect(Number(line)).toBeLessThanOrEqual(text.split('\n').length);
        expect(Number(column)).toBeLessThanOrEqual((text.split('\n')[Number(line) - 1]?.length ?? 0) + 1);
      }
    }),
  ));

it('the first three mistakes of a document are told', () =>
  expect(problemsOf('a: b: c\n'.repeat(5))).toHaveLength(3));

it('no explanation repeats a text of the file, which might be a secret', () =>
  fc.assert(
    fc.property(texts([...parts, ...more, 'hunter2', 'hunter2']), (text) => {
      expect(JSON.stringify(explained(text))).not.toContain('hunter2');
    }),
    { examples: [['a: | hunter2\n'], ['a: >hunter2\n  b\n'], ['- ]\n"hunter2'], ['a: b\n...\n*x hunter2']] },
  ));

const conflict = 'The file contains the markers of a merge conflict.';

it.each(['<<<<<<< HEAD\na: b\n', 'a: b\n=======\n', 'a: b\r\n=======\r\n', 'a: b\n>>>>>>> main\n'])(
  'the markers of a merge conflict are named, whatever else is wrong: %j',
  (text) => {
    const [[problem, hint = ''] = [], ...others] = explained(`${text}c: [\n`);
    expect(others).toEqual([]);
    expect(problem).toBe(`${text.startsWith('<') ? 1 : 2}:1 ${conflict}`);
    expect(hint).toContain('Keep one side of each conflict');
  },
);

it.each(['a: [\n# a ======= b\n', 'a: [\n========\n', 'a: [\n#\n<<<<<<\n'])(
  'what only looks like the markers of a merge conflict is none: %j',
  (text) => expect(problemsOf(text)[0]).not.toContain(conflict),
);

it.each(['a: [b c: d]', 'a: &b\n- c\n', 'a: b "c', 'a: *b:c', 'a: b]'])(
  '%j is no mistake of syntax',
  (text) => expect(explained(text)).toEqual([]),
);

/** Notification texts that YAML would cut, because it reads ` #` as the beginning of a comment. */

const template = (line: string) =>
  `kind: NotificationTemplate\nkey: k\nmedium: EMAIL\nlocale: en\n${line}\ndescription: d\n`;

describe('a text that goes on behind a blank and a directive', () => {
  it.each([
    ['subject: Noch $n #if($n > 1)Tage#end', 18],
    ['subject: Noch $n #foreach($a in $b)$a#end', 18],
    ['subject: Noch $n #foreach ($a in $b)$a', 18],
    ['subject: Noch#if($n) $n #end', 25],
    ['subject: Noch#if($n) $n #end of it', 25],
    ['subject: #if($n > 1)Tage#end', 10],
    ['subject: Noch $n #else', 18],
    ['subject: Noch $n #else Tage #end', 18],
    ['subject: Noch $n #{else}Tage', 18],
    ['subject: Noch#{if}($n) $n #{end}', 27],
    ['subject: Noch#{if}($n) $n #end of it', 27],
    ['subject: Noch $n #{if}($n > 1)Tage#{end}', 18],
    ['subject: Noch #set($n = 1)$n', 15],
    ['subject: Noch #define($day)Tag#end', 15],
    ['subject: Noch #macro(day)Tag#end', 15],
    ['subject: Noch #parse("days.vm")', 15],
    ['subject: Noch #include("days.txt")', 15],
    ['subject: Noch $n #$days', 18],
    ['subject: Noch $n #$!{a.days} Tage', 18],
    ['subject: Noch $n #[[$days]]#', 18],
    ['subject: Noch $n #@days()$n#end', 18],
    ['subject: Noch $n #break', 18],
    ['subject: Noch $n #{stop}', 18],
    ['slackTemplate: { text: Noch $n #if($n)Tage#end\n  }', 32],
  ])('is an error: %s', (line, column) =>
    expect(errors(failureOf({ 'config/a.yaml': template(line) }))).toEqual([
      `cut-text config/a.yaml:5:${column}`,
    ]),
  );

  it('is one in a variable too, and the message says what to do', () => {
    const variables = 'variables:\n      days: Noch $n #if($n)Tage#end';
    const files = {
      'tenantctl.yaml': `version: 1\nenvironments:\n  test:\n    sandbox: {}\n    ${variables}\n`,
      'config/a.yaml': template('subject: !var days'),
    };
    expect(refusalOf(files)).toMatchObject([
      {
        code: 'cut-text',
        source: { file: 'tenantctl.yaml', line: 6, column: 21 },
        hint: 'Put the whole text in quotes, or in a block after `|`.',
      },
    ]);
  });

  it.each([
    ['subject: "Noch $n #if($n > 1)Tage#end"', 'Noch $n #if($n > 1)Tage#end'],
    ['subject: Noch#if($n > 1) Tage#end', 'Noch#if($n > 1) Tage#end'],
    ['subject: Noch # if it is late (or not)', 'Noch'],
    ['subject: Noch #end of the subject', 'Noch'],
    ['subject: Noch #$5 and #stop here', 'Noch'],
    ['subject: "Noch" #end', 'Noch'],
    ['subject: |-\n  Noch $n #if($n)Tage#end', 'Noch $n #if($n)Tage#end'],
  ])('is none where the text is whole, or the comment is one: %s', (line, subject) =>
    expect(resource(template(line)).fields.subject).toBe(subject),
  );
});

/** Numbers whose text would change are refused: the tenant would get others than the manifest says. */

const manifest = (number: string) => `kind: SimIntegration\nname: a\nattributes: { n: ${number} }\n`;

describe('a number in a manifest', () => {
  it.each<[string, number]>([
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740994', 9007199254740994],
    ['100000000000000000000', 1e20],
    ['1e21', 1e21],
    ['-1.5E+30', -1.5e30],
    ['0.1', 0.1],
    ['-0', -0],
  ])('is sent as it is: %s', (text, value) =>
    expect(resource(manifest(text)).fields).toMatchObject({ attributes: { n: value } }),
  );

  it.each([
    ...['9007199254740993', '-9007199254740993', '12345678901234567890', '0.12345678901234567890', '1e400'],
    ...['0x20000000000001', '0x1E0000000000001', '0x1F', '0o17', '007', '1.10', '1.0', '1e3', '+5'],
    ...['.inf', '.nan'],
  ])('is refused where its text would change: %s', (text) =>
    expect(errors(failureOf({ 'config/a.yaml': manifest(text) }))).toEqual([
      expect.stringMatching(/^inexact-number config\/a\.yaml:3:18$/),
    ]),
  );

  it('says what to write', () => {
    const found = failureOf({ 'config/a.yaml': manifest('007') }).find(
      ({ severity }) => severity === 'error',
    );
    expect(found).toMatchObject({
      message: '`007` is read as the number 7.',
      hint: 'If it is text, put it in quotes: "007". If it is a number, write 7.',
    });
  });

  it('is one in JSON text too, whose numbers are sent as they are or as text', () => {
    const written = (json: string) => `kind: SimIntegration\nname: a\nattributes: '${json}'\n`;
    const kept = '{"a":1.10,"b":"12345678901234567890","c":"{\\"d\\":1e400}","e":[1e3]}';
    expect(resource(written(kept)).fields).toEqual({ attributes: kept });
    const found = failureOf({ 'config/a.yaml': written('{"a": {"b": [12345678901234567890, 1e400]}}') });
    expect(errors(found)).toEqual(Array(2).fill('inexact-number config/a.yaml:3:13'));
    expect(found.at(-1)).toMatchObject({
      message: '`1e400` in the JSON of `attributes` is more than a number can hold.',
      hint: 'If it is text, put it in quotes: "1e400".',
    });
    const chat = 'kind: NotificationTemplate\nkey: a\nmedium: SLACK\nlocale: en\nslackTemplate:\n  ';
    const nested = failureOf({
      'config/a.yaml': `${chat}blocks: '[{"a": 1.10, "b": 12345678901234567890}]'\n`,
    });
    expect(nested.map(({ message }) => message)).toEqual([
      '`12345678901234567890` in the JSON of `slackTemplate` is more than a number can hold.',
    ]);
    const text = 'attributes: "12345678901234567890"';
    expect(resource(`kind: SimIntegration\nname: a\n${text}\n`).fields).toBeDefined();
  });

  it('may not have a key in JSON text that would be refused in YAML', () => {
    const written = (json: string) => `kind: SimIntegration\nname: a\nrequest: '${json}'\n`;
    for (const json of [
      '{"a": [{"$live": "/attributes/password"}]}',
      '{"\\u0024secret": "PW"}',
      '{"__proto__": 1}',
    ])
      expect(errors(failureOf({ 'config/a.yaml': written(json) }))).toEqual([
        'reserved-key config/a.yaml:3:10',
      ]);
    const chat =
      'kind: NotificationTemplate\nkey: a\nmedium: SLACK\nlocale: en\nslackTemplate: { text: hi, blocks: \'[{"x":{"$live":"/a"}}]\' }\n';
    expect(errors(failureOf({ 'config/a.yaml': chat }))).toEqual(['reserved-key config/a.yaml:5:16']);
    const schema = `kind: SimIntegration\nname: a\nattributes: { schema: '{"$ref":"#/a"}' }\n`;
    expect(resource(schema).fields).toEqual({ attributes: { schema: '{"$ref":"#/a"}' } });
  });

  it('may not have a key twice in one object of JSON text', () => {
    const written = (json: string) => `kind: SimIntegration\nname: a\nstatusMap: '${json}'\n`;
    for (const json of ['{"a":"Failed","b":"x","a":"Failed"}', '{"b": {"a" : 1, "\\u0061": 2}}'])
      expect(errors(failureOf({ 'config/a.yaml': written(json) }))).toContain(
        'duplicate-key config/a.yaml:3:12',
      );
    const fields = { request: { a: { a: '"a":', b: ['"', 'a:'] }, b: 1, 'c"': ':' } };
    const text = JSON.stringify(fields.request, null, 1).replaceAll(/\n/g, '');
    expect(resource(`kind: SimIntegration\nname: a\nrequest: '${text}'\n`).fields).toEqual({ request: text });
  });

  it('is one in a variable or an overlay too', () => {
    const environment = (text: string) => ({
      'tenantctl.yaml': `version: 1\nenvironments:\n  test:\n    sandbox: {}\n    ${text}\n`,
      'config/a.yaml': manifest('!var n'),
    });
    expect(errors(failureOf(environment('variables: { n: 1.10 }')))).toContain(
      'inexact-number tenantctl.yaml:5:21',
    );
    const overlay = 'overlays: [{ target: SimIntegration/a, merge: { attributes: { n: 0o17 } } }]';
    expect(errors(failureOf(environment(overlay)))).toContainEqual(
      expect.stringMatching(/^inexact-number tenantctl\.yaml:5:/),
    );
  });
});

it.each([
  ...'null Null NULL nULL nullify ~ true True TRUE tRUE trueish yes on false False FALSE falsely'.split(' '),
  ...'_1 e1 o7 x1f inf .inf -.INF .nan NaN 1e3 0o17 0x1F .5 5. +1 -1 1_000'.split(' '),
  ...['', 'a b', 'true b', 'null\n    b', '!!str true', '!!int "7"'],
])('a plain scalar is what YAML 1.2 says: %j', (scalar) => {
  const text = `a: ${scalar}\nb: [${scalar.replace('\n', ' ')}]\n`;
  expect(parse(text, yamlOptions)).toEqual(parse(text));
});
