import { randomUUID } from 'node:crypto';
import { link, open, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../kinds/project.ts';
import { environmentFolder } from '../loader/paths.ts';
import { digestStart } from '../model/digest.ts';
import { ExitCode, Failure, fail, ifExists, systemCode, unwritableFile } from '../model/failure.ts';
import { makeFolder, readOwnFile } from '../model/files.ts';
import { get, getText, isObject, parseJson } from '../model/json.ts';

interface LockingOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Called when another process has taken the lock, so this run has to stop. */
  readonly onLost: () => void;
  /** Called with the reason why the optional lock of the machine was not taken. */
  readonly onWarning: (message: string) => void;
}

/**
 * Takes the locks of an environment: one in the project, for everyone who shares this folder, and one in the user's folder for
 * state, for all checkouts on the machine. Throws a Failure (exit 4) when another apply holds either of them. If the second
 * cannot be written, the first is enough.
 */
export async function lockEnvironment(
  root: string,
  environment: Environment,
  options: LockingOptions,
): Promise<Pick<Lock, 'release'>> {
  const folder = environmentFolder(root, environment.name);
  const project = await acquireLock(folder, options).catch((error: unknown) => {
    // A full disk or a read-only folder stops the run before anything is sent.
    throw unwritableFile(folder, error);
  });
  try {
    const machine = await lockMachine(environment, options);
    return {
      async release() {
        await machine?.release();
        await project.release();
      },
    };
  } catch (error) {
    // Also when `onWarning` throws: nobody else could release it while this process lives.
    await project.release();
    throw error;
  }
}

/** Takes the lock in the user's folder. Returns `null`, usually with a warning, if that is not possible. */
async function lockMachine(
  { name, tenant, connection }: Environment,
  { env: { XDG_STATE_HOME = '', HOME = '' }, onLost, onWarning }: LockingOptions,
): Promise<Lock | null> {
  const data = connection.to === 'sandbox' ? connection.sandbox.data : tenant;
  // No other process can reach an embedded tenant in memory.
  if (data === null) return null;
  const subject = digestStart(connection.to === 'sandbox' ? { name, data } : { name, ...tenant }, 32);
  // XDG Base Directory Specification.
  const [home, ...below] = isAbsolute(XDG_STATE_HOME) ? [XDG_STATE_HOME] : [HOME, '.local', 'state'];
  if (!isAbsolute(home)) {
    onWarning('There is no XDG_STATE_HOME and no HOME, so other checkouts of this project are not locked.');
    return null;
  }
  const folder = join(home, ...below, 'tenantctl', 'locks');
  try {
    return await acquireLock(folder, { name: `${subject}.lock`, onLost });
  } catch (error) {
    const code = systemCode(error);
    if (error instanceof Failure || code === null) throw error;
    onWarning(`${folder} cannot be written (${code}), so other checkouts of this project are not locked.`);
    return null;
  }
}

type Lock = Awaited<ReturnType<typeof acquireLock>>;

interface LockOptions {
  readonly name?: string;
  readonly renewEvery?: number;
  /** A process that cannot be seen counts as dead after this many milliseconds without a renewal. */
  readonly staleAfter?: number;
  /** Called once, when another process has the lock or it cannot be renewed any more. */
  readonly onLost?: () => void;
}

/**
 * Takes a lock (a file in `folder`), so that only one process has it. The holder renews it, so that other machines and
 * containers, which cannot see the process, know that it is alive. The lock of a dead process is taken over. Throws a
 * Failure (exit 4) that names the holder.
 */
export async function acquireLock(
  folder: string,
  { name = 'lock', renewEvery = 5_000, staleAfter = 60_000, onLost = () => {} }: LockOptions = {},
) {
  const file = join(folder, name);
  const me: LockHolder = {
    token: randomUUID(),
    since: new Date().toISOString(),
    pid: process.pid,
    started: (await statusOf('self'))?.started ?? null,
    host: hostname(),
    place: await placeOfThisProcess(),
  };
  const claim = { file, me, staleAfter };
  makeFolder(folder, 0o700);
  await seize(claim, 0);
  const stopRenewing = await keepRenewing(claim, renewEvery, onLost);
  return {
    file,
    async release() {
      await stopRenewing();
      try {
        if (await isHeldBy(file, me)) await rm(file, { force: true });
      } catch {
        // The remaining lock belongs to a process that ends, so it will be taken over. The result of the run must be reported.
      }
    },
  };
}

interface Claim {
  readonly file: string;
  readonly me: LockHolder;
  readonly staleAfter: number;
}

/**
 * Makes `me` the holder of `file`. To replace a dead holder, the right to replace that holder (a file named by its token)
 * is taken first, and then the lock is read again: of several processes that find it dead, only one continues.
 */
async function seize(claim: Claim, depth: number): Promise<void> {
  const { file, me, staleAfter } = claim;
  try {
    return await withDraft(file, me, (draft) => link(draft, file));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  const holder = await readHolder(file);
  if (holder === 'unreadable' || depth > 8)
    throw fail(
      'lock-unreadable',
      `The lock ${file} does not say who holds it. Nothing was written.`,
      { hint: 'Make sure that no apply of this environment is running, then remove the file.' },
      ExitCode.refused,
    );
  if (holder === null) return seize(claim, depth + 1);
  if (await isAlive(file, holder, staleAfter)) throw lockHeld(file, holder);
  const right = `${file}.${holder.token}`;
  await seize({ file: right, me, staleAfter }, depth + 1);
  try {
    // It may have been slow rather than dead, and renewed its lock meanwhile.
    if (!(await isHeldBy(file, holder)) || (await isAlive(file, holder, staleAfter)))
      return await seize(claim, depth + 1);
    await withDraft(file, me, (draft) => rename(draft, file));
  } finally {
    await rm(right, { force: true });
  }
}

/** Lets `place` put a complete file in place, so that nobody reads half a lock. On a full disk, no part of it stays. */
async function withDraft(file: string, me: LockHolder, place: (draft: string) => Promise<void>) {
  const draft = `${file}.${me.token}.draft`;
  try {
    await writeFile(draft, JSON.stringify(me), { mode: 0o600 });
    await place(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Rewrites the lock regularly, so that its file system gives it a new time. The file is opened once, so nothing is written to the
 * lock of a process that took it over. Returns a function that stops it.
 */
async function keepRenewing({ file, me, staleAfter }: Claim, every: number, onLost: () => void) {
  const handle = await open(file, 'r+');
  let last = performance.now();
  let renewal: Promise<void> | null = null;
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
    // One write at a time: a slow folder must not lose the lock twice.
    renewal ??= renew().finally(() => {
      renewal = null;
    });
  }, every);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await renewal;
    await handle.close();
  };
}

async function isHeldBy(file: string, { token }: LockHolder): Promise<boolean> {
  const holder = await readHolder(file);
  return holder !== null && holder !== 'unreadable' && holder.token === token;
}

function lockHeld(file: string, { pid, host }: LockHolder): Failure {
  return fail(
    'apply-in-progress',
    `Another apply of this environment is running: process ${pid} on ${host}. Nothing was written.`,
    {
      hint: `Wait for it to end. If that process is no apply of this environment, remove ${file}. The lock of a run that has ended is taken over, at the latest after a minute.`,
    },
    ExitCode.refused,
  );
}

/** When the holder of an environment's lock began; `null` where nobody holds it, or it does not tell. */
export async function runningSince(root: string, environment: string): Promise<string | null> {
  const file = environmentFolder(root, environment, 'lock');
  const holder = await readHolder(file).catch(() => null);
  if (holder === null || holder === 'unreadable') return null;
  return (await isAlive(file, holder, 60_000).catch(() => true)) ? holder.since : null;
}

interface LockHolder {
  readonly token: string;
  /** When it asked for the lock, in UTC; `null` if unknown. */
  readonly since: string | null;
  readonly pid: number;
  /** The start of the process, which distinguishes it from a later one with the same number. */
  readonly started: string | null;
  readonly host: string;
  /** The running system and the process namespace in which `pid` means something; `null` if unknown. */
  readonly place: string | null;
}

async function readHolder(file: string): Promise<LockHolder | null | 'unreadable'> {
  const bytes = await ifExists(readOwnFile(file));
  if (bytes === null) return null;
  const value = parseJson(bytes.toString());
  if (!isObject(value)) return 'unreadable';
  const [token, host, pid] = [getText(value, 'token'), getText(value, 'host'), get(value, 'pid')];
  // The token becomes part of a file name.
  if (token === null || !/^[\w-]{1,64}$/.test(token) || typeof pid !== 'number' || host === null)
    return 'unreadable';
  const [since, started, place] = ['since', 'started', 'place'].map((name) => getText(value, name));
  return { token, since: since ?? null, pid, started: started ?? null, host, place: place ?? null };
}

/** True when the holder runs, if this process can see its machine or container; else as long as it renews its lock. */
async function isAlive(file: string, holder: LockHolder, staleAfter: number): Promise<boolean> {
  const { host, place } = holder;
  const isVisible = place === null ? host === hostname() : place === (await placeOfThisProcess());
  return isVisible ? isRunning(holder) : (await silenceOf(file)) <= staleAfter;
}

async function isRunning({ pid, started }: LockHolder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Any other error means that the process exists: it may belong to another user.
    if (systemCode(error) === 'ESRCH') return false;
  }
  const now = await statusOf(pid);
  return now === null || (!now.ended && (started === null || started === now.started));
}

/** The milliseconds since a lock was renewed, by the clock of its file system: the clocks of machines differ. */
async function silenceOf(file: string): Promise<number> {
  const probe = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}.probe`;
  try {
    await writeFile(probe, '', { mode: 0o600 });
    const [now, renewed] = [await stat(probe), await stat(file)];
    return now.mtimeMs - renewed.mtimeMs;
  } catch (error) {
    // It was released meanwhile.
    if (systemCode(error) === 'ENOENT') return Number.POSITIVE_INFINITY;
    throw error;
  } finally {
    await rm(probe, { force: true });
  }
}

const bootId = async (): Promise<string> =>
  (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();

/** The boot of the system and the process namespace; `null` on systems without these. */
async function placeOfThisProcess(): Promise<string | null> {
  try {
    return `${await bootId()}/${await readlink('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

/** The start of a process, and whether it is a zombie; `null` if the system does not tell. See `proc_pid_stat(5)`. */
async function statusOf(pid: number | 'self') {
  try {
    // A container may show the processes of its host, whose numbers are others.
    const [self] = (await readFile('/proc/self/stat', 'utf8')).split(' ');
    if (pid !== 'self' && self !== String(process.pid)) return null;
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field, the program's name in parentheses, may contain anything; state and start are fields 3 and 22.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state = '', start] = [fields[0], fields[19]];
    if (start === undefined) return null;
    return { started: `${await bootId()}/${start}`, ended: ['Z', 'X', 'x'].includes(state) };
  } catch {
    return null;
  }
}
