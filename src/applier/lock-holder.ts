import { readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { isObject, own, parseJson, textOf } from '../model/json.ts';
import { ifThere, systemCode } from '../model/system-error.ts';

/** The process that holds a lock. */
export interface Holder {
  readonly token: string;
  readonly pid: number;
  /** When the process started: distinguishes it from a later one with the same number. */
  readonly started: string | null;
  readonly host: string;
  /** The running system and the process namespace in which `pid` means something; `null` where they are unknown. */
  readonly place: string | null;
}

/** This process as the holder of a lock. */
export async function thisProcess(token: string): Promise<Holder> {
  const [status, place] = [await statusOf('self'), await placeOfThisProcess()];
  return { token, pid: process.pid, started: status?.started ?? null, host: hostname(), place };
}

/** Who holds a lock; `null` where there is no lock, `unreadable` where it does not say. */
export async function readHolder(file: string): Promise<Holder | null | 'unreadable'> {
  const text = await ifThere(readFile(file, 'utf8'));
  if (text === null) return null;
  const value = parseJson(text);
  if (!isObject(value)) return 'unreadable';
  const token = textOf(value, 'token');
  const pid = own(value, 'pid');
  const host = textOf(value, 'host');
  if (token === null || !/^[\w-]{1,64}$/.test(token) || typeof pid !== 'number' || host === null)
    return 'unreadable';
  return { token, pid, started: textOf(value, 'started'), host, place: textOf(value, 'place') };
}

/**
 * Whether a holder still runs. A process that this one can see is asked for; any other one (on another machine, or in
 * another container) is alive as long as it renews its lock.
 *
 * @param staleAfter the milliseconds without a renewal after which it counts as dead
 */
export async function isAlive(file: string, holder: Holder, staleAfter: number): Promise<boolean> {
  if (await isVisible(holder)) return isRunning(holder);
  return (await silenceOf(file)) <= staleAfter;
}

/** Whether the holder's number is that of a process that this one can see. */
export async function isVisible({ host, place }: Holder): Promise<boolean> {
  return place === null ? host === hostname() : place === (await placeOfThisProcess());
}

async function isRunning({ pid, started }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Any other error is that of a process that exists: somebody else's, for example.
    if (systemCode(error) === 'ESRCH') return false;
  }
  const now = await statusOf(pid);
  if (now === null) return true;
  return !now.ended && (started === null || started === now.started);
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

/** The boot of the system and the process namespace; `null` on systems that do not say. */
async function placeOfThisProcess(): Promise<string | null> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()}/${await readlink('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

/** What the system says of a process. */
interface ProcessStatus {
  /** When it started, as the system writes it. */
  readonly started: string;
  /** Whether it has ended, and its parent has not asked for its exit code yet: its number still exists. */
  readonly ended: boolean;
}

/** The status of a process; `null` where the system does not say. See `proc_pid_stat(5)`. */
async function statusOf(pid: number | 'self'): Promise<ProcessStatus | null> {
  try {
    // A container may show the processes of its host, whose numbers are others.
    const [own] = (await readFile('/proc/self/stat', 'utf8')).split(' ');
    if (pid !== 'self' && own !== String(process.pid)) return null;
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    // The second field, the program's name in parentheses, may contain anything; state and start are fields 3 and 22.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, start] = [fields[0] ?? '', fields[19]];
    return start === undefined
      ? null
      : { started: `${boot.trim()}/${start}`, ended: ['Z', 'X', 'x'].includes(state) };
  } catch {
    return null;
  }
}
