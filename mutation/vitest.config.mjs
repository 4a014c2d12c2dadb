// The tests of one room, in one process.
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import { rooms, slow } from './rooms.mjs';

const folders = rooms[process.env.TENANTCTL_MUTATE] ?? [];

/**
 * Files that failed last come first, then the shortest: the first failure ends the run of a fault, and faults that follow
 * each other are mostly noticed by the same tests.
 */
class LikeliestFirst extends BaseSequencer {
  async sort(files) {
    const { cache, config } = this.ctx;
    const resultOf = ({ moduleId }) => cache.getFileTestResults(`:${relative(config.root, moduleId)}`);
    const rank = (file) => (resultOf(file)?.failed ? 0 : 1);
    const duration = (file) => resultOf(file)?.duration ?? 0;
    return [...files].sort((a, b) => rank(a) - rank(b) || duration(a) - duration(b));
  }
}

export default defineConfig({
  test: {
    include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
    exclude: slow,
    isolate: false,
    sequence: { sequencer: LikeliestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
