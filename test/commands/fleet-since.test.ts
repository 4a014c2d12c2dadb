import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Fleet } from '../../src/model/documents.ts';
import { createTestFleet, type TestFleet } from '../support/fleet.ts';
import { commitAll } from '../support/repository.ts';
import { expectEnd, succeed } from '../support/world.ts';

const names = ['eu-1', 'eu-2', 'us-1'];

/** A committed project whose senders differ by a variable, and all tenants equal to it. */
async function createCommitted(): Promise<TestFleet> {
  const fleet = await createTestFleet({ names });
  fleet.writeProject(Object.fromEntries(names.map((name) => [name, { variables: { name } }])));
  fleet.write('config/kept.yaml', 'kind: SenderAddress\nemail: kept@acme.example\n');
  fleet.write('config/gone.yaml', 'kind: SenderAddress\nemail: !format "%{name}@acme.example"\n');
  commitAll(fleet.dir);
  await succeed(fleet, 'apply -e * --yes');
  rmSync(join(fleet.dir, 'config/gone.yaml'));
  return fleet;
}

it('--since deletes in each environment what it declared there', async () => {
  const fleet = await createCommitted();
  const { stdout } = await succeed(fleet, 'plan -e * --since HEAD --format json');
  const { environments }: Fleet = JSON.parse(stdout);
  const deletes = environments.map(({ plan }) =>
    plan?.changes.map(({ action, address }) => [action, address]),
  );
  expect(deletes).toEqual(names.map((name) => [['delete', `SenderAddress/${name}%40acme.example`]]));
});

it('--since checks the revision out once for all environments', async () => {
  const fleet = await createCommitted();
  // A git outside the project that records how it is called.
  const bin = mkdtempSync(join(tmpdir(), 'bin-'));
  const log = join(bin, 'log');
  const path = process.env.PATH ?? '';
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$@" >> ${log}\nPATH=${path} exec git "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  fleet.env.PATH = `${bin}:${path}`;
  expect(await fleet.start('plan', '-e', '*', '--since', 'HEAD').ended).toMatchObject({ code: 0 });
  const calls = readFileSync(log, 'utf8').split('\n');
  expect(calls.filter((line) => line.includes('checkout-index'))).toHaveLength(1);
});

it('--since with a revision that git does not know is one error, before any tenant is asked', async () => {
  const fleet = await createCommitted();
  const asked = fleet.sandboxes.map(({ log }) => log.length);
  const { stderr } = await expectEnd(fleet.run('plan -e * --since nowhere'), 1);
  expect(stderr.match(/\[unknown-revision\]/g)).toHaveLength(1);
  expect(fleet.sandboxes.map(({ log }) => log.length)).toEqual(asked);
});
