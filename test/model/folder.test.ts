import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder } from '../../src/model/files.ts';

const temporary = () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenantctl-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

it('makes a folder and those above it, all with one mode, and keeps what is there', () => {
  const folder = temporary();
  makeFolder(join(folder, 'a/b'), 0o700);
  for (const each of ['a', 'a/b']) expect(statSync(join(folder, each)).mode & 0o777).toBe(0o700);
  makeFolder(join(folder, 'a/b'));
  expect(statSync(join(folder, 'a/b')).mode & 0o777).toBe(0o700);
});

it('throws the error of the system where a file is in its way, or no folder can be', () => {
  const folder = temporary();
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
  expect(() => makeFolder(join(folder, 'file/below'))).toThrow(/EEXIST|ENOTDIR/);
  if (process.platform === 'linux') expect(() => makeFolder('/proc/none/below')).toThrow('ENOENT');
});
