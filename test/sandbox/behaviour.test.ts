import { describe, expect, test } from 'vitest';
import { isArray, isObject, type Json, parseJson } from '../../src/model/json.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { Variations } from '../support/sandbox.ts';
import { call, start } from './caller.ts';

const templates = '/v2025/notification-templates';

function items(body: Json): readonly Json[] {
  if (!isArray(body)) throw new Error('a list was expected');
  return body;
}

function member(body: Json, ...path: string[]): Json {
  return path.reduce<Json>((value, name) => (isObject(value) ? (value[name] ?? null) : null), body);
}

describe('filters', () => {
  // The grammar is tested in query.test.ts.
  test('select of a list, and a syntax error is refused', async () => {
    const sandbox = await start();
    const filtered = (filters: string) =>
      call(sandbox, `GET ${templates}?filters=${encodeURIComponent(filters)}`);
    const found = await filtered('(medium eq "SLACK" or medium eq "TEAMS") and locale eq "en"');
    expect(items(found.body)).toHaveLength(2);
    const refused = await filtered('key eq invitation');
    expect([refused.status, refused.text.includes('filters:')]).toEqual([400, true]);
  });

  test('e-mail addresses compare by ge and le', async () => {
    const filters = encodeURIComponent('email ge "a" and email le "b"');
    const answer = await call(
      await start(),
      `GET /v2025/verified-from-addresses?filters=${filters}&sorters=-email`,
    );
    expect(items(answer.body).map((item) => member(item, 'email'))).toEqual([
      'audit@acme.example',
      'approvals@acme.example',
    ]);
  });
});

describe('paging', () => {
  test('pages cover a list once, and count is only given on request', async () => {
    const sandbox = await start({ pageLimit: 10 });
    const page = (offset: number) => call(sandbox, `GET ${templates}?offset=${offset}`);
    const pages = await Promise.all([0, 10, 20].map(page));
    const ids = pages.flatMap(({ body }) => items(body).map((item) => member(item, 'id')));
    expect([ids.length, new Set(ids).size]).toEqual([25, 25]);
    const counted = await call(sandbox, 'GET /v2025/verified-from-addresses?count=true&limit=5');
    expect([items(counted.body).length, counted.headers['x-total-count']]).toEqual([5, '12']);
    expect((await call(sandbox, 'GET /v2025/verified-from-addresses')).headers).not.toHaveProperty(
      'x-total-count',
    );
  });

  test('collections are bare, and wrapped with their metadata', async () => {
    const sandbox = await start();
    expect(items((await call(sandbox, 'GET /api/profiles')).body)).toHaveLength(100);
    const answer = await call(sandbox, 'GET /api/profiles?limit=200&offset=200&metadata=true&status=Active');
    const total = sandbox.state.profiles.filter(({ status }) => status === 'Active').length;
    expect(items(member(answer.body, 'profiles'))).toHaveLength(total - 200);
    expect(member(answer.body, '_metadata')).toEqual({ limit: 200, offset: 200, total, next: null });
    const first = await call(sandbox, 'GET /api/users?limit=5&order=login&metadata=true');
    expect(member(first.body, '_metadata', 'next')).toBe(
      '/api/users?limit=5&order=login&metadata=true&offset=5',
    );
  });
});

describe('notification templates', () => {
  const texts = {
    subject: 'Grüße ${name} $x  ',
    body: '#if($x)\r\n  ü\r\n#end  \r\n',
  };

  test('POST writes the whole template, keeps the id, and the text byte for byte', async () => {
    const sandbox = await start();
    const sent = { key: 'invitation', medium: 'EMAIL', locale: 'en', ...texts };
    const { id, created } =
      sandbox.state.templates.find(({ key, locale }) => key === sent.key && locale === sent.locale) ?? {};
    const answer = await call(sandbox, `POST ${templates}`, { body: sent });
    expect(answer.body).toMatchObject({ ...sent, id, created, from: null });
    const read = await call(sandbox, `GET ${templates}/${id}`);
    expect(read.body).toEqual(answer.body);
  });

  test('bulk-delete takes what the given parts of a key name', async () => {
    const sandbox = await start();
    const remove = (body: Json) => call(sandbox, `POST ${templates}/bulk-delete`, { body });
    const left = () =>
      sandbox.state.templates.filter(({ key }) => key === 'cloud_manual_work_item_summary').length;
    const answer = await remove([{ key: 'cloud_manual_work_item_summary', medium: 'EMAIL', locale: 'de' }]);
    expect([answer.status, answer.text, left()]).toEqual([204, '', 2]);
    await remove([{ key: 'cloud_manual_work_item_summary' }]);
    expect([left(), sandbox.state.templates.length]).toEqual([0, 22]);
  });

  test('a template that is created again gets another id', async () => {
    const sandbox = await start();
    const body = { key: 'sod_report', medium: 'EMAIL', locale: 'en' };
    const first = await call(sandbox, `POST ${templates}`, { body });
    await call(sandbox, `POST ${templates}/bulk-delete`, { body: [body] });
    const second = await call(sandbox, `POST ${templates}`, { body });
    expect(member(first.body, 'id')).not.toBe(member(second.body, 'id'));
  });

  test.each([
    ['forbidden', 403],
    ['refused', 400],
  ] as const)('bulk deletion that is %s answers %i', async (bulkDelete, status) => {
    const sandbox = await start({ variations: { bulkDelete } });
    const answer = await call(sandbox, `POST ${templates}/bulk-delete`, { body: [{ key: 'invitation' }] });
    expect(answer).toMatchObject({ status, text: expect.stringContaining('support') });
    expect(sandbox.state.templates).toHaveLength(25);
  });
});

describe('verification', () => {
  test('of a sender of a verified domain is done at once, that of others waits', async () => {
    const sandbox = await start();
    const made = async (email: string) =>
      (await call(sandbox, 'POST /v2025/verified-from-addresses', { body: { email } })).body;
    const verified = { verificationStatus: 'SUCCESS', isVerifiedByDomain: true };
    expect(await made('a@acme.example')).toMatchObject(verified);
    const waits = { verificationStatus: 'PENDING', isVerifiedByDomain: false };
    expect(await made('b@other.example')).toMatchObject(waits);
  });

  test('of a MAIL FROM begins with a change, and not again for what is the same already', async () => {
    const sandbox = await start();
    const put = (mailFromDomain: string) =>
      call(sandbox, 'PUT /v2025/mail-from-attributes', { body: { identity: 'new.example', mailFromDomain } });
    const mxRecord = expect.stringMatching(/^10 /);
    const first = { mailFromDomain: 'bounce.new.example', mailFromDomainStatus: 'PENDING', mxRecord };
    expect((await put('bounce.new.example')).body).toMatchObject(first);
    for (const one of sandbox.state.mailFrom) one.mailFromDomainStatus = 'SUCCESS';
    expect((await put('bounce.new.example')).body).toMatchObject({ mailFromDomainStatus: 'SUCCESS' });
    expect((await put('mail.new.example')).body).toMatchObject({ mailFromDomainStatus: 'PENDING' });
  });
});

describe('JSON Patch', () => {
  const profile = (sandbox: Sandbox) => sandbox.state.authProfiles[2] ?? { id: '' };

  const toBlock = { op: 'add', path: '/type', value: 'BLOCK' };

  test.each([
    ['replace of a value', 200, [{ op: 'replace', path: '/type', value: 'BLOCK' }]],
    ['add of what is not there', 200, [{ op: 'add', path: '/applicationId', value: 'a' }]],
    ['an id of nothing', 400, [{ op: 'add', path: '/applicationId', value: '' }]],
    ['a test that holds', 200, [{ op: 'test', path: '/offNetwork', value: true }]],
    ['replace of what is not there', 400, [{ op: 'replace', path: '/applicationId', value: 'a' }]],
    ['a test that fails', 400, [{ op: 'test', path: '/offNetwork', value: false }]],
    ['an unknown field', 400, [{ op: 'add', path: '/colour', value: 'red' }]],
    ['a field that cannot be patched', 400, [{ op: 'add', path: '/name', value: 'x' }]],
    ['an unknown type', 400, [{ op: 'replace', path: '/type', value: 'OPEN' }]],
    ['text for a switch', 400, [{ op: 'replace', path: '/offNetwork', value: 'true' }]],
    ['a prototype', 400, [{ op: 'add', path: '/__proto__/polluted', value: true }]],
    ['a constructor', 400, [{ op: 'add', path: '/constructor/prototype/polluted', value: true }]],
    ['an add without a value', 400, [{ op: 'add', path: '/applicationName' }]],
    ['move', 400, [{ op: 'move', path: '/type', from: '/constructor' }]],
    ['a second operation that fails', 400, [toBlock, { op: 'remove', path: '/x' }]],
    ['operations in an object', 400, { operations: [{ op: 'replace', path: '/type', value: 'PTA' }] }],
  ])('of an auth profile: %s is %i', async (_what, status, body) => {
    const sandbox = await start();
    const before = JSON.stringify(sandbox.state.authProfiles);
    const answer = await call(sandbox, `PATCH /v2024/auth-profiles/${profile(sandbox).id}`, { body });
    expect(answer.status, answer.text).toBe(status);
    if (status === 400) expect(JSON.stringify(sandbox.state.authProfiles)).toBe(before);
    expect(member(answer.body, 'id')).toBeNull();
  });

  test('the rule of an integration has its own path and relative pointers', async () => {
    const sandbox = await start();
    const path = `/v2024/sim-integrations/${sandbox.state.simIntegrations[1]?.id}`;
    const add = (name: string, value: string) => ({ op: 'add', path: `/${name}`, value });
    const operations = [add('type', 'RULE'), add('id', 'r1'), add('name', 'One')];
    const made = await call(sandbox, `PATCH ${path}/beforeProvisioningRule`, { body: { operations } });
    expect(member(made.body, 'beforeProvisioningRule')).toEqual({ type: 'RULE', id: 'r1', name: 'One' });
    const wrong = [
      { op: 'add', path: '/beforeProvisioningRule', value: { type: 'RULE', id: 'r2', name: 'Two' } },
    ];
    expect((await call(sandbox, `PATCH ${path}`, { body: { operations: wrong } })).status).toBe(400);
    const asId = { body: { operations: [add('id', 'x')] } };
    expect((await call(sandbox, `PATCH ${path}`, asId)).text).toContain('id cannot be patched');
    const put = { body: { id: 'x', name: 'New', type: 'ServiceNow Service Desk' } };
    expect((await call(sandbox, `PUT ${path}`, put)).text).toContain('body.id is not the id');
    const removed = ['/type', '/id', '/name'].map((pointer) => ({ op: 'remove', path: pointer }));
    const gone = await call(sandbox, `PATCH ${path}/beforeProvisioningRule`, {
      body: { operations: removed },
    });
    expect(member(gone.body, 'beforeProvisioningRule')).toBeNull();
  });

  test('some tenants want the bare array, and replace only', async () => {
    const sandbox = await start({ variations: { simPatchBody: 'array', simPatchOps: 'replace' } });
    const path = `PATCH /v2024/sim-integrations/${sandbox.state.simIntegrations[3]?.id}`;
    const operation = (op: string) => ({ op, path: '/description', value: 'x' });
    expect((await call(sandbox, path, { body: { operations: [operation('replace')] } })).status).toBe(400);
    expect((await call(sandbox, path, { body: [operation('add')] })).status).toBe(400);
    expect((await call(sandbox, path, { body: [operation('replace')] })).status).toBe(200);
  });
});

describe('integrations', () => {
  const shown = async (variations: Partial<Variations>) => {
    const { body } = await call(await start({ variations }), 'GET /v2024/sim-integrations');
    return items(body)[0] ?? null;
  };

  test('are answered in another shape than they are sent', async () => {
    const answer = await shown({});
    expect(answer).toMatchObject({
      clusterRef: { type: 'CLUSTER', name: 'va-prod' },
      managedSources: [expect.any(String), expect.any(String)],
      provisioningConfig: {
        universalManager: false,
        managedResourceRefs: [{ name: 'Workday' }, { name: 'SAP' }],
      },
      beforeProvisioningRule: { type: 'RULE', name: 'Expand groups' },
      statusMap: expect.stringContaining('"open":"Queued"'),
    });
    expect(answer).not.toHaveProperty('sources');
  });

  test.each([
    ['clear', 'snow-4711-Sommerwind'],
    ['masked', '********'],
    ['encrypted', expect.stringMatching(/^1:ACP:/)],
    ['absent', undefined],
  ] as const)('secrets come back %s', async (simSecrets, password) => {
    const attributes = member(await shown({ simSecrets }), 'attributes');
    const read = typeof attributes === 'string' ? parseJson(attributes) : null;
    expect(isObject(read) ? read.password : null).toEqual(password);
  });

  test('secrets are masked in objects inside of the attributes too', async () => {
    const sandbox = await start({ variations: { simSecrets: 'masked', jsonText: 'object' } });
    const body = { name: 'New', type: 'x', attributes: { proxy: { host: 'p', token: 't' } } };
    const made = await call(sandbox, 'POST /v2024/sim-integrations', { body });
    expect(member(made.body, 'attributes')).toEqual({ proxy: { host: 'p', token: '********' } });
  });

  test('statusMap and request hide, or live in attributes, and text may be a map', async () => {
    const hidden = await shown({ simStatusMap: 'hidden' });
    expect(hidden).not.toHaveProperty('statusMap');
    const inside = await shown({ simStatusMap: 'attributes', jsonText: 'object' });
    expect(member(inside, 'attributes', 'statusMap', 'open')).toBe('Queued');
    expect(member(await shown({ jsonText: 'map' }), 'statusMap')).toBe(
      '{open=Queued, work_in_progress=Queued, closed_complete=Committed, closed_cancelled=Failed}',
    );
  });

  test('PUT clears fields that it leaves out', async () => {
    const sandbox = await start();
    const id = sandbox.state.simIntegrations[0]?.id;
    const body = { name: 'ServiceNow', type: 'ServiceNow Service Desk' };
    const renamed = await call(sandbox, `PUT /v2024/sim-integrations/${id}`, {
      body: { ...body, name: 'Remedy' },
    });
    expect([renamed.status, renamed.text]).toEqual([400, expect.stringContaining('already exists')]);
    const answer = await call(sandbox, `PUT /v2024/sim-integrations/${id}`, { body });
    const cleared = { description: null, cluster: null, managedSources: [], statusMap: null };
    expect(answer.body).toMatchObject({ id, ...cleared });
  });
});

test('a sent test notification is kept', async () => {
  const sandbox = await start();
  const body = { key: 'invitation', medium: 'EMAIL', context: '{"user":{"name":"Ü"}}' };
  expect((await call(sandbox, 'POST /v2025/send-test-notification', { body })).status).toBe(204);
  expect(sandbox.state.sentNotifications).toMatchObject([
    { key: 'invitation', context: { user: { name: 'Ü' } } },
  ]);
});
