// npm run mutate ROOM: Stryker on one room of src/. See docs/testing.md.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rooms } from '../mutation/rooms.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const [room, ...options] = process.argv.slice(2);
if (room === undefined || !Object.hasOwn(rooms, room)) {
  console.error(`Name a room: npm run mutate ${Object.keys(rooms).join('|')}`);
  process.exit(1);
}
const stryker = 'mutation/node_modules/@stryker-mutator/core/bin/stryker.js';
if (!existsSync(stryker)) {
  console.error('Stryker is not installed. Run: npm --prefix mutation ci');
  process.exit(1);
}
// Tests read the compiled schemas and start the program: both are copied as they are, not built again.
if (!existsSync('dist/bin/cli.cjs') || !existsSync('src/generated/validators.js'))
  run('scripts/build.mjs', []);
process.exitCode = run(stryker, ['run', 'mutation/stryker.config.mjs', ...options]);

function run(script, args) {
  const env = { ...process.env, TENANTCTL_MUTATE: room, TENANTCTL_TEST_NO_BUILD: '1' };
  return spawnSync(process.execPath, [script, ...args], { stdio: 'inherit', env }).status ?? 1;
}
