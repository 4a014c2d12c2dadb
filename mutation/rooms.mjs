// The rooms that Stryker can reach, each with the folders of tests that import its code. Tests that start the built
// program do not count: Stryker changes the sources, and not the build.
export const rooms = {
  model: ['model', 'planner'],
  kinds: ['kinds', 'loader', 'planner', 'applier', 'exporter', 'laws'],
  planner: ['planner', 'applier', 'laws', 'safety'],
  applier: ['applier', 'safety'],
  loader: ['loader', 'lint'],
  client: ['client', 'applier', 'safety'],
  exporter: ['exporter', 'laws'],
  report: ['report'],
  lint: ['lint'],
};
