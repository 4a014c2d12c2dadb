/** What a descriptor says of single places is so in fields of any kind, and at any depth. */
import { describe, expect, it } from 'vitest';
import { draftObject } from '../../src/exporter/draft.ts';
import { exportObjects } from '../../src/exporter/files.ts';
import { differences } from '../../src/kinds/compare.ts';
import { credentialPlaces } from '../../src/kinds/credentials.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { descriptorFrom } from '../../src/kinds/descriptor.ts';
import { overlayFields } from '../../src/kinds/field.ts';
import { liveObject } from '../../src/kinds/live-objects.ts';
import { isIgnored } from '../../src/kinds/places.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';

const kind = kindFrom(
  descriptorFrom({
    kind: 'Hook',
    path: '/v2025/hooks',
    key: 'name',
    fields: { config: 'json', token: 'value', options: 'value', phrase: 'text', tokens: 'set' },
    places: {
      'config/**/key': 'plain',
      'token/kind': 'plain',
      'options/**/pin': 'secret',
      phrase: 'secret',
      tokens: 'plain',
    },
  }),
);

const fields: JsonObject = {
  config: { password: 'p', deep: [{ key: 'firstName' }, { apiKey: 'x' }, { key: { password: 'p' } }] },
  token: { kind: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl', password: 'v' },
  options: { a: [{ pin: '1234' }] },
  phrase: 'open sesame',
  tokens: ['one'],
};

it('a secret or a plain place is one in every field that may hold it', () =>
  expect(credentialPlaces(kind, fields)).toEqual([
    '/config/password',
    '/config/deep/1/apiKey',
    '/token/password',
    '/options/a/0/pin',
    '/phrase',
  ]));

it('a `!secret` in a secret place is no credential in plain text', () =>
  expect(
    credentialPlaces(kind, { options: { pin: { $secret: 'PIN' } }, phrase: { $secret: 'PHRASE' } }),
  ).toEqual([]));

it('a text that only looks like a credential by the name of its field can be plain', () => {
  const plain = { kind: 'Hook', path: '/v2025/hooks', key: 'name', fields: { token: 'value' } } as const;
  const credentials = (places: Record<string, 'plain'>) =>
    credentialPlaces(kindFrom(descriptorFrom({ ...plain, places })), { token: 'bearer' });
  expect(credentials({})).toEqual(['/token']);
  expect(credentials({ token: 'plain' })).toEqual([]);
});

type Described = Parameters<typeof descriptorFrom>[0];
/** A kind whose only field is JSON with these places. */
const hookWith = (places: NonNullable<Described['places']>) =>
  kindFrom(
    descriptorFrom({ kind: 'Hook', path: '/v2025/hooks', key: 'name', fields: { config: 'json' }, places }),
  );
const minting = hookWith({
  ...{ 'config/set': 'set', 'config/*/*/uid': 'minted', 'config/**/at': 'serverOwned' },
});

it.each([{}, { config: { list: [], a: 1 } }])(
  'what the tenant makes is not written in what is new',
  (live) => {
    const declared = { config: { list: [{ uid: 'A', n: null }], deep: { at: { $secret: 'AT' }, n: 1 } } };
    const expected = { config: { list: [{ n: null }], deep: { n: 1 } } };
    expect(overlayFields(minting, declared, live)).toEqual(expected);
  },
);

describe.each(['list', 'set'])('an item of a %s keeps what the tenant made in it', (name) => {
  const pin = { $secret: 'PIN' };
  const inConfig = (items: readonly JsonObject[]) => ({ config: { [name]: items } });
  const live = inConfig([
    { n: 'a', pin: '1', uid: 'A' },
    { n: 'b', pin: '2', uid: 'B' },
  ]);
  it.each([
    ['is moved, and another one edited', [{ n: 'b', pin: '2' }, { n: 'c' }], [1, 0]],
    [
      'is moved, and has a secret',
      [
        { n: 'b', pin },
        { n: 'a', pin },
      ],
      [1, 0],
    ],
    ['is the only one that is left, and has a secret', [{ n: 'b', pin }], [1]],
    ['stays behind one that is edited', [{ n: 'c' }, { n: 'b', pin: '2' }], [0, 1]],
    ['stays, and others are new', [{ n: 'c' }, { n: 'b', pin: '2' }, { n: 'b', pin: '2' }], [null, 1, null]],
  ])('that %s', (_, items, from) => {
    const expected = items.map((item, index) => {
      const at = from[index];
      return typeof at === 'number' ? { ...item, uid: { $live: `/config/${name}/${at}/uid` } } : item;
    });
    expect(overlayFields(minting, inConfig(items), live)).toEqual(inConfig(expected));
  });
});

it.each([
  [
    { src: '7', list: ['8', '9'] },
    { src: 7, list: [8, '9'] },
  ],
  [
    { src: 7, list: [8, 9] },
    { src: '7', list: ['8', 9] },
  ],
])('an id is the same as text and as a number, and goes back as it came', (ours, theirs) => {
  const to = { is: 'reference', to: 'Source' } as const;
  const referring = hookWith({ 'config/src': to, 'config/list': to });
  const [declared, live] = [{ config: { ...ours, n: 7 } }, { config: { ...theirs, n: 8 } }];
  expect(differences(referring, declared, live)).toMatchObject([{ path: '/config/n' }]);
  expect(overlayFields(referring, declared, live)).toEqual({ config: { ...theirs, n: 7 } });
});

it('what the tenant makes goes back from its place, also in a set that is equal and in items that it makes', () => {
  const owning = hookWith({ 'config/set': 'set', 'config/**/at': 'serverOwned', 'config/codes/*': 'minted' });
  const live = { config: { n: 1, off: null, set: [{ n: 2, at: 'x' }, 'a'], codes: [5, 6] } };
  const declared = { config: { n: 2, set: ['a', { n: 2 }], codes: [1, 2, 3] } };
  const made = (at: string) => ({ $live: `/config/${at}` });
  const codes = [made('codes/0'), made('codes/1')];
  expect(overlayFields(owning, declared, live)).toEqual({
    config: { n: 2, off: null, set: [{ n: 2, at: made('set/0/at') }, 'a'], codes },
  });
});

const items = (...set: readonly Json[]) => ({ config: { set } });
const live = items({ n: 1, uid: 'A' }, { n: 2, uid: 'B' }, null);
it.each<[string, JsonObject, readonly string[]]>([
  ['goes', items({ n: 2 }, null), ['remove /config/set/1 {"n":1} null']],
  ['comes', items({ n: 1 }, null, { n: 0 }, { n: 2 }), ['add /config/set/1 null {"n":0}']],
  [
    'is new',
    items({ n: 3 }, null, { n: 1 }),
    ['remove /config/set/2 {"n":2} null', 'add /config/set/2 null {"n":3}'],
  ],
  ['is null', items({ n: 1 }, { n: 2 }), ['remove /config/set/0 null null']],
  ['is moved', items({ n: 2 }, null, { n: 1 }), []],
])('an item of a list without order is the only difference where it %s', (_, declared, expected) => {
  const found = differences(minting, declared, live);
  const text = (value: Json) => JSON.stringify(value);
  expect(found.map(({ op, path, before, after }) => `${op} ${path} ${text(before)} ${text(after)}`)).toEqual(
    expected,
  );
});

it('an export names secrets in all of them, and shows what is plain', () => {
  const live = liveObject(kind, { id: '1', name: 'h', ...fields }, null);
  if (!live) throw new Error('The object has a key.');
  const draft = draftObject(live, { records: new Map() });
  if (!('key' in draft)) throw new Error(draft.refused);
  expect(draft.secrets.map(({ at }) => at)).toEqual(['/config/password', '/config/deep/1/apiKey', '/phrase']);
  // A plan compares the other fields as a whole, so no manifest can name a secret inside them.
  const omitted = draft.omissions.map(({ at, reason }) => `${at} ${reason}`);
  expect(omitted).toEqual(['/token credential', '/options credential']);
});

it.each([
  ['/config', true],
  ['/config/a/0', true],
  ['/configuration', false],
  ['/token', false],
])('what an object ignores is %s: %s', (at, expected) =>
  expect(isIgnored(['/config', '/options/a'], at)).toBe(expected),
);

describe('what is no credential', () => {
  const form = kindFrom(
    descriptorFrom({ kind: 'Form', path: '/v2025/forms', key: 'name', fields: { config: 'json' } }),
  );
  const told = (config: JsonObject) =>
    credentialPlaces(form, { config }).map((at) => at.slice('/config/'.length));

  it('the words of forms, workflows, transforms and criteria', () => {
    const element = { id: 'e2', elementType: 'TEXT', key: 'name1', config: { label: 'N' }, validations: [] };
    expect(
      told({
        formElements: [{ id: 'e1', elementType: 'SECTION', key: 's', config: { formElements: [element] } }],
        adPwdLastSet: {
          type: 'accountAttribute',
          attributes: { sourceName: 'H', attributeName: 'pwdLastSet' },
        },
        value: '#if($adPwdLastSet)set#{else}never#end',
        step: {
          authenticationType: 'OAuth',
          oAuthCredentialLocation: 'oAuthInHeader',
          oAuthClientId: 'svc',
          oAuthClientSecret: '$.secrets.9d0f2c11',
          jsonRequestBody: { token: '{{$.trigger.id}}', text: '{"token":"{{$.trigger.id}}"}' },
          'password.$': "$.accounts[?(@.source == 'HR')].password",
          header: { Authorization: 'Bearer {{$.getToken.body.access_token}}', basicAuth: '{{$.a}}:{{$.b}}' },
          refID: 'param_oauth:5f1d',
        },
        criteria: { operation: 'EQUALS', key: { type: 'ACCOUNT', property: 'attribute.department' } },
        metadata: [{ key: 'iscSensitivity', name: 'Secrecy', values: [{ value: 'secret', name: 'Secret' }] }],
        vaults: {
          password: 'vault:kv/hr/password',
          clientSecret: 'https://acme.vault.azure.net/secrets/hr',
          token: 'arn:aws:secretsmanager:eu-west-1:1:secret:hr',
          apiKey: 'projects/acme/secrets/hr',
        },
      }),
    ).toEqual([]);
  });

  it('but what stands beside such words is', () =>
    expect(
      told({
        element: { elementType: 'TEXT', key: '9f8e7d6c5b4a39281706f5e4' },
        api: { key: 'abcdef' },
        step: {
          oAuthClientSecret: 'hunter2',
          password: '$ecret.value',
          token: 'x {{$.trigger.id}}',
          basicAuth: '{{$.user}}:hunter2',
        },
        pair: { name: 'Authorization', value: 'abc' },
        vaultPassword: 'vault:hunter2',
        passwords: { current: 'a' },
      }),
    ).toEqual([
      ...[
        'element/key',
        'api/key',
        'step/oAuthClientSecret',
        'step/password',
        'step/token',
        'step/basicAuth',
      ],
      ...['pair/value', 'vaultPassword', 'passwords/current'],
    ]));
});

it.each(['**/config/memo', '*/memo'])('a place may begin with a step of any name: %s', (path) => {
  const places = credentialPlaces(hookWith({ [path]: 'secret' }), { config: { memo: 'x' } });
  expect(places).toEqual(['/config/memo']);
});

it('an export conceals numbers, long texts and lists that are secret, and fields named like a credential', () => {
  const hook = kindFrom(
    descriptorFrom({
      ...{ kind: 'Hook', path: '/v2025/hooks', key: 'name' },
      fields: {
        config: { is: 'json', declares: 'members' },
        code: 'value',
        pem: 'text',
        apiToken: 'value',
        passwords: 'set',
      },
      places: { 'config/vault': 'secret', code: 'secret', pem: 'secret' },
    }),
  );
  const config = { x: 1, vault: { n: 4711, on: true, deep: [['canary']] } };
  const pem = 'canary of many lines\n'.repeat(10);
  const raw = { id: '1', name: 'h', config, pem, code: 4711, apiToken: 4711, passwords: ['canary'] };
  const object = liveObject(hook, raw, null);
  if (!object) throw new Error('The object has a key.');
  const { files } = exportObjects({ objects: [object], records: new Map() });
  const text = files.map(({ content }) => content).join('\n');
  expect(text).not.toMatch(/canary|4711|true/);
  expect(text).toContain('x: 1\n');
  expect(text).toContain('pem: !secret HOOK_H_PEM\n');
});
