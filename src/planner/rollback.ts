import type { Kinds } from '../kinds/catalog.ts';
import { compareField } from '../kinds/compare.ts';
import { readableFields } from '../kinds/field.ts';
import { fieldNamed, type LiveObject } from '../kinds/kind.ts';
import { identityOf, isKnownById, LiveIndex, shownId } from '../kinds/live-objects.ts';
import type { ReadRequest } from '../kinds/read-request.ts';
import { isMapOfSettings } from '../kinds/redact.ts';
import { noLifecycle, nowhere, type Resource, undeclared } from '../kinds/resource.ts';
import { type Address, scopeFilter } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { DraftPlan } from '../model/digest.ts';
import { Failure } from '../model/failure.ts';
import { get, isObject, type Json, type JsonObject } from '../model/json.ts';
import { liveMarker } from '../model/marker.ts';
import { isSameTenant } from '../model/network.ts';
import type { Change } from '../model/plan.ts';
import { type Pointer, pointer, segmentsOf, setMember, valueAt, withValueAt } from '../model/pointer.ts';
import type { Result } from '../model/result.ts';
import { type PlanInput, readRequestsFor } from './input.ts';
import { refuseCycles } from './lost-references.ts';
import { resourcesByIdentity } from './references.ts';
import { createdAgain, formerIdRemarks, renewedIds, withRenewedIds } from './renewed-ids.ts';
import { type Restored, restoreFields, type Undo, undosOf } from './undo.ts';

/** A result of a later apply of the project, or why its file says nothing. */
export type LaterResult =
  | { readonly file: string; readonly result: Result }
  | { readonly file: string; readonly unreadable: string };

/** What a rollback is made from. `resources` are the current manifests, which may protect what would be deleted. */
export interface RollbackInput extends Pick<PlanInput, 'resources' | 'environment' | 'choices'> {
  readonly result: Result;
  /** What later applies of the project did. */
  readonly later: readonly LaterResult[];
}

/** What has to be read before the desired state of a rollback is known. */
export function rollbackRequests(input: RollbackInput): ReadRequest[] {
  const manifests = resourcesByIdentity(input.resources);
  const resources = undosInScope(input).map((undo) => {
    const { id = null } = undo.record;
    return { ...resourceOf(undo, {}, manifests), id: isKnownById({ key: undo.key, id }) ? id : null };
  });
  return readRequestsFor({ ...input, resources, previous: null });
}

/** A change to undo, and the object as it will be again. */
interface Reversal {
  readonly undo: Undo;
  readonly live: LiveObject | null;
  readonly resource: Resource;
}

/** The desired state of a rollback: the objects as the result recorded them before the apply. */
export interface RollbackState extends Pick<PlanInput, 'resources' | 'diagnostics'> {
  readonly reversals: readonly Reversal[];
  /** The objects with fields that the tenant does not show any more: what they were is written without a comparison. */
  readonly rotate: readonly Address[];
}

/** @param objects what {@link rollbackRequests} asks for */
export function rollbackState(input: RollbackInput, objects: readonly LiveObject[]): RollbackState {
  const index = new LiveIndex(objects);
  const manifests = resourcesByIdentity(input.resources);
  const undos = undosInScope(input);
  const found = undos.map((undo) => {
    const live = index.findByKey(undo.kind, undo.key) ?? index.findByKey(undo.kind, undo.former);
    return { undo, live, restored: restore(undo, live) };
  });
  const byRecord = new Map(found.map((each) => [each.undo.record, each]));
  const renewed = renewedIds(undosOf(input.result, input.environment.kinds), ({ record }) => {
    const known = byRecord.get(record);
    return known ? ((known.live && shownId(known.live)) ?? createdAgain(known.undo)) : null;
  });
  const reversals = found.flatMap(({ undo, live, restored }): Reversal[] => {
    if (restored === null) return [];
    const fields = withRenewedIds(undo.kind, restored.fields, renewed);
    return [{ undo, live, resource: resourceOf(undo, fields, manifests) }];
  });
  const remarks = found.flatMap(({ undo, live, restored }) => [
    ...remarksOn(undo, live, restored),
    ...formerIdRemarks(undo, undo.record.action === 'create' ? {} : (restored?.fields ?? {}), renewed),
  ]);
  return {
    reversals,
    rotate: reversals.filter(restoresHidden).map(({ resource }) => resource.address),
    resources: reversals.map(({ resource }) => resource),
    diagnostics: [
      ...laterRemarks(undos, input.later, input.result, input.environment.kinds),
      ...remarks,
      ...manualSteps(input),
    ],
  };
}

function restoresHidden({ live, resource: { fields } }: Reversal): boolean {
  return live?.hidden.some((at) => valueAt(fields, at) !== undefined) ?? false;
}

/**
 * The plan of a rollback: it names the apply that it undoes, and warns where a change would undo later work of others. Throws
 * a Failure for objects that refer to each other, so that none can be created again first.
 */
export function annotateRollback(
  plan: DraftPlan,
  { reversals }: RollbackState,
  { result, environment: { kinds } }: RollbackInput,
): DraftPlan {
  const byIdentity = new Map(
    reversals.map((entry) => [identityOf(entry.undo.kind, entry.resource.key), entry]),
  );
  const changes = plan.changes.map((change) =>
    annotate(change, byIdentity.get(identityOf(kinds.get(change.kind), change.key))),
  );
  refuseCycles(plan, kinds);
  const { startedAt, planDigest: undone } = result;
  const diagnostics = plan.diagnostics.map(withoutNowhere);
  const undoes = { startedAt, planDigest: undone };
  return { ...plan, undoes, changes, diagnostics };
}

function undosInScope({ result, environment, choices }: RollbackInput): Undo[] {
  const isInScope = scopeFilter(choices.scope);
  return undosOf(result, environment.kinds).filter(({ record }) => isInScope(record.address));
}

/** `null` where the changed object is not found: a part of it is not enough to create a new one. */
function restore(undo: Undo, live: LiveObject | null): Restored | null {
  const { action, after, replaced = false, withheld = [] } = undo.record;
  // What the result shows of a created object, the plan that deletes it may show too.
  if (action === 'create') return { fields: withheld.reduce(markPlace, after ?? {}), lost: [] };
  return live || action === 'delete' || replaced ? restoreFields(undo, live) : null;
}

function markPlace(fields: JsonObject, place: Pointer): JsonObject {
  const marked = setMember(fields, segmentsOf(place), liveMarker(place));
  return isObject(marked) ? marked : fields;
}

function resourceOf(
  { kind, record, key, former }: Undo,
  fields: JsonObject,
  manifests: ReadonlyMap<string, Resource>,
): Resource {
  const [identity, formerly] = [identityOf(kind, key), identityOf(kind, former)];
  const manifest = manifests.get(identity) ?? manifests.get(formerly);
  // A deleted object had the other name as well: nothing is left to rename.
  const isRenamed = record.action !== 'delete' && identity !== formerly;
  return {
    ...undeclared(kind, former),
    ensure: record.action === 'create' ? 'absent' : 'present',
    fields,
    lifecycle: {
      ...noLifecycle,
      protect: manifest?.lifecycle.protect ?? false,
      allowLockout: manifest?.lifecycle.allowLockout ?? false,
      renamedFrom: isRenamed ? key : null,
    },
    // An update that writes the whole object carries these too, as the tenant has them.
    secrets: () => [...(manifest?.secrets() ?? []), ...(record.withheld ?? [])],
    shown: record.after ?? {},
    source: () => manifest?.source() ?? nowhere,
    locate: (at) => manifest?.locate(at) ?? nowhere,
    point: (at) => manifest?.point(at) ?? { source: nowhere, excerpt: '' },
  };
}

/** The remark without a place, where it has none. */
function withoutNowhere({ source, ...rest }: Diagnostic): Diagnostic {
  return source === undefined || source === nowhere ? rest : { ...rest, source };
}

const setByHand = 'If the apply changed it, set the former value by hand.';

/** The change without a place in the manifests, and with a warning where it would undo later work of others. */
function annotate(change: Change, entry: Reversal | undefined): Change {
  const placeless = { ...change, source: null };
  // A run that was killed does not know what it did. That does not mean that somebody else worked on the tenant.
  if (entry?.live && entry.undo.record.outcome === 'unknown') {
    return { ...placeless, warnings: [...change.warnings, unknownOutcome] };
  }
  const since = entry ? laterChanges(entry, change) : null;
  if (since === null) return placeless;
  return {
    ...placeless,
    warnings: [...change.warnings, since],
    risk: [...change.risk, 'undoes-tenant-change'],
  };
}

const unknownOutcome =
  'The outcome of this change is not known. Before you undo it, check that the object is as the apply would have left it.';

/** What happened to the object after the apply, as far as the change touches it; `null` for nothing. */
function laterChanges({ undo, live }: Reversal, change: Change): string | null {
  const { kind, record } = undo;
  if (live === null) return null;
  if (record.action === 'delete') return 'The object was created again after the apply had deleted it.';
  if (record.after === null)
    return 'The apply did not see the result of this change, so later changes cannot be detected.';
  const shown = (record.withheld ?? []).reduce(
    (fields, at) => withValueAt(fields, at, undefined),
    readableFields(kind, live.fields),
  );
  const touched = new Set(change.diff.map(({ path }) => segmentsOf(path)[0]));
  const isDifferent = ([name, after]: [string, Json]) => {
    const [field, now] = [fieldNamed(kind, name), get(shown, name)];
    if (!field || now === undefined) return false;
    // What else is in it does not concern the rollback of an update, and neither do settings that nobody declared.
    const isPart = field.is === 'json' && (record.action === 'update' || isMapOfSettings(field));
    return compareField(name, isPart ? { ...field, declares: 'members' } : field, after, now).length > 0;
  };
  const moved = Object.entries(record.after)
    .filter(isDifferent)
    .map(([name]) => name)
    .filter((name) => record.action === 'create' || touched.has(name));
  const selectTouched = (places: readonly Pointer[] = []) => {
    const names = new Set(places.map((path) => segmentsOf(path)[0] ?? ''));
    return [...names].filter((name) => touched.has(name) && !moved.includes(name));
  };
  const remarks = [
    [moved, 'changed after the apply.'],
    [
      selectTouched(record.unmet),
      'was not as the apply wanted it: the tenant rewrote it, or somebody changed it.',
    ],
    [
      selectTouched(record.beside),
      'changed during the apply, which did not ask for that: the tenant set it, or somebody did.',
    ],
  ] as const;
  const said = remarks.flatMap(([names, what]) => (names.length > 0 ? [`${joinPlaces(names)} ${what}`] : []));
  return said.length > 0 ? said.join(' ') : null;
}

const joinPlaces = (names: readonly string[]): string => names.map((name) => pointer(name)).join(', ');

function remarksOn(undo: Undo, live: LiveObject | null, restored: Restored | null): Diagnostic[] {
  const { address } = undo.record;
  if (restored === null) {
    const message = `${address} was not found by its key, so what the apply changed in it cannot be restored.`;
    const hint =
      'If the tenant has it under another key, set the former values by hand. To create it again, apply a manifest that declares it.';
    return [{ code: 'rollback-gone', severity: 'warning', message, hint, address }];
  }
  if (restored.lost.length === 0) return [];
  const places = restored.lost.join(', ');
  const isMissing = live === null;
  const what = isMissing ? `comes back without ${places}` : `keeps ${places} as it is now`;
  return [
    {
      code: 'rollback-incomplete',
      severity: 'warning',
      message: `${address} ${what}: the result did not record what may be secret.`,
      hint: isMissing ? 'Set it afterwards, by a manifest or by hand.' : setByHand,
      address,
    },
  ];
}

/** Manual steps of the plan: it is not known whether they were done. */
function manualSteps({ result, choices }: RollbackInput): Diagnostic[] {
  const isInScope = scopeFilter(choices.scope);
  return result.changes
    .filter(({ action, address }) => action === 'manual' && isInScope(address))
    .map(({ address }): Diagnostic => {
      const message = `${address} was a manual step. If it was done, undo it by hand.`;
      return { code: 'rollback-by-hand', severity: 'warning', message, address };
    });
}

/** Warnings about objects of a rollback that later applies to the same tenant changed too. */
export function laterRemarks(
  undos: readonly Undo[],
  later: readonly LaterResult[],
  { environment, tenant }: Result,
  kinds: Kinds,
): Diagnostic[] {
  const wanted = new Map(undos.flatMap((undo) => namesOf(undo).map((name) => [name, undo.record.address])));
  return later.flatMap((found): Diagnostic[] => {
    if ('unreadable' in found) return [unreadable(found.file, found.unreadable)];
    const { file, result } = found;
    if (result.environment !== environment || !isSameTenant(result.tenant, tenant)) return [];
    try {
      const touched = undosOf(result, kinds).flatMap((undo) =>
        namesOf(undo).flatMap((name) => wanted.get(name) ?? []),
      );
      return [...new Set(touched)].map((address) => changedAgain(address, file, result.startedAt));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [unreadable(file, error.message)];
    }
  });
}

/** An object's names before and after its change. */
function namesOf({ kind, key, former }: Undo): string[] {
  return [...new Set([identityOf(kind, key), identityOf(kind, former)])];
}

function changedAgain(address: string, file: string, startedAt: string): Diagnostic {
  return {
    code: 'rollback-later',
    severity: 'warning',
    message: `${address} was changed again by the apply of ${startedAt} (${file}).`,
    hint: 'Look at its differences: the rollback may undo that too. To keep the order, roll the later apply back first.',
    address,
  };
}

function unreadable(file: string, why: string): Diagnostic {
  return {
    code: 'rollback-later',
    severity: 'warning',
    message: `It is not known what the later apply of ${file} changed. ${why}`,
  };
}
