/** APIs that fill in what the body of a create or an update leaves out of an object. */
import { describe, expect, it } from 'vitest';
import { isObject, itemsOf, type Json, type JsonObject } from '../../src/model/json.ts';
import { collections, createHostProject, startApiHost } from '../support/api-host.ts';
import { expectEnd } from '../support/world.ts';

const path = '/v2/workflows';
const descriptor = (name: string, update: string, fields: string, more = '') => ({
  [`kinds/${name}.kind.yaml`]: `kind: ${name}\npath: ${path}\nkey: name\nlist: { pageSize: null }\nupdate: ${update}\ncreate: true\nfields: { ${fields} }\n${more}`,
});
const manifests = (...texts: string[]) => ({ 'config/all.yaml': texts.join('---\n') });
const countOf = (text: string, words: string) =>
  text.split(`${words}, although no change asked for that.`).length - 1;

async function open(declares: 'whole' | 'members') {
  const rows: JsonObject[] = [{ id: 'w1', name: 'Leaver', definition: { start: 'a' } }];
  const fillIn = (body: JsonObject): JsonObject => ({
    ...body,
    definition: { retries: 3, ...(isObject(body.definition) ? body.definition : {}) },
  });
  const answer = collections({
    path,
    rows,
    newId: () => 'w2',
    changed: (row, { body }) => ({ ...row, ...(isObject(body) ? fillIn(body) : {}) }),
  });
  const host = await startApiHost((asked) =>
    answer(asked.method === 'POST' && isObject(asked.body) ? { ...asked, body: fillIn(asked.body) } : asked),
  );
  const kind = descriptor('Workflow', 'put', `definition: { is: json, declares: ${declares} }`);
  const manifest = (name: string, start: string) =>
    `kind: Workflow\nname: ${name}\ndefinition: { start: ${start} }\n`;
  return createHostProject(
    { test: host },
    { ...kind, ...manifests(manifest('Joiner', 'b'), manifest('Leaver', 'c')) },
  );
}

describe('what the tenant fills in', () => {
  it('is told where the object was declared as a whole, since the next plan would remove it', async () => {
    const project = await open('whole');
    const { stdout } = await expectEnd(project.run('apply --yes --result r.json'), 0);
    const result = JSON.parse(project.read('r.json'));
    const change = { unmet: ['/definition/retries'] };
    expect(result).toMatchObject({ changes: [change, change] });
    expect(result.proven).toEqual({});
    expect(countOf(stdout, 'The tenant added /definition/retries')).toBe(2);
    expect((await project.plan()).summary).toMatchObject({ update: 2 });
  });

  it('is left to the tenant where members are declared', async () => {
    const project = await open('members');
    const { stdout } = await expectEnd(project.run('apply --yes'), 0);
    expect(stdout).not.toContain('no change asked for that');
    expect((await project.plan()).changes).toEqual([]);
  });
});

describe('items that the tenant adds to a list', () => {
  const everybody = 'everybody';

  async function openGroups(change: (members: readonly Json[]) => readonly Json[]) {
    const rows: JsonObject[] = [{ id: 'g1', name: 'Old', members: ['a', 'b'] }];
    const fill = (body: Json): JsonObject =>
      isObject(body) ? { ...body, members: [...change(itemsOf(body.members ?? []))] } : {};
    const answer = collections({
      path,
      rows,
      newId: () => 'g2',
      changed: (row, { body }) => ({ ...row, ...fill(body) }),
    });
    const host = await startApiHost((asked) =>
      answer(asked.method === 'POST' ? { ...asked, body: fill(asked.body) } : asked),
    );
    const texts = ['name: New\nmembers: [x]\n', 'name: Old\nmembers: [b, c]\n'];
    const files = manifests(...texts.map((text) => `kind: Group\n${text}`));
    return createHostProject(
      { test: host },
      { ...descriptor('Group', 'put', 'members: { is: set }'), ...files },
    );
  }

  it('are told after a create and after an update, since the next plan would remove them', async () => {
    const project = await openGroups((members) => [...members, everybody]);
    const { stdout } = await expectEnd(project.run('apply --yes --result r.json'), 0);
    expect(countOf(stdout, 'The tenant added items to /members')).toBe(2);
    const result = JSON.parse(project.read('r.json'));
    expect(result).toMatchObject({ changes: [{ unmet: ['/members'] }, { unmet: ['/members'] }] });
    expect(result.proven).toEqual({});
    expect((await project.plan()).summary).toMatchObject({ update: 2 });
  });

  it('are told where they are removed', async () => {
    const project = await openGroups((members) => members.filter((member) => member !== 'b'));
    const { stdout } = await project.run('apply --yes');
    expect(countOf(stdout, 'The tenant removed items from /members')).toBe(1);
    expect((await project.plan()).summary).toMatchObject({ update: 1 });
  });

  it('are not told where they are what was asked for, in another spelling', async () => {
    const project = await openGroups((members) =>
      members.map((member) => (typeof member === 'string' ? member.toUpperCase() : member)),
    );
    const { stdout } = await project.run('apply --yes');
    expect(stdout).toContain(
      'The tenant ignored changes to items of /members: the list is not as requested.',
    );
    expect(stdout).not.toContain('no change asked for that');
  });

  it('are not told where it has what was asked for, in another order', async () => {
    const project = await openGroups((members) => [...members].reverse());
    expect((await project.run('apply --yes')).stdout).not.toContain('no change asked for that');
    expect((await project.plan()).changes).toEqual([]);
  });
});

describe('what the tenant sets or removes', () => {
  const row = () => {
    const steps = [{ run: 'a', id: 's1' }, { run: 'b' }];
    const definition = { start: 'a', old: 1, since: 7, log: [{ at: 1 }], meta: { by: 'x' }, steps };
    return { name: 'Leaver', note: 'a', definition, owner: { id: 'o' } };
  };
  const manifest = (name: string) =>
    `kind: Workflow\nname: ${name}\nnote: b\ndefinition: { start: b, old: null, steps: [{ run: b }, { run: c }] }\n`;

  /** `onWrite` is what the host makes of an object with each write. */
  async function openSteps(update: string, alone: string, onWrite: (row: string) => string) {
    const rows: JsonObject[] = [
      { id: 'w1', ...row() },
      { id: 'w2', ...row(), name: 'Other' },
    ];
    const make = (change: (text: string) => string) => (made: JsonObject) =>
      JSON.parse(change(JSON.stringify(made))) as JsonObject;
    const changed = (before: JsonObject, body: JsonObject) =>
      update === 'put' ? { id: before.id ?? null, ...body } : { ...before, ...body };
    const host = await startApiHost(
      collections({
        path,
        rows,
        newId: () => 'w3',
        changed: (before, { body }) =>
          before.id === 'w1' && isObject(body)
            ? make(onWrite)(changed(before, body))
            : changed(before, isObject(body) ? body : {}),
      }),
    );
    const project = createHostProject(
      { test: host },
      {
        ...descriptor(
          'Workflow',
          update,
          'note: text, definition: { is: json, declares: members }',
          `write: { alone: [${alone}] }\nplaces: { definition/since: serverOwned, definition/steps/*/id: minted }\n`,
        ),
        ...manifests(manifest('Leaver'), manifest('Other')),
      },
    );
    await expectEnd(project.run('plan --out p.json'), 0);
    return {
      project,
      bodies: () =>
        host.log.flatMap(({ body, path: at }) => (at.endsWith('/w1') && body !== null ? [body] : [])),
      edit: (change: (text: string) => string) => rows.splice(0, 1, ...rows.slice(0, 1).map(make(change))),
    };
  }
  const alone = '[definition, note]';
  const add = (text: string) =>
    text
      .replace('{"at":1}]', '{"at":1},{"at":2}]')
      .replace('"meta":{', '"retries":3,"meta":{"to":"y",')
      .replace('"owner":{', '"status":"READY","owner":{"name":"O",');

  it.each(['put', 'patch'])('with one request of a change stays with the next one, by %s', async (update) => {
    const order = update === 'put' ? alone : '[note, definition]';
    const { project, bodies } = await openSteps(update, order, add);
    await expectEnd(project.run('apply p.json'), 0);
    const definition = {
      start: 'b',
      since: 7,
      log: [{ at: 1 }, { at: 2 }],
      retries: 3,
      meta: { to: 'y', by: 'x' },
      steps: [{ run: 'b' }, { run: 'c', id: 's1' }],
    };
    const beside = { name: 'Leaver', note: 'b', status: 'READY', owner: { name: 'O', id: 'o' } };
    expect(bodies()[1]).toEqual(update === 'put' ? { ...beside, definition } : { definition });
    expect((await project.plan()).changes).toEqual([]);
  });

  it.each(['put', 'patch'])(
    'is not written if only the tenant sets it and has removed it, by %s',
    async (update) => {
      const remove = (text: string) => text.replace('"since":7,', '').replace(',"id":"s1"', '');
      for (const [from, until] of [
        [remove, String],
        [String, remove],
      ] as const) {
        const { project, bodies, edit } = await openSteps(update, alone, until);
        edit(from);
        await expectEnd(project.run('apply p.json'), 0);
        expect(JSON.stringify(bodies().at(-1))).not.toMatch(/since|s1/);
        expect((await project.plan()).changes).toEqual([]);
      }
    },
  );

  it('ends only its own change if it is not the tenant’s alone', async () => {
    const { project } = await openSteps('put', alone, (text) => text.replace('"by":"x"', ''));
    await expectEnd(project.run('apply p.json --result r.json'), 3);
    expect(JSON.parse(project.read('r.json')).changes).toMatchObject([
      { outcome: 'failed', error: expect.stringContaining('/definition/meta/by is different now') },
      { outcome: 'done' },
    ]);
  });
});
