/** Which objects of a kind a read gives, which it leaves to others, and what it says where one cannot be used. */
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../src/client/answer.ts';
import type { Client } from '../../src/client/client.ts';
import { readRows } from '../../src/client/pages.ts';
import { readDefaults, readListRows, readObjects, readObjectsAndOthers } from '../../src/client/read.ts';
import { readAgain } from '../../src/client/read-once.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import type { ReadRequest } from '../../src/kinds/read-request.ts';
import { formatAddress } from '../../src/model/address.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { answerWith, fakeClient, get, problemsOf, sent } from './support.ts';

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
    const all = { ...asked, complete: true };
    expect(await readDefaults(two, [all])).toHaveLength(2);
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
    const { objects } = await readKind(tenant(answer), request);
    expect(objects.map(({ key }) => key[0])).toEqual(['b']);
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
