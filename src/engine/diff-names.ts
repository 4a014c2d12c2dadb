import type { Records } from '../exporter/reference-lookups.ts';
import type { LiveObject } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import type { JsonObject } from '../model/json.ts';
import { isSameTenant } from '../model/tenant.ts';
import { fieldsOf, type SideObject } from '../planner/compare-sides.ts';
import { type Pair, presentSides, subjectOf } from '../planner/diff.ts';
import { fillLookups } from '../planner/fill-lookups.ts';
import { referencesIn, resolveReferences } from '../planner/references.ts';
import { environmentOf, type OpenSide, onBothSides, type Sides } from './diff-sides.ts';
import { type ReferenceNames, type Stated, shareIds, writeReferences } from './names.ts';

/** Pairs of objects without the ids of one tenant, as far as there are names for them. */
interface Named extends Pick<ReferenceNames, 'remarksOn'> {
  readonly pairs: readonly Pair[];
  /** Where both sides are of one tenant, the objects that their ids belong to. */
  readonly objects: readonly LiveObject[];
}

/** The objects that both sides have, with names in the place of ids that belong to one tenant. */
export async function nameIds(pairs: readonly Pair[], sides: Sides): Promise<Named> {
  const names = await onBothSides(namesOn(sides[0], pairs, 0), namesOn(sides[1], pairs, 1));
  // The ids in manifests are those of the tenant that answers their lookups and references.
  const tenants = [sides[0].reader ? 0 : 1, sides[1].reader ? 1 : 0] as const;
  const filled = fillReferences(await answerLookups(pairs, sides), sides, names[tenants[0]]);
  if (isOneTenant(sides)) {
    const written = mapDeclared(filled, (resource) => ({ ...resource, fields: writeReferences(resource) }));
    return { pairs: written, objects: names.flatMap(({ objects }) => objects), remarksOn: () => [] };
  }
  const both = filled.filter(isOnBoth);
  // Beside manifests, the only tenant names the ids of both sides.
  const isAlone = sides.some(({ reader }) => reader === null);
  const readRecords = (at: 0 | 1) => {
    const objects = both.flatMap(({ sides: own }) => (isAlone ? own : [own[at]]));
    return sides[at].reader?.records(objects.flatMap(subjectsOf)) ?? Promise.resolve(noRecords);
  };
  const records = await onBothSides(readRecords(0), readRecords(1));
  const stateOf = (object: SideObject, at: 0 | 1): Stated => ({
    kind: subjectOf(object).kind,
    fields: fieldsOf(object),
    raw: object.is === 'live' ? object.live.raw : null,
    nameOf: names[tenants[at]].nameOf,
    sources: { records: records[tenants[at]], settings: environmentOf(sides[at].source).settings },
  });
  const shared = filled.map((pair): Pair => {
    const [first, second] = pair.sides;
    if (first === null || second === null) return pair;
    const [before, after] = shareIds([stateOf(first, 0), stateOf(second, 1)]);
    return { ...pair, sides: [replaceFields(first, before), replaceFields(second, after)] };
  });
  return {
    pairs: shared,
    objects: [],
    remarksOn: (isShown) => names.flatMap(({ remarksOn }) => remarksOn(isShown)),
  };
}

const isOnBoth = (pair: Pair): boolean => presentSides(pair).length === 2;

const noRecords: Records = new Map();
const noNames: ReferenceNames = { objects: [], nameOf: () => null, remarksOn: () => [] };

/** The names of what the ids on a side belong to, where it is a tenant and something is compared with them. */
async function namesOn({ reader }: OpenSide, pairs: readonly Pair[], at: 0 | 1): Promise<ReferenceNames> {
  if (!reader) return noNames;
  return reader.names(pairs.filter(isOnBoth).flatMap(({ sides }) => liveOf(sides[at])));
}

/** The references of manifests as the ids that they stand for in the tenant beside them. */
function fillReferences(pairs: readonly Pair[], sides: Sides, names: ReferenceNames): readonly Pair[] {
  if (sides.every(({ reader }) => reader === null)) return pairs;
  const resources = listDeclared(pairs);
  if (resources.length === 0) return pairs;
  const live = pairs.flatMap(presentSides).flatMap(liveOf);
  const { kinds } = environmentOf(sides[0].source);
  const objects = [...names.objects, ...live];
  const references = resolveReferences(referencesIn(resources, kinds), {
    resources: [],
    objects,
    isInScope: () => true,
  });
  return mapDeclared(pairs, (resource) => references.fill(resource));
}

const liveOf = (object: SideObject | null): LiveObject[] => (object?.is === 'live' ? [object.live] : []);

const subjectsOf = (object: SideObject | null): (LiveObject | Resource)[] =>
  object ? [subjectOf(object)] : [];

function replaceFields(object: SideObject, fields: JsonObject): SideObject {
  if (fields === fieldsOf(object)) return object;
  return object.is === 'live'
    ? { is: 'live', live: { ...object.live, fields } }
    : { is: 'declared', resource: { ...object.resource, fields } };
}

/** The lookups of manifests, answered by the tenant beside which they stand. */
async function answerLookups(pairs: readonly Pair[], sides: Sides): Promise<readonly Pair[]> {
  const reader = sides[0].reader ?? sides[1].reader;
  const resources = listDeclared(pairs);
  if (!reader || resources.length === 0) return pairs;
  const answer = await reader.lookups(resources);
  return mapDeclared(pairs, (resource) => fillLookups(resource, answer));
}

function listDeclared(pairs: readonly Pair[]): Resource[] {
  return pairs.flatMap(presentSides).flatMap((object) => (object.is === 'declared' ? [object.resource] : []));
}

function mapDeclared(pairs: readonly Pair[], fill: (resource: Resource) => Resource): readonly Pair[] {
  const change = (object: SideObject | null): SideObject | null =>
    object?.is === 'declared' ? { is: 'declared', resource: fill(object.resource) } : object;
  return pairs.map(({ kind, sides: [first, second] }) => ({ kind, sides: [change(first), change(second)] }));
}

/** Whether the ids of both sides are those of one tenant: it may show another name than a manifest has beside an id. */
function isOneTenant(sides: Sides): boolean {
  if (sides.some(({ source }) => source.is === 'manifests' && !source.isProject)) return false;
  const [first, second] = sides;
  return isSameTenant(environmentOf(first.source).tenant, environmentOf(second.source).tenant);
}
