import { type FileHandle, open, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Conclusion, JournalRecord, Settled } from '../generated/schemas/journalRecord.ts';
import { validators } from '../generated/validators.js';
import type { Address } from '../model/address.ts';
import { SharedWork } from '../model/basics.ts';
import { fileStem } from '../model/digest.ts';
import type { Plan } from '../model/documents.ts';
import { ExitCode, fail, ifExists, unreadableFile, unwritableFile } from '../model/failure.ts';
import { makeFolder, readOwnFile } from '../model/files.ts';
import { get, objectFrom, parseJson, sameJson } from '../model/json.ts';
import type { Pointer } from '../model/pointer.ts';
import { isSameTenant, type TenantName } from '../model/tenant.ts';

/** The record of a plan's runs: written before and after every request, read when the plan is applied again. */
export type Journal = Awaited<ReturnType<typeof openJournal>>;

type JournalPlan = Pick<Plan, 'digest' | 'tenant' | 'createdAt' | 'changes'>;

const maxBytes = 256 * 1024 * 1024;

/**
 * Opens the journal of a plan; the first record creates the file. Runs that had ended before the plan was made are not
 * continued: an equal plan was made from the tenant as they left it, and its secrets may be others. Their records are set aside
 * once this plan has one of its own. Throws a Failure if the file is damaged or belongs to another plan.
 */
export async function openJournal(dir: string, plan: JournalPlan) {
  const { digest: planDigest } = plan;
  const file = join(dir, `${fileStem(planDigest)}.jsonl`);
  const content = await readJournal(file);
  const { header, records, length } = content;
  if (header && header.digest !== planDigest) throw journalDamaged(file, 'belongs to another plan');
  const isOver = isOlder(content, plan);
  const byChange = progressOf(isOver ? [] : records);
  // Under another name it still lists the writes that the tenant may not show yet.
  const setAside = async (at: string) => {
    const name = `${fileStem(planDigest)}.${at.replaceAll(/[^\dTZ]/g, '')}.done.jsonl`;
    await rename(file, join(dir, name)).catch((error: unknown) => {
      throw unwritableFile(file, error);
    });
  };
  let isInTheWay = isOver;
  let handle: FileHandle | null = null;
  let waiting = '';
  const writes = new SharedWork(async () => {
    const lines = waiting;
    waiting = '';
    try {
      if (isInTheWay) await setAside(plan.createdAt);
      isInTheWay = false;
      handle ??= await openForAppend(file, isOver ? 0 : length, plan);
      await appendWhole(handle, lines);
    } catch (error) {
      throw unwritableFile(file, error);
    }
  });
  const close = async () => {
    await writes.idle;
    await handle?.close();
    handle = null;
  };
  return {
    file,
    /** The records of earlier runs about a change; `null` if none started it. */
    progress: (address: Address) => byChange.get(address) ?? null,
    /** Records that come during a write share the next one: thousands of deletes end at once. Rejects with a Failure. */
    append(record: JournalRecord) {
      waiting += `${JSON.stringify(record)}\n`;
      return writes.run();
    },
    async finish(at: string) {
      const exists = handle !== null || length > 0;
      await close();
      if (exists) await setAside(at);
    },
    close,
  };
}

/** Whether the runs were of an earlier plan and ended before this one was made. The same plan needs no clock for that. */
function isOlder({ header, records }: JournalContent, { createdAt }: JournalPlan): boolean {
  if (header?.createdAt === createdAt) return false;
  const times = records.flatMap((record) => ('at' in record ? [Date.parse(record.at)] : []));
  return times.length > 0 && times.every((time) => time < Date.parse(createdAt));
}

async function openForAppend(
  file: string,
  length: number,
  { changes, digest, tenant, createdAt }: JournalPlan,
) {
  makeFolder(dirname(file));
  const handle = await open(file, 'a', 0o600);
  try {
    await handle.truncate(length);
    if (length === 0) {
      const ignored = objectFrom(changes.flatMap(({ address, ignored: at }) => (at ? [[address, at]] : [])));
      const header: JournalRecord = { type: 'plan', format: 1, digest, tenant, createdAt, ignored };
      await appendWhole(handle, `${JSON.stringify(header)}\n`);
      // The new file's name survives a power failure. Some systems cannot open a folder; the content is safe without it.
      const folder = await open(dirname(file), 'r').catch(() => null);
      await folder?.sync().catch(() => {});
      await folder?.close();
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Appends whole lines or nothing: on a full disk, half a line would spoil the next one. */
async function appendWhole(handle: FileHandle, lines: string): Promise<void> {
  const { size } = await handle.stat();
  try {
    await handle.appendFile(lines);
    await handle.datasync();
  } catch (error) {
    await handle.truncate(size).catch(() => {});
    throw error;
  }
}

interface JournalContent {
  /** `null` for a file that is missing or empty. */
  readonly header: Extract<JournalRecord, { type: 'plan' }> | null;
  readonly records: readonly JournalRecord[];
  readonly length: number;
}

/** Reads a journal. A last line that a crash cut off is left out. Throws a Failure if the file is damaged elsewhere. */
async function readJournal(file: string): Promise<JournalContent> {
  const bytes = await ifExists(readOwnFile(file)).catch((error: unknown) => {
    throw unreadableFile(file, error);
  });
  if (bytes === null) return { header: null, records: [], length: 0 };
  if (bytes.length > maxBytes) throw journalDamaged(file, 'is too large for a journal');
  const length = bytes.lastIndexOf('\n') + 1;
  const [first, ...lines] = bytes.subarray(0, length).toString('utf8').split('\n').slice(0, -1);
  if (first === undefined) return { header: null, records: [], length: 0 };
  const header: unknown = parseJson(first);
  if (!validators.journalRecord(header) || header.type !== 'plan')
    throw journalDamaged(file, 'is not a journal');
  const records = lines.map((line, at) => {
    const record: unknown = parseJson(line);
    if (!validators.journalRecord(record)) throw journalDamaged(file, `cannot be read at line ${at + 2}`);
    return record;
  });
  return { header, records, length };
}

function journalDamaged(file: string, why: string) {
  return fail(
    'journal-damaged',
    `The journal ${file} ${why}, so tenantctl cannot tell what an earlier run did.`,
    { hint: 'Move the file away, make a new plan and review it.' },
    ExitCode.refused,
  );
}

interface RequestProgress {
  readonly before: string | null;
  readonly state: 'intended' | Conclusion['verdict'];
  readonly at: string;
}

/** The records of a journal by change. A later record of a request replaces an earlier one. */
function progressOf(records: readonly JournalRecord[]) {
  const byChange = new Map<Address, { requests: Map<number, RequestProgress>; settled: Settled | null }>();
  const entry = (address: Address) => {
    const existing = byChange.get(address) ?? { requests: new Map(), settled: null };
    byChange.set(address, existing);
    return existing;
  };
  for (const record of records) {
    if (record.type === 'intent') {
      for (const [address, before] of record.before) {
        entry(address).requests.set(record.request, { before, state: 'intended', at: record.at });
      }
    } else if (record.type === 'result') {
      for (const address of record.changes) {
        const { requests } = entry(address);
        const before = requests.get(record.request)?.before ?? null;
        requests.set(record.request, { before, state: record.verdict, at: record.at });
      }
    } else if (record.type === 'settled') entry(record.change).settled = record;
  }
  return byChange;
}

/** A journal's record of a write that the tenant may not show yet. */
export interface RecentWrite {
  readonly address: Address;
  /** When it was sent or answered, in milliseconds since 1970. */
  readonly at: number;
  /** The fingerprints of its object before its requests; `null`: there was no object. */
  readonly before: readonly (string | null)[];
  /** The object's fingerprint once the write showed; absent if that is not known. */
  readonly after?: string | null;
  /** The places that the change ignored: the fingerprints are without them. */
  readonly ignored?: readonly Pointer[] | undefined;
}

/** How far clocks and file systems may disagree, in milliseconds. */
const slack = 60_000;

/** Sorted by time; `since` is in milliseconds since 1970. Throws a Failure for a journal that is damaged. */
export async function readRecentWrites(
  dir: string,
  tenant: TenantName,
  since: number,
): Promise<readonly RecentWrite[]> {
  const names = await journalsIn(dir);
  const writes: RecentWrite[] = [];
  for (const name of names) {
    const file = join(dir, name);
    const { mtimeMs = 0 } = (await ifExists(stat(file))) ?? {};
    if (mtimeMs < since - slack) continue;
    const { header, records } = await readJournal(file);
    if (!header || !isSameTenant(header.tenant, tenant)) continue;
    for (const [address, { requests, settled }] of progressOf(records)) {
      const made = [...requests.values()].filter(({ state }) => state !== 'refused');
      const at = Math.max(...made.map((request) => Date.parse(request.at)));
      const before = made.map((request) => request.before);
      const ignored = get(header.ignored ?? {}, address);
      if (at > since) writes.push({ address, at, before, ignored, ...(settled && { after: settled.after }) });
    }
  }
  // A run that ended meanwhile has renamed its journal, which was then not read.
  if (!sameJson(names, await journalsIn(dir))) return readRecentWrites(dir, tenant, since);
  return writes.sort((a, b) => a.at - b.at);
}

async function journalsIn(dir: string): Promise<string[]> {
  const names = (await ifExists(readdir(dir))) ?? [];
  return names.filter((name) => name.endsWith('.jsonl')).sort();
}
