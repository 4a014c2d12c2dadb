import { access, constants, mkdir, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isRegular, ResultFile, type ResultRecorder } from '../applier/result-file.ts';
import { readResultFile } from '../applier/saved-file.ts';
import { environmentFolder } from '../loader/own-folder.ts';
import { Failure, ifFailure, ifThere, unwritableFile } from '../model/failure.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import type { LaterResult } from '../planner/rollback.ts';

export interface SavedResult {
  readonly file: string;
  /** Why it could not be written; `null` where it was. */
  readonly failure: Failure | null;
}

export interface Results extends ResultRecorder {
  /** Writes the whole result. Returns the files, the one that was asked for first. */
  end(result: Result): Promise<SavedResult[]>;
  /** Lets go of the files of a run that did not end. What was recorded stays. */
  close(): Promise<void>;
}

export function resultsFolder(root: string, environment: string): string {
  return join(environmentFolder(root, environment), 'results');
}

/**
 * Opens the result files of a run: one of the environment, which is kept if anything was sent, and the one that was
 * asked for. Throws a Failure where the folder cannot be written.
 *
 * @param folder where the environment's results are kept
 * @param asked the file of `--result`, absolute
 */
export async function openResults(
  folder: string,
  plan: Plan,
  asked: string | null,
  now: () => string,
): Promise<Results> {
  await checkFolder(folder);
  const stamp = now().replaceAll(/[:.]/g, '-');
  const kept = new ResultFile(join(folder, `${stamp}-${plan.environment}.json`), plan, now);
  const other = asked === null ? null : new ResultFile(asked, plan, now);
  // A pipe gets the whole result, once.
  const recorded = other && (await isRegular(other.file)) ? [kept, other] : [kept];
  return {
    async start(changes) {
      for (const file of recorded) await file.start(changes);
    },
    finish(change) {
      for (const file of recorded) file.finish(change);
    },
    async end(result) {
      const { done, failed, unknown } = result.summary;
      const isOfUse = done + failed + unknown > 0;
      if (!isOfUse) await kept.discard();
      const files = [...(other ? [other] : []), ...(isOfUse ? [kept] : [])];
      return Promise.all(files.map((file) => endFile(file, result)));
    },
    async close() {
      for (const file of recorded) await file.close();
    },
  };
}

async function endFile(file: ResultFile, result: Result): Promise<SavedResult> {
  const problem = await file.end(result).then(
    () => null,
    ifFailure((error) => error),
  );
  return { file: file.file, failure: problem };
}

async function checkFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw unwritableFile(folder, error);
  }
}

/** The results of an environment that began later than `since`, in their order. */
export async function findLaterResults(
  root: string,
  environment: string,
  since: string,
): Promise<LaterResult[]> {
  const folder = resultsFolder(root, environment);
  const names = (await ifThere(readdir(folder))) ?? [];
  // The name begins with the start of the run, which spares reading the rest.
  const from = since.replaceAll(/[:.]/g, '-');
  const later = names.filter((name) => /^\d.*\.json$/.test(name) && name > from).sort();
  const found: LaterResult[] = [];
  for (const name of later) {
    const file = relative(root, join(folder, name));
    try {
      found.push({ file, result: readResultFile(await readFile(join(folder, name), 'utf8'), file) });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      found.push({ file, unreadable: error.message });
    }
  }
  return found.filter((each) => 'unreadable' in each || each.result.startedAt > since);
}
