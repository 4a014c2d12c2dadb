import { describe, expect, it } from 'vitest';
import { type Answer, lostAnswer, unsentAnswer } from '../../src/client/answer.ts';
import { readFirstPage, readRows } from '../../src/client/pages.ts';
import { readState } from '../../src/client/read.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { apiRequest, resourceAt } from '../../src/kinds/http.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import { someOf } from '../../src/kinds/live-objects.ts';
import { onFailure } from '../../src/model/failure.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { descriptorFrom } from '../support/descriptor.ts';
import { answerWith, fakeClient, get, sent } from './support.ts';

/**
 * What an answer to a read is: rows, nothing, or no list. A failed read is never taken for an empty list. And whether
 * it promises more rows than it has.
 */

const path = '/api/profiles';

/** The page in an answer; `null` for a failed read. */
const pageOf = (answer: Answer, member?: string) =>
  readFirstPage(
    fakeClient(() => answer),
    { what: 'profiles', request: get(path), pageSize: null, ...(member && { member }) },
  ).catch(onFailure(() => null));

const pageIn = (body: Json, headers: Record<string, string> = {}, status = 200) =>
  pageOf(answerWith(status, body, headers));

describe('rows', () => {
  it.each<[string, Json]>([
    ['in a bare list', [{ id: 1 }]],
    ['below the last word of the path', { profiles: [{ id: 1 }] }],
  ])('are found %s', async (_, body) => expect((await pageIn(body))?.rows).toEqual([{ id: 1 }]));

  it('are found below the member that a kind names', async () => {
    const body = { profiles: [{ id: 1 }], advanced_search: [{ id: 2 }] };
    expect((await pageOf(answerWith(200, body), 'advanced_search'))?.rows).toEqual([{ id: 2 }]);
  });

  it.each<[string, Json]>([
    ['no such member', { rows: [] }],
    ['a member that is no list', { profiles: {} }],
    ['a row that is no object', [{ id: 1 }, 'x']],
    ['a row that is a list', [[]]],
    ['null', null],
    ['a text', 'profiles'],
  ])('are not guessed where there is %s', async (_, body) => expect(await pageIn(body)).toBeNull());

  it('are none where a list with a name is null', async () =>
    expect(await pageIn({ profiles: null })).toMatchObject({ rows: [], names: [], total: null }));

  it.each([201, 204, 206, 302, 400, 404, 500])('are not those of an answer with status %i', async (status) =>
    expect((await pageIn([{ id: 1 }], {}, status))?.rows ?? null).toEqual(
      [201, 204].includes(status) ? [{ id: 1 }] : null,
    ),
  );

  it('are not those of an answer that did not come', async () => {
    expect(await pageOf(lostAnswer('reset', 'x'))).toBeNull();
    expect(await pageOf(unsentAnswer('unreachable', 'x'))).toBeNull();
  });

  it('are told apart by their ids, or else by all that they hold', async () => {
    const page = await pageIn([{ id: 'a', v: 1 }, { id: 7 }, { v: 1 }, { v: 2 }, { id: null }, { id: {} }]);
    const names = page?.names ?? [];
    expect(names.slice(0, 2)).toEqual(['a', '7']);
    for (const name of names.slice(2)) expect(name).toMatch(/^sha256:/);
    expect(new Set(names).size).toBe(6);
    expect((await pageIn([{ v: 1, w: 2 }]))?.names).toEqual((await pageIn([{ w: 2, v: 1 }]))?.names);
  });
});

describe('the length of the whole list', () =>
  it.each<[string, Json, Record<string, string>, number | null]>([
    ['the metadata', { profiles: [], _metadata: { total: 12 } }, {}, 12],
    ['the metadata of an empty list', { profiles: [], _metadata: { total: 0 } }, {}, 0],
    ['metadata before the header', { profiles: [], _metadata: { total: 12 } }, { 'x-total-count': '9' }, 12],
    ['the header', [], { 'x-total-count': '9' }, 9],
    ['the header with blanks', [], { 'x-total-count': ' 9 ' }, 9],
    [
      'the header where the metadata makes no sense',
      { profiles: [], _metadata: { total: -1 } },
      { 'x-total-count': '9' },
      9,
    ],
    ['nothing', [], {}, null],
    ['no text', { profiles: [], _metadata: { total: '12' } }, {}, null],
    ['no fraction', { profiles: [], _metadata: { total: 1.5 } }, {}, null],
    ['no list', { profiles: [], _metadata: [12] }, {}, null],
    ['no header with more than a number', [], { 'x-total-count': 'of 9' }, null],
    ['no header that begins with a number', [], { 'x-total-count': '9 of 10' }, null],
    ['no header that is negative', [], { 'x-total-count': '-9' }, null],
    ['no header without end', [], { 'x-total-count': '1'.repeat(10) }, null],
  ])('is said by %s', async (_, body, headers, total) =>
    expect((await pageIn(body, headers))?.total).toBe(total),
  ));

describe('further rows', () => {
  const promisedBy = async (beside: JsonObject, headers = {}) =>
    (await pageIn({ profiles: [], ...beside }, headers))?.promised;

  it.each<[JsonObject]>([
    [{ _metadata: { limit: 100, offset: 0, next: '/api/profiles?limit=100&offset=100' } }],
    [{ next: '/v1/rooms?page=2' }],
    [{ '@odata.nextLink': 'https://host.example/v1/rooms?after=x' }],
    [{ _links: { next: { href: '?after=x' } } }],
    [{ hasMore: true }],
    [{ pageInfo: { hasNextPage: true } }],
    [{ response_metadata: { next_cursor: 'abc' } }],
  ])('are promised by %j', async (beside) => expect(await promisedBy(beside)).toBe(Number.POSITIVE_INFINITY));

  it('are promised by a link in the headers', async () => {
    const link = '<?page=1>; rel="first", <?page=2>; rel="next"';
    expect(await promisedBy({}, { link })).toBe(Number.POSITIVE_INFINITY);
    expect(await promisedBy({}, { link: '<?page=9>; rel="last"' })).toBe(0);
  });

  it.each<[JsonObject]>([
    [{ totalResults: 7 }],
    [{ total_count: 7 }],
    [{ page: { totalElements: 7, totalPages: 2 } }],
  ])('are counted by %j', async (beside) => expect(await promisedBy(beside)).toBe(7));

  it.each<[JsonObject]>([
    [{ _metadata: { limit: 100, offset: 0, total: null, next: null } }],
    [{ next: '', hasMore: false, nextPageToken: null }],
    [{ next: [], more: [true] }],
    [{ total: '9', total_pages: 4 }],
    [{ others: [{ next: '/v1/rooms?page=2', hasMore: true, total: 9 }] }],
  ])('are not promised by %j', async (beside) => expect(await promisedBy(beside)).toBe(0));
});

/** Lists that say nothing of their length: pages are read concurrently, the more of them the longer the list is likely to be. */

const pageSize = 4;
const rowsOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({ id: `r${from + at}` }));
const request = apiRequest('GET', resourceAt('Row', 'identity', '/v2025/rows'), contractSettings);

type Answerer = (offset: number, limit: number, asked: number) => readonly Json[] | 'refused';

const pagesOf =
  (list: readonly Json[]): Answerer =>
  (offset, limit) =>
    list.slice(offset, offset + limit);

/** Reads a list that is expected to have so many rows, and returns the offsets of each round: of what was asked at once. */
async function read(answer: Answerer, expected: number) {
  const rounds: number[][] = [];
  let isOpen = false;
  let asked = 0;
  const client = {
    ...fakeClient(() => answerWith(500)),
    send: async ({ query }: typeof request) => {
      const offset = Number(query.offset ?? 0);
      if (isOpen) rounds.at(-1)?.push(offset);
      else rounds.push([offset]);
      isOpen = true;
      await new Promise((resolve) => setImmediate(resolve));
      isOpen = false;
      const rows = answer(offset, Number(query.limit), asked);
      asked += 1;
      return sent(rows === 'refused' ? answerWith(400, { error: 'bad offset' }) : answerWith(200, rows));
    },
  };
  const rows = await readRows(client, { what: 'rows', request, pageSize, expected });
  return { ids: rows.map(({ id }) => id), rounds, offsets: rounds.flat().toSorted((a, b) => a - b) };
}

/** The offsets of a list that is read page by page, until one is not full. */
function offsetsInTurn(count: number): number[] {
  const pages = 1 + Math.floor((count - 1) / (pageSize - 1));
  return Array.from({ length: Math.max(1, pages) }, (_, at) => at * (pageSize - 1));
}

const idsOf = (count: number) => rowsOf(count).map(({ id }) => id);

it.each([5, 6, 7, 8, 12, 40])('reads %i rows, as many as expected, in two rounds', async (count) => {
  const { ids, rounds, offsets } = await read(pagesOf(rowsOf(count)), count);
  expect(ids).toEqual(idsOf(count));
  expect(rounds[0]).toHaveLength(2);
  // A last page that is full is no end by itself, however the list is read.
  expect(offsets).toEqual(offsetsInTurn(count));
  expect(rounds.length).toBeLessThanOrEqual(3);
});

it.each([0, 1, 3, 4, 5, 11, 20])('asks for one page more where there are %i rows of 40', async (count) => {
  const { ids, offsets } = await read(pagesOf(rowsOf(count)), 40);
  expect(ids).toEqual(idsOf(count));
  expect(offsets.length).toBe(offsetsInTurn(count).length + 1);
});

it('reads on where there are more rows than expected', async () => {
  const { ids, rounds } = await read(pagesOf(rowsOf(40)), 20);
  expect(ids).toEqual(idsOf(40));
  expect(rounds[0]).toEqual([0, 18]);
});

it('asks for more and more pages at once where nothing is expected', async () => {
  const { ids, rounds } = await read(pagesOf(rowsOf(40)), 0);
  expect(ids).toEqual(idsOf(40));
  expect(rounds.map(({ length }) => length)).toEqual([1, 2, 6, 16]);
  expect(rounds.slice(0, 3).flat()).toEqual([0, 3, 6, 9, 12, 15, 18, 21, 24]);
});

it.each([...Array(60).keys()])('reads %i rows of which nothing is expected whole', async (count) => {
  const { ids, offsets } = await read(pagesOf(rowsOf(count)), 0);
  expect(ids).toEqual(idsOf(count));
  expect(offsets.length).toBeLessThanOrEqual(3 * offsetsInTurn(count).length);
});

describe('a host', () => {
  it('may refuse an offset beyond the end', async () => {
    const list = rowsOf(6);
    const answer: Answerer = (offset, limit) =>
      offset >= 6 ? 'refused' : list.slice(offset, offset + limit);
    expect((await read(answer, 40)).ids).toEqual(idsOf(6));
    expect((await read(answer, 0)).ids).toEqual(idsOf(6));
  });

  it('may give its whole list whatever is asked for', async () => {
    expect((await read(() => rowsOf(pageSize), 40)).ids).toEqual(idsOf(pageSize));
    expect((await read(() => rowsOf(pageSize), 0)).ids).toEqual(idsOf(pageSize));
  });

  it('may give its last page for an offset beyond the end', async () => {
    const list = rowsOf(11);
    const answer: Answerer = (offset, limit) => pagesOf(list)(Math.min(offset, 9), limit, 0);
    expect((await read(answer, 40)).ids).toEqual(idsOf(11));
    expect((await read(answer, 0)).ids).toEqual(idsOf(11));
  });

  it('may have no rows on a page before the one that was read ahead: then the list has changed', async () => {
    const list = rowsOf(12);
    const answer: Answerer = (offset, limit, asked) =>
      offset === 3 && asked < 4 ? [] : list.slice(offset, offset + limit);
    expect((await read(answer, 12)).ids).toEqual(idsOf(12));
  });

  it('may show another list meanwhile: then all of it is read again', async () => {
    const [before, after] = [rowsOf(12), rowsOf(13, -1)];
    // What was read ahead is of the list before, and the pages between of the list after.
    const answer: Answerer = (offset, limit, asked) =>
      (asked < 2 ? before : after).slice(offset, offset + limit);
    expect((await read(answer, 12)).ids).toEqual(after.map(({ id }) => id));
  });
});

const [own, other] = [
  { id: '1', email: 'a@acme.example' },
  { id: '2', email: 'b@acme.example' },
];

/** Reads senders from a host that answers a filter in its own way. */
async function readSenders(
  emails: readonly string[],
  filtered: Answer,
  whole: readonly Json[] = [own, other],
) {
  const client = fakeClient(({ query }) => (query.filters === undefined ? answerWith(200, whole) : filtered));
  const request = someOf(
    builtInKinds.get('SenderAddress'),
    emails.map((email) => [email]),
  );
  const ids = await readState(client, [request]).then(({ objects }) => objects.map(({ id }) => id));
  return { ids, requests: client.asked.length };
}

describe('a filtered list', () => {
  it('is enough where it has all that was asked for, in any case', async () => {
    expect(await readSenders(['A@acme.example'], answerWith(200, [own]))).toEqual({
      ids: ['1'],
      requests: 1,
    });
    const both = await readSenders(['a@acme.example', 'b@acme.example'], answerWith(200, [own, other]));
    expect(both).toEqual({ ids: ['1', '2'], requests: 1 });
  });

  it('shows that nothing is absent: a host may mind the case', async () => {
    expect(await readSenders(['A@acme.example'], answerWith(200, []))).toEqual({ ids: ['1'], requests: 2 });
    const emails = ['a@acme.example', 'B@acme.example'];
    expect(await readSenders(emails, answerWith(200, [own]))).toEqual({ ids: ['1', '2'], requests: 2 });
    expect(await readSenders(['c@acme.example'], answerWith(200, []))).toEqual({ ids: [], requests: 2 });
  });

  it('that the host does not know is read whole', async () =>
    expect(await readSenders(['a@acme.example'], answerWith(400))).toEqual({ ids: ['1'], requests: 2 }));

  it('is not asked for where an object is meant by its id, since it may have another name', async () => {
    const document = {
      kind: 'Role',
      path: '/v2025/roles',
      key: 'name',
      list: { pageSize: 50, filter: true },
    };
    const role = kindFrom(descriptorFrom({ ...document, update: 'json-patch', fields: {} }));
    const client = fakeClient(({ query }) =>
      answerWith(200, query.filters === undefined ? [{ id: 'r1', name: 'Old' }] : []),
    );
    const { objects } = await readState(client, [{ ...someOf(role, [['New']]), ids: ['r1'] }]);
    expect(objects.map(({ id }) => id)).toEqual(['r1']);
  });

  it('that fails for another reason is an error', () =>
    expect(readSenders(['a@acme.example'], answerWith(403))).rejects.toThrow('SenderAddress'));
});

it('an answer that is no list is said to be none, and a web page what it is', async () => {
  await expect(readSenders(['a@acme.example'], answerWith(200, 'x'))).rejects.toThrow(
    'did not answer with a list of objects',
  );
  const page = { ...answerWith(200), text: '<html><title>Sign in</title>' };
  await expect(readSenders(['a@acme.example'], page)).rejects.toThrow('answered 200 OK: Sign in');
});
