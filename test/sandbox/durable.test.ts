import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadState, saveState } from '../../src/sandbox/state.ts';
import { createTestFolder } from '../support/world.ts';

/** The calls of these functions of the file system, in order, while the test runs. */
function watchDisk(): string[] {
  const calls: string[] = [];
  const spies = (['fsyncSync', 'renameSync'] as const).map((name) => {
    const original: (...args: never[]) => void = fs[name];
    return vi.spyOn(fs, name).mockImplementation((...args: unknown[]) => {
      calls.push(name);
      Reflect.apply(original, fs, args);
    });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  });
  return calls;
}

test('the data of a tenant are on the disk before they take the place of the old ones', () => {
  const { dir, read } = createTestFolder();
  const file = join(dir, 'deep', 'data.json');
  const { state } = loadState(null, null);
  state.tenant = 'first';
  const calls = watchDisk();
  saveState(state, file);
  expect(calls).toEqual(['fsyncSync', 'renameSync']);
  expect(loadState(null, file).state).toEqual(state);
  expect(fs.readdirSync(join(dir, 'deep'))).toEqual(['data.json']);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(read('deep/data.json')).tenant).toBe('first');
});
