import { spawn } from 'node:child_process';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { acquireLock } from '../../src/applier/lock.ts';
import { newFolder } from './run.ts';

/** The number of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await new Promise((resolve) => child.on('exit', resolve));
  return child.pid ?? 0;
}

async function leaveLock(folder: string, parts: object): Promise<void> {
  const holder = { token: 'left-over', pid: process.pid, started: null, host: hostname(), ...parts };
  await writeFile(join(folder, 'lock'), JSON.stringify(holder));
}

afterEach(() => vi.restoreAllMocks());

/** Makes a lock as old as if it had not been renewed for some seconds. */
async function age(file: string, seconds: number): Promise<void> {
  const then = Date.now() / 1000 - seconds;
  await utimes(file, then, then);
}

describe('the lock', () => {
  it('is held by one at a time, and the second is told by whom', async () => {
    const folder = await newFolder();
    const lock = await acquireLock(folder);
    await expect(acquireLock(folder)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await lock.release();
    await (await acquireLock(folder)).release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('of a dead process is taken over', async () => {
    const folder = await newFolder();
    await leaveLock(folder, { pid: await deadPid() });
    const lock = await acquireLock(folder);
    expect(JSON.parse(await readFile(lock.file, 'utf8'))).toMatchObject({ pid: process.pid });
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'of a process whose number was given to another is taken over',
    async () => {
      const folder = await newFolder();
      await leaveLock(folder, { started: 'another boot/1' });
      await (await acquireLock(folder)).release();
    },
  );

  it('of a process that died while taking over is taken over', async () => {
    const folder = await newFolder();
    const pid = await deadPid();
    await leaveLock(folder, { pid });
    await writeFile(
      join(folder, 'lock.left-over'),
      JSON.stringify({ token: 'claimant', pid, started: null, host: hostname() }),
    );
    await (await acquireLock(folder)).release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('left by a dead process goes to exactly one of many that want it', async () => {
    const pid = await deadPid();
    for (let round = 0; round < 20; round++) {
      const folder = await newFolder();
      await leaveLock(folder, { pid });
      const tries: Promise<unknown>[] = [];
      for (let at = 0; at < 12; at++) {
        const taken = acquireLock(folder);
        // Some fail before anybody waits for them.
        taken.catch(() => {});
        tries.push(taken);
        // Not all at the same point: some look at the lock while another one is being put in its place.
        for (let turn = 0; turn < round % 5; turn++) await new Promise(setImmediate);
      }
      const ends = await Promise.allSettled(tries);
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });

  it('of a process that belongs to somebody else is respected', async () => {
    const folder = await newFolder();
    const lock = await acquireLock(folder);
    vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    await expect(acquireLock(folder)).rejects.toMatchObject({ exitCode: 4 });
    vi.restoreAllMocks();
    await lock.release();
  });

  const unseen: [string, object][] = [
    ['another machine', { host: 'elsewhere', place: 'other-boot/pid:[1]' }],
    ['another container of this machine', { place: 'this-boot/pid:[4026599999]' }],
    ['another machine that names no place', { host: 'elsewhere' }],
  ];
  it.each(unseen)('of %s is respected as long as it is renewed', async (_name, parts) => {
    const folder = await newFolder();
    // The number may be that of another process here, or of none.
    for (const pid of [process.pid, await deadPid()]) {
      await leaveLock(folder, { ...parts, pid });
      await age(join(folder, 'lock'), 50);
      await expect(acquireLock(folder)).rejects.toMatchObject({
        exitCode: 4,
        diagnostics: [{ code: 'apply-in-progress', hint: expect.stringContaining('A minute after') }],
      });
    }
  });

  it.each(unseen)('of %s is taken over a minute after its last renewal', async (_name, parts) => {
    const folder = await newFolder();
    await leaveLock(folder, { ...parts, pid: process.pid });
    await age(join(folder, 'lock'), 61);
    await (await acquireLock(folder)).release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('of a process that can be seen is respected however long it was not renewed', async () => {
    const folder = await newFolder();
    const lock = await acquireLock(folder);
    await age(lock.file, 3600);
    await expect(acquireLock(folder)).rejects.toMatchObject({ exitCode: 4 });
    await lock.release();
  });

  it('is renewed while it is held, and not after', async () => {
    const folder = await newFolder();
    const lock = await acquireLock(folder, { renewEvery: 1 });
    await age(lock.file, 3600);
    const old = Date.now() - 1_800_000;
    await expect.poll(async () => (await stat(lock.file)).mtimeMs, { interval: 1 }).toBeGreaterThan(old);
    expect(JSON.parse(await readFile(lock.file, 'utf8'))).toMatchObject({ pid: process.pid });
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    [
      'was taken over',
      (file: string) => writeFile(file, JSON.stringify({ token: 'x', pid: 1, host: 'elsewhere' })),
    ],
    ['was removed', (file: string) => rm(file)],
  ])('that %s stops its run, and is not written again', async (_name, take) => {
    const folder = await newFolder();
    const onLost = vi.fn();
    const lock = await acquireLock(folder, { renewEvery: 1, onLost });
    await take(lock.file);
    const left = await readdir(folder);
    await expect.poll(() => onLost.mock.calls.length, { interval: 1 }).toBe(1);
    await lock.release();
    expect(await readdir(folder)).toEqual(left);
  });

  it('is gone as soon as it was released', async () => {
    const folder = await newFolder();
    await (await acquireLock(folder)).release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('that cannot be read refuses with exit 4', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'lock'), 'who knows');
    await expect(acquireLock(folder)).rejects.toMatchObject({
      exitCode: 4,
      diagnostics: [{ code: 'lock-unreadable' }],
    });
  });

  it('is not taken away from whoever has it by now', async () => {
    const folder = await newFolder();
    const lock = await acquireLock(folder);
    await leaveLock(folder, { token: 'someone-else' });
    await lock.release();
    expect(await readFile(lock.file, 'utf8')).toContain('someone-else');
  });
});
