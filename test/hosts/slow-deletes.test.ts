/** Hosts that answer a delete with a promise, and keep it a minute later. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { root } from '../docs/documents.ts';
import { createTestWorld, succeed } from '../support/world.ts';

const library = join(root, 'examples/kinds/library');

test('a source that the host of a product deletes later is read until it is gone', async () => {
  const late: number[] = [];
  const tenant: { log?: Sandbox['log'] } = {};
  const isReadAgain = () => {
    const log = tenant.log ?? [];
    const deleted = log.findIndex(({ method }) => method === 'DELETE');
    return log.slice(deleted + 1).some(({ method }) => method === 'GET');
  };
  const sleep = async (ms: number, signal?: AbortSignal) => {
    late.push(ms);
    while (!signal?.aborted && !isReadAgain()) await nextTurn();
  };
  const world = await createTestWorld({
    files: { 'kinds/Source.kind.yaml': readFileSync(join(library, 'Source.kind.yaml'), 'utf8') },
    seed: 'objects: { Source: [{ id: s1, name: HR, connector: flat-file }, { id: s2, name: AD, connector: ad }] }',
    sandbox: { presets: ['sailpoint-isc'], kinds: library, clock: { sleep } },
    identity: { preset: 'sailpoint-isc' },
    environment: { limits: { settle: '60s' } },
  });
  tenant.log = world.sandbox.log;
  world.declare([{ kind: 'Source', name: 'HR', ensure: 'absent' }]);
  await succeed(world, 'apply --yes');
  expect(world.sandbox.log.filter(({ method }) => method === 'DELETE')).toMatchObject([{ status: 202 }]);
  expect(late).toEqual([45_000]);
  expect(world.sandbox.state.objects.Source).toMatchObject([{ name: 'AD' }]);
  expect((await world.plan()).changes).toEqual([]);
});
