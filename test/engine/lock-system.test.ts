import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { acquireLock, thisProcess } from '../../src/engine/lock.ts';
import { newFolder } from '../applier/run.ts';

const systemError = (code: string) => Object.assign(new Error(code), { code });

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

describe('on a system that says nothing about its processes, the lock', () => {
  beforeEach(() => {
    const { readFile } = fs;
    vi.spyOn(fs, 'readFile').mockImplementation(async (file, options) => {
      if (String(file).startsWith('/proc/')) throw systemError('ENOENT');
      return readFile(file, options);
    });
    syncBuiltinESMExports();
  });

  it('names what is known: the machine and the number', async () => {
    expect(await thisProcess('me')).toEqual({
      token: 'me',
      pid: process.pid,
      started: null,
      host: hostname(),
      place: null,
    });
  });

  it('of a process that runs is respected', async () => {
    const folder = await newFolder();
    const lock = await acquireLock(folder);
    await expect(acquireLock(folder)).rejects.toMatchObject({
      exitCode: 4,
      diagnostics: [{ code: 'apply-in-progress', message: expect.stringContaining(`${process.pid}.`) }],
    });
    await lock.release();
    expect(await fs.readdir(folder)).toEqual([]);
  });

  it('of a process that has ended is taken over', async () => {
    const child = spawn(process.execPath, ['-e', '0']);
    await once(child, 'exit');
    const folder = await newFolder();
    const left = { token: 'left-over', pid: child.pid, started: null, host: hostname(), place: null };
    await fs.writeFile(join(folder, 'lock'), JSON.stringify(left));
    await (await acquireLock(folder)).release();
    expect(await fs.readdir(folder)).toEqual([]);
  });
});

describe('the lock', () => {
  it('in a folder that takes no links is an error of the system, and leaves nothing behind', async () => {
    const folder = await newFolder();
    vi.spyOn(fs, 'link').mockRejectedValue(systemError('EPERM'));
    syncBuiltinESMExports();
    await expect(acquireLock(folder)).rejects.toMatchObject({ code: 'EPERM' });
    expect(await fs.readdir(folder)).toEqual([]);
  });

  it('that was released before its holder could be read is taken', async () => {
    const folder = await newFolder();
    vi.spyOn(fs, 'link').mockRejectedValueOnce(systemError('EEXIST'));
    syncBuiltinESMExports();
    const lock = await acquireLock(folder);
    expect(JSON.parse(await fs.readFile(lock.file, 'utf8'))).toMatchObject({ pid: process.pid });
    await lock.release();
  });
});

it('a lock that the disk has no room for leaves nothing behind', async () => {
  const { writeFile } = fs;
  const folder = await newFolder();
  vi.spyOn(fs, 'writeFile').mockImplementation(async (file, _data, options) => {
    await writeFile(file, '', options);
    throw systemError('ENOSPC');
  });
  syncBuiltinESMExports();
  await expect(acquireLock(folder)).rejects.toThrow('ENOSPC');
  expect(await fs.readdir(folder)).toEqual([]);
});
