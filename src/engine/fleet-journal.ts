import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readResultFile } from '../applier/saved-file.ts';
import { ownFolder, requireOwnFolder } from '../loader/own-folder.ts';
import { SharedWork } from '../model/concurrent.ts';
import { fileStem } from '../model/digest.ts';
import { isObject, parseJson, textOf } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import { ifThere, unwritableFile } from '../model/system-error.ts';
import { requireUncommitted } from './recent.ts';

/** What distinguishes a plan of a fleet from an equal one. */
type FleetPlan = Pick<Plan, 'environment' | 'createdAt'>;

/** What is recorded of an environment that is done; `createdAt` is that of its plan. */
interface FleetRecord {
  readonly createdAt: string | null;
  readonly result: Result;
}

/**
 * Which environments of a fleet are done, by the digest of the fleet: each has a journal of its own, but a run that was
 * killed must know which of them it need not begin again. Removed when all are done.
 */
export class FleetJournal {
  readonly #file: string;
  readonly #records: ReadonlyMap<string, FleetRecord>;
  readonly #writes = new SharedWork(() => this.#write());
  #waiting: string[] = [];

  /**
   * Opens the journal of a fleet, which may not exist yet. Throws a Failure where it cannot be read, and where it came with
   * the repository: an environment would then count as done that nobody applied.
   */
  static async open(root: string, digest: string): Promise<FleetJournal> {
    requireOwnFolder(root);
    const file = join(root, ownFolder, 'fleets', `${fileStem(digest)}.jsonl`);
    const text = (await ifThere(readFile(file, 'utf8'))) ?? '';
    if (text !== '') await requireUncommitted(root, file);
    return new FleetJournal(file, new Map(text.split('\n').flatMap((line) => recordIn(line, file))));
  }

  private constructor(file: string, records: ReadonlyMap<string, FleetRecord>) {
    this.#file = file;
    this.#records = records;
  }

  /**
   * The result of a plan that an earlier run has done. A plan that was made later is another one, even if it is equal: its
   * tenant was read again, and does not have these changes any more. The same plan needs no clock for that.
   */
  resultOf({ environment, createdAt }: FleetPlan): Result | undefined {
    const record = this.#records.get(environment);
    if (!record) return undefined;
    const isThisPlan = record.createdAt === createdAt;
    return isThisPlan || Date.parse(record.result.endedAt) >= Date.parse(createdAt)
      ? record.result
      : undefined;
  }

  /** Records that the plan of an environment is done. Rejects with a Failure where that cannot be written. */
  add({ environment, createdAt }: FleetPlan, result: Result): Promise<void> {
    // It begins a line of its own, also after one that a crash cut off.
    this.#waiting.push(`\n${JSON.stringify({ environment, createdAt, result })}\n`);
    return this.#writes.run();
  }

  async #write(): Promise<void> {
    const text = this.#waiting.join('');
    this.#waiting = [];
    try {
      await mkdir(dirname(this.#file), { recursive: true });
      await appendFile(this.#file, text, { flush: true });
    } catch (error) {
      throw unwritableFile(this.#file, error);
    }
  }

  /** Ends the journal of a fleet whose environments are all done: applied again, it starts from the beginning. */
  async remove(): Promise<void> {
    await this.#writes.idle;
    await rm(this.#file, { force: true });
  }
}

/** The record in a line; none in one that a crash cut off. */
function recordIn(line: string, file: string): [name: string, record: FleetRecord][] {
  const record = parseJson(line);
  const name = record !== undefined && isObject(record) ? textOf(record, 'environment') : null;
  if (name === null || !isObject(record)) return [];
  const result = readResultFile(JSON.stringify(record.result ?? null), file);
  return [[name, { createdAt: textOf(record, 'createdAt'), result }]];
}
