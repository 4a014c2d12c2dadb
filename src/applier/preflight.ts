import { arrangeChanges, cycleText } from '../kinds/dependencies.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { distinctKeys, identityOf, LiveIndex, type ReadRequest, someOf } from '../kinds/live-objects.ts';
import type { Kinds } from '../kinds/project.ts';
import { idsOnSide, mapIds } from '../kinds/references.ts';
import { type Address, formatAddress, type Key, parseAddress } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import { actions, type Change, formats, type Plan, planDigest, tool } from '../model/documents.ts';
import type { Diagnostic } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { isLookedUp, lookedUpWords, markersIn, refOf } from '../model/marker.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { quote } from '../model/words.ts';
import { lossBy, protectedLosses } from '../planner/guards.ts';
import { guardedBelow } from '../planner/input.ts';
import { changeKeys, finderIn, type KindChange, readSettled, requestsForChanges, type Task } from './find.ts';
import { type ApplyOptions, type Run, startRun, type TenantPort } from './run.ts';
import { editedPlan } from './saved-file.ts';
import { madeAgain, readinessOf, wrongDeletes } from './verify.ts';

/** Finds what `applyChanges` would refuse now, and writes nothing. Rejects with a Failure if the tenant cannot be read. */
export async function findPlanRefusals(
  plan: Plan,
  port: TenantPort,
  options: ApplyOptions,
): Promise<readonly Diagnostic[]> {
  try {
    const checked = await checkBeforeWrites(plan, startRun(port, options));
    return checked.is === 'refused' ? checked.reasons : [];
  } finally {
    await options.journal.close();
  }
}

type PlanCheck =
  | { readonly is: 'sound'; readonly tasks: readonly Task[]; readonly readAt: number }
  | { readonly is: 'refused'; readonly reasons: readonly Diagnostic[] }
  | { readonly is: 'interrupted' };

export async function checkBeforeWrites(plan: Plan, run: Run): Promise<PlanCheck> {
  const { kinds, clock, signal, created, onEvent } = run;
  const all = plan.changes.flatMap((change): KindChange[] => {
    const kind = kinds.find(change.kind);
    return kind ? [{ kind, change }] : [];
  });
  const wrong = checkPlan(plan, all, run);
  if (wrong.length > 0) return { is: 'refused', reasons: wrong };
  // A manual change writes nothing, so it cannot be stale.
  const entries = all.filter(({ change }) => change.action !== 'manual');
  onEvent({ type: 'checking', objects: entries.length });
  const names = shownNames(entries, run);
  const lost = new Set(
    entries.flatMap(({ change }) => lossBy(change, null)).map(({ change }) => change.kind),
  );
  const guarded = kinds.all.filter(guardedBelow(lost, run.protect));
  const readAt = clock.now();
  const reading = signal.aborted ? null : readNow(readRequestsWith(entries, names, guarded), run);
  const state = await reading?.catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (!state || signal.aborted) return { is: 'interrupted' };
  const find = finderIn(state);
  created.find(entries, find);
  // Only the tenant shows the name of an object that a change renames or names by its id.
  const losses = entries.flatMap((entry) => {
    const { live } = find(entry);
    return live ? lossBy(entry.change, live) : [];
  });
  const judged = entries.map((entry) => judge(entry, find, plan, run));
  const stale = judged.filter((each) => 'code' in each);
  const misnamed = [...wrongNames(names, entries, state.objects), ...(await wrongLookups(names, plan, run))];
  const reasons = [...protectedLosses(losses, run.protect, state.objects), ...stale, ...misnamed];
  if (reasons.length > 0) return { is: 'refused', reasons };
  return { is: 'sound', tasks: judged.filter((each) => 'change' in each), readAt };
}

/** The requested objects, once the tenant shows the writes of earlier runs. `sent` says how they are read. */
export async function readNow(asked: readonly ReadRequest[], run: Run, sent = asked) {
  const { port } = run;
  if (asked.length === 0) return { tenant: port.tenant, objects: [], defaults: [] };
  return readSettled(asked, () => port.read(sent), run);
}

function checkPlan(plan: Plan, entries: readonly KindChange[], run: Run): Diagnostic[] {
  if (plan.formatVersion !== formats.plan) {
    const message = `The plan has format ${plan.formatVersion}; this version applies ${formats.plan}.`;
    return [refusal('plan-format', message)];
  }
  const edited = planDigest(plan) === plan.digest ? [] : [editedPlan('The plan')];
  const wrong = checkTarget(plan, run);
  // For another tenant nothing in the plan can be right: further problems are of no use.
  if (wrong) return [...edited, wrong];
  return [
    ...edited,
    ...plan.diagnostics.filter(({ severity }) => severity === 'error'),
    ...checkChanges(plan, run.kinds),
    ...[...wrongRequests(entries, run), ...wrongReferences(entries, plan, run.kinds)].map(
      ({ address, why }) => notWhatItShows(address, why, plan),
    ),
  ];
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

/** Each object has one change, address and key name the same object, and the summary counts the changes. */
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
        ? [`The address ${address} does not belong to the key ${quote(key.join('/'))}.`]
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

function wrongRequests(entries: readonly KindChange[], { kinds, settings }: Run) {
  const deletes = entries.filter(({ change }) => change.requests.length > 0);
  return [
    ...entries.flatMap(({ change: { address, action, requests } }) => {
      if ((action === 'manual') !== requests.length > 0) return [];
      return { address, why: action === 'manual' ? 'a step by hand has requests' : 'it has no requests' };
    }),
    ...wrongDeletes(deletes, kinds, settings).map(({ change: { address } }) => {
      return { address, why: 'they would delete something else' };
    }),
  ];
}

/** An id is only filled in where a field refers to the kind, and only the id of an object that the plan creates first. */
function wrongReferences(entries: readonly KindChange[], { changes }: Plan, kinds: Kinds) {
  const created = new Set(changes.filter(({ action }) => action === 'create').map(({ address }) => address));
  const wrong = entries.flatMap(({ kind, change }) =>
    wrongIn(change, kind, created).map((why) => ({ address: change.address, why })),
  );
  const cycle = arrangeChanges(changes, kinds).cycle ?? [];
  const [address] = cycle;
  if (address === undefined) return wrong;
  return [...wrong, { address, why: `they refer to each other in a cycle: ${cycleText(cycle)}` }];
}

/**
 * Names beside ids are for reviewers: each is a `!lookup`, or the address of an object of the field's kind. The requests of a change
 * hold no other references than it declares, since they are computed again from that.
 */
function wrongIn({ diff, declared }: Change, kind: Kind, created: ReadonlySet<Address>): string[] {
  const misnamed = diff.flatMap((entry) => {
    const sides = [...idsOnSide(kind, entry, 'before'), ...idsOnSide(kind, entry, 'after')];
    const kinds = new Set(sides.flatMap(({ to }) => to));
    return Object.values(entry.named ?? {})
      .filter((name) => !isLookedUp(name) && !kinds.has(parseAddress(name)?.kind ?? ''))
      .map((name) => `${entry.path} cannot hold an id of ${quote(name)}`);
  });
  const wrong = Object.entries(declared ?? {}).flatMap(([name, value]) => {
    const field = get(kind.fields, name);
    const rest = field
      ? mapIds(field, value, '', ({ id, to }) =>
          to.includes(parseAddress(refOf(id) ?? '')?.kind ?? '') ? null : id,
        )
      : value;
    const misplaced = new Set(markersIn(rest, '$ref'));
    const unmade = [...new Set(markersIn(value, '$ref'))].filter(
      (to) => !misplaced.has(to) && !created.has(to),
    );
    return [
      ...[...misplaced].map((to) => `${pointer(name)} cannot hold the id of ${to}`),
      ...unmade.map((to) => `the plan does not create ${to}, whose id they send`),
    ];
  });
  return [...misnamed, ...wrong];
}

function judge(
  planned: KindChange,
  find: ReturnType<typeof finderIn>,
  plan: Plan,
  run: Run,
): Task | Diagnostic {
  const { journal, settings, secrets, created } = run;
  const entry = created.fill(planned);
  const { address, action } = entry.change;
  const found = find(entry);
  const { live } = found;
  const progress = journal.progress(address);
  const hint = !progress
    ? 'Make a new plan and review it.'
    : progress.settled?.id === undefined
      ? `Make a new plan. If it is refused as well, move ${journal.file} away.`
      : 'Declare it by the name that the tenant gives it, then make a new plan.';
  const stale = (why: string) =>
    refusal('plan-stale', `${address} has changed since the plan was made: ${why}.`, { hint, address });
  const readiness = readinessOf(entry, found, progress, secrets);
  if (readiness.is === 'stale') return stale(readiness.why);
  const { from, resumed } = readiness;
  // The earlier run checked the changes that it began to write, and some tenants give an object another id with each write.
  const change = from > 0 ? planned.change : madeAgain(planned, live, found.standard, settings);
  const again = action === 'delete' ? 'made again' : 'made again from its declaration';
  if (typeof change === 'string') return notWhatItShows(address, `${again}, ${change}`, plan);
  // A nameless object is known by its id alone, and one below another by an id that begins with that of its parent.
  const isNamed =
    live?.key[0] === live?.id ||
    entry.kind.parent ||
    live?.identity === identityOf(entry.kind, entry.change.key);
  if (progress === null && action === 'delete' && live && !(isNamed && live.id === planned.change.id))
    return stale('its id and its key belong to different objects');
  const earlier = resumed ? run.earlier.get(address) : undefined;
  return { ...created.fill({ ...planned, change }), live, from, resumed, earlier };
}

/** A name that a plan shows beside an id: a reviewer reads the name, and the request has the id. */
interface ShownName {
  readonly id: string;
  readonly name: Address;
  /** The named object; `null` for a lookup. */
  readonly of: { readonly kind: Kind; readonly key: Key } | null;
  readonly in: Address;
  readonly at: Pointer;
}

/** Each once. Those of changes that an earlier run began were checked then: the plan may have renamed or deleted the objects. */
function shownNames(entries: readonly KindChange[], { kinds, journal }: Run): ShownName[] {
  const found = new Map<string, ShownName>();
  for (const { change } of entries) {
    if (journal.progress(change.address)) continue;
    for (const { path, named = {} } of change.diff) {
      for (const [id, name] of Object.entries(named)) {
        const parsed = parseAddress(name);
        const kind = parsed && kinds.find(parsed.kind);
        const label = `${name} ${id}`;
        const of = parsed && kind ? { kind, key: parsed.key } : null;
        if (found.has(label) || !(of || isLookedUp(name))) continue;
        found.set(label, { id, name, of, in: change.address, at: path });
      }
    }
  }
  return [...found.values()];
}

/** The reads to check changes and the names that they show. Two objects may share a name that is only shown. */
function readRequestsWith(
  entries: readonly KindChange[],
  names: readonly ShownName[],
  whole: readonly Kind[],
): ReadRequest[] {
  const requests = requestsForChanges(entries);
  const named = names.flatMap(({ of }) => of ?? []);
  const shownOf = new Map(groupBy(named, ({ kind }) => kind));
  const others = [...new Set([...shownOf.keys(), ...whole])].filter((kind) =>
    requests.every((each) => each.kind !== kind),
  );
  return [...requests, ...others.map((kind) => someOf(kind, []))].map((asked) => {
    const { kind, keys } = asked;
    const request = whole.includes(kind) ? { ...asked, complete: true } : asked;
    const isRead = new Set(keys.map((key) => identityOf(kind, key)));
    const shown = (shownOf.get(kind) ?? []).map(({ key }) => key);
    const more = distinctKeys(
      kind,
      shown.filter((key) => !isRead.has(identityOf(kind, key))),
    );
    return more.length === 0 ? request : { ...request, keys: [...keys, ...more], allowsDuplicates: more };
  });
}

/** A refusal for each name that does not belong to the object with the id: the plan was edited, or the tenant has changed. */
function wrongNames(
  names: readonly ShownName[],
  entries: readonly KindChange[],
  objects: readonly LiveObject[],
): Diagnostic[] {
  const index = new LiveIndex(objects);
  // A change may give its object another name.
  const changed = new Map(
    entries.map((entry) => [`${entry.kind.name}/${entry.change.id ?? ''}`, entry.change]),
  );
  return names.flatMap((shown): Diagnostic[] => {
    const { id, name, of } = shown;
    if (!of) return [];
    const { kind, key } = of;
    const live = index.findById(kind, id);
    const change = changed.get(`${kind.name}/${id}`);
    const own = change ? changeKeys(kind, change).map((each) => identityOf(kind, each)) : [live?.identity];
    if (own.includes(identityOf(kind, key))) return [];
    const other = index.findByKey(kind, key);
    const instead = other?.id ? `${name} has the id ${quote(other.id)}` : `there is no ${name}`;
    const truth = live ? `that is ${live.address}` : instead;
    return [wrongName(shown, truth)];
  });
}

/** The same for lookups: a record may have changed since, and then another value belongs to the name. */
async function wrongLookups(names: readonly ShownName[], { lookups = [] }: Plan, { port }: Run) {
  const answer = await port.lookUp(lookups);
  return names.flatMap((shown) => {
    const own = lookups.filter((lookup) => lookedUpWords(lookup) === shown.name);
    const isRight = shown.of || own.some((lookup) => String(answer(lookup)) === shown.id);
    return isRight ? [] : wrongName(shown, 'this lookup finds another value, or none');
  });
}

function wrongName({ id, name, in: address, at }: ShownName, truth: string): Diagnostic {
  const message = `The plan shows the id ${quote(id)} as ${name} in ${at} of ${address}, but in the tenant ${truth}.`;
  return refusal('plan-name-wrong', message, { hint: 'Make a new plan and review it.', address });
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
