import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

  it('of another machine is respected', async () => {
    const folder = await newFolder();
    await leaveLock(folder, { host: 'elsewhere', pid: await deadPid() });
    await expect(acquireLock(folder)).rejects.toThrow('on elsewhere');
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
