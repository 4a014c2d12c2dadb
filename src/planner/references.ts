import { arrangeChanges, cycleText } from '../kinds/dependencies.ts';
import { type Kind, keyBelow, type LiveObject, parentKey } from '../kinds/kind.ts';
import { declaredKeys, identityOf, keyBefore, LiveIndex, shownId } from '../kinds/live-objects.ts';
import type { Kinds } from '../kinds/project.ts';
import { idsIn, renameSteps, withReferences } from '../kinds/references.ts';
import { type Resource, type UsedLookup, undeclared } from '../kinds/resource.ts';
import { type Address, formatAddress, type Key, parseAddress, referencePart } from '../model/address.ts';
import { groupBy, lazy } from '../model/basics.ts';
import type { Plan } from '../model/documents.ts';
import { type Diagnostic, Failure } from '../model/failure.ts';
import { type Json, mapJson, mapMembers, nestedIn } from '../model/json.ts';
import { type Lookup, lookedUpWords, lookupKey, lookupOf, nameFrom, refOf } from '../model/marker.ts';
import { type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { didYouMean } from '../model/words.ts';

/** The distinct lookups in the resources' fields, in order, with the places that use them. */
export function lookupsIn(resources: readonly Resource[]): UsedLookup[] {
  const all = resources.flatMap((resource) =>
    lookupsAt(resource.fields, '').map(({ lookup, at }) => ({ lookup, use: { resource, at } })),
  );
  return groupBy(all, ({ lookup }) => lookupKey(lookup)).map(([, same]) => {
    const [{ lookup }] = same;
    return { ...lookup, uses: same.map(({ use }) => use) };
  });
}

function lookupsAt(value: Json, at: Pointer): { lookup: Lookup; at: Pointer }[] {
  const lookup = lookupOf(value);
  if (lookup) return [{ lookup, at }];
  return nestedIn(value).flatMap(([name, inner]) => lookupsAt(inner, at + pointer(name)));
}

export function fillLookups(resource: Resource, answer: (lookup: Lookup) => Json): Resource {
  if (lookupsAt(resource.fields, '').length === 0) return resource;
  const fields = mapMembers(resource.fields, (value, name) => {
    const holdsTexts = ['text', 'email', 'records'].includes(resource.kind.fields[name]?.is ?? '');
    return mapJson(value, (part) => {
      const lookup = lookupOf(part);
      const found = lookup ? answer(lookup) : part;
      return lookup && holdsTexts && typeof found !== 'object' ? String(found) : found;
    });
  });
  return { ...resource, fields };
}

/** The lookups behind found values, by the address of the resource that uses them. */
export function lookedUpBy(lookups: readonly UsedLookup[], answer: (lookup: Lookup) => Json) {
  const found = new Map<Address, Map<string, string>>();
  for (const lookup of lookups) {
    const value = answer(lookup);
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    for (const { resource } of lookup.uses ?? []) {
      const names = found.get(resource.address) ?? new Map<string, string>();
      found.set(resource.address, names.set(String(value), lookedUpWords(lookup)));
    }
  }
  return found;
}

interface UsedReference {
  readonly to: Address;
  readonly kind: Kind;
  readonly key: Key;
  readonly uses: readonly Use[];
}

interface Use {
  readonly resource: Resource;
  readonly at: Pointer;
  readonly isName: boolean;
}

export function referencesIn(resources: readonly Resource[], kinds: Kinds): UsedReference[] {
  const all = resources.flatMap((resource) =>
    referencesOf(resource).map(({ to, at, isName }) => ({ to, use: { resource, at, isName } })),
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

/** The identities of the objects above one, nearest first: a tenant that deletes one of them deletes what is below it too. */
export function identitiesAbove({ parent }: Kind, key: Key): string[] {
  if (!parent) return [];
  const above = parentKey(parent, key);
  return [identityOf(parent.kind, above), ...identitiesAbove(parent.kind, above)];
}

/**
 * The earlier declarations under the names that manifests give their objects, and the parents of these, since then. Both are of one
 * object if they mean the same one of the tenant; until those are read, `renamedFrom` alone tells.
 */
export function addLaterNames(
  past: readonly Resource[],
  resources: readonly Resource[],
  objects: readonly LiveObject[] = [],
): readonly Resource[] {
  const idsOf = (all: readonly Resource[]) => new Map(all.map(({ address, id }) => [address, id]));
  const [then, now] = [idsOf(past), idsOf(resources)];
  // Declared then as now, below a parent that is: both mean the same object. Nearly all are.
  const isSame = ({ parent, name }: Kind, key: Key, address = formatAddress(name, key)): boolean =>
    then.get(address) === now.get(address) && (!parent || isSame(parent.kind, parentKey(parent, key)));
  const keyNow = lazy(() => laterKeys(past, resources, objects));
  return past.map((each) => {
    const { kind, address } = each;
    if (isSame(kind, each.key, address)) return each;
    const key = keyNow()(kind, each.key);
    if (identityOf(kind, key) === identityOf(kind, each.key)) return each;
    if (kind.parent) return { ...each, key, address: formatAddress(kind.name, key) };
    return { ...each, lifecycle: { ...each.lifecycle, renamedFrom: key } };
  });
}

/** Returns a function that gives a key of the revision the names since then. */
function laterKeys(
  past: readonly Resource[],
  resources: readonly Resource[],
  objects: readonly LiveObject[],
): (kind: Kind, key: Key) => Key {
  const then = resourcesByIdentity(past);
  const all = objects.flatMap(withAbove);
  const index = new LiveIndex(all);
  const below = new Map(all.map((live) => [placeUnder(live.kind, live.above, live.key), live]));
  const liveThen = (kind: Kind, key: Key): LiveObject | null => {
    const declared = then.get(identityOf(kind, key)) ?? undeclared(kind, key);
    const { parent } = kind;
    if (!parent || declared.id !== null) return index.find(declared);
    const above = liveThen(parent.kind, parentKey(parent, key));
    return (above && below.get(placeUnder(kind, above, key))) ?? null;
  };
  const nameOf = declaredKeys(all, resources, () => true);
  const renamed = new Map(
    resources.flatMap(({ kind, key, lifecycle: { renamedFrom } }) =>
      renamedFrom ? [[identityOf(kind, renamedFrom), key] as const] : [],
    ),
  );
  return function keyNow(kind: Kind, key: Key): Key {
    const { parent } = kind;
    const live = liveThen(kind, key);
    if (!parent) return live ? nameOf(live) : (renamed.get(identityOf(kind, key)) ?? key);
    return live?.key ?? keyBelow(keyNow(parent.kind, parentKey(parent, key)), key);
  };
}

function withAbove(live: LiveObject): readonly LiveObject[] {
  return live.above ? [...withAbove(live.above), live] : [live];
}

function placeUnder(kind: Kind, above: LiveObject | undefined, key: Key): string {
  return identityOf(kind, [above?.id ?? '', ...key.slice(1)]);
}

interface Missing extends Pick<Diagnostic, 'code' | 'message'> {
  readonly hint: string | null;
}

interface MissingReference {
  readonly reference: UsedReference;
  readonly why: Missing;
  /** Whether it may be misspelt: no manifest declares it. */
  readonly isUnknown: boolean;
}

interface Targets {
  readonly resources: readonly Resource[];
  readonly objects: readonly LiveObject[];
  readonly isInScope?: (address: Address) => boolean;
}

/** The ids of the objects, and markers for those that the plan creates. Without `isInScope`, all objects are in scope. */
export function resolveReferences(
  references: readonly UsedReference[],
  { resources, objects, isInScope = () => true }: Targets,
): { ids: ReadonlyMap<Address, Json>; missing: readonly MissingReference[] } {
  const ids = new Map<Address, Json>();
  const missing: MissingReference[] = [];
  if (references.length === 0) return { ids, missing };
  const declared = resourcesByIdentity(resources);
  const index = new LiveIndex(objects);
  const byIdentity = new Map(groupBy(objects, ({ identity }) => identity));
  for (const reference of references) {
    const { to, kind, key } = reference;
    const resource = declared.get(identityOf(kind, key)) ?? null;
    const live = resource ? index.find(resource) : index.findByKey(kind, key);
    const same = live ? (byIdentity.get(live.identity) ?? []) : [];
    // One that was read twice is one.
    const distinct = [...new Map(same.map((object) => [object.id ?? object, object])).values()];
    const why = whyMissing(reference, resource, distinct, isInScope);
    if (why) missing.push({ reference, why, isUnknown: resource === null });
    else if (live) ids.set(to, shownId(live));
    else if (resource) ids.set(to, { $ref: resource.address });
  }
  return { ids, missing: [...missing, ...findSharedNames(references, ids)] };
}

/** Member names that mean the same object as another one beside them: only one of the values could be sent. */
function findSharedNames(
  references: readonly UsedReference[],
  ids: ReadonlyMap<Address, Json>,
): MissingReference[] {
  const named = references.flatMap((reference) =>
    reference.uses.flatMap((use) => {
      const id = use.isName ? ids.get(reference.to) : undefined;
      const above = pointer(...segmentsOf(use.at).slice(0, -1));
      return id === undefined ? [] : [{ reference, use, place: above + pointer(nameFrom(id)) }];
    }),
  );
  const byPlace = groupBy(named, ({ use, place }) => `${use.resource.address}${place}`);
  return byPlace.flatMap(([, same]) =>
    same.length > 1 || valueAt(same[0].use.resource.fields, same[0].place) !== undefined
      ? same.map(({ reference, use }) => ({
          reference: { ...reference, uses: [use] },
          why: {
            code: 'duplicate-member',
            message: `Another name in this mapping means ${reference.to} too.`,
            hint: 'Remove one of them.',
          },
          isUnknown: false,
        }))
      : [],
  );
}

/** Throws a Failure for references that lead nowhere. `known` are other objects, for suggestions. */
export function refuseMissing(
  missing: readonly MissingReference[],
  known: readonly Pick<Resource | LiveObject, 'kind' | 'key'>[],
): void {
  const problems = missing.flatMap(({ reference, why, isUnknown }) => {
    if (!isUnknown || why.code !== 'unknown-ref') return problemsAt(reference, why);
    // As a reference spells it.
    const nameOf = (key: Key) => key.map(referencePart).join('/');
    const own = nameOf(reference.key);
    const others = known.flatMap(({ kind, key }) => (kind === reference.kind ? [nameOf(key)] : []));
    const near = didYouMean(own, new Set(others.filter((name) => name !== own)));
    return problemsAt(reference, { ...why, hint: near ?? why.hint });
  });
  if (problems.length > 0) throw new Failure(problems);
}

function whyMissing(
  { kind, key, to }: UsedReference,
  declared: Resource | null,
  same: readonly LiveObject[],
  isInScope: NonNullable<Targets['isInScope']>,
): Missing | null {
  if (declared?.ensure === 'absent') return whyAbsent(declared);
  const named = `${kind.name} with the key "${key.join('/')}"`;
  const [live, ...others] = same;
  if (others.length > 0) {
    const ids = same.map(({ id }) => id ?? 'no id').join(', ');
    const message = `The tenant has ${same.length} objects of the kind ${named}: ids ${ids}.`;
    const hint = 'Rename all but one of them in the tenant, or write the id instead.';
    return { code: 'ambiguous-ref', message, hint };
  }
  const unknown = (message: string, hint: string | null) => ({ code: 'unknown-ref', message, hint });
  if (live) return live.id ? null : unknown(`The tenant shows no id for ${live.address}.`, null);
  const nowhere = `The tenant has no ${named}`;
  if (!declared)
    return unknown(`${nowhere}, and no manifest declares it.`, 'Correct the key, or declare the object.');
  if (!kind.can.create)
    return unknown(`${nowhere}, and the API cannot create one.`, 'Make it in the tenant.');
  if (isInScope(declared.address)) return null;
  return unknown(
    `${nowhere}, and this plan does not create it: --only or --except leave ${to} out.`,
    `Add ${declared.address} to --only, or narrow --except, so that the plan creates it.`,
  );
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
  const absent = resources.filter(({ ensure }) => ensure === 'absent');
  return problemsOf(
    references,
    new Map(absent.map((each) => [identityOf(each.kind, each.key), whyAbsent(each)])),
  );
}

function problemsOf(references: readonly UsedReference[], lost: ReadonlyMap<string, Missing>): Diagnostic[] {
  return references.flatMap((reference) => {
    const { kind, key } = reference;
    const above = identitiesAbove(kind, key).map((each) => lost.get(each));
    const why = lost.get(identityOf(kind, key)) ?? above.find((each) => each?.code === 'ref-deleted');
    return why ? problemsAt(reference, why) : [];
  });
}

function problemsAt({ uses }: UsedReference, { code, message, hint }: Missing): Diagnostic[] {
  const problem = { code, severity: 'error', message, ...(hint === null ? {} : { hint }) } as const;
  return uses.map(({ resource, at }) => ({ ...problem, address: resource.address, ...resource.point(at) }));
}

/**
 * The resource with ids in place of its references, and markers for objects that the plan creates. Names of members become what
 * `rename` gives, and with `null` stay as they are written; without it, they become ids too.
 */
export function fillReferences(
  resource: Resource,
  { ids }: Pick<ReturnType<typeof resolveReferences>, 'ids'>,
  rename?: (to: Address) => string | null,
): Resource {
  const references = referencesOf(resource);
  if (references.length === 0) return resource;
  const { kind, lifecycle } = resource;
  const answer = (to: Address, isName = false): Json =>
    isName && rename ? rename(to) : (ids.get(to) ?? { $ref: to });
  const fields = mapMembers(resource.fields, (value, name) => {
    const field = kind.fields[name];
    return field ? withReferences(field, value, answer) : value;
  });
  const names = references.flatMap(({ to, at, isName }) => {
    const name = isName ? answer(to, isName) : null;
    return name === null ? [] : [[segmentsOf(at).at(-1) ?? '', nameFrom(name)] as const];
  });
  if (names.length === 0) return { ...resource, fields };
  // If ids are names of members, the places are those in the filled fields.
  const [idOf, nameOf] = [new Map(names), new Map(names.map(([name, id]) => [id, name]))];
  const fill = (at: Pointer) => renameSteps(kind, at, (name) => idOf.get(name) ?? null);
  const find = (at: Pointer) => renameSteps(kind, at, (id) => nameOf.get(id) ?? null);
  return {
    ...resource,
    fields,
    lifecycle: { ...lifecycle, ignore: lifecycle.ignore.map(fill) },
    secrets: () => resource.secrets().map(fill),
    point: (at, offset) => resource.point(find(at), offset),
    overlayAt: (at) => resource.overlayAt(find(at)),
    isOverlaid: (at) => resource.isOverlaid(find(at)),
  };
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
  const unmade = new Map<string, Missing>();
  const lost = new Map<string, Missing>();
  for (const change of changes) {
    const { address, action, id, warnings } = change;
    const kind = kinds.get(change.kind);
    const identity = identityOf(kind, change.key);
    const before = keyBefore(kind, change);
    if (before) {
      const message = `This plan gives the object another name: ${address}.`;
      lost.set(identityOf(kind, before), {
        code: 'ref-renamed',
        message,
        hint: `Write \`!ref ${address}\`.`,
      });
    }
    if (action === 'manual' && id === null) {
      const message = `${address} must be created by hand before anything can refer to it.`;
      unmade.set(identity, { code: 'unknown-ref', message, hint: warnings[0] ?? null });
    }
    if (action !== 'delete') continue;
    const message = `This plan deletes ${address}, to which a manifest refers.`;
    const hint = 'Declare the object, or remove the reference.';
    lost.set(identity, { code: 'ref-deleted', message, hint });
  }
  const { cycle } = arrangeChanges(changes, kinds);
  if (unmade.size + lost.size === 0 && !cycle) return;
  const problems = [
    ...problemsOf(references, unmade),
    ...problemsOf(lost.size > 0 ? referencesIn(resources, kinds) : [], lost),
    ...(cycle ? problemsOfCycle(references, cycle) : []),
  ];
  if (problems.length > 0) throw new Failure(problems);
}

function problemsOfCycle(references: readonly UsedReference[], cycle: readonly Address[]): Diagnostic[] {
  const message = `Each of these objects refers to the next, so none can be created first: ${cycleText(cycle)}.`;
  const problem = { code: 'ref-cycle', severity: 'error', message } as const;
  const [first] = references.flatMap((reference) => {
    if (!cycle.includes(formatAddress(reference.kind.name, reference.key))) return [];
    const use = reference.uses.find(({ resource }) => cycle.includes(resource.address));
    return use ? [{ ...reference, uses: [use] }] : [];
  });
  if (first)
    return problemsAt(first, {
      ...problem,
      hint: 'Leave one of the references out, apply, and add it again.',
    });
  // A rollback makes them as they were.
  const hint =
    'Leave them out with `--except`. Then declare them without one of the references, apply, and add it.';
  return [{ ...problem, hint }];
}
