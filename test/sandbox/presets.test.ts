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
const id = '{id}';
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

/** An operation of the product, as it is sent, and the status of its answer; what the answer holds. */
type Fact = readonly [
  operation: string,
  what: string,
  line: string,
  send: Json,
  status: number,
  body?: object,
];

const facts: Readonly<Record<keyof typeof presets, readonly Fact[]>> = {
  'sailpoint-isc': [
    ['get-profile-config-list', 'a list of ids', 'GET /v2024/auth-profiles', null, 200],
    ['get-profile-config', 'one', `GET /v2024/auth-profiles/${id}`, null, 200, { type: 'PTA' }],
    [
      'patch-profile-config',
      'a bare array',
      `PATCH /v2024/auth-profiles/${id}`,
      [{ op: 'replace', path: '/offNetwork', value: true }],
      200,
      { offNetwork: true },
    ],
    ['get-sim-integrations', 'a list', 'GET /v2024/sim-integrations', null, 200],
    [
      'create-sim-integration',
      'objects',
      'POST /v2024/sim-integrations',
      { ...sim, attributes: { a: 1 } },
      200,
    ],
    [
      'create-sim-integration',
      'text',
      'POST /v2024/sim-integrations',
      { ...sim, attributes: '{"a":1}' },
      400,
    ],
    ['create-sim-integration', 'a text', 'POST /v2024/sim-integrations', { ...sim, statusMap: '{}' }, 400],
    ['create-sim-integration', 'a text', 'POST /v2024/sim-integrations', { ...sim, request: '{}' }, 400],
    ['get-sim-integration', 'objects', `GET /v2024/sim-integrations/${id}`, null, 200],
    ['put-sim-integration', 'objects', `PUT /v2024/sim-integrations/${id}`, { ...sim, attributes: {} }, 200],
    [
      'patch-sim-attributes',
      'operations in an object',
      `PATCH /v2024/sim-integrations/${id}`,
      { operations: [{ op: 'replace', path: '/description', value: 'Other' }] },
      200,
      { description: 'Other' },
    ],
    ['patch-sim-attributes', 'a bare array', `PATCH /v2024/sim-integrations/${id}`, [], 400],
    [
      'patch-before-provisioning-rule',
      'operations in an object',
      `PATCH /v2024/sim-integrations/${id}/beforeProvisioningRule`,
      { operations: [{ op: 'add', path: '/name', value: 'Other' }] },
      200,
    ],
    ['delete-sim-integration', 'one', `DELETE /v2024/sim-integrations/${id}`, null, 200],
    [
      'list-notification-templates',
      'by key',
      `GET /v2025/notification-templates?${filter('key sw "a"')}`,
      null,
      200,
    ],
    ['get-notification-template', 'one', `GET /v2025/notification-templates/${id}`, null, 200],
    [
      'create-notification-template',
      'a chat template as an object, whose blocks are text',
      'POST /v2025/notification-templates',
      { ...slack, slackTemplate: { text: 'Do it', blocks: '[]' } },
      200,
      { slackTemplate: { text: 'Do it', blocks: '[]' } },
    ],
    [
      'create-notification-template',
      'a chat template as text',
      'POST /v2025/notification-templates',
      { ...slack, slackTemplate: '{"text":"Do it"}' },
      400,
    ],
    [
      'create-notification-template',
      'a subject that is null',
      'POST /v2025/notification-templates',
      { ...slack, subject: null },
      400,
    ],
    [
      'create-notification-template',
      'a header',
      'POST /v2025/notification-templates',
      { ...slack, header: 'x' },
      400,
    ],
    [
      'create-notification-template',
      'a footer',
      'POST /v2025/notification-templates',
      { ...slack, footer: 'x' },
      400,
    ],
    [
      'delete-notification-templates-in-bulk',
      'keys',
      'POST /v2025/notification-templates/bulk-delete',
      [{ key: 'password_expiring', medium: 'EMAIL', locale: 'en' }],
      204,
    ],
    ['list-notification-template-defaults', 'a list', 'GET /v2025/notification-template-defaults', null, 200],
    ['get-notifications-template-context', 'one', 'GET /v2025/notification-template-context', null, 200],
    [
      'list-all-preferences',
      'by key',
      `GET /v2026/notification-preferences?${filter('key eq "x"')}`,
      null,
      200,
    ],
    [
      'put-preference',
      'media and copies',
      'PUT /v2026/notification-preferences/password_expiring',
      { key: 'password_expiring', mediums: ['EMAIL', 'INBOX'], ccList: [], bccList: ['ada@acme.example'] },
      200,
      { mediums: ['EMAIL', 'INBOX'] },
    ],
    [
      'get-notification-template-variables',
      'of a template',
      'GET /v2026/notification-template-variables/password_expiring/EMAIL',
      null,
      200,
    ],
    [
      'list-notification-preferences',
      'one',
      'GET /v2025/notification-preferences/password_expiring',
      null,
      200,
    ],
    [
      'send-test-notification',
      'an object, a locale and recipients',
      'POST /v2025/send-test-notification',
      { ...sendTest, context: { a: 'b' }, locale: 'en', recipientEmailList: ['ada@acme.example'] },
      204,
    ],
    [
      'send-test-notification',
      'text',
      'POST /v2025/send-test-notification',
      { ...sendTest, context: '{}' },
      400,
    ],
    [
      'list-from-addresses',
      'after one',
      `GET /v2025/verified-from-addresses?${filter('email gt "b"')}`,
      null,
      200,
    ],
    [
      'list-from-addresses',
      'before one',
      `GET /v2025/verified-from-addresses?${filter('email lt "b"')}`,
      null,
      200,
    ],
    [
      'list-from-addresses',
      'a beginning',
      `GET /v2025/verified-from-addresses?${filter('email sw "b"')}`,
      null,
      400,
    ],
    [
      'create-verified-from-address',
      'one',
      'POST /v2025/verified-from-addresses',
      { email: 'x@acme.example' },
      201,
    ],
    ['delete-verified-from-address', 'one', `DELETE /v2025/verified-from-addresses/${id}`, null, 204],
    ['get-dkim-attributes', 'a list', 'GET /v2025/verified-domains', null, 200],
    ['create-domain-dkim', 'one', 'POST /v2025/verified-domains', { domain: 'new.example' }, 200],
    ['get-mail-from-attributes', 'one', 'GET /v2025/mail-from-attributes/acme.example', null, 200],
    [
      'put-mail-from-attributes',
      'one',
      'PUT /v2025/mail-from-attributes',
      { identity: 'acme.example', mailFromDomain: 'mail.acme.example' },
      200,
    ],
  ],
  'sailpoint-nerm': [
    ['list-users', 'by name', 'GET /api/users?name=Nobody', null, 200, { users: [] }],
    [
      'list-profiles',
      'by name',
      'GET /api/profiles?name=Engineering',
      null,
      200,
      { profiles: [{ name: 'Engineering' }] },
    ],
    [
      'list-profiles',
      'by a status of profiles',
      'GET /api/profiles?status=On%20Leave&limit=1',
      null,
      200,
      { profiles: [{ status: 'On Leave' }] },
    ],
    ['list-profiles', 'offset 0', 'GET /api/profiles?offset=0', null, 400],
    [
      'list-profile-types',
      'by name',
      'GET /api/profile_types?name=Contractor&metadata=true',
      null,
      200,
      { profile_types: [{ name: 'Contractor' }], _metadata: { total: 1 } },
    ],
    [
      'list-profile-types',
      'by uid',
      'GET /api/profile_types?uid=contractor',
      null,
      400,
      { errors: { uid: expect.any(String) } },
    ],
    [
      'list-ne-attributes',
      'by label',
      'GET /api/ne_attributes?label=Job%20title',
      null,
      200,
      { ne_attributes: [{ data_type: 'text field', type: 'TextFieldAttribute' }] },
    ],
    [
      'list-ne-attributes',
      'types with a blank',
      'GET /api/ne_attributes?label=Department',
      null,
      200,
      { ne_attributes: [{ data_type: 'profile select', type: 'ProfileSelectAttribute' }] },
    ],
    [
      'list-ne-attributes',
      'by uid',
      'GET /api/ne_attributes?uid=job_title',
      null,
      400,
      { error: expect.any(String), errors: { uid: expect.any(String) } },
    ],
    [
      'list-profile-searches',
      'a list',
      'GET /api/advanced_search',
      null,
      200,
      { advanced_search: [{}, {}, {}, {}] },
    ],
    [
      'create-profile-search',
      'the class of the attribute',
      'POST /api/advanced_search',
      search(ofClass('TextFieldAttribute')),
      200,
    ],
    [
      'create-profile-search',
      'another class',
      'POST /api/advanced_search',
      search(ofClass('DateAttribute')),
      400,
    ],
    [
      'create-profile-search',
      'NeAttribute',
      'POST /api/advanced_search',
      search(ofClass('NeAttribute')),
      400,
    ],
    ['create-profile-search', 'no class', 'POST /api/advanced_search', search(rule), 400],
    [
      'create-profile-search',
      'object_type',
      'POST /api/advanced_search',
      search({ ...rule, object_type: 'NeAttribute' }),
      400,
    ],
    [
      'create-profile-search',
      'a status of rules',
      'POST /api/advanced_search',
      search(onStatus('Leave of absence')),
      200,
    ],
    [
      'create-profile-search',
      'a status of profiles',
      'POST /api/advanced_search',
      search(onStatus('On Leave')),
      400,
    ],
    [
      'patch-profile-search',
      'a label',
      `PATCH /api/advanced_search/${id}`,
      { advanced_search: { label: 'Other' } },
      200,
    ],
    [
      'run-profile-search',
      'a page',
      'POST /api/advanced_search/run?limit=1',
      running(onStatus('Active')),
      200,
    ],
    [
      'run-profile-search',
      'metadata',
      'POST /api/advanced_search/run?metadata=true',
      running(onStatus('Active')),
      400,
    ],
    ['run-saved-profile-search', 'a page', `GET /api/advanced_search/${id}/run?limit=1`, null, 200],
    ['run-saved-profile-search', 'metadata', `GET /api/advanced_search/${id}/run?metadata=true`, null, 400],
  ],
};

const named = ([operation, what, line, body, status, holds]: Fact) => ({
  operation,
  what,
  line,
  body,
  status,
  holds,
});

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
  return call(sandbox, line.replace(id, first ?? ''), send);
}

describe.each(Object.entries(facts))('%s', (name, rows) => {
  const product = name === 'sailpoint-isc' ? name : 'sailpoint-nerm';

  test.each(rows.map(named))('$operation, $what: $line', async ({ line, body, status, holds }) => {
    const send = { headers: header, ...(body !== null && { body }) };
    const answer = await ask(product, line, send);
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
    const stated = new Set(rows.map(([operation]) => operation));
    expect(sent.map((each) => each.name).filter((each) => !stated.has(each))).toEqual([]);
  });
});

describe('sailpoint-isc', () => {
  const lines = facts['sailpoint-isc'].filter(([, , , , status]) => status < 300);
  test.each(lines.map(named))(
    '$operation, $what: wants the header only for integrations, and never names it',
    async ({ operation, line, body, status }) => {
      const answer = await ask('sailpoint-isc', line, { headers: none, ...(body !== null && { body }) });
      const isOfIntegrations = line.includes('/sim-integrations');
      expect(answer.status, operation).toBe(isOfIntegrations ? 400 : status);
      if (isOfIntegrations) expect(answer.body).toEqual(refusal);
      const contract = await ask('sailpoint-isc', line, body === null ? {} : { body });
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
