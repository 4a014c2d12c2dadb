/** Lists that are longer than the host gives at once, and that say so in their own ways. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { type Asked, collections, createHostProject, type Said, startApiHost } from '../support/api-host.ts';

const path = '/v1/rooms';
const rooms = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, at) => ({ id: `r${at}`, name: `Room ${at}`, seats: at }));

type Listed = (rows: readonly JsonObject[], asked: Asked) => Said;

/** A project with a kind whose list answers so. */
async function projectOf(count: number, list: string, listed: Listed) {
  const rows = rooms(count);
  const host = await startApiHost(collections({ path, rows, newId: () => 'new', listed }));
  const kind = `kind: Room\npath: ${path}\nkey: name\nlist: ${list}\nupdate: put\ncreate: true\ndelete: true\nfields: { seats: value }\n`;
  return { rows, host, project: createHostProject({ test: host }, { 'kinds/Room.kind.yaml': kind }) };
}

const page = (rows: readonly JsonObject[], from: number, size: number) => rows.slice(from, from + size);

describe('a list that says that more rows follow', () => {
  /** At most 60 rows at once, whatever is asked. */
  const capped =
    (beside: (rows: readonly JsonObject[], end: number) => JsonObject, byOffset: boolean): Listed =>
    (rows, { query }) => {
      const from = byOffset ? Number(query.offset ?? 0) : 0;
      const items = page(rows, from, Math.min(60, Number(query.limit ?? 60)));
      return { status: 200, body: { items, ...beside(rows, from + items.length) } };
    };
  const ways: [string, (rows: readonly JsonObject[], end: number) => JsonObject][] = [
    ['more', (rows, end) => ({ more: end < rows.length })],
    ['totalResults', (rows) => ({ totalResults: rows.length })],
    [
      '@odata.nextLink',
      (rows, end) => ({ '@odata.nextLink': end < rows.length ? `${path}?$skiptoken=60` : '' }),
    ],
    ['next_page_token', (rows, end) => ({ next_page_token: end < rows.length ? 'x' : '' })],
  ];

  it.each(ways)('is read on where the host knows `offset`: %s', async (_, beside) => {
    const { project } = await projectOf(130, '{ pageSize: 100, member: items }', capped(beside, true));
    const { stdout } = await project.run('kind', 'check', 'Room');
    expect(stdout).toContain('a plan of the export of its 130 objects is empty');
  });

  it.each(ways)('is an error where the next page cannot be found: %s', async (_, beside) => {
    for (const size of ['null', '100']) {
      const listed = capped(beside, false);
      const { project } = await projectOf(70, `{ pageSize: ${size}, member: items }`, listed);
      project.write('config/all.yaml', 'kind: Room\nname: Room 65\nseats: 65\n');
      for (const argv of [['plan'], ['kind', 'check', 'Room'], ['export', '--kinds', 'Room']]) {
        const { code, stdout, stderr } = await project.run(...argv);
        expect(code).toBe(1);
        expect(stdout + stderr).toMatch(size === 'null' ? /list-incomplete/ : /page-repeats/);
      }
    }
  });

  it('says what to set', async () => {
    const beside = (): JsonObject => ({ hasMore: true });
    const { project } = await projectOf(70, '{ pageSize: null, member: items }', capped(beside, false));
    const { stderr } = await project.run('export', '--kinds', 'Room');
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'GET /v1/rooms gave 60 rows and says that more follow. [list-incomplete] hint: Nothing was written.',
    );
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('set `list.pageSize`');
  });

  it('is no list without end where it has no rows, or links itself', async () => {
    const endless: Json[] = [
      { items: [], hasMore: true },
      { items: [], next: `${path}?page=1` },
    ];
    for (const body of endless) {
      const listed = () => ({ status: 200, body });
      const { host, project } = await projectOf(0, '{ pageSize: 10, member: items }', listed);
      const { code, stderr } = await project.run('kind', 'check', 'Room');
      expect(stderr).toContain('list-incomplete');
      expect(code).toBe(1);
      expect(host.log.length).toBeLessThan(4);
    }
  });
});
