import { readableFields } from '../kinds/field.ts';
import { kindNamed } from '../kinds/index.ts';
import { identityOf } from '../kinds/live.ts';
import type { Wanted } from '../kinds/wanted.ts';
import { formatAddress } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { planDigest } from '../model/digest.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { isObject, objectFrom } from '../model/json.ts';
import type { LiveObject, TenantState } from '../model/live.ts';
import { liveMarker } from '../model/marker.ts';
import type { Change, Plan } from '../model/plan.ts';
import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import type { Resource } from '../model/resource.ts';
import type { Result } from '../model/result.ts';
import { type Matched, matchUp, type PlanInput, planChanges, scopeFilter, wantedFor } from './index.ts';
import { LiveIndex } from './match.ts';
import { type Restored, restoredChanges, restoredWhole } from './restore.ts';
import { changedFields, type Undo, undosOf, withoutPlaces } from './undo.ts';

/** Everything a rollback is computed from. `resources` are today's manifests, which may protect what would be deleted. */
export interface RollbackInput extends Omit<PlanInput, 'previous' | 'state'> {
  readonly state: TenantState;
  readonly result: Result;
}

/** What has to be read of the tenant before {@link planRollback} can be called. */
export function wantedForRollback(
  input: Pick<RollbackInput, 'result' | 'resources' | 'environment' | 'choices'>,
): Wanted[] {
  const resources = undosInScope(input).map((undo) => resourceOf(undo, {}, input.resources));
  return wantedFor({ ...input, resources, previous: null });
}

/** What it finds in the tenant, for which the vendor's defaults may have to be read. */
export function matchUpRollback(input: RollbackInput): Matched {
  return matchUp(prepare(input).input);
}

/**
 * The plan that takes back what an apply did, as its result recorded it: made by the same comparison as any plan, so
 * what is back already is no change, and every guard holds. What somebody did since then is told, never passed over.
 */
export function planRollback(input: RollbackInput): Plan {
  const { input: planned, undone } = prepare(input);
  const plan = planChanges(planned, matchUp(planned));
  const byIdentity = new Map(undone.map((entry) => [identityOf(entry.undo.kind, entry.resource.key), entry]));
  const changes = plan.changes.map((change) =>
    annotated(change, byIdentity.get(identityOf(kindNamed(change.kind), change.key))),
  );
  const { digest: _digest, ...rest } = { ...plan, changes };
  return { ...rest, digest: planDigest(rest) };
}

/** A change to take back, and the object as it shall be again. */
interface Undone {
  readonly undo: Undo;
  readonly live: LiveObject | null;
  readonly resource: Resource;
}

function prepare(input: RollbackInput): { input: PlanInput; undone: readonly Undone[] } {
  const index = new LiveIndex(input.state.objects);
  const looked = undosInScope(input).map((undo) => {
    const live = index.byKey(undo.kind, undo.key) ?? index.byKey(undo.kind, undo.former);
    return { undo, live, restored: restoredOf(undo, live) };
  });
  const undone = looked.flatMap(({ undo, live, restored }): Undone[] =>
    restored === null ? [] : [{ undo, live, resource: resourceOf(undo, restored.fields, input.resources) }],
  );
  const remarks = looked.flatMap(({ undo, live, restored }) => remarksOn(undo, live, restored));
  return {
    undone,
    input: {
      ...input,
      resources: undone.map(({ resource }) => resource),
      previous: null,
      diagnostics: [...input.diagnostics, ...remarks, ...personalSteps(input)],
    },
  };
}

function undosInScope({ result, choices }: Pick<RollbackInput, 'result' | 'choices'>): Undo[] {
  const isInScope = scopeFilter(choices.scope);
  return undosOf(result).filter(({ record }) => isInScope(record.address));
}

/** `null` where the object that was changed is gone: a part of it is nothing to make a new one from. */
function restoredOf(undo: Undo, live: LiveObject | null): Restored | null {
  switch (undo.record.action) {
    case 'create':
      return { fields: unshown(undo.record.withheld ?? []), lost: [] };
    case 'delete':
      return live ? restoredChanges(undo, live) : restoredWhole(undo);
    default:
      return live && restoredChanges(undo, live);
  }
}

/** Markers at the places that no plan may show. */
function unshown(places: readonly Pointer[]): JsonObject {
  const placed = (value: Json, [name, ...below]: readonly string[], at: Pointer): Json => {
    if (name === undefined) return liveMarker(at);
    const members = new Map(isObject(value) ? Object.entries(value) : []);
    return objectFrom(members.set(name, placed(members.get(name) ?? {}, below, at)));
  };
  const all = places.reduce((fields: Json, at) => placed(fields, segmentsOf(at), at), {});
  return isObject(all) ? all : {};
}

function resourceOf(
  { kind, record, key, former }: Undo,
  fields: JsonObject,
  manifests: readonly Resource[],
): Resource {
  const source = { file: '', line: 1, column: 1 };
  const names = [identityOf(kind, key), identityOf(kind, former)];
  const manifest = manifests.find(
    (resource) => resource.kind === kind.name && names.includes(identityOf(kind, resource.key)),
  );
  return {
    kind: kind.name,
    key: former,
    address: formatAddress(kind.name, former),
    id: null,
    ensure: record.action === 'create' ? 'absent' : 'present',
    fields,
    lifecycle: {
      protect: manifest?.lifecycle.protect ?? false,
      allowLockout: manifest?.lifecycle.allowLockout ?? false,
      ignore: [],
      renamedFrom: identityOf(kind, key) === identityOf(kind, former) ? null : key,
    },
    digest: null,
    source,
    locate: () => source,
    point: () => ({ source, excerpt: '' }),
  };
}

/** The change without a place in the manifests, and with what it would take back of somebody else's work. */
function annotated(change: Change, entry: Undone | undefined): Change {
  const since = entry ? doneSince(entry, change) : null;
  if (since === null) return { ...change, source: null };
  return {
    ...change,
    source: null,
    warnings: [...change.warnings, since],
    risk: [...change.risk, 'undoes-tenant-change'],
  };
}

/** What happened to the object after the apply, as far as the change touches it; `null` where nothing did. */
function doneSince({ undo, live }: Undone, change: Change): string | null {
  const { kind, record } = undo;
  if (live === null) return null;
  if (record.outcome === 'unknown') {
    return 'The apply never learnt what became of its request, so what is there may be the work of somebody else.';
  }
  if (record.action === 'delete') return 'The object was made again after the apply had deleted it.';
  if (record.after === null) return 'The apply did not see what it left, so later changes cannot be told.';
  const now = withoutPlaces(readableFields(kind, live.fields), record.withheld ?? []);
  const touched = new Set(change.diff.map(({ path }) => segmentsOf(path)[0]));
  const moved = changedFields(kind, record.after, now).filter(
    (name) => record.action === 'create' || touched.has(name),
  );
  return moved.length > 0
    ? `${moved.map((name) => pointer(name)).join(', ')} changed after the apply.`
    : null;
}

function remarksOn(undo: Undo, live: LiveObject | null, restored: Restored | null): Diagnostic[] {
  const { address, action } = undo.record;
  if (restored === null) {
    const message = `${address} is no longer there, so what the apply changed in it cannot be restored.`;
    const hint = 'To have it again, apply a manifest that declares it.';
    return [{ code: 'rollback-gone', severity: 'warning', message, hint, address }];
  }
  if (restored.lost.length === 0) return [];
  const places = restored.lost.join(', ');
  const isMissing = action === 'delete' && live === null;
  const what = isMissing ? `comes back without ${places}` : `keeps ${places} as it is now`;
  return [
    {
      code: 'rollback-incomplete',
      severity: 'warning',
      message: `${address} ${what}: the result did not record what may be secret.`,
      hint: isMissing
        ? 'Set it afterwards, by a manifest or by hand.'
        : 'If the apply changed it, set the former value by hand.',
      address,
    },
  ];
}

/** Steps that the plan left to people: nobody knows whether they were taken. */
function personalSteps({ result, choices }: Pick<RollbackInput, 'result' | 'choices'>): Diagnostic[] {
  const isInScope = scopeFilter(choices.scope);
  return result.changes
    .filter(({ action, address }) => action === 'manual' && isInScope(address))
    .map(({ address }): Diagnostic => {
      const message = `${address} was a step for a person. If it was taken, a person has to take it back.`;
      return { code: 'rollback-by-hand', severity: 'warning', message, address };
    });
}
