import { describe, expect, test } from 'vitest';
import { config, errors, type Files, failureOf, type Loading } from './fixture.ts';

const template = 'kind: NotificationTemplate\nkey: k\nmedium: EMAIL\nlocale: en\n';

interface Case extends Loading {
  name: string;
  manifest?: string;
  files?: Files;
  /** `code file:line:column`; `config/a.yaml` where no file is named. */
  error: string;
  hint?: string;
}

const cases: Case[] = [
  // YAML
  {
    name: 'a colon in plain text',
    manifest: `${template}subject: a: b\n`,
    error: 'yaml-syntax 5:10',
    hint: 'quotes',
  },
  {
    name: 'a tab as indentation',
    manifest: `${template}subject:\n\t- b\n`,
    error: 'yaml-syntax 6:1',
    hint: 'spaces',
  },
  { name: 'a duplicate key', manifest: `${template}subject: a\nsubject: b\n`, error: 'duplicate-key 6:1' },
  {
    name: 'a slip that the parser stumbles over again and again, on its line',
    manifest: 'kind: ProfileSearch\nlabel: a\nrules:\n  - { type: a\n  - type: b: c\n',
    error: 'yaml-syntax 4:5',
  },
  {
    name: 'a duplicate key in flow',
    manifest: `kind: SimIntegration\nname: a\nattributes: { b: 1, b: 2 }`,
    error: 'duplicate-key 3:21',
  },
  {
    name: 'a prototype key',
    manifest: `kind: SimIntegration\nname: a\nattributes:\n  __proto__: { x: 1 }`,
    error: 'unsafe-key 4:3',
  },
  {
    name: 'a constructor key',
    manifest: `kind: SimIntegration\nname: a\nattributes: { constructor: 1 }`,
    error: 'unsafe-key 3:15',
  },
  {
    name: 'a marker by hand',
    manifest: 'kind: SimIntegration\nname: a\nattributes: { $secret: A }',
    error: 'reserved-key 3:15',
    hint: '!secret NAME',
  },
  {
    name: 'a merge key',
    manifest: `kind: SimIntegration\nname: a\nattributes: { <<: { a: 1 } }`,
    error: 'merge-key 3:15',
  },
  {
    name: 'a list as key',
    manifest: `kind: SimIntegration\nname: a\nattributes: { ? [a] : 1 }`,
    error: 'key-not-text 3:17',
  },
  {
    name: 'an alias of nothing',
    manifest: `${template}subject: &subj a\nbody: *sub`,
    error: 'unknown-alias 6:7',
    hint: 'subj',
  },
  {
    name: 'a cycle',
    manifest: `kind: SimIntegration\nname: a\nattributes: &a { b: *a }`,
    error: 'alias-cycle 3:21',
  },
  { name: 'YAML 1.1', manifest: `%YAML 1.1\n---\n${template}`, error: 'yaml-version 1:1', hint: '%YAML' },
  {
    name: 'a number too long',
    manifest: `${template}subject: 12345678901234567890123`,
    error: 'inexact-number 5:10',
    hint: '"1234',
  },
  {
    name: 'a tag with a text that the program uses inside',
    manifest: `${template}subject: !var "\\0unresolved"`,
    error: 'invalid-tag 5:10',
    hint: '!var NAME',
  },
  {
    name: 'a lookup in a collection that is not known',
    manifest: `kind: ProfileSearch\nlabel: a\nrules:\n  - type: ProfileTypeRule\n    comparison_operator: ==\n    value: !lookup { from: !var UNSET, where: { uid: a }, take: id }`,
    error: 'variable-unset 6:28',
  },
  {
    name: 'not a number',
    manifest: `kind: SimIntegration\nname: a\nattributes: { a: .nan }`,
    error: 'inexact-number 3:18',
  },
  {
    name: 'a foreign tag',
    manifest: `${template}subject: !secrt A`,
    error: 'unknown-tag 5:10',
    hint: '!secret',
  },
  { name: 'a binary tag', manifest: `${template}subject: !!binary aGk=`, error: 'unknown-tag 5:19' },
  { name: 'a list as manifest', manifest: '- a\n', error: 'not-a-mapping 1:1' },
  {
    name: 'deep nesting',
    manifest: `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    error: 'too-deep 1:103',
  },
  {
    name: 'invalid UTF-8',
    files: { 'config/a.yaml': Buffer.from('a: b\nc: \xff\n', 'latin1') },
    error: 'not-utf8 2:4',
    hint: 'UTF-8',
  },
  {
    name: 'a file that is too large',
    files: { 'config/a.yaml': `#${'x'.repeat(5 * 1024 * 1024)}` },
    error: 'file-too-large 1:1',
  },

  {
    name: 'a file with a byte order mark',
    files: { 'config/a.yaml': '\uFEFFkind: Widget' },
    error: 'unknown-kind 1:7',
  },

  // kinds and fields
  { name: 'no kind', manifest: 'key: a\n', error: 'missing-kind 1:1', hint: 'NotificationTemplate' },
  {
    name: 'a kind misspelt',
    manifest: 'kind: NotificationTemplat\n',
    error: 'unknown-kind 1:7',
    hint: '`NotificationTemplate`',
  },
  { name: 'an unknown kind', manifest: 'kind: Widget\n', error: 'unknown-kind 1:7', hint: 'The kinds are' },
  {
    name: 'a field misspelt',
    manifest: `${template}subjct: a`,
    error: 'unknown-field 5:1',
    hint: '`subject`',
  },
  {
    name: 'a field inside a field',
    manifest: 'kind: SimIntegration\nname: a\nbeforeProvisioningRule: { nam: x }',
    error: 'unknown-field 3:27',
    hint: '`name`',
  },
  {
    name: 'a server-owned field',
    manifest: `${template}created: 2024-01-01`,
    error: 'server-owned-field 5:1',
    hint: 'Remove',
  },
  { name: 'an id that cannot be pinned', manifest: `${template}id: x`, error: 'server-owned-field 5:1' },
  {
    name: 'a key part missing',
    manifest: 'kind: NotificationTemplate\nkey: k\nlocale: en',
    error: 'missing-field 1:1',
  },
  { name: 'neither name nor id', manifest: 'kind: SimIntegration\ntype: x', error: 'missing-field 1:1' },
  { name: 'a number for text', manifest: `${template}subject: 12`, error: 'wrong-type 5:10', hint: '"12"' },
  {
    name: 'true for text',
    manifest: 'kind: AuthProfile\nname: true',
    error: 'wrong-type 2:7',
    hint: '"true"',
  },
  {
    name: 'text for true',
    manifest: 'kind: AuthProfile\nname: a\noffNetwork: yes',
    error: 'wrong-type 3:13',
    hint: 'write `true`',
  },
  {
    name: 'text for false',
    manifest: 'kind: AuthProfile\nname: a\noffNetwork: OFF',
    error: 'wrong-type 3:13',
    hint: 'reads `OFF` as text: write `false`',
  },
  {
    name: 'true in quotes',
    manifest: 'kind: AuthProfile\nname: a\noffNetwork: "true"',
    error: 'wrong-type 3:13',
    hint: 'write `true` without quotes',
  },
  { name: 'a null key', manifest: 'kind: SenderAddress\nemail:', error: 'wrong-type 2:7' },
  {
    name: 'a choice misspelt',
    manifest: 'kind: AuthProfile\nname: a\ntype: NONPTA',
    error: 'invalid-value 3:7',
    hint: '`NON_PTA`',
  },
  {
    name: 'no address',
    manifest: 'kind: SenderAddress\nemail: joe',
    error: 'invalid-value 2:8',
    hint: 'no-reply@acme.example',
  },
  {
    name: 'an endless domain',
    manifest: `kind: VerifiedDomain\ndomain: ${'a.'.repeat(200_000)}b`,
    error: 'invalid-value 2:9',
  },
  { name: 'an empty key', manifest: "kind: ProfileSearch\nlabel: ''", error: 'invalid-value 2:8' },
  { name: 'a secret in a key', manifest: 'kind: ProfileSearch\nlabel: !secret A', error: 'not-plain 2:8' },
  {
    name: 'a secret in the place of all settings',
    manifest: 'kind: SimIntegration\nname: a\nattributes: !secret A',
    error: 'wrong-type 3:13',
    hint: 'attributes: { password: !secret NAME }',
  },
  {
    name: 'a lookup in the place of a message',
    manifest:
      'kind: NotificationTemplate\nkey: a\nmedium: SLACK\nlocale: en\nslackTemplate: !lookup { from: users, where: { uid: a }, take: id }',
    error: 'wrong-type 5:16',
  },
  {
    name: 'a secret where a list belongs',
    manifest: 'kind: SimIntegration\nname: a\nsources: !secret A',
    error: 'wrong-type 3:10',
  },
  {
    name: 'an operator of another rule',
    manifest:
      'kind: ProfileSearch\nlabel: a\nrules: [{ type: ProfileStatusRule, comparison_operator: ">", value: Active }]',
    error: 'invalid-value 3:57',
  },
  {
    name: 'an attribute rule without its attribute',
    manifest:
      'kind: ProfileSearch\nlabel: a\nrules: [{ type: ProfileAttributeRule, object_type: NeAttribute, comparison_operator: ==, value: a }]',
    error: 'missing-field 3:9',
  },
  {
    name: 'an attribute rule without the class of its object, said once',
    manifest:
      'kind: ProfileSearch\nlabel: a\nrules: [{ type: ProfileAttributeRule, condition_object_id: b, comparison_operator: ==, value: a }]',
    error: 'missing-field 3:9',
  },
  {
    name: 'fields of what is absent',
    manifest: `${template}ensure: absent\nsubject: a`,
    error: 'absent-with-fields 6:1',
  },
  { name: 'an id that is a path', manifest: 'kind: SimIntegration\nid: ../x', error: 'invalid-value 2:5' },

  {
    name: 'a value that two lists refuse',
    manifest:
      'kind: ProfileSearch\nlabel: a\nrules:\n  - { type: ProfileStatusRule, comparison_operator: like, value: Active }',
    error: 'invalid-value 4:53',
  },

  // lifecycle
  {
    name: 'a lifecycle option misspelt',
    manifest: `${template}lifecycle: { protec: true }`,
    error: 'unknown-field 5:14',
    hint: '`protect`',
  },
  {
    name: 'a rename that the API has not',
    manifest: `${template}lifecycle: { renamedFrom: j }`,
    error: 'not-renamable 5:14',
  },
  {
    name: 'a rename from its own name',
    manifest: 'kind: ProfileSearch\nlabel: a\nlifecycle: { renamedFrom: a }',
    error: 'invalid-value 3:27',
    hint: 'previous name',
  },
  {
    name: 'a field to ignore that is none',
    manifest: `${template}lifecycle: { ignore: [/subjet] }`,
    error: 'unknown-field 5:23',
    hint: '`subject`',
  },
  ...[
    ['an item of a set', 'kind: SimIntegration\nname: a\nsources: [b]\n', '/sources/0', '/sources'],
    ['a member of a rule', 'kind: ProfileSearch\nlabel: a\nrules: []\n', '/rules/0/value', '/rules'],
    [
      'an item of a list in JSON',
      'kind: SimIntegration\nname: a\nattributes: \'{"b": [1]}\'\n',
      '/attributes/b/0',
      '/attributes/b',
    ],
    [
      'a member of a secret',
      'kind: SimIntegration\nname: a\nattributes: { b: !secret C }\n',
      '/attributes/b/d',
      '/attributes/b',
    ],
    [
      'a member of what is cleared',
      'kind: SimIntegration\nname: a\nstatusMap: null\n',
      '/statusMap/b',
      '/statusMap',
    ],
    ['a part of a text', 'kind: SimIntegration\nname: a\ndescription: b\n', '/description/c', '/description'],
  ].map(([name, manifest, at, hint]) => ({
    name: `${name} to ignore`,
    manifest: `${manifest}lifecycle: { ignore: [${at}] }`,
    error: 'not-ignorable 4:23',
    hint: `Ignore \`${hint}\`.`,
  })),
  {
    name: 'no pointer',
    manifest: `${template}lifecycle: { ignore: [subject] }`,
    error: 'invalid-value 5:23',
    hint: '/description',
  },

  // duplicates
  {
    name: 'one key twice',
    manifest: `${template}---\n${template}`,
    error: 'duplicate-object 6:1',
    hint: 'Keep one',
  },
  {
    name: 'one key twice but for case',
    manifest: 'kind: SenderAddress\nemail: A@b.example\n---\nkind: SenderAddress\nemail: a@B.example',
    error: 'duplicate-object 4:1',
  },
  {
    name: 'one id twice',
    manifest: 'kind: SimIntegration\nid: x1\n---\nkind: SimIntegration\nname: b\nid: x1',
    error: 'duplicate-object 4:1',
  },
  {
    name: 'a rename of what is declared',
    manifest:
      'kind: ProfileSearch\nlabel: a\n---\nkind: ProfileSearch\nlabel: b\nlifecycle: { renamedFrom: a }',
    error: 'duplicate-object 4:1',
  },

  // tags
  {
    name: 'an unset variable',
    manifest: `${template}subject: !var clustr`,
    files: { 'tenantctl.yaml': config('    variables: { cluster: a }') },
    error: 'variable-unset 5:10',
    hint: '`cluster`',
  },
  {
    name: 'an unset environment variable',
    manifest: `${template}subject: !env CLUSTR`,
    env: { CLUSTER: 'a' },
    error: 'env-unset 5:10',
    hint: '`CLUSTER`',
  },
  { name: 'an inherited name', manifest: `${template}subject: !env constructor`, error: 'env-unset 5:10' },
  { name: 'a tag without a name', manifest: `${template}subject: !var`, error: 'invalid-tag 5:10' },
  { name: 'a tag with a list', manifest: `${template}subject: !var [a]`, error: 'invalid-tag 5:10' },
  { name: 'no such file', manifest: `${template}body: !file b.html`, error: 'file-not-found 5:7' },
  {
    name: 'a file out of the project',
    manifest: `${template}body: !file ../../b.html`,
    error: 'outside-project 5:7',
  },
  {
    name: 'an absolute file',
    manifest: `${template}body: !file /etc/hostname`,
    error: 'outside-project 5:7',
  },
  { name: 'a folder as file', manifest: `${template}body: !file ../config`, error: 'file-unreadable 5:7' },
  {
    name: 'a side file that is no text',
    manifest: `${template}body: !file b`,
    files: { 'config/b': Buffer.from([0x61, 0xff]) },
    error: 'not-utf8 5:7',
  },
  {
    name: 'a secret in a text',
    manifest: `${template}body: !format "%{s}"`,
    files: { 'tenantctl.yaml': config('    variables: { s: !secret A }') },
    error: 'secret-in-format 5:7',
  },
  {
    name: 'a mapping in a text',
    manifest: `${template}body: !format "%{s}"`,
    files: { 'tenantctl.yaml': config('    variables: { s: {} }') },
    error: 'invalid-format 5:7',
  },
  {
    name: 'a text that is too long with its variables',
    manifest: `${template}body: !format "${'%{s}'.repeat(1025)}"`,
    files: { 'tenantctl.yaml': config(`    variables: { s: ${'x'.repeat(5120)} }`) },
    error: 'invalid-format 5:7',
  },
  {
    name: 'an open placeholder',
    manifest: `${template}body: !format "%{s"`,
    error: 'invalid-tag 5:7',
    hint: '%%{',
  },
  {
    name: 'a lookup of a path',
    manifest:
      'kind: ProfileSearch\nlabel: a\nrules: [{ type: ProfileTypeRule, comparison_operator: ==, value: !lookup { from: ../x, where: { a: b }, take: id } }]',
    error: 'invalid-lookup 3:66',
  },
  {
    name: 'a lookup without where',
    manifest: `${template}body: !lookup { from: profiles, take: id }`,
    error: 'invalid-lookup 5:7',
  },
  {
    name: 'a lookup by a list',
    manifest: `${template}body: !lookup { from: profiles, where: { a: [b] }, take: id }`,
    error: 'invalid-lookup 5:7',
  },
  {
    name: 'a field cleared that the API cannot clear',
    manifest: 'kind: AuthProfile\nname: a\noffNetwork: null\n',
    error: 'not-clearable 3:13',
    hint: 'Remove the line to leave it as it is.',
  },
  {
    name: 'a choice cleared that the API cannot clear',
    manifest: 'kind: AuthProfile\nname: a\ntype: null\n',
    error: 'not-clearable 3:7',
  },
  {
    name: 'the only field cleared',
    manifest: 'kind: MailFrom\nidentity: acme.example\nmailFromDomain: null\n',
    error: 'not-clearable 3:17',
    hint: '`ensure: absent`',
  },
  {
    name: 'a lookup that says more',
    manifest: `${template}body: !lookup { from: profiles, where: { a: b }, take: id, limit: 1 }`,
    error: 'invalid-lookup 5:7',
  },
];

describe('every problem has a code, a place and, where one is near, a hint', () => {
  test.each(cases)('$name', ({ manifest, files, error, hint, env }) => {
    const found = failureOf(
      { ...(manifest !== undefined && { 'config/a.yaml': manifest }), ...files },
      { env: env ?? { A: 'a' } },
    );
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

test('a text with a variable that is not set is only reported for that', () => {
  const found = failureOf({
    'tenantctl.yaml': config('    variables: { domain: acme.example }'),
    'config/a.yaml': 'kind: SenderAddress\nemail: !format "%{nope} at %{domain}"\n',
  });
  expect(errors(found)).toEqual(['variable-unset config/a.yaml:2:8']);
});

test('all problems of all files are reported at once, in order', () => {
  const found = failureOf({
    'tenantctl.yaml': config('    variables: { a: !env NOPE }\n    limits: { requests: 0 }'),
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
  ]);
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

test.each([
  ['no space after a colon', 'subject:x\n', '5:9', 'A colon needs a space after it', 'Write `name: value`.'],
  ['no colon', 'subject\n', '5:1', 'This line has no colon', 'indent it'],
  ['a text that is not indented', 'body: |\nHello\n', '6:1', 'must be indented', 'after `|` or `>`'],
  ['a folded text that is not indented', 'body: >-\nHello\n', '6:1', 'must be indented', 'after `|` or `>`'],
])('a line with %s is explained', (_what, lines, at, message, hint) => {
  const [found] = failureOf({ 'config/a.yaml': `${template}${lines}` });
  expect(found).toMatchObject({
    code: 'yaml-syntax',
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  });
  expect(`${found?.source?.line}:${found?.source?.column}`).toBe(at);
});

test('a key that appears three times names its first place', () => {
  const found = failureOf({ 'config/a.yaml': `${template}subject: a\nsubject: b\nsubject: c\n` });
  expect(found.map(({ message }) => message)).toEqual(
    Array.from({ length: 2 }, () => expect.stringContaining('first on line 5')),
  );
});

test('a side file that is not there says where it was looked for, and another mistake keeps its own hint', () => {
  const hintOf = (path: string) =>
    failureOf({ 'config/a.yaml': `${template}body: !file ${path}\n` })[0]?.hint;
  expect(hintOf('none.html')).toContain('begins at the folder of the manifest');
  expect(hintOf('../../none.html')).toContain('below the folder of the project file');
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
