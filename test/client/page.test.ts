/**
 * What an answer to a read is: rows, nothing, or no list. A failed read is never taken for an empty list. And whether
 * it promises more rows than it has.
 */
import { describe, expect, it } from 'vitest';
import { lostAnswer, unsentAnswer } from '../../src/client/answer.ts';
import { pageOf } from '../../src/client/pages.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { answerWith } from './support.ts';

const path = '/api/profiles';
const pageIn = (body: Json, headers: Record<string, string> = {}, status = 200) =>
  pageOf(answerWith(status, body, headers), path, undefined);

describe('rows', () => {
  it.each<[string, Json]>([
    ['in a bare list', [{ id: 1 }]],
    ['below the last word of the path', { profiles: [{ id: 1 }] }],
  ])('are found %s', (_, body) => {
    expect(pageIn(body)?.rows).toEqual([{ id: 1 }]);
  });

  it('are found below the member that a kind names', () => {
    const body = { profiles: [{ id: 1 }], advanced_search: [{ id: 2 }] };
    expect(pageOf(answerWith(200, body), '/api/profiles', 'advanced_search')?.rows).toEqual([{ id: 2 }]);
  });

  it.each<[string, Json]>([
    ['no such member', { rows: [] }],
    ['a member that is no list', { profiles: {} }],
    ['a row that is no object', [{ id: 1 }, 'x']],
    ['a row that is a list', [[]]],
    ['null', null],
    ['a text', 'profiles'],
  ])('are not guessed where there is %s', (_, body) => {
    expect(pageIn(body)).toBeNull();
  });

  it('are none where a list with a name is null', () => {
    expect(pageIn({ profiles: null })).toMatchObject({ rows: [], names: [], total: null });
  });

  it.each([201, 204, 206, 302, 400, 404, 500])('are not those of an answer with status %i', (status) => {
    expect(pageIn([{ id: 1 }], {}, status)?.rows ?? null).toEqual(
      [201, 204].includes(status) ? [{ id: 1 }] : null,
    );
  });

  it('are not those of an answer that did not come', () => {
    expect(pageOf(lostAnswer('reset', 'x'), path, undefined)).toBeNull();
    expect(pageOf(unsentAnswer('unreachable', 'x'), path, undefined)).toBeNull();
  });

  it('are told apart by their ids, or else by all that they hold', () => {
    const names =
      pageIn([{ id: 'a', v: 1 }, { id: 7 }, { v: 1 }, { v: 2 }, { id: null }, { id: {} }])?.names ?? [];
    expect(names.slice(0, 2)).toEqual(['a', '7']);
    for (const name of names.slice(2)) expect(name).toMatch(/^sha256:/);
    expect(new Set(names).size).toBe(6);
    expect(pageIn([{ v: 1, w: 2 }])?.names).toEqual(pageIn([{ w: 2, v: 1 }])?.names);
  });
});

describe('the length of the whole list', () => {
  it.each<[string, Json, Record<string, string>, number | null]>([
    ['the metadata', { profiles: [], _metadata: { total: 12 } }, {}, 12],
    ['the metadata of an empty list', { profiles: [], _metadata: { total: 0 } }, {}, 0],
    [
      'the metadata before the header',
      { profiles: [], _metadata: { total: 12 } },
      { 'x-total-count': '9' },
      12,
    ],
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
  ])('is said by %s', (_, body, headers, total) => {
    expect(pageIn(body, headers)?.total).toBe(total);
  });
});

describe('further rows', () => {
  const promisedBy = (beside: JsonObject, headers = {}) =>
    pageIn({ profiles: [], ...beside }, headers)?.promised;

  it.each<[JsonObject]>([
    [{ _metadata: { limit: 100, offset: 0, next: '/api/profiles?limit=100&offset=100' } }],
    [{ next: '/v1/rooms?page=2' }],
    [{ '@odata.nextLink': 'https://host.example/v1/rooms?after=x' }],
    [{ _links: { next: { href: '?after=x' } } }],
    [{ hasMore: true }],
    [{ pageInfo: { hasNextPage: true } }],
    [{ response_metadata: { next_cursor: 'abc' } }],
  ])('are promised by %j', (beside) => {
    expect(promisedBy(beside)).toBe(Number.POSITIVE_INFINITY);
  });

  it('are promised by a link in the headers', () => {
    const link = '<?page=1>; rel="first", <?page=2>; rel="next"';
    expect(promisedBy({}, { link })).toBe(Number.POSITIVE_INFINITY);
    expect(promisedBy({}, { link: '<?page=9>; rel="last"' })).toBe(0);
  });

  it.each<[JsonObject]>([
    [{ totalResults: 7 }],
    [{ total_count: 7 }],
    [{ page: { totalElements: 7, totalPages: 2 } }],
  ])('are counted by %j', (beside) => {
    expect(promisedBy(beside)).toBe(7);
  });

  it.each<[JsonObject]>([
    [{ _metadata: { limit: 100, offset: 0, total: null, next: null } }],
    [{ next: '', hasMore: false, nextPageToken: null }],
    [{ next: [], more: [true] }],
    [{ total: '9', total_pages: 4 }],
    [{ others: [{ next: '/v1/rooms?page=2', hasMore: true, total: 9 }] }],
  ])('are not promised by %j', (beside) => {
    expect(promisedBy(beside)).toBe(0);
  });
});
