import { kindNamed } from '../kinds/index.ts';
import type { Kind } from '../kinds/kind.ts';
import { identityOf, LiveIndex } from '../kinds/live-objects.ts';
import { idsIn, targetOf, withReferences } from '../kinds/references.ts';
import { type Address, type Key, parseAddress } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import { type Json, type JsonObject, mapMembers } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import { refMarker, refOf } from '../model/marker.ts';
import type { Change } from '../model/plan.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { Resource } from '../model/resource.ts';
import { didYouMean } from '../model/suggest.ts';

/** An object that manifests refer to, and the places that do. */
export interface UsedReference {
  /** As it is written. */
  readonly to: Address;
  readonly kind: Kind;
  readonly key: Key;
  readonly uses: readonly { readonly resource: Resource; readonly at: Pointer }[];
}

/** The objects that these resources refer to, each once. */
export function referencesIn(resources: readonly Resource[]): UsedReference[] {
  const found = new Map<Address, UsedReference & { uses: { resource: Resource; at: Pointer }[] }>();
  for (const resource of resources) {
    for (const { to, at } of referencesOf(resource)) {
      const known = found.get(to);
      const parsed = known ? null : parseAddress(to);
      if (known) known.uses.push({ resource, at });
      else if (parsed) found.set(to, { to, kind: kindNamed(parsed.kind), key: parsed.key, uses: [{ resource, at }] });
    }
  }
  return [...found.values()];
}

function referencesOf({ kind, fields }: Resource): { readonly to: Address; readonly at: Pointer }[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const field = kindNamed(kind).fields[name];
    // Most fields hold no ids.
    if (!field || targetOf(field) === null) return [];
    return idsIn(field, value).flatMap(({ at, id }) => {
      const to = refOf(id);
      return to === null ? [] : [{ to, at: pointer(name) + at }];
    });
  });
}

/** The declared object that a reference means; `null` where no manifest declares one. */
export function declaredTarget(
  { kind, key }: Pick<UsedReference, 'kind' | 'key'>,
  resources: readonly Resource[],
): Resource | null {
  const identity = identityOf(kind, key);
  const isIt = (each: Resource) => each.kind === kind.name && identityOf(kind, each.key) === identity;
  return resources.find(isIt) ?? null;
}

/** What references are resolved with. */
export interface Targets {
  /** All resources of the project. */
  readonly resources: readonly Resource[];
  /** What was read of the tenant. */
  readonly objects: readonly LiveObject[];
  isInScope(address: Address): boolean;
}

/** What a reference stands for. */
type Target =
  | { readonly is: 'live'; readonly id: string }
  /** The plan creates it: its id is filled in when it is known. */
  | { readonly is: 'planned'; readonly address: Address }
  | { readonly is: 'missing'; readonly why: Missing };

interface Missing extends Pick<Diagnostic, 'code' | 'message'> {
  readonly hint: string | null;
}

/** What the references of a project stand for in a tenant. */
export interface ResolvedReferences {
  /** The resource with ids in place of its references, and markers for objects that the plan creates. */
  fill(resource: Resource): Resource;
  /** Throws a Failure with the references to what neither exists nor will. */
  requireAll(known: readonly LiveObject[]): void;
  /** The kinds of references that lead nowhere: their objects may have similar names. */
  readonly missing: readonly Kind[];
}

/** Finds what each reference stands for. Pure. */
export function resolveReferences(references: readonly UsedReference[], targets: Targets): ResolvedReferences {
  const index = new LiveIndex(targets.objects);
  const found = new Map(references.map((each) => [each.to, targetOfReference(each, targets, index)]));
  const answer = (to: Address): Json => {
    const target = found.get(to);
    switch (target?.is) {
      case 'live':
        return target.id;
      case 'planned':
        return refMarker(target.address);
      default:
        return refMarker(to);
    }
  };
  const lost = references.flatMap((reference) => {
    const target = found.get(reference.to);
    return target?.is === 'missing' ? [{ reference, why: target.why }] : [];
  });
  return {
    fill: (resource) => fillReferences(resource, answer),
    missing: [...new Set(lost.map(({ reference }) => reference.kind))],
    requireAll(known) {
      const problems = lost.flatMap(({ reference, why }) => {
        const hint = nearName(reference, [...targets.resources, ...targets.objects, ...known]) ?? why.hint;
        return problemsAt(reference, { ...why, hint });
      });
      if (problems.length > 0) throw new Failure(problems);
    },
  };
}

function targetOfReference(reference: UsedReference, targets: Targets, index: LiveIndex): Target {
  const { kind, key, to } = reference;
  const declared = declaredTarget(reference, targets.resources);
  if (declared?.ensure === 'absent') {
    const message = `${declared.address} is declared with \`ensure: absent\`, so nothing can refer to it.`;
    return missing('ref-deleted', message, 'Remove one of the two.');
  }
  const live = declared ? index.of(kind, declared) : index.byKey(kind, key);
  if (live?.id) return { is: 'live', id: live.id };
  if (live) return missing('unknown-ref', `The tenant shows no id for ${live.address}.`, null);
  const nowhere = `The tenant has no ${kind.name} with the key "${key.join('/')}"`;
  if (!declared) {
    const hint = `Correct the key, or declare a ${kind.name} with it.`;
    return missing('unknown-ref', `${nowhere}, and no manifest declares it.`, hint);
  }
  if (kind.operations.create.length === 0) {
    return missing('unknown-ref', `${nowhere}, and the API cannot create one.`, 'Make it in the tenant.');
  }
  if (!targets.isInScope(declared.address)) {
    const message = `${nowhere}, and this plan does not create it: --only or --except leave ${to} out.`;
    return missing('unknown-ref', message, `Add --only ${declared.address}.`);
  }
  return { is: 'planned', address: declared.address };
}

const missing = (code: string, message: string, hint: string | null): Target => ({
  is: 'missing',
  why: { code, message, hint },
});

function nearName(
  { kind, key }: UsedReference,
  known: readonly (Pick<Resource, 'kind' | 'key'> | Pick<LiveObject, 'kind' | 'key'>)[],
): string | null {
  const names = known.flatMap((each) => (each.kind === kind.name ? [each.key.join('/')] : []));
  return didYouMean(key.join('/'), new Set(names)) ?? null;
}

function problemsAt({ uses }: UsedReference, { code, message, hint }: Missing): Diagnostic[] {
  return uses.map(({ resource, at }): Diagnostic => {
    const place = resource.point(at);
    return {
      code,
      severity: 'error',
      message,
      ...(hint === null ? {} : { hint }),
      address: resource.address,
      ...place,
    };
  });
}

function fillReferences(resource: Resource, answer: (to: Address) => Json): Resource {
  if (referencesOf(resource).length === 0) return resource;
  const fields: JsonObject = mapMembers(resource.fields, (value, name) => {
    const field = kindNamed(resource.kind).fields[name];
    return field ? withReferences(field, value, answer) : value;
  });
  return {
    ...resource,
    fields,
    source: resource.source,
    locate: (at) => resource.locate(at),
    point: (at, offset) => resource.point(at, offset),
    overlayAt: (at) => resource.overlayAt(at),
  };
}

/**
 * Throws a Failure with the references to what a plan deletes or does not create, and for references in a circle of
 * objects that it creates.
 *
 * @param circle the addresses of such a circle; `null` without one
 */
export function refuseLostReferences(
  references: readonly UsedReference[],
  changes: readonly Change[],
  circle: readonly Address[] | null,
): void {
  const deleted = new Map(
    changes.flatMap((change) =>
      change.action === 'delete' || change.action === 'manual'
        ? [[identityOf(kindNamed(change.kind), change.key), change] as const]
        : [],
    ),
  );
  const lost = references.flatMap((reference) => {
    const change = deleted.get(identityOf(reference.kind, reference.key));
    if (!change) return [];
    if (change.action === 'delete') {
      const message = `This plan deletes ${change.address}, to which a manifest refers.`;
      return problemsAt(reference, { code: 'ref-deleted', message, hint: 'Declare it, or remove the reference.' });
    }
    if (change.id !== null) return [];
    const message = `${change.address} has to be made by hand before anything can refer to it.`;
    return problemsAt(reference, { code: 'unknown-ref', message, hint: change.warnings[0] ?? null });
  });
  const problems = [...lost, ...(circle ? circleProblems(references, circle) : [])];
  if (problems.length > 0) throw new Failure(problems);
}

/** Once, at the first reference of the circle. */
function circleProblems(references: readonly UsedReference[], circle: readonly Address[]): Diagnostic[] {
  const message = `Each of these objects would have to be created before the other: ${circleText(circle)}.`;
  const hint = 'Leave out one of the references, apply, and add it again.';
  const inside = references.flatMap((reference) => {
    const isTarget = circle.includes(declaredAddress(reference));
    const uses = isTarget ? reference.uses.filter(({ resource }) => circle.includes(resource.address)) : [];
    return uses.length > 0 ? [{ ...reference, uses: uses.slice(0, 1) }] : [];
  });
  return inside.slice(0, 1).flatMap((reference) => problemsAt(reference, { code: 'ref-circle', message, hint }));
}
