import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { brief, config, errors, type Files, failureOf, type Loading, refusalOf } from './fixture.ts';

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
  ['deep nesting in a key', `? ${'['.repeat(20_000)}${']'.repeat(20_000)}\n: a`, 'too-deep 1:102'],
  [
    'other bytes',
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

describe('what the page of words cannot hold has a code and a place too', () =>
  test.each(cases)('%s', (_name, manifest, error, hint, { files, env = { A: 'a' } } = {}) => {
    const found = failureOf({ 'config/a.yaml': manifest, ...files }, { env });
    const expected = error.replace(' ', ' config/a.yaml:');
    expect(errors(found)).toEqual([expected]);
    if (hint !== undefined) expect(found.find(({ severity }) => severity === 'error')?.hint).toContain(hint);
  }));

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
  ['identity: { baseUrl: "https://i.example", auth: !env X }', 'wrong-type tenantctl.yaml:4:53'],
])('what does not fit counts as written: %s', (tenant, problem) => {
  const text = `version: 1\nenvironments:\n  test:\n    ${tenant}\n`;
  expect(errors(failureOf({ 'tenantctl.yaml': text }))).toEqual([problem]);
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

test('a value that does not fit is not shown where a policy says that it is secret', () => {
  const found = failureOf({
    'kinds/Role.kind.yaml':
      'kind: Role\npath: /v2025/roles\nkey: name\nfields: { note: text }\nplaces: { note: secret }\n',
    'config/a.yaml': 'kind: Role\nname: a\nnote: [hunter2]\n',
  });
  expect(errors(found)).toEqual(['wrong-type config/a.yaml:3:7']);
  expect(JSON.stringify(found)).not.toContain('hunter2');
});

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

test('aliases that explode are refused once, without hiding problems of other files, and many honest ones work', () => {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const alias = level === 0 ? '"lol"' : `*a${level - 1}`;
    return `  k${level}: &a${level} [${Array(10).fill(alias).join(', ')}]\n`;
  });
  const bomb = `kind: SimIntegration\nname: a\nattributes:\n${levels.join('')}`;
  expect(errorsOrNone({ 'config/a.yaml': bomb, 'config/b.yaml': 'kind: None\n' })).toEqual([
    'alias-bomb config/a.yaml:10:12',
    'unknown-kind config/b.yaml:1:7',
  ]);
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
  expect(problemsOf(5)).toEqual(['alias-bomb config/a.yaml:9:5']);
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
  expect(failureOf({ 'config/a.yaml': `kind: NotificationTemplate\n${line}\n` }).length).toBeGreaterThan(0);
});

/** What is said of a mistake: where it is, what is wrong, and what to write instead. */

type Said = [at: string, message: string, hint?: string];

function saidOf(files: Files, file: string, loading: Loading = { env: {} }): Said[] {
  return refusalOf(files, loading).map((each) => {
    const at = brief(each).replace(`${file}:`, '');
    return each.hint === undefined ? [at, each.message] : [at, each.message, each.hint];
  });
}

/** How the files of the page begin, by the word before them: a project file, or a manifest. */
const beginnings = {
  project: '',
  test: config(),
  remote: 'version: 1\nenvironments:\n  prod:\n    identity:\n      ',
  file: '',
  mail: 'kind: NotificationTemplate\nkey: k\nmedium: EMAIL\nlocale: en\n',
  desk: 'kind: SimIntegration\nname: a\n',
  login: 'kind: AuthProfile\nname: a\n',
  search: 'kind: ProfileSearch\nlabel: a\n',
  role: 'kind: Role\nname: a\n',
};

/** Kinds that manifests of the page refer to. */
const kinds = {
  'kinds/Identity.kind.yaml': 'kind: Identity\npath: /v2025/identity\nkey: name\n',
  'kinds/Text.kind.yaml': 'kind: Text\npath: /v2025/text\nkey: [name, locale]\n',
  'kinds/Role.kind.yaml':
    'kind: Role\npath: /v2025/role\nkey: name\nfields: { description: text, owner: { is: reference, to: Identity }, texts: { is: references, to: Text }, other: { is: value, to: Wombat } }\n',
};
const readEscapes = (text: string): string => JSON.parse(`"${text.replaceAll('"', '\\"')}"`);

/**
 * The mistakes of the page: a line for the file, with `\n` for its further lines; `+` for another file; `$` for variables of
 * the environment, and `@` for the environment of the project. Then for each problem one that begins with `!` for its code,
 * its place and its message, and one that begins with `>` for its hint. `#` names a mistake.
 */
const page = readFileSync(new URL('words.txt', import.meta.url), 'utf8');
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((section) => section.trim().split('\n\n'));

it('the page has its mistakes', () =>
  expect(sections.flatMap(([, ...mistakes]) => mistakes).length).toBeGreaterThan(270));

describe.each(sections)('%s', (_about, ...mistakes) =>
  it.each(mistakes)('%s', (mistake) => {
    const [, beginning = '', rest = ''] = /^(\w+): (.*)$/m.exec(mistake) ?? [];
    const text = `${Object.entries(beginnings).find(([name]) => name === beginning)?.[1]}${readEscapes(rest)}\n`;
    const file = ['project', 'test', 'remote'].includes(beginning) ? 'tenantctl.yaml' : 'config/a.yaml';
    const others = [...mistake.matchAll(/^\+ (\S+): (.*)$/gm)].map(([, path, content = '']) => [
      path,
      readEscapes(content),
    ]);
    const variables = /^\$ (.*)$/m.exec(mistake)?.[1]?.split(' ') ?? [];
    const env = Object.fromEntries(variables.map((each) => each.split('=')));
    const [, environment] = /^@ (.*)$/m.exec(mistake) ?? [];
    const files = { ...(beginning === 'role' && kinds), ...Object.fromEntries(others), [file]: text };
    const said = [...mistake.matchAll(/^! (\S+(?: \S*\d+:\d+)?) (.*)\n?(?:^> (.*))?/gm)].map(
      ([, at, message = '', hint]) =>
        hint === undefined ? [at, readEscapes(message)] : [at, readEscapes(message), readEscapes(hint)],
    );
    expect(saidOf(files, file, { env, ...(environment && { environment }) })).toEqual(said);
  }),
);

it('the kinds are named where none is near', () => {
  for (const kind of ['Wombat', '[a]', '', '""']) {
    const [[, , hint] = []] = saidOf({ 'config/a.yaml': `kind: ${kind}\n` }, 'config/a.yaml');
    expect(hint).toMatch(/^The kinds are .*MailFrom, .*SimIntegration, .*\.$/);
  }
});

it.each([
  ['{ a: 1 }', 'a mapping'],
  [`F${'A'.repeat(39)}`, `F${'A'.repeat(39)}`],
  [`F${'A'.repeat(40)}`, `F${'A'.repeat(39)}…`],
])('a value that is not accepted is shown in brief: %s', (medium, shown) => {
  const text = `kind: NotificationTemplate\nkey: k\nmedium: ${medium}\nlocale: en\n`;
  const [[, message = ''] = []] = saidOf({ 'config/a.yaml': text }, 'config/a.yaml');
  expect(message).toContain(shown);
  expect(message).not.toContain('A'.repeat(40));
  expect(message.includes('A…')).toBe(shown.endsWith('…'));
});

it('no message repeats all of a name that has no end', () => {
  const [[, message = ''] = []] = saidOf({ 'config/a.yaml': `kind: ${'W'.repeat(200)}\n` }, 'config/a.yaml');
  expect(message).toContain('W'.repeat(80));
  expect(message).not.toContain('W'.repeat(81));
});

it('limits of a description of a kind are told in words', () => {
  const file = 'kinds/Role.kind.yaml';
  const text = `kind: Role
path: /v2025/roles
key: [a, b, c, d, e, f]
parent: { a: Source, b: Source }
fields: { g: { is: text, to: Role }, h: { is: json, zzz: 1 } }
serverOwned: [id, made, id]
`;
  expect(saidOf({ [file]: text }, file)).toEqual([
    ['invalid-value 3:6', '`key` has more than 5 items.'],
    ['invalid-value 4:9', '`parent` has more than 1 member.'],
    ['unknown-field 5:26', 'There is no field `to` in `fields.g`.', 'The fields are: is.'],
    ['unknown-field 5:53', 'There is no field `zzz` in `fields.h`.', 'The fields are: is, declares, text.'],
    ['invalid-value 6:14', '`serverOwned` has an item twice, at 0 and 2.'],
  ]);
});
