import { compareField } from '../kinds/compare.ts';
import { declarableFields, isDeclaredByMember, readableFields, sameValue } from '../kinds/field.ts';
import { type Field, type Kind, type LiveObject, ownId } from '../kinds/kind.ts';
import { identityOf, isKnownById, LiveIndex, type ReadRequest, shownId } from '../kinds/live-objects.ts';
import { touches } from '../kinds/places.ts';
import type { Kinds } from '../kinds/project.ts';
import { isMapOfSettings } from '../kinds/redact.ts';
import { mapIds } from '../kinds/references.ts';
import { noLifecycle, nowhere, type Resource, undeclared } from '../kinds/resource.ts';
import { type Address, formatAddress, type Key, parseAddress, scopeFilter } from '../model/address.ts';
import type { Change, ChangeResult, DraftPlan, Result } from '../model/documents.ts';
import { type Diagnostic, Failure, fail } from '../model/failure.ts';
import {
  get,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  objectsIn,
  sameJson,
} from '../model/json.ts';
import { containsMarker } from '../model/marker.ts';
import {
  isWithin,
  type Pointer,
  pointer,
  segmentsOf,
  setMember,
  topName,
  valueAt,
  withValueAt,
} from '../model/pointer.ts';
import { isSameTenant } from '../model/tenant.ts';
import { type PlanInput, readRequestsFor } from './input.ts';
import { refuseLostReferences, resourcesByIdentity } from './references.ts';

/** A result of a later apply of the project, or why its file says nothing. */
type LaterResult =
  | { readonly file: string; readonly result: Result }
  | { readonly file: string; readonly unreadable: string };

/** The input of a rollback. `resources` are the current manifests, which may protect objects from its deletes. */
interface RollbackInput extends Pick<PlanInput, 'resources' | 'environment' | 'choices'> {
  readonly result: Result;
  readonly later: readonly LaterResult[];
}

export function rollbackRequests(input: RollbackInput): ReadRequest[] {
  const manifests = resourcesByIdentity(input.resources);
  const resources = undosInScope(input).map((undo) => {
    const resource = resourceOf(undo, {}, manifests);
    const { id = null } = undo.record;
    return isKnownById({ key: undo.key, id }) ? { ...resource, id } : resource;
  });
  return readRequestsFor({ ...input, resources, previous: null }, input.resources);
}

interface Reversal {
  readonly undo: Undo;
  readonly live: LiveObject | null;
  readonly restored: Restored | null;
}

/**
 * The desired state of a rollback: the objects as the result recorded them before the apply. `rotate`: those with fields that the
 * tenant no longer shows, whose values are written without a comparison.
 */
export function rollbackState(input: RollbackInput, objects: readonly LiveObject[]) {
  const index = new LiveIndex(objects);
  const manifests = resourcesByIdentity(input.resources);
  const undos = undosInScope(input);
  const lives = new Map(
    undos.map(({ kind, key, former, record }) => {
      const id = lastingId(record);
      if (id !== null) return [record.address, index.findById(kind, id)];
      return [record.address, index.findByKey(kind, key) ?? index.findByKey(kind, former)];
    }),
  );
  const renewed = renewedIds(input, lives);
  const reversals = undos.map((undo): Reversal => {
    const live = lives.get(undo.record.address) ?? null;
    const restored = restore(undo, live);
    return { undo, live, restored: restored && withRenewedIds(undo.kind, restored, renewed) };
  });
  const resources = reversals.map(
    ({ undo, restored }) => restored && resourceOf(undo, restored.fields, manifests),
  );
  return {
    reversals,
    rotate: reversals.flatMap(({ live }, at) => {
      const { fields = {}, address } = resources[at] ?? {};
      const isHidden = live?.hidden.some((place) => valueAt(fields, place) !== undefined);
      return isHidden && address !== undefined ? [address] : [];
    }),
    resources: resources.filter((resource) => resource !== null),
    diagnostics: [...laterRemarks(undos, input), ...reversals.flatMap(remarksOn), ...manualSteps(input)],
  };
}

/** Names the apply that the plan undoes, and warns if a change would undo later work of others. Throws a Failure for cycles. */
export function annotateRollback(
  plan: DraftPlan,
  { reversals }: Pick<ReturnType<typeof rollbackState>, 'reversals'>,
  { result, environment: { kinds } }: RollbackInput,
): DraftPlan {
  const byIdentity = new Map(
    reversals.map((entry) => [identityOf(entry.undo.kind, entry.undo.former), entry]),
  );
  const changes = plan.changes.map((change) =>
    annotate(change, byIdentity.get(identityOf(kinds.get(change.kind), change.key))),
  );
  refuseLostReferences([], [], plan, kinds);
  const { startedAt, planDigest } = result;
  const diagnostics = plan.diagnostics.map(({ source, ...rest }) =>
    source === undefined || source === nowhere ? rest : { ...rest, source },
  );
  return { ...plan, undoes: { startedAt, planDigest }, changes, diagnostics };
}

function undosInScope({ result, environment, choices }: RollbackInput): Undo[] {
  const isInScope = scopeFilter(choices.scope);
  return undosOf(result, environment.kinds).filter(({ record }) => isInScope(record.address));
}

/** The id that the object still has if it is there: somebody else's may have its former name. `null`: it is found by its name. */
function lastingId({ action, id, replaced = false }: ChangeResult): string | null {
  return id === undefined || action === 'delete' || replaced ? null : id;
}

function resourceOf(
  { kind, record, key, former }: Undo,
  fields: JsonObject,
  manifests: ReadonlyMap<string, Resource>,
): Resource {
  const { before, after, withheld = [] } = record;
  const [identity, formerly] = [identityOf(kind, key), identityOf(kind, former)];
  const manifest = manifests.get(identity) ?? manifests.get(formerly);
  const { source, point } = manifest ?? undeclared(kind, former);
  // A deleted object had the other name as well: nothing is left to rename.
  const isRenamed = record.action !== 'delete' && identity !== formerly;
  return {
    ...undeclared(kind, former),
    id: lastingId(record),
    ensure: record.action === 'create' ? 'absent' : 'present',
    fields,
    lifecycle: {
      ...noLifecycle,
      // What the apply did not touch may keep changing while the rollback waits.
      ignore: (record.action === 'update' ? (manifest?.lifecycle.ignore ?? []) : []).filter(
        (at) =>
          [before, after].every((shown) => shown === null || valueAt(shown, at) === undefined) &&
          !touches(withheld, at),
      ),
      protect: manifest?.lifecycle.protect ?? false,
      allowLockout: manifest?.lifecycle.allowLockout ?? false,
      renamedFrom: isRenamed ? key : null,
    },
    // An update of the whole object includes these too, as the tenant has them.
    secrets: () => [...(manifest?.secrets() ?? []), ...withheld],
    shown: after ?? {},
    source,
    point,
  };
}

/** The change without a place in the manifests, with a warning if it would undo later work of others. */
function annotate(change: Change, entry: Reversal | undefined): Change {
  const placeless = { ...change, source: null };
  const doubt = entry?.live ? doubtOf(entry.undo.record) : null;
  if (doubt !== null) return { ...placeless, warnings: [...change.warnings, doubt] };
  const since = entry ? laterChanges(entry, change) : null;
  if (since === null) return placeless;
  return {
    ...placeless,
    warnings: [...change.warnings, since],
    risk: [...change.risk, 'undoes-tenant-change'],
  };
}

/** Why later changes cannot be told. That does not mean that somebody else changed the tenant. */
function doubtOf({ action, outcome, after }: ChangeResult): string | null {
  if (outcome === 'unknown')
    return 'The outcome of this change is not known. Before you undo it, check that the object is as the apply would have left it.';
  if (after !== null || (action === 'delete' && outcome === 'done')) return null;
  return 'The apply did not see the result of this change, so later changes cannot be detected.';
}

/** Changes to the object after the apply that concern this change; `null` if there are none. */
function laterChanges({ undo, live }: Reversal, change: Change): string | null {
  const { kind, record } = undo;
  if (live === null) return null;
  if (record.after === null) return 'The object was created again after the apply had deleted it.';
  const shown = (record.withheld ?? []).reduce(withoutPlace, readableFields(kind, live.fields));
  const touched = new Set(change.diff.map(({ path }) => topName(path)));
  const moved = Object.entries(record.after).flatMap(([name, after]) => {
    const [field, now] = [get(kind.fields, name), get(shown, name)];
    if (!field || now === undefined) return [];
    // Other fields and undeclared settings do not concern the rollback of an update.
    const isPart = field.is === 'json' && (record.action === 'update' || isMapOfSettings(field));
    const compared: Field = isPart ? { ...field, declares: 'members' } : field;
    return compareField(name, compared, after, now).length > 0 ? [name] : [];
  });
  const departed = [...(record.unmet ?? []), ...(record.beside ?? [])].map(topName);
  const isNamed = lastingId(record) === null;
  const renamed = kind.keyFields.flatMap(({ name }, part) => {
    const known = [undo.key[part], undo.former[part]];
    return isNamed || known.includes(live.key[part]) ? [] : [name];
  });
  const names = new Set([
    ...moved.filter((name) => record.action === 'create' || touched.has(name)),
    ...[...departed, ...renamed].filter((name) => touched.has(name)),
  ]);
  if (names.size === 0) return null;
  const places = [...names].map((name) => pointer(name)).join(', ');
  return `${places} changed during or after the apply, but not by its plan: the tenant or somebody changed it.`;
}

/** The fields without a place, and without the objects that hold nothing else: a result leaves them out as well. */
function withoutPlace(fields: JsonObject, at: Pointer): JsonObject {
  if (valueAt(fields, at) === undefined) return fields;
  const left = withValueAt(fields, at, undefined);
  const above = segmentsOf(at).slice(0, -1);
  const holder = valueAt(left, pointer(...above));
  const isEmptied = above.length > 1 && isObject(holder) && Object.keys(holder).length === 0;
  return isEmptied ? withoutPlace(left, pointer(...above)) : left;
}

function remarksOn({ undo: { record }, live, restored }: Reversal): Diagnostic[] {
  const { address, action } = record;
  if (restored === null) {
    const message = `${address} was not found by its key, so what the apply changed in it cannot be restored.`;
    const hint =
      'If the tenant has it under another key, set the former values by hand. To create it again, apply a manifest that declares it.';
    return [warning('rollback-gone', message, address, hint)];
  }
  const places = restored.lost.join(', ');
  const what = live ? `keeps ${places} as it is now` : `comes back without ${places}`;
  const incomplete = warning(
    'rollback-incomplete',
    `${address} ${what}: the result did not record what may be secret.`,
    address,
    live
      ? 'If the apply changed it, set the former value by hand.'
      : 'Set it afterwards, by a manifest or by hand.',
  );
  const unmade = action === 'create' ? [] : [...restored.unmade];
  const former = unmade.map((target) => {
    const message = `${address} gets back the former id of ${target}, which was deleted and which this rollback does not create.`;
    const hint = `Roll both back together, or create ${target} first and refer to it by a manifest.`;
    return warning('rollback-former-id', message, address, hint);
  });
  return [...(places === '' ? [] : [incomplete]), ...former];
}

function manualSteps({ result, choices }: RollbackInput): Diagnostic[] {
  const isInScope = scopeFilter(choices.scope);
  return result.changes
    .filter(({ action, address }) => action === 'manual' && isInScope(address))
    .map(({ address }) => {
      const message = `${address} was a manual step. If it was done, undo it by hand.`;
      return warning('rollback-by-hand', message, address);
    });
}

/** Warnings about objects of a rollback that later applies to the same tenant changed too. */
function laterRemarks(
  undos: readonly Undo[],
  { later, result: { tenant }, environment: { kinds } }: RollbackInput,
): Diagnostic[] {
  const wanted = new Map(undos.flatMap((undo) => namesOf(undo).map((name) => [name, undo.record.address])));
  const unreadable = (file: string, why: string) =>
    warning('rollback-later', `It is not known what the later apply of ${file} changed. ${why}`);
  return later.flatMap((found): Diagnostic[] => {
    if ('unreadable' in found) return [unreadable(found.file, found.unreadable)];
    const { file, result } = found;
    if (!isSameTenant(result.tenant, tenant)) return [];
    try {
      const touched = undosOf(result, kinds).flatMap((undo) =>
        namesOf(undo).flatMap((name) => wanted.get(name) ?? []),
      );
      return [...new Set(touched)].map((address) =>
        warning(
          'rollback-later',
          `${address} was changed again by the apply of ${result.startedAt} (${file}).`,
          address,
          'Look at its differences: the rollback may undo that too. To keep the order, roll the later apply back first.',
        ),
      );
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [unreadable(file, error.message)];
    }
  });
}

function namesOf({ kind, key, former }: Undo): string[] {
  return [...new Set([identityOf(kind, key), identityOf(kind, former)])];
}

function warning(code: string, message: string, address?: Address, hint?: string): Diagnostic {
  return { code, severity: 'warning', message, ...(hint ? { hint } : {}), ...(address ? { address } : {}) };
}

interface Undo {
  readonly kind: Kind;
  readonly record: ChangeResult;
  readonly key: Key;
  /** Its key before; different only after a rename. */
  readonly former: Key;
}

/** The changes that an apply made, or may have made. Result files are untrusted: throws a Failure for impossible objects. */
function undosOf({ changes }: Result, kinds: Kinds): Undo[] {
  const seen = new Set<string>();
  const undos = changes.flatMap((record): Undo[] => {
    const { address, action, renamedFrom } = record;
    if (action === 'manual') return [];
    const parsed = parseAddress(address);
    const kind = parsed && kinds.find(parsed.kind);
    if (!parsed || !kind || parsed.key.length !== kind.keyFields.length)
      throw invalid(`${JSON.stringify(address.slice(0, 200))} is not an object of any kind`);
    const former = renamedFrom ?? parsed.key;
    if (former.length !== kind.keyFields.length || former.includes(''))
      throw invalid(`${address} was renamed from a key that its kind cannot have`);
    const identity = identityOf(kind, parsed.key);
    if (seen.has(identity)) throw invalid(`it has two changes of ${address}`);
    seen.add(identity);
    return [{ kind, record, key: parsed.key, former }];
  });
  return undos.filter(({ record: { outcome, before, after, requests } }) => {
    if (outcome !== 'failed') return outcome === 'done' || outcome === 'unknown';
    // A part may have been made: an accepted request may have changed the name, or what a result does not record.
    const isAccepted = requests.some(({ status }) => status !== null && status >= 200 && status < 300);
    return isAccepted || !sameJson(before, after);
  });
}

interface Restored {
  readonly fields: JsonObject;
  readonly lost: readonly Pointer[];
  readonly unmade: ReadonlySet<Address>;
}

/** The previous values where the apply changed an object. `null` if it is not found: a part is not enough to create a new one. */
function restore({ kind, record }: Undo, live: LiveObject | null): Omit<Restored, 'unmade'> | null {
  const { action, after, replaced = false, withheld = [] } = record;
  if (action === 'create') {
    // The plan that deletes a created object may show what the result shows.
    const fields = withheld.reduce((shown, at) => setMember(shown, at, { $live: at }), after ?? {});
    return { fields, lost: [] };
  }
  if (!live && action !== 'delete' && !replaced) return null;
  const current = declarableFields(kind, live?.fields ?? {});
  const before = Object.entries(readableFields(kind, record.before ?? {}));
  // No run records a marker.
  const forged = before.filter(([, old]) => containsMarker(old)).map(([name]) => pointer(name));
  const fields = before.flatMap(([name, old]): [string, Json][] => {
    const [field, now] = [get(kind.fields, name), get(current, name)];
    if (!field || forged.includes(pointer(name))) return [];
    // An unchanged id would mean that the name beside it does not count.
    if (now !== undefined && sameValue(field, old, now)) return [];
    if (field.is === 'json') return [[name, restoreMembers(old, now, pointer(name), { field, withheld })]];
    if (field.is !== 'records' || !isArray(old)) return [[name, old]];
    // A record gets its previous members back, and loses others.
    const unset = objectsIn(now).flatMap((record) =>
      Object.keys(record).map((each) => [each, null] as const),
    );
    return [[name, old.map((item) => (isObject(item) ? { ...objectFrom(unset), ...item } : item))]];
  });
  return { fields: objectFrom(fields), lost: [...withheld, ...forged] };
}

/** The members that the apply changed. An object that had, and has, nothing else becomes unset again. */
function restoreMembers(
  old: Json,
  now: Json | undefined,
  at: Pointer,
  context: { readonly field: Field; readonly withheld: readonly Pointer[] },
): Json {
  if (!isObject(old)) return old;
  const current = isObject(now) ? now : {};
  const restored = mapMembers(old, (item, name) =>
    restoreMembers(item, get(current, name), at + pointer(name), context),
  );
  const isEmptied =
    isObject(now) && Object.values({ ...current, ...restored }).every((item) => item === null);
  const mayHoldMore = context.withheld.some((place) => isWithin(place, at));
  if (isEmptied && Object.keys(old).length > 0 && !mayHoldMore) return null;
  if (isDeclaredByMember(context.field)) return restored;
  const kept = mapMembers(current, (_, name) => ({ $live: at + pointer(name) }));
  return mapMembers({ ...kept, ...restored }, (item) => item ?? undefined);
}

function invalid(why: string): Failure {
  return fail('result-invalid', `This result cannot be undone: ${why}.`, {
    hint: 'A result file is what `tenantctl apply --result FILE` writes.',
  });
}

/**
 * The ids of deleted objects after the rollback, by former id (`KIND/ID`): restored references must lead to the new ones. A
 * marker if the rollback makes the object; `null` if neither is known, as of what is out of scope.
 */
type RenewedIds = ReadonlyMap<string, { readonly address: Address; readonly id: Json }>;

/** `found`: the objects in scope as they are, by the addresses of their records. */
function renewedIds(
  { result, environment: { kinds } }: RollbackInput,
  found: ReadonlyMap<Address, LiveObject | null>,
): RenewedIds {
  return new Map(
    undosOf(result, kinds).flatMap(({ kind, record, former }) => {
      if (record.action !== 'delete' || record.id === undefined) return [];
      const address = formatAddress(kind.name, former);
      const live = found.get(record.address);
      const made = kind.can.create ? { $ref: address } : null;
      const id = live === undefined ? null : ((live && shownId(live)) ?? made);
      return [[`${kind.name}/${ownId(kind, record.id)}`, { address, id }]];
    }),
  );
}

/** Restored fields that refer to the objects as they are after the rollback. */
function withRenewedIds(kind: Kind, restored: Omit<Restored, 'unmade'>, renewed: RenewedIds): Restored {
  const unmade = new Set<Address>();
  const fields = mapMembers(restored.fields, (value, name) => {
    const field = renewed.size > 0 ? get(kind.fields, name) : undefined;
    if (!field) return value;
    return mapIds(field, value, '', ({ id, to }) => {
      const [target] = isObject(id) ? [] : to.flatMap((each) => renewed.get(`${each}/${id}`) ?? []);
      if (target?.id === null) unmade.add(target.address);
      return target?.id ?? id;
    });
  });
  return { ...restored, fields, unmade };
}
