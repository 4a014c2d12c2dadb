import { describe, expect, it } from 'vitest';
import type { ExportedFile } from '../../src/exporter/files.ts';
import { collectionsFor } from '../../src/exporter/ids.ts';
import type { LiveObject } from '../../src/kinds/kind.ts';
import type { JsonObject } from '../../src/model/json.ts';
import {
  answer,
  exportOf,
  integration,
  type Rows,
  search,
  sender,
  statusRule,
  template,
  typeRule,
} from './support.ts';

const run = (objects: readonly LiveObject[], records: Rows = new Map()) => exportOf(objects, { records });
const contentOf = (files: readonly ExportedFile[], path: string) =>
  files.find((file) => file.path === path)?.content;

describe('files', () => {
  it('gives structured kinds a file for each object and flat kinds one file', () => {
    const { files } = run([
      sender('b@acme.example'),
      sender('a@acme.example'),
      template('work_items', { subject: 'Hello' }),
      integration('Service Now', { type: 'Desk' }),
      search('Active', []),
      answer('AuthProfile', { name: 'Employees', type: 'PTA' }, 'p1'),
      answer('VerifiedDomain', { address: 'acme.example' }),
      answer('MailFrom', { identity: 'acme.example', mailFromDomain: 'bounce.acme.example' }),
      answer('NotificationPreference', { key: 'work_items', mediums: ['EMAIL'] }),
    ]);
    expect(files.map(({ path }) => path)).toEqual([
      'auth-profiles/employees.yaml',
      'mail-from.yaml',
      'notification-preferences.yaml',
      'notification-templates/work_items/email.en.yaml',
      'profile-searches/active.yaml',
      'sender-addresses.yaml',
      'sim-integrations/service-now.yaml',
      'verified-domains.yaml',
    ]);
    expect(contentOf(files, 'sender-addresses.yaml')).toBe(
      'kind: SenderAddress\nemail: a@acme.example\n---\nkind: SenderAddress\nemail: b@acme.example\n',
    );
  });

  it('keeps long texts in side files, byte for byte', () => {
    const body = '<p>Dear ${name},</p>  \r\n#if($x)\r\n\tÜmlaut\r\n#end\r\n\r\n ';
    const { files } = run([template('a', { body, subject: 'Short', description: 'One\ntwo\n' })]);
    expect(contentOf(files, 'notification-templates/a/email.en.body.html')).toBe(body);
    expect(contentOf(files, 'notification-templates/a/email.en.yaml')).toBe(
      'kind: NotificationTemplate\nkey: a\nmedium: EMAIL\nlocale: en\ndescription: |\n  One\n  two\nsubject: Short\nbody: !file email.en.body.html\n',
    );
  });

  it('puts the texts of one notification into one folder, whatever the keys are', () => {
    const { files } = run([
      template('a', {}, 'EMAIL', 'de'),
      template('a', { body: '<p>Hi</p>' }),
      template('a', {}, 'SLACK'),
      template('B/../c'),
      template('Con'),
      template('x'),
      template('X'),
    ]);
    const paths = files.map(({ path }) => path.replace('notification-templates/', ''));
    expect(paths).toEqual([
      'a/email.de.yaml',
      'a/email.en.body.html',
      'a/email.en.yaml',
      'a/slack.en.yaml',
      'b-c/email.en.yaml',
      ...[/^x-[0-9a-f]{8}\/email/, /^x-[0-9a-f]{8}\/email/, /^x-con-[0-9a-f]{8}\/email/].map((path) =>
        expect.stringMatching(path),
      ),
    ]);
    expect(new Set(paths).size).toBe(paths.length);
  });

  const line = 'x'.repeat(120);
  it.each([
    ['subject', `${line}x`, null],
    ['body', line, null],
    ['body', `${line}x`, 'txt'],
    ['body', `short\n${line}x`, 'txt'],
    ['body', `short\n${line}\nshort\n`, null],
    ['body', `${line}\n${line}\n${line}\n`, null],
    ['body', 'a\nb\nc\nd', 'txt'],
    ['description', 'a\nb\nc\nd', 'txt'],
    ['body', 'Ask Ada <ada@acme.example> if 1 < 2', null],
    ['body', '<p>Hi</p>', 'html'],
    ['footer', 'Bye<br/>', 'html'],
    ['description', 'Not <b>HTML</b> here', null],
  ])('puts a short text into the manifest, HTML and long texts beside it: %s %j', (field, text, ending) => {
    const { files } = run([template('a', { [field]: text })]);
    expect(files.map(({ path }) => path.split('/').at(-1)).sort()).toEqual(
      ['email.en.yaml', ...(ending ? [`email.en.${field}.${ending}`] : [])].sort(),
    );
    if (ending) expect(files.find(({ path }) => path.endsWith(ending))?.content).toBe(text);
  });

  it('names files so that every system can hold them side by side', () => {
    const labels = ['../../etc/passwd', 'Con', 'ACTIVE', 'active', 'a'.repeat(250), '日本語'];
    labels.push('nul.txt', '.hidden', 'x\u0000y', 'a.', '..');
    const paths = run(labels.map((label) => search(label, []))).files.map(({ path }) => path);
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(labels.length);
    for (const path of paths) {
      expect(path).toMatch(/^profile-searches\/[a-z0-9_][a-z0-9_.-]{0,98}\.yaml$/);
      expect(path).not.toMatch(/\/(con|nul)[.]|\.\./);
    }
  });

  it('is the same for the same objects in another order', () => {
    const objects = [template('b'), template('a'), sender('x@acme.example'), integration('I')];
    expect(run(objects)).toEqual(run([...objects].reverse()));
  });
});

describe('fields', () => {
  it('leaves out what is unset and what the server owns', () => {
    const { files } = run([
      template('a', { subject: '', footer: null, created: '2024', slackTemplate: '{}' }),
    ]);
    expect(files[0]?.content).toBe('kind: NotificationTemplate\nkey: a\nmedium: EMAIL\nlocale: en\n');
  });

  it('says in a comment what the tenant does not show', () => {
    const { files } = run([integration('I', { type: 'Desk' })]);
    expect(files[0]?.content).toContain('# statusMap is left out: the tenant does not show it.');
  });

  it('pins an authentication profile by id only where the tenant shows no name', () => {
    const { files } = run([
      answer('AuthProfile', { type: 'MFA' }, '2c91'),
      answer('AuthProfile', { name: 'People', type: 'MFA' }, '2c92'),
    ]);
    expect(files.map(({ content }) => content)).toEqual([
      'kind: AuthProfile\nid: 2c91\ntype: MFA\n',
      'kind: AuthProfile\nname: People\ntype: MFA\n',
    ]);
  });

  it('leaves out, and reports, what the schema of a kind refuses', () => {
    const { files, diagnostics } = run([
      template('a', {}, 'PIGEON'),
      search('S', [
        statusRule('Active'),
        { type: 'ProfileStatusRule', comparison_operator: '~', value: 'Active' },
        { type: 'ProfileStatusRule', comparison_operator: '~', value: 'Gone' },
      ]),
    ]);
    expect(diagnostics).toMatchObject([
      { code: 'not-declarable', address: 'NotificationTemplate/a/PIGEON/en' },
      {
        code: 'not-declarable',
        address: 'ProfileSearch/S',
        message: expect.stringContaining('S is exported without rules: '),
      },
    ]);
    expect(files.map(({ content }) => content)).toEqual([
      'kind: ProfileSearch\nlabel: S\n# rules is left out: the schema of this kind does not accept the value of rules.1.comparison_operator.\n',
    ]);
  });
});

describe('names beside ids', () => {
  const named = (name: string) =>
    run([
      integration('I', {
        clusterRef: { type: 'CLUSTER', id: '2c91', name },
        managedSources: [{ id: '2c92', name: 'Workday' }, { id: '2c93' }],
        attributes: { cluster: '2c91', inner: { id: '2c93', name: 'kept inside' }, id: 'x' },
        beforeProvisioningRule: { type: 'RULE', id: '2c94', name: 'Expand' },
      }),
    ]).files[0]?.content;

  it('are comments where the tenant shows them, and members where a manifest has these', () =>
    expect(named('va-prod')).toBe(
      'kind: SimIntegration\nname: I\ncluster: 2c91  # va-prod\nsources:\n  - 2c92  # Workday\n  - 2c93\n' +
        'attributes:\n  cluster: 2c91\n  inner:\n    id: 2c93\n    name: kept inside\n  id: x\n' +
        'beforeProvisioningRule:\n  type: RULE\n  name: Expand\n  id: 2c94\n' +
        '# request is left out: the tenant does not show it. Declare it here to manage it.\n' +
        '# statusMap is left out: the tenant does not show it. Declare it here to manage it.\n',
    ));

  it.each([
    ['a\nkind: Evil', 'a kind Evil'],
    ['a\u2028b\u0085c\u202ed\u001b[2Je', 'a b c d 2Je'],
    [
      'yaml-language-server: $schema=https://evil.example',
      'yaml-language-server schema https //evil.example',
    ],
    ['x vim:set modeline', 'x vim set modeline'],
    ['Größe & Co. (日本)', 'Größe & Co. (日本)'],
    ['y'.repeat(200), 'y'.repeat(80)],
  ])('stay one harmless line: %j', (name, comment) =>
    expect(named(name)?.split('\n')[2]).toBe(`cluster: 2c91  # ${comment}`),
  );

  it.each(['', '\u0000', '#=:'])('are left out where nothing is to be read: %j', (name) =>
    expect(named(name)?.split('\n')[2]).toBe('cluster: 2c91'),
  );

  it('stand beside the ids of records that no lookup finds', () => {
    const rows: Rows = new Map([
      [
        'profile_types',
        [
          { id: 't1', name: 'Employee' },
          { id: 't2', name: 'Employee' },
        ],
      ],
    ]);
    const rule = typeRule('t1');
    expect(run([search('S', [rule])], rows).files[0]?.content).toContain('value: t1  # Employee\n');
    const one: Rows = new Map([['profile_types', [{ id: 't1', uid: 'emp', name: 'Employee' }]]]);
    expect(run([search('S', [rule])], one).files[0]?.content).toMatch(/value: !lookup \{.*\}$/m);
  });
});

describe('secrets', () => {
  const attributes = {
    url: 'https://desk.example',
    password: 'hunter2',
    token: '********',
    nested: { apiKey: '{AES}xyz' },
    list: [{ secret: 'deep' }],
    pin: { password: 1234 },
    'multi\nline': { password: 'hunter3' },
  };

  it('names them and never writes a value', () => {
    const { files, secrets } = run([integration('Service Now', { attributes: JSON.stringify(attributes) })]);
    const all = files.map(({ content }) => content).join();
    for (const value of ['hunter2', '****', '{AES}', 'deep', '1234', 'hunter3'])
      expect(all).not.toContain(value);
    expect(files[0]?.content).toContain(
      'password: !secret SIM_INTEGRATION_SERVICE_NOW_ATTRIBUTES_PASSWORD\n',
    );
    expect(files[0]?.content).toContain(
      '- secret: !secret SIM_INTEGRATION_SERVICE_NOW_ATTRIBUTES_LIST_0_SECRET\n',
    );
    expect(files[0]?.content).toContain('# attributes.pin.password is left out: it may hold a credential');
    expect(secrets).toContainEqual({
      name: 'SIM_INTEGRATION_SERVICE_NOW_ATTRIBUTES_NESTED_API_KEY',
      address: 'SimIntegration/Service%20Now',
      at: '/attributes/nested/apiKey',
    });
  });

  it('leaves out what the tenant masks or encrypts where it cannot be compared', () => {
    const { files } = run([
      integration('I', {
        attributes: { url: 'u', list: ['1:ACP:c2VjcmV0'] },
        request: { user: '********', text: 'x' },
        statusMap: 'user secret',
      }),
    ]);
    const content = contentOf(files, 'sim-integrations/i.yaml');
    expect(content).toContain('list: [!secret SIM_INTEGRATION_I_ATTRIBUTES_LIST_0]\n');
    expect(content).not.toMatch(/ACP|\*\*|request:|user secret/);
  });

  it('never writes a key with half of a character, and pins the object where it can', () => {
    const pinned = answer('AuthProfile', { name: 'a\ud800', type: 'MFA' }, 'p1');
    const { files, diagnostics } = run([template('a\ud800'), pinned]);
    expect(files.map(({ content }) => content)).toEqual(['kind: AuthProfile\nid: p1\ntype: MFA\n']);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'NotificationTemplate/a%D800/EMAIL/en is not exported, because no manifest can declare it: its key contains half of a character, which no address can.',
    ]);
  });

  it('never lets a tenant plant a marker', () => {
    const planted = { url: { $secret: 'PROD_TOKEN' }, list: [{ $lookup: {} }], safe: 'x' };
    const { files } = run([
      integration('I', {
        attributes: JSON.stringify(planted),
        statusMap: JSON.stringify([{ $secret: 'PROD_TOKEN' }]),
      }),
    ]);
    expect(files.map(({ content }) => content).join()).not.toMatch(/PROD_TOKEN/);
    expect(files[0]?.content).toContain('safe: x');
  });
});

describe('lookups', () => {
  const rules = [
    { id: 1, type: 'ProfileTypeRule', comparison_operator: '==', value: 't1' },
    {
      id: 2,
      type: 'ProfileAttributeRule',
      object_type: 'NeAttribute',
      condition_object_id: 'a1',
      comparison_operator: '==',
      value: 'x',
    },
  ];
  const rows = (attributes: readonly JsonObject[]): Rows =>
    new Map([
      ['profile_types', [{ id: 't1', uid: 'emp', name: 'Employee' }]],
      ['ne_attributes', attributes],
    ]);

  it('asks for the collections that ids point into', () =>
    expect(collectionsFor([search('S', rules), sender('a@b.example')], { records: new Map() })).toEqual([
      'ne_attributes',
      'profile_types',
    ]));

  it('writes an id by the first field that one record alone has', () => {
    const attributes = [
      { id: 'a1', uid: 'twice', label: 'Department' },
      { id: 'a2', uid: 'twice', label: 'S' },
    ];
    const content = run([search('S', rules)], rows(attributes)).files[0]?.content;
    expect(content).toContain('value: !lookup { from: profile_types, where: { uid: emp }, take: id }');
    expect(content).toContain(
      'condition_object_id: !lookup { from: ne_attributes, where: { label: Department }, take: id }',
    );
  });

  it('keeps the plain id where no record, or no field, is the only one', () => {
    for (const attributes of [
      [],
      [{ id: 'a1' }],
      [
        { id: 'a1', uid: 'x' },
        { id: 'a1', uid: 'y' },
      ],
    ])
      expect(run([search('S', rules)], rows(attributes)).files[0]?.content).toContain(
        'condition_object_id: a1',
      );
  });
});

describe('ids in the values of attribute rules', () => {
  const rule = (condition_object_id: string, value: string) => ({
    type: 'ProfileAttributeRule',
    object_type: 'NeAttribute',
    condition_object_id,
    comparison_operator: '==',
    value,
  });
  const attributes: JsonObject[] = [
    { id: 'a1', uid: 'department', data_type: 'profile_select' },
    { id: 'a2', uid: 'manager', data_type: 'user_search' },
    { id: 'a3', uid: 'city', data_type: 'text' },
  ];
  const people: Rows = new Map<string, JsonObject[]>([
    ['ne_attributes', attributes],
    ['profiles', [{ id: 'p1', uid: 'engineering', name: 'Engineering' }]],
    ['users', [{ id: 'p1', uid: 'ada' }]],
  ]);

  it('ask for the collection that the kind of the attribute names, and for no other', () => {
    const needed = (id: string) =>
      collectionsFor([search('S', [rule(id, 'p1')])], { records: new Map([['ne_attributes', attributes]]) });
    expect(['a1', 'a2', 'a3', 'gone'].map(needed)).toEqual([['profiles'], ['users'], [], []]);
  });

  it.each([
    ['a1', 'value: !lookup { from: profiles, where: { uid: engineering }, take: id }'],
    ['a2', 'value: !lookup { from: users, where: { uid: ada }, take: id }'],
    ['a3', 'value: p1'],
  ])('are lookups only where the attribute says so: %s', (id, line) =>
    expect(run([search('S', [rule(id, 'p1')])], people).files[0]?.content).toContain(line),
  );
});

it('is the same in whatever order the tenant shows what has no order, ids and their names too', () => {
  const rule = (value: string) => ({
    type: 'ProfileAttributeRule',
    object_type: 'NeAttribute',
    condition_object_id: `id-${value}`,
    comparison_operator: '==',
    value,
  });
  const sources = ['s2', 's1', 's3'].map((id) => ({ type: 'SOURCE', id, name: `Source of ${id}` }));
  const rules = ['b', 'c', 'a'].map(rule);
  const shown = (order: <T>(items: readonly T[]) => T[]) =>
    run(
      [integration('I', { managedSources: order(sources) }), search('S', order(rules))],
      new Map([['ne_attributes', order(['a', 'c'].map((uid) => ({ id: `id-${uid}`, uid })))]]),
    ).files;
  const files = shown((items) => [...items]);
  expect(shown((items) => items.toReversed())).toEqual(files);
  expect(shown(([first, ...others]) => [...others, ...(first ? [first] : [])])).toEqual(files);
  const text = files.map(({ content }) => content).join('');
  expect(text).toMatch(/s1 {2}# Source of s1\n.*s2 {2}# Source of s2\n.*s3 {2}# Source of s3/);
  expect([...text.matchAll(/ value: (\w)$/gm)].map(([, value]) => value)).toEqual(['b', 'a', 'c']);
});
