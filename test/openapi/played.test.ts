/**
 * Drafts of a made-up document with all that makes such documents hard to read, played as they are: against a tenant that serves
 * the same collections from descriptors which were written by hand.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { libraryFolder, libraryObjects as objects } from '../support/library.ts';
import { createTestWorld, filesBelow, runProgram, setSecrets, succeed } from '../support/world.ts';

const document = fileURLToPath(new URL('vendor/governance/openapi.yaml', import.meta.url));

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tenantctl-'));
  const { stderr } = await runProgram(['kind', 'draft', document, '--all', '.'], { cwd: folder });
  expect(stderr).toBe('');
});
afterAll(() => rmSync(folder, { recursive: true }));

const draftOf = (kind: string) => readFileSync(join(folder, `${kind}.kind.yaml`), 'utf8');

it('drafts all that the document describes', () => {
  const readOnly = ['Contractor', 'Entitlement'];
  expect(readdirSync(folder).map((file) => file.replace('.kind.yaml', ''))).toEqual(
    [...Object.keys(plays), ...readOnly].sort(),
  );
});

interface Play {
  /** What a person replaces in the draft, where it says "check". Left out: nothing. */
  readonly decide?: readonly [asked: RegExp, answer: string];
  /** What is edited in the exported manifest. */
  readonly edit: readonly [from: string, to: string];
}

const plays: Readonly<Record<string, Play>> = {
  AccessProfile: { edit: ['commentsRequired: true', 'commentsRequired: false'] },
  ConnectorRule: { edit: ['return map;', 'return null;'] },
  FormDefinition: { edit: ['label: Name', 'label: Given name'] },
  IdentityProfile: { edit: ['attributeName: mail', 'attributeName: email'] },
  Role: { edit: ['stringValue: Finance', 'stringValue: Treasury'] },
  SodPolicy: { edit: ['state: ENFORCED', 'state: NOT_ENFORCED'] },
  Source: { edit: ['healthCheckTimeout: 30', 'healthCheckTimeout: 60'] },
  SourceProvisioningPolicy: { edit: ['name: uid', 'name: login'] },
  SourceSchema: {
    decide: [/pageSize: 50(?=.*# check: the page size)/, 'pageSize: null'],
    edit: ['nativeObjectType: User', 'nativeObjectType: Person'],
  },
  Transform: { edit: ['attributeName: pwdLastSet', 'attributeName: lastSet'] },
  Workflow: { edit: ['deadline: 30d', 'deadline: 10d'] },
  Workgroup: { edit: ['description: Approvers', 'description: Who approves'] },
};

it.each([
  [
    'AccessProfile',
    'additionalOwners/*/id: { is: reference, by: type, to: { IDENTITY: Identity, GOVERNANCE_GROUP: Workgroup } }',
  ],
  ['ConnectorRule', 'write: { sendId: true, required: [type, sourceCode], immutable: [type] }'],
  ['Contractor', '# check: GET needs for, which a descriptor cannot express.'],
  [
    'Contractor',
    '# check: Requests for /v2025/contractors have the object in contractors, which a descriptor cannot express: so the kind is read only, for references.',
  ],
  ['FormDefinition', 'write: { contentType: application/json, required: [owner] }'],
  [
    'IdentityProfile',
    'check: judging by their names, the tenant sets identityRefreshRequired, identityCount, hasTimeBasedAttr',
  ],
  ['Role', 'membership/criteria/**/key/sourceId: { is: reference, to: Source }'],
  ['SodPolicy', 'update: put  # check: PATCH is described as changing only some objects'],
  ['Source', 'immutable: [type, connector, connectorClass, authoritative]'],
  ['SourceProvisioningPolicy', 'id: usageType'],
  ['Transform', 'immutable: [type]'],
  ['Workgroup', 'owner: { is: reference, to: Identity, type: IDENTITY }'],
])('a drafted %s says `%s`', (kind, line) => {
  expect(draftOf(kind)).toContain(line);
});

it('drafts kinds that are exported, edited and applied: all as they are, but one that asks how large a page is', async () => {
  const decided = Object.entries(plays).filter(([, { decide }]) => decide);
  expect(decided.map(([kind]) => kind)).toEqual(['SourceSchema']);
  const files = readdirSync(folder).map((file): [string, string] => {
    const kind = file.replace('.kind.yaml', '');
    const [asked, answer] = plays[kind]?.decide ?? [/^/, ''];
    expect(draftOf(kind)).toMatch(asked);
    return [`kinds/${file}`, draftOf(kind).replace(asked, answer)];
  });
  const world = await createTestWorld({
    seed: JSON.stringify({ objects }),
    sandbox: { kinds: libraryFolder },
    files: Object.fromEntries(files),
  });
  await succeed(world, 'export', '--kinds', ...Object.keys(plays));
  const shown = JSON.stringify(objects.Source).replaceAll('********', 'a-password');
  setSecrets(world, 'Source', JSON.parse(shown));
  await succeed(world, 'plan', '--detailed-exitcode');
  const manifests = [...filesBelow(join(world.dir, 'config'))];
  for (const [kind, { edit }] of Object.entries(plays)) {
    const [path, text = ''] = manifests.find(([, each]) => each.includes(`kind: ${kind}\n`)) ?? [];
    expect(text, kind).toContain(edit[0]);
    world.write(`config/${path}`, text.replace(...edit));
  }
  const { changes } = await world.plan();
  expect(changes.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(plays));
  await succeed(world, 'apply', '--yes');
  await succeed(world, 'plan', '--detailed-exitcode');
});
