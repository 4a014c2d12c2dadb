import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import fs, { mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { acquireLock } from '../../src/engine/lock.ts';
import { newFolder } from '../applier/run.ts';
import { isThorough } from '../support/effort.ts';

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

let folder: string;
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const takeAndRelease = async () => (await acquireLock(folder)).release();
const expectRefusal = (more = {}) =>
  expect(acquireLock(folder)).rejects.toMatchObject({ exitCode: 4, ...more });
/** The files that a lock left behind. */
const expectLeft = async (...names: readonly string[]) => expect(await readdir(folder)).toEqual(names);

/** What this process writes into a lock. */
async function holder() {
  const lock = await acquireLock(folder);
  const written = JSON.parse(await readFile(lock.file, 'utf8'));
  await lock.release();
  return written;
}

const systemError = (code: string) => Object.assign(new Error(code), { code });

/** Makes a lock as old as if it had not been renewed for some seconds. */
async function age(file: string, seconds: number): Promise<void> {
  const then = Date.now() / 1000 - seconds;
  await utimes(file, then, then);
}

describe('the lock', () => {
  it('is held by one at a time, and the second is told by whom', async () => {
    const lock = await acquireLock(folder);
    await expectRefusal({
      diagnostics: [
        {
          message: expect.stringContaining(`process ${process.pid} on`),
          hint: expect.stringContaining(`If that process is no apply`),
        },
      ],
    });
    await lock.release();
    await takeAndRelease();
    await expectLeft();
  });

  it('of a dead process is taken over', async () => {
    await leaveLock(folder, { pid: await deadPid() });
    const lock = await acquireLock(folder);
    expect(JSON.parse(await readFile(lock.file, 'utf8'))).toMatchObject({ pid: process.pid });
    await lock.release();
    await expectLeft();
  });

  describe.runIf(process.platform === 'linux')('of another process of this machine', () => {
    const boot = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    /** When a process started, after the name that is in the brackets. */
    const startOf = (pid: number, name: string) =>
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(`(${name}) `)[1]?.split(' ')[19];

    it('is respected while it runs, whatever its program is called, and however long it was not renewed', async () => {
      const program = join(folder, 'x) 1 (y');
      await symlink('/bin/sleep', program);
      const child = spawn(program, ['60']);
      await once(child, 'spawn');
      const pid = child.pid ?? 0;
      const started = `${boot()}/${startOf(pid, 'x) 1 (y')}`;
      await leaveLock(folder, { pid, started });
      await age(join(folder, 'lock'), 3600);
      await expectRefusal({
        diagnostics: [{ code: 'apply-in-progress', message: expect.stringContaining(`process ${pid} on`) }],
      });
      child.kill('SIGKILL');
      await once(child, 'exit');
      await takeAndRelease();
    });

    it('is taken over when it was killed, also while its parent has not asked for its exit code', async () => {
      // The shell becomes a program that waits for no child, like the first process of many containers.
      const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
      const [line] = await once(parent.stdout, 'data');
      const pid = Number(line);
      // Until then, the shell would ask for it.
      await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'));
      await leaveLock(folder, { pid });
      await expectRefusal();
      process.kill(pid, 'SIGKILL');
      await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z '));
      await takeAndRelease();
      parent.kill('SIGKILL');
    });

    it('with the same number is another one if it started earlier, later or before the last boot', async () => {
      const { started } = await holder();
      expect(started).toBe(
        `${boot()}/${startOf(process.pid, readFileSync('/proc/self/comm', 'utf8').trim())}`,
      );
      for (const other of [`${boot()}/1`, `${started}0`, String(started).replace(boot(), 'other-boot')]) {
        folder = await newFolder();
        await leaveLock(folder, { started: other });
        await takeAndRelease();
      }
    });

    it('says in which boot and in which container its number means something', async () => {
      const { place, pid, host } = await holder();
      expect({ place, pid, host }).toEqual({
        place: `${boot()}/${readlinkSync('/proc/self/ns/pid')}`,
        pid: process.pid,
        host: hostname(),
      });
      await leaveLock(folder, { place, host: 'a name that this machine had', pid: await deadPid() });
      await takeAndRelease();
    });
  });

  it('of a process that died while taking over is taken over', async () => {
    const pid = await deadPid();
    await leaveLock(folder, { pid });
    await writeFile(
      join(folder, 'lock.left-over'),
      JSON.stringify({ token: 'claimant', pid, started: null, host: hostname() }),
    );
    await takeAndRelease();
    await expectLeft();
  });

  it('left by a dead process goes to exactly one of many that want it', async () => {
    const pid = await deadPid();
    for (let round = 0; round < (isThorough ? 20 : 5); round++) {
      folder = await newFolder();
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
    const lock = await acquireLock(folder);
    vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    await expectRefusal();
    vi.restoreAllMocks();
    await lock.release();
  });

  const unseen: [string, object][] = [
    ['another machine', { host: 'elsewhere', place: 'other-boot/pid:[1]' }],
    ['another container of this machine', { place: 'this-boot/pid:[4026599999]' }],
    ['another machine that names no place', { host: 'elsewhere' }],
  ];
  it.each(unseen)('of %s is respected as long as it is renewed', async (_name, parts) => {
    // The number may be that of another process here, or of none.
    for (const pid of [process.pid, await deadPid()]) {
      await leaveLock(folder, { ...parts, pid });
      await age(join(folder, 'lock'), 50);
      await expectRefusal({
        diagnostics: [
          {
            code: 'apply-in-progress',
            message: expect.stringContaining(
              `process ${pid} on ${'host' in parts ? parts.host : hostname()}.`,
            ),
            hint: expect.stringContaining('at the latest after a minute'),
          },
        ],
      });
    }
  });

  it.each(unseen)('of %s is taken over a minute after its last renewal', async (_name, parts) => {
    await leaveLock(folder, { ...parts, pid: process.pid });
    await age(join(folder, 'lock'), 61);
    await takeAndRelease();
    await expectLeft();
  });

  it('of a process that can be seen is respected however long it was not renewed', async () => {
    const lock = await acquireLock(folder);
    await age(lock.file, 3600);
    await expectRefusal();
    await lock.release();
  });

  it('is renewed while it is held, and not after', async () => {
    const lock = await acquireLock(folder, { renewEvery: 1 });
    await age(lock.file, 3600);
    const old = Date.now() - 1_800_000;
    await expect.poll(async () => (await stat(lock.file)).mtimeMs, { interval: 1 }).toBeGreaterThan(old);
    expect(JSON.parse(await readFile(lock.file, 'utf8'))).toMatchObject({ pid: process.pid });
    await lock.release();
    await expectLeft();
  });

  it.each([
    [
      'was taken over',
      (file: string) => writeFile(file, JSON.stringify({ token: 'x', pid: 1, host: 'elsewhere' })),
    ],
    ['was removed', (file: string) => rm(file)],
  ])('that %s stops its run, and is not written again', async (_name, take) => {
    const onLost = vi.fn();
    const lock = await acquireLock(folder, { renewEvery: 1, onLost });
    await take(lock.file);
    const left = await readdir(folder);
    await expect.poll(() => onLost.mock.calls.length, { interval: 1 }).toBe(1);
    await lock.release();
    expect(await readdir(folder)).toEqual(left);
  });

  it('that was renewed late is kept as long again', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(20_000);
    const onLost = vi.fn();
    const lock = await acquireLock(folder, { renewEvery: 1, onLost });
    clock.mockReturnValue(45_000);
    const reading = vi.spyOn(fs, 'open');
    syncBuiltinESMExports();
    const waitForReads = async (count = reading.mock.calls.length) =>
      expect.poll(() => reading.mock.calls.length, { interval: 1 }).toBeGreaterThan(count + 3);
    await waitForReads();
    reading.mockRejectedValue(new Error('The folder is away.'));
    clock.mockReturnValue(70_000);
    await waitForReads();
    expect(onLost).not.toHaveBeenCalled();
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    await lock.release();
  });

  it('of somebody who renews it while it is being taken over is respected', async () => {
    await leaveLock(folder, { host: 'elsewhere', place: 'other-boot/pid:[1]' });
    const file = join(folder, 'lock');
    await age(file, 90);
    const { link } = fs;
    vi.spyOn(fs, 'link').mockImplementation(async (from, to) => {
      if (to === `${file}.left-over`) await age(file, 0);
      return link(from, to);
    });
    syncBuiltinESMExports();
    await expectRefusal();
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ host: 'elsewhere' });
    await expectLeft('lock');
  });

  it('that is released while somebody looks at it is free', async () => {
    await leaveLock(folder, { host: 'elsewhere' });
    const { stat } = fs;
    vi.spyOn(fs, 'stat').mockImplementationOnce(async (probe) => {
      await rm(join(folder, 'lock'));
      return stat(probe);
    });
    syncBuiltinESMExports();
    await takeAndRelease();
    await expectLeft();
  });

  it('that cannot be renewed for a moment is kept, and is lost before others take it over', async () => {
    const clock = vi.spyOn(performance, 'now');
    const onLost = vi.fn();
    clock.mockReturnValue(20_000);
    const lock = await acquireLock(folder, { renewEvery: 1, onLost });
    const reading = vi.spyOn(fs, 'open').mockRejectedValue(new Error('The folder is away.'));
    syncBuiltinESMExports();
    await expect.poll(() => reading.mock.calls.length, { interval: 1 }).toBeGreaterThan(3);
    clock.mockReturnValue(50_000);
    const count = reading.mock.calls.length;
    await expect.poll(() => reading.mock.calls.length, { interval: 1 }).toBeGreaterThan(count + 3);
    expect(onLost).not.toHaveBeenCalled();
    clock.mockReturnValue(50_001);
    await expect.poll(() => onLost.mock.calls.length, { interval: 1 }).toBe(1);
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    await lock.release();
    await expectLeft();
  });

  const sound = { token: 'left-over', pid: 1, host: 'elsewhere' };
  it.each([
    ['is no JSON', 'who knows'],
    ['is no object', '[]'],
    ['has no token', JSON.stringify({ ...sound, token: undefined })],
    ['has a token that leads elsewhere as a file name', JSON.stringify({ ...sound, token: '../../x' })],
    ['has a token that ends in a way out', JSON.stringify({ ...sound, token: 'x/../../y' })],
    ['has an empty token', JSON.stringify({ ...sound, token: '' })],
    ['has an endless token', JSON.stringify({ ...sound, token: 'x'.repeat(65) })],
    ['names no process', JSON.stringify({ ...sound, pid: '1' })],
    ['names no machine', JSON.stringify({ ...sound, host: undefined })],
  ])('that %s refuses with exit 4, and stays', async (_name, text) => {
    await writeFile(join(folder, 'lock'), text);
    // Old enough to be taken over, if it could be read.
    await age(join(folder, 'lock'), 3600);
    await expectRefusal({
      diagnostics: [{ code: 'lock-unreadable' }],
    });
    await expectLeft('lock');
  });

  it('whose place a folder has is an error, and no free lock', async () => {
    await mkdir(join(folder, 'lock'));
    await expect(acquireLock(folder)).rejects.toMatchObject({
      diagnostics: [{ code: 'file-unreadable', message: expect.stringContaining('not a regular file') }],
    });
    await expectLeft('lock');
  });

  it('that cannot be given back at the end of a run does not hide what the run did', async () => {
    const lock = await acquireLock(folder);
    await rm(lock.file);
    await mkdir(lock.file);
    await expect(lock.release()).resolves.toBeUndefined();
  });

  it('and its folder are the business of one user only', async () => {
    const inside = join(folder, 'new', 'folder');
    const lock = await acquireLock(inside);
    expect((await stat(lock.file)).mode & 0o777).toBe(0o600);
    expect((await stat(inside)).mode & 0o777).toBe(0o700);
    await lock.release();
  });

  it('is not taken away from whoever has it by now', async () => {
    const lock = await acquireLock(folder);
    await leaveLock(folder, { token: 'someone-else' });
    await lock.release();
    expect(await readFile(lock.file, 'utf8')).toContain('someone-else');
  });

  it('in a folder that takes no links is an error of the system, and leaves nothing behind', async () => {
    vi.spyOn(fs, 'link').mockRejectedValue(systemError('EPERM'));
    syncBuiltinESMExports();
    await expect(acquireLock(folder)).rejects.toMatchObject({ code: 'EPERM' });
    await expectLeft();
  });

  it('that was released before its holder could be read is taken', async () => {
    vi.spyOn(fs, 'link').mockRejectedValueOnce(systemError('EEXIST'));
    syncBuiltinESMExports();
    const lock = await acquireLock(folder);
    expect(JSON.parse(await readFile(lock.file, 'utf8'))).toMatchObject({ pid: process.pid });
    await lock.release();
  });

  it('that the disk has no room for leaves nothing behind', async () => {
    const { writeFile } = fs;
    vi.spyOn(fs, 'writeFile').mockImplementation(async (file, _data, options) => {
      await writeFile(file, '', options);
      throw systemError('ENOSPC');
    });
    syncBuiltinESMExports();
    await expect(acquireLock(folder)).rejects.toThrow('ENOSPC');
    await expectLeft();
  });
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
    expect(await holder()).toEqual({
      token: expect.stringMatching(/./),
      since: expect.stringMatching(/./),
      pid: process.pid,
      started: null,
      host: hostname(),
      place: null,
    });
  });

  it('of a process that runs is respected', async () => {
    const lock = await acquireLock(folder);
    await expectRefusal({
      diagnostics: [
        { code: 'apply-in-progress', message: expect.stringContaining(`process ${process.pid} on`) },
      ],
    });
    await lock.release();
    await expectLeft();
  });

  it('of a process that has ended is taken over', async () => {
    await leaveLock(folder, { pid: await deadPid(), place: null });
    await takeAndRelease();
    await expectLeft();
  });
});
