/** What the descriptions of two products say about the operations that tenantctl sends (api-notes, "Presets"). */
import { describe, expect, test } from 'vitest';
import { presetNames as settingsNames } from '../../src/kinds/presets.ts';
import { get, isArray, isObject, type Json, type JsonObject, objectsIn } from '../../src/model/json.ts';
import { operations, presets } from '../../src/sandbox/index.ts';
import { call, type Send, start } from './caller.ts';

const header = { 'X-Service-Experimental': null, 'X-SailPoint-Experimental': 'true' };
const none = { 'X-Service-Experimental': null };
const refusal = { error: 'Experimental Header is missing or invalid.' };
const sim = { name: 'New', type: 'ServiceNow Service Desk', description: 'New' };
const slack = { key: 'cloud_manual_work_item_summary', medium: 'SLACK', locale: 'en', name: 'Summary' };
const sendTest = { key: 'password_expiring', medium: 'EMAIL' };
const rule = {
  type: 'ProfileAttributeRule',
  condition_object_id: 'dd7bd474-39bf-dfd6-f538-ce6afad09239',
  comparison_operator: '==',
  value: 'Engineer',
};
const ofClass = (condition_object_type: string) => ({ ...rule, condition_object_type });
const onStatus = (value: string) => ({ type: 'ProfileStatusRule', comparison_operator: '==', value });
const search = (...rules: JsonObject[]) => ({
  advanced_search: { label: 'New', condition_rules_attributes: rules },
});
const running = (one: JsonObject) => ({ advanced_search: { condition_rules_attributes: [one] } });
const filter = (text: string) => `filters=${encodeURIComponent(text)}`;

/** What is sent, and the status of the answer; what it holds. */
type Fact = readonly [
  what: string,
  status: number,
  sent?: { readonly query?: string; readonly body?: Json; readonly holds?: object },
];
/** Of each operation of a product its line, and facts. */
type Facts = Readonly<Record<string, readonly [line: string, ...Fact[]]>>;

const facts: Readonly<Record<keyof typeof presets, Facts>> = {
  'sailpoint-isc': {
    'get-profile-config-list': ['GET /v2024/auth-profiles', ['a list of ids', 200]],
    'get-profile-config': ['GET /v2024/auth-profiles/{id}', ['one', 200, { holds: { type: 'PTA' } }]],
    'patch-profile-config': [
      'PATCH /v2024/auth-profiles/{id}',
      [
        'a bare array',
        200,
        { body: [{ op: 'replace', path: '/offNetwork', value: true }], holds: { offNetwork: true } },
      ],
    ],
    'get-sim-integrations': ['GET /v2024/sim-integrations', ['a list', 200]],
    'create-sim-integration': [
      'POST /v2024/sim-integrations',
      ['objects', 200, { body: { ...sim, attributes: { a: 1 } } }],
      ['text', 400, { body: { ...sim, attributes: '{"a":1}' } }],
      ['a text', 400, { body: { ...sim, statusMap: '{}' } }],
      ['a text', 400, { body: { ...sim, request: '{}' } }],
    ],
    'get-sim-integration': ['GET /v2024/sim-integrations/{id}', ['objects', 200]],
    'put-sim-integration': [
      'PUT /v2024/sim-integrations/{id}',
      ['objects', 200, { body: { ...sim, attributes: {} } }],
    ],
    'patch-sim-attributes': [
      'PATCH /v2024/sim-integrations/{id}',
      [
        'operations in an object',
        200,
        {
          body: { operations: [{ op: 'replace', path: '/description', value: 'Other' }] },
          holds: { description: 'Other' },
        },
      ],
      ['a bare array', 400, { body: [] }],
    ],
    'patch-before-provisioning-rule': [
      'PATCH /v2024/sim-integrations/{id}/beforeProvisioningRule',
      [
        'operations in an object',
        200,
        { body: { operations: [{ op: 'add', path: '/name', value: 'Other' }] } },
      ],
    ],
    'delete-sim-integration': ['DELETE /v2024/sim-integrations/{id}', ['one', 200]],
    'list-notification-templates': [
      'GET /v2025/notification-templates',
      ['by key', 200, { query: filter('key sw "a"') }],
    ],
    'get-notification-template': ['GET /v2025/notification-templates/{id}', ['one', 200]],
    'create-notification-template': [
      'POST /v2025/notification-templates',
      [
        'a chat template as an object, whose blocks are text',
        200,
        {
          body: { ...slack, slackTemplate: { text: 'Do it', blocks: '[]' } },
          holds: { slackTemplate: { text: 'Do it', blocks: '[]' } },
        },
      ],
      ['a chat template as text', 400, { body: { ...slack, slackTemplate: '{"text":"Do it"}' } }],
      ['a subject that is null', 400, { body: { ...slack, subject: null } }],
      ['a header', 400, { body: { ...slack, header: 'x' } }],
      ['a footer', 400, { body: { ...slack, footer: 'x' } }],
    ],
    'delete-notification-templates-in-bulk': [
      'POST /v2025/notification-templates/bulk-delete',
      ['keys', 204, { body: [{ key: 'password_expiring', medium: 'EMAIL', locale: 'en' }] }],
    ],
    'list-notification-template-defaults': ['GET /v2025/notification-template-defaults', ['a list', 200]],
    'get-notifications-template-context': ['GET /v2025/notification-template-context', ['one', 200]],
    'list-all-preferences': [
      'GET /v2026/notification-preferences',
      ['by key', 200, { query: filter('key eq "x"') }],
    ],
    'put-preference': [
      'PUT /v2026/notification-preferences/password_expiring',
      [
        'media and copies',
        200,
        {
          body: {
            key: 'password_expiring',
            mediums: ['EMAIL', 'INBOX'],
            ccList: [],
            bccList: ['ada@acme.example'],
          },
          holds: { mediums: ['EMAIL', 'INBOX'] },
        },
      ],
      ['another key', 400, { body: { key: 'invitation', mediums: ['EMAIL'], ccList: [], bccList: [] } }],
    ],
    'get-notification-template-variables': [
      'GET /v2026/notification-template-variables/password_expiring/EMAIL',
      ['of a template', 200],
    ],
    'list-notification-preferences': ['GET /v2025/notification-preferences/password_expiring', ['one', 200]],
    'send-test-notification': [
      'POST /v2025/send-test-notification',
      [
        'an object, a locale and recipients',
        204,
        {
          body: { ...sendTest, context: { a: 'b' }, locale: 'en', recipientEmailList: ['ada@acme.example'] },
        },
      ],
      ['text', 400, { body: { ...sendTest, context: '{}' } }],
    ],
    'list-from-addresses': [
      'GET /v2025/verified-from-addresses',
      ['after one', 200, { query: filter('email gt "b"') }],
      ['before one', 200, { query: filter('email lt "b"') }],
      ['a beginning', 400, { query: filter('email sw "b"') }],
    ],
    'create-verified-from-address': [
      'POST /v2025/verified-from-addresses',
      ['one', 201, { body: { email: 'x@acme.example' } }],
    ],
    'delete-verified-from-address': ['DELETE /v2025/verified-from-addresses/{id}', ['one', 204]],
    'get-dkim-attributes': ['GET /v2025/verified-domains', ['a list', 200]],
    'create-domain-dkim': ['POST /v2025/verified-domains', ['one', 200, { body: { domain: 'new.example' } }]],
    'get-mail-from-attributes': ['GET /v2025/mail-from-attributes/acme.example', ['one', 200]],
    'put-mail-from-attributes': [
      'PUT /v2025/mail-from-attributes',
      ['one', 200, { body: { identity: 'acme.example', mailFromDomain: 'mail.acme.example' } }],
    ],
  },
  'sailpoint-nerm': {
    'list-users': ['GET /api/users', ['by name', 200, { query: 'name=Nobody', holds: { users: [] } }]],
    'list-profiles': [
      'GET /api/profiles',
      ['by name', 200, { query: 'name=Engineering', holds: { profiles: [{ name: 'Engineering' }] } }],
      [
        'by a status of profiles',
        200,
        { query: 'status=On%20Leave&limit=1', holds: { profiles: [{ status: 'On Leave' }] } },
      ],
      ['offset 0', 400, { query: 'offset=0' }],
    ],
    'list-profile-types': [
      'GET /api/profile_types',
      [
        'by name',
        200,
        {
          query: 'name=Contractor&metadata=true',
          holds: { profile_types: [{ name: 'Contractor' }], _metadata: { total: 1 } },
        },
      ],
      ['by uid', 400, { query: 'uid=contractor', holds: { errors: { uid: expect.any(String) } } }],
    ],
    'list-ne-attributes': [
      'GET /api/ne_attributes',
      [
        'by label',
        200,
        {
          query: 'label=Job%20title',
          holds: { ne_attributes: [{ data_type: 'text field', type: 'TextFieldAttribute' }] },
        },
      ],
      [
        'types with a blank',
        200,
        {
          query: 'label=Department',
          holds: { ne_attributes: [{ data_type: 'profile select', type: 'ProfileSelectAttribute' }] },
        },
      ],
      [
        'by uid',
        400,
        { query: 'uid=job_title', holds: { error: expect.any(String), errors: { uid: expect.any(String) } } },
      ],
    ],
    'list-profile-searches': [
      'GET /api/advanced_search',
      ['a list', 200, { holds: { advanced_search: [{}, {}, {}, {}] } }],
    ],
    'create-profile-search': [
      'POST /api/advanced_search',
      ['the class of the attribute', 200, { body: search(ofClass('TextFieldAttribute')) }],
      ['another class', 400, { body: search(ofClass('DateAttribute')) }],
      ['NeAttribute', 400, { body: search(ofClass('NeAttribute')) }],
      ['no class', 400, { body: search(rule) }],
      ['object_type', 400, { body: search({ ...rule, object_type: 'NeAttribute' }) }],
      ['a status of rules', 200, { body: search(onStatus('Leave of absence')) }],
      ['a status of profiles', 400, { body: search(onStatus('On Leave')) }],
    ],
    'patch-profile-search': [
      'PATCH /api/advanced_search/{id}',
      ['a label', 200, { body: { advanced_search: { label: 'Other' } } }],
    ],
    'run-profile-search': [
      'POST /api/advanced_search/run',
      ['a page', 200, { query: 'limit=1', body: running(onStatus('Active')) }],
      ['metadata', 400, { query: 'metadata=true', body: running(onStatus('Active')) }],
    ],
    'run-saved-profile-search': [
      'GET /api/advanced_search/{id}/run',
      ['a page', 200, { query: 'limit=1' }],
      ['metadata', 400, { query: 'metadata=true' }],
    ],
  },
};

const rowsOf = (product: Facts) =>
  Object.entries(product).flatMap(([operation, [line, ...rows]]) =>
    rows.map(([what, status, { query, holds, ...send } = {}]) => {
      return { operation, what, line: query ? `${line}?${query}` : line, send, status, holds };
    }),
  );

/** Starts the product, and fills in the id of the first object for `{id}`. */
async function ask(product: keyof typeof presets, line: string, send: Send) {
  const sandbox = await start({ presets: [product] });
  const [, path = ''] = line.split(' ');
  const { state } = sandbox;
  const [first] = [
    ['/v2024/auth', state.authProfiles] as const,
    ['/v2024/sim', state.simIntegrations] as const,
    ['/v2025/notification-templates', state.templates] as const,
    ['/v2025/verified-from', state.senders] as const,
    ['/api/advanced_search', state.profileSearches] as const,
  ].flatMap(([start, objects]) => (path.startsWith(start) ? [objects[0]?.id] : []));
  return call(sandbox, line.replace('{id}', first ?? ''), send);
}

describe.each(Object.entries(facts))('%s', (name, stated) => {
  const product = name === 'sailpoint-isc' ? name : 'sailpoint-nerm';

  test.each(rowsOf(stated))('$operation, $what: $line', async ({ line, send, status, holds }) => {
    const answer = await ask(product, line, { headers: header, ...send });
    expect(answer, answer.text).toMatchObject({ status, ...(holds && { body: holds }) });
    if (product === 'sailpoint-isc') expect(answer.headers['slpt-request-id']).toMatch(/^request-\d+$/);
    else if (status === 400)
      expect(Object.keys(isObject(answer.body) ? answer.body : {})).toEqual(['error', 'errors']);
  });

  test('has a fact for every operation that is sent', () => {
    const start = product === 'sailpoint-isc' ? '/v20' : '/api/';
    const sent = operations.filter(
      ({ path, name }) => path.startsWith(start) && name !== 'delete-profile-search',
    );
    expect(sent.map((each) => each.name).filter((each) => !Object.hasOwn(stated, each))).toEqual([]);
  });
});

describe('sailpoint-isc', () => {
  test.each(rowsOf(facts['sailpoint-isc']).filter(({ status }) => status < 300))(
    '$operation, $what: wants the header only for integrations, and never names it',
    async ({ operation, line, send, status }) => {
      const answer = await ask('sailpoint-isc', line, { headers: none, ...send });
      const isOfIntegrations = line.includes('/sim-integrations');
      expect(answer.status, operation).toBe(isOfIntegrations ? 400 : status);
      if (isOfIntegrations) expect(answer.body).toEqual(refusal);
      const contract = await ask('sailpoint-isc', line, send);
      expect(contract.status).toBe(answer.status);
    },
  );

  test('an integration is answered without `statusMap` and `request`, and of its members only `cluster` is null', async () => {
    const bare = await ask('sailpoint-isc', 'POST /v2024/sim-integrations', { headers: header, body: sim });
    const { body } = bare;
    if (!isObject(body)) throw new Error('no object');
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['statusMap']));
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['request']));
    expect(Object.keys(body).filter((name) => get(body, name) === null)).toEqual(['cluster']);
  });

  test.each([
    ['auth-profiles', '/v2024/auth-profiles/{id}', ['applicationId', 'applicationName']],
    ['templates', '/v2025/notification-templates', ['header', 'footer', 'slackTemplate', 'teamsTemplate']],
    [
      'defaults',
      '/v2025/notification-template-defaults',
      ['subject', 'header', 'footer', 'from', 'replyTo', 'description', 'slackTemplate', 'teamsTemplate'],
    ],
    ['senders', '/v2025/verified-from-addresses', ['id', 'region']],
    ['domains', '/v2025/verified-domains', []],
  ])('%s have nulls only where the description has them', async (_, path, nullable) => {
    const { body } = await ask('sailpoint-isc', `GET ${path}`, { headers: header });
    const rows = isArray(body) ? objectsIn(body) : objectsIn([body]);
    expect(rows.length).toBeGreaterThan(0);
    const nulls = rows.flatMap((row) => Object.keys(row).filter((name) => row[name] === null));
    expect(nulls.filter((name) => !nullable.includes(name))).toEqual([]);
  });
});

test('sailpoint-nerm answers profiles with text alone, and without nulls', async () => {
  const sandbox = await start({ presets: ['sailpoint-nerm'] });
  const profile = sandbox.state.profiles.find(({ attributes }) => Object.keys(attributes).length > 0);
  if (!profile) throw new Error('no profile');
  profile.attributes = { skills: ['a', 'b'], hours_per_week: 38, website: null };
  const { body } = await call(sandbox, `GET /api/profiles?name=${encodeURIComponent(profile.name)}`);
  expect(body).toMatchObject({ profiles: [{ attributes: { skills: 'a,b', hours_per_week: '38' } }] });
  expect(JSON.stringify(body)).not.toContain('null');
});

test('the embedded tenant plays every preset of the project file', () => {
  expect(Object.keys(presets)).toEqual(settingsNames);
});
