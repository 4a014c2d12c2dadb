import type { Kinds } from '../kinds/catalog.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { addressesOf, identityOf, type TenantState } from '../kinds/live-objects.ts';
import { type Address, formatAddress, matchAddresses } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { planDigest } from '../model/digest.ts';
import { tool } from '../model/documents.ts';
import { actions, type Change, isReplacement, type Plan, planFormat } from '../model/plan.ts';
import { quote } from '../model/words.ts';
import { wrongReferences } from './check-references.ts';
import { changeKeys, type Finder, finderIn, type KindChange, type Task } from './find.ts';
import { readinessOf } from './observed.ts';
import type { Run } from './run.ts';
import { editedPlan } from './saved-file.ts';
import { mismatch, wrongDeletes } from './verify.ts';

export function checkPlan(plan: Plan, run: Run): Diagnostic[] {
  if (plan.formatVersion !== planFormat) {
    const message = `The plan has format ${plan.formatVersion}; this version applies ${planFormat}.`;
    return [refusal('plan-format', message)];
  }
  const edited = planDigest(plan) === plan.digest ? [] : [editedPlan('The plan')];
  const wrong = checkTarget(plan, run);
  // For another tenant nothing of the plan can be right: what else is wrong with it is of no use.
  if (wrong) return [...edited, wrong];
  return [
    ...edited,
    ...plan.diagnostics.filter(({ severity }) => severity === 'error'),
    ...checkChanges(plan, run.kinds),
    ...checkRequests(plan, run),
    ...wrongReferences(plan, run.kinds).map(({ address, why }) => notWhatItShows(address, why, plan)),
  ];
}

/** The changes with their kinds; those of an unknown kind are left out (`checkPlan` refuses them). */
export function withKinds(changes: readonly Change[], kinds: Kinds): KindChange[] {
  return changes.flatMap((change) => {
    const kind = kinds.find(change.kind);
    return kind ? [{ kind, change }] : [];
  });
}

/** Compares each change with the tenant as it is now: tasks for those that hold, problems for those that do not. */
export function checkLive(
  entries: readonly KindChange[],
  state: TenantState,
  plan: Plan,
  run: Run,
): { tasks: Task[]; stale: Diagnostic[] } {
  const find = finderIn(state);
  run.created.find(entries, find);
  const judged = entries.map((entry) => findProtected(entry, find, run) ?? judge(entry, find, plan, run));
  return {
    tasks: judged.flatMap((each) => ('change' in each ? [each] : [])),
    stale: judged.flatMap((each) => ('code' in each ? [each] : [])),
  };
}

/** A plan names an object by its id alone where its manifest did. What protects it names it as the tenant does. */
function findProtected(entry: KindChange, find: Finder, { protect }: Run): Diagnostic | null {
  const { live } = find(entry);
  if (!live || entry.change.action !== 'delete') return null;
  const name = addressesOf(live).find(matchAddresses(protect, { isGuard: true }));
  return name === undefined ? null : protectedDelete(entry.change.address, name);
}

function judge(planned: KindChange, find: Finder, plan: Plan, run: Run): Task | Diagnostic {
  const { journal, settings, secrets, created } = run;
  const entry = created.fill(planned);
  const { address, action } = entry.change;
  const found = find(entry);
  const { live } = found;
  const progress = journal.progress(address);
  const hint = progress
    ? `Make a new plan. If it is refused as well, move ${journal.file} away.`
    : 'Make a new plan and review it.';
  const stale = (why: string) =>
    refusal('plan-stale', `${address} has changed since the plan was made: ${why}.`, { hint, address });
  const readiness = readinessOf(entry, found, progress, secrets);
  if (readiness.is === 'stale') return stale(readiness.why);
  // What an earlier run started was checked by it.
  const isWrite = action === 'create' || action === 'update';
  const why = progress !== null || !isWrite ? null : mismatch(planned, live, found.standard, settings);
  if (why !== null) return notWhatItShows(address, `made again from its declaration, ${why}`, plan);
  if (isOther(entry, live)) return stale('its id and its key belong to different objects');
  const { from, resumed } = readiness;
  return { ...entry, live, from, resumed, earlier: resumed ? run.earlier.get(address) : undefined };
}

/** Whether the object is not the one that the change names by id and key. One without a name is known by its id alone. */
function isOther({ kind, change }: KindChange, live: LiveObject | null): boolean {
  if (!live || change.action === 'create' || change.action === 'manual') return false;
  // Once it is made again, it has another id. Before that, the fingerprint has the id.
  if (isReplacement(change)) return false;
  const identities = changeKeys(kind, change).map((key) => identityOf(kind, key));
  const isNameless = live.key[0] === live.id;
  // The id of an object below another one begins with that of its parent, which may get another name.
  const isNamed = isNameless || kind.parent !== undefined || identities.includes(live.identity);
  return live.id !== change.id || !isNamed;
}

function checkTarget(plan: Plan, { environment, port: { tenant } }: Run): Diagnostic | null {
  if (plan.environment !== environment) {
    const message = `The plan was made for the environment ${quote(plan.environment)}, not for ${quote(environment)}.`;
    const hint =
      'Apply it without --env and TENANTCTL_ENV: a plan file names its environment. Or make a new plan.';
    return refusal('plan-environment', message, { hint });
  }
  const moved = (['identity', 'profiles'] as const).filter((part) => plan.tenant[part] !== tenant[part]);
  if (moved.length === 0) return null;
  const from = [...new Set(moved.map((part) => quote(plan.tenant[part])))].join(' and ');
  const to = [...new Set(moved.map((part) => quote(tenant[part])))].join(' and ');
  const message = `The plan was made for the tenant at ${from}, but the environment ${quote(environment)} is now at ${to}.`;
  return refusal('plan-tenant', message, { hint: 'Make a new plan and review it.' });
}

/** A change has one object, named alike in its address and its key, and the summary counts the changes. */
function checkChanges({ changes, summary }: Plan, kinds: Kinds): Diagnostic[] {
  const seen = new Set<Address>();
  const wrong = changes.flatMap(({ address, kind, key }): Diagnostic[] => {
    const isRepeated = seen.has(address);
    seen.add(address);
    const known = kinds.find(kind);
    const isNamed = known?.keyFields.length === key.length && formatAddress(kind, key) === address;
    const reasons = [
      ...(isRepeated ? [`The plan has two changes for ${address}.`] : []),
      ...(known ? [] : [`The plan changes a ${quote(kind)}, which is not a kind of this project.`]),
      ...(known && !isNamed
        ? [`The address ${address} is not that of the key ${quote(key.join('/'))}.`]
        : []),
    ];
    return reasons.map((message) => refusal('plan-inconsistent', message, { address }));
  });
  const miscounted = actions.filter(
    (name) => changes.filter(({ action }) => action === name).length !== summary[name],
  );
  const message = `The summary does not match the changes of the plan: ${miscounted.join(', ')}.`;
  return miscounted.length > 0 ? [...wrong, refusal('plan-inconsistent', message)] : wrong;
}

/** Requests of steps by hand, of writes without any, and deletes of something else than the plan shows. */
function checkRequests(plan: Plan, { kinds, settings }: Run): Diagnostic[] {
  const entries = withKinds(plan.changes, kinds);
  const refused = (entry: KindChange, why: string) => notWhatItShows(entry.change.address, why, plan);
  const wrong = entries.filter(({ change }) => (change.action === 'manual') === change.requests.length > 0);
  const deletes = wrongDeletes(
    entries.filter((entry) => !wrong.includes(entry)),
    kinds,
    settings,
  );
  return [
    ...wrong.map((entry) =>
      refused(entry, entry.change.action === 'manual' ? 'a step by hand has requests' : 'it has no requests'),
    ),
    ...deletes.map((entry) => refused(entry, 'they would delete something else')),
  ];
}

function protectedDelete(address: Address, name: Address): Diagnostic {
  const message = `${address} would be deleted, but it is ${name} in the tenant, which the environment's \`protect\` list names.`;
  const hint = `Remove it from the environment's \`protect\` list first, or leave it out with --except '${name}'.`;
  return refusal('protected', message, { hint, address });
}

function notWhatItShows(address: Address, why: string, { tool: maker }: Pick<Plan, 'tool'>): Diagnostic {
  const message = `The plan's requests for ${address} are not what it shows: ${why}.`;
  const isOther = maker.version !== tool.version;
  const other = `tenantctl ${maker.version} made this plan, and this is ${tool.version}: make a new plan with this version.`;
  return refusal('plan-request-refused', message, { hint: isOther ? other : 'Make a new plan.', address });
}

function refusal(code: string, message: string, more: Pick<Diagnostic, 'address' | 'hint'> = {}): Diagnostic {
  return { code, severity: 'error', message, ...more };
}
