// The rooms that Stryker can reach, each with the tests that import its code: folders and files of test/. Tests that start
// the built program do not count: Stryker changes the sources, and not the build.
export const rooms = {
  model: ['model', 'planner', 'kinds'],
  kinds: ['kinds', 'planner', 'client/read.test.ts'],
  planner: [
    'planner',
    'engine',
    'applier/apply.test.ts',
    'commands/diff-references.test.ts',
    'commands/diff.test.ts',
    'commands/looked-up.test.ts',
    'commands/moved-defaults.test.ts',
    'commands/proven.test.ts',
    'commands/references.test.ts',
    'commands/since.test.ts',
    'commands/undeclared.test.ts',
    'safety/guards.test.ts',
    'safety/rollback.test.ts',
  ],
  applier: ['applier', 'engine', 'safety/forged-plans.test.ts'],
  loader: [
    'loader',
    'safety/git.test.ts',
    'commands/references.test.ts',
    'commands/since-repository.test.ts',
    'commands/where.test.ts',
  ],
  client: ['client'],
  exporter: ['exporter', 'commands/diff-references.test.ts', 'commands/diff.test.ts'],
  report: ['report'],
  lint: ['lint'],
};

// Laws with random tenants, processes that are killed, and pages in a browser: too slow to run for every fault.
export const slow = [
  '**/browser.test.ts',
  '**/page.test.ts',
  '**/law.test.ts',
  '**/merge-law.test.ts',
  '**/hostile.test.ts',
  'test/client/sandbox.test.ts',
  'test/client/proxy.test.ts',
];
