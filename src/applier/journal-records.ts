import type { Address } from '../model/address.ts';
import { get, getText, isArray, isObject, type Json, parseJson } from '../model/json.ts';
import type { TenantName } from '../model/network.ts';
import type { Pointer } from '../model/pointer.ts';

/** `refused`: it certainly had no effect. `unclear`: no answer shows whether it had. */
export type Verdict = 'done' | 'refused' | 'unclear';

/** The outcome of a request for some of the changes that it serves. */
export interface Conclusion {
  readonly changes: readonly Address[];
  readonly verdict: Verdict;
  readonly status: number | null;
}

/** One line of a journal. It has no bodies and no values, so it holds no secrets. */
export type JournalRecord =
  | {
      readonly type: 'plan';
      readonly digest: string;
      readonly tenant: TenantName | null;
      /** When the plan was made; `null` in old journals. */
      readonly createdAt: string | null;
    }
  | {
      readonly type: 'intent';
      readonly at: string;
      readonly request: number;
      readonly before: readonly (readonly [Address, string | null])[];
    }
  | (Conclusion & { readonly type: 'result'; readonly at: string; readonly request: number })
  | ({
      readonly type: 'settled';
      readonly at: string;
      readonly change: Address;
    } & SettledObject);

/** What the object of a finished change showed. */
export interface SettledObject {
  /** The places that the tenant ignored, rewrote, added to or removed items from. */
  readonly unmet: readonly Pointer[];
  /** The fingerprint of the object; `null` where there was none, absent in old journals. */
  readonly after?: string | null;
}

/** What is known about one request of a change; `intended`: it was sent or was about to be, and has no result. */
interface RequestProgress {
  readonly before: string | null;
  readonly state: 'intended' | Verdict;
  readonly at: string;
}

/** What earlier runs of a plan did for one change. */
export interface Progress {
  readonly requests: ReadonlyMap<number, RequestProgress>;
  /** What its object showed when it was checked; `null` before that. */
  readonly settled: SettledObject | null;
}

/** A line as a record, or `null` where it is not one. */
export function parseRecord(line: string): JournalRecord | null {
  const value = parseJson(line);
  if (!isObject(value)) return null;
  const at = getText(value, 'at') ?? '';
  const request = get(value, 'request');
  switch (get(value, 'type')) {
    case 'plan': {
      const digest = getText(value, 'digest');
      const tenant = tenantOf(get(value, 'tenant'));
      const createdAt = getText(value, 'createdAt');
      return digest === null || get(value, 'format') !== 1
        ? null
        : { type: 'plan', digest, tenant, createdAt };
    }
    case 'intent': {
      const before = pairsOf(get(value, 'before'));
      return before && typeof request === 'number' ? { type: 'intent', at, request, before } : null;
    }
    case 'result': {
      const changes = textsOf(get(value, 'changes'));
      const verdict = verdictOf(get(value, 'verdict'));
      const given = get(value, 'status');
      const status = typeof given === 'number' ? given : null;
      if (!changes || !verdict || typeof request !== 'number') return null;
      return { type: 'result', at, request, changes, verdict, status };
    }
    case 'settled': {
      const change = getText(value, 'change');
      const unmet = textsOf(get(value, 'unmet'));
      const after = get(value, 'after');
      if (change === null || !unmet) return null;
      const isKnown = after === null || typeof after === 'string';
      return { type: 'settled', at, change, unmet, ...(isKnown ? { after } : {}) };
    }
    default:
      return null;
  }
}

/** The records of a journal by change. A later record of a request replaces an earlier one. */
export function progressOf(records: readonly JournalRecord[]): ReadonlyMap<Address, Progress> {
  const byChange = new Map<
    Address,
    { requests: Map<number, RequestProgress>; settled: SettledObject | null }
  >();
  const entry = (address: Address) => {
    const existing = byChange.get(address) ?? { requests: new Map(), settled: null };
    byChange.set(address, existing);
    return existing;
  };
  for (const record of records) {
    switch (record.type) {
      case 'plan':
        break;
      case 'intent':
        for (const [address, before] of record.before) {
          entry(address).requests.set(record.request, { before, state: 'intended', at: record.at });
        }
        break;
      case 'result':
        for (const address of record.changes) {
          const { requests } = entry(address);
          const before = requests.get(record.request)?.before ?? null;
          requests.set(record.request, { before, state: record.verdict, at: record.at });
        }
        break;
      case 'settled':
        entry(record.change).settled = record;
        break;
    }
  }
  return byChange;
}

/** `null` in journals of older versions. */
function tenantOf(value: Json | undefined): TenantName | null {
  if (!isObject(value)) return null;
  const identity = getText(value, 'identity');
  const profiles = getText(value, 'profiles');
  return identity === null || profiles === null ? null : { identity, profiles };
}

function verdictOf(value: Json | undefined): Verdict | null {
  return value === 'done' || value === 'refused' || value === 'unclear' ? value : null;
}

function textsOf(value: Json | undefined): string[] | null {
  if (!isArray(value)) return null;
  const texts = value.filter((item) => typeof item === 'string');
  return texts.length === value.length ? texts : null;
}

function pairsOf(value: Json | undefined): [Address, string | null][] | null {
  if (!isArray(value)) return null;
  const pairs = value.flatMap((item): [Address, string | null][] => {
    if (!isArray(item)) return [];
    const [address, fingerprint = null] = item;
    if (typeof address !== 'string' || (fingerprint !== null && typeof fingerprint !== 'string')) return [];
    return [[address, fingerprint]];
  });
  return pairs.length === value.length ? pairs : null;
}
