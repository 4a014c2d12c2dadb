import { expect, it } from 'vitest';
import type { Fleet } from '../../src/model/documents.ts';
import { createTestFleet } from '../support/fleet.ts';
import { shortenPauses } from '../support/short-pauses.ts';

shortenPauses();

const names = Array.from({ length: 50 }, (_, at) => `tenant-${String(at + 1).padStart(2, '0')}`);

it('a fleet of 50 of which four cannot be applied: 46 are done, four are named, and the exit code is 3', async () => {
  const fleet = await createTestFleet({ names });
  fleet.declare([{ kind: 'SenderAddress', email: 'a@acme.example' }]);
  const always = { times: Number.POSITIVE_INFINITY };
  await fleet.sandboxOf('tenant-07').close();
  fleet.sandboxOf('tenant-19').faults.add({ kind: 'status', status: 403, ...always });
  fleet.sandboxOf('tenant-31').faults.add({ kind: 'hang', ...always });
  const overlays = [{ target: 'SenderAddress/*', merge: { colour: 'red' } }];
  fleet.writeProject({
    // Long enough for a busy machine to be told that nobody listens.
    'tenant-07': { limits: { timeout: '2s', settle: '0s' } },
    'tenant-31': { limits: { timeout: '200ms', settle: '0s' } },
    'tenant-43': { overlays },
  });
  const failed = ['tenant-07', 'tenant-19', 'tenant-31', 'tenant-43'];
  const argv = ['apply', '-e', '*', '--yes', '--parallel', '50'];

  const { code, stdout } = await fleet.run(...argv, '--result', 'result.json');
  expect(code).toBe(3);
  expect(stdout).toContain('50 environments: 46 applied, 4 failed.');
  // What failed comes before everything else: first in the table, then with its errors.
  const rows = stdout.split('\n').flatMap((line) => /^ {2}✖ (tenant-\d+)/.exec(line)?.[1] ?? []);
  expect(rows).toEqual(failed);
  const first = stdout.indexOf('tenant-01');
  for (const name of failed) expect(stdout.indexOf(`✖ ${name}`)).toBeLessThan(first);
  for (const word of ['ECONNREFUSED', '403', 'time limit', 'colour']) expect(stdout).toContain(word);

  const saved: Fleet = JSON.parse(fleet.read('result.json'));
  expect(saved.environments.filter(({ error }) => error !== null).map(({ name }) => name)).toEqual(failed);
  const done = names.filter((name) => !failed.includes(name));
  for (const name of done)
    expect(fleet.sandboxOf(name).state.senders.map(({ email }) => email)).toEqual(['a@acme.example']);

  // With nothing written anywhere, the exit code is that of what could not run.
  const nothing = await fleet.run('apply -e tenant-19,tenant-43 --yes');
  expect(nothing.code).toBe(1);
});
