import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readResultFile } from '../applier/saved-file.ts';
import { isInRepository } from '../loader/checkout.ts';
import { ownFolder, requireOwnFolder } from '../loader/own-folder.ts';
import { ExitCode, type Failure, failure } from '../model/failure.ts';
import { isObject, parseJson, textOf } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import { systemCode, unwritableFile } from '../model/system-error.ts';

/**
 * Which environments of a fleet are done, by the digest of the fleet: each has a journal of its own, but a run that was
 * killed must know which of them it need not begin again. Removed when all are done.
 */
export class FleetJournal {
  readonly #file: string;
  readonly #results: ReadonlyMap<string, Result>;
  #last: Promise<void> = Promise.resolve();

  /**
   * Opens the journal of a fleet, which may not exist yet. Throws a Failure where it cannot be read, and where it came with
   * the repository: an environment would then count as done that nobody applied.
   */
  static async open(root: string, digest: string): Promise<FleetJournal> {
    requireOwnFolder(root);
    const hex = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1] ?? '';
    const file = join(root, ownFolder, 'fleets', `${hex}.jsonl`);
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return '';
      throw error;
    });
    if (text !== '' && (await isInRepository(root, file))) throw committedJournal(file);
    return new FleetJournal(file, new Map(text.split('\n').flatMap((line) => recordIn(line, file))));
  }

  private constructor(file: string, results: ReadonlyMap<string, Result>) {
    this.#file = file;
    this.#results = results;
  }

  /**
   * The result of a plan that an earlier run has done. A plan that was made later is another one, even if it is equal: its
   * tenant was read again, and does not have these changes any more.
   */
  resultOf({ environment, createdAt }: Pick<Plan, 'environment' | 'createdAt'>): Result | undefined {
    const result = this.#results.get(environment);
    return result && Date.parse(result.endedAt) >= Date.parse(createdAt) ? result : undefined;
  }

  /** Records that an environment is done. Rejects with a Failure where that cannot be written. */
  add(environment: string, result: Result): Promise<void> {
    const write = async () => {
      try {
        await mkdir(dirname(this.#file), { recursive: true });
        // It begins a line of its own, also after one that a crash cut off.
        await appendFile(this.#file, `\n${JSON.stringify({ environment, result })}\n`, { flush: true });
      } catch (error) {
        throw unwritableFile(this.#file, error);
      }
    };
    const written = this.#last.then(write);
    this.#last = written.catch(() => {});
    return written;
  }

  /** Ends the journal of a fleet whose environments are all done: applied again, it starts from the beginning. */
  async remove(): Promise<void> {
    await this.#last;
    await rm(this.#file, { force: true });
  }
}

function committedJournal(file: string): Failure {
  return failure(
    'committed-journal',
    `The journal ${file} is a file of the git repository, so it does not show what an earlier run did.`,
    { hint: 'Remove it with `git rm`, and make a new plan. `.gitignore` has to list `.tenantctl/*`.' },
    ExitCode.refused,
  );
}

/** The record in a line; none in one that a crash cut off. */
function recordIn(line: string, file: string): [name: string, result: Result][] {
  const record = parseJson(line);
  const name = record !== undefined && isObject(record) ? textOf(record, 'environment') : null;
  if (name === null || !isObject(record)) return [];
  return [[name, readResultFile(JSON.stringify(record.result ?? null), file)]];
}
