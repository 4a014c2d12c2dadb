import { describe, expect, it, test } from 'vitest';
import type { Answer } from '../../src/client/answer.ts';
import { type Client, readAgain } from '../../src/client/client.ts';
import { readRows } from '../../src/client/pages.ts';
import {
  readAll,
  readByIds,
  readDefaults,
  readListRows,
  readObjects,
  readObjectsAndOthers,
} from '../../src/client/read.ts';
import { readTemplateContext, readVariables } from '../../src/client/template-variables.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import { allOf, type ReadRequest, someOf } from '../../src/kinds/live-objects.ts';
import { undeclared } from '../../src/kinds/resource.ts';
import { formatAddress } from '../../src/model/address.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { answers, resource } from '../support/plan.ts';
import { answerWith, fakeClient, get, problemsOf, sent } from './support.ts';

/** Which objects of a kind a read gives, which it leaves to others, and what it says where one cannot be used. */

const readKind = (client: Client, request: ReadRequest) => readObjectsAndOthers(client, [request]);

const wanted = (kind: string, more: Partial<ReadRequest> = {}): ReadRequest => ({
  kind: builtInKinds.get(kind),
  keys: [],
  ids: [],
  complete: false,
  ...more,
});
const tenantOf = (answers: Readonly<Record<string, Answer>>) =>
  fakeClient(({ path }) => answers[path] ?? answerWith(404));

describe('a list', () => {
  const path = '/v2024/sim-integrations';
  const row = (id: string, name: string): JsonObject => ({ id, name, type: 'T' });
  const rows = [row('1', 'Desk'), row('2', 'Jira'), row('3', 'Jira'), row('4', 'Snow')];
  const tenant = () => tenantOf({ [path]: answerWith(200, rows) });
  const keysOf = (objects: readonly { readonly key: readonly string[] }[]) =>
    objects.map(({ key }) => key[0]);

  test('is not asked for where nothing is wanted', async () => {
    const client = tenant();
    expect(await readKind(client, wanted('SimIntegration'))).toEqual({ objects: [], others: [] });
    expect(client.asked).toEqual([]);
  });

  test('gives what was wanted, by name or id, and the others apart', async () => {
    const both = wanted('SimIntegration', { keys: [['Desk']], ids: ['4'] });
    const { objects, others } = await readObjectsAndOthers(tenant(), [both]);
    expect([keysOf(objects), keysOf(others)]).toEqual([
      ['Desk', 'Snow'],
      ['Jira', 'Jira'],
    ]);
    const byId = await readKind(tenant(), wanted('SimIntegration', { ids: ['4'] }));
    expect(keysOf(byId.objects)).toEqual(['Snow']);
    const all = await readKind(tenant(), wanted('SimIntegration', { complete: true }));
    expect([all.objects.length, all.others]).toEqual([4, []]);
  });

  test('refuses two of a name where a manifest means them, unless they are only referred to', async () => {
    const jira = { keys: [['Jira']], ids: [] };
    const [problem] = await problemsOf(readKind(tenant(), wanted('SimIntegration', jira)));
    expect(problem).toMatchObject({ code: 'duplicate-live-key' });
    const referred = wanted('SimIntegration', { ...jira, allowsDuplicates: [['Jira']] });
    expect(keysOf((await readKind(tenant(), referred)).objects)).toEqual(['Jira', 'Jira']);
    const other = wanted('SimIntegration', { ...jira, allowsDuplicates: [['Desk']] });
    expect(await problemsOf(readKind(tenant(), other))).toHaveLength(1);
  });

  test('is read after a write where more than one object was written', async () => {
    const client = tenant();
    const two = { keys: [['Desk'], ['Snow']], ids: ['1'], written: true };
    await readKind(client, wanted('SimIntegration', two));
    await readKind(client, wanted('SimIntegration', { keys: [['Desk']], ids: ['1', '4'], written: true }));
    await readKind(client, wanted('SimIntegration', { ids: ['1'], written: true }));
    expect(client.asked).toEqual([path, path, path]);
  });
});

describe('rows as the tenant has them', () => {
  const domains = [{ address: 'a.example' }, { address: 'b@a.example' }];

  test('are those of the kind', async () => {
    const client = fakeClient(() => answerWith(200, domains));
    expect(await readListRows(client, builtInKinds.get('VerifiedDomain'))).toEqual([
      { address: 'a.example' },
    ]);
  });

  test('are none of a kind that has no list', async () => {
    const client = fakeClient(() => answerWith(500));
    expect(await readListRows(client, builtInKinds.get('MailFrom'))).toEqual([]);
    expect(client.asked).toEqual([]);
  });
});

describe('defaults', () => {
  const template = (key: string) => ({ key, medium: 'EMAIL', locale: 'en' });
  const client = () => fakeClient(() => answerWith(200, [template('a'), template('b')]));
  const read = (kind: string, more: Partial<ReadRequest> = {}) =>
    readDefaults(client(), [wanted(kind, more)]);

  test('are read for keys, or all of them, where a kind has some', async () => {
    expect(await read('NotificationTemplate')).toEqual([]);
    expect(await read('SimIntegration', { complete: true })).toEqual([]);
    const some = await read('NotificationTemplate', { keys: [['a', 'SLACK', 'de']] });
    expect(some.map(({ key }) => key[0])).toEqual(['a']);
    const all = await read('NotificationTemplate', { complete: true });
    expect(all.map(({ key }) => key[0])).toEqual(['a', 'b']);
  });

  test('of one key are refused where a manifest means them: a template could get the wrong one', async () => {
    const two = fakeClient(() => answerWith(200, [template('a'), { ...template('a'), subject: 'x' }]));
    const asked = wanted('NotificationTemplate', { keys: [['a', 'EMAIL', 'en']] });
    const [problem] = await problemsOf(readDefaults(two, [asked]));
    expect(problem).toMatchObject({ code: 'duplicate-live-key' });
    expect(await readDefaults(two, [{ ...asked, complete: true }])).toHaveLength(2);
  });
});

describe('an object that is asked for by its key', () => {
  const path = (key: string) => `/v2025/notification-preferences/${key}`;
  const keys = [['a'], ['b']];
  const good = answerWith(200, { key: 'b', mediums: ['EMAIL'] });
  const tenant = (answer: Answer) => tenantOf({ [path('a')]: answer, [path('b')]: good });
  const stranger = answerWith(200, { key: 'c', mediums: [] });

  test.each<[string, Answer, RegExp]>([
    ['refused', answerWith(400, { error: 'no such key' }), /no such key/],
    [
      'returned another one',
      stranger,
      /^Reading NotificationPreference\/a: GET .* returned another NotificationPreference\.$/,
    ],
  ])('is told alone where it is %s', async (_, answer, words) => {
    const told: [string, string][] = [];
    const request = wanted('NotificationPreference', {
      keys,
      onUnusable: ({ kind, key }, why) => told.push([formatAddress(kind.name, key), why]),
    });
    expect((await readKind(tenant(answer), request)).objects.map(({ key }) => key[0])).toEqual(['b']);
    expect(told).toEqual([['NotificationPreference/a', expect.stringMatching(words)]]);
  });

  test.each<[string, Answer, string]>([
    ['refused', answerWith(400), 'tenant-bad-request'],
    ['returned another one', stranger, 'other-object'],
  ])('ends a run that needs it where it is %s, with its address and what to do', async (_, answer, code) => {
    const problems = await problemsOf(readKind(tenant(answer), wanted('NotificationPreference', { keys })));
    expect(problems).toMatchObject([
      {
        code,
        address: 'NotificationPreference/a',
        hint: expect.stringMatching(/leave it out with `--except`/),
      },
    ]);
  });

  test('ends any run where the tenant fails', async () => {
    const onUnusable = () => {
      throw new Error('It was told as one that cannot be used.');
    };
    for (const status of [401, 403, 500]) {
      const work = readKind(
        tenant(answerWith(status)),
        wanted('NotificationPreference', { keys, onUnusable }),
      );
      expect(await problemsOf(work)).toHaveLength(1);
    }
  });

  test('is left out where there is none', async () => {
    const { objects } = await readKind(
      tenant(answerWith(404, { detailCode: '404' })),
      wanted('NotificationPreference', { keys }),
    );
    expect(objects.map(({ key }) => key[0])).toEqual(['b']);
  });
});

describe('a read', () => {
  test('says which row comes twice, and how many were announced', async () => {
    const source = { what: 'Role', request: get('/v2025/roles'), pageSize: null };
    const told = async (rows: JsonObject[], headers: Record<string, string> = {}) => {
      const client = fakeClient(() => answerWith(200, rows, headers));
      return (await problemsOf(readRows(client, source)))[0]?.message;
    };
    expect(await told([{ id: 'a' }, { id: 'a' }])).toBe(
      'Reading Role: GET /v2025/roles lists the row with id a twice.',
    );
    expect(await told([{ name: 'a' }, { name: 'a' }])).toBe(
      'Reading Role: GET /v2025/roles lists the same row twice.',
    );
    expect(await told([{ id: 'a' }], { 'x-total-count': '3' })).toBe(
      'Reading Role: GET /v2025/roles announced 3 rows and returned 1.',
    );
  });

  test('that has to be of now asks again, whatever is known', async () => {
    const asked: unknown[] = [];
    const client = fakeClient(() => answerWith(200, []));
    const send: typeof client.send = async (_request, options) => {
      asked.push(options);
      return sent(answerWith(200, []));
    };
    const again = readAgain({ ...client, send, redact: (text) => `[${text}]` });
    const { signal } = new AbortController();
    await again.send(get('/v2025/x'), { signal });
    await again.send(get('/v2025/x'));
    expect(asked).toEqual([{ signal, again: true }, { again: true }]);
    expect([again.redact('x'), again.tenant]).toEqual(['[x]', client.tenant]);
  });

  test('of several kinds gives the objects of all', async () => {
    const client = tenantOf({
      '/v2024/sim-integrations': answerWith(200, [{ id: '1', name: 'Desk', type: 'T' }]),
      '/v2025/mail-from-attributes/a.example': answerWith(200, {
        identity: 'a.example',
        mailFromDomain: 'm',
      }),
    });
    const objects = await readObjects(client, [
      wanted('SimIntegration', { complete: true }),
      wanted('MailFrom', { keys: [['a.example']] }),
    ]);
    expect(objects.map(({ address }) => address)).toEqual(['SimIntegration/Desk', 'MailFrom/a.example']);
  });
});

/** How objects of a tenant that share a key are known, and what is said of them. */

const integrations = builtInKinds.get('SimIntegration');
const templates = builtInKinds.get('NotificationTemplate');
const integration = (id: string | null, name: string) => ({ id, name, type: `of ${id}` });
const lists = (rows: readonly object[]) =>
  fakeClient(() =>
    answerWith(
      200,
      rows.map((row) => ({ ...row })),
    ),
  );

describe('objects that share a key', () => {
  const given = [
    answers.template('a', {}, '1'),
    answers.template('b', {}, '2'),
    answers.template('a', {}, null),
    answers.template('c', {}, '3'),
    answers.template('b', {}, '4'),
  ].map(({ raw }) => raw);
  const keys = (...names: string[]) => names.map((name) => [name, 'EMAIL', 'en']);

  test('are named where a manifest means them, with their ids and what to do', async () => {
    const read = readObjects(lists(given), [someOf(templates, keys('a', 'b', 'c'))]);
    await expect(read).rejects.toMatchObject({
      diagnostics: [
        {
          code: 'duplicate-live-key',
          severity: 'error',
          message:
            'The tenant has 2 objects of kind NotificationTemplate with the key "a/EMAIL/en": ids 1, no id.',
          hint: 'Rename or delete all but one of them in the tenant.',
          address: 'NotificationTemplate/a/EMAIL/en',
        },
        { message: expect.stringContaining('ids 2, 4') },
      ],
    });
  });

  test('are no problem where no manifest means them', async () => {
    expect(await readObjects(lists(given), [someOf(templates, keys('c'))])).toHaveLength(1);
    expect(await readObjects(lists(given), [allOf(templates)])).toHaveLength(5);
  });
});

/** What a manifest means: by name, by the id alone, or in a reference. */
interface Meant {
  readonly keys?: readonly string[];
  readonly ids?: readonly string[];
  readonly referred?: readonly string[];
}

describe('objects that share a name', () => {
  const keysOf = async (objects: readonly object[], { keys = [], ids = [], referred = [] }: Meant = {}) => {
    const all = [...keys, ...ids, ...referred].map((key) => [key]);
    const allowsDuplicates = referred.map((key) => [key]);
    const request = { ...allOf(integrations), keys: all, ids, idsAsNames: ids, allowsDuplicates };
    return (await readObjects(lists(objects), [request])).map(({ key, address, identity }) => {
      expect([address, identity]).toEqual(Array(2).fill(resource(integrations, key).address));
      return key[0];
    });
  };
  const twins = [integration('p1', 'All'), integration('p2', 'All')];
  const alone = integration('p3', 'Alone');

  test('are known by their ids, and others by their names', async () => {
    expect(await keysOf([...twins, alone])).toEqual(['p1', 'p2', 'Alone']);
    expect(await keysOf([...twins, alone], { keys: ['Alone', 'other'] })).toEqual(['p1', 'p2', 'Alone']);
  });

  test('are refused where a manifest means the name, and can be declared by their ids', async () => {
    const hint =
      'Rename or delete all but one of them in the tenant. Or declare each by its `id` alone, without the name.';
    await expect(keysOf([...twins, alone], { keys: ['All'] })).rejects.toMatchObject({
      diagnostics: [{ hint, address: 'SimIntegration/All' }],
    });
  });

  test('are known by the id that a manifest means, also where nobody shares the name', async () => {
    expect(await keysOf([...twins, alone], { ids: ['p3'] })).toEqual(['p1', 'p2', 'p3']);
    expect(await keysOf([...twins, alone], { keys: ['All'], ids: ['p2'] })).toEqual(['All', 'p2', 'Alone']);
  });

  test('are known by the id that a reference has, unless an object has it as its name', async () => {
    expect(await keysOf([alone], { referred: ['p3'] })).toEqual(['p3']);
    expect(await keysOf([alone, integration('p9', 'p3')], { referred: ['p3'] })).toEqual(['Alone', 'p3']);
    // A manifest declares it by its name: known by its id, it would look absent, and be created again.
    expect(await keysOf([alone], { keys: ['Alone'], referred: ['p3'] })).toEqual(['Alone']);
  });

  test('are among those asked for where a reference has their id', async () => {
    const referred = { ...someOf(integrations, [['p3']]), allowsDuplicates: [['p3']] };
    const found = await readObjects(lists([...twins, alone]), [referred]);
    expect(found).toMatchObject([{ key: ['p3'], shownKey: ['Alone'] }]);
    expect(await readObjects(lists([...twins, alone]), [someOf(integrations, [['p3']])])).toEqual([]);
  });

  test('keep it where a manifest has their id as a name, or they have no id', async () => {
    expect(await keysOf([alone], { keys: ['p3'] })).toEqual(['Alone']);
    const nameless = [integration(null, 'a'), { ...integration(null, 'a'), type: 'other' }];
    expect(await keysOf(nameless)).toEqual(['a', 'a']);
  });
});

const senders = '/v2025/verified-from-addresses';
const domains = '/v2025/verified-domains';
const mailFrom = '/v2025/mail-from-attributes';
const kinds = ['SenderAddress', 'VerifiedDomain', 'MailFrom'].map(builtInKinds.get);

/** A tenant with one sender and one domain, and a MAIL FROM domain for the identities given. */
const tenantWith = (...identities: string[]) =>
  fakeClient(({ path }) => {
    if (path === senders) return answerWith(200, [{ id: '1', email: 'a@acme.example' }]);
    if (path === domains) return answerWith(200, [{ id: '2', domain: 'acme.example' }]);
    const identity = identities.find((name) => path === `${mailFrom}/${encodeURIComponent(name)}`);
    return identity === undefined
      ? answerWith(404)
      : answerWith(200, { identity, mailFromDomain: `mail.${identity}` });
  });
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
  expect(client.asked.map((asked) => asked.replace(/\?.*/, '')).toSorted()).toEqual(
    [senders, domains, `${mailFrom}/acme.example`, `${mailFrom}/a%40acme.example`].toSorted(),
  );
});

it('what manifests declare of such a kind is read too, and once', async () => {
  const client = tenantWith('acme.example', 'other.example');
  const declared = [
    undeclared(builtInKinds.get('MailFrom'), ['other.example']),
    undeclared(builtInKinds.get('MailFrom'), ['acme.example']),
    undeclared(builtInKinds.get('SenderAddress'), ['third.example']),
  ];
  expect(await readFrom(client, declared)).toContain('MailFrom/other.example');
  expect(client.asked.filter((asked) => asked.includes('mail-from'))).toHaveLength(3);
});

it.each([1, 2])('where none of %i kinds may be read, that is an error', async (count) => {
  const read = readAll(
    fakeClient(() => answerWith(403)),
    kinds.slice(0, count),
    { onRefused: () => {} },
  );
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
    await expect(readTemplateContext(fakeClient(() => answer))).rejects.toThrow('the template context');
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
