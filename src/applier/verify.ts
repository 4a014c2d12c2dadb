import type { Kind } from '../kinds/kind.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { planDigest } from '../model/digest.ts';
import type { LiveObject, TenantName, TenantState } from '../model/live.ts';
import { type Change, isRefused, type Plan, planFormat } from '../model/plan.ts';
import type { ApiSettings } from '../model/settings.ts';
import { checkRequests } from './check-requests.ts';
import { finderIn, type KindChange } from './find.ts';
import type { Journal } from './journal.ts';
import { editedPlan } from './plan-file.ts';
import { standingOf } from './standing.ts';

/** A change that can be carried out: the object as it is, and the first request that is left to send. */
export interface Task extends KindChange {
  readonly live: LiveObject | null;
  readonly from: number;
  /** An earlier run began it, so the live object is not what the plan was computed from. */
  readonly resumed: boolean;
}

/** For what a plan is to be applied. */
export interface Target {
  readonly environment: string;
  readonly tenant: TenantName;
  readonly settings: ApiSettings;
  readonly kinds: readonly Kind[];
}

/** Every reason to refuse a plan that can be known without asking the tenant. */
export function checkPlan(plan: Plan, target: Target): Diagnostic[] {
  if (plan.formatVersion !== planFormat) {
    return [
      refusal(
        'plan-format',
        `The plan has format ${plan.formatVersion}; this version applies ${planFormat}.`,
      ),
    ];
  }
  return [
    ...(planDigest(plan) === plan.digest ? [] : [editedPlan('The plan')]),
    ...checkTarget(plan, target),
    ...(isRefused(plan) ? plan.diagnostics.filter(({ severity }) => severity === 'error') : []),
    ...checkChanges(plan.changes, target.kinds),
    ...checkRequests(plan, target.settings),
  ];
}

/** The changes with their kinds; those of a kind that does not exist are left out (checkPlan refuses them). */
export function withKinds(changes: readonly Change[], kinds: readonly Kind[]): KindChange[] {
  return changes.flatMap((change) => {
    const kind = kinds.find(({ name }) => name === change.kind);
    return kind ? [{ kind, change }] : [];
  });
}

/** Compares each change with the tenant as it is now: tasks for those that hold, reasons for those that do not. */
export function checkLive(
  entries: readonly KindChange[],
  state: TenantState,
  journal: Journal,
): { tasks: Task[]; stale: ReadonlyMap<Address, Diagnostic> } {
  const stale = new Map<Address, Diagnostic>();
  const find = finderIn(state);
  const tasks = entries.flatMap((entry): Task[] => {
    const { address } = entry.change;
    const found = find(entry);
    const progress = journal.progress(address);
    const standing = standingOf(entry, found, progress);
    if (standing.is === 'ready') {
      return [{ ...entry, live: found.live, from: standing.from, resumed: standing.resumed }];
    }
    const message = `${address} is not as the plan found it: ${standing.why}.`;
    const hint = progress
      ? `Make a new plan. If that is refused as well, move ${journal.file} away.`
      : 'Make a new plan and review it.';
    stale.set(address, { ...refusal('plan-stale', message), hint, address });
    return [];
  });
  return { tasks, stale };
}

function checkTarget(plan: Plan, { environment, tenant }: Target): Diagnostic[] {
  const wrong: Diagnostic[] = [];
  if (plan.environment !== environment) {
    const message = `The plan is for the environment ${quoted(plan.environment)}, not for ${quoted(environment)}.`;
    wrong.push({
      ...refusal('plan-environment', message),
      hint: 'Name its environment with --env, or plan again.',
    });
  }
  for (const part of ['identity', 'profiles'] as const) {
    if (plan.tenant[part] === tenant[part]) continue;
    const message = `The plan is for the ${part} service ${quoted(plan.tenant[part])}, not for ${quoted(tenant[part])}.`;
    wrong.push({
      ...refusal('plan-tenant', message),
      hint: 'Plan again: an environment has another tenant by now.',
    });
  }
  return wrong;
}

function checkChanges(changes: readonly Change[], kinds: readonly Kind[]): Diagnostic[] {
  const seen = new Set<Address>();
  return changes.flatMap(({ address, kind }): Diagnostic[] => {
    const isRepeated = seen.has(address);
    seen.add(address);
    return [
      ...(isRepeated
        ? [refusal('plan-inconsistent', `The plan has two changes for ${address}.`, address)]
        : []),
      ...(kinds.some(({ name }) => name === kind)
        ? []
        : [refusal('plan-inconsistent', `The plan changes a ${quoted(kind)}, which is no kind.`, address)]),
    ];
  });
}

function refusal(code: string, message: string, address?: Address): Diagnostic {
  return { code, severity: 'error', message, ...(address === undefined ? {} : { address }) };
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 200));
