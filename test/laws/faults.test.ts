/** Whatever happens to the requests of an apply, one more apply finishes it: nothing is done twice, and nothing is left. */
import fc from 'fast-check';
import { it } from 'vitest';
import type { Fault } from '../../src/sandbox/index.ts';
import { checkEnd, checkStory, createStage, reset, writes } from '../safety/disturbed-apply.ts';
import { fill, manifests, tenantContent } from '../support/arbitraries.ts';
import { describedCase } from '../support/described.ts';
import { runs } from '../support/effort.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import { describedOptions, worlds } from '../support/tenant-variants.ts';
import type { World, WorldOptions } from '../support/world.ts';

shortenPauses();

const fault: fc.Arbitrary<Fault> = fc
  .tuple(
    fc.constantFrom<Fault>(
      { kind: 'reset-before' },
      { kind: 'reset-after' },
      { kind: 'cut-body' },
      { kind: 'status', status: 429 },
      { kind: 'status', status: 500 },
      { kind: 'status', status: 503, done: 'after', body: 'html' },
      { kind: 'status', status: 504, late: 60 },
      { kind: 'reset-before', late: 60 },
    ),
    fc.integer({ min: 1, max: 20 }),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([one, nth, times]) => ({ ...one, nth, times }));

const disturbances = fc.record({
  faults: fc.array(fault, { minLength: 1, maxLength: 4 }),
  lag: fc.constantFrom(0, 0, 150),
  again: fc.constantFrom(['plan.json'], ['--yes']),
});

type Disturbance = typeof disturbances extends fc.Arbitrary<infer T> ? T : never;

/** @param prepare makes the tenant and the manifests what they are before the apply */
async function isFinishedByOneMore(
  options: WorldOptions,
  prepare: (world: World) => void,
  { faults, lag, again }: Disturbance,
): Promise<void> {
  const stage = await createStage({ options, prepare }, { ...options.sandbox, lag });
  try {
    const from = await reset(stage);
    for (const one of faults) stage.world.sandbox.faults.add(one);
    const first = await stage.world.run('apply plan.json --format json');
    checkStory(first, writes(stage, from));
    await checkEnd(stage, first.code === 0, again);
  } finally {
    await stage.world.close();
  }
}

it("one more apply finishes it for kinds of one's own", { timeout: 600_000 }, () =>
  fc.assert(
    fc.asyncProperty(describedCase, disturbances, async (given, disturbance) => {
      const declared = given.declared.map((fields) => ({ kind: 'Told', ...fields }));
      await isFinishedByOneMore(describedOptions(given), (world) => world.declare(declared), disturbance);
    }),
    { numRuns: runs(8), endOnFailure: true },
  ),
);

it.each(worlds)('one more apply finishes it in tenants of kind %#', { timeout: 600_000 }, (options) =>
  fc.assert(
    fc.asyncProperty(tenantContent, manifests, disturbances, async (content, declared, disturbance) => {
      const prepare = ({ declare, sandbox }: World) => {
        fill(sandbox.state, content);
        declare(declared);
      };
      await isFinishedByOneMore(options, prepare, disturbance);
    }),
    { numRuns: runs(8), endOnFailure: true },
  ),
);
