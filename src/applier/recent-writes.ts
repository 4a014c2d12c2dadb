import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../client/clock.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { identityOf, LiveIndex } from '../kinds/live-objects.ts';
import type { ReadRequest } from '../kinds/read-request.ts';
import { type Address, parseAddress } from '../model/address.ts';
import { ifExists } from '../model/failure.ts';
import { sameJson } from '../model/json.ts';
import { isSameTenant, type TenantName } from '../model/network.ts';
import { lookUntil } from './find.ts';
import { type JournalRecord, progressOf, readJournal } from './journal.ts';

/** A write that the tenant may not show yet: what a journal says of it. */
export interface RecentWrite {
  readonly address: Address;
  /** When it was sent or answered, in milliseconds since 1970. */
  readonly at: number;
  /** The fingerprints of its object before its requests; `null`: there was no object. */
  readonly before: readonly (string | null)[];
  /** The object's fingerprint once the write showed; absent where that is not known. */
  readonly after?: string | null;
}

/** Clocks and file systems disagree by so much, in milliseconds. */
const slack = 60_000;

/**
 * The writes of the runs on this tenant since then (in milliseconds since 1970), from the journals in `dir`, in order of time.
 * Throws a Failure for a journal that is damaged.
 */
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
    writes.push(...writesIn(records).filter(({ at }) => at > since));
  }
  // A run that ended meanwhile has given its journal another name, under which it was not read.
  if (!sameJson(names, await journalsIn(dir))) return readRecentWrites(dir, tenant, since);
  return writes.sort((a, b) => a.at - b.at);
}

async function journalsIn(dir: string): Promise<string[]> {
  const names = (await ifExists(readdir(dir))) ?? [];
  return names.filter((name) => name.endsWith('.jsonl')).sort();
}

/** The writes of one journal. A write that the tenant refused does not count. */
function writesIn(records: readonly JournalRecord[]): RecentWrite[] {
  return [...progressOf(records)].flatMap(([address, { requests, settled }]) => {
    const made = [...requests.values()].filter(({ state }) => state !== 'refused');
    if (made.length === 0) return [];
    const at = Math.max(...made.map((request) => Date.parse(request.at)));
    const before = made.map((request) => request.before);
    return [{ address, at, before, ...(settled && { after: settled.after }) }];
  });
}

interface SettleOptions {
  readonly writes: readonly RecentWrite[];
  /** How long the tenant may take to show a write, in milliseconds. */
  readonly settle: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onWait: (addresses: readonly Address[], ms: number) => void;
}

/**
 * Reads until the tenant shows the recent writes, or has had the time to. What is neither as before a write nor as
 * after it was changed by somebody else, and is not waited for.
 */
export async function readSettled<T extends { readonly objects: readonly LiveObject[] }>(
  requests: readonly ReadRequest[],
  read: () => Promise<T>,
  { writes, settle, clock, signal, onWait }: SettleOptions,
): Promise<T> {
  const asked = writesAskedFor(requests, writes, clock.now());
  const last = await lookUntil(
    read,
    ({ objects }) => {
      const now = clock.now();
      const young = asked.filter(({ at }) => at + settle > now);
      if (young.length === 0) return 0;
      const index = new LiveIndex(objects);
      const late = young.filter((write) => isHidden(write, index, objects, writes));
      if (late.length === 0) return 0;
      const ms = Math.max(...late.map(({ at }) => at + settle - now));
      const addresses = late.map(({ address }) => address);
      onWait(addresses, ms);
      return ms;
    },
    { clock, signal },
  );
  // An interrupt cuts the wait short. What was read so far must not be believed, and another read says so.
  return signal.aborted ? read() : last;
}

/** All recent writes of one object that is read, as one. */
interface ObjectWrites extends RecentWrite {
  readonly request: ReadRequest;
  readonly key: LiveObject['key'];
  /** Whether the last of them is several requests, of which nobody has seen the end. */
  readonly mayBeHalfMade: boolean;
}

function writesAskedFor(
  requests: readonly ReadRequest[],
  writes: readonly RecentWrite[],
  now: number,
): ObjectWrites[] {
  if (writes.length === 0) return [];
  const asked = new Set(requests.flatMap(({ kind, keys }) => keys.map((key) => identityOf(kind, key))));
  const byIdentity = new Map<string, ObjectWrites>();
  for (const write of writes) {
    const { kind, key } = parseAddress(write.address) ?? { kind: '', key: [] };
    const request = requests.find((one) => one.kind.name === kind);
    if (!request) continue;
    const identity = identityOf(request.kind, key);
    if (!request.complete && !asked.has(identity)) continue;
    const before = [...(byIdentity.get(identity)?.before ?? []), ...write.before];
    // A clock that was set back must not make it wait longer.
    const at = Math.min(write.at, now);
    const mayBeHalfMade = write.after === undefined && write.before.length > 1;
    byIdentity.set(identity, { ...write, at, before, request, key, mayBeHalfMade });
  }
  return [...byIdentity.values()];
}

function isHidden(
  { request: { kind }, key, at, before, after, mayBeHalfMade }: ObjectWrites,
  index: LiveIndex,
  objects: readonly LiveObject[],
  writes: readonly RecentWrite[],
): boolean {
  const found = index.findByKey(kind, key);
  const fingerprint = found?.fingerprint() ?? null;
  if (fingerprint === after) return false;
  if (before.includes(fingerprint)) return true;
  // Between two requests of one change, the object is neither as before nor as after it.
  if (found !== null) return mayBeHalfMade;
  // A rename that does not show yet: the object has its old key, unless a later write gave it that again.
  const givenLater = new Set(writes.flatMap((write) => (write.at > at && write.after ? [write.after] : [])));
  return objects.some((object) => {
    const print = object.fingerprint();
    return before.includes(print) && !givenLater.has(print);
  });
}
