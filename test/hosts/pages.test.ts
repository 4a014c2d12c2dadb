/** Lists that are longer than the host gives at once, and that say so in their own ways. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.ts';
import {
  type ApiHost,
  type Asked,
  collections,
  createHostProject,
  type Said,
  startApiHost,
} from '../support/api-host.ts';
import { expectEnd } from '../support/world.ts';

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
  const link = (rows: readonly JsonObject[], end: number) => ({
    '@odata.nextLink': end < rows.length ? `${path}?$skiptoken=60` : '',
  });

  it('is read on where the host knows `offset`', async () => {
    const { project } = await projectOf(130, '{ pageSize: 100, member: items }', capped(link, true));
    const { stdout } = await project.run('kind check Room');
    expect(stdout).toContain('a plan of the export of its 130 objects is empty');
  });

  it('is an error where the next page cannot be found', async () => {
    for (const size of ['null', '100']) {
      const listed = capped(link, false);
      const { project } = await projectOf(70, `{ pageSize: ${size}, member: items }`, listed);
      project.write('config/all.yaml', 'kind: Room\nname: Room 65\nseats: 65\n');
      for (const line of ['plan', 'kind check Room', 'export --kinds Room']) {
        const { stdout, stderr } = await expectEnd(project.run(line), 1);
        expect(stdout + stderr).toMatch(size === 'null' ? /list-incomplete/ : /page-repeats/);
      }
    }
  });

  it('says what to set', async () => {
    const beside = (): JsonObject => ({ hasMore: true });
    const { project } = await projectOf(70, '{ pageSize: null, member: items }', capped(beside, false));
    await expectEnd(
      project.run('export --kinds Room'),
      1,
      'GET /v1/rooms returned 60 rows and says that more follow. [list-incomplete] hint: Nothing was written.',
      'set `list.pageSize`',
    );
  });

  it('is no list without end where it has no rows, or links itself', async () => {
    const endless: Json[] = [
      { items: [], hasMore: true },
      { items: [], next: `${path}?page=1` },
    ];
    for (const body of endless) {
      const listed = () => ({ status: 200, body });
      const { host, project } = await projectOf(0, '{ pageSize: 10, member: items }', listed);
      await expectEnd(project.run('kind check Room'), 1, 'list-incomplete');
      expect(host.log.length).toBeLessThan(4);
    }
  });
});

describe('a host that ignores `limit` and `offset`', () => {
  it.each([10, 25, 50])('has its whole list read: %i rows', async (count) => {
    const listed: Listed = (rows) => ({ status: 200, body: [...rows] });
    const { project } = await projectOf(count, '{ pageSize: 50 }', listed);
    const { stdout } = await project.run('kind check Room');
    expect(stdout).toContain(`a plan of the export of its ${count} objects is empty`);
  });

  it('is an error where it keeps to `limit`, with what a descriptor may say', async () => {
    const listed: Listed = (rows, { query }) => ({
      status: 200,
      body: rows.slice(0, Number(query.limit ?? rows.length)),
    });
    const { project } = await projectOf(70, '{ pageSize: 50 }', listed);
    const advice = 'set `list: { pageSize: null }` in the descriptor';
    await expectEnd(project.run('export --kinds Room'), 1, '[page-repeats]', advice);
  });
});

describe('a list without end', () => {
  const kind = `kind: Room\npath: ${path}\nkey: name\nlist: { pageSize: 100 }\nfields: { seats: value }\n`;
  const endless = (): Promise<ApiHost> =>
    startApiHost(({ query }) => {
      const from = Number(query.offset ?? 0);
      const body = rooms(from + 100).map((row) => ({ ...row, note: 'x'.repeat(1000) }));
      return { status: 200, body: body.slice(from) };
    });

  it('ends the read of its tenant alone, with the setting that limits it', async () => {
    const healthy = await startApiHost(collections({ path, rows: rooms(3), newId: () => 'new' }));
    const hosts = { bad: await endless(), good: healthy };
    const project = createHostProject(hosts, {
      'kinds/Room.kind.yaml': kind,
      'config/all.yaml': 'kind: Room\nname: Room 1\nseats: 7\n',
    });
    const file = project.read('tenantctl.yaml').replaceAll('settle: 0s', 'settle: 0s, answers: 2MB');
    project.write('tenantctl.yaml', file);
    const { json } = await expectEnd(project.run('plan -e bad,good --format json'), 1);
    const hint = expect.stringContaining('limits.answers');
    expect(json).toMatchObject({
      environments: [
        { name: 'bad', plan: null, error: { diagnostics: [{ code: 'answers-too-large', hint }] } },
        { name: 'good', plan: { summary: { manual: 1 } }, error: null },
      ],
    });
    expect(hosts.bad.log.length).toBeLessThan(40);
  });

  it('is not made of one that is read again and again', async () => {
    const rows = rooms(90).map((row) => ({ ...row, note: 'x'.repeat(1000) }));
    const host = await startApiHost(collections({ path, rows, newId: () => 'new' }));
    const project = createHostProject(
      { test: host },
      {
        'kinds/Room.kind.yaml': `${kind}update: put\n`,
        'config/all.yaml': 'kind: Room\nname: Room 1\nseats: 7\n---\nkind: Room\nname: Room 2\nseats: 7\n',
      },
    );
    const file = project.read('tenantctl.yaml').replaceAll('settle: 0s', 'settle: 0s, answers: 150KB');
    project.write('tenantctl.yaml', file);
    await expectEnd(project.run('apply --yes'), 0);
    const reads = host.log.filter((asked) => asked.method === 'GET' && asked.path === path);
    expect(reads.length).toBeGreaterThan(1);
  });
});
