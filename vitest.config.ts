import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest begins first: a file that begins last keeps one worker busy while the other has nothing to do. */
const longest = /\/(fault-matrix.*|fleet-faults|canary|tutorial|drift-\w+|promotion)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => (longest.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/setup.ts',
    maxWorkers: 2,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // A test that hangs ends here. No other test gets there, however busy the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A page in a browser may need a while to follow, on a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
});
