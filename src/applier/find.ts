import type { Clock } from '../client/rate-limiter.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import {
  identityOf,
  idsAsNames,
  ignoring,
  keyBefore,
  LiveIndex,
  type ReadRequest,
  type TenantState,
} from '../kinds/live-objects.ts';
import { type Address, type Key, parseAddress } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Change, ChangeResult } from '../model/documents.ts';
import { messageOf } from '../model/failure.ts';
import type { RecentWrite } from './journal.ts';

/** The live objects for one change. With several it is unclear which one is meant. */
export interface FoundObjects {
  readonly live: LiveObject | null;
  readonly others: readonly LiveObject[];
  readonly standard: LiveObject | null;
}

export interface KindChange {
  readonly kind: Kind;
  readonly change: Change;
}

/** A change that can be made: the object as it is, and the first request still to send. */
export interface Task extends KindChange {
  readonly live: LiveObject | null;
  readonly from: number;
  /** An earlier run started it, so the live object is not the one that the plan was made from. */
  readonly resumed: boolean;
  /** The records of such runs, as far as known, latest first. */
  readonly earlier?: readonly ChangeResult[] | undefined;
}

export type Finder = (entry: KindChange) => FoundObjects;

export function finderIn(state: TenantState): Finder {
  const objects = new LiveIndex(state.objects);
  const defaults = new LiveIndex(state.defaults);
  return ({ kind, change }) => {
    const keys = changeKeys(kind, change);
    const [found, ...others] = objects.all(kind, keys, change.id);
    const live = found ? ignoring(found, change.ignored) : null;
    const [standard = null] = defaults.all(kind, keys, null);
    return { live, others, standard };
  };
}

/** `found`: the objects were found before. If each has a call of its own, the others are not read. */
export function requestsForChanges(
  changes: readonly KindChange[],
  { written = false, found = false } = {},
): ReadRequest[] {
  return groupBy(changes, ({ kind }) => kind).map(([kind, entries]) => {
    const ofKind = entries.map(({ change }) => change);
    const keys = ofKind.flatMap((change) => changeKeys(kind, change));
    const ids = ofKind.flatMap(({ id }) => (id === null ? [] : [id]));
    const areIdsEnough = found && kind.read.how === 'list-then-each' && ids.length === keys.length;
    return {
      kind,
      keys: areIdsEnough ? [] : keys,
      ids,
      idsAsNames: idsAsNames(ofKind),
      complete: false,
      written,
    };
  });
}

export function changeKeys(kind: Kind, change: Change): Key[] {
  // An object that is deleted by its id may share its name with others.
  const before = change.action === 'delete' ? null : keyBefore(kind, change);
  return before ? [change.key, before] : [change.key];
}

/**
 * Finds the objects of changes as they are now, or says why they could not be read. Never rejects. `written`: answers have shown
 * that all of them are there.
 */
export async function lookUp(
  changes: readonly KindChange[],
  run: {
    readonly port: { read(requests: readonly ReadRequest[]): Promise<TenantState> };
    readonly signal: AbortSignal;
  },
  written = false,
): Promise<{ readonly find: Finder } | { readonly failed: string }> {
  if (run.signal.aborted) return { failed: 'The run was interrupted before the object could be looked up.' };
  try {
    return { find: finderIn(await run.port.read(requestsForChanges(changes, { written }))) };
  } catch (error) {
    return { failed: `The object could not be looked up: ${messageOf(error)}` };
  }
}

/** The waits between looks, in milliseconds: each is twice as long as the one before. */
const firstWait = 250;
const longestWait = 5_000;

/** Waits grow; an abort ends them. `leftAfter`: how many milliseconds may still be waited for something else, 0 if final. */
export async function lookUntil<T>(
  look: () => Promise<T>,
  leftAfter: (seen: T) => number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  for (let wait = firstWait; ; wait = Math.min(wait * 2, longestWait)) {
    const seen = await look();
    const left = leftAfter(seen);
    if (left <= 0 || signal.aborted) return seen;
    await clock.sleep(Math.min(wait, left), signal);
  }
}

interface SettleOptions {
  readonly recent: readonly RecentWrite[];
  readonly settle: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  onEvent(event: { type: 'settling'; addresses: readonly Address[]; ms: number }): void;
}

/** Reads until the tenant shows the recent writes, or has had the time to. What somebody else changed is not waited for. */
export async function readSettled<T extends { readonly objects: readonly LiveObject[] }>(
  requests: readonly ReadRequest[],
  read: () => Promise<T>,
  { recent, settle, clock, signal, onEvent }: SettleOptions,
): Promise<T> {
  const asked = writesAskedFor(requests, recent, clock.now());
  const last = await lookUntil(
    read,
    ({ objects }) => {
      const now = clock.now();
      const young = asked.filter(({ at }) => at + settle > now);
      if (young.length === 0) return 0;
      const index = new LiveIndex(objects);
      const late = young.filter((write) => isHidden(write, index, objects, recent));
      if (late.length === 0) return 0;
      const ms = Math.max(...late.map(({ at }) => at + settle - now));
      onEvent({ type: 'settling', addresses: late.map(({ address }) => address), ms });
      return ms;
    },
    { clock, signal },
  );
  // An interrupt cuts the wait short. The reads so far must not be trusted; another read reports that.
  return signal.aborted ? read() : last;
}

interface ObjectWrites extends RecentWrite {
  readonly kind: Kind;
  readonly key: Key;
  /** Whether the last of them has several requests, and left no object or an unknown one. */
  readonly mayBeHalfMade: boolean;
}

function writesAskedFor(requests: readonly ReadRequest[], writes: readonly RecentWrite[], now: number) {
  if (writes.length === 0) return [];
  const asked = new Set(requests.flatMap(({ kind, keys }) => keys.map((key) => identityOf(kind, key))));
  const byIdentity = new Map<string, ObjectWrites>();
  for (const write of writes) {
    const { kind: name, key } = parseAddress(write.address) ?? { kind: '', key: [] };
    const request = requests.find(({ kind }) => kind.name === name);
    if (!request) continue;
    const { kind } = request;
    const identity = identityOf(kind, key);
    if (!request.complete && !asked.has(identity)) continue;
    const before = [...(byIdentity.get(identity)?.before ?? []), ...write.before];
    // A clock set back must not lengthen the wait.
    const at = Math.min(write.at, now);
    const mayBeHalfMade = !write.after && write.before.length > 1;
    byIdentity.set(identity, { ...write, at, before, kind, key, mayBeHalfMade });
  }
  return [...byIdentity.values()];
}

function isHidden(
  { kind, key, at, before, after, ignored, mayBeHalfMade }: ObjectWrites,
  index: LiveIndex,
  objects: readonly LiveObject[],
  writes: readonly RecentWrite[],
): boolean {
  const found = index.findByKey(kind, key);
  const fingerprint = found?.fingerprint(ignored) ?? null;
  if (fingerprint === after) return false;
  if (before.includes(fingerprint)) return true;
  // Between two requests of one change, the object is neither as before nor as after it.
  if (found !== null) return mayBeHalfMade;
  // A rename that does not show yet: the object still has its old key, unless a later write restored it.
  const givenLater = new Set(writes.flatMap((write) => (write.at > at && write.after ? [write.after] : [])));
  return objects.some((object) => {
    const print = object.fingerprint(ignored);
    return before.includes(print) && !givenLater.has(print);
  });
}
