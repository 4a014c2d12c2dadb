// npm run mutants [PART OF A NAME]: sees the tests green in a copy of the project, puts the faults of mutation/mutants.mjs
// into it, one at a time, and runs their tests. Ends with 1 if one stays green, or if its place is not found once. See
// docs/testing.md.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mutants } from '../mutation/mutants.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const needed = [
  'src',
  'test',
  'scripts',
  'schemas',
  'examples',
  'dist',
  'docs',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
];
const settings = [
  'package.json',
  'tsconfig.json',
  'tsconfig.browser.json',
  'tsconfig.build.json',
  'vitest.config.ts',
];
const [part = ''] = process.argv.slice(2);
const chosen = mutants.filter(({ name }) => name.includes(part));

const copy = mkdtempSync(join(tmpdir(), 'tenantctl-mutants-'));
try {
  for (const path of [...needed, ...settings, 'action.yml'])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  process.exitCode = isGreen() && tryAll() ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Whether the tests pass without any fault: otherwise all faults would seem to be killed. */
function isGreen() {
  const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
  const isGood = tests.length > 0 && runTests(tests, 'inherit') === 0;
  if (!isGood) console.error('Without a fault the tests are not green, so they tell nothing about faults.');
  return isGood;
}

/** Whether the tests notice every fault. */
function tryAll() {
  const outcomes = chosen.map((mutant) => {
    const outcome = tryOut(mutant);
    console.log(`${outcome.padEnd(9)} ${mutant.name}`);
    return outcome;
  });
  const killed = outcomes.filter((outcome) => outcome === 'killed').length;
  console.log(`${killed} of ${chosen.length} killed`);
  return killed === chosen.length;
}

/** `killed` or `survived` by the tests; `not found` where the code has moved. */
function tryOut({ file, find, replace, tests, build }) {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(find).length !== 2 || find === replace) return 'not found';
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  try {
    // A fault that does not build would turn every test red.
    if (build && run(['scripts/build.mjs'], 'ignore') !== 0) return 'no build';
    return runTests(tests, 'ignore') === 0 ? 'survived' : 'killed';
  } finally {
    writeFileSync(path, text);
    if (build) run(['scripts/build.mjs'], 'ignore');
  }
}

function runTests(tests, stdio) {
  return run(['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', ...tests], stdio);
}

function run(command, stdio) {
  const env = { ...process.env, TENANTCTL_TEST_NO_BUILD: '1' };
  return spawnSync(process.execPath, command, { cwd: copy, env, stdio }).status;
}
