import type { Kinds } from '../kinds/catalog.ts';
import { arrangeChanges, cycleText } from '../kinds/dependencies.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { identityOf, keyBefore, LiveIndex, shownId } from '../kinds/live-objects.ts';
import { parentKey, partFor } from '../kinds/parents.ts';
import { idsIn, renameSteps, withReferences } from '../kinds/references.ts';
import type { Resource } from '../kinds/resource.ts';
import { type Address, formatAddress, type Key, parseAddress } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import { type Json, type JsonObject, mapMembers, nestedIn } from '../model/json.ts';
import { nameFrom, refMarker, refOf } from '../model/marker.ts';
import type { Change, Plan } from '../model/plan.ts';
import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import { didYouMean } from '../model/words.ts';

export interface UsedReference {
  readonly to: Address;
  readonly kind: Kind;
  readonly key: Key;
  readonly uses: readonly { readonly resource: Resource; readonly at: Pointer }[];
}

export function referencesIn(resources: readonly Resource[], kinds: Kinds): UsedReference[] {
  const all = resources.flatMap((resource) =>
    referencesOf(resource).map(({ to, at }) => ({ to, use: { resource, at } })),
  );
  return groupBy(all, ({ to }) => to).flatMap(([to, same]) => {
    const parsed = parseAddress(to);
    const kind = parsed && kinds.find(parsed.kind);
    return parsed && kind ? [{ to, kind, key: parsed.key, uses: same.map(({ use }) => use) }] : [];
  });
}

function referencesOf({ kind, fields, ensure }: Resource) {
  // An absent object may be below another absent one.
  if (ensure === 'absent') return [];
  return nestedIn(fields).flatMap(([name, value]) => {
    const field = kind.fields[name];
    if (!field) return [];
    return idsIn(field, value).flatMap(({ at, id, isName = false }) => {
      const to = refOf(id);
      return to === null ? [] : [{ to, at: pointer(name) + at, isName }];
    });
  });
}

export function resourcesByIdentity(resources: readonly Resource[]): ReadonlyMap<string, Resource> {
  return new Map(resources.map((each) => [identityOf(each.kind, each.key), each]));
}

/** The resources, with the former keys of those below a renamed object, where they still are. */
export function addFormerParents(resources: readonly Resource[]): readonly Resource[] {
  if (!resources.some(({ kind }) => kind.parent)) return resources;
  const declared = resourcesByIdentity(resources);
  return resources.map((each) => {
    const { kind, key, lifecycle } = each;
    const above = kind.parent && declared.get(identityOf(kind.parent.kind, parentKey(kind.parent, key)));
    const former = above?.lifecycle.renamedFrom;
    if (!former) return each;
    return { ...each, lifecycle: { ...lifecycle, renamedFrom: [partFor(former), ...key.slice(1)] } };
  });
}

/** The earlier declarations, findable in the tenant under their current names too. */
export function addLaterNames(
  past: readonly Resource[],
  resources: readonly Resource[],
): readonly Resource[] {
  const later = new Map(
    resources.flatMap(({ kind, key, lifecycle: { renamedFrom } }) =>
      renamedFrom ? [[identityOf(kind, renamedFrom), key] as const] : [],
    ),
  );
  return past.map((each) => {
    const key = later.get(identityOf(each.kind, each.key));
    return key ? { ...each, lifecycle: { ...each.lifecycle, renamedFrom: key } } : each;
  });
}

interface Targets {
  readonly resources: readonly Resource[];
  readonly objects: readonly LiveObject[];
  isInScope(address: Address): boolean;
}

interface Missing extends Pick<Diagnostic, 'code' | 'message'> {
  readonly hint: string | null;
}

interface ResolvedReferences {
  readonly ids: ReadonlyMap<Address, Json>;
  readonly missing: readonly MissingReference[];
}

interface MissingReference {
  readonly reference: UsedReference;
  readonly why: Missing;
  /** Whether it may be misspelt: no manifest declares it. */
  readonly isUnknown: boolean;
}

export function resolveReferences(
  references: readonly UsedReference[],
  { resources, objects, isInScope }: Targets,
): ResolvedReferences {
  if (references.length === 0) return { ids: new Map(), missing: [] };
  const declared = resourcesByIdentity(resources);
  const index = new LiveIndex(objects);
  const byIdentity = new Map(groupBy(objects, ({ identity }) => identity));
  const ids = new Map<Address, Json>();
  const missing: MissingReference[] = [];
  for (const reference of references) {
    const resource = declared.get(identityOf(reference.kind, reference.key)) ?? null;
    const live = resource ? index.find(resource) : index.findByKey(reference.kind, reference.key);
    const same = live ? (byIdentity.get(live.identity) ?? []) : [];
    const target = targetFor(reference, resource, { live, same, isInScope });
    if ('id' in target) ids.set(reference.to, target.id);
    else missing.push({ reference, why: target, isUnknown: resource === null });
  }
  return { ids, missing };
}

/** Throws a Failure for references that lead nowhere. `known` are other objects, for suggestions. */
export function refuseMissing(
  missing: readonly MissingReference[],
  known: readonly Pick<Resource | LiveObject, 'kind' | 'key'>[],
): void {
  const problems = missing.flatMap(({ reference, why, isUnknown }) => {
    if (!isUnknown || why.code !== 'unknown-ref') return problemsAt(reference, why);
    const own = reference.key.join('/');
    const others = known.flatMap(({ kind, key }) => (kind === reference.kind ? [key.join('/')] : []));
    const near = didYouMean(own, new Set(others.filter((name) => name !== own)));
    return problemsAt(reference, { ...why, hint: near ?? why.hint });
  });
  if (problems.length > 0) throw new Failure(problems);
}

/** The id of the object, or a marker for one that the plan creates. `same` are all objects of its key. */
function targetFor(
  { kind, key, to }: UsedReference,
  declared: Resource | null,
  {
    live,
    same,
    isInScope,
  }: Pick<Targets, 'isInScope'> & {
    readonly live: LiveObject | null;
    readonly same: readonly LiveObject[];
  },
): { readonly id: Json } | Missing {
  if (declared?.ensure === 'absent') return whyAbsent(declared);
  // One that was read twice is one.
  const ids = [...new Map(same.map((object) => [object.id ?? object, object.id ?? 'no id'])).values()];
  if (ids.length > 1) {
    const message = `The tenant has ${ids.length} objects of the kind ${kind.name} with the key "${key.join('/')}": ids ${ids.join(', ')}.`;
    const hint = 'Rename all but one of them in the tenant, or write the id instead.';
    return { code: 'ambiguous-ref', message, hint };
  }
  if (live?.id) return { id: shownId(live) };
  const unknown = (message: string, hint: string | null) => ({ code: 'unknown-ref', message, hint });
  if (live) return unknown(`The tenant shows no id for ${live.address}.`, null);
  const nowhere = `The tenant has no ${kind.name} with the key "${key.join('/')}"`;
  if (!declared)
    return unknown(`${nowhere}, and no manifest declares it.`, 'Correct the key, or declare the object.');
  if (!kind.can.create)
    return unknown(`${nowhere}, and the API cannot create one.`, 'Make it in the tenant.');
  if (!isInScope(declared.address))
    return unknown(
      `${nowhere}, and this plan does not create it: --only or --except leave ${to} out.`,
      `Add ${declared.address} to --only, or narrow --except, so that the plan creates it.`,
    );
  return { id: refMarker(declared.address) };
}

function whyAbsent({ address }: Resource): Missing {
  const message = `${address} is declared with \`ensure: absent\`, so nothing can refer to it.`;
  return { code: 'ref-deleted', message, hint: 'Remove one of the two.' };
}

/** References to objects declared absent lead nowhere, whatever the tenant has. `resources` are all of the project. */
export function findAbsentTargets(
  references: readonly UsedReference[],
  resources: readonly Resource[],
): Diagnostic[] {
  const absent = resourcesByIdentity(resources.filter(({ ensure }) => ensure === 'absent'));
  return references.flatMap((reference) => {
    const target = absent.get(identityOf(reference.kind, reference.key));
    return target ? problemsAt(reference, whyAbsent(target)) : [];
  });
}

function problemsAt({ uses }: UsedReference, { code, message, hint }: Missing): Diagnostic[] {
  const problem = { code, severity: 'error', message, ...(hint === null ? {} : { hint }) } as const;
  return uses.map(({ resource, at }) => ({ ...problem, address: resource.address, ...resource.point(at) }));
}

/** The resource with ids in place of its references, and markers for objects that the plan creates. */
export function fillReferences(resource: Resource, { ids }: Pick<ResolvedReferences, 'ids'>): Resource {
  const references = referencesOf(resource);
  if (references.length === 0) return resource;
  const answer = (to: Address) => ids.get(to) ?? refMarker(to);
  const filled = { ...resource, fields: fillFields(resource, answer) };
  const names = references.flatMap(({ to, at, isName }) =>
    isName ? [[segmentsOf(at).at(-1) ?? '', nameFrom(answer(to))] as const] : [],
  );
  if (names.length === 0) return filled;
  // If ids are names of members, the places are those in the filled fields.
  const { kind, lifecycle } = resource;
  const [idOf, nameOf] = [new Map(names), new Map(names.map(([name, id]) => [id, name]))];
  const fill = (at: Pointer) => renameSteps(kind, at, (name) => idOf.get(name) ?? null);
  const find = (at: Pointer) => renameSteps(kind, at, (id) => nameOf.get(id) ?? null);
  return {
    ...filled,
    lifecycle: { ...lifecycle, ignore: lifecycle.ignore.map(fill) },
    secrets: () => resource.secrets().map(fill),
    locate: (at) => resource.locate(find(at)),
    point: (at, offset) => resource.point(find(at), offset),
    overlayAt: (at) => resource.overlayAt(find(at)),
  };
}

/** The resource with ids in place of its references that are values: names of members stay as they are written. */
export function fillValues(resource: Resource, { ids }: Pick<ResolvedReferences, 'ids'>): Resource {
  const answer = (to: Address, isName: boolean) => (isName ? null : (ids.get(to) ?? refMarker(to)));
  return { ...resource, fields: fillFields(resource, answer) };
}

function fillFields({ kind, fields }: Resource, answer: (to: Address, isName: boolean) => Json): JsonObject {
  return mapMembers(fields, (value, name) => {
    const field = kind.fields[name];
    return field ? withReferences(field, value, answer) : value;
  });
}

/**
 * Throws a Failure for references to objects that a plan deletes, renames or leaves to a manual step, and for cycles.
 * `references` are those in scope, `resources` all of the project: objects outside the scope keep theirs.
 */
export function refuseLostReferences(
  references: readonly UsedReference[],
  resources: readonly Resource[],
  { changes }: Pick<Plan, 'changes'>,
  kinds: Kinds,
): void {
  const indexByIdentity = (wanted: readonly Change[]) =>
    new Map(wanted.map((each) => [identityOf(kinds.get(each.kind), each.key), each]));
  const unmade = indexByIdentity(changes.filter(({ action, id }) => action === 'manual' && id === null));
  const deleted = indexByIdentity(changes.filter(({ action }) => action === 'delete'));
  const renamed = new Map(
    changes.flatMap((change) => {
      const kind = kinds.get(change.kind);
      const before = keyBefore(kind, change);
      return before ? [[identityOf(kind, before), change] as const] : [];
    }),
  );
  const everywhere = deleted.size + renamed.size > 0 ? referencesIn(resources, kinds) : [];
  const { cycle } = arrangeChanges(changes, kinds);
  const all = [
    ...problemsWith(references, unmade, ({ address, warnings }) => ({
      code: 'unknown-ref',
      message: `${address} must be created by hand before anything can refer to it.`,
      hint: warnings[0] ?? null,
    })),
    ...problemsWith(everywhere, deleted, ({ address }) => ({
      code: 'ref-deleted',
      message: `This plan deletes ${address}, to which a manifest refers.`,
      hint: 'Declare the object, or remove the reference.',
    })),
    ...problemsWith(everywhere, renamed, ({ address }) => ({
      code: 'ref-renamed',
      message: `This plan gives the object another name: ${address}.`,
      hint: `Write \`!ref ${address}\`.`,
    })),
    ...(cycle ? problemsOfCycle(references, cycle) : []),
  ];
  if (all.length > 0) throw new Failure(all);
}

function problemsWith(
  references: readonly UsedReference[],
  changes: ReadonlyMap<string, Change>,
  why: (change: Change) => Missing,
): Diagnostic[] {
  return references.flatMap((reference) => {
    const change = changes.get(identityOf(reference.kind, reference.key));
    return change ? problemsAt(reference, why(change)) : [];
  });
}

function problemsOfCycle(references: readonly UsedReference[], cycle: readonly Address[]): Diagnostic[] {
  const message = `Each of these objects refers to the next, so none can be created first: ${cycleText(cycle)}.`;
  const hint = 'Leave one of the references out, apply, and add it again.';
  const [first] = references.flatMap((reference) => {
    if (!cycle.includes(formatAddress(reference.kind.name, reference.key))) return [];
    const use = reference.uses.find(({ resource }) => cycle.includes(resource.address));
    return use ? [{ ...reference, uses: [use] }] : [];
  });
  return first
    ? problemsAt(first, { code: 'ref-cycle', message, hint })
    : [{ code: 'ref-cycle', severity: 'error', message, hint }];
}
