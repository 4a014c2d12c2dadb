import { describe, expect, test } from 'vitest';
import { config, errors, type Files, failureOf, type Loading } from './fixture.ts';

const template = 'kind: NotificationTemplate\nkey: k\nmedium: EMAIL\nlocale: en\n';

/** The place is `code line:column` in the manifest, `config/a.yaml`. */
type Case = [
  name: string,
  manifest: string,
  error: string,
  hint?: string | undefined,
  more?: Loading & { files?: Files },
];

const cases: Case[] = [
  ['deep nesting', `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'too-deep 1:103'],
  [
    'invalid UTF-8',
    '',
    'not-utf8 2:4',
    'UTF-8',
    { files: { 'config/a.yaml': Buffer.from('a: b\nc: \xff\n', 'latin1') } },
  ],
  [
    'a file that is too large',
    '',
    'file-too-large 1:1',
    undefined,
    { files: { 'config/a.yaml': `#${'x'.repeat(5 * 1024 * 1024)}` } },
  ],

  ['an endless domain', `kind: VerifiedDomain\ndomain: ${'a.'.repeat(200_000)}b`, 'invalid-value 2:9'],
  [
    'a side file that is no text',
    `${template}body: !file b`,
    'not-utf8 5:7',
    undefined,
    { files: { 'config/b': Buffer.from([0x61, 0xff]) } },
  ],
  [
    'a text that is too long with its variables',
    `${template}body: !format "${'%{s}'.repeat(1025)}"`,
    'invalid-format 5:7',
    undefined,
    { files: { 'tenantctl.yaml': config(`    variables: { s: ${'x'.repeat(5120)} }`) } },
  ],
];

describe('what the page of words cannot hold has a code and a place too', () => {
  test.each(cases)('%s', (_name, manifest, error, hint, { files, env = { A: 'a' } } = {}) => {
    const found = failureOf({ 'config/a.yaml': manifest, ...files }, { env });
    const expected = error.replace(' ', ' config/a.yaml:');
    expect(errors(found)).toEqual([expected]);
    if (hint !== undefined) expect(found.find(({ severity }) => severity === 'error')?.hint).toContain(hint);
  });
});

test('an id is a number as it is written, or text', () => {
  const idsOf = (people: string) =>
    errorsOrNone({
      'kinds/Role.kind.yaml':
        'kind: Role\npath: /v2025/roles\nkey: name\nfields: { people: { is: references, to: Role }, one: reference, rank: value, more: set }\n',
      'config/a.yaml': `kind: Role\nname: a\n${people}\n`,
    });
  expect(idsOf('people: [7, "0123", { id: -8 }]\none: 12')).toEqual([]);
  expect(idsOf('people: [0123, { id: 0x1f }, 1e3]\none: { id: +5 }')).toEqual([
    'inexact-number config/a.yaml:3:10',
    'inexact-number config/a.yaml:3:22',
    'inexact-number config/a.yaml:3:30',
    'inexact-number config/a.yaml:4:12',
  ]);
  expect(idsOf('people: [0123]\nrank: !ref Role/b')).toEqual([
    'inexact-number config/a.yaml:3:10',
    'ref-not-taken config/a.yaml:4:7',
  ]);
});

test('an id that has to be text is reported once, however its number is written', () => {
  const manifest = 'kind: SimIntegration\nname: a\nsources: [0123]\n';
  expect(errorsOrNone({ 'config/a.yaml': manifest })).toEqual(['inexact-number config/a.yaml:3:11']);
});

test('members of a value that is a mapping can be ignored', () => {
  const files = {
    'kinds/Role.kind.yaml':
      'kind: Role\npath: /v2025/roles\nkey: name\nfields: { rule: value, on: value, owner: reference }\n',
    'config/a.yaml':
      'kind: Role\nname: a\nrule: { a: { b: 1 }, c: [1] }\non: true\nlifecycle: { ignore: [/rule/a/b, /rule/c/0, /on/a, /owner/name] }\n',
  };
  expect(errorsOrNone(files)).toEqual([
    'not-ignorable config/a.yaml:5:34',
    'not-ignorable config/a.yaml:5:45',
  ]);
});

test('all problems of all files are reported at once, in order', () => {
  const found = failureOf({
    'tenantctl.yaml': config(
      '    variables: { a: !env NOPE }\n    limits: { requests: 0 }\n    protect: [Wombat/*]\ncolour: red',
    ),
    'kinds/Role.kind.yaml': 'kind: Role\npath: /v2025/roles\n',
    'config/a.yaml': `${template}subjct: a\nbody: !var nope`,
    'config/b.yaml': 'kind: [',
    'config/c.yaml': 'kind: SenderAddress\nemail: x\n---\nkind: Widget',
  });
  expect(errors(found)).toEqual([
    'unknown-field config/a.yaml:5:1',
    'variable-unset config/a.yaml:6:7',
    'yaml-syntax config/b.yaml:1:7',
    'invalid-value config/c.yaml:2:8',
    'unknown-kind config/c.yaml:4:7',
    'env-unset tenantctl.yaml:5:21',
    'invalid-value tenantctl.yaml:6:25',
    'unknown-kind tenantctl.yaml:7:15',
    'unknown-field tenantctl.yaml:8:1',
  ]);
});

test.each([
  ['sandbox: a', 'wrong-type tenantctl.yaml:4:14'],
  ['identity: 5', 'wrong-type tenantctl.yaml:4:15'],
  ['identity: 5\n    profiles: { baseUrl: "https://p.example" }', 'wrong-type tenantctl.yaml:4:15'],
  ['profiles: { baseUrl: "https://p.example", auth: 5 }', 'wrong-type tenantctl.yaml:4:53'],
])('what does not fit counts as written: %s', (tenant, problem) => {
  const text = `version: 1\nenvironments:\n  test:\n    ${tenant}\n`;
  expect(errors(failureOf({ 'tenantctl.yaml': text }))).toEqual([problem]);
});

test('the excerpt shows the line with a caret below the column', () => {
  const [diagnostic] = failureOf({ 'config/a.yaml': `${template}subject: 12   # count\n` });
  expect(diagnostic?.excerpt).toBe('5 | subject: 12   # count\n  |          ^');
});

test('the excerpt of a long line is cut around the caret, and control characters are not printed', () => {
  const long = `kind: SimIntegration\nname: a\nattributes: { ${'a'.repeat(200)}: "\u009b31m", b: 1, b: 2, ${'c'.repeat(200)}: 1 }`;
  const diagnostic = failureOf({ 'config/a.yaml': long }).find(({ code }) => code === 'duplicate-key');
  const [line = '', caret = ''] = diagnostic?.excerpt?.split('\n') ?? [];
  expect(line.length).toBeLessThan(120);
  expect(line).not.toContain('\u009b');
  expect(line.slice(caret.indexOf('^'))).toMatch(/^b: 2, c/);
});

test.each([
  '{ p: !bad x, password: "hunter2, }x", url: u }',
  "{ apiToken: 'hunter2', p: !bad x, url: u }",
  '{ client_secret: hunter2,x, p: !bad x, url: u }',
  '{ "passwd" : hunter2, p: !bad x, url: u }',
  '{ p: !bad x, note: "the password: hunter2" }',
  '{ password: hunter2, token: hunter2, p: !bad x }',
  `{ password: hunter2${'x'.repeat(200)}, p: !bad x, url: u }`,
])('the excerpt does not show the credential beside the problem', (attributes) => {
  const excerpt = excerptOf(attributes);
  expect(excerpt).toMatch(/^\d+ \| \(not shown: this line may hold a credential\)$/);
});

test.each([
  '{ p: !bad x, url: "https://user:hunter2@host.example" }',
  '{ p: !bad x, other: ghp_hunter2abcdef }',
  '{ p: !bad x, note: "-----BEGIN PRIVATE KEY----- hunter2" }',
  '{ p: !bad x, list: [https://user:hunter2@host.example] }',
  '{ credentials: { a: [hunter2], value: hunter2 }, p: !bad x }',
  '{ p: !bad x, tokens: [a, hunter2,\n    b] }',
  '{ p: !bad x, pair: { name: Authorization, value: hunter2 } }',
  '\n  - { name: password }\n  - { value: hunter2, p: !bad x }',
  '\n  query: https://host.example?a=b&token=hunter2 # !bad\n  p: !bad x',
])('the excerpt shows no credential that has no telling name: %s', (attributes) => {
  const excerpt = excerptOf(attributes);
  expect(excerpt).not.toBe('');
  expect(excerpt).not.toContain('hunter2');
});

test('the excerpt shows what only names a credential', () => {
  expect(excerptOf('{ p: !bad x, password: !secret NAME }')).toContain('password: !secret NAME');
});

test.each([
  '  password: | hunter2\n',
  '  apiToken: >hunter2\n    more\n',
  '  password: |\nhunter2\n',
  '  "client_secret": >-2\nhunter2 with blanks\n',
  '  password:\nhunter2\n',
  '  tokens:\n - hunter2\n',
  '  password:\r\nhunter2\r\n',
])('a credential that is written wrongly is shown neither in the message nor in the excerpt: %j', (lines) => {
  const found = failureOf({ 'config/a.yaml': `kind: SimIntegration\nname: a\nattributes:\n${lines}` });
  expect(found.map(({ code }) => code)).toContain('yaml-syntax');
  expect(JSON.stringify(found)).not.toContain('hunter2');
});

test.each([
  ['  key:\n    - a\n    - !bad x\n', '- !bad x'],
  ['  key:\n    [a, !bad x]\n', '[a, !bad x]'],
  ['  password: |\n    a\n  url: !bad x\n', 'url: !bad x'],
])('what is no credential and not beside the name of one is shown: %j', (lines, shown) => {
  expect(excerptOf(`\n${lines}`)).toContain(shown);
});

function excerptOf(attributes: string): string {
  const text = `kind: SimIntegration\nname: a\nattributes: ${attributes}\n`;
  return failureOf({ 'config/a.yaml': text }).find(({ code }) => code === 'unknown-tag')?.excerpt ?? '';
}

test.each([
  'ghp_canary1234567890',
  'https://u:canary1@host.example',
  `https://host.example/${'a'.repeat(30)}?token=canary1`,
])(
  'a credential that does not fit its field is shown neither in the message nor in the excerpt: %s',
  (value) => {
    const found = failureOf({
      'config/a.yaml': `kind: MailFrom\nidentity: a@acme.example\nmailFromDomain: ${value}\n`,
    });
    expect(found[0]?.message).toContain('•••');
    expect(JSON.stringify(found)).not.toContain('canary');
  },
);

test('a key that appears three times names its first place', () => {
  const found = failureOf({ 'config/a.yaml': `${template}subject: a\nsubject: b\nsubject: c\n` });
  expect(found.map(({ message }) => message)).toEqual(
    Array.from({ length: 2 }, () => expect.stringContaining('first on line 5')),
  );
});

test('a side file that is not there says where it was looked for, and another mistake keeps its own hint', () => {
  const hintOf = (path: string) =>
    failureOf({ 'config/a.yaml': `${template}body: !file ${path}\n` })[0]?.hint;
  expect(hintOf('none.html')).toContain('is relative to the folder of the manifest');
  expect(hintOf('texts\\none.html')).toContain('Write `/` between the folders');
  expect(hintOf('../../none.html')).toContain('in the folder of the project file');
});

test('a mistake in a manifest names the object', () => {
  const [found] = failureOf({ 'config/a.yaml': `${template}subjcet: a\n` });
  expect(found?.address).toBe('NotificationTemplate/k/EMAIL/en');
});

test('the message of a duplicate names the other place', () => {
  const [diagnostic] = failureOf({
    'config/a.yaml': 'kind: SenderAddress\nemail: a@b.example',
    'config/b.yaml': '\nkind: SenderAddress\nemail: A@b.example',
  });
  expect(diagnostic?.message).toContain('config/a.yaml, line 1');
  expect(diagnostic?.source).toEqual({ file: 'config/b.yaml', line: 2, column: 1 });
});

test('a file with very many problems is cut short', () => {
  const keys = Array.from({ length: 2000 }, (_, index) => `key${index}: 1\nkey${index}: 2\n`).join('');
  const found = failureOf({ 'config/a.yaml': template + keys });
  expect(found.length).toBeLessThan(60);
  expect(found.map(({ code }) => code)).toContain('too-many-problems');
});

test('aliases that explode are refused, and many honest ones work', () => {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const alias = level === 0 ? '"lol"' : `*a${level - 1}`;
    return `  k${level}: &a${level} [${Array(10).fill(alias).join(', ')}]\n`;
  });
  const bomb = `kind: SimIntegration\nname: a\nattributes:\n${levels.join('')}`;
  expect(failureOf({ 'config/a.yaml': bomb }).map(({ code }) => code)).toContain('alias-bomb');
  const honest = Array.from({ length: 150 }, (_, index) => `  k${index}: *text\n`).join('');
  expect(
    errorsOrNone({ 'config/a.yaml': `kind: SimIntegration\nname: &text a\nattributes:\n${honest}` }),
  ).toEqual([]);
});

test('so are those of a side file, which are small where they are written', () => {
  const problemsOf = (count: number) =>
    errorsOrNone({
      'config/big.txt': 'x'.repeat(4 * 1024 * 1024),
      'config/a.yaml': `kind: SimIntegration\nname: a\nattributes:\n  list:\n  - &a !file big.txt\n${'  - *a\n'.repeat(count)}`,
    });
  expect(problemsOf(3)).toEqual([]);
  expect(problemsOf(5)).toContainEqual('alias-bomb config/a.yaml:9:5');
});

function errorsOrNone(files: Files): string[] {
  try {
    return errors(failureOf(files));
  } catch (error) {
    if (error instanceof Error && error.message === 'Nothing was thrown.') return [];
    throw error;
  }
}

test('a problem in a long line of names and values is shown at once', () => {
  const line = `subject: "${'http://'.repeat(40_000)}" !bad`;
  const found = failureOf({ 'config/a.yaml': `kind: NotificationTemplate\n${line}\n` });
  expect(found.length).toBeGreaterThan(0);
});
