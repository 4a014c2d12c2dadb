/** APIs whose PATCH takes ordinary JSON, and replaces each field that it names as a whole. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { collections, createHostProject, startApiHost } from '../support/api-host.ts';
import { expectEnd } from '../support/world.ts';

const path = '/v2/connections';

async function open(update = 'patch') {
  const options = { policy: 'good', protection: true, mfa: { active: true, ways: ['app'] } };
  const rows: JsonObject[] = [{ id: 'c1', name: 'Staff', options, clients: ['b', 'a'], kept: 1 }];
  const answer = collections({
    path,
    rows,
    newId: () => 'c2',
    changed: (row, { body }) => ({ ...row, ...(typeof body === 'object' ? body : {}) }),
  });
  const host = await startApiHost((asked) =>
    update === 'patch' && asked.method === 'PATCH' && asked.headers['content-type'] !== 'application/json'
      ? { status: 415 }
      : answer(asked),
  );
  const project = createHostProject(
    { test: host },
    {
      'kinds/Connection.kind.yaml': `kind: Connection\npath: ${path}\nkey: name\nlist: { pageSize: null }\nupdate: ${update}\ncreate: true\ndelete: true\nfields: { options: { is: json, declares: members }, clients: set }\n`,
    },
  );
  return { rows, host, project };
}

describe('a change', () => {
  it('keeps the members that a manifest leaves out', async () => {
    const { rows, host, project } = await open();
    project.write('config/all.yaml', 'kind: Connection\nname: Staff\noptions: { protection: false }\n');
    expect(await project.run('apply --yes --result r.json')).toMatchObject({ code: 0 });
    const changed = { policy: 'good', protection: false, mfa: { active: true, ways: ['app'] } };
    expect(rows).toEqual([{ id: 'c1', name: 'Staff', options: changed, clients: ['b', 'a'], kept: 1 }]);
    const patches = host.log.filter(({ method }) => method === 'PATCH');
    expect(patches.map(({ body }) => body)).toEqual([{ options: changed }]);
    expect((await project.plan()).changes).toEqual([]);

    await project.run('rollback r.json --out back.json');
    expect(await project.run('apply back.json')).toMatchObject({ code: 0 });
    expect(rows).toMatchObject([{ options: { ...changed, protection: true }, clients: ['b', 'a'] }]);
  });

  it('can remove a member, clear a field and rename', async () => {
    const { rows, project } = await open();
    const fields = 'name: People\noptions: { mfa: null }\nclients: []\n';
    project.write('config/all.yaml', `kind: Connection\nid: c1\n${fields}`);
    const { stdout } = await expectEnd(project.run('apply --yes'), 0);
    expect(stdout).not.toContain('no change asked for that');
    expect(rows).toMatchObject([{ name: 'People', options: { policy: 'good', protection: true }, kept: 1 }]);
    expect(rows[0]?.options).not.toHaveProperty('mfa');
    expect((await project.plan()).changes).toEqual([]);
  });
});

it('a member that is lost because the descriptor says merge-patch is told, also one that no manifest declares', async () => {
  const { rows, project } = await open('merge-patch');
  project.write('config/all.yaml', 'kind: Connection\nname: Staff\noptions: { protection: false }\n');
  const { stdout } = await expectEnd(project.run('apply --yes'), 0);
  expect(rows).toMatchObject([{ options: { protection: false } }]);
  expect(stdout).toContain('The tenant removed /options/policy, although no change asked for that.');
  expect(stdout).toContain('The tenant removed /options/mfa, although no change asked for that.');
});
