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
  /** What the tenant calls it, where that is another name. */
  readonly as?: string;
  /** What a person replaces in the draft, which it asks about. Left out: nothing. */
  readonly decide?: readonly (readonly [from: string | RegExp, to: string])[];
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
  SourceProvisioningPolicy: { as: 'ProvisioningPolicy', edit: ['name: uid', 'name: login'] },
  SourceSchema: {
    decide: [['pageSize: 50', 'pageSize: null']],
    edit: ['nativeObjectType: User', 'nativeObjectType: Person'],
  },
  Transform: { edit: ['attributeName: pwdLastSet', 'attributeName: lastSet'] },
  Workflow: { edit: ['deadline: 30d', 'deadline: 10d'] },
  Workgroup: { as: 'GovernanceGroup', edit: ['description: Approvers', 'description: Who approves'] },
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
    'check: by their names, the tenant itself sets identityRefreshRequired, identityCount, hasTimeBasedAttr',
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

it.each(Object.entries(plays))('a drafted %s is exported, edited and applied', async (kind, play) => {
  const {
    as = kind,
    decide = [],
    edit: [from, to],
  } = play;
  const files = Object.fromEntries(
    readdirSync(folder).map((file) => [`kinds/${file}`, readFileSync(join(folder, file), 'utf8')]),
  );
  const file = `kinds/${kind}.kind.yaml`;
  for (const [asked, decided] of decide) {
    expect(files[file]).toMatch(asked);
    files[file] = (files[file] ?? '').replace(asked, decided);
  }
  const world = await createTestWorld({
    seed: JSON.stringify({ objects }),
    sandbox: { kinds: libraryFolder },
    files,
  });
  await succeed(world, 'export', '--kinds', kind);
  setSecrets(world, as, JSON.parse(JSON.stringify(objects[as]).replaceAll('********', 'a-password')));
  await succeed(world, 'plan', '--detailed-exitcode');
  const [[path, text] = ['', '']] = filesBelow(join(world.dir, 'config'));
  expect(text).toContain(from);
  world.write(`config/${path}`, text.replace(from, to));
  await succeed(world, 'apply', '--yes');
  await succeed(world, 'plan', '--detailed-exitcode');
});
