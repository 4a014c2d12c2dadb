/** What a message says of a value: where it stands in the manifest, what it is, and what is missing. */
import { describe, expect, it } from 'vitest';
import { config, refusalOf } from './fixture.ts';

/** The messages about a manifest, each with its hint. */
const said = (manifest: string): string[] => saidOf({ 'config/a.yaml': manifest });
const saidOf = (files: Readonly<Record<string, string>>): string[] =>
  refusalOf(files).map(({ message, hint }) => (hint ? `${message} ${hint}` : message));

const template = (medium: string) => `kind: NotificationTemplate\nkey: k\nmedium: ${medium}\nlocale: en\n`;
const search = (rules: string) => `kind: ProfileSearch\nlabel: a\nrules: ${rules}\n`;
const desk = (fields: string) => `kind: SimIntegration\nname: a\n${fields}\n`;

it.each([
  ['[EMAIL]', 'a list'],
  ['{ a: 1 }', 'a mapping'],
  ['FAX', 'FAX'],
  [`F${'A'.repeat(39)}`, `F${'A'.repeat(39)}`],
  [`F${'A'.repeat(40)}`, `F${'A'.repeat(39)}…`],
])('a value that is not accepted is shown in brief: %s', (medium, shown) => {
  const [message = ''] = said(template(medium));
  expect(message).toContain(shown);
  expect(message).not.toContain('A'.repeat(40));
  expect(message.includes('A…')).toBe(shown.endsWith('…'));
});

describe('a message names the place in the manifest, and what is wrong there', () => {
  const cases: [string, string, RegExp[]][] = [
    ['a field that is missing', 'kind: SenderAddress\n', [/^The document .*`email`/]],
    [
      'a member that is missing',
      search('[{ type: ProfileStatusRule, value: Active }]'),
      [/`rules\[0\]`/, /`comparison_operator`/],
    ],
    ['one of two that is missing', 'kind: SimIntegration\ntype: x\n', [/`name` or `id`/]],
    ['a text that does not fit', template('EMAIL').replace('en', "'!'"), [/`locale`/, /`!`/]],
    [
      'an example where the schema has one',
      'kind: SenderAddress\nemail: joe\n',
      [/`email`/, /`joe`/, /`\S+@\S+`/],
    ],
    ['an empty text', template('EMAIL').replace('key: k', "key: ''"), [/`key`.* empty/i]],
    ['an empty mapping', desk('beforeProvisioningRule: {}'), [/`beforeProvisioningRule`.* empty/i]],
    [
      'a text that is too long',
      desk('').replace('name: a', `name: ${'n'.repeat(2000)}`),
      [/`name`/, /\d{3} characters/, /^(?!.*nnnn)/],
    ],
    ['another type', search('3'), [/`rules`.*a list or null.* 3/]],
    ['another type of an item', desk('sources: [a, 4]'), [/`sources\[1\]`.*text.* 4/, /"4"/]],
    ['a choice', 'kind: AuthProfile\nname: a\ntype: PTAA\n', [/`type`.*NON_PTA.* or .*PTAA/, /`PTA`/]],
    ['a secret where a list is wanted', desk('sources: !secret S'), [/`sources`.*a list.*secret/]],
    ['a key that is a secret', 'kind: ProfileSearch\nlabel: !secret S\n', [/`label`/]],
    [
      'a field of a field',
      desk('beforeProvisioningRule: { type: RULE, id: r, nme: x }'),
      [/`nme` in `beforeProvisioningRule`/, /`name`/],
    ],
    ['a field that the tenant sets', desk('created: x'), [/`created`/]],
    ['a kind', 'kind: Sender\n', [/`Sender`/, /`SenderAddress`|SenderAddress, /]],
  ];
  it.each(cases)('%s', (_name, manifest, patterns) => {
    const messages = said(manifest);
    expect(messages).toHaveLength(1);
    for (const pattern of patterns) expect(messages[0]).toMatch(pattern);
  });

  const projects: [string, string, RegExp[]][] = [
    [
      'a number that is too small',
      config('    limits: { requests: 0 }'),
      [/`environments\.test\.limits\.requests`/, / 0\b/],
    ],
    ['an empty list', `${config()}manifests: []\n`, [/`manifests`.* empty/i]],
    ['another version', config().replace('version: 1', 'version: 2'), [/`version`.* 1, .* 2/]],
    [
      'a credential without its other half',
      'version: 1\nenvironments:\n  a: { identity: { baseUrl: "https://a.example", auth: { clientId: x } } }\n',
      [/`environments\.a\.identity\.auth`.*`clientSecret`/],
    ],
    ['a name that is none', `${config()}  "a b": { sandbox: {} }\n`, [/`a b`/]],
  ];
  it.each(projects)('%s, in the project file', (_name, text, patterns) => {
    const messages = saidOf({ 'tenantctl.yaml': text });
    for (const pattern of patterns) expect(messages).toContainEqual(expect.stringMatching(pattern));
  });
});

it('no message repeats all of a name that has no end', () => {
  const [message = ''] = said(`kind: ${'W'.repeat(200)}\n`);
  expect(message).toContain('W'.repeat(80));
  expect(message).not.toContain('W'.repeat(81));
});

describe('what could not be read is said once', () => {
  it.each([
    ['kind: !var nope\nname: a\n', 'variable-unset'],
    ['kind: [SenderAddress]\n', 'missing-kind'],
    [desk('ensure: !secret S'), 'not-plain'],
    ['kind: SimIntegration\nname: a\nid: !secret S\n', 'not-plain'],
    [desk('lifecycle: { protect: !var nope }'), 'variable-unset'],
    ['kind: ProfileSearch\nlabel: !format "%{nope} and %{nada}"\n', 'variable-unset,variable-unset'],
    ['kind: SenderAddress\nemail: !format "%{nope} of %{nada}"\n', 'variable-unset,variable-unset'],
    [
      'kind: SenderAddress\nemail: !format "a@%{nope}"\n---\nkind: SenderAddress\nemail: !format "a@%{nope}"\n',
      'variable-unset,variable-unset',
    ],
  ])('%j', (manifest, codes) => {
    const found = refusalOf({ 'config/a.yaml': manifest });
    expect(found.map(({ code }) => code).join()).toBe(codes);
  });
});
