import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Address } from '../model/address.ts';
import { SharedWork } from '../model/basics.ts';
import {
  type ChangeResult,
  countOutcomes,
  type Plan,
  type Result,
  resultFormat,
} from '../model/documents.ts';
import { unwritableFile } from '../model/failure.ts';
import { makeFolder } from '../model/files.ts';
import { replaceFiles } from './replace-files.ts';
import { runUnfinished } from './saved-file.ts';

export interface ResultRecorder {
  /** Records changes that are about to be made. Rejects if that cannot be written: then nothing must be sent. */
  start(changes: readonly ChangeResult[]): Promise<void>;
  finish(change: ChangeResult): void;
}

/**
 * It begins when the first change starts. While the run goes on, it is the sound result of an interrupted run: a head, the
 * finished changes, and a tail with those that have begun. A write adds what has finished and replaces the tail, so a change
 * costs the same in a long run as in a short one.
 */
export class ResultFile implements ResultRecorder {
  readonly file: string;
  readonly #plan: Plan;
  readonly #now: () => string;
  readonly #startedAt: string;
  readonly #origin: Pick<Result, 'revision' | 'undoes'>;
  readonly #begun = new Map<Address, ChangeResult>();
  readonly #finished: ChangeResult[] = [];
  #handle: FileHandle | null = null;
  /** How many of the finished changes the file has for good, and where they end, in bytes. */
  #kept = 0;
  #keptBytes = 0;
  #length = 0;
  #ended: Pick<Result, 'endedAt' | 'outcome' | 'summary'> | null = null;
  /** Each write holds the current state, for all who wait for it. */
  readonly #writes = new SharedWork(() => this.#write());

  constructor(file: string, plan: Plan, now: () => string, origin: Pick<Result, 'revision' | 'undoes'> = {}) {
    this.file = file;
    this.#plan = plan;
    this.#now = now;
    this.#startedAt = now();
    this.#origin = origin;
  }

  async start(changes: readonly ChangeResult[]): Promise<void> {
    for (const change of changes) this.#begun.set(change.address, change);
    await this.#writes.run();
    // Previous values must survive even a power failure once the tenant has new ones.
    await this.#handle?.datasync();
  }

  finish(change: ChangeResult): void {
    if (!this.#begun.delete(change.address)) return;
    this.#finished.push(change);
    // `end` writes everything again, and says if it cannot.
    this.#writes.run().catch(() => {});
  }

  /** Replaces what was recorded by the result of the whole run. Throws a Failure if it cannot be written. */
  async end(result: Result): Promise<void> {
    const { endedAt, outcome, summary } = result;
    this.#ended = { endedAt, outcome, summary };
    // If there is no room for the whole result, what was recorded says at least how the run ended.
    if (this.#handle) await this.#writes.run().catch(() => {});
    await this.close();
    await replaceFiles([{ path: this.file, content: `${JSON.stringify(result, null, 2)}\n` }]);
  }

  async discard(): Promise<void> {
    const isRecorded = await this.close();
    if (isRecorded) await rm(this.file, { force: true });
  }

  async close(): Promise<boolean> {
    await this.#writes.idle;
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
    return handle !== null;
  }

  async #write(): Promise<void> {
    try {
      if (!this.#handle) {
        makeFolder(dirname(this.file));
        this.#handle = await open(this.file, 'w');
      }
      const handle = this.#handle;
      const fresh = this.#finished.slice(this.#kept);
      const head = this.#keptBytes === 0 ? this.#head() : '';
      const entries = Buffer.from(head + this.#lines(fresh, this.#kept === 0));
      const begun = this.#lines([...this.#begun.values()], this.#finished.length === 0);
      const text = Buffer.concat([entries, Buffer.from(`${begun}\n${this.#tail()}\n`)]);
      // Blanks at the end of JSON mean nothing. On a full disk they fail alone, and what the file has stays whole.
      const more = Math.max(0, this.#keptBytes + text.length - this.#length);
      await writeAt(handle, Buffer.alloc(more, ' '), this.#length);
      const blanks = Buffer.alloc(Math.max(0, this.#length - this.#keptBytes - text.length), ' ');
      await writeAt(handle, Buffer.concat([text, blanks]), this.#keptBytes);
      this.#length = this.#keptBytes + text.length + blanks.length;
      this.#keptBytes += entries.length;
      this.#kept += fresh.length;
    } catch (error) {
      throw unwritableFile(this.file, error);
    }
  }

  #head(): string {
    const { environment, tenant, digest } = this.#plan;
    const head = {
      formatVersion: resultFormat,
      planDigest: digest,
      environment,
      tenant,
      ...this.#origin,
      startedAt: this.#startedAt,
    };
    return `${JSON.stringify(head).slice(0, -1)},"changes":[\n`;
  }

  #lines(changes: readonly ChangeResult[], isFirst: boolean): string {
    return changes
      .map((change, at) => `${isFirst && at === 0 ? '' : ',\n'}${JSON.stringify(change)}`)
      .join('');
  }

  #tail(): string {
    if (this.#ended) return `],${JSON.stringify(this.#ended).slice(1)}`;
    const listed = [...this.#finished, ...this.#begun.values()];
    const counted = countOutcomes(listed);
    const notAttempted = counted.notAttempted + this.#plan.changes.length - listed.length;
    const rest = {
      endedAt: this.#now(),
      outcome: 'interrupted',
      summary: { ...counted, notAttempted },
      diagnostics: [runUnfinished],
    };
    return `],${JSON.stringify(rest).slice(1)}`;
  }
}

/** Writes all of it: one call may write less. */
async function writeAt(handle: FileHandle, content: Buffer, position: number): Promise<void> {
  for (let done = 0; done < content.length; ) {
    const { bytesWritten } = await handle.write(content, done, content.length - done, position + done);
    done += bytesWritten;
  }
}
