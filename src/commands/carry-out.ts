import { join } from 'node:path';
import { applyPlan } from '../applier/apply.ts';
import type { ApplyEvent } from '../applier/events.ts';
import { openJournal } from '../applier/journal.ts';
import { acquireLock } from '../applier/lock.ts';
import type { Sent } from '../client/answer.ts';
import { describeAnswer } from '../client/describe.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import type { Tenant } from './tenant.ts';

export interface CarryOutOptions {
  /** Requests in flight finish, nothing new starts. */
  readonly signal?: AbortSignal;
  /** After a failure nothing new starts. */
  readonly failFast?: boolean;
  readonly onEvent?: (event: ApplyEvent) => void;
  /** Keeps the result while nobody else can begin an apply. */
  readonly keep?: (result: Result) => void;
}

/**
 * Carries out a plan under the lock and with the journal in `folder`. Throws a Failure where another apply runs there,
 * or the tenant cannot be read beforehand; what goes wrong afterwards is in the result.
 */
export async function carryOutPlan(
  plan: Plan,
  tenant: Tenant,
  folder: string,
  { keep, ...options }: CarryOutOptions = {},
): Promise<Result> {
  const { name, settings, limits } = tenant.environment;
  const lock = await acquireLock(folder);
  try {
    const result = await applyPlan(plan, tenant, {
      ...options,
      environment: name,
      settings,
      journal: await openJournal(join(folder, 'journal'), plan.digest),
      concurrency: limits.concurrency,
      now: () => new Date(),
      describe,
    });
    keep?.(result);
    return result;
  } finally {
    await lock.release();
  }
}

/** The tenant's words for a refusal, and what to do about it. */
function describe(sent: Sent): string {
  const { text, hint } = describeAnswer(sent);
  const sentence = /[.!?]$/.test(text) ? text : `${text}.`;
  return hint === null ? sentence : `${sentence} ${hint}`;
}
