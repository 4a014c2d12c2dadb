import { randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, failure } from '../model/failure.ts';
import { systemCode } from '../model/system-error.ts';
import { type Holder, isAlive, isVisible, readHolder, thisProcess } from './lock-holder.ts';

export interface Lock {
  readonly file: string;
  release(): Promise<void>;
}

export interface LockOptions {
  /** The name of the file in the folder. */
  readonly name?: string;
  /** How often the lock is renewed, in milliseconds. */
  readonly renewEvery?: number;
  /** After how many milliseconds without a renewal a process that cannot be seen counts as dead. */
  readonly staleAfter?: number;
  /** Called once where somebody else has the lock now, or where it cannot be renewed any more. */
  readonly onLost?: () => void;
}

/**
 * Takes a lock (a file in `folder`), so that only one process has it. It is renewed as long as it is held, so that other
 * machines and containers, which cannot see the process, know that it is alive. The lock of a dead process is taken over.
 * Throws a Failure (exit 4) that names the process which holds it.
 */
export async function acquireLock(
  folder: string,
  { name = 'lock', renewEvery = 5_000, staleAfter = 60_000, onLost = () => {} }: LockOptions = {},
): Promise<Lock> {
  const file = join(folder, name);
  const me = await thisProcess(randomUUID());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await seize({ file, me, staleAfter }, 0);
  const stopRenewing = await keepRenewing({ file, me, staleAfter }, renewEvery, onLost);
  return {
    file,
    async release() {
      await stopRenewing();
      try {
        if (await isHeldBy(file, me)) await rm(file, { force: true });
      } catch {
        // What stays is the lock of a process that ends, and is taken over. What the run did must be told.
      }
    },
  };
}

interface Claim {
  readonly file: string;
  readonly me: Holder;
  readonly staleAfter: number;
}

/**
 * Makes `me` the holder of `file`. To replace a dead holder, the right to replace that holder (a file named by its token)
 * is taken first, and then the lock is read again: of several processes that find it dead, only one continues.
 */
async function seize(claim: Claim, depth: number): Promise<void> {
  const { file, me, staleAfter } = claim;
  if (await linkNew(file, me)) return;
  const holder = await readHolder(file);
  if (holder === 'unreadable' || depth > 8) throw lockUnreadable(file);
  if (holder === null) return seize(claim, depth + 1);
  if (await isAlive(file, holder, staleAfter)) throw await lockHeld(file, holder);
  const right = `${file}.${holder.token}`;
  await seize({ file: right, me, staleAfter }, depth + 1);
  try {
    // It may have been slow rather than dead, and renewed its lock meanwhile.
    if (!(await isHeldBy(file, holder)) || (await isAlive(file, holder, staleAfter)))
      return await seize(claim, depth + 1);
    const draft = await writeDraft(file, me);
    await orRemove(draft, rename(draft, file));
  } finally {
    await rm(right, { force: true });
  }
}

/** Links a complete file into place: nobody reads half a lock. */
async function linkNew(file: string, me: Holder): Promise<boolean> {
  const draft = await writeDraft(file, me);
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Returns the name of a new file that says that `me` holds `file`. */
async function writeDraft(file: string, me: Holder): Promise<string> {
  const draft = `${file}.${me.token}.draft`;
  await orRemove(draft, writeFile(draft, JSON.stringify(me), { mode: 0o600 }));
  return draft;
}

/** Waits for work on a file, and removes the file where that fails: on a full disk, a part of it would stay. */
async function orRemove(file: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/**
 * Writes the lock again and again, so that its file system gives it a new time. The file is opened once: after somebody
 * took the lock over, nothing is written to theirs. Returns a function that ends it.
 */
async function keepRenewing({ file, me, staleAfter }: Claim, every: number, onLost: () => void) {
  const handle: FileHandle = await open(file, 'r+');
  let last = performance.now();
  let renewal: Promise<void> | null = null;
  const stop = async () => {
    clearInterval(timer);
    await renewal;
    await handle.close();
  };
  const lose = () => {
    clearInterval(timer);
    onLost();
  };
  const renew = async () => {
    try {
      if (!(await isHeldBy(file, me))) return lose();
      await handle.write(JSON.stringify(me), 0);
      last = performance.now();
    } catch {
      // A shared folder may be away for a moment; others wait longer than this before they take the lock over.
      if (performance.now() - last > staleAfter / 2) lose();
    }
  };
  const timer = setInterval(() => {
    // One at a time: a slow folder must not lose the lock twice.
    renewal ??= renew().finally(() => {
      renewal = null;
    });
  }, every);
  timer.unref();
  return stop;
}

async function isHeldBy(file: string, { token }: Holder): Promise<boolean> {
  const holder = await readHolder(file);
  return holder !== null && holder !== 'unreadable' && holder.token === token;
}

async function lockHeld(file: string, holder: Holder) {
  const { pid, host } = holder;
  const isSeen = await isVisible(holder);
  const where = isSeen ? '' : ` on ${host}`;
  const how = isSeen
    ? `If process ${pid} is not an apply of this environment, remove ${file}.`
    : `It renews its lock every few seconds. A minute after the last renewal, its lock ${file} is taken over.`;
  return failure(
    'apply-in-progress',
    `Another apply of this environment is running: process ${pid}${where}. Nothing was written.`,
    { hint: `Wait for it to end. ${how}` },
    ExitCode.refused,
  );
}

function lockUnreadable(file: string) {
  return failure(
    'lock-unreadable',
    `The lock ${file} does not say who holds it. Nothing was written.`,
    { hint: 'Make sure that no apply of this environment is running, then remove the file.' },
    ExitCode.refused,
  );
}
