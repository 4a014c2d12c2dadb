/** When an object was last modified, which commit asks for a change, and what an earlier apply of this checkout did itself. */
import { expect, it } from 'vitest';
import { commitAll, git } from '../support/repository.ts';
import { createTestWorld, expectEnd, succeed, type World } from '../support/world.ts';

const seed = `
simIntegrations:
  - { id: s1, name: Tickets, type: Jira, description: A, modified: "2024-05-01T10:00:00+02:00" }
`;
const tickets = (fields: string) => `kind: SimIntegration\nname: Tickets\n${fields}\n`;

async function createCommitted(): Promise<World> {
  const world = await createTestWorld({ seed, files: { 'config/tickets.yaml': tickets('description: A') } });
  // Git keeps seconds: what an apply does in that of the commit may be before it.
  commitAll(world.dir, 'before', '2026-01-01T00:00:00Z');
  return world;
}

async function commit(world: World, fields: string, author = 'Ada [x](y)'): Promise<void> {
  world.write('config/tickets.yaml', tickets(fields));
  git(world.dir, 'add', '--all');
  git(world.dir, 'commit', '-qm', 'change', '--author', `${author} <ada@acme.example>`);
}

it('tells when the object was last modified, and in which commit the manifest was changed', async () => {
  const world = await createCommitted();
  await commit(world, 'description: B');
  const id = git(world.dir, 'rev-parse', 'HEAD').slice(0, 8);
  const plan = await world.plan('--since', 'HEAD~1');
  const at = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(plan.changes).toMatchObject([
    { modified: '2024-05-01T08:00:00.000Z', commit: { id, author: 'Ada [x](y)', at } },
  ]);
  const text = await succeed(world, 'plan', '--since', 'HEAD~1');
  expect(text.stdout).toContain('in the tenant: last modified 2024-05-01 08:00 UTC');
  expect(text.stdout).toContain(`in the repository: ${id} by Ada [x](y), `);
  const markdown = await succeed(world, 'plan', '--since', 'HEAD~1', '--format', 'markdown');
  expect(markdown.stdout).not.toContain('Ada [x](y)');
  expect(markdown.stdout).toContain(`${id} by Ada`);
  const html = await succeed(world, 'plan', '--format', 'html');
  expect(html.stdout).toContain('last modified 2024-05-01 08:00 UTC');
});

it('is none of what is approved: without --since, only the time is told', async () => {
  const world = await createCommitted();
  await commit(world, 'description: B');
  const before = await world.plan();
  for (const each of world.sandbox.state.simIntegrations) each.modified = '2025-01-01T00:00:00.000Z';
  const [change] = (await world.plan()).changes;
  expect(change).toMatchObject({ modified: '2025-01-01T00:00:00.000Z' });
  expect(change).not.toHaveProperty('commit');
  expect((await world.plan()).digest).toBe(before.digest);
  expect((await world.run('plan')).stdout).not.toContain('last modified');
  expect((await world.run('plan --verbose')).stdout).toContain('last modified');
});

it('names the commit of a side file and of a removed manifest, but no one where the file is not committed', async () => {
  const world = await createTestWorld({ seed });
  world.write('config/tickets.yaml', tickets('description: !file text.txt'));
  world.write('config/text.txt', 'A');
  commitAll(world.dir);
  const name = async () =>
    (
      await world.plan('--since', 'HEAD~1', '--max-deletes', '1', '--allow-delete-all', 'SimIntegration')
    ).changes.map(({ commit: found }) => found?.author);
  world.write('config/text.txt', 'B');
  git(world.dir, 'commit', '-qam', 'text', '--author', 'Ben <b@acme.example>');
  expect(await name()).toEqual(['Ben']);
  world.write('config/text.txt', 'C');
  expect(await name()).toEqual([undefined]);
  git(world.dir, 'rm', '-q', '--force', 'config/tickets.yaml', 'config/text.txt');
  git(world.dir, 'commit', '-qm', 'remove', '--author', 'Cleo <c@acme.example>');
  expect(await name()).toEqual(['Cleo']);
});

it('does not call later applies of this checkout changes by somebody', async () => {
  const world = await createCommitted();
  await commit(world, 'description: B');
  await succeed(world, 'apply', '--yes');
  await commit(world, 'description: B\ncluster: c2');
  await succeed(world, 'apply', '--yes');
  await commit(world, 'description: A');
  const origins = async () => {
    const { changes } = await world.plan('--since', 'HEAD~3');
    return changes.map(({ risk, diff }) => ({ risk, origins: diff.map(({ origin }) => origin) }));
  };
  expect(await origins()).toEqual([{ risk: [], origins: ['repo'] }]);
  for (const each of world.sandbox.state.simIntegrations) each.description = 'by hand';
  expect(await origins()).toEqual([{ risk: ['undoes-tenant-change'], origins: ['tenant'] }]);
});

it('does not call a delete by a later apply of this checkout one by somebody, unless that failed', async () => {
  const world = await createCommitted();
  const [shown] = world.sandbox.state.simIntegrations;
  await commit(world, 'ensure: absent');
  const remove = ['apply', '--yes', '--allow-delete-all', 'SimIntegration'];
  world.sandbox.faults.add({ kind: 'status', status: 403, method: 'DELETE', times: 1 });
  await expectEnd(world.run(...remove), 3);
  await commit(world, 'type: Jira');
  const risks = async () => (await world.plan('--since', 'HEAD~2')).changes.map(({ risk }) => risk);
  world.sandbox.state.simIntegrations = [];
  expect(await risks()).toEqual([['undoes-tenant-change']]);
  world.sandbox.state.simIntegrations = shown ? [shown] : [];
  git(world.dir, 'reset', '-q', '--hard', 'HEAD~1');
  await succeed(world, ...remove);
  await commit(world, 'type: Jira');
  expect(await risks()).toEqual([[]]);
  await succeed(world, 'apply', '--yes');
  world.sandbox.state.simIntegrations.pop();
  expect(await risks()).toEqual([['undoes-tenant-change']]);
});
