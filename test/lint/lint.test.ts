import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Resource } from '../../src/kinds/resource.ts';
import { type LintKnowledge, lint } from '../../src/lint/index.ts';
import { collectionsFor } from '../../src/lint/searches.ts';
import type { Diagnostic } from '../../src/model/failure.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { type Finding, lintRules } from '../../src/model/lint.ts';
import { config, type Files, failureOf, load } from '../loader/fixture.ts';
import { liveFrom, resource } from '../support/plan.ts';
import { codes, liveDomain, liveSender, standard, template } from './support.ts';

const sender = (email: string) => resource('SenderAddress', [email]);
const search = (...rules: JsonObject[]) => resource('ProfileSearch', ['People'], { rules });

function findings(resources: readonly Resource[], known: LintKnowledge | null = null): string[] {
  return lint({ resources, known, levels: {} }).map(describeFinding);
}

const describeFinding = ({ code, message, hint }: Diagnostic) =>
  `${code}: ${message}${hint ? ` (${hint})` : ''}`;

describe('variables', () => {
  const known: LintKnowledge = {
    defaults: [
      standard({ subject: 'Hello ${user.name}', body: '#foreach($task in $tasks)$task.name#end' }),
      standard({ subject: '$daysLeft' }, ['welcome', 'SLACK', 'de']),
      standard({ subject: '$other' }, ['another', 'EMAIL', 'en']),
    ],
    context: ['productName', 'loginUrl'],
  };

  it.each<[string, string[]]>([
    ['$user.anything ${tasks} $daysLeft $productName $__global.loginUrl $__recipient.name', []],
    ['#set($mine = 1)$mine #foreach($t in $tasks)$t $foreach.index#end', []],
    [
      '$usr',
      [
        "unknown-variable: Neither the vendor's default nor the template context has `$usr`. (Did you mean `user`?)",
      ],
    ],
    ['$other', ["unknown-variable: Neither the vendor's default nor the template context has `$other`."]],
    [
      '$__global.productNam',
      ['unknown-variable: The template context has no `productNam`. (Did you mean `productName`?)'],
    ],
    ['$__global', []],
    ['\\$usr and $5', []],
    // In another case it is another one: the tenant would print its name.
    ['$Other', ["unknown-variable: Neither the vendor's default nor the template context has `$Other`."]],
    ['$__global.Zip', ['unknown-variable: The template context has no `Zip`.']],
    [
      '#set($Mine = 1)$mine',
      ["unknown-variable: Neither the vendor's default nor the template context has `$mine`."],
    ],
  ])('%s', (body, expected) => {
    expect(findings([template({ body })], known)).toEqual(expected);
  });

  it('are known in every field if one field sets them, and are reported once', () => {
    const fields = { subject: '$mine $nobody', body: '#set($mine = $nobody) $nobody' };
    expect(codes([template(fields)], known)).toEqual(['unknown-variable']);
  });

  it('are told twenty times at most in one template, since more have one cause', () => {
    const names = Array.from({ length: 15 }, (_, at) => `$nobody${at} $__global.nothing${at}`);
    expect(codes([template({ body: names.join(' ') })], known)).toHaveLength(20);
  });

  it('are not judged without the tenant or without the default of the template', () => {
    const declared = [template({ body: '$nobody $__global.nothing' })];
    expect(findings(declared)).toEqual([]);
    expect(findings(declared, { defaults: known.defaults ?? [] })).toEqual([]);
    expect(findings([template({ body: '$nobody' })], { ...known, defaults: [] })).toEqual([]);
  });
});

describe('senders', () => {
  const none = { senders: [] };

  it.each<[string, Json, LintKnowledge | null, boolean]>([
    ['declared', 'hELP@aCME.EXAMPLE', null, false],
    ['declared, with a name', 'Help desk <help@acme.example>', null, false],
    ['of a declared domain', 'any@Mail.verified.Example', null, false],
    ['a variable', '$__global.emailFromAddress', null, false],
    ['cleared', null, null, false],
    ['live', 'live@tenant.example', { senders: [liveSender('LIVE@tenant.example')] }, false],
    ['of a live domain', 'a@tenant.example', { senders: [liveDomain('tenant.example')] }, false],
    [
      'below a live domain, in any case',
      'a@Mail.Acme.Example',
      { senders: [liveDomain('ACME.example')] },
      false,
    ],
    ['of the other form of a domain', 'Post <post@xn--bcher-kva.example>', null, false],
    [
      'live, in the other form',
      'a@Bücher.example',
      { senders: [liveSender('a@xn--bcher-kva.example')] },
      false,
    ],
    [
      'below a domain in the other form',
      'a@mail.bücher.example',
      { senders: [liveDomain('xn--bcher-kva.example')] },
      false,
    ],
    [
      'that nobody has verified yet',
      'a@x.example',
      { senders: [liveSender('a@x.example', 'PENDING')] },
      false,
    ],
    ['whose verification failed', 'a@x.example', { senders: [liveSender('A@x.example', 'FAILED')] }, true],
    [
      'of a domain that is not verified yet',
      'a@x.example',
      { senders: [liveDomain('x.example', 'PENDING')] },
      true,
    ],
    [
      'that the plan deletes',
      'd@x.example',
      { senders: [liveSender('D@x.example')], deleted: new Set(['d@x.example']) },
      true,
    ],
    ['beside a declared one', 'other@acme.example', none, true],
    ['of a longer domain', 'help@evil-acme.example', none, true],
    ['of a shorter domain', 'help@example', none, true],
    ['that is a domain', 'acme.example', none, true],
    ['that is a name', 'help', none, true],
    [
      'of a domain that ends like a live one',
      'a@evilacme.example',
      { senders: [liveDomain('acme.example')] },
      true,
    ],
    [
      'of a domain that begins like a live one',
      'a@acme.example.evil',
      { senders: [liveDomain('acme.example')] },
      true,
    ],
    ['foreign, offline', 'live@tenant.example', null, true],
    ['foreign', 'live@tenant.example', none, true],
    ['of a domain that only ends alike', 'a@notverified.example', none, true],
    ['no address', 'Help desk', none, true],
    ['a price', '$5', none, true],
  ])('%s', (_name, from, known, isFound) => {
    const declared = [
      ...['help@acme.example', 'post@bücher.example'].map(sender),
      resource('VerifiedDomain', ['Verified.example']),
    ];
    const expected = isFound ? ['unknown-sender'] : [];
    expect(codes([template({ from }), ...declared], known)).toEqual(expected);
    expect(codes([template({ replyTo: from }), ...declared], known)).toEqual(expected);
  });

  it('suggests a similar one', () => {
    const [found] = findings([template({ from: 'hlep@acme.example' }), sender('help@acme.example')], none);
    expect(found).toContain(
      '`from`: hlep@acme.example is not a declared sender, nor a usable one of the tenant, and its domain is not verified.',
    );
    expect(found).toContain('Did you mean `help@acme.example`?');
  });

  it('are not judged offline if the project declares none', () => {
    expect(findings([template({ from: 'a@b.example' })])).toEqual([]);
  });

  it('do not count when declared absent', () => {
    const gone = resource('SenderAddress', ['a@b.example'], {}, { ensure: 'absent' });
    expect(codes([template({ from: 'a@b.example' }), gone], none)).toEqual(['unknown-sender']);
  });
});

it.each([
  ['Help@Acme.example', 'BOUNCE.acme.EXAMPLE', []],
  ['ACME.example', 'bounce.acme.example', []],
  ['help@acme.example', 'acme.example', ['mail-from-domain']],
  ['help@acme.example', 'evilacme.example', ['mail-from-domain']],
  ['help@acme.example', 'bounce.other.example', ['mail-from-domain']],
])(
  'the MAIL FROM domain of %s may be a subdomain in any case, such as %s',
  (identity, mailFromDomain, found) => {
    expect(codes([resource('MailFrom', [identity], { mailFromDomain })])).toEqual(found);
  },
);

describe('text in a field that holds JSON', () => {
  const at = (attributes: Json) => [resource('SimIntegration', ['Desk'], { attributes })];

  it.each<[string, Json]>([
    ['an object', { url: 'not json' }],
    ['text of an object', '{"url":"u"}'],
    ['the text of a map, as some tenants have it', '{url=u}'],
    ['a number', '5'],
    ['empty', ''],
  ])('may be %s', (_name, attributes) => {
    expect(codes(at(attributes))).toEqual([]);
  });

  it.each(['not json', '{"url":"u"', '{url}'])('is reported where it is %s', (attributes) => {
    expect(codes(at(attributes))).toEqual(['json-text']);
  });

  it('is not shown, since it may be a credential', () => {
    const files = { 'config/a.yaml': "kind: SimIntegration\nname: Desk\nattributes: 'pw 4711'\n" };
    const { resources } = load({ ...files, 'tenantctl.yaml': config() });
    const [finding] = lint({ resources, known: null, levels: {} });
    expect(finding).toMatchObject({ code: 'json-text', source: { file: 'config/a.yaml', line: 3 } });
    expect(JSON.stringify(finding)).not.toContain('4711');
  });
});

describe('chat messages', () => {
  it.each<[string, Json, string[]]>([
    ['an object', { text: 'Hi $name', blocks: [{ type: 'divider' }], attachments: '[]' }, []],
    ['text of an object', '{"text":"Hi ${name}","blocks":"[{\\"type\\":\\"divider\\"}]"}', []],
    ['empty', { text: 'a', attachments: '', messageJSON: null }, []],
    ['text with directives', '{"items":[#foreach($a in $b)"$a",#end]}', []],
    ['plain text', 'Hi there', ['The text of `slackTemplate` is not valid JSON.']],
    ['a word', '"x"', ['The text of `slackTemplate` is neither a JSON object nor a list.']],
    ['cut off', '{"text": "Hi"', ['The text of `slackTemplate` is not valid JSON.']],
    ['bad blocks', { blocks: '[{]' }, ['The text of `slackTemplate.blocks` is not valid JSON.']],
    [
      'blocks of a word',
      { attachments: '"x"' },
      ['The text of `slackTemplate.attachments` is neither a JSON object nor a list.'],
    ],
    [
      'bad blocks in text',
      '{"messageJSON":"{"}',
      ['The text of `slackTemplate.messageJSON` is not valid JSON.'],
    ],
  ])('%s', (_name, slackTemplate, expected) => {
    const declared = template({ slackTemplate }, ['welcome', 'SLACK', 'en']);
    const found = lint({ resources: [declared], known: null, levels: {} });
    expect(found.map(({ code, message }) => `${code}: ${message}`)).toEqual(
      expected.map((message) => `chat-json: ${message}`),
    );
  });

  it('are one text for Velocity, even if they have several parts', () => {
    expect(codes([template({ teamsTemplate: { a: '#if($x)', b: ['y', '#end'] } })])).toEqual([]);
    expect(codes([template({ teamsTemplate: { a: '#if($x)', b: ['y', '## #end'] } })])).toEqual([
      'velocity-unclosed',
    ]);
  });
});

describe('defaults', () => {
  const known = {
    defaults: [standard({ subject: 'Hi', body: 'a\r\nb', footer: null, from: 'A@b.example' })],
  };

  it.each<[string, JsonObject, boolean]>([
    ['the same', { subject: 'Hi', body: 'a\nb', footer: '', from: 'a@B.example' }, true],
    ['a part of it', { subject: 'Hi' }, true],
    ['another subject', { subject: 'Hello', body: 'a\nb' }, false],
    ['something cleared', { subject: 'Hi', body: null }, false],
  ])('%s', (_name, fields, isSame) => {
    expect(codes([template(fields)], known)).toEqual(isSame ? ['equals-default'] : []);
  });

  it('of another locale do not count', () => {
    expect(codes([template({ subject: 'Hi' }, ['welcome', 'EMAIL', 'de'])], known)).toEqual([]);
  });
});

it('reports the locales and media that a notification lacks and others have', () => {
  const declared = [
    template({}, ['a', 'EMAIL', 'en']),
    template({}, ['a', 'EMAIL', 'de']),
    template({}, ['b', 'EMAIL', 'en']),
    template({}, ['a', 'SLACK', 'fr']),
    resource('NotificationTemplate', ['c', 'EMAIL', 'ja'], {}, { ensure: 'absent' }),
  ];
  expect(findings(declared)).toEqual([
    'missing-locale: `b` is not declared for EMAIL in de, although other notifications are.',
    'missing-medium: `b` is not declared for SLACK, although other notifications are.',
  ]);
});

it('says nothing of a locale or a medium that only a few notifications have', () => {
  const others = ['b', 'c'].map((key) => template({}, [key, 'EMAIL', 'en']));
  const declared = [
    ['a', 'EMAIL', 'en'],
    ['a', 'EMAIL', 'de'],
    ['a', 'SLACK', 'en'],
    ['a', 'SLACK', 'de'],
  ];
  expect(findings([...declared.map((key) => template({}, key)), ...others])).toEqual([]);
});

describe('search rules', () => {
  const rule = (type: string, comparison_operator: string, value: Json, more: JsonObject = {}) => ({
    type,
    comparison_operator,
    value,
    ...more,
  });
  const attribute = (operator: string, value: Json, id = 'att') =>
    rule('ProfileAttributeRule', operator, value, { object_type: 'NeAttribute', condition_object_id: id });
  const attributes = [
    { id: 'att', uid: 'department', label: 'Department', data_type: 'text' },
    { id: 'iso', uid: 'start', label: 'Start', data_type: 'date', date_format: 'YYYY-MM-DD' },
    { id: 'us', uid: 'end', label: 'End', data_type: 'DateAttribute', date_format: 'mm/dd/yyyy' },
    { id: 'eu', data_type: 'date', date_format: 'DD.MM.YYYY' },
    { id: 'any', uid: 'born', type: 'date' },
    { id: 'long', data_type: 'date', date_format: `YYYY-MM-DD${' '.repeat(91)}` },
    { id: 7, uid: 'number' },
  ];
  const rows: LintKnowledge = {
    records: new Map<string, readonly JsonObject[]>([
      ['ne_attributes', attributes],
      ['profile_types', [{ id: 'emp', uid: 'employee', name: 'Employees' }]],
    ]),
  };

  it.each<[JsonObject, Finding['code'] | null]>([
    [rule('ProfileStatusRule', '==', 'Leave of absence'), null],
    [rule('ProfileStatusRule', '!=', 'active'), 'rule-value'],
    [rule('ProfileStatusRule', '>', 'Active'), 'rule-operator'],
    [rule('ProfileStatusRule', '==', 'Active', { valeu: 'x' }), 'rule-member'],
    [rule('ProfileStatusRule', '==', 'Active', { valeu: null }), null],
    [rule('ProfileTypeRule', '==', 'anything'), null],
    [rule('ProfileTypeRule', 'include?', 'emp'), 'rule-operator'],
    [attribute('matches', 'x'), 'rule-operator'],
    [attribute('include?', '30 days before'), null],
    [attribute('before', '2030-01-31'), null],
    [attribute('after', '12/31/2030'), null],
    [attribute('after', '31/12/2030'), null],
    [attribute('before', '31 January 2030'), null],
    [attribute('before', '2030-02-30'), 'rule-value'],
    [attribute('before', '31/31/2030'), 'rule-value'],
    [attribute('before', '30 before'), 'rule-value'],
    [attribute('before', 'Today'), null],
    [attribute('after', 'tomorrow'), 'rule-value'],
    [attribute('after', 'contract_end_date'), null],
    [attribute('after', 'the end'), 'rule-value'],
    [{ ...attribute('after', 'The end'), secondary_attribute_id: 'a2' }, null],
    [{ ...attribute('after', 'The end'), secondary_attribute_id: null }, 'rule-value'],
    [attribute('<', '30 after'), null],
    [attribute('==', 'Engineering'), null],
    [attribute('>', '42'), null],
    [attribute('<', '30 days after'), 'rule-distance'],
    [attribute('==', 'before 30'), 'rule-distance'],
    [attribute('>', '30 Before'), 'rule-distance'],
    [attribute('before', { $lookup: { from: 'profiles', where: { uid: 'a' }, take: 'id' } }), null],
  ])('%j offline', (declared, expected) => {
    expect(codes([search(declared)])).toEqual(expected === null ? [] : [expected]);
  });

  it.each<[JsonObject, Finding['code'] | null]>([
    [rule('ProfileTypeRule', '==', 'emp'), null],
    [rule('ProfileTypeRule', '==', 'employee'), 'unknown-profile-type'],
    [attribute('==', 'x', 'nobody'), 'unknown-attribute'],
    [attribute('before', 'x', '7'), 'rule-value'],
    [attribute('start_with?', 'x', '7'), null],
    [attribute('include?', 'x'), null],
    [attribute('before', '2030-01-31'), 'rule-attribute'],
    [attribute('include?', '2030', 'iso'), 'rule-attribute'],
    [attribute('include?', '2030', 'any'), 'rule-attribute'],
    [attribute('before', '2030-01-31', 'iso'), null],
    [attribute('before', '2030-02-30', 'iso'), 'rule-value'],
    [attribute('before', '01/31/2030', 'iso'), 'rule-attribute'],
    [attribute('before', '01/31/2030', 'us'), null],
    [attribute('before', '31/01/2030', 'us'), 'rule-attribute'],
    [attribute('before', '31/01/2030', 'eu'), 'rule-attribute'],
    [attribute('before', '31/01/2030', 'any'), null],
    [attribute('before', '31/01/2030', 'long'), null],
    [attribute('<', '30 after', 'us'), null],
    [attribute('<', '30', 'us'), 'rule-distance'],
    [attribute('<', 'Today', 'us'), null],
    [attribute('before', 'Today', 'iso'), null],
    [attribute('before', 'end', 'iso'), null],
    [attribute('before', 'born', '7'), null],
    [attribute('before', 'no_such_date', 'iso'), 'rule-value'],
    [{ ...attribute('before', 'end', 'iso'), secondary_attribute_id: 'us' }, null],
    [{ ...attribute('before', 'end', 'iso'), secondary_attribute_id: 'gone' }, 'unknown-attribute'],
    [attribute('==', '2030-01-31', 'iso'), 'rule-distance'],
  ])('%j with the records of the tenant', (declared, expected) => {
    expect(codes([search(declared)], rows)).toEqual(expected === null ? [] : [expected]);
  });

  it.each<[string, JsonObject, string]>([
    [
      'an operator that a date does not have',
      attribute('include?', '2030', 'iso'),
      'rule-attribute: A date has no operator `include?`. (Use one of before after > < ==.)',
    ],
    [
      'an operator of dates',
      attribute('before', '2030-01-31'),
      'rule-attribute: `before` is for dates, and the attribute is not a date. (Use one of == != > < start_with? end_with? include? exclude?.)',
    ],
    [
      'a date in another form',
      attribute('before', '01/31/2030', 'iso'),
      'rule-attribute: `before` needs a date in the form YYYY-MM-DD, not `01/31/2030`.',
    ],
    [
      'a date where a number of days belongs',
      attribute('==', '2030-01-31', 'iso'),
      'rule-distance: `==` compares a date with a number of days from today, not with `2030-01-31`. (Write for example `30 before` or `30 after`.)',
    ],
    [
      'a number of days where a date belongs',
      attribute('before', '30 before', 'iso'),
      'rule-value: `before` needs a date, not `30 before`. (Keep the value `30 before`, and use the operator `>`, `<` or `==`.)',
    ],
    [
      'an id that is almost one',
      attribute('==', 'x', 'lnog'),
      'unknown-attribute: The tenant has no attribute with the id `lnog`. (Did you mean `long`?)',
    ],
  ])('says what is wrong with %s', (_, declared, expected) => {
    expect(findings([search(declared)], rows)).toEqual([expected]);
  });

  it('need each collection once, and none for an id that is looked up', () => {
    const lookup = { $lookup: { from: 'profile_types', where: { uid: 'a' }, take: 'id' } };
    expect(collectionsFor([search(rule('ProfileTypeRule', '==', lookup))])).toEqual([]);
    expect(collectionsFor([search(attribute('==', 'x'), attribute('==', 'y'))])).toEqual(['ne_attributes']);
  });

  it('suggests a lookup for a name in the place of an id', () => {
    const [found] = findings([search(attribute('==', 'x', 'Department'))], rows);
    expect(found).toContain('!lookup { from: ne_attributes, where: { label: Department }, take: id }');
  });
});

describe('levels', () => {
  const broken = [template({ body: '#if($a)' })];

  it.each(['error', 'warning', 'info'] as const)('%s', (level) => {
    const [found] = lint({ resources: broken, known: null, levels: { 'velocity-unclosed': level } });
    expect(found?.severity).toBe(level);
  });

  it('off', () => {
    expect(lint({ resources: broken, known: null, levels: { 'velocity-unclosed': 'off' } })).toEqual([]);
  });

  it('come from the project file, one by one', () => {
    const lintOf = (section: string) =>
      load({
        'tenantctl.yaml': `${config()}${section}`,
        'config/a.yaml': 'kind: SenderAddress\nemail: a@b.example',
      }).lint;
    expect(lintOf('')).toEqual({
      ...Object.fromEntries(Object.entries(lintRules).map(([code, { level }]) => [code, level])),
      // The tenant is an embedded one.
      'plain-credential': 'off',
    });
    expect(lintOf('lint: { chat-json: error, missing-locale: off }\n')).toMatchObject({
      'chat-json': 'error',
      'missing-locale': 'off',
      'missing-medium': 'info',
    });
  });

  it('of rules that do not exist are refused, with a suggestion', () => {
    const problems = failureOf({ 'tenantctl.yaml': `${config()}lint:\n  velocity-unclosd: off\n` });
    expect(problems.find(({ code }) => code === 'unknown-field')).toMatchObject({
      severity: 'error',
      source: { line: 6, column: 3 },
      hint: 'Did you mean `velocity-unclosed`?',
    });
    const levels = failureOf({ 'tenantctl.yaml': `${config()}lint: { chat-json: warn }\n` });
    expect(levels.find(({ code }) => code === 'invalid-value')?.message).toContain(
      'must be error, warning, info or off',
    );
  });

  it('are the same in the schema and in the table', () => {
    const schema = JSON.parse(
      readFileSync(new URL('../../schemas/project.schema.json', import.meta.url), 'utf8'),
    );
    const expected = Object.entries(lintRules).map(([code, { level, means }]) => [
      code,
      { description: means, enum: ['error', 'warning', 'info', 'off'], default: level },
    ]);
    expect(schema.properties.lint.properties).toEqual(Object.fromEntries(expected));
  });
});

it("reports nothing about the vendor's texts and customised ones", () => {
  const seed: {
    templateDefaults: JsonObject[];
    templates: JsonObject[];
    templateContext: { attributes: JsonObject };
    senders: { email: string }[];
  } = parse(readFileSync(new URL('../../examples/sandbox.seed.yaml', import.meta.url), 'utf8'));
  const live = (raw: JsonObject) => liveFrom({ kind: 'NotificationTemplate', raw });
  const defaults = seed.templateDefaults.map(live);
  const known = {
    defaults,
    context: Object.keys(seed.templateContext.attributes),
    senders: seed.senders.map(({ email }) => liveSender(email)),
  };
  const declared = [...defaults, ...seed.templates.map(live)].map(({ key, fields }) =>
    template(fields, [...key]),
  );
  const quiet = { 'equals-default': 'off', 'missing-locale': 'off', 'missing-medium': 'off' } as const;
  expect(declared.length).toBeGreaterThan(100);
  expect(lint({ resources: declared, known, levels: quiet }).map(describeFinding)).toEqual([]);
});

it('never throws, for any fields, and finds only what the rules of the project file can switch off', () => {
  const off = Object.fromEntries(Object.keys(lintRules).map((code) => [code, 'off'] as const));
  const value = fc.jsonValue().map((json): Json => JSON.parse(JSON.stringify(json)));
  const fields = (...names: string[]) =>
    fc.dictionary(fc.constantFrom(...names), value).map((members): JsonObject => ({ ...members }));
  const rules = fields('type', 'comparison_operator', 'value', 'condition_object_id');
  fc.assert(
    fc.property(
      fields('subject', 'body', 'from', 'slackTemplate', 'teamsTemplate'),
      rules,
      value,
      (texts, rule, row) => {
        const known: LintKnowledge = {
          defaults: [standard(texts)],
          context: ['__proto__'],
          senders: [],
          records: new Map([
            ['ne_attributes', [{ id: row }]],
            ['profile_types', [rule]],
          ]),
        };
        const resources = [template(texts), search(rule, { ...rule, type: 'ProfileAttributeRule' })];
        const codes = lint({ resources, known, levels: {} }).map(({ code }) => code);
        expect(codes.filter((code) => !Object.hasOwn(lintRules, code))).toEqual([]);
        expect(lint({ resources, known, levels: off })).toEqual([]);
      },
    ),
  );
});

describe('places', () => {
  const head = 'kind: NotificationTemplate\nkey: welcome\nmedium: EMAIL\nlocale: en\n';
  const at = (fields: string, more: Files = {}) => {
    const { resources, lint: levels } = load({ 'config/a.yaml': head + fields, ...more });
    return lint({ resources, known: null, levels }).map(
      ({ source, excerpt }) => `${source?.file}:${source?.line}:${source?.column} ${excerpt?.split('\n')[0]}`,
    );
  };

  it.each<[string, string, string]>([
    ['a literal block', 'body: |\n  one\n\n    two #end\n', 'config/a.yaml:8:9 8 |     two #end'],
    ['a block that begins with a blank line', 'body: |2\n\n   #end\n', 'config/a.yaml:7:4 7 |    #end'],
    ['a block of Windows lines', 'body: |\r\n  one\r\n  #end\r\n', 'config/a.yaml:7:3 7 |   #end'],
    ['a plain text', 'subject: one$a#end\n', 'config/a.yaml:5:15 5 | subject: one$a#end'],
    ['a quoted text', 'subject: "one #end"\n', 'config/a.yaml:5:15 5 | subject: "one #end"'],
    ['an escaped text', 'subject: "\\u00fc #end"\n', 'config/a.yaml:5:10 5 | subject: "\\u00fc #end"'],
    ['a folded block', 'body: >\n  one\n  #end\n', 'config/a.yaml:5:7 5 | body: >'],
    ['a formatted text', 'subject: !format "#end"\n', 'config/a.yaml:5:10 5 | subject: !format "#end"'],
    [
      'a text in a message',
      'slackTemplate:\n  blocks:\n    - { text: "a #end" }\n',
      'config/a.yaml:7:18 7 |     - { text: "a #end" }',
    ],
    [
      'a later text in a message',
      'teamsTemplate: { a: b, c: d, e: "f #end" }\n',
      'config/a.yaml:5:36 5 | teamsTemplate: { a: b, c: d, e: "f #end" }',
    ],
    ['JSON that is cut off', `slackTemplate: '{"a":'\n`, `config/a.yaml:5:22 5 | slackTemplate: '{"a":'`],
    [
      'JSON in a message',
      'slackTemplate: { text: a, blocks: "[1," }\n',
      'config/a.yaml:5:39 5 | slackTemplate: { text: a, blocks: "[1," }',
    ],
    [
      'JSON in JSON',
      `slackTemplate: '{"blocks":"[1,"}'\n`,
      `config/a.yaml:5:17 5 | slackTemplate: '{"blocks":"[1,"}'`,
    ],
  ])('%s', (_name, fields, expected) => {
    expect(at(fields)).toEqual([expected]);
  });

  it('in a side file', () => {
    const files = { 'config/texts/a.html': '<p>\r\n  ü #if($x)\r\n</p>\r\n' };
    expect(at('body: !file texts/a.html\n', files)).toEqual(['config/texts/a.html:2:5 2 |   ü #if($x)']);
  });

  it('in an overlay, as the message says', () => {
    const overlay = `    overlays: [{ target: NotificationTemplate/**, merge: { subject: 'one #end' } }]\n`;
    const { resources } = load({
      'tenantctl.yaml': config(overlay),
      'config/a.yaml': `${head}subject: one\n`,
    });
    const [found] = lint({ resources, known: null, levels: {} });
    expect(found).toMatchObject({ source: { file: 'tenantctl.yaml', line: 5 } });
    expect(found?.message).toMatch(/ \(set by this overlay\)\.$/);
  });
});
