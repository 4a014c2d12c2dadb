import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { globSync } from 'tinyglobby';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Projects of their own, by what their tests import. `npm test` leaves them out, since they take more than half of the time and
 * seldom notice what others do not; `npm run test:all` and CI run everything.
 */
const apart = {
  browser: /from '[./]+\/(support\/browser|browsing)\.ts'/,
  /** Generated pipelines and documented commands, run by bash, git and programs that the test plays. */
  pipelines:
    /from '[./]+\/(commands\/)?(played-programs|pipeline-runner|played-ci-systems|nightly-jobs)\.ts'/,
  editor: /from '\.\/language-server\.ts'/,
  /** Repositories, and the built program: most of the time is that of git and of starting Node. */
  processes: /from '[./]+\/support\/(repository|program)\.ts'/,
};

const pattern = 'test/**/*.test.ts';
const all = globSync(pattern, { cwd: import.meta.dirname, absolute: true });
const projectOf = (path: string) => {
  const text = readFileSync(path, 'utf8');
  return Object.entries(apart).find(([, helper]) => helper.test(text))?.[0];
};
const places = all.map((path) => ({ path, project: projectOf(path) }));
const projects = Object.keys(apart).map((name) => ({
  name,
  include: places.flatMap(({ path, project }) => (project === name ? path : [])),
}));
const others = projects.flatMap(({ include }) => include);

/** What takes longest begins first: a file that begins last keeps one worker busy while the other has nothing to do. */
const longest =
  /\/(fault-matrix.*|fleet-faults|canary|forged-plans|laws\/(hosts|rollback|then-plan)|tutorial|drift-\w+|promotion|pipelines|init-tenant|fleet|browser|action)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => (longest.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'main', include: [pattern], exclude: others } },
      ...projects.map((test) => ({ extends: true as const, test })),
    ],
    globalSetup: 'test/support/setup.ts',
    // CI tries the same random cases each time it sees the same files; elsewhere others are tried in each run.
    setupFiles: process.env.TENANTCTL_TEST_SEED ? ['test/support/random.ts'] : [],
    // More than can work at once: browsers, git and tenants that are late let workers wait, above all in the thorough run.
    // Each further one loads and compiles all modules again.
    maxWorkers: availableParallelism() + (process.env.TENANTCTL_THOROUGH ? 2 : 1),
    isolate: false,
    // Modules that have not changed since the last run need no transforming.
    experimental: { fsModuleCache: true },
    // What Node imports needs no proxy around it, which each use of a library in CommonJS would go through.
    deps: { interopDefault: false },
    sequence: { sequencer: LongestFirst },
    // A test that hangs ends here. No other test gets there, however busy the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A page in a browser may need a while to follow, on a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
});
