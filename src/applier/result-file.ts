import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Address } from '../model/address.ts';
import { SharedWork } from '../model/basics.ts';
import { type ChangeResult, countOutcomes, formats, type Plan, type Result } from '../model/documents.ts';
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
export function openResultFile(
  file: string,
  { environment, tenant, digest, changes: planned }: Plan,
  now: () => string,
  origin: Pick<Result, 'revision' | 'undoes'> = {},
) {
  const startedAt = now();
  const begun = new Map<Address, ChangeResult>();
  const finished: ChangeResult[] = [];
  let handle: FileHandle | null = null;
  // How many of the finished changes the file has for good, and where they end, in bytes.
  let kept = { changes: 0, bytes: 0 };
  let length = 0;
  let ended: Pick<Result, 'endedAt' | 'outcome' | 'summary'> | null = null;

  const run = {
    formatVersion: formats.result,
    planDigest: digest,
    environment,
    tenant,
    ...origin,
    startedAt,
  };
  const head = `${JSON.stringify(run).slice(0, -1)},"changes":[\n`;
  const tail = () => {
    const listed = [...finished, ...begun.values()];
    const counted = countOutcomes(listed);
    const notAttempted = counted.notAttempted + planned.length - listed.length;
    const summary = { ...counted, notAttempted };
    const open = { endedAt: now(), outcome: 'interrupted', summary, diagnostics: [runUnfinished] };
    return `],${JSON.stringify(ended ?? open).slice(1)}`;
  };
  /** Each write holds the current state, for all who wait for it. */
  const writes = new SharedWork(async () => {
    try {
      if (handle === null) makeFolder(dirname(file));
      handle ??= await open(file, 'w');
      const fresh = finished.slice(kept.changes);
      const entries = Buffer.from((kept.bytes === 0 ? head : '') + lines(fresh, kept.changes === 0));
      const rest = lines([...begun.values()], finished.length === 0);
      const text = Buffer.concat([entries, Buffer.from(`${rest}\n${tail()}\n`)]);
      // Blanks at the end of JSON mean nothing. On a full disk they fail alone, and what the file has stays whole.
      const more = Math.max(0, kept.bytes + text.length - length);
      await writeAt(handle, Buffer.alloc(more, ' '), length);
      const blanks = Buffer.alloc(Math.max(0, length - kept.bytes - text.length), ' ');
      await writeAt(handle, Buffer.concat([text, blanks]), kept.bytes);
      length = kept.bytes + text.length + blanks.length;
      kept = { changes: kept.changes + fresh.length, bytes: kept.bytes + entries.length };
    } catch (error) {
      throw unwritableFile(file, error);
    }
  });
  const close = async () => {
    await writes.idle;
    const isRecorded = handle !== null;
    await handle?.close();
    handle = null;
    return isRecorded;
  };
  return {
    file,
    async start(changes: readonly ChangeResult[]) {
      for (const change of changes) begun.set(change.address, change);
      await writes.run();
      // Previous values must survive even a power failure once the tenant has new ones.
      await handle?.datasync();
    },
    finish(change: ChangeResult) {
      if (!begun.delete(change.address)) return;
      finished.push(change);
      // `end` writes everything again, and says if it cannot.
      writes.run().catch(() => {});
    },
    /** Replaces what was recorded by the result of the whole run. Throws a Failure if it cannot be written. */
    async end(result: Result): Promise<void> {
      const { endedAt, outcome, summary } = result;
      ended = { endedAt, outcome, summary };
      // If there is no room for the whole result, what was recorded says at least how the run ended.
      if (handle) await writes.run().catch(() => {});
      await close();
      await replaceFiles([{ path: file, content: `${JSON.stringify(result, null, 2)}\n` }]);
    },
    async discard(): Promise<void> {
      if (await close()) await rm(file, { force: true });
    },
    close,
  };
}

function lines(changes: readonly ChangeResult[], isFirst: boolean): string {
  return changes.map((change, at) => `${isFirst && at === 0 ? '' : ',\n'}${JSON.stringify(change)}`).join('');
}

/** Writes all of it: one call may write less. */
async function writeAt(handle: FileHandle, content: Buffer, position: number): Promise<void> {
  for (let done = 0; done < content.length; ) {
    const { bytesWritten } = await handle.write(content, done, content.length - done, position + done);
    done += bytesWritten;
  }
}
