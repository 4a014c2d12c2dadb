/**
 * What goes over the wire for every kind and action, written by hand from the API documents: neither the kinds nor
 * the embedded tenant had a say in it.
 */
import { describe, expect, it } from 'vitest';
import type { Request } from '../../src/model/documents.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { answers, type PlanCase, planOf, resource } from '../support/plan.ts';
import { documentedRequest } from './documented.ts';

const { sender } = answers;

const jsonPatch = 'application/json-patch+json';

const requestsOf = (given: PlanCase): readonly Request[] =>
  planOf(given).changes.flatMap(({ requests }) => requests);

describe('SenderAddress', () => {
  it('is created by a POST of the address alone', () =>
    expect(requestsOf({ declared: [resource('SenderAddress', ['help@acme.example'])] })).toEqual([
      documentedRequest('POST', '/v2025/verified-from-addresses', { email: 'help@acme.example' }),
    ]));

  it('is deleted by its id, whatever case the tenant gave its address', () =>
    expect(
      requestsOf({
        declared: [resource('SenderAddress', ['Help@acme.example'], {}, { ensure: 'absent' })],
        live: [sender('a/1', 'help@ACME.example'), sender('a2', 'other@acme.example')],
      }),
    ).toEqual([documentedRequest('DELETE', '/v2025/verified-from-addresses/a%2F1')]));
});

it('creates a VerifiedDomain by a POST of its name', () =>
  expect(requestsOf({ declared: [resource('VerifiedDomain', ['acme.example'])] })).toEqual([
    documentedRequest('POST', '/v2025/verified-domains', { domain: 'acme.example' }),
  ]));

it('sets a MailFrom domain by PUT', () => {
  const [identity, mailFromDomain] = ['help@acme.example', 'bounce.acme.example'];
  const declared = [resource('MailFrom', [identity], { mailFromDomain })];
  const live = [{ kind: 'MailFrom', raw: { identity, mailFromDomain: 'old.acme.example' } }];
  const request = documentedRequest('PUT', '/v2025/mail-from-attributes', { identity, mailFromDomain });
  expect(requestsOf({ declared, live })).toEqual([request]);
});

describe('AuthProfile', () => {
  const unset = { applicationId: null, applicationName: null };
  const raw = { name: 'Employees', offNetwork: false, untrustedGeography: true, type: 'NON_PTA', ...unset };

  it('is patched with a bare array of the fields that differ', () => {
    const declared = [resource('AuthProfile', ['Employees'], { type: 'MFA', untrustedGeography: true })];
    const steps = [{ op: 'replace', path: '/type', value: 'MFA' }];
    expect(requestsOf({ declared, live: [{ kind: 'AuthProfile', id: 'p1', raw }] })).toEqual([
      documentedRequest('PATCH', '/v2024/auth-profiles/p1', steps, jsonPatch),
    ]);
  });

  it('adds a field the tenant does not have yet', () => {
    const { applicationId: _, ...without } = { ...raw, strongAuthLogin: true };
    const declared = [resource('AuthProfile', ['Employees'], { applicationId: 'app-1' })];
    const [request] = requestsOf({ declared, live: [{ kind: 'AuthProfile', id: 'p1', raw: without }] });
    expect(request?.body).toEqual([{ op: 'add', path: '/applicationId', value: 'app-1' }]);
  });
});

describe('NotificationTemplate', () => {
  const texts = {
    ...{ key: 'welcome', medium: 'EMAIL', locale: 'en', name: 'Welcome', description: 'Sent on day one' },
    ...{ subject: 'Hello', body: '<p>Hello ${user.name}</p>\r\n', from: '$__global.emailFromAddress' },
  };
  const byDefault = { ...texts, header: null, footer: null, replyTo: null, slackTemplate: null };
  const stamps = { created: '2025-01-01T00:00:00Z', modified: '2025-01-02T00:00:00Z' };
  const live = { ...byDefault, id: 't1', teamsTemplate: null, ...stamps, vendorFlag: 7 };
  const key = ['welcome', 'EMAIL', 'en'];
  const post = (body: Json, below = '') =>
    documentedRequest('POST', `/v2025/notification-templates${below}`, body);

  const shown = (more: JsonObject = {}) => ({ kind: 'NotificationTemplate', raw: { ...live, ...more } });
  const declaring = (subject: string) => [resource('NotificationTemplate', key, { subject })];

  it('is posted whole when only its subject is declared, unknown fields included', () =>
    expect(requestsOf({ declared: declaring('Welcome, $user'), live: [shown()] })).toEqual([
      post({ ...texts, id: 't1', subject: 'Welcome, $user', vendorFlag: 7 }),
    ]));

  it('is posted without an id where the tenant shows none', () => {
    const [request] = requestsOf({ declared: declaring('New'), live: [shown({ id: null })] });
    expect(request?.body).toMatchObject({ subject: 'New' });
    expect(request?.body).not.toHaveProperty('id');
  });

  it('is laid over the default where nobody has customised it', () => {
    const defaults = [{ kind: 'NotificationTemplate', raw: byDefault }];
    expect(requestsOf({ declared: declaring('Mine'), defaults })).toEqual([
      post({ ...texts, subject: 'Mine' }),
    ]);
  });

  it('goes back to the default by a bulk delete that names key, medium and locale', () => {
    const declared = [resource('NotificationTemplate', key, {}, { ensure: 'absent' })];
    expect(requestsOf({ declared, live: [shown(), shown({ id: 't2', locale: 'de' })] })).toEqual([
      post([{ key: 'welcome', medium: 'EMAIL', locale: 'en' }], '/bulk-delete'),
    ]);
  });

  it('sends chat messages as text, and the blocks inside them as text of their own', () => {
    const slackTemplate = { text: 'Hi', blocks: [{ type: 'divider' }] };
    const declared = [resource('NotificationTemplate', key, { slackTemplate })];
    const [asText] = requestsOf({ declared, live: [shown()] });
    const message = { text: 'Hi', blocks: { $jsonText: [{ type: 'divider' }] } };
    expect(asText?.body).toMatchObject({ slackTemplate: { $jsonText: message } });
    const [asObject] = requestsOf({ declared, live: [shown()], settings: { jsonText: 'object' } });
    expect(asObject?.body).toMatchObject({ slackTemplate: message });
  });
});

describe('SimIntegration', () => {
  const live = {
    id: 's1',
    name: 'ServiceNow',
    description: 'Tickets',
    type: 'ServiceNow Service Desk',
    created: '2025-01-01T00:00:00Z',
    modified: '2025-01-02T00:00:00Z',
    ownerRef: { type: 'IDENTITY', id: 'o1', name: 'Ann' },
    clusterRef: { type: 'CLUSTER', id: 'c1', name: 'va-prod' },
    cluster: null,
    managedSources: ['src1', 'src2'],
    provisioningConfig: { universalManager: false, managedResourceRefs: [] },
    attributes: '{"url":"https://snow.example.com","password":"1:ACP:c2VjcmV0","retries":"3"}',
    request: '{"short_description":"$!ticket"}',
    statusMap: '{"closed":"Committed"}',
    beforeProvisioningRule: { type: 'RULE', id: 'r1', name: 'Expand groups' },
  };
  const shown = [{ kind: 'SimIntegration', raw: live }];
  const patch = (path: string, body: Json) => documentedRequest('PATCH', path, body, jsonPatch);

  it('is created whole, JSON fields as text, secrets by name', () => {
    const fields = {
      description: 'Tickets',
      type: 'ServiceNow Service Desk',
      cluster: 'c1',
      sources: ['src1'],
      attributes: { url: 'https://snow.example.com', password: { $secret: 'SNOW' } },
      statusMap: { closed: 'Committed' },
      beforeProvisioningRule: { type: 'RULE', id: 'r1', name: 'Expand groups' },
    };
    expect(requestsOf({ declared: [resource('SimIntegration', ['New'], fields)] })).toEqual([
      documentedRequest('POST', '/v2024/sim-integrations', {
        ...fields,
        name: 'New',
        attributes: { $jsonText: fields.attributes },
        statusMap: { $jsonText: fields.statusMap },
      }),
    ]);
  });

  it('is created without what the manifest leaves empty, and clears it as null does', () => {
    const empty = { attributes: '', request: '', statusMap: null };
    expect(requestsOf({ declared: [resource('SimIntegration', ['New'], empty)] })[0]?.body).toEqual({
      name: 'New',
    });
    const cleared = (request: string | null) =>
      requestsOf({ declared: [resource('SimIntegration', ['ServiceNow'], { request })], live: shown });
    expect(cleared('')).toEqual(cleared(null));
  });

  const declared = [
    resource('SimIntegration', ['ServiceNow'], {
      description: 'Tickets for people',
      cluster: 'c1',
      sources: ['src2', 'src1'],
      attributes: { url: 'https://new.example.com', password: { $secret: 'SNOW' } },
      beforeProvisioningRule: { type: 'RULE', id: 'r2' },
    }),
  ];
  // What the manifest does not declare is filled in just before sending.
  const retries = { $live: '/attributes/retries' };
  const attributes = { url: 'https://new.example.com', password: { $secret: 'SNOW' }, retries };

  it('is patched: fields in one call, the rule in its own, undeclared attributes kept', () =>
    expect(requestsOf({ declared, live: shown })).toEqual([
      patch('/v2024/sim-integrations/s1', {
        operations: [
          { op: 'replace', path: '/attributes', value: { $jsonText: attributes } },
          { op: 'replace', path: '/description', value: 'Tickets for people' },
        ],
      }),
      patch('/v2024/sim-integrations/s1/beforeProvisioningRule', {
        operations: [
          { op: 'remove', path: '/name' },
          { op: 'replace', path: '/id', value: 'r2' },
        ],
      }),
    ]));

  it('is patched member by member, in a bare array, where the environment says so', () => {
    const settings = { jsonText: 'object', simPatchBody: 'array', simPatchOps: 'replace' } as const;
    const [request] = requestsOf({ declared, live: shown, settings });
    expect(request?.body).toEqual([
      { op: 'replace', path: '/attributes/password', value: { $secret: 'SNOW' } },
      { op: 'replace', path: '/attributes/url', value: 'https://new.example.com' },
      { op: 'replace', path: '/description', value: 'Tickets for people' },
    ]);
  });

  it('is put whole where the environment says so, and keeps what the manifest leaves out', () =>
    expect(requestsOf({ declared, live: shown, settings: { simUpdate: 'put' } })).toEqual([
      documentedRequest('PUT', '/v2024/sim-integrations/s1', {
        id: 's1',
        name: 'ServiceNow',
        description: 'Tickets for people',
        type: 'ServiceNow Service Desk',
        cluster: 'c1',
        sources: ['src2', 'src1'],
        attributes: { $jsonText: attributes },
        request: { $jsonText: { short_description: '$!ticket' } },
        statusMap: { $jsonText: { closed: 'Committed' } },
        beforeProvisioningRule: { type: 'RULE', id: 'r2' },
      }),
    ]));

  it('is put with the rule as the tenant has it where a manifest has another name beside the id', () => {
    const rule = { type: 'RULE', id: 'r1', name: 'Before' };
    const fields = { description: 'New', beforeProvisioningRule: { ...rule, name: 'Renamed' } };
    const [request] = requestsOf({
      declared: [resource('SimIntegration', ['ServiceNow'], fields)],
      live: [{ kind: 'SimIntegration', raw: { ...live, beforeProvisioningRule: rule } }],
      settings: { simUpdate: 'put' },
    });
    expect(request?.body).toMatchObject({ description: 'New', beforeProvisioningRule: rule });
  });

  it('is renamed when its id is pinned', () => {
    const declared = [resource('SimIntegration', ['SNOW'], {}, { id: 's1' })];
    const [request] = requestsOf({ declared, live: shown });
    expect(request).toEqual(
      patch('/v2024/sim-integrations/s1', { operations: [{ op: 'replace', path: '/name', value: 'SNOW' }] }),
    );
  });

  it('is deleted by its id', () => {
    const other = { kind: 'SimIntegration', raw: { ...live, id: 's2', name: 'Other' } };
    const gone = resource('SimIntegration', ['ServiceNow'], {}, { ensure: 'absent' });
    expect(requestsOf({ declared: [gone], live: [...shown, other] })).toEqual([
      documentedRequest('DELETE', '/v2024/sim-integrations/s1'),
    ]);
  });
});

describe('ProfileSearch', () => {
  const status = { type: 'ProfileStatusRule', comparison_operator: '==', value: 'Active' };
  const department = {
    type: 'ProfileAttributeRule',
    object_type: 'NeAttribute',
    condition_object_id: '11',
    comparison_operator: 'include?',
    value: '77',
  };
  const type = { type: 'ProfileTypeRule', comparison_operator: '==', value: '3' };
  const rows = [
    { id: 501, ...status },
    { id: 502, ...department },
    { id: 503, ...type },
  ];
  const live = [
    { kind: 'ProfileSearch', raw: { id: 9, uid: 'u9', label: 'Active', condition_rules_attributes: rows } },
  ];

  it('is created by POST, wrapped, attribute rules with their object type', () => {
    const { object_type: _, ...bare } = department;
    const declared = [resource('ProfileSearch', ['New'], { rules: [status, bare] })];
    const search = { label: 'New', condition_rules_attributes: [status, department] };
    expect(requestsOf({ declared })).toEqual([
      documentedRequest('POST', '/api/advanced_search', { advanced_search: search }),
    ]);
  });

  it('changes one rule by its id, destroys one, adds one, and leaves the kept one out', () => {
    const rules = [
      { ...department, value: '78' },
      status,
      { ...type, type: 'ProfileStatusRule', value: 'Leave of absence' },
    ];
    const rows = [
      { id: 502, ...department, value: '78' },
      { type: 'ProfileStatusRule', comparison_operator: '==', value: 'Leave of absence' },
      { id: 503, _destroy: true },
    ];
    const body = { advanced_search: { condition_rules_attributes: rows } };
    expect(requestsOf({ declared: [resource('ProfileSearch', ['Active'], { rules })], live })).toEqual([
      documentedRequest('PATCH', '/api/advanced_search/9', body),
    ]);
  });

  it('is deleted by a person, or by DELETE where the host can', () => {
    const declared = [resource('ProfileSearch', ['Active'], {}, { ensure: 'absent' })];
    expect(planOf({ declared, live }).changes[0]).toMatchObject({ action: 'manual', requests: [] });
    const choices = { allowDeleteAll: ['ProfileSearch'] };
    expect(requestsOf({ declared, live, choices, settings: { profileSearchDelete: true } })).toEqual([
      documentedRequest('DELETE', '/api/advanced_search/9'),
    ]);
  });
});
