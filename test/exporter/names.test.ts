/** The names that an export gives: of secrets, of files, of lookups, and in comments. */
import { describe, expect, it } from 'vitest';
import { printPlace, remarkOf } from '../../src/exporter/draft.ts';
import { nameSecrets } from '../../src/exporter/files.ts';
import { labelIds, type Records } from '../../src/exporter/ids.ts';
import { partOf } from '../../src/exporter/print-live.ts';
import { Places } from '../../src/kinds/places.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { merge } from './merging.ts';
import { answer, exportOf, integration, ownKind, ownObject, search, template, typeRule } from './support.ts';

describe('the name of a secret', () => {
  const place = (name: string, at = '/attributes/password') => ({
    address: `SimIntegration/${encodeURIComponent(name)}`,
    at,
  });
  const nameOf = (name: string, at?: string) => nameSecrets([], [place(name, at)]).secrets[0]?.name;

  it.each([
    ['ServiceNow', 'SIM_INTEGRATION_SERVICENOW_ATTRIBUTES_PASSWORD'],
    ['Service Now 2', 'SIM_INTEGRATION_SERVICE_NOW_2_ATTRIBUTES_PASSWORD'],
    ['Größe', 'SIM_INTEGRATION_GROSSE_ATTRIBUTES_PASSWORD'],
    ['Élan', 'SIM_INTEGRATION_ELAN_ATTRIBUTES_PASSWORD'],
    ['日本', 'SIM_INTEGRATION_ATTRIBUTES_PASSWORD'],
    ['a/b', 'SIM_INTEGRATION_A_B_ATTRIBUTES_PASSWORD'],
  ])('of %s is %s', (name, expected) => expect(nameOf(name)).toBe(expected));

  it('has its words apart, but not the letters of a short form', () => {
    expect(nameOf('A', '/attributes/oauth2Token')).toBe('SIM_INTEGRATION_A_ATTRIBUTES_OAUTH2_TOKEN');
    expect(nameOf('A', '/attributes/APIKey')).toBe('SIM_INTEGRATION_A_ATTRIBUTES_APIKEY');
  });

  it('is never that of a file with a secret, and has at most 120 signs', () => {
    expect(nameOf('A', '/attributes/key_file')).toBe('SIM_INTEGRATION_A_ATTRIBUTES_KEY_FILE_TEXT');
    expect(nameOf('x'.repeat(200))).toHaveLength(120);
    expect(nameOf(`${'x'.repeat(103)}-y`)).not.toMatch(/_$/);
  });

  it('is another one for another place, and none that manifests use already', () => {
    const places = [place('A-B'), place('A B'), place('C')];
    const { nameSecret } = nameSecrets([], places, new Set(['SIM_INTEGRATION_C_ATTRIBUTES_PASSWORD']));
    const names = places.map(nameSecret);
    expect(new Set(names).size).toBe(3);
    for (const each of names)
      expect(each).toMatch(/^SIM_INTEGRATION_(A_B|C)_ATTRIBUTES_PASSWORD_[0-9A-F]{8}$/);
    expect(nameOf('C')).toBe('SIM_INTEGRATION_C_ATTRIBUTES_PASSWORD');
  });

  it.each([0, 1])('is none that a manifest gives another place, in any order', (at) => {
    const name = 'SIM_INTEGRATION_B_ATTRIBUTES_PASSWORD';
    const places = [{ ...place('A'), name }, place('B')];
    const { nameSecret } = nameSecrets([], at === 0 ? places : places.toReversed());
    expect(nameSecret(place('A'))).toBe(name);
    expect(nameSecret(place('B'))).toMatch(new RegExp(`^${name}_[0-9A-F]{8}$`));
  });
});

describe('the name of a file', () => {
  const paths = (...names: string[]) =>
    exportOf(names.map((name) => integration(name, { request: {}, statusMap: {} }))).files.map(({ path }) =>
      path.replace(/^sim-integrations\/(.*)\.yaml$/, '$1'),
    );

  it.each([
    ['Service Now', 'service-now'],
    ['Größe', 'gro-e'],
    ['Élan', 'elan'],
    ['--x__', 'x'],
    ['a_b-c', 'a_b-c'],
  ])('of %s is %s', (name, expected) => expect(paths(name)).toEqual([expected]));

  it.each(['con', 'COM1', 'lpt9', 'aux'])('of %s is none of a device of Windows', (name) =>
    expect(paths(name)).toEqual([expect.stringMatching(/^x-[a-z]+\d?-[0-9a-f]{8}$/)]),
  );

  it('has a mark where it is empty, long, or that of another object too', () => {
    expect(paths('日本')).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/)]);
    expect(paths('x'.repeat(80))).toEqual(['x'.repeat(80)]);
    expect(paths('x'.repeat(81))).toEqual([expect.stringMatching(/^x{80}-[0-9a-f]{8}$/)]);
    expect(paths('a b', 'A-B')).toEqual([
      expect.stringMatching(/^a-b-[0-9a-f]{8}$/),
      expect.stringMatching(/^a-b-[0-9a-f]{8}$/),
    ]);
  });
});

it('the place of a remark is one line, whatever the tenant calls its members', () => {
  expect(printPlace('/attributes/a~1b')).toBe('attributes.a/b');
  expect(printPlace('/a\n- evil: true\u2028ä')).toBe('a?- evil: true??');
  expect(printPlace(`/${'x'.repeat(300)}`)).toHaveLength(120);
  expect(remarkOf({ at: '/a', reason: 'notShown' })).toMatch(/^a is left out: the tenant does not show it/);
  expect(remarkOf({ at: '/a', reason: 'credential' })).toMatch(/may hold a credential/);
  expect(remarkOf({ at: '/a', reason: 'notWritable' })).toMatch(/cannot express/);
  expect(remarkOf({ at: '/a', reason: 'notValid' })).toMatch(/schema of this kind/);
});

describe('a lookup', () => {
  const rule = (more: JsonObject) => ({ comparison_operator: '==', ...more });
  const typed = search('S', [rule({ type: 'ProfileTypeRule', value: 't1' })]);
  const at = '/rules/0/value';
  const whereOf = (rows: readonly JsonObject[]) => {
    const found = labelIds(typed, { records: new Map([['profile_types', rows]]) }).tags.get(at);
    return found === undefined ? null : (partOf(partOf(found, 'where'), 'uid') ?? found);
  };

  it('takes the first field that one record alone has', () => {
    expect(whereOf([{ id: 't1', uid: 'a', name: 'N' }])).toEqual({
      tag: '!lookup',
      value: {
        members: [
          ['from', 'profile_types'],
          ['where', { members: [['uid', 'a']] }],
          ['take', 'id'],
        ],
      },
    });
    const second = [
      { id: 't1', uid: 'a', name: 'N' },
      { id: 't2', uid: 'a', name: 'M' },
    ];
    expect(JSON.stringify(whereOf(second))).toContain('[["name","N"]]');
    expect(JSON.stringify(whereOf([{ id: 't1', attributes: { uid: 'inner' } }]))).toContain(
      '[["uid","inner"]]',
    );
    expect(JSON.stringify(whereOf([{ id: 't1', uid: 7 }]))).toContain('[["uid","7"]]');
  });

  it.each<[string, JsonObject[]]>([
    ['the record is not there', [{ id: 't2', uid: 'a' }]],
    [
      'two records have the id',
      [
        { id: 't1', uid: 'a' },
        { id: 't1', uid: 'b' },
      ],
    ],
    [
      'no field is the only one of its sort',
      [
        { id: 't1', uid: 'a' },
        { id: 't2', uid: 'a' },
      ],
    ],
    ['the fields are empty', [{ id: 't1', uid: '', name: null }]],
    ['the fields are no texts', [{ id: 't1', uid: { a: 1 }, name: ['x'] }]],
  ])('is none where %s', (_, rows) => expect(whereOf(rows)).toBeNull());

  it('is none for an empty id, though a record shows none', () => {
    const empty = search('S', [rule({ type: 'ProfileTypeRule', value: '' })]);
    const records = new Map([['profile_types', [{ uid: 'a' }]]]);
    expect(labelIds(empty, { records }).tags).toEqual(new Map());
  });

  it('of a value needs an attribute that holds ids', () => {
    const attribute = (dataType: string | null): Records =>
      new Map<string, JsonObject[]>([
        ['ne_attributes', [{ id: 'a1', uid: 'boss', data_type: dataType, type: 'user_select' }]],
        ['profiles', [{ id: 'p1', uid: 'pat' }]],
        ['users', [{ id: 'p1', login: 'pat' }]],
      ]);
    const live = search('S', [
      rule({ type: 'ProfileAttributeRule', condition_object_id: 'a1', value: 'p1' }),
    ]);
    const from = (records: Records) => {
      const found = labelIds(live, { records }).tags.get(at);
      return found === undefined ? null : JSON.stringify(found).match(/"from","(\w+)"/)?.[1];
    };
    expect(from(attribute('profile_select'))).toBe('profiles');
    expect(from(attribute('user_search'))).toBe('users');
    expect(from(attribute('text'))).toBeNull();
    expect(from(attribute(null))).toBe('users');
    expect(from(new Map())).toBeNull();
  });
});

describe('the file of an object with a key of several parts', () => {
  const kind = ownKind('Text', ['name', 'part', 'place', 'locale'], { body: { is: 'text' } });
  const pathOf = ([name = '', part = '', place = '', locale = '']: string[], ...taken: string[]) => {
    const object = ownObject(kind, { name, part, place, locale });
    const read = (path: string) => (taken.includes(path) ? 'taken' : null);
    return merge({ files: {}, live: [object], more: { read } }).created[0]?.path ?? '';
  };

  it('is in the folder of the first part', () =>
    expect(pathOf(['Mail', 'A b', 'c', 'en'])).toBe('config/texts/mail/a-b.c.en.yaml'));

  it.each([
    [['a', '日', 'c', 'en'], /^config\/texts\/a\/c\.en-[0-9a-f]{8}\.yaml$/],
    [['a', 'b', '日', 'en'], /^config\/texts\/a\/b\.en-[0-9a-f]{8}\.yaml$/],
    [['a', 'b', 'c', '日'], /^config\/texts\/a\/b\.c-[0-9a-f]{8}\.yaml$/],
    [['a', '日', '本', 'en'], /^config\/texts\/a\/en-[0-9a-f]{8}\.yaml$/],
    [['a', 'b', '日', '本'], /^config\/texts\/a\/b-[0-9a-f]{8}\.yaml$/],
  ])('has no dots at its ends or beside each other: %j', (key, path) => expect(pathOf(key)).toMatch(path));

  it('is another one where files have the first names already', () => {
    const key = ['a', 'b', 'c', 'en'];
    const wished = pathOf(key);
    const second = pathOf(key, wished);
    const third = pathOf(key, wished, second);
    for (const path of [second, third])
      expect(path).toMatch(/^config\/texts\/a\/b\.c\.en-[0-9a-f]{8}\.yaml$/);
    expect(third).not.toBe(second);
  });
});

it('a reference takes the place of a bare id, and of the object around an id unless the field is for ids alone', () => {
  const kind = ownKind('Role', ['name'], {
    sources: { is: 'set', to: 'Source' },
    owner: { is: 'reference', to: 'Identity' },
    deputy: { is: 'reference', to: 'Identity' },
    cluster: { is: 'value', to: 'Cluster' },
  });
  const sources = ['s1', { id: 's2' }, { id: 's3' }];
  const objects = { deputy: { id: 'i2' }, cluster: { id: 'c1' } };
  const role = ownObject(kind, { name: 'R', sources, owner: 'i1', ...objects });
  const nameOf = (to: string, id: string) => (id === 's3' ? null : `${to}/${id}`);
  expect([...labelIds(role, { records: new Map(), nameOf }).tags]).toEqual([
    ['/sources/0', { tag: '!ref', value: 'Source/s1' }],
    ['/sources/1/id', { tag: '!ref', value: 'Source/s2' }],
    ['/owner', { tag: '!ref', value: 'Identity/i1' }],
    ['/deputy', { tag: '!ref', value: 'Identity/i2' }],
    ['/cluster/id', { tag: '!ref', value: 'Cluster/c1' }],
  ]);
});

it('an object in a field for ids alone is left out, since a reference there would be a change', () => {
  const kind = ownKind('Role', ['name'], {
    sources: { is: 'set', to: 'Source' },
    cluster: { is: 'value', to: 'Cluster' },
  });
  const role = ownObject(kind, { name: 'R', sources: [{ id: 's1' }], cluster: { id: 'c1' } });
  const nameOf = (to: string, id: string) => `${to}/${id}`;
  const { files, diagnostics } = exportOf([role], { nameOf });
  const [{ content = '' } = {}] = files;
  expect(content.replaceAll(/^#.*\n/gm, '')).toBe('kind: Role\nname: R\n');
  expect(diagnostics.map(({ code }) => code)).toEqual(['not-declarable', 'not-declarable']);
});

describe('the name beside an id', () => {
  it('is not beside a value whose name is an id: that name itself is told', () => {
    const places = new Places([{ path: '', is: { is: 'reference', names: true, to: 'Source' } }]);
    const kind = ownKind('Role', ['name'], { limits: { is: 'json', declares: 'whole', places } });
    const role = ownObject(kind, { name: 'R', limits: { s1: 'few' }, also: { id: 's1', name: 'HR' } });
    expect(labelIds(role, { records: new Map() }).names).toEqual(new Map());
  });

  it('is not beside a text that happens to be the same', () => {
    const object = integration('I', {
      description: 'c1',
      type: 'c1',
      clusterRef: { id: 'c1', name: 'va' },
      managedSources: [{ id: 's1', name: 'HR' }, { id: 's2' }],
    });
    const names = labelIds(object, { records: new Map() }).names;
    expect(names.has('/description')).toBe(false);
    expect(names.get('/sources/0')).toBe('HR');
    expect(names.has('/sources/1')).toBe(false);
  });

  it('is the label of a record, or else its name', () => {
    const typed = search('S', [typeRule('t1')]);
    const nameFrom = (row: JsonObject) =>
      labelIds(typed, { records: new Map([['profile_types', [row]]]) }).names.get('/rules/0/value');
    expect(nameFrom({ id: 't1', label: 'Label', name: 'Name' })).toBe('Label');
    expect(nameFrom({ id: 't1', name: 'Name' })).toBe('Name');
    expect(nameFrom({ id: 't1' })).toBeUndefined();
  });
});

describe('what an export tells', () => {
  const told = (...objects: ReturnType<typeof answer>[]) => exportOf(objects).diagnostics;
  const pigeon = (key: string) => template(key, {}, 'PIGEON');

  it('is nothing where all is exported', () => expect(told(template('a'))).toEqual([]));

  it('is each object that its kind holds back, with the reason', () => {
    const domain = (address: string) =>
      answer('VerifiedDomain', { address, dkimVerificationStatus: 'TEMPORARY_FAILURE' });
    expect(told(domain('a.example'), domain('b.example'), template('a'))).toMatchObject([
      {
        code: 'not-exported',
        severity: 'warning',
        message: expect.stringMatching(
          /^VerifiedDomain\/a\.example is not exported: The mail provider could not/,
        ),
        hint: 'It stays as it is in the tenant. Export again later, or declare it by hand.',
        address: 'VerifiedDomain/a.example',
      },
      { address: 'VerifiedDomain/b.example' },
    ]);
    expect(told(domain('a.example'), pigeon('a')).map(({ code }) => code)).toEqual([
      'not-declarable',
      'not-exported',
    ]);
  });

  it('is each object that no manifest can declare', () =>
    expect(told(pigeon('a'), pigeon('b'))).toMatchObject([
      {
        address: 'NotificationTemplate/a/PIGEON/en',
        message: expect.stringContaining('en is not exported, because no manifest can declare it: medium'),
        hint: 'What is left out stays as it is in the tenant.',
      },
      { address: 'NotificationTemplate/b/PIGEON/en' },
    ]));
});
