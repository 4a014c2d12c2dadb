import type { Sent } from '../client/answer.ts';
import type { Client } from '../client/client.ts';
import type { Clock } from '../client/rate-limiter.ts';
import { readableFields } from '../kinds/field.ts';
import { fillRequest, listNeeds } from '../kinds/http.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { type ReadRequest, shownId, type TenantState } from '../kinds/live-objects.ts';
import type { Kinds, Secrets } from '../kinds/project.ts';
import type { Address } from '../model/address.ts';
import type { Action, Change, ChangeResult, Request, Result, SentRequest } from '../model/documents.ts';
import { isObject, type Json, mapMembers } from '../model/json.ts';
import { fillLive, fillPointer, fillRefs, type Lookup } from '../model/marker.ts';
import { type Pointer, valueAt } from '../model/pointer.ts';
import type { ApiSettings } from '../model/tenant.ts';
import type { Finder, KindChange, Task } from './find.ts';
import type { Journal, RecentWrite } from './journal.ts';
import type { ResultRecorder } from './result-file.ts';

export interface TenantPort extends Pick<Client, 'tenant' | 'send'> {
  /** Reads these objects, with the vendor's defaults. Rejects with a Failure if they cannot be read. */
  read(requests: readonly ReadRequest[]): Promise<TenantState>;
  /** What these lookups find now; the answer to one without a value is no text. */
  lookUp(lookups: readonly Lookup[]): Promise<(lookup: Lookup) => Json>;
}

export interface ApplyOptions {
  readonly environment: string;
  readonly settings: ApiSettings;
  /** For requests. One that is not set may have any text. */
  readonly secrets: Pick<Secrets, 'matches' | 'problem'>;
  /** The journal of this plan. The run closes it, and ends it when every change is done. */
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly failFast?: boolean;
  readonly concurrency: number;
  readonly onEvent?: (event: ApplyEvent) => void;
  readonly clock: Clock;
  readonly settle: number;
  readonly recent: readonly RecentWrite[];
  /** The records of earlier runs of this plan about changes that they began, latest first. Left out: none. */
  readonly earlier?: ReadonlyMap<Address, readonly ChangeResult[]>;
  readonly describe: (sent: Sent) => string;
  readonly kinds: Kinds;
  /** Address globs of objects that are never deleted: the environment's `protect`. */
  readonly protect: readonly string[];
  readonly record?: ResultRecorder;
  /** Called with the result when every change is done, before the journal ends: to save what must not be lost. */
  readonly onDone?: (result: Result) => Promise<void>;
}

export interface Run extends Required<ApplyOptions> {
  readonly port: TenantPort;
  readonly created: CreatedIds;
  readonly now: () => string;
  /** Aborted by an interrupt, or once the run is halted. */
  readonly stopped: AbortSignal;
  readonly halt: () => void;
}

export function startRun(port: TenantPort, options: ApplyOptions): Run {
  const halted = new AbortController();
  return {
    created: new CreatedIds(),
    failFast: false,
    earlier: new Map(),
    onEvent: doNothing,
    record: { start: doNothing, finish: doNothing },
    onDone: doNothing,
    ...options,
    port,
    now: () => new Date(options.clock.now()).toISOString(),
    stopped: AbortSignal.any([options.signal, halted.signal]),
    halt: () => halted.abort(),
  };
}

const doNothing = async (): Promise<void> => {};

/** The ids of the objects that a plan creates, as they become known. */
class CreatedIds {
  readonly #ids = new Map<Address, Json>();
  readonly #needed = new Set<Address>();

  find(entries: readonly KindChange[], find: Finder): void {
    for (const entry of entries) {
      const { action } = entry.change;
      for (const needed of listNeeds(entry.change)) this.#needed.add(needed);
      if (action === 'create') this.learn(entry.change, find(entry).live);
    }
  }

  learn({ action, address }: Change, live: LiveObject | null): void {
    if (action === 'create' && live && live.id !== null) this.#ids.set(address, shownId(live));
  }

  fill<T extends KindChange>(entry: T): T {
    const { change } = entry;
    if (listNeeds(change).length === 0) return entry;
    const idOf = (to: Address) => this.#ids.get(to);
    return {
      ...entry,
      change: {
        ...change,
        declared: change.declared && mapMembers(change.declared, (value) => fillRefs(value, idOf)),
        diff: change.diff.map((each) => ({
          ...each,
          path: fillPointer(each.path, idOf),
          after: fillRefs(each.after, idOf),
        })),
        requests: change.requests.map((request) => fillRequest(request, idOf)),
      },
    };
  }

  missingFor({ change }: KindChange): Address[] {
    return listNeeds(change).filter((address) => !this.#ids.has(address));
  }

  isAwaited(address: Address): boolean {
    return this.#needed.has(address) && !this.#ids.has(address);
  }
}

/** A plan never holds these values: they come from the object as just read. */
export function fillFrom(live: LiveObject | null, { kind, change }: KindChange, planned: Request): Request {
  const request = fillRequest(planned, (to) => (live && to === change.address ? shownId(live) : undefined));
  const fields = readableFields(kind, live?.fields ?? {});
  const own = mapMembers(live?.raw ?? {}, (item, name) =>
    name !== kind.parent?.part && Object.hasOwn(fields, name) ? item : undefined,
  );
  const membersAt = (at: Pointer) => {
    const members = at === '' ? own : (valueAt(fields, at) ?? null);
    return isObject(members) ? members : {};
  };
  return { ...request, body: fillLive(request.body, (at) => valueAt(fields, at), membersAt) };
}

export type ApplyEvent =
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'checking'; readonly objects: number }
  /** The plan holds; `resumed` changes were started or made by an earlier run of it. */
  | { readonly type: 'checked'; readonly changes: number; readonly resumed: number }
  | { readonly type: 'started'; readonly address: Address; readonly action: Action }
  /** The answer does not show the outcome, so the object is looked up first. */
  | { readonly type: 'waiting'; readonly address: Address; readonly why: string }
  /** These objects do not show their changes yet; they are read again for `ms` at most. */
  | { readonly type: 'settling'; readonly addresses: readonly Address[]; readonly ms: number }
  | {
      readonly type: 'finished';
      readonly result: ChangeResult;
      readonly finished: number;
      readonly total: number;
    };

export interface Ending extends Pick<ChangeResult, 'outcome' | 'requests' | 'error' | 'warnings'> {
  readonly task: Task;
  readonly live: LiveObject | null;
  /** The places that the tenant ignored, rewrote, added to or removed items from. */
  readonly unmet: readonly Pointer[];
  /** Fields that became different although the change is not about them. */
  readonly beside: readonly Pointer[];
}

export function ending(
  task: Task,
  outcome: ChangeResult['outcome'],
  requests: readonly SentRequest[],
  more: Partial<Pick<Ending, 'live' | 'error' | 'warnings' | 'unmet' | 'beside'>> = {},
): Ending {
  return {
    task,
    outcome,
    requests,
    live: task.live,
    error: null,
    warnings: [],
    unmet: [],
    beside: [],
    ...more,
  };
}
