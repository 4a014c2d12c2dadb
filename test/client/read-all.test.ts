import { expect, it } from 'vitest';
import { readAll, readByIds } from '../../src/client/read.ts';
import { readTemplateContext, readVariables } from '../../src/client/template-variables.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import type { Json } from '../../src/model/json.ts';
import { contractSettings } from '../../src/model/settings.ts';
import { answerWith, fakeClient } from './support.ts';

const senders = '/v2025/verified-from-addresses';
const domains = '/v2025/verified-domains';
const mailFrom = '/v2025/mail-from-attributes';
const kinds = ['SenderAddress', 'VerifiedDomain', 'MailFrom'].map(builtInKinds.get);

/** A tenant with one sender and one domain, and a MAIL FROM domain for the identities given. */
function tenantWith(...identities: string[]) {
  return fakeClient(({ path }) => {
    if (path === senders) return answerWith(200, [{ id: '1', email: 'a@acme.example' }]);
    if (path === domains) return answerWith(200, [{ id: '2', domain: 'acme.example' }]);
    const identity = identities.find((name) => path === `${mailFrom}/${encodeURIComponent(name)}`);
    return identity === undefined
      ? answerWith(404)
      : answerWith(200, { identity, mailFromDomain: `mail.${identity}` });
  });
}
const readFrom = async (
  client: ReturnType<typeof tenantWith>,
  ...more: NonNullable<Parameters<typeof readAll>[2]>['declared'][]
) => (await readAll(client, kinds, more[0] ? { declared: more[0] } : {})).map(({ address }) => address);

it('everything is read once, with what other kinds suggest of a kind without a list', async () => {
  const client = tenantWith('acme.example');
  expect(await readFrom(client)).toEqual([
    'SenderAddress/a%40acme.example',
    'VerifiedDomain/acme.example',
    'MailFrom/acme.example',
  ]);
  const paths = client.asked.map((asked) => asked.replace(/\?.*/, ''));
  expect(paths.toSorted()).toEqual(
    [senders, domains, `${mailFrom}/acme.example`, `${mailFrom}/a%40acme.example`].toSorted(),
  );
});

it('what manifests declare of such a kind is read too, and once', async () => {
  const client = tenantWith('acme.example', 'other.example');
  const declared = [
    { kind: builtInKinds.get('MailFrom'), key: ['other.example'], id: null },
    { kind: builtInKinds.get('MailFrom'), key: ['acme.example'], id: null },
    { kind: builtInKinds.get('SenderAddress'), key: ['third.example'], id: null },
  ];
  const found = await readFrom(client, declared);
  expect(found).toContain('MailFrom/other.example');
  expect(client.asked.filter((asked) => asked.includes('mail-from'))).toHaveLength(3);
});

it.each([1, 2])('where none of %i kinds may be read, that is an error', async (count) => {
  const client = fakeClient(() => answerWith(403));
  const read = readAll(client, kinds.slice(0, count), { onRefused: () => {} });
  await expect(read).rejects.toThrow('403');
});

it('only the kinds asked for are returned', async () => {
  const only = await readAll(tenantWith('acme.example'), [builtInKinds.get('MailFrom')]);
  expect(only.map(({ address }) => address)).toEqual(['MailFrom/acme.example']);
});

it.each<[Json, Json]>([
  [{ attributes: { product: 'x' } }, { product: 'x' }],
  [{ attributes: null }, {}],
  [{}, {}],
])('the attributes for templates of %j', async (body, expected) => {
  const client = fakeClient(() => answerWith(200, body));
  expect(await readTemplateContext(client)).toEqual(expected);
  expect(client.asked).toEqual(['/v2025/notification-template-context']);
});

it.each([answerWith(200, []), answerWith(404), answerWith(206, {})])(
  'the attributes for templates cannot be read from %j',
  async (answer) => {
    const client = fakeClient(() => answer);
    await expect(readTemplateContext(client)).rejects.toThrow('the template context');
  },
);

it('a template that the tenant does not have has no variables; another failure is an error', async () => {
  const settings = { ...contractSettings, templateVariables: 'listed' } as const;
  const keys = ['en', 'de'].map((locale) => ['welcome', 'EMAIL', locale]);
  const read = (status: number) => {
    const client = fakeClient(() => answerWith(status, { templateVariables: [{ key: 'user' }] }));
    return { client, variables: readVariables({ ...client, settings }, keys) };
  };
  const { client, variables } = read(200);
  expect([...(await variables).values()].map(({ names }) => [...names])).toEqual([['user']]);
  expect(client.asked).toEqual(['/v2026/notification-template-variables/welcome/EMAIL']);
  expect(await read(404).variables).toEqual(new Map());
  await expect(read(403).variables).rejects.toThrow('the variables of a template');
});

it('a host that lists no variables is not asked for any', async () => {
  const client = fakeClient(() => answerWith(403));
  expect(await readVariables(client, [['welcome', 'EMAIL', 'en']])).toEqual(new Map());
  expect(client.asked).toEqual([]);
});

it('a few objects are read by their ids and keys where the whole list takes more requests', async () => {
  const template = { id: '7', key: 'a', medium: 'EMAIL', locale: 'en' };
  const read = async (total: number) => {
    const client = fakeClient(({ path, query }) => {
      if (path.endsWith('/7')) return answerWith(200, template);
      return answerWith(200, [template], { 'x-total-count': query.filters === undefined ? `${total}` : '1' });
    });
    const found = await readByIds(client, builtInKinds.get('NotificationTemplate'), ['7']);
    return [found?.map(({ id }) => id) ?? null, client.asked.length];
  };
  expect(await read(750)).toEqual([null, 1]);
  expect(await read(751)).toEqual([['7'], 3]);
});
