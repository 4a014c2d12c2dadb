import { expect, it } from 'vitest';
import type { Fleet } from '../../src/model/documents.ts';
import { createTestFleet, type TestFleet } from '../support/fleet.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { expectEnd, succeed } from '../support/world.ts';

const names = Array.from({ length: 10 }, (_, at) => `tenant-${at}`);
const parts = [1, 2, 3, 4];

/** Ten tenants of unlike content, of which one refuses to be read. Their plan, whole and in four parts. */
async function planned(): Promise<TestFleet> {
  const fleet = await createTestFleet({ names });
  for (const name of names.filter((_, at) => at % 3 === 0))
    addObjects(fleet.sandboxOf(name).state, { senders: [{ email: 'a@acme.example' }] });
  const refusal = { kind: 'status', status: 403, times: Number.POSITIVE_INFINITY } as const;
  fleet.sandboxOf('tenant-5').faults.add(refusal);
  fleet.declare(['a', 'b'].map((name) => ({ kind: 'SenderAddress', email: `${name}@acme.example` })));
  const plan = (...argv: string[]) => fleet.run('plan -e *', ...argv);
  expect(await plan('--out', 'whole.json')).toMatchObject({ code: 1 });
  for (const part of parts) await plan('--shard', `${part}/4`, '--out', `part-${part}.json`);
  return fleet;
}

const read = ({ read }: TestFleet, file: string): Fleet => JSON.parse(read(file));

/** Everything but the time at which each plan was made. */
const timeless = (fleet: unknown) =>
  JSON.parse(JSON.stringify(fleet, (name, value) => (name === 'createdAt' ? undefined : value)));

const withoutTimes = (text: string) => text.replaceAll(/\d{4}\\?-\d\d-\d\d[T ][\d:.]+(?:Z| UTC)/g, 'then');

it('four parts of a plan, joined by `show`, equal the plan that was never split, each time', async () => {
  const fleet = await planned();
  const whole = read(fleet, 'whole.json');
  const inParts = parts.map((part) => read(fleet, `part-${part}.json`).environments.map(({ name }) => name));
  expect(inParts.flat().toSorted()).toEqual(names);
  expect(inParts.every(({ length }) => length === 2 || length === 3)).toBe(true);

  const files = [3, 1, 4, 2].map((part) => `part-${part}.json`);
  const joined = await fleet.run('show', ...files, '--format', 'json');
  expect(timeless(joined.json)).toEqual(timeless(whole));
  expect(joined.json).toMatchObject({ digest: whole.digest, summary: whole.summary });
  for (const format of ['text', 'markdown', 'junit', 'html'])
    expect(withoutTimes((await fleet.run('show', ...files, '--format', format)).stdout)).toBe(
      withoutTimes((await fleet.run('show whole.json --format', format)).stdout),
    );

  await fleet.run('plan -e * --shard 2/4 --out again.json');
  expect(timeless(read(fleet, 'again.json'))).toEqual(timeless(read(fleet, 'part-2.json')));
  await expectEnd(
    fleet.run('show again.json whole.json'),
    1,
    /Two of the files are of the environment tenant-\d\./,
  );
});

it('a part without --env is a part of the default environment alone', async () => {
  const fleet = await createTestFleet({ names: ['test', 'eu-1', 'eu-2'] });
  fleet.declare([{ kind: 'SenderAddress', email: 'a@acme.example' }]);
  const written = () => fleet.names.filter((name) => fleet.sandboxOf(name).state.senders.length > 0);
  await expectEnd(fleet.run('apply --shard 1/1 --yes'), 1, 'Select one with --env: test');
  expect(written()).toEqual([]);

  fleet.write('tenantctl.yaml', `${fleet.read('tenantctl.yaml')}defaultEnvironment: test\n`);
  await succeed(fleet, 'apply --shard 1/1 --yes');
  expect(written()).toEqual(['test']);
  const empty = await fleet.run('plan --shard 2/2 --format json');
  expect(empty.json).toMatchObject({ environments: [] });
  for (const format of ['text', 'markdown', 'html']) {
    const { stdout } = await fleet.run('plan --shard 2/2 --format', format);
    expect(stdout).toContain('0 environments');
    expect(stdout).not.toContain('All tenants equal');
  }
});

it('the four parts of an apply, each from its own file, are the apply of the whole', async () => {
  const fleet = await planned();
  fleet.sandboxOf('tenant-5').faults.clear();
  await fleet.run('plan -e * --out whole.json');
  for (const part of parts) {
    await fleet.run('plan -e * --shard', `${part}/4`, '--out', `part-${part}.json`);
    const file = `part-${part}.json`;
    await succeed(fleet, 'apply', file, '--result', `result-${part}.json`);
  }
  const results = parts.map((part) => `result-${part}.json`);
  const joined = await fleet.run('show', ...results, '--format', 'json');
  expect(joined.json).toMatchObject({
    digest: read(fleet, 'whole.json').digest,
    summary: { environments: 10, failed: 0 },
  });
  for (const { state } of fleet.sandboxes)
    expect(state.senders.map(({ email }) => email).toSorted()).toEqual(['a@acme.example', 'b@acme.example']);
});
