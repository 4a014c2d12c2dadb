/** What is said of a mistake: where it is, what is wrong, and what to write instead. */
import { describe, expect, it } from 'vitest';
import { brief, type Files, refusalOf } from './fixture.ts';

type Said = [at: string, message: string, hint?: string];

function saidOf(files: Files, file: string): Said[] {
  return refusalOf(files, { env: {} }).map((each) => {
    const at = brief(each).replace(`${file}:`, '');
    return each.hint === undefined ? [at, each.message] : [at, each.message, each.hint];
  });
}

const template = (fields: string) =>
  `kind: NotificationTemplate\nkey: k\nmedium: EMAIL\nlocale: en\n${fields}\n`;
const desk = (fields: string) => `kind: SimIntegration\nname: a\n${fields}\n`;
const login = (fields: string) => `kind: AuthProfile\nname: a\n${fields}\n`;
const search = (rules: string) => `kind: ProfileSearch\nlabel: a\nrules: ${rules}\n`;
const lookup = 'For example: `!lookup { from: ne_attributes, where: { uid: department }, take: id }`.';
const badLookup = (why: string): Said => [
  'invalid-lookup 5:10',
  `This \`!lookup\` is not valid: ${why}`,
  lookup,
];
const tags = 'The tags are !var !env !secret !file !format !lookup !ref. If it is text, put it in quotes.';
const reserved =
  'For a secret write `!secret NAME`, for a record of the tenant `!lookup {…}`, for the id of an object `!ref KIND/key`.';
const operators = '==, !=, >, <, start_with?, end_with?, include?, exclude?, before or after';

const inManifests: [about: string, mistakes: [manifest: string, ...said: Said[]][]][] = [
  [
    'a value of another type',
    [
      [
        desk('sources: x'),
        ['wrong-type 3:10', '`sources` must be a list or null, not x', 'Put it in brackets: [x].'],
      ],
      [
        desk('sources: 3'),
        ['wrong-type 3:10', '`sources` must be a list or null, not 3', 'Put it in brackets: [3].'],
      ],
      [
        desk('sources: { a: 1 }'),
        [
          'wrong-type 3:10',
          '`sources` must be a list or null, not a mapping',
          'Begin each item of the list with `- `, also the only one.',
        ],
      ],
      [
        desk('sources: !secret S'),
        ['wrong-type 3:10', '`sources` must be a list or null, not a secret or lookup'],
      ],
      [
        desk('description: 12'),
        [
          'wrong-type 3:14',
          '`description` must be text or null, not 12',
          'If it is text, put it in quotes: "12".',
        ],
      ],
      [
        desk('description: 1.10'),
        [
          'inexact-number 3:14',
          '`1.10` is read as the number 1.1',
          'If it is text, put it in quotes: "1.10". If it is a number, write 1.1.',
        ],
      ],
      [desk('description: [a]'), ['wrong-type 3:14', '`description` must be text or null, not a list']],
      [
        'kind: SimIntegration\nid: 5\n',
        ['wrong-type 2:5', '`id` must be text, not 5', 'If it is text, put it in quotes: "5".'],
      ],
      ['kind: SimIntegration\nname: [a]\nid: x\n', ['wrong-type 2:7', '`name` must be text, not a list']],
      [
        'kind: SenderAddress\nemail: 5\n',
        ['wrong-type 2:8', '`email` must be text, not 5', 'For example: `no-reply@acme.example`.'],
      ],
      [search('[3]'), ['wrong-type 3:9', '`rules[0]` must be a mapping, not 3']],
      [
        search('{}'),
        [
          'wrong-type 3:8',
          '`rules` must be a list or null, not a mapping',
          'Begin each item of the list with `- `, also the only one.',
        ],
      ],
      [
        desk('beforeProvisioningRule: { type: RULE, id: ~ }'),
        ['wrong-type 3:43', '`beforeProvisioningRule.id` must be text, not null'],
      ],
      [
        template('lifecycle: { ignore: /subject }'),
        [
          'wrong-type 5:22',
          '`lifecycle.ignore` must be a list, not /subject',
          'Put it in brackets: [/subject].',
        ],
      ],
      [template('lifecycle: []'), ['wrong-type 5:12', '`lifecycle` must be a mapping, not a list']],
    ],
  ],
  [
    'truth, as other versions of YAML write it',
    [
      ...(
        [
          ['yes', 'true'],
          ['On', 'true'],
          ['NO', 'false'],
          ['off', 'false'],
        ] as const
      ).map(([written, truth]): [string, Said] => [
        login(`offNetwork: ${written}`),
        [
          'wrong-type 3:13',
          `\`offNetwork\` must be true or false, not ${written}`,
          `YAML 1.2 reads \`${written}\` as text: write \`${truth}\`.`,
        ],
      ]),
      ...['true', 'false'].map((truth): [string, Said] => [
        login(`offNetwork: "${truth}"`),
        [
          'wrong-type 3:13',
          `\`offNetwork\` must be true or false, not ${truth}`,
          `This is text, because it is in quotes or comes from \`!env\`: write \`${truth}\` without quotes, or use \`!var\`.`,
        ],
      ]),
      ...['maybe', '1'].map((written): [string, Said] => [
        login(`offNetwork: ${written}`),
        ['wrong-type 3:13', `\`offNetwork\` must be true or false, not ${written}`],
      ]),
    ],
  ],
  [
    'a name that is no field',
    [
      [
        desk('lifecycle: { zzz: 1 }'),
        [
          'unknown-field 3:14',
          'There is no field `zzz` in `lifecycle`',
          'The fields are: protect, ignore, renamedFrom, allowLockout.',
        ],
      ],
      [desk('zzzzzz: 1'), ['unknown-field 3:1', 'There is no field `zzzzzz`']],
      [
        search(
          '[{ type: ProfileStatusRule, comparison_operator: ==, value: Active, object_type: NeAttribute }]',
        ),
        ['unknown-field 3:89', '`rules[0].object_type` is not allowed here'],
      ],
      [desk('name2: x'), ['unknown-field 3:1', 'There is no field `name2`', 'Did you mean `name`?']],
      [
        'kind: MailFrom\nidentity: a.example\nzzzzz: 1\n',
        [
          'unknown-field 3:1',
          'There is no field `zzzzz`',
          'The fields are: kind, identity, ensure, mailFromDomain, lifecycle.',
        ],
      ],
      [desk(`${'z'.repeat(41)}: 1`), ['unknown-field 3:1', `There is no field \`${'z'.repeat(40)}…\``]],
      [
        'kind: ProfileSearch\nlabel: a\nid: x\n',
        ['server-owned-field 3:1', '`id` is set by the tenant and cannot be declared', 'Remove the line.'],
      ],
      [
        'kind: ProfileSearch\nlabel: a\ncondition_rules_attributes: []\n',
        [
          'server-owned-field 3:1',
          '`condition_rules_attributes` is called `rules` in a manifest',
          'Declare `rules` in its place.',
        ],
      ],
      [
        desk('managedSources: []\nclusterRef: x'),
        [
          'server-owned-field 3:1',
          '`managedSources` is called `sources` in a manifest',
          'Declare `sources` in its place.',
        ],
        [
          'server-owned-field 4:1',
          '`clusterRef` is called `cluster` in a manifest',
          'Declare `cluster` in its place.',
        ],
      ],
      [
        desk('attributes:\n\u00a0\u00a0url: a'),
        [
          'unknown-field 4:1',
          'There is no field `\u00a0\u00a0url`',
          'Replace the character U+00A0 by an ordinary space: YAML does not count it as one.',
        ],
      ],
      [
        desk('lifecycle: { ignore: [/descrption, /zzzzz] }'),
        [
          'unknown-field 3:23',
          'A SimIntegration has no field `descrption` to ignore',
          'Did you mean `description`?',
        ],
        ['unknown-field 3:36', 'A SimIntegration has no field `zzzzz` to ignore'],
      ],
    ],
  ],
  [
    'what is missing',
    [
      [
        'kind: SenderAddress\n',
        ['missing-field 1:1', 'The document has no `email`', 'For example: `email: no-reply@acme.example`.'],
      ],
      [
        search('[{ type: ProfileStatusRule, value: Active }]'),
        ['missing-field 3:9', '`rules[0]` has no `comparison_operator`', `It is ${operators}.`],
      ],
      [
        search('[{ type: ProfileStatusRule, comparison_operator: == }]'),
        ['missing-field 3:9', '`rules[0]` has no `value`', 'For example: `value: Active`.'],
      ],
      [
        template('').replace('locale: en\n', ''),
        ['missing-field 1:1', 'The document has no `locale`', 'For example: `locale: en`.'],
      ],
      ['kind: SimIntegration\ntype: x\n', ['missing-field 1:1', 'The document has no `name` or `id`']],
    ],
  ],
  [
    'a value that does not fit',
    [
      [
        'kind: VerifiedDomain\ndomain: bücher.example\n',
        [
          'invalid-value 2:9',
          '`domain` cannot be `bücher.example`',
          'DNS has this domain as `xn--bcher-kva.example`: write that.',
        ],
      ],
      [
        'kind: SenderAddress\nemail: joe\n',
        ['invalid-value 2:8', '`email` cannot be `joe`', 'For example: `no-reply@acme.example`.'],
      ],
      [
        template('').replace('en', 'e_'),
        ['invalid-value 4:9', '`locale` cannot be `e_`', 'For example: `en`, `de` or `pt-BR`.'],
      ],
      [
        desk('id: ""'),
        ['invalid-value 3:5', '`id` is empty', 'For example: `2c9180835d2e5168015d32f890ca1581`.'],
      ],
      [
        'kind: SimIntegration\nid: x1\nname: ""\n',
        ['invalid-value 3:7', '`name` is empty', 'For example: `ServiceNow`.'],
      ],
      [
        search('[{ type: ProfileStatusRule, comparison_operator: like, value: Active }]'),
        ['invalid-value 3:57', '`rules[0].comparison_operator` must be == or !=, not like'],
      ],
      [
        search('[{ type: ProfileStatusRul, comparison_operator: ==, value: Active }]'),
        [
          'invalid-value 3:17',
          '`rules[0].type` must be ProfileStatusRule, ProfileTypeRule, ProfileAttributeRule or RiskRule, not ProfileStatusRul',
          'Did you mean `ProfileStatusRule`?',
        ],
      ],
      [template('ensure: gone'), ['invalid-value 5:9', '`ensure` must be present or absent, not gone']],
      [
        template('lifecycle: { ignore: [subject] }'),
        [
          'invalid-value 5:23',
          '`lifecycle.ignore[0]` cannot be `subject`',
          'For example: `/description` or `/attributes/url`.',
        ],
      ],
      ...['sha256:abc', '12'].map((digest): [string, Said] => [
        template(`lifecycle: { basedOn: "${digest}" }`),
        [
          'invalid-value 5:23',
          `\`lifecycle.basedOn\` cannot be \`${digest}\``,
          'It is `sha256:` and 64 of the characters 0-9 and a-f. Remove the line, and `tenantctl export --merge` writes the right one.',
        ],
      ]),
      [
        'kind: VerifiedDomain\ndomain: "a\\ud800.example"\n',
        [
          'half-character 2:9',
          '`domain` has an escape for half of a character',
          'Write the character itself, or the escapes of both halves: `\\ud83d\\ude00`.',
        ],
      ],
      [
        desk('lifecycle: { renamedFrom: "\\ud800" }'),
        [
          'half-character 3:27',
          '`lifecycle.renamedFrom` has an escape for half of a character',
          'Write the character itself, or the escapes of both halves: `\\ud83d\\ude00`.',
        ],
      ],
      [
        'kind: MailFrom\nidentity: a.example\nmailFromDomain: ~\n',
        [
          'not-clearable 3:17',
          '`mailFromDomain` cannot be cleared: the API does not accept null for it',
          'Remove the line to leave it as it is, or declare `ensure: absent` instead.',
        ],
      ],
      [
        login('type: ~'),
        [
          'not-clearable 3:7',
          '`type` cannot be cleared: the API does not accept null for it',
          'Remove the line to leave it as it is.',
        ],
      ],
      [
        template('ensure: absent\nsubject: b\nbody: c'),
        [
          'absent-with-fields 6:1',
          'With `ensure: absent`, only the key is allowed, not `subject`',
          'Remove the field, or `ensure: absent`.',
        ],
        [
          'absent-with-fields 7:1',
          'With `ensure: absent`, only the key is allowed, not `body`',
          'Remove the field, or `ensure: absent`.',
        ],
      ],
      [
        desk('lifecycle: { renamedFrom: a }'),
        [
          'invalid-value 3:27',
          '`lifecycle.renamedFrom` is the current name of the object',
          'Use its previous name, or remove the line.',
        ],
      ],
      [
        'kind: SenderAddress\nemail: a@b.example\nlifecycle: { renamedFrom: c@d.example }\n',
        [
          'not-renamable 3:14',
          'The API cannot rename objects of kind SenderAddress',
          'Remove `renamedFrom`.',
        ],
      ],
    ],
  ],
  [
    'a tag',
    [
      [template('subject: !vra x'), ['unknown-tag 5:10', 'There is no tag `!vra`', 'Did you mean `!var`?']],
      [template('subject: !zzz x'), ['unknown-tag 5:10', 'There is no tag `!zzz`', tags]],
      [template('subject: !!binary aGk='), ['unknown-tag 5:19', 'There is no tag `!!binary`', tags]],
      ...['!var a b', '!var 1a', '!env [a]', '!secret'].map((tag): [string, Said] => [
        template(`subject: ${tag}`),
        ['invalid-tag 5:10', 'This tag takes one name', 'For example: `!var NAME`.'],
      ]),
      ...['[a]', '""'].map((path): [string, Said] => [
        template(`subject: !file ${path}`),
        ['invalid-tag 5:10', '`!file` takes the path of a file', 'For example: `!file texts/a.html`.'],
      ]),
      [
        template('subject: !format [a]'),
        ['invalid-tag 5:10', '`!format` takes a text', 'For example: `!format "https://%{host}/"`.'],
      ],
      [
        template('subject: !format "%{a} %{ b }"'),
        [
          'variable-unset 5:10',
          'The environment has no variable `a`',
          'Add it to `variables` of the environment.',
        ],
        [
          'variable-unset 5:10',
          'The environment has no variable `b`',
          'Add it to `variables` of the environment.',
        ],
      ],
      [
        template('subject: !format "a %{b"'),
        ['invalid-tag 5:10', 'A `%{` in this text is not closed', 'Write `%%{` for a literal `%{`.'],
      ],
      [
        template('subject: !env TOWN'),
        [
          'env-unset 5:10',
          'The environment variable TOWN is not set',
          'Set TOWN where the program runs, or write `!var NAME` for a variable of the environment.',
        ],
      ],
      [template('subject: !lookup x'), badLookup('it takes a mapping')],
      ...[
        ['from: ../x, where: { a: b }, take: id', '`from` must be the plain name of a collection'],
        ['from: a1, where: { a: b }, take: id', '`from` must be the plain name of a collection'],
        ['from: A, where: { a: b }, take: id', '`from` must be the plain name of a collection'],
        ['where: { a: b }, take: id', '`from` must be the plain name of a collection'],
        ['from: a_b, where: { a: b }', '`take` must name a field'],
        ['from: a, where: { a: b }, take: ""', '`take` must name a field'],
        ['from: a, take: id', '`where` must name at least one field and its value'],
        ['from: a, where: {}, take: id', '`where` must name at least one field and its value'],
        [
          'from: a, where: { a: 1, b: ~ }, take: id',
          'the value of `b` must be text, a number, true or false',
        ],
        ['from: a, where: { a: [b] }, take: id', 'the value of `a` must be text, a number, true or false'],
        [
          'from: a, where: { a: "\\ud800" }, take: id',
          'the value of `a` holds half a character, which no request can hold',
        ],
        [
          'from: a, where: { a: b }, take: id, limit: 1',
          'it has `limit`, but only `from`, `where` and `take` are allowed',
        ],
      ].map(([argument = '', why = '']): [string, Said] => [
        template(`subject: !lookup { ${argument} }`),
        badLookup(why),
      ]),
    ],
  ],
  [
    'anchors and aliases',
    [
      [
        template('subject: &a x\nbody: &a y'),
        [
          'duplicate-anchor 6:10',
          'The anchor `&a` is defined a second time',
          'Give it another name, or remove it.',
        ],
      ],
      [template('subject: *a'), ['unknown-alias 5:10', 'There is no anchor `&a` before this alias']],
      [
        template('subject: &subj x\nbody: *sub'),
        ['unknown-alias 6:7', 'There is no anchor `&sub` before this alias', 'Did you mean `subj`?'],
      ],
      [desk('attributes: &a { b: [*a] }'), ['alias-cycle 3:22', '`*a` refers to a value that contains it']],
    ],
  ],
  [
    'a key',
    [
      [template('~: x'), ['key-not-text 5:1', 'A key must be plain text']],
      [template('!secret a: x'), ['key-not-text 5:9', 'A key must be plain text']],
      [template('? { a: b }\n: x'), ['key-not-text 5:3', 'A key must be plain text']],
      ...['__proto__', 'constructor', 'prototype'].map((key): [string, Said] => [
        desk(`attributes: { ${key}: x }`),
        ['unsafe-key 3:15', `The key \`${key}\` is not allowed`],
      ]),
      ...['$secret', '$lookup', '$ref'].map((key): [string, Said] => [
        desk(`attributes: { ${key}: x }`),
        ['reserved-key 3:15', `The key \`${key}\` is reserved for tenantctl`, reserved],
      ]),
      [
        desk('attributes: { <<: {} }'),
        [
          'merge-key 3:15',
          'Merge keys (`<<`) are not part of YAML 1.2',
          'Repeat the fields, or write "<<" in quotes if that is the key.',
        ],
      ],
      [desk('name: b'), ['duplicate-key 3:1', 'The key `name` appears twice; first on line 2']],
    ],
  ],
  [
    'a number that JSON cannot hold',
    [
      ...['1e400', '.inf'].map((number): [string, Said] => [
        desk(`attributes: { a: ${number} }`),
        [
          'inexact-number 3:18',
          `JSON has no number \`${number}\``,
          `If it is text, put it in quotes: "${number}".`,
        ],
      ]),
      [
        desk('attributes: { a: 9007199254740993 }'),
        [
          'inexact-number 3:18',
          '`9007199254740993` is read as the number 9007199254740992',
          'If it is text, put it in quotes: "9007199254740993". If it is a number, write 9007199254740992.',
        ],
      ],
      [
        desk(`attributes: { a: ${'1'.repeat(60)} }`),
        [
          'inexact-number 3:18',
          `\`${'1'.repeat(40)}…\` is read as the number 1.1111111111111112e+59`,
          `If it is text, put it in quotes: "${'1'.repeat(40)}…". If it is a number, write 1.1111111111111112e+59.`,
        ],
      ],
    ],
  ],
  [
    'a document that is no manifest',
    [
      [
        '- kind: a\n',
        [
          'not-a-mapping 1:1',
          'A manifest must be a mapping that begins with `kind:`',
          'Write each object without the `-`, and `---` between them.',
        ],
      ],
      ...['a\n', 'kind:SenderAddress\n'].map((text): [string, Said] => [
        text,
        [
          'not-a-mapping 1:1',
          'A manifest must be a mapping that begins with `kind:`',
          'Write `kind: NotificationTemplate` in the first line: a name, a colon, a space and the value. The other fields follow in lines of their own.',
        ],
      ]),
      [
        'kind: AuthProfil\n',
        ['unknown-kind 1:7', 'There is no kind `AuthProfil`', 'Did you mean `AuthProfile`?'],
      ],
    ],
  ],
];

describe.each(inManifests)('%s', (_about, mistakes) => {
  it.each(mistakes)('%j', (manifest, ...said) => {
    expect(saidOf({ 'config/a.yaml': manifest }, 'config/a.yaml')).toEqual(said);
  });
});

it('the kinds are named where none is near', () => {
  for (const kind of ['Wombat', '[a]', '']) {
    const [[, , hint] = []] = saidOf({ 'config/a.yaml': `kind: ${kind}\n` }, 'config/a.yaml');
    expect(hint).toMatch(/^The kinds are .*MailFrom, .*SimIntegration, .*\.$/);
  }
});

it('limits of a description of a kind are told in words', () => {
  const file = 'kinds/Role.kind.yaml';
  const text = `kind: Role
path: /v2025/roles
key: [a, b, c, d, e, f]
fields: { g: { is: text, to: Role }, h: { is: json, zzz: 1 } }
serverOwned: [id, made, id]
`;
  expect(saidOf({ [file]: text }, file)).toEqual([
    ['invalid-value 3:6', '`key` has more than 5 items'],
    ['unknown-field 4:26', 'There is no field `to` in `fields.g`', 'The fields are: is.'],
    ['unknown-field 4:53', 'There is no field `zzz` in `fields.h`', 'The fields are: is, declares, text.'],
    ['invalid-value 5:14', '`serverOwned` has an item twice, at 0 and 2'],
  ]);
});
