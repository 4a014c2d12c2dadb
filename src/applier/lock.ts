import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ExitCode, failure } from '../model/failure.ts';
import { isObject, own, parseJson, textOf } from '../model/json.ts';
import { systemCode } from '../model/system-error.ts';

/** The holder of a lock. `started` distinguishes a process from a later one with the same number. */
interface Holder {
  readonly token: string;
  readonly pid: number;
  readonly started: string | null;
  readonly host: string;
}

export interface Lock {
  readonly file: string;
  release(): Promise<void>;
}

/**
 * Takes the project's lock (`lock` in `folder`), so that only one apply runs at a time. The lock of a dead process is
 * taken over. Throws a Failure (exit 4) that names the process which holds it.
 */
export async function acquireLock(folder: string): Promise<Lock> {
  const file = join(folder, 'lock');
  const me: Holder = {
    token: randomUUID(),
    pid: process.pid,
    started: await startOf(process.pid),
    host: hostname(),
  };
  await mkdir(folder, { recursive: true });
  await seize(file, me, 0);
  return {
    file,
    release: async () => {
      const holder = await readHolder(file);
      if (holder !== null && holder !== 'unreadable' && holder.token === me.token)
        await rm(file, { force: true });
    },
  };
}

/**
 * Makes `me` the holder of `file`. To replace a dead holder, the right to replace that holder (a file named by its token)
 * is taken first, and then the lock is read again: of several processes that find it dead, only one continues.
 */
async function seize(file: string, me: Holder, depth: number): Promise<void> {
  if (await linkNew(file, me)) return;
  const holder = await readHolder(file);
  if (holder === 'unreadable' || depth > 8) throw lockUnreadable(file);
  if (holder === null) return seize(file, me, depth + 1);
  if (await isAlive(holder)) throw lockHeld(file, holder);
  const claim = `${file}.${holder.token}`;
  await seize(claim, me, depth + 1);
  try {
    const now = await readHolder(file);
    if (now === null || now === 'unreadable' || now.token !== holder.token)
      return await seize(file, me, depth + 1);
    await rename(await writeDraft(file, me), file);
  } finally {
    await rm(claim, { force: true });
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
  await writeFile(draft, JSON.stringify(me), { mode: 0o600 });
  return draft;
}

async function readHolder(file: string): Promise<Holder | null | 'unreadable'> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const value = parseJson(text);
  if (!isObject(value)) return 'unreadable';
  const token = textOf(value, 'token');
  const pid = own(value, 'pid');
  const host = textOf(value, 'host');
  if (token === null || !/^[\w-]{1,64}$/.test(token) || typeof pid !== 'number' || host === null)
    return 'unreadable';
  return { token, pid, started: textOf(value, 'started'), host };
}

/** A process on another machine cannot be checked, so it counts as alive. */
async function isAlive({ pid, started, host }: Holder): Promise<boolean> {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCode(error) === 'ESRCH') return false;
  }
  const now = await startOf(pid);
  return started === null || now === null || started === now;
}

/** When a process started, as the system writes it; `null` where the system does not say. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    // The second field, the program's name in parentheses, may contain anything; the start is field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[19] === undefined ? null : `${boot.trim()}/${fields[19]}`;
  } catch {
    return null;
  }
}

function lockHeld(file: string, { pid, host }: Holder) {
  const where = host === hostname() ? '' : ` on ${host}`;
  return failure(
    'apply-in-progress',
    `Another apply of this project is running: process ${pid}${where}. Nothing was written.`,
    {
      hint: `Wait for it to end. If process ${pid}${where} is not an apply of this project, remove ${file}.`,
    },
    ExitCode.refused,
  );
}

function lockUnreadable(file: string) {
  return failure(
    'lock-unreadable',
    `The lock ${file} does not say who holds it. Nothing was written.`,
    { hint: 'Make sure that no apply of this project is running, then remove the file.' },
    ExitCode.refused,
  );
}
