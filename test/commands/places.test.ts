/** Ids of other objects inside JSON: written as `!ref` by the policies of a descriptor, so that no id of one tenant gets into another. */

import { rmSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { caseFiles, caseId, caseKinds, caseRole, caseSeed, rolePlaces } from '../support/tenant-of-cases.ts';
import { createTwoTenants } from '../support/two-tenants.ts';
import { createTestWorld, expectEnd, filesBelow, succeed, type WorldOptions } from '../support/world.ts';

/** What was printed, on one line, without the code of what it is about. */
const wordsOf = (text: string) => text.replaceAll(/\s+|\[ids-kept\]/g, ' ').replaceAll(/ +/g, ' ');

/** A tenant whose role has these members. */
const seedWith = (members: JsonObject) => caseSeed('A', [{ ...caseRole('A'), ...members }]);

const world = (options: WorldOptions = {}) =>
  createTestWorld({ seed: caseSeed('A', [caseRole('A')]), files: caseFiles(), ...options });

async function twoTenants(
  options: { readonly files?: Record<string, string>; readonly second?: JsonObject[] } = {},
) {
  const { files = caseFiles(), second = [] } = options;
  const two = await createTwoTenants({
    test: { seed: caseSeed('A', [caseRole('A')]), files },
    production: { seed: caseSeed('B', second) },
  });
  onTestFinished(() => two.close());
  return { ...two, succeed: (...argv: string[]) => succeed(two, ...argv) };
}

it('an export of one tenant, applied to another one, has its ids at every place', async () => {
  const { succeed, test } = await twoTenants();
  await succeed('export', '-e', 'test', '--kinds', 'Role');
  const [text = ''] = [...filesBelow(`${test.dir}/config`).values()];
  expect(text).toContain('sourceId: !ref Source/HR');
  expect(text).toContain('approverId: !ref GovernanceGroup/Finance');
  expect(text).toContain('sourceIds: [!ref Source/Ledger, !ref Source/HR]');
  expect(text).toMatch(/limits:\n +Source\/HR:\n +most: 3\n +Source\/Ledger:\n +most: 5\n/);
  expect(text).not.toMatch(/[0-9a-f]{32}/);
  await succeed('apply', '-e', 'production', '--yes');
  const { stdout } = await succeed('plan', '-e', 'production');
  expect(stdout).toContain('No changes');
  const { stdout: plan } = await succeed('plan', '-e', 'test');
  expect(plan).toContain('No changes');
  const { stdout: diff } = await succeed('diff', 'test', 'production', '--kinds', 'Role');
  expect(diff).toContain('No differences');
  rmSync(`${test.dir}/config`, { recursive: true });
  await succeed('export', '-e', 'production', '--kinds', 'Role');
  expect([...filesBelow(`${test.dir}/config`).values()][0]).toBe(text);
});

/** A source that the project makes itself, and a role whose criteria name it. */
const source = { ...caseKinds.Source, update: 'none', create: true, delete: true };
const withSources = (...roles: JsonObject[]) => ({
  files: { ...caseFiles(), 'kinds/Source.kind.yaml': JSON.stringify(source) },
  seed: caseSeed('A', roles).replace(JSON.stringify(caseKinds.Source), JSON.stringify(source)),
});
const manifests = `kind: Source
name: New
---
kind: Role
name: Reader
membership: { criteria: { key: { sourceId: !ref Source/New } }, sourceIds: [!ref Source/HR, !ref Source/New], limits: { Source/HR: 1, Source/New: 2 } }
accessRequestConfig: { formId: !ref GovernanceGroup/Finance, approvalSchemes: [{ approverType: IDENTITY, approverId: !ref Identity/Ann }] }
`;

it('an id that the same plan makes is filled in at its places, and what names it is deleted first', async () => {
  const { write, run, plan, sandbox } = await world(withSources());
  write('config/all.yaml', manifests);
  expect((await run('plan')).stdout).toContain('Source/New');
  await expectEnd(run('apply', '--yes'), 0);
  expect((await plan()).changes).toEqual([]);
  const made = sandbox.state.objects.Source?.find(({ name }) => name === 'New')?.id;
  const role = sandbox.state.objects.Role?.find(({ name }) => name === 'Reader');
  expect(role).toMatchObject({
    membership: {
      criteria: { key: { sourceId: made } },
      sourceIds: [caseId('A', 'HR'), made],
      limits: { [caseId('A', 'HR')]: 1, [String(made)]: 2 },
    },
    accessRequestConfig: {
      formId: caseId('A', 'Finance'),
      approvalSchemes: [{ approverId: caseId('A', 'Ann') }],
    },
  });
  const absent = ['Source/New', 'Role/Reader'].map((each) => each.split('/'));
  write(
    'config/all.yaml',
    absent.map(([kind, name]) => `---\nkind: ${kind}\nname: ${name}\nensure: absent\n`).join(''),
  );
  await expectEnd(run('apply', '--yes', '--result', 'result.json', '--allow-delete-all', 'Role'), 0);
  const deletes = sandbox.log.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
  expect(deletes).toEqual([`/v2025/roles/${role?.id}`, `/v2025/sources/${made}`]);
  for (const line of ['rollback result.json --out back.json', 'apply back.json'])
    await expectEnd(run(line), 0);
  const again = sandbox.state.objects.Source?.find(({ name }) => name === 'New')?.id;
  expect(sandbox.state.objects.Role?.find(({ name }) => name === 'Reader')).toMatchObject({
    membership: {
      criteria: { key: { sourceId: again } },
      sourceIds: [caseId('A', 'HR'), again],
      limits: { [caseId('A', 'HR')]: 1, [String(again)]: 2 },
    },
  });
});

it('names of members that are ids are changed, made, merged and rolled back like any other id', async () => {
  const places = { ...rolePlaces, accessRequestConfig: { is: 'reference', names: true, to: 'Source' } };
  const role: JsonObject = { ...caseKinds.Role, places };
  const fields = { ...(role.fields as JsonObject), accessRequestConfig: { is: 'json', declares: 'members' } };
  const base = withSources(caseRole('A'));
  const { write, read, run, plan, sandbox } = await world({
    ...base,
    files: {
      ...base.files,
      'kinds/Role.kind.yaml': JSON.stringify({ ...role, fields }),
      'config/source.yaml': 'kind: Source\nname: New/One\n',
    },
  });
  const succeed = async (...argv: string[]) => (await expectEnd(run(...argv), 0)).stdout;
  const live = () => sandbox.state.objects.Role?.[0] as Record<string, JsonObject>;
  const [hr, ledger] = [caseId('A', 'HR'), caseId('A', 'Ledger')];
  live().accessRequestConfig = { [hr]: 1, [ledger]: 5 };
  const manifest = `kind: Role
name: Accountant
membership:
  limits:
    # The most of each.
    Source/HR: { most: 4 }
    Source/New%2FOne: { most: 2 }
accessRequestConfig: { Source/HR: 2, Source/New%2FOne: 7 }
`;
  write('config/role.yaml', manifest);
  const shown = await succeed('plan');
  expect(shown).toContain(`~ membership/limits/!ref Source/HR (${hr})/most  3 → 4`);
  expect(shown).toContain('+ accessRequestConfig/!ref Source/New%2FOne (created by this plan)  7');
  await succeed('apply', '--yes', '--result', 'result.json');
  expect((await plan()).changes).toEqual([]);
  const made = String(sandbox.state.objects.Source?.find(({ name }) => name === 'New/One')?.id);
  expect(live()).toMatchObject({
    membership: { limits: { [hr]: { most: 4 }, [made]: { most: 2 } } },
    accessRequestConfig: { [hr]: 2, [ledger]: 5, [made]: 7 },
  });

  expect(await succeed('export', '--merge')).toContain('0 changed');
  live().membership = { limits: { [hr]: { most: 6 }, [ledger]: { most: 1 } } };
  await succeed('export', '--merge');
  expect(read('config/role.yaml')).toBe(
    manifest.replace('most: 4', 'most: 6').replace('New%2FOne: { most: 2 }', 'Ledger:\n      most: 1'),
  );
  expect((await plan()).changes).toEqual([]);

  live().membership = { limits: { [hr]: { most: 4 }, [made]: { most: 2 } } };
  await succeed('rollback', 'result.json', '--out', 'back.json');
  await succeed('apply', 'back.json', '--yes');
  expect(live().accessRequestConfig).toEqual({ [hr]: 1, [ledger]: 5 });
  expect(live().membership).toMatchObject({ limits: { [hr]: { most: 3 }, [ledger]: { most: 5 } } });
});

it.each([200, 403, 404])(
  'a merge keeps what still leads to its object, also where its kind answers %i',
  async (status) => {
    const role = { id: caseId('A', 'Role'), name: 'Accountant', membership: { other: caseId('A', 'Ann') } };
    const { write, read, run, sandbox } = await world({ seed: caseSeed('A', [role]) });
    const manifest = 'kind: Role\nname: Accountant\nmembership: { other: !ref Identity/Ann }\n';
    write('config/role.yaml', manifest);
    if (status !== 200) sandbox.faults.add({ kind: 'status', status, path: '/v2025/identities', times: 99 });
    const { stderr } = await expectEnd(run('export', '--merge'), 0);
    expect(read('config/role.yaml')).toBe(manifest);
    expect(stderr).not.toContain('[tag-replaced]');
    expect(stderr.includes('Ids of the kind Identity stay as they are')).toBe(status !== 200);
  },
);

it('a merge gives references the names that it takes over from the tenant, wherever they are', async () => {
  const [hr, ledger] = [caseId('A', 'HR'), caseId('A', 'Ledger')];
  const limits = { [hr]: { most: 4 }, [ledger]: { most: 5 } };
  const membership = { any: hr, sourceIds: [ledger, hr], limits };
  const role = { id: caseId('A', 'Role'), name: 'Accountant', membership };
  const { write, read, run, plan } = await world({ seed: caseSeed('A', [role]) });
  const manifest = (first: string, second: string, most: number) => `kind: Source
id: ${hr}
name: ${first}
---
kind: Source
id: ${ledger}
name: ${second}
---
kind: Role
name: Accountant
membership:
  any: !ref Source/${first} # any
  sourceIds: [!ref Source/${second}, !ref Source/${first}] # both
  limits:
    # The most of each.
    Source/${first}: { most: ${most} } # one
    Source/${second}: { most: 9 } # other
lifecycle: { ignore: [/membership/limits/Source~1${second}] }
`;
  // The tenant gave the name of one to the other.
  write('config/all.yaml', manifest('Old', 'HR', 3));
  await expectEnd(run('export', '--merge'), 0);
  expect(read('config/all.yaml')).toBe(manifest('HR', 'Ledger', 4));
  expect((await plan()).changes).toEqual([]);
  expect((await run('export', '--merge')).stdout).toContain('0 changed');
  // References in other documents of the project are renamed too: else it could not be planned any more.
  write('config/all.yaml', manifest('Old', 'HR', 3));
  await expectEnd(run('export', '--merge', '--only', 'Source/**'), 0);
  expect(read('config/all.yaml')).toBe(manifest('HR', 'Ledger', 3));
});

it('a merge writes the id where the tenant now has another type beside it', async () => {
  const scheme = { approverType: 'MANAGER', approverId: caseId('A', 'Ann') };
  const accessRequestConfig = { approvalSchemes: [scheme] };
  const role = { id: caseId('A', 'Role'), name: 'Accountant', accessRequestConfig };
  const { write, read, run, plan } = await world({ seed: caseSeed('A', [role]) });
  const manifest =
    'kind: Role\nname: Accountant\naccessRequestConfig: { approvalSchemes: [{ approverType: IDENTITY, approverId: !ref Identity/Ann }] }\n';
  write('config/role.yaml', manifest);
  await expectEnd(run('export', '--merge'), 0);
  expect(read('config/role.yaml')).toBe(
    manifest.replace('IDENTITY', 'MANAGER').replace('!ref Identity/Ann', caseId('A', 'Ann')),
  );
  expect((await plan()).changes).toEqual([]);
});

/** A tenant with one hook, of a kind that the project describes so. */
const hooks = (kind: JsonObject, members: JsonObject, env: NodeJS.ProcessEnv = {}) =>
  createTestWorld({
    seed: JSON.stringify({ kinds: [kind], objects: { Hook: [{ id: 'h1', name: 'H', ...members }] } }),
    files: { 'kinds/Hook.kind.yaml': JSON.stringify(kind) },
    env,
  });

it('a merge leaves lists without order in the order of the manifest, also with secrets in them', async () => {
  const kind = {
    kind: 'Hook',
    path: '/v2025/hooks',
    update: 'json-patch',
    fields: { calls: 'json', settings: { is: 'json', declares: 'members' } },
    places: { calls: 'set', 'calls/*/token': 'secret', 'settings/rooms': 'set' },
  };
  const env = { ONE: 'token-1', TWO: 'token-2' };
  const calls = Object.entries(env).map(([name, token]) => ({ to: name.toLowerCase(), token }));
  const { write, read, run, sandbox } = await hooks(
    kind,
    { calls, settings: { size: 2, rooms: ['b', 'a'] } },
    env,
  );
  const manifest = `kind: Hook
name: H
calls:
  - { to: two, token: !secret TWO } # second
  - { to: one, token: !secret ONE } # first
settings:
  size: 1
  rooms:
    - a # ours
    - b # theirs
`;
  write('config/hook.yaml', manifest);
  expect(await run('export', '--merge', '--kinds', 'Hook')).toMatchObject({ code: 0 });
  expect(read('config/hook.yaml')).toBe(manifest.replace('size: 1', 'size: 2'));
  Object.assign(sandbox.state.objects.Hook?.[0] ?? {}, { settings: { size: 1, rooms: ['c', 'b', 'a'] } });
  expect(await run('export', '--merge', '--kinds', 'Hook')).toMatchObject({ code: 0 });
  expect(read('config/hook.yaml')).toBe(manifest.replace('# theirs\n', '# theirs\n    - c\n'));
});

it('what a manifest ignores may move while a plan waits, with what the tenant owns or masks in it', async () => {
  const kind = {
    kind: 'Hook',
    path: '/v2025/hooks',
    update: 'put',
    fields: { config: 'json' },
    places: { 'config/calls/*/id': 'minted', 'config/user/token': 'serverOwned' },
  };
  const config = { size: 1, calls: [{ to: 'one', id: 'c1' }], user: { name: 'ann', token: '********' } };
  const { write, run, sandbox } = await hooks(kind, { config });
  const ignore = '[/config/calls, /config/user]';
  write('config/hook.yaml', `kind: Hook\nname: H\nconfig: { size: 2 }\nlifecycle: { ignore: ${ignore} }\n`);
  await expectEnd(run('plan --out plan.json'), 0);
  const calls = [{ to: 'two', id: 'c2' }, ...config.calls];
  Object.assign(sandbox.state.objects.Hook?.[0] ?? {}, { config: { ...config, calls } });
  await expectEnd(run('apply plan.json'), 0);
  const wanted = { size: 2, calls, user: { name: 'ann' } };
  expect(sandbox.state.objects.Hook?.[0]?.config).toEqual(wanted);
});

it.each([
  ['membership: { sourceIds: [!ref Identity/Ann] }', 'refers to the kind Source, not to Identity'],
  ['additionalOwners: [{ type: OTHER, id: !ref Identity/Ann }]', '`!ref` is not allowed here'],
  ['membership: !ref Source/HR', '`!ref` is not allowed here in `membership`.'],
  ['membership: { limits: { Source/Nope: 1 } }', 'The tenant has no Source with the key "Nope"'],
  ['membership: { limits: { Identity/Ann: 1 } }', 'refers to the kind Source, not to Identity'],
  ['membership: { limits: { $ref:Source/HR: 1 } }', 'is reserved for tenantctl'],
  ['membership: { other: !ref Source/Nope }', 'The tenant has no Source with the key "Nope"'],
  ['description: !ref Source/HR', '`!ref` is not allowed here in `description`.'],
])('a reference that a place does not take is refused: %s', async (line, message) => {
  const { write, run } = await world();
  write('config/role.yaml', `kind: Role\nname: Reader\n${line}\n`);
  await expectEnd(run('plan'), 1, message, 'config/role.yaml:3:');
});

it.each([
  [{ 'memberships/*': 'plain' }, 'This place begins with `memberships`'],
  [{ description: { is: 'reference', to: 'Source' } }, '`description` is not JSON'],
  [{ membership: { is: 'reference', to: 'Sauce' } }, 'There is no kind `Sauce`.'],
  [{ membership: { is: 'reference', to: { A: 'Source' } } }, 'to'],
])('a place that leads nowhere is told: %j', async (places, message) => {
  const { run } = await world({ files: caseFiles(places) });
  const { stderr, stdout } = await run('validate');
  expect(stderr + stdout).toContain(message);
  expect(stderr + stdout).toContain('kinds/Role.kind.yaml:1:');
});

it('text in the place of JSON is told, and how the members are written', async () => {
  const { run, write } = await world();
  write('config/role.yaml', `kind: Role\nname: R\nmembership: '{"type":"STANDARD"}'\n`);
  const { stdout } = await run('validate');
  expect(stdout).toMatch(/config\/role\.yaml:3:13 +error .*\[wrong-type\].*Write its members as YAML/s);
});

it('warns of a value inside a field that the tenant sets, with its place', async () => {
  const { run, write } = await world();
  write(
    'config/d.yaml',
    'kind: ServiceDeskIntegration\nname: D\nprovisioningConfig:\n  noProvisioningRequests: true\n  universalManager: true\n',
  );
  const { stdout } = await expectEnd(run('validate'), 0);
  expect(stdout.match(/\[server-owned-field\]/g)).toHaveLength(1);
  expect(wordsOf(stdout)).toContain(
    'config/d.yaml:5:21 warning `provisioningConfig/universalManager` is set by the tenant (`places` of ServiceDeskIntegration), so this value is never written.',
  );
});

const foreign = { kind: 'Role', ...caseRole('A'), id: undefined };

it('names the ids that no policy settles, and the policies; `kind check --write` adds them', async () => {
  const { run, read, dir } = await world({ files: caseFiles({}) });
  const { stderr } = await run('export', '--kinds', 'Role', '--out', 'first');
  const hints = [
    'membership/**/sourceId: { is: reference, to: Source }',
    'membership/sourceIds: { is: reference, to: Source }',
    'membership/limits: { is: reference, names: true, to: Source }',
    'accessRequestConfig/approvalSchemes/*/approverId: { is: reference, by: approverType, to: { GOVERNANCE_GROUP: GovernanceGroup, IDENTITY: Identity } }',
    'additionalOwners/*/id: { is: reference, by: type, to: { IDENTITY: Identity, GOVERNANCE_GROUP: GovernanceGroup } }',
  ];
  const words = wordsOf(stderr);
  for (const hint of hints) expect(words).toContain(`- ${hint} in Role/Accountant`);
  expect(words).toContain('Add these lines to `places` in kinds/Role.kind.yaml');
  const checked = await expectEnd(run('kind', 'check', 'Role', '--write'), 0);
  expect(checked.stdout).toContain('Marked as proven');
  expect(JSON.parse(read('kinds/Role.kind.yaml')).places).toMatchObject({
    'membership/**/sourceId': { is: 'reference', to: 'Source' },
    'additionalOwners/*/id': { by: 'type' },
    'membership/limits': { names: true, to: 'Source' },
  });
  const second = await run('export', '--kinds', 'Role', '--out', 'second');
  expect(second.stderr).not.toContain('ids-kept');
  expect([...filesBelow(`${dir}/second`).values()].join('')).not.toMatch(/[0-9a-f]{32}/);
});

it('finds all ids below each other: in names below names, lists of lists and lists of objects', async () => {
  const [hr, ledger] = [caseId('A', 'HR'), caseId('A', 'Ledger')];
  const membership = {
    deep: { one: { [hr]: { [ledger]: { source: hr } } } },
    grid: [[hr, ledger], [[ledger]]],
    rows: [{ [hr]: 1 }],
  };
  const { run, read, dir } = await world({ seed: seedWith({ membership }), files: caseFiles({}) });
  await run('kind', 'check', 'Role', '--write');
  const { places } = JSON.parse(read('kinds/Role.kind.yaml'));
  expect(places).toMatchObject({
    'membership/deep/one': { names: true, to: 'Source' },
    'membership/deep/one/*': { names: true, to: 'Source' },
    'membership/deep/one/*/*/source': { to: 'Source' },
    'membership/rows/*': { names: true, to: 'Source' },
  });
  const { stderr } = await run('export', '--kinds', 'Role', '--out', 'named');
  expect(stderr).not.toContain('ids-kept');
  expect([...filesBelow(`${dir}/named`).values()].join('')).not.toMatch(/[0-9a-f]{32}/);
});

it('writes policies that settle the ids of members without a name that a path can have, and keeps those that are there', async () => {
  const [hr, ledger] = [caseId('A', 'HR'), caseId('A', 'Ledger')];
  const membership = {
    odd: { '': hr, '**': ledger, 'a/b': { '': hr }, c: ledger },
    mixed: { '': hr, owner: caseId('A', 'Ann') },
    limits: { [hr]: ledger },
    tags: [hr],
  };
  const kept = {
    'membership/limits': { is: 'reference', names: true, to: 'Source' },
    'membership/tags': 'set',
  } as const;
  const { run, read } = await world({ seed: seedWith({ membership }), files: caseFiles(kept) });
  await run('kind', 'check', 'Role', '--write');
  const { places } = JSON.parse(read('kinds/Role.kind.yaml'));
  expect(places).toMatchObject({
    ...kept,
    'membership/odd/*': { to: 'Source' },
    'membership/odd/*/*': { to: 'Source' },
    'membership/limits/*': { to: 'Source' },
  });
  const again = await run('kind', 'check', 'Role', '--write');
  expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Added') });
  const { stderr } = await run('export', '--kinds', 'Role', '--out', 'named');
  expect(stderr).not.toContain('membership/odd');
});

it('a plan and a diff tell ids of another tenant, also where nothing differs', async () => {
  const owner = { type: 'IDENTITY', id: caseId('B', 'Ann') };
  const second = [{ ...caseRole('A'), id: caseId('B', 'Role'), owner }];
  const { succeed, test, production } = await twoTenants({ files: caseFiles({}), second });
  test.declare([{ ...foreign, owner: undefined }]);
  const plan = await succeed('plan', '-e', 'production');
  expect(plan.stdout).toContain('No changes');
  expect(wordsOf(plan.stdout)).toContain(
    'Role has texts that look like ids, but the tenant has no such object of a kind that the project knows: - membership/**/sourceId in Role/Accountant - membership/sourceIds in Role/Accountant - membership/limits in Role/Accountant - accessRequestConfig/approvalSchemes/*/approverId in Role/Accountant - additionalOwners/*/id in Role/Accountant',
  );
  expect((await succeed('plan', '-e', 'test')).stdout).not.toContain('ids-kept');
  const { stdout } = await succeed('diff', 'test', 'production', '--kinds', 'Role');
  expect(stdout).toContain('No differences');
  expect(wordsOf(stdout)).toContain(
    '- membership/**/sourceId: { is: reference, to: Source } in Role/Accountant',
  );
  expect(wordsOf(stdout)).toContain('the tenant of production has no such object');
  expect(production.sandbox.log.every(({ method }) => method === 'GET' || method === 'POST')).toBe(true);
});

it('tells ids inside texts and names of members, and says nothing of what is plain', async () => {
  const hr = caseId('A', 'HR');
  const role = {
    id: '1',
    name: 'Texts',
    description: `Made from ${hr}`,
    membership: {
      [hr]: 'x',
      query: `@access(id:${hr})`,
      form: caseId('A', 'unknown'),
      log: 'As in 8F14E45F-CEEA-467A-9F1B-0D2C3B4A5E6F.',
    },
    accessRequestConfig: { form: hr },
  };
  const files = caseFiles({ 'accessRequestConfig/form': 'plain' });
  const { run } = await world({ seed: caseSeed('A', [role]), files });
  const { stderr } = await run('export', '--kinds', 'Role');
  const words = wordsOf(stderr);
  expect(words).toContain(
    'ids of objects inside texts and names of members, which have other ids in another tenant: - description (Source)',
  );
  expect(words).toContain('- membership/query (Source) in Role/Texts');
  expect(words).toContain('- membership (Source) in Role/Texts');
  expect(words).toContain('texts that look like ids, but the tenant has no such object');
  for (const place of ['form', 'log']) expect(words).toContain(`- membership/${place} in Role/Texts`);
  expect(words).not.toContain('accessRequestConfig');
});

it('a diff says once what ids in both tenants stay as they are', async () => {
  const roleOf = (tenant: string) => ({
    ...caseRole(tenant),
    id: caseId(tenant, 'Role'),
    description: `As ${caseId(tenant, 'HR')}`,
  });
  const { succeed, test } = await twoTenants({ second: [roleOf('B')] });
  test.sandbox.state.objects.Role = [roleOf('A')];
  const { stdout } = await succeed('diff', 'test', 'production', '--kinds', 'Role', '--format', 'json');
  const codes = JSON.parse(stdout).diagnostics.map(({ code }: { code: string }) => code);
  expect(codes.filter((code: string) => code === 'ids-kept')).toHaveLength(1);
});

it('a key may have the name of what an object refers to: an entitlement is a name on a source', async () => {
  const Entitlement: JsonObject = {
    kind: 'Entitlement',
    path: '/v2025/entitlements',
    key: [{ name: 'source', of: 'name' }, 'name'],
    list: { filter: ['name', 'type'], counts: true, pageSize: 50 },
  };
  const fields = { entitlements: { is: 'references', to: 'Entitlement' } };
  const role: JsonObject = { ...caseKinds.Role, fields };
  const files = {
    'kinds/Entitlement.kind.yaml': JSON.stringify(Entitlement),
    'kinds/Role.kind.yaml': JSON.stringify(role),
  };
  const seedOf = (tenant: string, roles: readonly JsonObject[]) => {
    const on = (source: string) => ({
      id: caseId(tenant, `${source} ledger`),
      name: 'Ledger',
      source: { type: 'SOURCE', id: caseId(tenant, source), name: source },
    });
    const objects = { Entitlement: [on('HR'), on('ERP')], Role: roles };
    return JSON.stringify({ kinds: [Entitlement, role], objects });
  };
  const entitlements = [{ type: 'ENTITLEMENT', id: caseId('A', 'ERP ledger') }];
  const two = await createTwoTenants({
    test: { seed: seedOf('A', [{ id: 'r', name: 'Clerk', entitlements }]), files },
    production: { seed: seedOf('B', []) },
  });
  onTestFinished(() => two.close());
  for (const line of ['export -e test --kinds Role', 'apply -e production --yes', 'plan -e test'])
    await succeed(two, line);
  expect([...filesBelow(`${two.test.dir}/config`).values()].join('')).toContain(
    '!ref Entitlement/ERP/Ledger',
  );
  expect(two.production.sandbox.state.objects.Role).toMatchObject([
    { name: 'Clerk', entitlements: [{ id: caseId('B', 'ERP ledger') }] },
  ]);
  const asked = two.production.sandbox.log.map(({ query }) => query?.filters).filter(Boolean);
  expect(asked).toContain('name eq "Ledger"');
  two.test.write('kinds/Entitlement.kind.yaml', JSON.stringify({ ...Entitlement, create: true }));
  expect((await two.run('validate', '-e', 'test')).stdout).toContain('a reference in its key');
});

/** What a built-in kind shows of ids, in a tenant with these objects of it. */
const builtIn = (members: object, options: WorldOptions = {}) =>
  createTestWorld({
    seed: JSON.stringify({ objects: { Source: [hr], Cluster: [va] }, ...members }),
    ...options,
  });
const [hr, va] = ['HR', 'va'].map((name) => ({ id: caseId('A', name), name }));
const tickets = { id: 's1', name: 'Tickets', type: 'Jira', cluster: caseId('A', 'va'), sources: [] };

it('tells the ids in built-in kinds that nothing names', async () => {
  const rule = { type: 'RULE', id: caseId('A', 'Rule'), name: 'Before' };
  const attributes = { group: caseId('A', 'HR'), foreign: caseId('X', 'group') };
  const sim = { ...tickets, beforeProvisioningRule: rule, attributes };
  const { run, dir } = await builtIn({ simIntegrations: [sim] });
  const { stderr } = await run('export');
  const told = wordsOf(stderr);
  expect(told).toContain(
    'The id in `beforeProvisioningRule` of SimIntegration/Tickets stays as it is: the project describes no ConnectorRule. Copy a descriptor with `tenantctl kind add ConnectorRule`',
  );
  expect(told).toContain('- attributes/group (Source) in SimIntegration/Tickets hint: Write `!ref KIND/KEY`');
  // Settings are full of ids of other systems.
  expect(told).not.toContain('attributes/foreign');
  expect([...filesBelow(`${dir}/config`).values()].join('')).toContain('cluster: !ref Cluster/va');
});

it('names the sources that a service desk manages, wherever the tenant has them', async () => {
  const provisioningConfig = { managedResourceRefs: [{ type: 'SOURCE', ...hr }] };
  const desk = { id: 'd1', name: 'Desk', type: 'Jira', description: 'd', attributes: {}, provisioningConfig };
  const { run, dir, plan } = await builtIn({ objects: { Source: [hr], ServiceDeskIntegration: [desk] } });
  const { stderr } = await run('export', '--kinds', 'ServiceDeskIntegration');
  expect(stderr).not.toContain('ids-kept');
  expect([...filesBelow(`${dir}/config`).values()].join('')).toContain('id: !ref Source/HR');
  expect((await plan()).changes).toEqual([]);
});

it('tells an id of a rule whose record has no name of its own', async () => {
  const attribute = (id: string) => ({ id, uid: id, label: 'Manager' });
  const rules = ['a1', 'gone'].map((id, at) => ({
    id: `r${at}`,
    type: 'ProfileAttributeRule',
    condition_object_id: id,
    comparison_operator: '==',
    value: 'x',
  }));
  const profileSearches = [{ id: 'p1', label: 'Late', rules }];
  const { run } = await builtIn({ profileSearches, neAttributes: [attribute('a1')] });
  const { stderr } = await run('export');
  expect(wordsOf(stderr)).toContain(
    'The id in `rules/*/condition_object_id` of ProfileSearch/Late stays as it is: ne_attributes has no record with this id',
  );
});

it('a plan tells ids of another tenant also where a name could stand, and asks nothing of its own', async () => {
  const { run, write, sandbox } = await builtIn({
    simIntegrations: [{ ...tickets, sources: [caseId('A', 'HR')], attributes: {} }],
  });
  const manifest = (...sources: string[]) =>
    write('config/tickets.yaml', JSON.stringify({ kind: 'SimIntegration', name: 'Tickets', sources }));
  manifest(caseId('A', 'HR'));
  expect((await run('plan')).stdout).not.toContain('ids-kept');
  expect(sandbox.log.filter(({ path }) => path.includes('/sources'))).toEqual([]);
  manifest(caseId('A', 'HR'), caseId('B', 'HR'));
  expect(wordsOf((await run('plan')).stdout)).toContain(
    'SimIntegration has texts that look like ids, but the tenant has no such object of a kind that the project knows: - sources (Source) in SimIntegration/Tickets hint: They may belong to another tenant.',
  );
});
