import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyChanges } from '../../src/applier/apply.ts';
import { type Journal, openJournal } from '../../src/applier/journal.ts';
import type { ApplyOptions, TenantPort } from '../../src/applier/run.ts';
import type { Clock } from '../../src/client/rate-limiter.ts';
import type { Change, Plan, Result } from '../../src/model/documents.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { secretsOf } from '../support/plan.ts';
import { kinds, planOf } from './things.ts';

export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'tenantctl-applier-'));

/** A clock on which time passes only where somebody waits. */
export function steppingClock(): Clock & { pass(ms: number): void } {
  let time = Date.parse('2026-01-02T03:04:05.678Z');
  return {
    now: () => time,
    pass(ms) {
      time += ms;
    },
    async sleep(ms) {
      time += ms;
    },
  };
}

/** Applies a plan, or one of these changes, with a journal in `folder` or in one of its own. */
export async function apply(
  given: Plan | readonly Change[],
  tenant: TenantPort,
  options: Partial<ApplyOptions> & { folder?: string } = {},
): Promise<Result> {
  const plan = 'changes' in given ? given : planOf(given);
  return applyChanges(plan, tenant, await optionsFor(plan, options));
}

export async function optionsFor(
  plan: Plan,
  { folder, ...more }: Partial<ApplyOptions> & { folder?: string },
): Promise<ApplyOptions> {
  return {
    environment: 'test',
    settings: contractSettings,
    secrets: secretsOf({}),
    journal: await openJournal(folder ?? (await newFolder()), plan),
    concurrency: 4,
    clock: steppingClock(),
    settle: 0,
    describe: (sent) =>
      sent.outcome === 'answered' ? `${sent.status}: ${JSON.stringify(sent.body)}` : sent.detail,
    kinds,
    signal: new AbortController().signal,
    recent: [],
    protect: [],
    ...more,
  };
}

/** A folder with the journal of a run that was killed once it had sent the first request of a change, or had its answer. */
export async function killedRun(
  plan: Plan,
  address: string,
  {
    before = null,
    status,
    at = plan.createdAt,
  }: { before?: string | null; status?: number; at?: string } = {},
): Promise<string> {
  const folder = await newFolder();
  const journal = await openJournal(folder, plan);
  await journal.append({ type: 'intent', at, request: 0, before: [[address, before]] });
  if (status !== undefined)
    await journal.append({ type: 'result', at, request: 0, changes: [address], verdict: 'done', status });
  await journal.close();
  return folder;
}

/** The journal, which cannot be written once a record is of this type. */
export function refusing(journal: Journal, type: 'result' | 'settled', why: string): Journal {
  const append: Journal['append'] = (record) =>
    record.type === type ? Promise.reject(new Error(why)) : journal.append(record);
  return { ...journal, append };
}

/** The tenant, and what is asked of it: `read` is called before each read, and `send` before each request. */
export function watched(
  tenant: TenantPort,
  on: {
    readonly read?: (...asked: Parameters<TenantPort['read']>) => void;
    readonly send?: (...asked: Parameters<TenantPort['send']>) => void;
  },
): TenantPort {
  return {
    tenant: tenant.tenant,
    lookUp: tenant.lookUp.bind(tenant),
    read(...asked) {
      on.read?.(...asked);
      return tenant.read(...asked);
    },
    send(...asked) {
      on.send?.(...asked);
      return tenant.send(...asked);
    },
  };
}

/** The tenant behind a client that sends nothing after its time. `onSend` may say whether it sends a request. */
export function inTime(
  tenant: TenantPort,
  clock: Clock,
  onSend: (notAfter: number | null) => unknown = () => {},
): TenantPort {
  const tooLate = { outcome: 'unsent', reason: 'outdated', detail: 'too late' } as const;
  return {
    tenant: tenant.tenant,
    read: (requests) => tenant.read(requests),
    lookUp: tenant.lookUp.bind(tenant),
    async send(request, { notAfter = null } = {}) {
      const maySend = onSend(notAfter);
      const isInTime = notAfter === null || clock.now() <= notAfter;
      return (typeof maySend === 'boolean' ? maySend : isInTime)
        ? tenant.send(request)
        : { ...tooLate, attempts: 1, ms: 0, trackingId: null, repeated: false };
    },
  };
}

/** `Thing/a done, Thing/b failed` */
export const outcomes = ({ changes }: Result): string =>
  changes.map(({ address, outcome }) => `${address} ${outcome}`).join(', ');
