import { resolveLookups } from '../client/lookups.ts';
import { readDefaults } from '../client/read.ts';
import type { Records } from '../exporter/ids.ts';
import { isObserved, type Kind, type LiveObject } from '../kinds/kind.ts';
import { defaultsOf, identityOf, LiveIndex } from '../kinds/live-objects.ts';
import type { Environment, Project, Secrets } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Declarations } from '../loader/index.ts';
import { declarerOf, identitiesOf } from '../loader/manifest.ts';
import { matchGlob } from '../model/address.ts';
import { type Diff, type DiffSide, tool, worstExitCode } from '../model/documents.ts';
import { type Diagnostic, ExitCode, Failure } from '../model/failure.ts';
import { lookupMarker } from '../model/marker.ts';
import { topName } from '../model/pointer.ts';
import { isSameTenant } from '../model/tenant.ts';
import { diffPairs, leadOf, pairObjects, presentSides } from '../planner/diff.ts';
import {
  fillLookups,
  fillReferences,
  lookupsIn,
  referencesIn,
  resolveReferences,
} from '../planner/references.ts';
import type { Backup } from './backup.ts';
import { checkScope, kindsNamed, selectionOf } from './choices.ts';
import { readReferencedRecords } from './export.ts';
import { readReferenceNames, shareIds, writeReferences } from './names.ts';
import { nameDifferences, undeclarability } from './review.ts';
import { findStrayIds } from './stray-ids.ts';
import { readOnlyTenant, readSettledKinds, servedKinds, type Tenant } from './tenant.ts';

type SideObject = Parameters<typeof pairObjects>[0][number];
type ObjectPair = ReturnType<typeof pairObjects>[number];

export interface DiffOptions {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** The kinds to compare. Left out: those that manifests of a side declare, else all that the API can change. */
  readonly kinds?: readonly string[] | undefined;
  /** Throw for a kind that a tenant refuses to show, even if nothing names it. */
  readonly isComplete?: boolean | undefined;
}

/**
 * Compares two tenants, a tenant and manifests, or two sets of manifests, in the terms of manifests. Both sides are read at
 * once; nothing is written. Ids of records are compared by the names they stand for, if both sides show one. Throws a
 * Failure for options that make no sense, and when a side cannot be read: its message names the side.
 *
 * @example
 * const sides = [tenantSide(test, testTenant), tenantSide(production, productionTenant)];
 * const diff = await diffSides(sides, { only: ['NotificationTemplate/**'] });
 * for (const { address, in: where } of diff.objects) console.log(address, where);
 */
export async function diffSides(
  sources: readonly [DiffSource, DiffSource],
  { only = [], except = [], kinds: names, isComplete = false }: DiffOptions = {},
): Promise<Diff> {
  const sides: Sides = [openSide(sources[0]), openSide(sources[1])];
  const secrets = [sources[0].secrets, sources[1].secrets] as const;
  const { kinds: allKinds } = sides[0].environment;
  checkScope({ only, except, kinds: names }, allKinds);
  const selection = selectionOf({ only, except });
  const { kinds, skipped, isUsual } = kindsToCompare(sides, only, kindsNamed({ only, kinds: names }));
  const read = await onBothSides(sides, (side, at) =>
    readSide(side, kinds, sides[at === 0 ? 1 : 0], isUsual && !isComplete),
  );
  const refused = new Map(read.flatMap((each) => [...each.refused]));
  const pairs = pairObjects(read[0].objects, read[1].objects)
    .filter(({ kind }) => kinds.some(({ name }) => name === kind.name) && !refused.has(kind.name))
    .filter((pair) => selection.includes(leadOf(pair).address));
  const unusable = read.map((each) => each.unusable);
  const sound = pairs.filter((pair) =>
    presentSides(pair).every(({ kind, key }) => unusable.every((each) => !each.has(identityOf(kind, key)))),
  );
  const comparable = await leaveOutUndeclarable(sound, sides);
  const complete = await addDefaults(comparable, sides, secrets);
  const { pairs: shared, objects: referred, remarksOn } = await nameIds(complete, sides);
  const { objects, ...compared } = diffPairs(shared, secrets);
  const differing = new Map(
    objects.map(({ address, diff }) => [address, new Set(diff.map(({ path }) => topName(path)))]),
  );
  return {
    formatVersion: 1,
    tool,
    createdAt: new Date().toISOString(),
    sides: [sideOf(sources[0]), sideOf(sources[1])],
    scope: { only, except, kinds: names ?? [] },
    ...compared,
    objects: nameDifferences(objects, { kinds: allKinds, objects: referred, lookedUp: new Map() }),
    diagnostics: [
      ...sides.flatMap((side) => (side.is === 'tenant' ? (side.backup?.diagnostics ?? []) : [])),
      ...skipped,
      ...refused.values(),
      ...selection.findUnmatched(),
      ...unusable
        .flatMap((each) => [...each.values()])
        .filter(({ address }) => selection.includes(address))
        .map(({ address, why }): Diagnostic => {
          const message = `${address} is not compared: ${why}`;
          return { code: 'not-compared', severity: 'warning', message, address };
        }),
      ...remarksOn(({ address }, field) => differing.get(address)?.has(field) ?? false),
    ],
  };
}

function kindsToCompare(sides: Sides, only: readonly string[], names: readonly string[] | undefined) {
  const { kinds } = sides[0].environment;
  const parts = sides.flatMap((side) => {
    if (side.is === 'manifests') return [side.resources.map(({ kind }) => kind)];
    return side.backup ? [side.backup.kinds] : [];
  });
  const usual = kinds.all.filter((kind) => !isObserved(kind)).map(({ name }) => name);
  const wanted = new Set(names ?? (parts.length > 0 ? parts.flat().map(({ name }) => name) : usual));
  const inScope = kinds.all.filter(({ name }) => wanted.has(name) && mayMatch(name, only));
  const live = sides.flatMap(({ is, environment }) => (is === 'tenant' ? [environment] : []));
  const { served, skipped } = servedKinds(inScope, live);
  const remarks = skipped.map(({ problem }) => problem);
  // Principle 4 of plans: a kind that no manifest names is not read. A backup may be one of some kinds, too.
  const left = usual.filter((name) => !wanted.has(name) && mayMatch(name, only));
  if (parts.length > 0 && names === undefined && left.length > 0)
    remarks.push({
      code: 'kinds-not-compared',
      // A folder without manifests may be the wrong one.
      severity: kinds.all.some(({ name }) => wanted.has(name)) ? 'info' : 'warning',
      message: `Not compared, because no manifest and no backup has objects of these kinds: ${left.join(', ')}.`,
      hint: 'Name them to compare them, such as `--only "SenderAddress/**"`.',
    });
  return { kinds: served, skipped: remarks, isUsual: parts.length === 0 && names === undefined };
}

/** True when one of the globs may match an object of a kind: others need not be read. */
function mayMatch(kind: string, only: readonly string[]): boolean {
  if (only.length === 0) return true;
  return only.some((glob) => glob.includes('{') || matchGlob(glob.split('/')[0] ?? '')(kind));
}

type Settled = Awaited<ReturnType<typeof readSettledKinds>>;

async function readSide(
  side: Side,
  kinds: readonly Kind[],
  other: Side,
  mayLack: boolean,
): Promise<Omit<Settled, 'objects'> & { readonly objects: readonly SideObject[] }> {
  if (side.is === 'manifests') {
    // To this side, an object that is declared absent does not exist.
    const present = side.resources.filter(({ ensure }) => ensure === 'present');
    const objects = present.map((resource): SideObject => ({ is: 'declared', ...resource }));
    return { objects, unusable: new Map(), refused: new Map() };
  }
  const declared = other.is === 'manifests' ? other.resources : [];
  const read = await readSettledKinds(side.root, side.tenant, kinds, { declared, mayLack: () => mayLack });
  return { ...read, objects: read.objects.map((live) => liveSide(side, live)) };
}

function liveSide({ declarations }: TenantSource, live: LiveObject): SideObject {
  return { is: 'live', declares: () => declarations.declared(live), ...live };
}

/** Compared with manifests, an object that no manifest could declare does not count as a difference. */
async function leaveOutUndeclarable(
  pairs: readonly ObjectPair[],
  sides: Sides,
): Promise<readonly ObjectPair[]> {
  const live = sides.find(({ is }) => is === 'tenant');
  if (!live || sides[0].is === sides[1].is) return pairs;
  const why = await undeclarability();
  return pairs.filter((pair) => {
    const [alone, ...others] = presentSides(pair);
    if (alone?.is !== 'live' || others.length > 0) return true;
    return why(alone) === null && (alone.whyNotExported ?? null) === null;
  });
}

/** If a tenant has only the vendor's default of an object, and that equals the other side, the sides are equal. */
async function addDefaults(
  pairs: readonly ObjectPair[],
  sides: Sides,
  secrets: readonly [Secrets, Secrets],
): Promise<readonly ObjectPair[]> {
  const finders = await onBothSides(sides, async (side, at) => {
    const missing = pairs.filter((pair) => pair.sides[at] === null).flatMap(presentSides);
    if (side.is === 'manifests') return () => null;
    const standards = new LiveIndex(await readDefaults(side.tenant.client, defaultsOf(missing)));
    return ({ kind, key }: SideObject): SideObject | null => {
      const live = standards.findByKey(kind, key);
      return live && liveSide(side, live);
    };
  });
  return pairs.map((pair): ObjectPair => {
    const [first, second] = pair.sides;
    if (first && second) return pair;
    const complete: ObjectPair = {
      kind: pair.kind,
      sides: [first ?? (second && finders[0](second)), second ?? (first && finders[1](first))],
    };
    return diffPairs([complete], secrets).objects.length === 0 ? complete : pair;
  });
}

type ReferenceNames = Awaited<ReturnType<typeof readReferenceNames>>;

/**
 * Replaces ids of a single tenant by names, in the objects that both sides have. `objects`: if both sides are of one tenant,
 * those that their ids belong to.
 */
async function nameIds(
  pairs: readonly ObjectPair[],
  sides: Sides,
): Promise<Pick<ReferenceNames, 'objects' | 'remarksOn'> & { readonly pairs: readonly ObjectPair[] }> {
  const shared = pairs.filter(isOnBoth);
  const live = [
    shared.flatMap(({ sides: [first] }) => liveIn(first)),
    shared.flatMap(({ sides: [, second] }) => liveIn(second)),
  ] as const;
  const names = await onBothSides(sides, async (side, at) =>
    side.is === 'manifests' ? null : readReferenceNames(side.tenant, live[at], []),
  );
  const objects = names.flatMap((each) => each?.objects ?? []);
  const filled = await fillDeclared(pairs, sides, objects);
  const { tenant } = sides[0].environment;
  const areProjects = sides.every((side) => side.is === 'tenant' || side.isProject);
  // One tenant may show another name than a manifest has beside an id.
  if (areProjects && isSameTenant(tenant, sides[1].environment.tenant)) {
    const written = mapDeclared(filled, (resource) => ({ ...resource, fields: writeReferences(resource) }));
    return { pairs: written, objects, remarksOn: () => [] };
  }
  const named = await shareNames(filled, sides, names);
  const strays = await onBothSides(sides, async (side, at): Promise<readonly Diagnostic[]> => {
    if (side.is === 'manifests') return [];
    const known = [...live[at], ...(names[at]?.objects ?? [])];
    return (await findStrayIds(side.tenant, live[at], known)).diagnostics;
  });
  return {
    pairs: named,
    objects: [],
    remarksOn: (isShown) => {
      const remarks = [...names.flatMap((each) => each?.remarksOn(isShown) ?? []), ...strays.flat()];
      // A remark on both sides appears once.
      return [...new Map(remarks.map((each) => [`${each.address} ${each.message}`, each])).values()];
    },
  };
}

/** Replaces the ids of both tenants by shared names, in the objects that both sides have. */
async function shareNames(
  pairs: readonly ObjectPair[],
  sides: Sides,
  names: readonly [ReferenceNames | null, ReferenceNames | null],
): Promise<readonly ObjectPair[]> {
  // The ids in manifests are those of the tenant beside them.
  const tenants = [sides[0].is === 'tenant' ? 0 : 1, sides[1].is === 'tenant' ? 1 : 0] as const;
  const records = await onBothSides(sides, async (side, at): Promise<Records> => {
    if (side.is === 'manifests') return new Map();
    const read = pairs
      .filter(isOnBoth)
      .flatMap((pair) => (tenants[0] === tenants[1] ? presentSides(pair) : (pair.sides[at] ?? [])));
    return readReferencedRecords(side.tenant.client, read);
  });
  const stateOf = (object: SideObject, at: 0 | 1) => ({
    ...object,
    raw: object.is === 'live' ? object.raw : null,
    sources: { records: records[tenants[at]], nameOf: names[tenants[at]]?.nameOf },
  });
  return pairs.map((pair): ObjectPair => {
    const [first, second] = pair.sides;
    if (first === null || second === null) return pair;
    const [before, after] = shareIds([stateOf(first, 0), stateOf(second, 1)]);
    return {
      ...pair,
      sides: [
        { ...first, fields: before },
        { ...second, fields: after },
      ],
    };
  });
}

const isOnBoth = (pair: ObjectPair): boolean => presentSides(pair).length === 2;
const liveIn = (object: SideObject | null) => (object?.is === 'live' ? [object] : []);

/** Resolves the lookups and references of manifests in the tenant beside them. */
async function fillDeclared(
  pairs: readonly ObjectPair[],
  sides: Sides,
  referred: readonly LiveObject[],
): Promise<readonly ObjectPair[]> {
  const declaredIn = (all: readonly ObjectPair[]) =>
    all.flatMap(presentSides).flatMap((object) => (object.is === 'declared' ? [object] : []));
  const declared = declaredIn(pairs);
  if (declared.length === 0 || sides.every(({ is }) => is === 'manifests')) return pairs;
  const lookups = lookupsIn(declared);
  const answers = await onBothSides(sides, async (side) =>
    side.is === 'manifests' ? lookupMarker : resolveLookups(side.tenant.client, lookups, { mayFail: true }),
  );
  const answer = answers[sides[0].is === 'tenant' ? 0 : 1];
  const answered = mapDeclared(pairs, (resource) => fillLookups(resource, answer));
  const objects = [...referred, ...pairs.flatMap(presentSides).flatMap(liveIn)];
  const references = referencesIn(declaredIn(answered), sides[0].environment.kinds);
  const found = resolveReferences(references, { resources: [], objects });
  return mapDeclared(answered, (resource) => fillReferences(resource, found));
}

function mapDeclared(
  pairs: readonly ObjectPair[],
  fill: (resource: Resource) => Resource,
): readonly ObjectPair[] {
  const change = (object: SideObject | null): SideObject | null =>
    object?.is === 'declared' ? { ...object, ...fill(object) } : object;
  return pairs.map(({ kind, sides: [first, second] }) => ({ kind, sides: [change(first), change(second)] }));
}

interface TenantSource {
  readonly is: 'tenant';
  readonly name: string;
  readonly tenant: Tenant;
  /** The folder of the project. Reads wait until recent writes of an apply from there show. */
  readonly root: string;
  readonly secrets: Secrets;
  /** Settings that no manifest declares are not shown. */
  readonly declarations: Pick<Declarations, 'declared'>;
  /** Present for a backup: it only knows the kinds of its objects. */
  readonly backup?: Pick<Backup, 'kinds' | 'diagnostics'>;
}

interface ManifestSource {
  readonly is: 'manifests';
  readonly name: string;
  readonly environment: Environment;
  readonly resources: readonly Resource[];
  readonly secrets: Secrets;
  /** False for a folder outside the project. */
  readonly isProject: boolean;
}

export type DiffSource = TenantSource | ManifestSource;

/** The tenant of a project as a side of a diff. Settings of an object that the project does not declare are not shown. */
export function tenantSide({ root, environment, resources, secrets }: Project, tenant: Tenant): TenantSource {
  const byIdentity = new Map(
    resources.flatMap((resource) => identitiesOf(resource).map(({ identity }) => [identity, resource])),
  );
  const declarations: TenantSource['declarations'] = {
    declared: (object) => declarerOf(byIdentity, object) ?? { fields: {}, secrets: () => [] },
  };
  return { is: 'tenant', name: environment.name, tenant, root, secrets, declarations };
}

/** The manifests of a project as a side of a diff: what they declare for its environment. */
export function manifestSide({ environment, resources, secrets }: Project): ManifestSource {
  const name = `manifests of ${environment.name}`;
  return { is: 'manifests', name, resources, secrets, environment, isProject: true };
}

function sideOf(source: DiffSource): DiffSide {
  const { name, is } = source;
  if (is === 'manifests') return { name, is, tenant: null };
  return source.backup
    ? { name, is: 'backup', tenant: null }
    : { name, is, tenant: source.tenant.client.tenant };
}

/** A side whose tenant is only read: equal requests are sent once. */
type Side = (TenantSource & Pick<ManifestSource, 'environment'>) | ManifestSource;
type Sides = readonly [Side, Side];

function openSide(source: DiffSource): Side {
  if (source.is === 'manifests') return source;
  const called = source.backup ? source.name : `the tenant of ${source.name}`;
  const tenant = { ...readOnlyTenant(source.tenant), called };
  return { ...source, tenant, environment: tenant.environment };
}

/** Works on both sides at once. Throws one Failure with the problems of each, which name the side. */
async function onBothSides<T>(
  sides: Sides,
  work: (side: Side, at: 0 | 1) => Promise<T>,
): Promise<readonly [T, T]> {
  const [first, second] = await Promise.allSettled([work(sides[0], 0), work(sides[1], 1)]);
  if (first.status === 'fulfilled' && second.status === 'fulfilled') return [first.value, second.value];
  const failures = [first, second].flatMap((each, at) => {
    if (each.status === 'fulfilled') return [];
    // Any other error is a bug in the program, and must show as one.
    if (!(each.reason instanceof Failure)) throw each.reason;
    const { diagnostics, exitCode } = each.reason;
    const named = diagnostics.map((one) => ({ ...one, message: `${sides[at]?.name}: ${one.message}` }));
    return [{ diagnostics: named, exitCode }];
  });
  throw new Failure(
    failures.flatMap(({ diagnostics }) => diagnostics),
    worstExitCode(failures.map(({ exitCode }) => exitCode)) || ExitCode.couldNotRun,
  );
}
