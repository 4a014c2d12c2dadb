/** The package is not published with addresses that nobody has filled in. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

function check(changes: object) {
  const file = join(mkdtempSync(join(tmpdir(), 'tenantctl-addresses-')), 'package.json');
  writeFileSync(file, JSON.stringify({ ...manifest, ...changes }));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/addresses.mjs', file], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stderr };
}

const url = 'https://git.acme.example/iga/tenantctl';

it('npm asks before it publishes, and not before it packs', () => {
  expect(manifest.scripts).toMatchObject({ prepublishOnly: 'node scripts/addresses.mjs' });
  expect(manifest.scripts).not.toHaveProperty('prepack');
});

it.each([
  ['as the repository has it', {}, ['repository.url', 'bugs.url']],
  ['with one of the two', { repository: { type: 'git', url } }, ['bugs.url']],
  ['without them', { repository: undefined, bugs: undefined }, ['repository.url', 'bugs.url']],
])('a package.json %s is refused, and told what is missing', (_which, changes, missing) => {
  const { status, stderr } = check(changes);
  expect(status).toBe(1);
  expect([...stderr.matchAll(/`(\w+\.url)`/g)].map(([, name]) => name)).toEqual(missing);
});

it('one with addresses of its own is published', () => {
  const own = { repository: { type: 'git', url }, bugs: { url: `${url}/issues` } };
  expect(check(own)).toEqual({ status: 0, stderr: '' });
});
