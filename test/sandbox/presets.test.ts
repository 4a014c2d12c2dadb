/** What the descriptions of two products say about the operations that tenantctl sends (api-notes, "Presets"). */
import { describe, expect, test } from 'vitest';
import { presetNames as settingsNames } from '../../src/kinds/project.ts';
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

const operation = (op: string, path: string, value: Json) => ({ op, path, value });
const errors = { errors: { uid: expect.any(String) } };
const attribute = (data_type: string, type: string) => ({ ne_attributes: [{ data_type, type }] });
const textField = attribute('text field', 'TextFieldAttribute');
const profileSelect = attribute('profile select', 'ProfileSelectAttribute');

/** What is sent to an operation, the status of the answer, and what the answer holds. */
type Fact = readonly [
  line: string,
  status: number,
  what: string,
  sent?: { readonly query?: string; readonly body?: Json; readonly holds?: object },
];

const profiles = '/v2024/auth-profiles';
const sims = '/v2024/sim-integrations';
const preferences = '/v2026/notification-preferences';
const tests = '/v2025/send-test-notification';
const templates = '/v2025/notification-templates';
const senders = '/v2025/verified-from-addresses';
const searches = '/api/advanced_search';
const offNetwork = [operation('replace', '/offNetwork', true)];
const operationsOf = (op: string, path: string) => ({ operations: [operation(op, path, 'Other')] });
const description = operationsOf('replace', '/description');
const preference = { key: 'password_expiring', mediums: ['EMAIL', 'INBOX'], ccList: [], bccList: [] };
const copied = { ...preference, bccList: ['ada@acme.example'] };
const chat = { slackTemplate: { text: 'Do it', blocks: '[]' } };
const extended = { context: { a: 'b' }, locale: 'en', recipientEmailList: ['ada@acme.example'] };
const mailFrom = { identity: 'acme.example', mailFromDomain: 'mail.acme.example' };
const types = '/api/profile_types';
const engineering = { name: 'Engineering' };
const onLeave = { profiles: [{ status: 'On Leave' }] };
const contractors = { profile_types: [{ name: 'Contractor' }], _metadata: { total: 1 } };

const facts: Readonly<Record<keyof typeof presets, readonly Fact[]>> = {
  'sailpoint-isc': [
    [`GET ${profiles}`, 200, 'a list of ids'],
    [`GET ${profiles}/{id}`, 200, 'one', { holds: { type: 'PTA' } }],
    [`PATCH ${profiles}/{id}`, 200, 'a bare array', { body: offNetwork, holds: { offNetwork: true } }],
    [`GET ${sims}`, 200, 'a list'],
    [`POST ${sims}`, 200, 'objects', { body: { ...sim, attributes: { a: 1 } } }],
    [`POST ${sims}`, 400, 'attributes as text', { body: { ...sim, attributes: '{"a":1}' } }],
    [`POST ${sims}`, 400, 'a status map as text', { body: { ...sim, statusMap: '{}' } }],
    [`POST ${sims}`, 400, 'a request as text', { body: { ...sim, request: '{}' } }],
    [`GET ${sims}/{id}`, 200, 'objects'],
    [`PUT ${sims}/{id}`, 200, 'objects', { body: { ...sim, attributes: {} } }],
    [`PATCH ${sims}/{id}`, 200, 'operations', { body: description, holds: { description: 'Other' } }],
    [`PATCH ${sims}/{id}`, 400, 'a bare array', { body: [] }],
    [`PATCH ${sims}/{id}/beforeProvisioningRule`, 200, 'operations', { body: operationsOf('add', '/name') }],
    [`DELETE ${sims}/{id}`, 200, 'one'],
    [`GET ${templates}`, 200, 'by key', { query: filter('key sw "a"') }],
    [`GET ${templates}/{id}`, 200, 'one'],
    [
      `POST ${templates}`,
      200,
      'an object, whose blocks are text',
      { body: { ...slack, ...chat }, holds: chat },
    ],
    [`POST ${templates}`, 400, 'a chat template as text', { body: { ...slack, slackTemplate: '{}' } }],
    [`POST ${templates}`, 400, 'a subject that is null', { body: { ...slack, subject: null } }],
    [`POST ${templates}`, 400, 'a header', { body: { ...slack, header: 'x' } }],
    [`POST ${templates}`, 400, 'a footer', { body: { ...slack, footer: 'x' } }],
    [`POST ${templates}/bulk-delete`, 204, 'keys', { body: [{ ...sendTest, locale: 'en' }] }],
    ['GET /v2025/notification-template-defaults', 200, 'a list'],
    ['GET /v2025/notification-template-context', 200, 'one'],
    [`GET ${preferences}`, 200, 'by key', { query: filter('key eq "x"') }],
    [
      `PUT ${preferences}/{key}`,
      200,
      'media and copies',
      { body: copied, holds: { mediums: copied.mediums } },
    ],
    [`PUT ${preferences}/{key}`, 400, 'another', { body: { ...preference, key: 'invitation' } }],
    ['GET /v2026/notification-template-variables/{key}/{medium}', 200, 'of a template'],
    ['GET /v2025/notification-preferences/{key}', 200, 'one'],
    [`POST ${tests}`, 204, 'an object, and to whom', { body: { ...sendTest, ...extended } }],
    [`POST ${tests}`, 400, 'text', { body: { ...sendTest, context: '{}' } }],
    [`GET ${senders}`, 200, 'after one', { query: filter('email gt "b"') }],
    [`GET ${senders}`, 200, 'before one', { query: filter('email lt "b"') }],
    [`GET ${senders}`, 400, 'a beginning', { query: filter('email sw "b"') }],
    [`POST ${senders}`, 201, 'one', { body: { email: 'x@acme.example' } }],
    [`DELETE ${senders}/{id}`, 204, 'one'],
    ['GET /v2025/verified-domains', 200, 'a list'],
    ['POST /v2025/verified-domains', 200, 'one', { body: { domain: 'new.example' } }],
    ['GET /v2025/mail-from-attributes/{identity}', 200, 'one'],
    ['PUT /v2025/mail-from-attributes', 200, 'one', { body: mailFrom }],
  ],
  'sailpoint-nerm': [
    ['GET /api/users', 200, 'by name', { query: 'name=Nobody', holds: { users: [] } }],
    ['GET /api/profiles', 200, 'by name', { query: 'name=Engineering', holds: { profiles: [engineering] } }],
    ['GET /api/profiles', 200, 'by a status', { query: 'status=On%20Leave&limit=1', holds: onLeave }],
    ['GET /api/profiles', 400, 'offset 0', { query: 'offset=0' }],
    [`GET ${types}`, 200, 'by name', { query: 'name=Contractor&metadata=true', holds: contractors }],
    [`GET ${types}`, 400, 'by uid', { query: 'uid=contractor', holds: errors }],
    ['GET /api/ne_attributes', 200, 'by label', { query: 'label=Job%20title', holds: textField }],
    [
      'GET /api/ne_attributes',
      200,
      'types with a blank',
      { query: 'label=Department', holds: profileSelect },
    ],
    ['GET /api/ne_attributes', 400, 'by uid', { query: 'uid=job_title', holds: errors }],
    [`GET ${searches}`, 200, 'a list', { holds: { advanced_search: [{}, {}, {}, {}] } }],
    [`POST ${searches}`, 200, 'the class of the attribute', { body: search(ofClass('TextFieldAttribute')) }],
    [`POST ${searches}`, 400, 'another class', { body: search(ofClass('DateAttribute')) }],
    [`POST ${searches}`, 400, 'NeAttribute', { body: search(ofClass('NeAttribute')) }],
    [`POST ${searches}`, 400, 'no class', { body: search(rule) }],
    [`POST ${searches}`, 400, 'object_type', { body: search({ ...rule, object_type: 'NeAttribute' }) }],
    [`POST ${searches}`, 200, 'a status of rules', { body: search(onStatus('Leave of absence')) }],
    [`POST ${searches}`, 400, 'a status of profiles', { body: search(onStatus('On Leave')) }],
    [`PATCH ${searches}/{id}`, 200, 'a label', { body: { advanced_search: { label: 'Other' } } }],
    [`POST ${searches}/run`, 200, 'a page', { query: 'limit=1', body: running(onStatus('Active')) }],
    [`POST ${searches}/run`, 400, 'metadata', { query: 'metadata=true', body: running(onStatus('Active')) }],
    [`GET ${searches}/{id}/run`, 200, 'a page', { query: 'limit=1' }],
    [`GET ${searches}/{id}/run`, 400, 'metadata', { query: 'metadata=true' }],
  ],
};

const rowsOf = (product: readonly Fact[]) =>
  product.map(([path, status, what, { query, holds, ...send } = {}]) => {
    return { what, line: query ? `${path}?${query}` : path, send, status, holds };
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
  const names = { id: first ?? '', key: 'password_expiring', medium: 'EMAIL', identity: 'acme.example' };
  const filled = Object.entries(names).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, value),
    line,
  );
  return call(sandbox, filled, send);
}

describe.each(Object.entries(facts))('%s', (name, stated) => {
  const product = name === 'sailpoint-isc' ? name : 'sailpoint-nerm';

  test.each(rowsOf(stated))('$what: $line', async ({ line, send, status, holds }) => {
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
    const lines = new Set(stated.map(([line]) => line));
    expect(sent.filter(({ method, path }) => !lines.has(`${method} ${path}`))).toEqual([]);
  });
});

describe('sailpoint-isc', () => {
  test.each(rowsOf(facts['sailpoint-isc']).filter(({ status }) => status < 300))(
    '$what: $line wants the header only for integrations, and never names it',
    async ({ line, send, status }) => {
      const answer = await ask('sailpoint-isc', line, { headers: none, ...send });
      const isOfIntegrations = line.includes('/sim-integrations');
      expect(answer.status, line).toBe(isOfIntegrations ? 400 : status);
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
