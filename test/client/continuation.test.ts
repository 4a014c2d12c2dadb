/** What answers of lists say about the rows that follow: hosts have many ways to say it. */
import { describe, expect, it } from 'vitest';
import { continuationOf } from '../../src/client/page.ts';
import type { Json } from '../../src/model/json.ts';

const path = '/v1/rooms';
const said = (body: Json, headers = {}) => continuationOf(body, headers, path);
const nothing = { next: null, more: false, announced: null };

it.each<[Json]>([
  [[]],
  [[{ next: '/v1/rooms?page=2', hasMore: true, total: 9 }]],
  [{ items: [{ more: true }] }],
  [{ next: null, hasMore: false }],
  [{ nextPageToken: '' }],
  [{ next_page: 0, meta: [] }],
  [{ nextLink: false }],
  [{ next: false }],
  [{ links: { next: { href: '' } } }],
  [{ isLastPage: true, links: null }],
  [{ total: '9', total_pages: 4, nextOfKin: 'x', almost: true }],
  [{ next: [], nextPage: [{ id: '1' }], last: [true], more: [true], page: [{ next: 'x' }] }],
  [{ orders: [{ id: '1' }], total: 12.5 }],
  [null],
])('%j says nothing of further rows', (body) => {
  expect(said(body)).toEqual(nothing);
});

describe('the next page is linked', () => {
  it.each<[string, Json, Record<string, string>]>([
    ['by the header', [], { link: '<https://host.example/v1/rooms?after=x&limit=2>; rel="next"' }],
    [
      'by one of several in the header',
      [],
      {
        link: '<https://host.example/v1/rooms?limit=2>; rel="self", </base/v1/rooms?after=x&limit=2>; title="on"; rel=next',
      },
    ],
    ['without a blank', [], { link: '<?after=x&limit=2>;rel=next' }],
    ['with two relations', [], { link: '<?after=x&limit=2>; rel="last next"' }],
    ['by OData', { '@odata.nextLink': 'https://host.example/v1/rooms?after=x&limit=2' }, {}],
    ['by a text', { next: '/v1/rooms?after=x&limit=2' }, {}],
    ['below `_links`', { _links: { next: { href: '?after=x&limit=2' } } }, {}],
    ['below `meta.pagination`', { meta: { pagination: { next_page_url: '?after=x&limit=2' } } }, {}],
  ])('%s', (_, body, headers) => {
    expect(said(body, headers)).toEqual({ ...nothing, more: true, next: { after: 'x', limit: '2' } });
  });

  it.each([
    'https://host.example/v1/other?after=x',
    '/v1/rooms',
    '/v1/rooms?a=1&a=2',
    'https://',
    'eyJhIjoxfQ',
    7,
    true,
    { href: 'token' },
  ])('but not by %j, which only says that there is one', (next) => {
    expect(said({ next })).toEqual({ ...nothing, more: true });
  });

  it('but not by links to other pages', () => {
    const link = '<?page=1>; rel="first", <?page=9>; rel="last", <?next=1>; title="next"; rel="nextish-not"';
    expect(said([], { link: link.replace('nextish-not', 'prev') })).toEqual(nothing);
    expect(said([], { link: '<?page=2>; rel=next-archive, <?page=3>; rel="not-next"' })).toEqual(nothing);
  });

  it('but not where the answer says that it is the last one', () => {
    expect(said({ next: '?after=x', has_more: false })).toEqual(nothing);
    expect(said({ nextCursor: 'x', isLast: true })).toEqual(nothing);
  });
});

it.each<[Json]>([
  [{ more: true }],
  [{ hasMore: true }],
  [{ has_more: true }],
  [{ pageInfo: { hasNextPage: true } }],
  [{ isLastPage: false }],
  [{ isLast: false }],
  [{ page: { last: false } }],
  [{ nextPageToken: 'abc' }],
  [{ response_metadata: { next_cursor: 'abc' } }],
])('%j says that more rows follow', (body) => {
  expect(said(body)).toEqual({ ...nothing, more: true });
});

it.each<[Json]>([
  [{ total: 7 }],
  [{ totalResults: 7 }],
  [{ total_count: 7 }],
  [{ page: { totalElements: 7, totalPages: 2 } }],
  [{ meta: { total: 3 }, total: 7 }],
])('%j announces seven rows', (body) => {
  expect(said(body)).toEqual({ ...nothing, announced: 7 });
});
