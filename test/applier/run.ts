import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyChanges } from '../../src/applier/apply.ts';
import { openJournal } from '../../src/applier/journal.ts';
import type { ApplyOptions, TenantPort } from '../../src/applier/run.ts';
import type { Clock } from '../../src/client/clock.ts';
import type { Plan } from '../../src/model/plan.ts';
import type { ChangeOutcome, Result } from '../../src/model/result.ts';
import { contractSettings } from '../../src/model/settings.ts';
import { secretsOf } from '../support/plan.ts';
import { kinds } from './things.ts';

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

/** Applies a plan, with a journal in `folder` or in one of its own. */
export async function apply(
  plan: Plan,
  tenant: TenantPort,
  { folder, ...more }: Partial<ApplyOptions> & { folder?: string } = {},
): Promise<Result> {
  return applyChanges(plan, tenant, {
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
  });
}

export function outcomes(result: Result): Record<string, ChangeOutcome> {
  return Object.fromEntries(result.changes.map(({ address, outcome }) => [address, outcome]));
}
