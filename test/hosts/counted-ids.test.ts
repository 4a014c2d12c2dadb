/** Hosts that count the ids of their objects, and that take nothing but numbers where one object refers to another. */
import { describe, expect, it } from 'vitest';
import { get, isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { type ApiHost, collections, createHostProject, startApiHost } from '../support/api-host.ts';
import { succeed } from '../support/world.ts';

const files = {
  'kinds/Team.kind.yaml':
    'kind: Team\npath: /v1/teams\nkey: name\nlist: { pageSize: null }\nupdate: put\ncreate: true\ndelete: true\n',
  'kinds/Service.kind.yaml': `kind: Service
path: /v1/services
key: name
list: { pageSize: null }
update: put
create: true
delete: true
fields:
  team_id: { is: value, to: Team }
  watchers: { is: set, to: Team }
  owner: { is: reference, to: Team }
  helpers: { is: references, to: Team }
`,
};

const isCounted = (id: Json): boolean => Number.isInteger(id);
const idOf = (reference: Json): Json => (isObject(reference) ? (get(reference, 'id') ?? null) : null);
const listed = (value: Json): readonly Json[] => (isArray(value) ? value : []);

/** What an API answers that validates its bodies. */
function refuses({ team_id = null, watchers = [], owner = null, helpers = [] }: JsonObject): string | null {
  const ids = [team_id, ...listed(watchers), idOf(owner), ...listed(helpers).map(idOf)];
  return ids.every((id) => id === null || isCounted(id)) ? null : 'ids must be integers';
}

interface Counting extends ApiHost {
  readonly services: readonly JsonObject[];
}

async function countingHost(first: number, teams: JsonObject[], services: JsonObject[]): Promise<Counting> {
  let next = first;
  const newId = () => {
    next += 1;
    return next;
  };
  const answer = collections(
    { path: '/v1/teams', rows: teams, newId },
    { path: '/v1/services', rows: services, newId, refuses },
  );
  return { ...(await startApiHost(answer)), services };
}

const teams = (): JsonObject[] => [
  { id: 11, name: 'Ops' },
  { id: 12, name: 'Dev' },
];

const chat = `kind: Service
name: Chat
team_id: !ref Team/New
watchers: [!ref Team/New, !ref Team/Ops]
owner: !ref Team/Dev
helpers: [!ref Team/Ops, { id: !ref Team/New }]
`;

describe('a reference is sent as the tenant shows the id', () => {
  it('of an object that is there, and of one that the plan creates', async () => {
    const host = await countingHost(100, teams(), []);
    const project = createHostProject(
      { test: host },
      { ...files, 'config/all.yaml': `kind: Team\nname: New\n---\n${chat}` },
    );
    await succeed(project, 'apply --yes');
    const references = { watchers: [101, 11], owner: { id: 12 }, helpers: [{ id: 11 }, { id: 101 }] };
    expect(host.services).toEqual([{ id: 102, name: 'Chat', team_id: 101, ...references }]);
    expect((await project.plan()).changes).toEqual([]);
  });

  it('in a change, its rollback, and the rollback of a delete', async () => {
    const host = await countingHost(100, teams(), [{ id: 1, name: 'Chat', team_id: 11 }]);
    const project = createHostProject(
      { test: host },
      { ...files, 'config/all.yaml': 'kind: Service\nname: Chat\nteam_id: !ref Team/Dev\n' },
    );
    expect(await project.run('apply --yes --result changed.json')).toMatchObject({ code: 0 });
    expect(host.services).toMatchObject([{ team_id: 12 }]);
    await project.run('rollback changed.json --out rollback.json');
    expect(await project.run('apply rollback.json')).toMatchObject({ code: 0 });
    expect(host.services).toMatchObject([{ team_id: 11 }]);

    const gone = 'kind: Service\nname: Chat\nensure: absent\n---\nkind: Team\nname: Ops\nensure: absent\n';
    project.write('config/all.yaml', gone);
    await project.run('apply --yes --allow-delete-all Service --result deleted.json');
    expect(host.services).toEqual([]);
    await project.run('rollback deleted.json --out again.json');
    expect(await project.run('apply again.json')).toMatchObject({ code: 0 });
    expect(host.services).toEqual([{ id: 102, name: 'Chat', team_id: 101 }]);
  });

  it('to another tenant, which counts from elsewhere', async () => {
    const services = [{ id: 1, name: 'Chat', team_id: 12, watchers: [11, 12], owner: { id: 11 } }];
    const [test, production] = [
      await countingHost(100, teams(), services),
      await countingHost(500, [{ id: 71, name: 'Ops' }], []),
    ];
    const project = createHostProject({ test, production }, files);
    await project.run('export --kinds Team Service');
    expect((await project.plan()).changes).toEqual([]);
    expect(await project.run('apply --yes -e production')).toMatchObject({ code: 0 });
    expect(production.services).toEqual([
      { id: 502, name: 'Chat', team_id: 501, watchers: [501, 71], owner: { id: 71 } },
    ]);
    const { stdout } = await project.run('diff test production --kinds Service');
    expect(stdout).toContain('No differences');
  });
});

describe('an id that has no name', () => {
  it('is exported as the tenant shows it, and can be sent so', async () => {
    const services = [
      { id: 1, name: 'Chat', team_id: 77, watchers: [78, 12], owner: { id: 79 }, helpers: [{ id: 80 }] },
    ];
    const host = await countingHost(100, teams(), services);
    const project = createHostProject({ test: host }, files);
    await project.run('export --kinds Service');
    const manifest = project.read('config/services/chat.yaml');
    expect(manifest).toContain('team_id: 77\nwatchers: [!ref Team/Dev, 78]');
    expect((await project.plan()).changes).toEqual([]);
    const edited = manifest.replace('78', '81').replace(/owner:\n.*/, 'owner: 82');
    project.write('config/services/chat.yaml', edited);
    await succeed(project, 'apply --yes');
    expect(host.services).toMatchObject([{ team_id: 77, watchers: [12, 81], owner: { id: 82 } }]);
    expect((await project.plan()).changes).toEqual([]);
  });

  it('equals the same one in quotes', async () => {
    const host = await countingHost(100, teams(), [{ id: 1, name: 'Chat', team_id: 77, owner: { id: 79 } }]);
    const quoted = 'kind: Service\nname: Chat\nteam_id: "77"\nowner: { id: "79" }\n';
    const project = createHostProject({ test: host }, { ...files, 'config/all.yaml': quoted });
    expect((await project.plan()).changes).toEqual([]);
  });
});
