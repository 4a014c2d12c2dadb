import picomatch from 'picomatch';
import type { Client } from '../client/client.ts';
import { type LookupAnswers, resolveLookups } from '../client/lookups.ts';
import { readDefaults } from '../client/read.ts';
import type { Records } from '../exporter/reference-lookups.ts';
import type { Kinds } from '../kinds/catalog.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { LiveIndex } from '../kinds/live-objects.ts';
import type { Environment, Project, Secrets } from '../kinds/project.ts';
import { defaultsOf } from '../kinds/read-request.ts';
import type { Resource } from '../kinds/resource.ts';
import { declarerOf, identitiesOf } from '../loader/identities.ts';
import type { Declarations } from '../loader/index.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Diff, type DiffObject, type DiffSide, diffFormat } from '../model/diff.ts';
import { tool } from '../model/documents.ts';
import { ExitCode, Failure, ifFailure } from '../model/failure.ts';
import { worstExitCode } from '../model/fleet.ts';
import type { JsonObject } from '../model/json.ts';
import { type Lookup, lookupKey, lookupMarker } from '../model/marker.ts';
import { isSameTenant } from '../model/network.ts';
import { segmentsOf } from '../model/pointer.ts';
import { fieldsOf, type SideObject } from '../planner/compare-sides.ts';
import {
  addressOf,
  diffPairs,
  type Pair,
  type PairContext,
  pairObjects,
  presentSides,
  type SideContent,
  subjectOf,
} from '../planner/diff.ts';
import { fillLookups, lookupsIn } from '../planner/fill-lookups.ts';
import { fillReferences, referencesIn, resolveReferences } from '../planner/references.ts';
import { checkScope, selectionOf } from './choices.ts';
import { readReferencedRecords, usualKinds } from './export.ts';
import {
  nameDifferences,
  type ReferenceNames,
  readReferenceNames,
  type Stated,
  shareIds,
  writeReferences,
} from './names.ts';
import { readSettledKinds, servedKinds, Unusable } from './reading.ts';
import { readOnlyTenant, type Tenant } from './tenant.ts';
import { undeclarability } from './undeclarable.ts';

export interface DiffOptions {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** The kinds to compare. Left out: those that manifests of a side declare, else all that the API can change. */
  readonly kinds?: readonly string[] | undefined;
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
  { only = [], except = [], kinds: names }: DiffOptions = {},
): Promise<Diff> {
  const sides: Sides = [openSide(sources[0]), openSide(sources[1])];
  const [first, second] = sides;
  checkScope({ only, except, kinds: names }, environmentOf(first.source).kinds);
  const selection = selectionOf({ only, except });
  const { kinds, skipped } = kindsToCompare(sides, only, names);
  const contents = await onBothSides(readSide(first, kinds, second), readSide(second, kinds, first));
  const pairs = pairObjects(contents[0].content, contents[1].content)
    .filter(({ kind }) => kinds.some(({ name }) => name === kind.name))
    .filter((pair) => selection.includes(addressOf(pair)));
  const unusable = contents.map((content) => content.unusable);
  const isSound = (object: SideObject) => unusable.every((each) => each.why(subjectOf(object)) === null);
  const sound = pairs.filter((pair) => presentSides(pair).every(isSound));
  const comparable = await leaveOutUndeclarable(sound, sides);
  const context: PairContext = {
    secrets: [first.source.secrets, second.source.secrets],
    declarations: ({ sides: [one, other] }) => [declaredFields(first, one), declaredFields(second, other)],
  };
  const complete = await addDefaults(comparable, sides, context);
  const { pairs: shared, objects: referred, remarksOn } = await nameIds(complete, sides);
  const { objects, notComparable, summary } = diffPairs(shared, context);
  return {
    formatVersion: diffFormat,
    tool,
    createdAt: new Date().toISOString(),
    sides: [sideOf(first.source), sideOf(second.source)],
    scope: { only, except, kinds: names ?? [] },
    summary,
    objects: nameDifferences(objects, {
      kinds: environmentOf(first.source).kinds,
      objects: referred,
      lookedUp: new Map(),
    }),
    notComparable,
    diagnostics: [
      ...skipped,
      ...selection.findUnmatched(),
      ...unusable
        .flatMap((each) => each.objects())
        .filter(({ subject }) => selection.includes(subject.address))
        .map(({ subject, why }) => notCompared(subject.address, why)),
      ...remarksOn(isDifferent(objects)),
    ],
  };
}

/** Selects the fields that differ in objects that both sides have. */
function isDifferent(objects: readonly DiffObject[]) {
  const fields = new Map(
    objects.map(({ address, diff }) => [address, diff.map(({ path }) => segmentsOf(path)[0])]),
  );
  return ({ address }: Pick<LiveObject, 'address'>, field: string): boolean =>
    fields.get(address)?.includes(field) ?? false;
}

function kindsToCompare(sides: Sides, only: readonly string[], names: readonly string[] | undefined) {
  const { kinds } = environmentOf(sides[0].source);
  const declared = sides.flatMap(({ source }) =>
    source.is === 'manifests' ? source.resources.map(({ kind }) => kind.name) : [],
  );
  const usual = usualKinds(kinds).map(({ name }) => name);
  const isManifests = sides.some(({ source }) => source.is === 'manifests');
  const wanted = new Set(names ?? (isManifests ? declared : usual));
  const inScope = kinds.all.filter(({ name }) => wanted.has(name) && mayMatch(name, only));
  const left = isManifests && names === undefined ? usual.filter((name) => !wanted.has(name)) : [];
  const live = sides.flatMap(({ source }) => (source.is === 'tenant' ? [source.tenant.environment] : []));
  const { served, skipped } = servedKinds(inScope, live);
  return {
    kinds: served,
    skipped: [
      ...skipped.map(({ problem }) => problem),
      ...undeclaredKinds(left.filter((name) => mayMatch(name, only))),
    ],
  };
}

/** True when one of the globs may match an object of a kind: others need not be read. */
function mayMatch(kind: string, only: readonly string[]): boolean {
  if (only.length === 0) return true;
  return only.some((glob) => /[{(]/.test(glob) || picomatch.isMatch(kind, glob.split('/')[0] ?? ''));
}

/** Principle 4 of plans: a kind that no manifest names is not read. */
function undeclaredKinds(names: readonly string[]): Diagnostic[] {
  if (names.length === 0) return [];
  const message = `Not compared, since no manifest declares such objects: ${names.join(', ')}.`;
  return [
    {
      code: 'kinds-not-compared',
      severity: 'info',
      message,
      hint: 'Name them with --kinds to compare them.',
    },
  ];
}

function notCompared(address: Address, why: string): Diagnostic {
  const message = `${address} is not compared: ${why}`;
  return { code: 'not-compared', severity: 'warning', message, address };
}

interface SideContents {
  readonly content: SideContent;
  readonly unusable: Unusable;
}

async function readSide(
  { source, reader }: OpenSide,
  kinds: readonly Kind[],
  { source: other }: OpenSide,
): Promise<SideContents> {
  if (reader === null)
    return { content: { is: 'declared', resources: source.resources }, unusable: new Unusable() };
  const { objects, unusable } = await reader.read(kinds, other.is === 'manifests' ? other.resources : []);
  return { content: { is: 'live', objects }, unusable };
}

function declaredFields({ source }: OpenSide, object: SideObject | null) {
  if (object === null) return {};
  if (object.is === 'declared') return object.resource.fields;
  return source.is === 'tenant' ? source.declarations.fieldsOf(object.live) : {};
}

/** Compared with manifests, an object that no manifest could declare does not count as a difference. */
async function leaveOutUndeclarable(pairs: readonly Pair[], sides: Sides): Promise<readonly Pair[]> {
  const isDeclared = sides.map(({ source }) => source.is === 'manifests');
  if (isDeclared[0] === isDeclared[1]) return pairs;
  const [live] = sides.filter(({ source }) => source.is === 'tenant');
  if (!live) return pairs;
  const why = await undeclarability();
  return pairs.filter((pair) => {
    const [alone, ...others] = presentSides(pair);
    if (alone?.is !== 'live' || others.length > 0) return true;
    return why(alone.live) === null && (alone.live.whyNotExported ?? null) === null;
  });
}

/** If a tenant has only the vendor's default of an object, and that equals the other side, the sides are equal. */
async function addDefaults(
  pairs: readonly Pair[],
  sides: Sides,
  context: PairContext,
): Promise<readonly Pair[]> {
  const defaultsOn = (at: 0 | 1) => {
    const missing = pairs.filter((pair) => pair.sides[at] === null).flatMap(presentSides);
    return sides[at].reader?.defaults(missing.map(subjectOf)) ?? Promise.resolve(null);
  };
  const [inFirst, inSecond] = await onBothSides(defaultsOn(0), defaultsOn(1));
  return pairs.map((pair): Pair => {
    const [first, second] = pair.sides;
    if (first && second) return pair;
    const complete = {
      kind: pair.kind,
      sides: [first ?? standardOf(inFirst, second), second ?? standardOf(inSecond, first)],
    } as const;
    const isEqual = diffPairs([complete], context).objects.length === 0;
    return isEqual ? complete : pair;
  });
}

function standardOf(standards: LiveIndex | null, object: SideObject | null): SideObject | null {
  if (!standards || !object) return null;
  const { kind, key } = subjectOf(object);
  const live = standards.findByKey(kind, key);
  return live && { is: 'live', live };
}

/** Pairs of objects without the ids of one tenant, if there are names for them. */
interface Named extends Pick<ReferenceNames, 'remarksOn'> {
  readonly pairs: readonly Pair[];
  /** If both sides are of one tenant, the objects that their ids belong to. */
  readonly objects: readonly LiveObject[];
}

/** Puts names in the place of ids that belong to one tenant, in the objects that both sides have. */
async function nameIds(pairs: readonly Pair[], sides: Sides): Promise<Named> {
  const both = pairs.filter((pair) => presentSides(pair).length === 2);
  const namesOn = (at: 0 | 1) =>
    sides[at].reader?.names(both.flatMap((pair) => liveOf(pair.sides[at]))) ?? Promise.resolve(noNames);
  const names = await onBothSides(namesOn(0), namesOn(1));
  const reader = sides[0].reader ?? sides[1].reader;
  const filled = reader
    ? await fillDeclared(pairs, reader, environmentOf(sides[0].source).kinds, [
        ...names[0].objects,
        ...names[1].objects,
      ])
    : pairs;
  if (isOneTenant(sides)) {
    const written = mapDeclared(filled, (resource) => ({ ...resource, fields: writeReferences(resource) }));
    return { pairs: written, objects: names.flatMap(({ objects }) => objects), remarksOn: () => [] };
  }
  // The ids in manifests are those of the tenant beside them.
  const tenants = [sides[0].reader ? 0 : 1, sides[1].reader ? 1 : 0] as const;
  const subjectsOn = (at: 0 | 1) =>
    filled
      .filter((pair) => presentSides(pair).length === 2)
      .flatMap((pair) => (tenants[0] === tenants[1] ? presentSides(pair) : (pair.sides[at] ?? [])))
      .map(subjectOf);
  const recordsOn = (at: 0 | 1) => sides[at].reader?.records(subjectsOn(at)) ?? Promise.resolve(new Map());
  const records: readonly [Records, Records] = await onBothSides<Records>(recordsOn(0), recordsOn(1));
  const stateOf = (object: SideObject, at: 0 | 1): Stated => ({
    kind: subjectOf(object).kind,
    fields: fieldsOf(object),
    raw: object.is === 'live' ? object.live.raw : null,
    nameOf: names[tenants[at]].nameOf,
    sources: { records: records[tenants[at]] },
  });
  const shared = filled.map((pair): Pair => {
    const [first, second] = pair.sides;
    if (first === null || second === null) return pair;
    const [before, after] = shareIds([stateOf(first, 0), stateOf(second, 1)]);
    return { ...pair, sides: [replaceFields(first, before), replaceFields(second, after)] };
  });
  const remarksOn: Named['remarksOn'] = (isShown) => names.flatMap((each) => each.remarksOn(isShown));
  return { pairs: shared, objects: [], remarksOn };
}

const noNames: ReferenceNames = { objects: [], nameOf: () => null, remarksOn: () => [] };

/** Fills in what the lookups and references of manifests stand for in the tenant beside them. */
async function fillDeclared(
  pairs: readonly Pair[],
  reader: SideReader,
  kinds: Kinds,
  referred: readonly LiveObject[],
): Promise<readonly Pair[]> {
  const declaredIn = (all: readonly Pair[]) =>
    all.flatMap(presentSides).flatMap((object) => (object.is === 'declared' ? [object.resource] : []));
  if (declaredIn(pairs).length === 0) return pairs;
  const answer = await reader.lookups(declaredIn(pairs));
  const answered = mapDeclared(pairs, (resource) => fillLookups(resource, answer));
  const objects = [...referred, ...pairs.flatMap(presentSides).flatMap(liveOf)];
  const known = { resources: [], objects, isInScope: () => true };
  const references = resolveReferences(referencesIn(declaredIn(answered), kinds), known);
  return mapDeclared(answered, (resource) => fillReferences(resource, references));
}

function mapDeclared(pairs: readonly Pair[], fill: (resource: Resource) => Resource): readonly Pair[] {
  const change = (object: SideObject | null): SideObject | null =>
    object?.is === 'declared' ? { is: 'declared', resource: fill(object.resource) } : object;
  return pairs.map(({ kind, sides: [first, second] }) => ({ kind, sides: [change(first), change(second)] }));
}

const liveOf = (object: SideObject | null): LiveObject[] => (object?.is === 'live' ? [object.live] : []);

function replaceFields(object: SideObject, fields: JsonObject): SideObject {
  return object.is === 'live'
    ? { is: 'live', live: { ...object.live, fields } }
    : { is: 'declared', resource: { ...object.resource, fields } };
}

/** True when the ids of both sides are those of one tenant: it may show another name than a manifest has beside an id. */
function isOneTenant(sides: Sides): boolean {
  if (sides.some(({ source }) => source.is === 'manifests' && !source.isProject)) return false;
  const [first, second] = sides;
  return isSameTenant(environmentOf(first.source).tenant, environmentOf(second.source).tenant);
}

interface TenantSource {
  readonly is: 'tenant';
  readonly name: string;
  readonly tenant: Tenant;
  /** The folder of the project. Reads wait until recent writes of an apply from there show. */
  readonly root: string;
  readonly secrets: Secrets;
  /** Settings that no manifest declares are not shown. */
  readonly declarations: Pick<Declarations, 'fieldsOf'>;
}

interface ManifestSource {
  readonly is: 'manifests';
  readonly name: string;
  /** The environment that they were loaded for. */
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
    fieldsOf: (object) => declarerOf(byIdentity, object)?.fields ?? {},
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
  return { name, is, tenant: source.is === 'tenant' ? source.tenant.client.tenant : null };
}

const environmentOf = (source: DiffSource): Environment =>
  source.is === 'tenant' ? source.tenant.environment : source.environment;

/** Reads the tenant of a side; equal requests are sent once. Each function throws a Failure that names the side. */
function readerOf({ tenant, root, name }: TenantSource) {
  const reader = readOnlyTenant(tenant);
  const { client } = reader;
  const { kinds } = tenant.environment;
  const whose = { kinds, called: `the tenant of ${name}` };
  return {
    /** All objects of these kinds, and those that are declared. */
    read: (all: readonly Kind[], declared: readonly Resource[]) =>
      nameSide(name, readSettledKinds(root, reader, all, { declared })),
    /** The vendor's defaults of these keys. */
    defaults: async (missing: readonly Pick<LiveObject, 'kind' | 'key'>[]) =>
      new LiveIndex(await nameSide(name, readDefaults(client, defaultsOf(missing)))),
    /** The records that ids in these objects may refer to. */
    records: (objects: readonly Pick<LiveObject, 'kind' | 'fields'>[]) =>
      nameSide(name, readReferencedRecords(client, objects)),
    names: (objects: readonly LiveObject[]) => nameSide(name, readReferenceNames(client, objects, whose)),
    /** A lookup that finds nothing stays as it is. */
    lookups: (resources: readonly Resource[]) => nameSide(name, answersOf(client, lookupsIn(resources))),
  };
}

type SideReader = ReturnType<typeof readerOf>;

/** Codes of lookups for which a tenant has no record. */
const unanswered = ['lookup-none', 'lookup-ambiguous', 'lookup-no-field'];

async function answersOf(client: Client, lookups: readonly Lookup[]): Promise<LookupAnswers> {
  try {
    return await resolveLookups(client, lookups);
  } catch (error) {
    if (!(error instanceof Failure) || !error.diagnostics.every(({ code }) => unanswered.includes(code)))
      throw error;
    if (lookups.length < 2) return lookupMarker;
    // One by one, to know which of them have an answer.
    const answers = await Promise.all(
      lookups.map(async (lookup) => {
        return [lookupKey(lookup), (await answersOf(client, [lookup]))(lookup)] as const;
      }),
    );
    const known = new Map(answers);
    return (lookup) => known.get(lookupKey(lookup)) ?? lookupMarker(lookup);
  }
}

function nameSide<T>(name: string, work: Promise<T>): Promise<T> {
  return work.catch(
    ifFailure(({ diagnostics, exitCode }) => {
      const ofSide = diagnostics.map((each) => ({ ...each, message: `${name}: ${each.message}` }));
      throw new Failure(ofSide, exitCode);
    }),
  );
}

/** Returns the results of both sides. Throws one Failure with the problems of each. */
async function onBothSides<T>(first: Promise<T>, second: Promise<T>): Promise<[T, T]> {
  const settled = await Promise.allSettled([first, second]);
  const errors = settled.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  if (errors.length === 0) return Promise.all([first, second]);
  const failures = errors.map((error) => {
    // Any other error is a bug in the program, and must show as one.
    if (!(error instanceof Failure)) throw error;
    return error;
  });
  throw new Failure(
    failures.flatMap(({ diagnostics }) => diagnostics),
    worstExitCode(failures.map(({ exitCode }) => exitCode)) || ExitCode.couldNotRun,
  );
}

type OpenSide =
  | { readonly source: TenantSource; readonly reader: SideReader }
  | { readonly source: ManifestSource; readonly reader: null };

const openSide = (source: DiffSource): OpenSide =>
  source.is === 'tenant' ? { source, reader: readerOf(source) } : { source, reader: null };

type Sides = readonly [OpenSide, OpenSide];
