import { join } from 'node:path';
import { applyPlan as applyChanges } from '../applier/apply.ts';
import { openJournal } from '../applier/journal.ts';
import { acquireLock } from '../applier/lock.ts';
import type { ApplyEvent } from '../applier/run-context.ts';
import type { Sent } from '../client/answer.ts';
import { describeAnswer } from '../client/describe.ts';
import { matchAddresses } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { ExitCode, Failure, failure } from '../model/failure.ts';
import { secretNamesIn } from '../model/marker.ts';
import { isRefused, type Plan } from '../model/plan.ts';
import type { Environment, Project, Secrets } from '../model/project.ts';
import type { Result } from '../model/result.ts';
import { portOf, type Tenant } from './tenant.ts';

export interface ApplyOptions {
  /** Stops the apply: requests in flight finish, nothing new starts. */
  readonly signal?: AbortSignal;
  /** Whether to stop after the first failed change. */
  readonly failFast?: boolean;
  readonly onEvent?: (event: ApplyEvent) => void;
  /** Saves the result. Called while the lock is still held, so that no other apply can start before. */
  readonly save?: (result: Result) => void;
}

/**
 * Applies a plan, new or saved, with the project's lock and journal. A plan that is stale or that a guard refused gives
 * a result with the outcome `refused`, and nothing was written. Errors of single changes are in the result. Throws a
 * Failure where another apply is running, where a secret is not set, and where the tenant cannot be read before the first write.
 *
 * @example
 * const result = await applyPlan(project, tenant, plan, { onEvent: (event) => console.error(event.type) });
 * for (const { address, error } of result.changes) if (error) console.error(address, error);
 */
export async function applyPlan(
  { root, secrets }: Pick<Project, 'root' | 'secrets'>,
  tenant: Tenant,
  plan: Plan,
  { save, ...options }: ApplyOptions = {},
): Promise<Result> {
  requireSecrets(plan, secrets);
  const { name, settings, limits } = tenant.environment;
  const folder = join(root, '.tenantctl');
  const lock = await acquireLock(folder);
  try {
    const result = await applyChanges(plan, portOf(tenant), {
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

/** Throws a Failure for secrets of the plan that are not set: they would only be missed halfway. */
function requireSecrets({ changes }: Plan, secrets: Pick<Secrets, 'problem'>): void {
  const names = changes.flatMap(({ requests }) => requests.flatMap(({ body }) => secretNamesIn(body)));
  const unset = [...new Set(names)].flatMap((name): Diagnostic[] => {
    const problem = secrets.problem(name);
    return problem ? [{ ...problem, severity: 'error' }] : [];
  });
  if (unset.length > 0) throw new Failure(unset);
}

/**
 * Throws a Failure (exit 4) for a plan that a guard refused, for a plan whose digest is not the approved one, and for a
 * saved plan that deletes an object that the environment has protected since.
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
      `The plan's digest is ${plan.digest}, not the approved ${approvedDigest}: its changes are different.`,
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

/** The tenant's own message about an error, and a hint. */
function describe(sent: Sent): string {
  const { text, hint } = describeAnswer(sent);
  const sentence = /[.!?]$/.test(text) ? text : `${text}.`;
  return hint === null ? sentence : `${sentence} ${hint}`;
}
