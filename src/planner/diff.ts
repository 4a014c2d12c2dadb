import type { FieldDifference } from '../kinds/compare.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { identityOf, LiveIndex } from '../kinds/live-objects.ts';
import type { Secrets } from '../kinds/project.ts';
import { redactDifference } from '../kinds/redact.ts';
import type { Resource } from '../kinds/resource.ts';
import { type Address, byAddress } from '../model/address.ts';
import type { DiffObject, DiffSummary, NotCompared } from '../model/diff.ts';
import type { JsonObject } from '../model/json.ts';
import { compareSides, type SideObject, sensitiveOnSides } from './compare-sides.ts';

/** What one side of a diff has. */
export type SideContent =
  | { readonly is: 'live'; readonly objects: readonly LiveObject[] }
  | { readonly is: 'declared'; readonly resources: readonly Resource[] };

/** An object on both sides. */
export interface Pair {
  readonly kind: Kind;
  /** The object on the first and on the second side; `null` where a side does not have it. */
  readonly sides: readonly [SideObject | null, SideObject | null];
}

/** The object of a pair on each side that has it. */
export function presentSides({ sides }: Pair): SideObject[] {
  return sides.filter((object) => object !== null);
}

/** Every object that one of the sides has, beside the same object of the other one. */
export function pairObjects(first: SideContent, second: SideContent): Pair[] {
  if (first.is === 'live' && second.is === 'declared') return pairDeclared(first, second);
  if (first.is === 'declared' && second.is === 'live')
    return pairDeclared(second, first).map(({ kind, sides: [live, declared] }) => ({
      kind,
      sides: [declared, live],
    }));
  const others = new Map(objectsOf(second).map((object) => [identityIn(object), object]));
  const pairs = objectsOf(first).map((object): Pair => {
    const identity = identityIn(object);
    const other = others.get(identity) ?? null;
    others.delete(identity);
    return { kind: subjectOf(object).kind, sides: [object, other] };
  });
  const left = [...others.values()].map(
    (object): Pair => ({ kind: subjectOf(object).kind, sides: [null, object] }),
  );
  return [...pairs, ...left];
}

/** The objects of a tenant with their manifests, as a plan finds them: by the pinned id, the key, or the former key. */
function pairDeclared(
  { objects }: Extract<SideContent, { is: 'live' }>,
  { resources }: Extract<SideContent, { is: 'declared' }>,
): Pair[] {
  const index = new LiveIndex(objects);
  const left = new Set(objects);
  const declared = resources.map((resource): Pair => {
    const live = index.find(resource);
    if (live) left.delete(live);
    return { kind: resource.kind, sides: [live && { is: 'live', live }, presentIn(resource)] };
  });
  const undeclared = [...left].map(
    (live): Pair => ({ kind: live.kind, sides: [{ is: 'live', live }, null] }),
  );
  return [...declared, ...undeclared].filter((pair) => presentSides(pair).length > 0);
}

/** A manifest that declares an object absent says that there is none. */
const presentIn = (resource: Resource): SideObject | null =>
  resource.ensure === 'present' ? { is: 'declared', resource } : null;

function objectsOf(content: SideContent): SideObject[] {
  return content.is === 'live'
    ? content.objects.map((live) => ({ is: 'live', live }))
    : content.resources.flatMap((resource) => presentIn(resource) ?? []);
}

/** What every object of a side has, declared or live. */
export function subjectOf(object: SideObject): LiveObject | Resource {
  return object.is === 'live' ? object.live : object.resource;
}

function identityIn(object: SideObject): string {
  const { kind, key } = subjectOf(object);
  return identityOf(kind, key);
}

/** The address of a pair: that of its manifest, else the first in the alphabet, so that both directions have the same. */
export function addressOf(pair: Pair): Address {
  return leadOf(pair)?.address ?? '';
}

function leadOf(pair: Pair) {
  const objects = presentSides(pair);
  const declared = objects.filter(({ is }) => is === 'declared');
  const [lead] = (declared.length > 0 ? declared : objects).map(subjectOf).toSorted(byAddress);
  return lead;
}

/** What a pair is compared with. */
export interface PairContext {
  readonly secrets: readonly [Secrets, Secrets];
  /** What the manifests of both sides declare of an object: other settings are not shown. */
  declarations(pair: Pair): readonly JsonObject[];
}

export interface Compared {
  readonly objects: readonly DiffObject[];
  readonly notComparable: readonly NotCompared[];
  readonly summary: DiffSummary;
}

/** How the sides differ, object by object. Pure. */
export function diffPairs(pairs: readonly Pair[], context: PairContext): Compared {
  const compared = pairs.map((pair) => diffPair(pair, context));
  const objects = compared.flatMap(({ object }) => object ?? []).toSorted(byAddress);
  const notComparable = compared.flatMap(({ notCompared }) => notCompared ?? []).toSorted(byAddress);
  const count = (where: DiffObject['in']) => objects.filter((object) => object.in === where).length;
  return {
    objects,
    notComparable,
    summary: {
      differing: count('both'),
      onlyFirst: count('first'),
      onlySecond: count('second'),
      equal: pairs.length - objects.length,
      notComparable: notComparable.length,
    },
  };
}

interface PairCompared {
  readonly object: DiffObject | null;
  readonly notCompared: NotCompared | null;
}

function diffPair(pair: Pair, context: PairContext): PairCompared {
  const { kind } = pair;
  const [first, second] = pair.sides;
  if (first === null || second === null) {
    return { object: describePair(pair, first === null ? 'second' : 'first', []), notCompared: null };
  }
  const { differences, notComparable } = compareSides({
    kind,
    objects: [first, second],
    secrets: context.secrets,
  });
  const paths = [...new Set(notComparable)].toSorted();
  return {
    object:
      differences.length === 0 ? null : describePair(pair, 'both', redactAll(pair, differences, context)),
    notCompared: paths.length === 0 ? null : { address: addressOf(pair), paths },
  };
}

function redactAll(
  pair: Pair,
  differences: readonly FieldDifference[],
  { declarations }: PairContext,
): DiffObject['diff'] {
  const isSensitive = sensitiveOnSides(pair.kind, presentSides(pair), declarations(pair));
  return differences.map((entry) => {
    const { origin: _origin, ...shown } = redactDifference(entry, isSensitive);
    return shown;
  });
}

function describePair(pair: Pair, where: DiffObject['in'], diff: DiffObject['diff']): DiffObject {
  const lead = leadOf(pair);
  const declared = presentSides(pair).findLast(({ is }) => is === 'declared');
  const source = declared?.is === 'declared' ? declared.resource.source() : null;
  return {
    address: lead?.address ?? '',
    kind: pair.kind.name,
    key: lead?.key ?? [],
    in: where,
    source: source && { file: source.file, line: source.line },
    diff,
  };
}
