import picomatch from 'picomatch';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import type { LiveIndex } from '../kinds/live-objects.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Diff, type DiffObject, diffFormat } from '../model/diff.ts';
import { segmentsOf } from '../model/pointer.ts';
import { tool } from '../model/version.ts';
import { compareSides, type SideObject } from '../planner/compare-sides.ts';
import {
  addressOf,
  diffPairs,
  type Pair,
  pairObjects,
  presentSides,
  type SideContent,
  subjectOf,
} from '../planner/diff.ts';
import { checkScope, selectionOf } from './choices.ts';
import { nameIds } from './diff-names.ts';
import {
  type DiffSource,
  environmentOf,
  type OpenSide,
  onBothSides,
  openSide,
  type Sides,
  sideOf,
} from './diff-sides.ts';
import { usualKinds } from './export.ts';
import { nameDifferences } from './names.ts';
import { servedKinds, Unusable } from './reading.ts';
import { undeclarability } from './undeclarable.ts';

export { type DiffSource, manifestSide, tenantSide } from './diff-sides.ts';

/** What to compare. */
export interface DiffOptions {
  /** Globs of addresses. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** The kinds to compare. Left out: those that manifests of a side declare, else all that the API can change. */
  readonly kinds?: readonly string[] | undefined;
}

/**
 * What differs between two tenants, a tenant and manifests, or two sets of manifests, in the terms of manifests. Both
 * sides are read at once; nothing is written. Ids of records are compared by the names they stand for where both sides show
 * one. Throws a Failure for options that make no sense, and where a side cannot be read: its message names the side.
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
  const complete = await addDefaults(comparable, sides);
  const { pairs: shared, objects: referred, remarksOn } = await nameIds(complete, sides);
  const { objects, notComparable, summary } = diffPairs(shared, {
    secrets: [first.source.secrets, second.source.secrets],
    declarations: ({ sides }) => [declaredFields(first, sides[0]), declaredFields(second, sides[1])],
  });
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

/** Whether a field of an object that both sides have differs. */
function isDifferent(objects: readonly DiffObject[]) {
  const fields = new Map(
    objects.map(({ address, diff }) => [address, diff.map(({ path }) => segmentsOf(path)[0])]),
  );
  return ({ address }: Pick<LiveObject, 'address'>, field: string): boolean =>
    fields.get(address)?.includes(field) ?? false;
}

/** The kinds that are compared, and remarks on those that a tenant does not serve. */
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

/** Whether one of the globs may match an object of a kind: others need not be read. */
function mayMatch(kind: string, only: readonly string[]): boolean {
  if (only.length === 0) return true;
  return only.some((glob) => /[{(]/.test(glob) || picomatch.isMatch(kind, glob.split('/')[0] ?? ''));
}

/** A remark on kinds that no manifest names: principle 4 of plans, "a kind that no manifest names is not read". */
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

/** What the manifests of a side declare of an object. */
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
  const why = await undeclarability(environmentOf(live.source).settings);
  return pairs.filter((pair) => {
    const [alone, ...others] = presentSides(pair);
    if (alone?.is !== 'live' || others.length > 0) return true;
    return why(alone.live) === null && (alone.live.kind.whyNotExported?.(alone.live.raw) ?? null) === null;
  });
}

/** Where a tenant has only the vendor's default of an object, and that equals the other side, the sides are equal. */
async function addDefaults(pairs: readonly Pair[], sides: Sides): Promise<readonly Pair[]> {
  const missing = (at: 0 | 1) =>
    pairs
      .filter((pair) => pair.sides[at] === null)
      .flatMap(presentSides)
      .map(subjectOf);
  const [inFirst, inSecond] = await onBothSides(
    sides[0].reader?.defaults(missing(0)) ?? Promise.resolve(null),
    sides[1].reader?.defaults(missing(1)) ?? Promise.resolve(null),
  );
  const secrets = [sides[0].source.secrets, sides[1].source.secrets] as const;
  return pairs.map((pair): Pair => {
    const { kind, sides: own } = pair;
    const first = own[0] ?? standardOf(inFirst, own[1]);
    const second = own[1] ?? standardOf(inSecond, own[0]);
    if (first === null || second === null) return pair;
    const { differences } = compareSides({ kind, objects: [first, second], secrets });
    return differences.length === 0 ? { kind, sides: [first, second] } : pair;
  });
}

function standardOf(standards: LiveIndex | null, object: SideObject | null): SideObject | null {
  if (!standards || !object) return null;
  const { kind, key } = subjectOf(object);
  const live = standards.findByKey(kind, key);
  return live && { is: 'live', live };
}
