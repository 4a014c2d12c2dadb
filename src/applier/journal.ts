import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Address } from '../model/address.ts';
import { ExitCode } from '../model/exit.ts';
import { failure } from '../model/failure.ts';
import type { Pointer } from '../model/pointer.ts';
import {
  type JournalRecord,
  type Progress,
  parseRecord,
  progressOf,
  type Verdict,
} from './journal-records.ts';

/** What a run of one plan did so far: written before and after every request, read when the plan is applied again. */
export interface Journal {
  readonly file: string;
  /** What earlier runs of the plan noted about a change; `null` where none began it. */
  progress(address: Address): Progress | null;
  /** Notes that a request is about to be sent, with the fingerprints of the objects as they are before it. */
  intend(request: number, before: ReadonlyMap<Address, string | null>, at: string): Promise<void>;
  /** Notes what became of a request. */
  conclude(
    request: number,
    changes: readonly Address[],
    verdict: Verdict,
    status: number | null,
    at: string,
  ): Promise<void>;
  /** Notes that a finished change was looked at, and the fields the tenant did not take. */
  settle(change: Address, unmet: readonly Pointer[], at: string): Promise<void>;
  /** Ends the journal of a run that did everything: the same plan, applied later, starts afresh. */
  finish(at: string): Promise<void>;
  close(): Promise<void>;
}

const maxBytes = 256 * 1024 * 1024;

/**
 * Opens the journal of a plan under `dir`; the file is made by the first note. A last line that was cut by a crash is
 * dropped. Throws a Failure when the file is damaged elsewhere or belongs to another plan.
 */
export async function openJournal(dir: string, planDigest: string): Promise<Journal> {
  const file = join(dir, `${fileStem(planDigest)}.jsonl`);
  const { records, length } = await readRecords(file, planDigest);
  const byChange = progressOf(records);
  let handle: Promise<FileHandle> | null = null;
  let tail: Promise<void> = Promise.resolve();

  const append = (record: JournalRecord): Promise<void> => {
    const write = async () => {
      handle ??= openForAppend(file, length, planDigest);
      const out = await handle;
      await out.appendFile(`${JSON.stringify(record)}\n`);
      await out.datasync();
    };
    const written = tail.then(write);
    // A failed note is reported to whoever made it; the next one tries for itself.
    tail = written.catch(() => undefined);
    return written;
  };
  const close = async () => {
    await tail;
    await (await handle)?.close();
    handle = null;
  };
  return {
    file,
    progress: (address) => byChange.get(address) ?? null,
    intend: (request, before, at) => append({ type: 'intent', at, request, before: [...before] }),
    conclude: (request, changes, verdict, status, at) =>
      append({ type: 'result', at, request, changes, verdict, status }),
    settle: (change, unmet, at) => append({ type: 'settled', at, change, unmet }),
    async finish(at) {
      const exists = handle !== null || length > 0;
      await close();
      if (exists)
        await rename(file, join(dir, `${fileStem(planDigest)}.${at.replaceAll(/[^\dTZ]/g, '')}.done.jsonl`));
    },
    close,
  };
}

/** The hex digits of a digest; of a digest in a foreign form, its own digest, since it names a file. */
function fileStem(planDigest: string): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(planDigest)?.[1];
  return hex ?? createHash('sha256').update(planDigest).digest('hex');
}

async function openForAppend(file: string, length: number, planDigest: string): Promise<FileHandle> {
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(file, 'a', 0o600);
  await handle.truncate(length);
  if (length === 0) {
    await handle.appendFile(`${JSON.stringify({ type: 'plan', format: 1, digest: planDigest })}\n`);
    await handle.datasync();
    await syncFolder(dirname(file));
  }
  return handle;
}

/** So that the file's name survives a power cut as its content does; some systems cannot open a folder. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // The content is safe all the same.
  }
}

async function readRecords(
  file: string,
  planDigest: string,
): Promise<{ records: JournalRecord[]; length: number }> {
  const bytes = await readFile(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (bytes === null) return { records: [], length: 0 };
  if (bytes.length > maxBytes) throw damaged(file, 'is larger than any journal');
  const length = bytes.lastIndexOf('\n') + 1;
  const [first, ...lines] = bytes.subarray(0, length).toString('utf8').split('\n').slice(0, -1);
  if (first === undefined) return { records: [], length: 0 };
  const header = parseRecord(first);
  if (header?.type !== 'plan') throw damaged(file, 'does not begin as a journal does');
  if (header.digest !== planDigest) throw damaged(file, 'belongs to another plan');
  const records = lines.map((line, at) => {
    const record = parseRecord(line);
    if (!record) throw damaged(file, `cannot be read at line ${at + 2}`);
    return record;
  });
  return { records, length };
}

function damaged(file: string, why: string) {
  return failure(
    'journal-damaged',
    `The journal ${file} ${why}, so it cannot tell what an earlier run did.`,
    { hint: 'Move the file away, make a new plan and review it.' },
    ExitCode.refused,
  );
}
