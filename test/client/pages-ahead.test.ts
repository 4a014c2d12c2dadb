/** Lists that say nothing of their length: pages are read concurrently, the more of them the longer the list is likely to be. */
import { describe, expect, it } from 'vitest';
import { readRows } from '../../src/client/pages.ts';
import { apiRequest, resourceAt } from '../../src/kinds/http.ts';
import type { Json } from '../../src/model/json.ts';
import { contractSettings } from '../../src/model/settings.ts';
import { answerWith, fakeClient, sent } from './support.ts';

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
    const { ids } = await read(answer, 12);
    expect(ids).toEqual(after.map(({ id }) => id));
  });
});
