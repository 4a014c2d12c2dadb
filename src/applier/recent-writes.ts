import type { Clock } from '../client/clock.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { identityOf, LiveIndex } from '../kinds/live-objects.ts';
import type { ReadRequest } from '../kinds/read-request.ts';
import { type Address, parseAddress } from '../model/address.ts';
import { lookUntil } from './find.ts';
import type { RecentWrite } from './journal.ts';

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
