import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  diffSides,
  exportTenant,
  Failure,
  loadEnvironment,
  loadProject,
  manifestSide,
  openTenant,
  planChanges,
  startSandbox,
  tenantSide,
} from '../../src/index.ts';
import { createTestWorld } from '../support/world.ts';

/** The library, as a program of somebody else calls it. */

const seed = 'simIntegrations: [{ id: i1, name: Desk, type: T, attributes: { password: the-password } }]\n';

/** The codes of the Failure that a call ends with. */
async function codesOf(call: () => Promise<unknown>): Promise<readonly string[]> {
  const error = await call().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Failure);
  return error instanceof Failure ? error.diagnostics.map(({ code }) => code) : [];
}

/** Exports some kinds of a tenant. */
async function exportKinds(kinds: readonly string[], env?: NodeJS.ProcessEnv) {
  const world = await createTestWorld();
  const configFile = join(world.dir, 'tenantctl.yaml');
  const tenant = await openTenant(loadEnvironment({ configFile, env: env ?? world.env }));
  try {
    return await exportTenant(tenant, { kinds });
  } finally {
    await tenant.close();
  }
}

it('throws a Failure for a kind that does not exist', async () => {
  expect(await codesOf(() => exportKinds(['SenderAddress', 'Nope']))).toEqual(['unknown-kind']);
});

it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'throws a Failure for a plan that may delete %d objects',
  async (maxDeletes) => {
    const world = await createTestWorld({
      files: { 'config/a.yaml': 'kind: SenderAddress\nemail: a@b.example\n' },
    });
    const project = loadProject({ configFile: join(world.dir, 'tenantctl.yaml'), env: world.env });
    const tenant = await openTenant(project);
    expect(await codesOf(() => planChanges(project, tenant, { maxDeletes }))).toEqual(['usage']);
    await tenant.close();
  },
);

it('throws a Failure for credentials that are not set, once it needs them', async () => {
  expect(await codesOf(() => exportKinds(['SenderAddress'], {}))).toContain('secret-unset');
});

it('throws a Failure for the seed of a tenant for tests that cannot be read', async () => {
  expect(await codesOf(() => startSandbox({ seed: '/no/such/seed.yaml' }))).toEqual(['sandbox-file']);
});

it('compares two projects with the secrets of each, though they have the same names', async () => {
  const sideOf = async (secret: string, env: NodeJS.ProcessEnv) => {
    const { dir, env: credentials, write } = await createTestWorld({ seed });
    write('config/a.yaml', `kind: SimIntegration\nname: Desk\nattributes: { password: !secret ${secret} }\n`);
    return loadProject({ configFile: join(dir, 'tenantctl.yaml'), env: { ...credentials, ...env } });
  };
  const [one, other] = await Promise.all([
    sideOf('ONE', { ONE: 'the-password', OTHER: 'no' }),
    sideOf('OTHER', { ONE: 'no', OTHER: 'the-password' }),
  ]);
  const tenant = await openTenant(one);
  onTestFinished(() => tenant.close());
  for (const side of [tenantSide(one, tenant), manifestSide(one)])
    for (const sides of [[side, manifestSide(other)] as const, [manifestSide(other), side] as const])
      expect(await diffSides(sides)).toMatchObject({ objects: [], summary: { equal: 1, notComparable: 0 } });
});
