import { join } from 'node:path';
import { applyPlan as runPlan } from '../applier/apply.ts';
import { openJournal } from '../applier/journal.ts';
import { acquireLock } from '../applier/lock.ts';
import type { ApplyEvent } from '../applier/run-context.ts';
import type { Sent } from '../client/answer.ts';
import { describeAnswer } from '../client/describe.ts';
import { matchAddresses } from '../model/address.ts';
import { ExitCode, Failure, failure } from '../model/failure.ts';
import { isRefused, type Plan } from '../model/plan.ts';
import type { Environment, Project } from '../model/project.ts';
import type { Result } from '../model/result.ts';
import { portOf, type Tenant } from './tenant.ts';

export interface ApplyOptions {
  /** Requests in flight finish, nothing new starts. */
  readonly signal?: AbortSignal;
  /** After a failure nothing new starts. */
  readonly failFast?: boolean;
  readonly onEvent?: (event: ApplyEvent) => void;
  /** Saves the result while nobody else can begin an apply. */
  readonly save?: (result: Result) => void;
}

/**
 * Carries out a plan, one made just now or one that was saved, under the project's lock and with its journal. A plan
 * that does not hold, or that a guard refused, gives a result `refused`: nothing was written then. What goes wrong with
 * single changes is in the result. Throws a Failure where another apply runs, or the tenant cannot be read beforehand.
 *
 * @example
 * const result = await applyPlan(project, tenant, plan, { onEvent: (event) => console.error(event.type) });
 * for (const { address, error } of result.changes) if (error) console.error(address, error);
 */
export async function applyPlan(
  { root }: Pick<Project, 'root'>,
  tenant: Tenant,
  plan: Plan,
  { save, ...options }: ApplyOptions = {},
): Promise<Result> {
  const { name, settings, limits } = tenant.environment;
  const folder = join(root, '.tenantctl');
  const lock = await acquireLock(folder);
  try {
    const result = await runPlan(plan, portOf(tenant), {
      ...options,
      environment: name,
      settings,
      journal: await openJournal(join(folder, 'journal'), plan.digest),
      concurrency: limits.concurrency,
      now: () => new Date(),
      describe,
    });
    save?.(result);
    return result;
  } finally {
    await lock.release();
  }
}

/**
 * Throws a Failure (exit 4) for a plan that a guard refused, whose digest is not the approved one, or that deletes what
 * the environment protects by now, whatever the plan found when it was made.
 */
export function requireApproved(
  plan: Plan,
  { policy }: Environment,
  approvedDigest: string | undefined,
): void {
  if (isRefused(plan)) {
    throw new Failure(
      plan.diagnostics.filter(({ severity }) => severity === 'error'),
      ExitCode.refused,
    );
  }
  if (approvedDigest !== undefined && approvedDigest !== plan.digest) {
    throw failure(
      'digest-mismatch',
      `The plan's digest is ${plan.digest}, not the approved ${approvedDigest}: what it would do has changed.`,
      { hint: 'Plan again, review it, and approve the new digest.' },
      ExitCode.refused,
    );
  }
  const isProtected = matchAddresses(policy.protect);
  const refused = plan.changes.filter(({ action, address }) => action === 'delete' && isProtected(address));
  if (refused.length === 0) return;
  throw new Failure(
    refused.map(({ address }) => ({
      code: 'protected',
      severity: 'error',
      message: `${address} would be deleted, but it is protected by the environment's \`protect\` list.`,
      hint: 'Make a new plan.',
      address,
    })),
    ExitCode.refused,
  );
}

/** The tenant's words for a refusal, and what to do about it. */
function describe(sent: Sent): string {
  const { text, hint } = describeAnswer(sent);
  const sentence = /[.!?]$/.test(text) ? text : `${text}.`;
  return hint === null ? sentence : `${sentence} ${hint}`;
}
