/** The laws, for random kinds of one's own over HTTP. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type DescribedCase, describedCase } from '../support/described.ts';
import { runs } from '../support/effort.ts';
import { describedOptions } from '../support/tenant-variants.ts';
import { createWorld, filesBelow, setSecrets, succeed, type World } from '../support/world.ts';

const always = (test: (world: World, given: DescribedCase) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(describedCase, async (given) => {
      await using world = await createWorld(describedOptions(given));
      await test(world, given);
    }),
    { numRuns: runs(25) },
  );

it('apply then plan is empty, and a plan is the same twice', async () => {
  await always(async (world, { declared }) => {
    world.declare(declared.map((fields) => ({ kind: 'Told', ...fields })));
    const [before, again] = [await world.plan(), await world.plan()];
    expect({ ...again, createdAt: before.createdAt }).toEqual(before);
    await succeed(world, 'apply --yes --format json');
    // A step by hand stays until somebody takes it.
    const byHand = before.changes.flatMap(({ action, address }) => (action === 'manual' ? [address] : []));
    const left = (await world.plan()).changes.map(({ address }) => address);
    expect(left.filter((address) => !byHand.includes(address))).toEqual([]);
  });
});

it('export then plan is empty, and a second export is the same', async () => {
  await always(async (world, { objects }) => {
    await succeed(world, 'export --kinds Told');
    // A random name may be that of a credential.
    setSecrets(world, 'Told', objects);
    expect((await world.plan()).changes).toEqual([]);
    if (objects.length === 0) return;
    await world.run('export --out again --kinds Told');
    expect(filesBelow(`${world.dir}/again`)).toEqual(filesBelow(`${world.dir}/config`));
    const merged = await world.run('export --merge --all');
    expect(merged, merged.stderr).toMatchObject({ code: 0, stdout: 'Files: 0 changed, 0 new, 0 removed.\n' });
  });
});
