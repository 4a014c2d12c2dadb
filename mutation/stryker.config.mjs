// Started by scripts/mutate.mjs, which names the room in TENANTCTL_MUTATE.
const room = process.env.TENANTCTL_MUTATE;
const report = `mutation/reports/${room}`;

export default {
  mutate: [`src/${room}/**/*.ts`, '!src/**/browser/**'],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', './mutation/sample.mjs'],
  ignorers: ['sample'],
  vitest: { configFile: 'mutation/vitest.config.mjs', related: false },
  coverageAnalysis: 'perTest',
  // A constant of a module is in every test: each of its mutants would take a run of all tests.
  ignoreStatic: true,
  concurrency: Number(process.env.TENANTCTL_MUTATE_CONCURRENCY ?? 1),
  timeoutMS: 30_000,
  dryRunTimeoutMinutes: 20,
  disableTypeChecks: false,
  // Stryker would read it with a function that TypeScript 7 no longer has.
  tsconfigFile: 'mutation/no-tsconfig.json',
  ignorePatterns: ['docs/images', 'mutation/reports', 'mutation/node_modules'],
  tempDirName: 'mutation/.stryker-tmp',
  reporters: ['progress', 'clear-text', 'json', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `${report}.json` },
  htmlReporter: { fileName: `${report}.html` },
};
