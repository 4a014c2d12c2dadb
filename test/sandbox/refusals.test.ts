import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createTestFolder } from '../support/world.ts';
import { call, type Refused, start, testRefusals } from './caller.ts';

const sender = { email: 'new@acme.example' };
const template = { key: 'invitation', medium: 'EMAIL', locale: 'en' };
const sim = { name: 'New', type: 'ServiceNow Service Desk' };
const lists = '/v2025/notification-templates';

const write = `POST ${lists}`;
const addSender = 'POST /v2025/verified-from-addresses';
const noSender = 'DELETE /v2025/verified-from-addresses/nothing';
const sims = '/v2024/sim-integrations';
const addSim = `POST ${sims}`;
const putMailFrom = 'PUT /v2025/mail-from-attributes';
const mailFrom = (identity: string, mailFromDomain: string) => ({ body: { identity, mailFromDomain } });
const plain = 'application/json';
const sendTest = 'POST /v2025/send-test-notification';

const cases: readonly Refused[] = [
  ['no token', 401, `GET ${lists}`, { headers: { authorization: null } }],
  ['a forged token', 401, `GET ${lists}`, { headers: { authorization: 'Bearer e30.e30.c2ln' } }],
  ['no experimental header', 400, `GET ${lists}`, { headers: { 'X-Service-Experimental': null } }],
  ['another experimental value', 400, `GET ${lists}`, { headers: { 'X-Service-Experimental': 'True' } }],
  ['no Accept', 400, `GET ${lists}`, { headers: { accept: null } }],
  ['Accept anything', 400, 'GET /v2024/auth-profiles', { headers: { accept: '*/*' } }],
  ['Content-Type without a body', 400, `GET ${lists}`, { headers: { 'content-type': 'application/json' } }],
  ['a charset', 400, addSender, { body: sender, headers: { 'content-type': `${plain}; charset=utf-8` } }],
  ['plain JSON for a patch', 400, `PATCH ${sims}/x`, { body: [], headers: { 'content-type': plain } }],
  ['an unknown path', 404, 'GET /v2025/nothing'],
  ['a slash too many', 404, `GET ${lists}/`],
  ['another method', 405, 'DELETE /v2025/verified-domains'],
  ['broken percent-encoding', 400, 'GET /v2025/notification-preferences/%E0%A4%A'],
  ['an unknown parameter', 400, `GET ${lists}?sort=key`],
  ['count where it is not listed', 400, `GET ${lists}?count=true`],
  ['a parameter twice', 400, `GET ${lists}?limit=1&limit=2`],
  ['paging of a list without it', 400, 'GET /v2025/verified-domains?limit=100'],
  ['limit 0', 400, `GET ${lists}?limit=0`],
  ['limit above 250', 400, `GET ${lists}?limit=251`],
  ['a negative offset', 400, `GET ${lists}?offset=-1`],
  ['profiles above 500', 400, 'GET /api/profiles?limit=501'],
  ['an offset after the last record', 400, 'GET /api/users?offset=20'],
  ['an unknown attribute', 400, 'GET /api/profiles?colour=red'],
  ['order by an attribute it has not', 400, 'GET /api/users?order=shoe_size'],
  ['a field without filters', 400, `GET ${lists}?filters=${encodeURIComponent('name eq "x"')}`],
  ['an operator of another field', 400, `GET ${lists}?filters=${encodeURIComponent('locale in ("en")')}`],
  ['a sorter it has not', 400, 'GET /v2025/verified-from-addresses?sorters=id'],
  ['no JSON', 400, 'POST /v2025/verified-domains', { raw: '{' }],
  ['no UTF-8', 400, 'POST /v2025/verified-domains', { raw: Buffer.from([0x22, 0xff, 0x22]) }],
  ['a body over 5 MB', 413, 'POST /v2025/verified-domains', { raw: `"${'x'.repeat(5 * 1024 * 1024)}"` }],
  ['a body too deep', 400, 'POST /v2025/verified-domains', { raw: `${'['.repeat(5000)}${']'.repeat(5000)}` }],
  ['an unknown field', 400, write, { body: { ...template, colour: 'red' } }],
  ['__proto__', 400, write, { raw: '{"key":"invitation","medium":"EMAIL","locale":"en","__proto__":{}}' }],
  ['a key without a default', 400, write, { body: { ...template, key: 'invitations' } }],
  ['an id of another template', 400, write, { body: { ...template, id: 'x' } }],
  ['a day for a time', 400, write, { body: { ...template, created: '2026-01-15' } }],
  ['an unknown medium', 400, write, { body: { ...template, medium: 'FAX' } }],
  ['a number for text', 400, write, { body: { ...template, subject: 7 } }],
  ['a locale that is no language', 400, write, { body: { ...template, locale: 'English' } }],
  ['a list of no templates to delete', 400, `POST ${lists}/bulk-delete`, { body: [] }],
  ['no key to delete', 400, `POST ${lists}/bulk-delete`, { body: [{ medium: 'EMAIL', locale: 'en' }] }],
  ['an id of no template', 400, `GET ${lists}/nothing`],
  ['no e-mail address', 400, addSender, { body: { email: 'acme.example' } }],
  ['a known address', 400, addSender, { body: { email: 'IDENTITY@acme.example' } }],
  ['a member that a sender has not', 400, addSender, { body: { ...sender, region: 'us-east-1' } }],
  ['an id of no sender', 404, noSender],
  ['a body where none is said', 400, noSender, { raw: '{}', headers: { 'content-type': null } }],
  ['a known domain', 400, 'POST /v2025/verified-domains', { body: { domain: 'acme.example' } }],
  ['no domain', 400, 'POST /v2025/verified-domains', { body: { domain: 'a b' } }],
  ['MAIL FROM without id', 400, 'GET /v2025/mail-from-attributes/acme.example'],
  ['MAIL FROM of another id', 400, 'GET /v2025/mail-from-attributes/acme.example?id=other.example'],
  ['no MAIL FROM', 400, 'GET /v2025/mail-from-attributes/x.example?id=x.example'],
  ['a MAIL FROM elsewhere', 400, putMailFrom, mailFrom('acme.example', 'notacme.example')],
  ['a MAIL FROM of no address', 400, putMailFrom, mailFrom('a b@acme.example', 'mail.acme.example')],
  ['an unknown preference', 404, 'GET /v2025/notification-preferences/nothing'],
  ['a test of an unknown key', 404, sendTest, { body: { key: 'x', medium: 'EMAIL', context: '{}' } }],
  ['a test without a context', 400, sendTest, { body: { key: 'invitation', medium: 'EMAIL' } }],
  ['a test without JSON', 400, sendTest, { body: { key: 'invitation', medium: 'EMAIL', context: 'x' } }],
  ['an unknown auth profile', 404, 'GET /v2024/auth-profiles/nothing'],
  ['attributes as an object', 400, addSim, { body: { ...sim, attributes: {} } }],
  ['attributes without an object', 400, addSim, { body: { ...sim, attributes: '[]' } }],
  ['a local time', 400, addSim, { body: { ...sim, modified: '2026-01-15T08:00:00' } }],
  ['a rule without an id', 400, addSim, { body: { ...sim, beforeProvisioningRule: { name: 'x' } } }],
  ['a rule without a type', 400, addSim, { body: { ...sim, beforeProvisioningRule: { id: 'x' } } }],
  ['a taken name', 400, addSim, { body: { ...sim, name: 'Remedy' } }],
  ['fields of the answer', 400, addSim, { body: { ...sim, managedSources: [] } }],
  ['DELETE of a search', 405, 'DELETE /api/advanced_search/x'],
];

describe('what the documents do not allow is refused', () => {
  testRefusals(cases);

  test('the list and each operation take what the documents allow', async () => {
    const sandbox = await start();
    expect((await call(sandbox, `GET ${lists}?limit=250&offset=0`)).status).toBe(200);
    expect((await call(sandbox, addSender, { body: sender })).status).toBe(201);
    expect((await call(sandbox, write, { body: template })).status).toBe(200);
    // Only the other interface asks for one.
    expect((await call(sandbox, 'GET /api/users', { headers: { accept: null } })).status).toBe(200);
    expect((await call(sandbox, addSim, { body: sim })).status).toBe(200);
  });
});

describe('error bodies', () => {
  test('401 has error, 404 and 405 are ErrorResponseDto', async () => {
    const sandbox = await start();
    const unauthorised = await call(sandbox, `GET ${lists}`, { headers: { authorization: null } });
    expect(unauthorised.body).toEqual({ error: expect.any(String) });
    for (const line of ['GET /v2025/nothing', 'PUT /v2025/verified-domains']) {
      expect((await call(sandbox, line)).body).toEqual({
        detailCode: expect.any(String),
        trackingId: expect.stringMatching(/^[0-9a-f]{32}$/),
        messages: [{ locale: 'en-US', localeOrigin: 'DEFAULT', text: expect.any(String) }],
        causes: [],
      });
    }
  });
});

test('a seed with an unknown field is refused by name', async () => {
  const broken = fileURLToPath(new URL('../../package.json', import.meta.url));
  await expect(start({ seed: broken })).rejects.toThrow(/package\.json.*unknown fields: name/);
});

const deep = JSON.stringify({
  templateContext: { attributes: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) },
});
test.each([
  ['YAML', 'tenant: ours', null],
  ['JSON', '{"tenant": "ours"}', null],
  ['nothing that is nested too deep', deep, /seed\.yaml: it is nested too deep/],
  [
    'nothing with a tag, which would be taken for text',
    'tenant: !env NAME',
    /seed\.yaml: .*tag: !env at line 1/,
  ],
])('a seed may be %s', async (_, text, refusal) => {
  const { dir } = createTestFolder({ 'seed.yaml': text });
  const started = start({ seed: `${dir}/seed.yaml` });
  if (refusal) await expect(started).rejects.toThrow(refusal);
  else expect((await started).state.tenant).toBe('ours');
});
