/** Objects with places of a policy of their own: hosts that move members, mint ids and answer with nulls. */
import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { collections, createHostProject, startApiHost } from '../support/api-host.ts';
import { filesBelow } from '../support/world.ts';

const path = '/v2025/workflows';
const kind = (update: string) =>
  JSON.stringify({
    kind: 'Workflow',
    path,
    key: 'name',
    list: { pageSize: null },
    update,
    create: true,
    delete: true,
    fields: { definition: 'json', connector: { is: 'json', declares: 'members' } },
    places: {
      'definition/triggers/*/refID': 'minted',
      'definition/**/since': 'serverOwned',
      'connector/healthy': 'serverOwned',
      'definition/tags': 'set',
      'definition/form/key': 'plain',
    },
  });

const manifest = (text: string, ...triggers: readonly string[]) =>
  JSON.stringify({
    kind: 'Workflow',
    name: 'Join',
    definition: {
      text,
      form: { key: 'firstName' },
      tags: ['b', 'a'],
      triggers: triggers.map((on) => ({ on })),
      steps: { first: { action: 'mail' } },
    },
    connector: { url: 'https://hr.example' },
  });

/** RFC 7396. */
function merged(target: JsonObject, patch: JsonObject): JsonObject {
  const entries = Object.entries(patch).map(([name, value]): [string, Json] => {
    const before = target[name];
    return [name, isObject(value) ? merged(isObject(before) ? before : {}, value) : value];
  });
  return Object.fromEntries([...Object.entries(target), ...entries].filter(([name]) => patch[name] !== null));
}

/** The host mints ids on each write, says when it was last healthy, and fills up with nulls. */
async function open(update = 'put') {
  let minted = 0;
  const rows: JsonObject[] = [];
  const definitionOf = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value ?? {}));
  const grow = (row: JsonObject): JsonObject => {
    const definition = definitionOf(row.definition);
    const triggers = [definition.triggers ?? []].flat().map((each) => {
      minted += 1;
      return { ...definitionOf(each), refID: `ref-${minted}`, filter: null };
    });
    const steps = { first: { action: 'mail', since: `${minted}`, retry: null } };
    const tags = [definition.tags ?? []].flat().toReversed();
    const connector = { ...definitionOf(row.connector), healthy: `${minted}`, password: null };
    return { ...row, definition: { ...definition, triggers, steps, tags, since: `${minted}` }, connector };
  };
  const answer = collections({
    path,
    rows,
    newId: () => 'w1',
    changed: (row, { body }) =>
      grow(update === 'merge-patch' ? merged(row, definitionOf(body)) : { ...row, ...definitionOf(body) }),
  });
  const host = await startApiHost((asked) => {
    const said = answer(asked);
    if (asked.method === 'POST') rows.splice(0, 1, ...rows.slice(0, 1).map(grow));
    return asked.method === 'POST' ? { ...said, body: rows[0] ?? null } : said;
  });
  const project = createHostProject({ test: host }, { 'kinds/Workflow.kind.yaml': kind(update) });
  const declare = (text: string) => project.write('config/all.yaml', `---\n${text}\n`);
  const succeed = async (...argv: string[]) => {
    const ran = await project.run(...argv);
    expect(ran, ran.stderr + ran.stdout).toMatchObject({ code: 0 });
    return ran;
  };
  /** What moves by itself. */
  const move = () => rows.splice(0, 1, ...rows.slice(0, 1).map(grow));
  return { rows, host, project, declare, succeed, move };
}

describe.each(['put', 'merge-patch', 'patch'])('an object whose update is %s', (update) => {
  it('is as it was declared, although the tenant mints, fills up and moves members', async () => {
    const { rows, project, declare, succeed, move } = await open(update);
    declare(manifest('one', 'joiner', 'leaver'));
    await succeed('apply', '--yes');
    expect((await project.plan()).changes).toEqual([]);
    move();
    expect((await project.plan()).changes).toEqual([]);

    declare(manifest('two', 'mover', 'joiner'));
    await succeed('plan', '--out', 'plan.json');
    move();
    const { stdout } = await succeed('apply', 'plan.json');
    expect(stdout).not.toMatch(/ignored|rewrote|no change asked for that/);
    expect(rows[0]).toMatchObject({
      definition: { text: 'two', triggers: [{ on: 'mover' }, { on: 'joiner' }] },
    });
    expect((await project.plan()).changes).toEqual([]);
  });
});

it('goes back with what the server owns as it was read just before', async () => {
  const { rows, host, declare, succeed, move } = await open();
  declare(manifest('one', 'joiner'));
  await succeed('apply', '--yes');
  declare(manifest('two', 'joiner'));
  await succeed('plan', '--out', 'plan.json');
  move();
  const [before] = rows;
  await succeed('apply', 'plan.json');
  const sent = host.log.findLast(({ method }) => method === 'PUT')?.body;
  const { definition, connector } = before ?? {};
  expect(sent).toMatchObject({
    definition: {
      since: Object(definition).since,
      steps: Object(definition).steps.first && { first: { since: Object(definition).since } },
    },
    connector: { healthy: Object(connector).healthy },
  });
});

it('shows what a place says is plain, and exports neither minted nor server-owned members', async () => {
  const { project, declare, succeed } = await open();
  declare(manifest('one', 'joiner'));
  expect((await succeed('plan')).stdout).toContain('firstName');
  await succeed('apply', '--yes');
  const { stdout } = await succeed('export', '--out', 'exported', '--kinds', 'Workflow');
  expect(stdout).toContain('Files written');
  const [text = ''] = [...filesBelow(`${project.dir}/exported`).values()];
  expect(text).toContain('key: firstName');
  expect(text).not.toMatch(/refID|since|healthy/);
});
