import { isAbsolute, join } from 'node:path';
import { acquireLock, type Lock } from '../applier/lock.ts';
import type { Environment } from '../kinds/project.ts';
import { environmentFolder } from '../loader/own-folder.ts';
import { digestStart } from '../model/digest.ts';
import { Failure } from '../model/failure.ts';
import { systemCode, unwritableFile } from '../model/system-error.ts';

export interface LockingOptions {
  /** The variables that name the user's folder for state. */
  readonly env: NodeJS.ProcessEnv;
  /** Called where somebody else has the lock now, so that the run has to stop. */
  readonly onLost: () => void;
  /** Called with why a lock that is not indispensable was not taken. */
  readonly onWarning: (message: string) => void;
}

/**
 * Takes the locks of an environment: one in the project, which holds for everyone who shares this folder, and one in the user's
 * folder for state, which holds for all checkouts on the machine. Throws a Failure (exit 4) where another apply has one
 * of them. Where the second one cannot be written, the first is enough.
 */
export async function lockEnvironment(
  root: string,
  environment: Environment,
  { env, onLost, onWarning }: LockingOptions,
): Promise<Pick<Lock, 'release'>> {
  const own = environmentFolder(root, environment.name);
  const locks = [await acquireLock(own, { onLost }).catch((error: unknown) => failWith(own, error))];
  const releaseAll = async () => {
    for (const lock of locks.toReversed()) await lock.release();
  };
  try {
    const subject = subjectOf(environment);
    const second = subject === null ? null : await lockMachine(subject, { env, onLost, onWarning });
    if (second) locks.push(second);
  } catch (error) {
    // Also where `onWarning` throws: nobody else could release it while this process lives.
    await releaseAll();
    throw error;
  }
  return { release: releaseAll };
}

/** Takes the lock in the user's folder; `null`, and a warning, where it cannot be written. */
async function lockMachine(
  subject: string,
  { env, onLost, onWarning }: LockingOptions,
): Promise<Lock | null> {
  const folder = stateFolder(env);
  if (folder === null) {
    onWarning('There is no XDG_STATE_HOME and no HOME, so other checkouts of this project are not locked.');
    return null;
  }
  try {
    return await acquireLock(folder, { name: `${subject}.lock`, onLost });
  } catch (error) {
    const code = systemCode(error);
    if (error instanceof Failure || code === null) throw error;
    onWarning(`${folder} cannot be written (${code}), so other checkouts of this project are not locked.`);
    return null;
  }
}

/** A full disk or a folder without access stops the run before anything is sent, and has to say where. */
function failWith(folder: string, error: unknown): never {
  throw unwritableFile(folder, error);
}

/** What the lock of a machine is about; `null` for an embedded tenant in memory, which no other process can reach. */
function subjectOf({ name, tenant, connection }: Environment): string | null {
  if (connection.to === 'tenant') return digestStart({ name, ...tenant }, 32);
  const { data } = connection.sandbox;
  return data === null ? null : digestStart({ name, data }, 32);
}

/** Where programs of the user keep state: XDG Base Directory Specification, `XDG_STATE_HOME`. */
function stateFolder({ XDG_STATE_HOME = '', HOME = '' }: NodeJS.ProcessEnv): string | null {
  if (isAbsolute(XDG_STATE_HOME)) return join(XDG_STATE_HOME, 'tenantctl', 'locks');
  return isAbsolute(HOME) ? join(HOME, '.local', 'state', 'tenantctl', 'locks') : null;
}
