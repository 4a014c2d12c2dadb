import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  exportTenant,
  Failure,
  loadEnvironment,
  loadProject,
  openTenant,
  planChanges,
  startSandbox,
} from '../../src/index.ts';
import { createTestWorld } from '../support/world.ts';

/** The library, as a program of somebody else calls it. */

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
