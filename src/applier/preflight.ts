import type { Kind } from '../kinds/kind.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { planDigest } from '../model/digest.ts';
import type { LiveObject, TenantName, TenantState } from '../model/live.ts';
import { type Change, type Plan, planFormat, type Request } from '../model/plan.ts';
import type { ApiSettings } from '../model/settings.ts';
import { finderIn, type KindChange } from './find.ts';
import type { Journal } from './journal.ts';
import { readinessOf } from './readiness.ts';
import { editedPlan } from './saved-file.ts';

/** A change that can be made: the object as it is, and the first request that is left to send. */
export interface Task extends KindChange {
  readonly live: LiveObject | null;
  readonly from: number;
  /** An earlier run started it, so the live object is not the one that the plan was made from. */
  readonly resumed: boolean;
}

/** What a plan is applied to. */
export interface Target {
  readonly environment: string;
  readonly tenant: TenantName;
  readonly settings: ApiSettings;
  readonly kinds: readonly Kind[];
}

/** All reasons to refuse a plan that do not depend on the tenant's objects. */
export function checkPlan(plan: Plan, target: Target): Diagnostic[] {
  if (plan.formatVersion !== planFormat) {
    const message = `The plan has format ${plan.formatVersion}; this version applies ${planFormat}.`;
    return [refusal('plan-format', message)];
  }
  return [
    ...(planDigest(plan) === plan.digest ? [] : [editedPlan('The plan')]),
    ...checkTarget(plan, target),
    ...plan.diagnostics.filter(({ severity }) => severity === 'error'),
    ...checkChanges(plan.changes, target.kinds),
    ...checkRequests(plan, target.settings),
  ];
}

/** The changes with their kinds; those of an unknown kind are left out (`checkPlan` refuses them). */
export function withKinds(changes: readonly Change[], kinds: readonly Kind[]): KindChange[] {
  return changes.flatMap((change) => {
    const kind = kinds.find(({ name }) => name === change.kind);
    return kind ? [{ kind, change }] : [];
  });
}

/** Compares each change with the tenant as it is now: tasks for those that hold, problems for those that do not. */
export function checkLive(
  entries: readonly KindChange[],
  state: TenantState,
  journal: Journal,
): { tasks: Task[]; stale: Diagnostic[] } {
  const stale: Diagnostic[] = [];
  const find = finderIn(state);
  const tasks = entries.flatMap((entry): Task[] => {
    const { address } = entry.change;
    const found = find(entry);
    const progress = journal.progress(address);
    const readiness = readinessOf(entry, found, progress);
    if (readiness.is === 'ready') {
      return [{ ...entry, live: found.live, from: readiness.from, resumed: readiness.resumed }];
    }
    const message = `${address} has changed since the plan was made: ${readiness.why}.`;
    const hint = progress
      ? `Make a new plan. If it is refused as well, move ${journal.file} away.`
      : 'Make a new plan and review it.';
    stale.push(refusal('plan-stale', message, { hint, address }));
    return [];
  });
  return { tasks, stale };
}

function checkTarget(plan: Plan, { environment, tenant }: Target): Diagnostic[] {
  const wrong: Diagnostic[] = [];
  if (plan.environment !== environment) {
    const message = `The plan is for the environment ${quote(plan.environment)}, not for ${quote(environment)}.`;
    const hint = 'Name its environment with --env, or plan again.';
    wrong.push(refusal('plan-environment', message, { hint }));
  }
  for (const part of ['identity', 'profiles'] as const) {
    if (plan.tenant[part] === tenant[part]) continue;
    const message = `The plan is for the ${part} service ${quote(plan.tenant[part])}, not for ${quote(tenant[part])}.`;
    const hint = 'Plan again: the environment now has another tenant.';
    wrong.push(refusal('plan-tenant', message, { hint }));
  }
  return wrong;
}

function checkChanges(changes: readonly Change[], kinds: readonly Kind[]): Diagnostic[] {
  const seen = new Set<Address>();
  return changes.flatMap(({ address, kind }): Diagnostic[] => {
    const isRepeated = seen.has(address);
    seen.add(address);
    const isKnown = kinds.some(({ name }) => name === kind);
    const wrong = [
      ...(isRepeated ? [`The plan has two changes for ${address}.`] : []),
      ...(isKnown ? [] : [`The plan changes a ${quote(kind)}, which is not a kind.`]),
    ];
    return wrong.map((message) => refusal('plan-inconsistent', message, { address }));
  });
}

function refusal(code: string, message: string, more: Pick<Diagnostic, 'address' | 'hint'> = {}): Diagnostic {
  return { code, severity: 'error', message, ...more };
}

const quote = (text: string) => JSON.stringify(text.slice(0, 200));

/**
 * Requests that no kind would plan: a plan file is untrusted, and its requests carry the token. Paths stay within the
 * API, headers are those of the API, and nothing breaks out of a line.
 */
function checkRequests(plan: Plan, settings: ApiSettings): Diagnostic[] {
  return plan.changes.flatMap((change) => {
    const { address, requests } = change;
    const reasons = [...wrongCount(change), ...requests.flatMap((request) => wrongParts(request, settings))];
    return reasons.map((why) => {
      const message = `The plan's requests for ${address} are not requests that tenantctl plans: ${why}.`;
      return refusal('plan-request-refused', message, { hint: 'Make a new plan.', address });
    });
  });
}

function wrongCount({ action, requests }: Change): string[] {
  if (action === 'manual') return requests.length === 0 ? [] : ['a manual change has requests'];
  return requests.length > 0 ? [] : ['there is none'];
}

function wrongParts({ method, path, headers }: Request, settings: ApiSettings): string[] {
  const allowed = new Set(['accept', 'content-type', settings.experimentalHeader.toLowerCase()]);
  const foreign = Object.keys(headers).filter((name) => !allowed.has(name.toLowerCase()));
  const broken = Object.values(headers).some((value) => hasControls(value));
  return [
    ...(method === 'GET' ? ['a GET changes nothing'] : []),
    ...(isApiPath(path, settings) ? [] : [`the path ${quote(path)} is outside the API`]),
    ...foreign.map((name) => `the header ${JSON.stringify(name.slice(0, 100))} is not one of the API`),
    ...(broken ? ['a header has control characters'] : []),
  ];
}

function isApiPath(path: string, { profileSearchPath }: ApiSettings): boolean {
  const isKnown =
    /^\/v20(24|25)\/./.test(path) || path === profileSearchPath || path.startsWith(`${profileSearchPath}/`);
  return isKnown && /^[\w.~%!$&'()*+,;=:@/-]+$/.test(path) && path.slice(1).split('/').every(isPlainSegment);
}

/** Whether a segment is still a single one after a server has decoded it. */
function isPlainSegment(segment: string): boolean {
  try {
    const decoded = decodeURIComponent(segment);
    return (
      segment !== '' &&
      !hasControls(decoded) &&
      decoded.split(/[\\/]/).every((part) => !/^\.{1,2}$/.test(part))
    );
  } catch {
    return false;
  }
}

function hasControls(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}
