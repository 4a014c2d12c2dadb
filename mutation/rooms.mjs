// Rooms of src/, each with the folders of test/ that import its code. Tests that start the built program do not count: Stryker
// changes the sources, and not the build. `render` runs in processes of its own, where Stryker does not reach it.
export const rooms = {
  model: ['model', 'planner', 'kinds'],
  kinds: ['kinds', 'planner', 'client'],
  lint: ['lint'],
  loader: ['loader', 'commands'],
  openapi: ['openapi'],
  planner: ['planner', 'engine', 'applier', 'laws', 'safety'],
  client: ['client'],
  applier: ['applier', 'engine', 'safety'],
  exporter: ['exporter', 'commands'],
  engine: ['engine', 'commands', 'safety'],
  report: ['report', 'commands'],
  preview: ['preview'],
  commands: ['commands', 'messages'],
};

// Random tenants, processes that are killed, git, pipelines and pages in a browser: too slow to run for every fault.
export const slow = [
  '**/{browser,page,hostile,law,*-law,*.property,killed,program,promotion,pipelines,plan-and-apply,drift-*,since-*}.test.ts',
  'test/client/{sandbox,proxy}.test.ts',
];
