import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchFolder } from '../../src/preview/server.ts';

let root = '';
let watch: ReturnType<typeof watchFolder> | undefined;
let onChange = () => {};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'watch-'));
  mkdirSync(join(root, 'config/texts'), { recursive: true });
  mkdirSync(join(root, '.tenantctl'));
  watch = watchFolder(root, () => onChange());
});

afterEach(() => {
  watch?.close();
  rmSync(root, { recursive: true });
});

/** Resolves with the next change that is reported after `act`. */
async function changeAfter(act: () => void): Promise<void> {
  let isReported = false;
  onChange = () => {
    isReported = true;
  };
  act();
  await expect.poll(() => isReported, { interval: 10 }).toBe(true);
}

it('reports a changed, a new and a removed file, at any depth', async () => {
  const file = join(root, 'config/texts/a.html');
  await changeAfter(() => writeFileSync(file, 'a'));
  await changeAfter(() => writeFileSync(file, 'b'));
  await changeAfter(() => rmSync(file));
});

it('follows folders that are made later', async () => {
  await changeAfter(() => mkdirSync(join(root, 'config/more')));
  await changeAfter(() => writeFileSync(join(root, 'config/more/a.yaml'), 'a'));
});

it('does not follow what the program writes itself', async () => {
  let changes = 0;
  onChange = () => {
    changes += 1;
  };
  writeFileSync(join(root, '.tenantctl/sandbox.json'), '{}');
  const other = join(root, 'config/a.yaml');
  writeFileSync(other, 'a');
  await expect.poll(() => changes, { interval: 10 }).toBe(1);
});
