import { describe, expect, test } from 'vitest';
import { type Answer, lostAnswer } from '../../src/client/answer.ts';
import { type Client, readOnce } from '../../src/client/client.ts';
import { allOrFailure } from '../../src/client/describe.ts';
import { readRows } from '../../src/client/pages.ts';
import { readState } from '../../src/client/read.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import { allOf, type ReadRequest, someOf } from '../../src/kinds/live-objects.ts';
import type { Request } from '../../src/model/documents.ts';
import { type Diagnostic, Failure, fail } from '../../src/model/failure.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { answerWith, codesOf, fakeClient, get } from './support.ts';

const numbered = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, at) => ({ id: `r${at}` }));

/** Rows from the offset of a request on. */
function pageOf<T>({ query }: Request, rows: readonly T[], size: number): T[] {
  const offset = Number(query.offset ?? 0);
  return rows.slice(offset, offset + size);
}

/** A list endpoint that pages as the documents say. */
const paged =
  (rows: readonly Json[], cap = 250) =>
  (request: Request): Answer =>
    answerWith(200, pageOf(request, rows, Math.min(Number(request.query.limit ?? cap), cap)));

const source = { what: 'rows', request: get('/v2025/rows'), pageSize: 250 };

describe('pages', () => {
  test.each([
    [0, 1],
    [1, 1],
    [249, 1],
    // Nobody knows how long the list is, so the page behind the second comes with it.
    [250, 3],
    [251, 3],
    [400, 3],
    [2100, 9],
  ])('%i rows come whole with %i requests', async (count, requests) => {
    const client = fakeClient(paged(numbered(count)));
    expect(await readRows(client, source)).toEqual(numbered(count));
    expect(client.asked).toHaveLength(requests);
  });

  test('a list in no fixed order is whole where its first page has as many rows as a limit may allow', async () => {
    const rows = numbered(20);
    let asked = 0;
    const turned = (request: Request) => {
      asked += 1;
      return paged([...rows.slice(asked), ...rows.slice(0, asked)])(request);
    };
    expect(new Set(await readRows(fakeClient(turned), source))).toEqual(new Set(rows));
    expect(asked).toBe(2);
  });

  test('the first page has no offset, later ones count records and begin with the last row', async () => {
    const client = fakeClient(paged(numbered(600)));
    await readRows(client, source);
    expect(client.asked).toEqual([
      '/v2025/rows?limit=250',
      '/v2025/rows?limit=250&offset=249',
      '/v2025/rows?limit=250&offset=498',
    ]);
  });

  test.each([
    [2, 2],
    [10, 10],
    [20, 10],
  ])(
    'a list is whole where each full page says that more follow: %i rows, %i at once',
    async (count, pageSize) => {
      const client = fakeClient((request) => {
        const rows = pageOf(request, numbered(count), pageSize);
        return answerWith(200, { rows, hasMore: rows.length === pageSize });
      });
      expect(await readRows(client, { ...source, pageSize })).toEqual(numbered(count));
    },
  );

  test('a list is whole with as many rows as the host says, whatever it links', async () => {
    const rows = numbered(3);
    const client = fakeClient(() =>
      answerWith(200, { rows, _metadata: { total: 3, next: '/v2025/rows?page=2' } }),
    );
    expect(await readRows(client, source)).toEqual(rows);
    expect(client.asked).toHaveLength(1);
  });

  test.each<[string, (at: number) => JsonObject]>([
    ['by a flag', () => ({ hasMore: true })],
    ['by a link', (at) => ({ next: `/v2025/rows?page=${at + 1}` })],
    ['by a total', () => ({ totalResults: 90 })],
  ])('only as many rows are read as are enough, where a host says %s that more follow', async (_, more) => {
    const client = fakeClient(({ query }) => {
      const at = Number(query.page ?? 0);
      return answerWith(200, { rows: numbered(90).slice(at * 3, at * 3 + 3), ...more(at) });
    });
    expect(await readRows(client, { ...source, enough: 3 })).toEqual(numbered(3));
    expect(client.asked).toHaveLength(1);
  });

  test('a host that gives fewer rows than asked for, and says how many there are, is read to the end', async () => {
    const client = fakeClient((request) =>
      answerWith(200, { rows: pageOf(request, numbered(70), 60), totalResults: 70 }),
    );
    expect(await readRows(client, source)).toEqual(numbered(70));
    expect(await codesOf(readRows(client, { ...source, pageSize: null }))).toEqual(['list-incomplete']);
  });

  test('pages of one row cannot overlap', async () => {
    const answer = (request: Request) =>
      answerWith(200, pageOf(request, numbered(3), 1), { 'x-total-count': '3' });
    expect(await readRows(fakeClient(answer), source)).toEqual(numbered(3));
  });

  test('pages of a counted list overlap', async () => {
    const rows = numbered(9);
    const client = fakeClient((request) =>
      answerWith(200, pageOf(request, rows, 4), { 'x-total-count': '9' }),
    );
    expect(await readRows(client, { ...source, pageSize: 4 })).toEqual(rows);
    expect(client.asked).toEqual([
      '/v2025/rows?limit=4',
      '/v2025/rows?limit=4&offset=3',
      '/v2025/rows?limit=4&offset=6',
    ]);
  });

  test('a list that declares no parameters is asked without any until a page is full', async () => {
    const client = fakeClient(paged(numbered(130), 100));
    const rows = await readRows(client, { ...source, pageSize: 100, undeclaredPaging: true });
    expect(rows).toEqual(numbered(130));
    expect(client.asked).toEqual(['/v2025/rows', '/v2025/rows?limit=100&offset=99']);
  });

  test('a list without paging is asked once and without a limit', async () => {
    const client = fakeClient(() => answerWith(200, numbered(300)));
    expect(await readRows(client, { ...source, pageSize: null })).toHaveLength(300);
    expect(client.asked).toEqual(['/v2025/rows']);
  });

  test.each([...Array(61).keys(), 100, 150, 200, 250, 251, 430])(
    'a host that knows no pages is read whole: %i rows',
    async (count) => {
      const client = fakeClient(() => answerWith(200, numbered(count)));
      expect(await readRows(client, source)).toEqual(numbered(count));
      expect(client.asked.length).toBeLessThan(5);
      expect(await readRows(client, { ...source, pageSize: 1 })).toEqual(numbered(count));
    },
  );

  test.each([10, 20, 25, 40, 50, 100, 150, 200])(
    'a host that gives %i at once is read to the end all the same',
    async (cap) => {
      expect(await readRows(fakeClient(paged(numbered(430), cap)), source)).toEqual(numbered(430));
    },
  );

  test.each([
    ['_metadata', (rows: Json[]): Answer => answerWith(200, { rows, _metadata: { total: 430 } })],
    ['X-Total-Count', (rows: Json[]): Answer => answerWith(200, rows, { 'x-total-count': '430' })],
  ])('with a total from %s nothing is asked beyond the end', async (_name, wrap) => {
    const client = fakeClient((request) => wrap(pageOf(request, numbered(430), 43)));
    expect(await readRows(client, source)).toEqual(numbered(430));
    expect(client.asked).toHaveLength(11);
    expect(client.asked.every((asked) => Number(/offset=(\d+)/.exec(asked)?.[1] ?? 0) < 430)).toBe(true);
  });

  test('a profile-management host is never asked beyond its last record', async () => {
    const rows = numbered(200);
    const client = fakeClient((request) => {
      return Number(request.query.offset ?? 0) >= rows.length ? answerWith(400) : paged(rows, 100)(request);
    });
    expect(await readRows(client, { what: 'rows', request: get('/api/rows'), pageSize: 100 })).toEqual(rows);
  });

  test.each<[string, string, (request: Request) => Answer]>([
    [
      'a host that keeps to the limit and ignores the offset',
      'page-repeats',
      ({ query }) => answerWith(200, numbered(600).slice(0, Number(query.limit ?? 600))),
    ],
    ['a row that comes twice', 'page-repeats', () => answerWith(200, [{ id: 'a' }, { id: 'a' }])],
    ['rows alike without an id', 'page-repeats', () => answerWith(200, [{ key: 'a' }, { key: 'a' }])],
    [
      'less than announced',
      'total-mismatch',
      ({ query }) => answerWith(200, query.offset ? [] : numbered(3), { 'x-total-count': '4' }),
    ],
    [
      'an announcement without end',
      'total-mismatch',
      () => answerWith(200, numbered(1), { 'x-total-count': '999999999' }),
    ],
    [
      'a count of the page in place of the list',
      'total-mismatch',
      (request) => {
        const rows = pageOf(request, numbered(300), 250);
        return answerWith(200, rows, { 'x-total-count': `${rows.length}` });
      },
    ],
    ['a list of work to be done', 'bad-answer', () => answerWith(202, [])],
    ['a list of several answers', 'bad-answer', () => answerWith(207, numbered(3))],
    [
      'more than announced, behind a full page',
      'total-mismatch',
      (request) => answerWith(200, pageOf(request, numbered(9), 3), { 'x-total-count': '5' }),
    ],
    [
      'rows on pages without end',
      'bad-answer',
      ({ query }) => {
        const at = Number(query.offset ?? 0);
        const rows = [0, 1].map((row) => ({ id: `r${at + row}` }));
        return answerWith(200, { rows, hasMore: true });
      },
    ],
    ['more than announced', 'total-mismatch', () => answerWith(200, numbered(3), { 'x-total-count': '2' })],
    ['an empty first page of many', 'total-mismatch', () => answerWith(200, [], { 'x-total-count': '9' })],
    [
      'an empty first page that says that more follow',
      'list-incomplete',
      () => answerWith(200, { rows: [], hasMore: true }),
    ],
    ['a row that is no object', 'bad-answer', () => answerWith(200, [{ id: 'a' }, 'b'])],
    ['an object without rows', 'bad-answer', () => answerWith(200, { items: [] })],
    ['nothing at all', 'bad-answer', () => answerWith(204)],
    ['a redirect', 'tenant-redirect', () => answerWith(302, null, { location: 'https://other.example/' })],
    ['no right', 'tenant-forbidden', () => answerWith(403)],
    ['not found', 'tenant-not-found', () => answerWith(404)],
    ['a server error', 'tenant-error', () => answerWith(500)],
    ['no answer', 'answer-lost', () => ({ outcome: 'lost', reason: 'timeout', detail: '' })],
    ['no connection', 'tenant-unreachable', () => ({ outcome: 'unsent', reason: 'unreachable', detail: '' })],
    ['a part of the list', 'bad-answer', () => answerWith(206, numbered(3))],
    [
      'a web page',
      'bad-answer',
      () => ({ outcome: 'answered', status: 200, headers: {}, body: null, text: '<html>' }),
    ],
  ])('%s is an error', async (_name, code, answer) =>
    expect(await codesOf(readRows(fakeClient(answer), source))).toEqual([code]),
  );

  test.each<[string, (rows: JsonObject[]) => void]>([
    ['loses one of its first rows', (rows) => rows.splice(5, 1)],
    ['loses the last row of the first page', (rows) => rows.splice(249, 1)],
    ['gets a row at its beginning', (rows) => rows.unshift({ id: 'new' })],
    ['moves a row to its beginning', (rows) => rows.unshift(...rows.splice(400, 1))],
    ['moves a row to its end', (rows) => rows.push(...rows.splice(5, 1))],
    ['loses all rows but one', (rows) => rows.splice(1)],
    ['loses so many rows that its last one is alone on its page', (rows) => rows.splice(0, 350)],
  ])('a list that %s while it is read is read again, and whole', async (_name, change) => {
    const rows = numbered(600);
    let isChanged = false;
    const client = fakeClient((request) => {
      if (request.query.offset !== undefined && !isChanged) {
        change(rows);
        isChanged = true;
      }
      return paged(rows)(request);
    });
    expect(await readRows(client, source)).toEqual(rows);
  });

  test('a list that ends before the next page, on a host that refuses such an offset, is read again', async () => {
    const rows = numbered(100);
    const client = fakeClient((request) => {
      if (request.query.offset !== undefined && rows.length === 100) rows.shift();
      return Number(request.query.offset ?? 0) >= rows.length ? answerWith(400) : paged(rows, 100)(request);
    });
    const collection = { what: 'rows', request: get('/api/rows'), pageSize: 100 };
    expect(await readRows(client, collection)).toEqual(rows);
    const always = fakeClient(({ query }) =>
      query.offset ? answerWith(400) : answerWith(200, numbered(100)),
    );
    expect(await readRows(always, collection).catch((reason: unknown) => reason)).toMatchObject({
      diagnostics: [{ code: 'list-changed', message: expect.stringMatching(/400/) }],
    });
  });

  test.each([
    ['', 300, 4],
    [', also where its last page is full', 500, 6],
  ])(
    'a counted list that keeps its length while one row goes and another comes is read again%s',
    async (_where, count, requests) => {
      const rows = numbered(count);
      let isChanged = false;
      const client = fakeClient((request) => {
        if (request.query.offset !== undefined && !isChanged) {
          rows.splice(5, 1);
          rows.push({ id: 'new' });
          isChanged = true;
        }
        return { ...paged(rows)(request), headers: { 'x-total-count': `${count}` } };
      });
      expect(await readRows(client, source)).toEqual(rows);
      expect(client.asked).toHaveLength(requests);
    },
  );

  test('a list whose total was about to change is read again', async () => {
    const totals = [3, 2];
    const client = fakeClient(({ query }) =>
      answerWith(200, { rows: query.offset ? [] : numbered(2), _metadata: { total: totals.shift() ?? 2 } }),
    );
    const collection = { what: 'rows', request: get('/api/rows'), pageSize: 100, member: 'rows' };
    expect(await readRows(client, collection)).toEqual(numbered(2));
  });

  test('an empty page is no repetition of the first one, where paging is not documented', async () => {
    const client = fakeClient(({ query }) => answerWith(200, query.offset ? [] : numbered(100)));
    const list = { what: 'rows', request: get('/api/rows'), pageSize: 100, undeclaredPaging: true };
    expect(await codesOf(readRows(client, list))).toEqual(['list-changed']);
  });

  test('a list that changes during every read is an error after four', async () => {
    const rows = numbered(600);
    const client = fakeClient((request) => {
      if (request.query.offset !== undefined) rows.shift();
      return paged(rows)(request);
    });
    expect(await codesOf(readRows(client, source))).toEqual(['list-changed']);
    expect(client.asked.filter((path) => !path.includes('offset'))).toHaveLength(4);
  });

  test('a list that is read again is not read from what is already known', async () => {
    const rows = numbered(600);
    let changes = 0;
    const client = fakeClient((request) => {
      if (request.query.offset !== undefined && changes < 1) {
        changes += 1;
        rows.shift();
      }
      return paged(rows)(request);
    });
    expect(await readRows(readOnce(client), source)).toEqual(rows);
  });

  const undeclared = { ...source, pageSize: 100, undeclaredPaging: true };

  test.each<[string, number, (request: Request) => Answer]>([
    ['refuses both', 100, ({ query }) => (query.limit ? answerWith(400) : answerWith(200, numbered(100)))],
    ['ignores limit and offset', 100, () => answerWith(200, numbered(100))],
    ['ignores them in a longer list', 130, () => answerWith(200, numbered(130))],
    ['ignores the offset alone', 130, ({ query }) => answerWith(200, numbered(Number(query.limit ?? 130)))],
  ])('where no paging is documented, a host that %s has given its whole list', async (_, count, answer) =>
    expect(await readRows(fakeClient(answer), undeclared)).toEqual(numbered(count)),
  );

  test('where no paging is documented, another error than a refusal stays one', async () => {
    const answer = ({ query }: Request) => (query.limit ? answerWith(500) : answerWith(200, numbered(100)));
    expect(await codesOf(readRows(fakeClient(answer), undeclared))).toEqual(['tenant-error']);
  });

  test('a later page that fails is an error', async () => {
    const rows = paged(numbered(600));
    const answer = (request: Request) => (request.query.offset === '498' ? answerWith(503) : rows(request));
    expect(await codesOf(readRows(fakeClient(answer), source))).toEqual(['tenant-error']);
  });
});

const template = (key: string, locale = 'en', more: JsonObject = {}): JsonObject => ({
  key,
  medium: 'EMAIL',
  locale,
  subject: key,
  ...more,
});
const wantedOf = (kind: string, keys: ReadRequest['keys'], more: Partial<ReadRequest> = {}): ReadRequest => ({
  kind: builtInKinds.get(kind),
  keys,
  ids: [],
  complete: false,
  ...more,
});
const templates = (keys: ReadRequest['keys'], more: Partial<ReadRequest> = {}) => [
  wantedOf('NotificationTemplate', keys, more),
];
/** A tenant from paths to answers; what it does not have is an error of the test. */
function tenantOf(answers: Readonly<Record<string, (request: Request) => Answer>>) {
  return fakeClient((request) => {
    const answer = answers[request.path];
    if (!answer) throw new Error(`unexpected ${request.path}`);
    return answer(request);
  });
}
const read = (client: ReturnType<typeof fakeClient>, wanted: readonly ReadRequest[]) =>
  readState(client, wanted);

test('for work that only reads, equal GETs are sent once, and anything else every time', async () => {
  const asked = fakeClient(() => answerWith(200, []));
  const client = readOnce(asked);
  const list = get('/v2025/rows');
  await Promise.all([client.send(list), client.send({ ...list, query: { limit: '1' } }), client.send(list)]);
  expect(asked.asked).toEqual(['/v2025/rows', '/v2025/rows?limit=1']);
  for (let count = 0; count < 2; count += 1) await client.send({ ...list, method: 'POST' });
  expect(asked.asked).toHaveLength(4);
});

describe('a tenant that does not answer', () => {
  const silent = lostAnswer('timeout', 'no answer');
  /** Answers what `settle` says, once it says so; other requests hang until they are given up. */
  function hanging() {
    const asked: string[] = [];
    const waiting = new Map<string, (answer: Answer) => void>();
    const client: Client = {
      ...fakeClient(() => silent),
      async send({ path }, { signal } = {}) {
        asked.push(path);
        const answer = await new Promise<Answer>((resolve) => {
          waiting.set(path, resolve);
          signal?.addEventListener('abort', () => resolve({ ...silent, reason: 'interrupted' }));
        });
        return { ...answer, attempts: 5, ms: 300_000, trackingId: null, repeated: false };
      },
    };
    return {
      asked,
      settle: (path: string, answer: Answer) => waiting.get(path)?.(answer),
      client: readOnce(client),
    };
  }

  test('is not waited for again after one read has been given up', async () => {
    const { asked, settle, client } = hanging();
    const reads = ['/v2025/a', '/v2025/b', '/v2025/c'].map((path) => client.send(get(path)));
    settle('/v2025/c', answerWith(200, []));
    expect(await reads[2]).toMatchObject({ outcome: 'answered' });
    settle('/v2025/b', silent);
    expect(await reads[1]).toMatchObject({ outcome: 'lost', reason: 'timeout' });
    const rest = {
      outcome: 'unsent',
      problems: [{ message: 'The other reads were given up: GET /v2025/b got no response in 5 attempts.' }],
    };
    expect(await reads[0]).toMatchObject(rest);
    expect(await client.send(get('/v2025/d'))).toMatchObject(rest);
    expect(await client.send(get('/v2025/c'))).toMatchObject({ outcome: 'answered' });
    expect(asked).not.toContain('/v2025/d');
  });

  test.each<[string, Answer]>([
    ['an error of the tenant', answerWith(500, null)],
    ['a connection that was cut', { ...silent, reason: 'reset' }],
    ['an interrupt', { ...silent, reason: 'interrupted' }],
  ])('is not what %s shows', async (_what, answer) => {
    const { settle, client } = hanging();
    const [first, second] = ['/v2025/a', '/v2025/b'].map((path) => client.send(get(path)));
    settle('/v2025/a', answer);
    expect(await first).toMatchObject(answer);
    settle('/v2025/b', answerWith(200, []));
    expect(await second).toMatchObject({ outcome: 'answered' });
  });

  test('is told in one error besides that of the read that was given up', async () => {
    const { asked, settle, client } = hanging();
    const mailFrom = someOf(builtInKinds.get('MailFrom'), [['a'], ['b']]);
    const others = ['SenderAddress', 'VerifiedDomain'].map((name) => allOf(builtInKinds.get(name)));
    const failed = readState(client, [mailFrom, ...others]).catch((error) => error);
    await expect.poll(() => asked).toHaveLength(4);
    settle('/v2025/mail-from-attributes/b', silent);
    expect((await failed).diagnostics.map(({ message }: Diagnostic) => message)).toEqual([
      'Reading MailFrom: GET /v2025/mail-from-attributes/b failed after 5 attempts: no answer.',
      'The other reads were given up: GET /v2025/mail-from-attributes/b got no response in 5 attempts.',
    ]);
  });
});

test('a fault of the program is never hidden behind a failure of the tenant', async () => {
  const bug = new TypeError('a bug');
  const failed = Promise.reject(fail('tenant-error', 'no'));
  const broken = Promise.reject(bug);
  await expect(allOrFailure([failed, broken])).rejects.toBe(bug);
  await expect(allOrFailure([broken, failed, Promise.resolve(1)])).rejects.toBe(bug);
  await expect(allOrFailure([Promise.resolve(1), failed])).rejects.toBeInstanceOf(Failure);
});

test('what ends every request is told once for each thing to do about it', async () => {
  const failing = ['Do this.', 'Do this.', 'Do that.'].map((hint, at) =>
    Promise.reject(fail('token-endpoint', `No ${at}.`, { hint })),
  );
  await expect(allOrFailure(failing)).rejects.toThrow(/^No 0.\nNo 2.$/);
});

describe('a tenant', () => {
  test('one template of many is found by one filtered request, whatever else the host gives', async () => {
    const rows = [
      template('a', 'en', { id: '1' }),
      template('a', 'de', { id: '2' }),
      template('b', 'en', { id: '3' }),
    ];
    const client = tenantOf({ '/v2025/notification-templates': () => answerWith(200, rows) });
    const state = await read(client, templates([['a', 'EMAIL', 'en']]));
    expect(state.objects.map(({ address }) => address)).toEqual(['NotificationTemplate/a/EMAIL/en']);
    expect(client.asked).toEqual(['/v2025/notification-templates?filters=key in ("a")&limit=250']);
  });

  test('what is declared says how many pages a filter is likely to find', async () => {
    const locales = Array.from({ length: 600 }, (_, at) => `l${at}`);
    const rows = locales.map((locale, at) => template('a', locale, { id: `${at}` }));
    const client = tenantOf({ '/v2025/notification-templates': paged(rows) });
    const state = await read(client, templates(locales.map((locale) => ['a', 'EMAIL', locale])));
    expect(state.objects).toHaveLength(600);
    expect(client.asked.map((path) => /offset=(\d+)/.exec(path)?.[1] ?? '0')).toEqual(['0', '498', '249']);
    expect(client.asked.every((path) => path.includes('filters'))).toBe(true);
  });

  test('what was just written is read by its own call, alone and by a known id', async () => {
    const own = '/v2025/notification-templates/1';
    const client = tenantOf({ [own]: () => answerWith(200, template('a', 'en', { id: '1' })) });
    const state = await read(client, templates([['a', 'EMAIL', 'en']], { ids: ['1'], written: true }));
    expect(state.objects.map(({ id }) => id)).toEqual(['1']);
    expect(client.asked).toEqual([own]);
  });

  test.each<[string, Answer]>([
    ['an error', answerWith(404)],
    ['another object', answerWith(200, template('b', 'en', { id: '1' }))],
    ['no object', answerWith(200, null)],
  ])('its own call proves nothing with %s: the list is asked', async (_what, answer) => {
    const client = tenantOf({
      '/v2025/notification-templates/1': () => answer,
      '/v2025/notification-templates': () => answerWith(200, [template('a', 'en', { id: '2' })]),
    });
    const state = await read(client, templates([['a', 'EMAIL', 'en']], { ids: ['1'], written: true }));
    expect(state.objects.map(({ id }) => id)).toEqual(['2']);
  });

  test('before a write an object is read the way it was planned from, whatever its id', async () => {
    const client = tenantOf({
      '/v2025/notification-templates': () => answerWith(200, [template('a', 'en', { id: '1' })]),
    });
    await read(client, templates([['a', 'EMAIL', 'en']], { ids: ['1'] }));
    expect(client.asked).toEqual(['/v2025/notification-templates?filters=key in ("a")&limit=250']);
  });

  test('defaults are read for what is not customised, and only then', async () => {
    const client = tenantOf({
      '/v2025/notification-templates': () => answerWith(200, [template('a', 'en', { id: '1' })]),
      '/v2025/notification-template-defaults': () => answerWith(200, [template('a'), template('b')]),
    });
    const state = await read(
      client,
      templates([
        ['a', 'EMAIL', 'en'],
        ['b', 'EMAIL', 'en'],
        ['c', 'EMAIL', 'en'],
      ]),
    );
    expect(state.objects.map(({ address }) => address)).toEqual(['NotificationTemplate/a/EMAIL/en']);
    expect(state.defaults.map(({ address }) => address)).toEqual(['NotificationTemplate/b/EMAIL/en']);
    expect(client.asked[1]).toBe('/v2025/notification-template-defaults?filters=key in ("b","c")&limit=250');
  });

  test('all pages are read when everything is wanted, or a filter would be too long', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => template(`key_${at}`, 'en', { id: `${at}` }));
    const client = tenantOf({ '/v2025/notification-templates': paged(rows) });
    expect((await read(client, templates([], { complete: true }))).objects).toHaveLength(300);
    const keys = rows.map(({ key }) => [String(key), 'EMAIL', 'en']);
    expect((await read(client, templates(keys))).objects).toHaveLength(300);
    expect(client.asked.some((path) => path.includes('filters'))).toBe(false);
    expect(client.asked).toHaveLength(5);
  });

  test('auth profiles: the list, then each', async () => {
    const client = tenantOf({
      '/v2024/auth-profiles': () =>
        answerWith(200, [
          { id: 'p1', tenant: 't' },
          { id: 'p2', tenant: 't' },
        ]),
      '/v2024/auth-profiles/p1': () => answerWith(200, { name: 'One', type: 'MFA' }),
      '/v2024/auth-profiles/p2': () => answerWith(200, { name: 'Two', type: 'MFA' }),
    });
    const state = await read(client, [wantedOf('AuthProfile', [['Two']])]);
    expect(state.objects).toMatchObject([{ key: ['Two'], id: 'p2' }]);
    const pinned = await read(client, [wantedOf('AuthProfile', [], { ids: ['p1'] })]);
    expect(pinned.objects).toMatchObject([{ key: ['One'], id: 'p1' }]);
  });

  test('an auth profile that vanished meanwhile, or has no readable id, is an error', async () => {
    const client = tenantOf({
      '/v2024/auth-profiles': () => answerWith(200, [{ id: 'p1' }]),
      '/v2024/auth-profiles/p1': () => answerWith(404),
    });
    const wanted = [wantedOf('AuthProfile', [['One']])];
    expect(await codesOf(read(client, wanted))).toEqual(['tenant-not-found']);
    const walking = tenantOf({ '/v2024/auth-profiles': () => answerWith(200, [{ id: '..' }]) });
    expect(await codesOf(read(walking, wanted))).toEqual(['unsafe-path-segment']);
  });

  test('"not configured" is what the kind says it is, and no web page', async () => {
    const wanted = [wantedOf('MailFrom', [['acme.example']])];
    const path = '/v2025/mail-from-attributes/acme.example';
    const absent = tenantOf({ [path]: () => answerWith(404, { detailCode: '404' }) });
    expect((await read(absent, wanted)).objects).toEqual([]);
    const page = tenantOf({
      [path]: () => ({ outcome: 'answered', status: 404, headers: {}, body: null, text: '<!DOCTYPE html>' }),
    });
    expect(await codesOf(read(page, wanted))).toEqual(['tenant-not-found']);
    const forbidden = tenantOf({ [path]: () => answerWith(403) });
    expect(await codesOf(read(forbidden, wanted))).toEqual(['tenant-forbidden']);
    expect((await read(tenantOf({ [path]: () => answerWith(200, {}) }), wanted)).objects).toEqual([]);
  });

  test.each([answerWith(200, { error: 'the backend is down' }), answerWith(202, {})])(
    'an answer that is a success by its status only is an error, and no object that is not configured: %#',
    async (answer) => {
      const mailFrom = tenantOf({ '/v2025/mail-from-attributes/acme.example': () => answer });
      expect(await codesOf(read(mailFrom, [wantedOf('MailFrom', [['acme.example']])]))).toEqual([
        'bad-answer',
      ]);
      const profiles = tenantOf({
        '/v2024/auth-profiles': () => answerWith(200, [{ id: '1' }]),
        '/v2024/auth-profiles/1': () => answer,
      });
      expect(await codesOf(read(profiles, [wantedOf('AuthProfile', [['One']])]))).toEqual(['bad-answer']);
    },
  );

  test('a whole list is asked for its length where the tenant counts it, a filtered one is not', async () => {
    const path = '/v2025/verified-from-addresses';
    const client = tenantOf({ [path]: () => answerWith(200, [{ id: '1', email: 'a@a.example' }]) });
    await read(client, [allOf(builtInKinds.get('SenderAddress'))]);
    await read(client, [wantedOf('SenderAddress', [['a@a.example']])]);
    expect(client.asked).toEqual([
      `${path}?count=true&limit=250`,
      `${path}?filters=email eq "a@a.example"&limit=250`,
    ]);
  });

  test('all kinds that fail are named, what holds for all is said once', async () => {
    const wanted = [wantedOf('SimIntegration', [['x']]), wantedOf('SenderAddress', [['a@b.example']])];
    for (const [status, problems] of [
      [403, 2],
      [401, 1],
    ] as const) {
      expect(
        await codesOf(
          read(
            fakeClient(() => answerWith(status)),
            wanted,
          ),
        ),
      ).toHaveLength(problems);
    }
  });
});

test('a row without its key is no absent object', async () => {
  const client = tenantOf({
    '/v2025/notification-templates': () => answerWith(200, [{ id: '1', medium: null, locale: 'en' }]),
  });
  await expect(read(client, templates([['a', 'EMAIL', 'en']]))).rejects.toThrow(
    'lists a row without a text in `key` (id 1).',
  );
});

describe('a host that has no records to list', () => {
  const profiles = { what: 'profiles', request: get('/api/profiles'), pageSize: 100 };
  const searches = { what: 'searches', request: get('/api/advanced_search'), pageSize: null };
  const said = (error: string, status = 400, more: JsonObject = {}) =>
    fakeClient(() => answerWith(status, { error, ...more }));

  test.each([
    ['no profiles found', profiles],
    ['No profiles found.', profiles],
    ['no user profiles found', profiles],
    ['no profile found', profiles],
    ['no records found', profiles],
    ['no advanced_search found', searches],
    ['no advanced searches found', searches],
    ['no profiles found', { ...searches, member: 'profiles' }],
    ['no classes found', { ...searches, member: 'classes' }],
    ['no box found', { ...searches, member: 'boxes' }],
  ])('may say %j', async (error, list) => {
    for (const status of [200, 400]) expect(await readRows(said(error, status), list)).toEqual([]);
  });

  test.each([
    ['another noun', said('no permission found')],
    ['a record that is needed', said('no profile type found')],
    ['more words', said('no profiles found because the index is being built')],
    ['words before it', said('there were no profiles found')],
    ['many words', said('no such and such and such profiles found')],
    ['no words', said('')],
    ['another status', said('no profiles found', 404)],
    ['a failure of the host', said('no profiles found', 500)],
    ['another shape', said('no profiles found', 400, { detailCode: '400.1' })],
    ['rows beside it', said('no profiles found', 200, { rows: [{ id: 1 }] })],
    ['another member', fakeClient(() => answerWith(400, { message: 'no profiles found' }))],
  ])('is not taken for one that says it with %s', (_what, client) =>
    expect(readRows(client, profiles)).rejects.toThrow(Failure),
  );

  test.each<[string, JsonObject]>([
    ['no rows', { profiles: [] }],
    ['null for its rows', { profiles: null }],
    ['some rows', { profiles: [{ id: '1' }] }],
  ])('is not believed with %s beside an error', async (_what, rows) => {
    for (const more of [{ error: 'the search timed out' }, { errors: [{ text: 'timed out' }] }]) {
      const client = fakeClient(() => answerWith(200, { ...rows, ...more }));
      await expect(readRows(client, profiles)).rejects.toThrow(Failure);
    }
    const client = fakeClient(() => answerWith(200, { ...rows, error: null, errors: [] }));
    expect(await readRows(client, profiles)).toEqual(rows.profiles ?? []);
  });

  test('may also show the empty list beside these words', async () =>
    expect(await readRows(said('no profiles found', 200, { profiles: [] }), profiles)).toEqual([]));

  test('a list that is empty when its second page is read has changed, and is read again', async () => {
    let asked = 0;
    const client = fakeClient(({ query }) => {
      asked += 1;
      if (query.offset === undefined && asked < 4) return answerWith(200, numbered(100));
      return answerWith(400, { error: 'no profiles found' });
    });
    expect(await readRows(client, profiles)).toEqual([]);
    expect(asked).toBe(4);
  });
});
