import { differencesBetween, dropNulls, mirror } from '../kinds/compare.ts';
import { isDeclaredByMember, readableFields } from '../kinds/field.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { identityOf, LiveIndex } from '../kinds/live-objects.ts';
import type { Secrets } from '../kinds/project.ts';
import { redactDifference, sensitivePlaces, withDeclared } from '../kinds/redact.ts';
import type { Resource } from '../kinds/resource.ts';
import { byAddress } from '../model/address.ts';
import type { Diff, DiffObject } from '../model/documents.ts';
import { isArray, isObject, type JsonObject, mapMembers } from '../model/json.ts';
import { secretName, secretPlaces } from '../model/marker.ts';
import { type Pointer, placesAbove, segmentsOf, valueAt, withValueAt } from '../model/pointer.ts';
import { compare } from './change.ts';

type SideObject = LiveSide | DeclaredSide;

interface LiveSide extends LiveObject {
  readonly is: 'live';
  /** Its declarations on its side: other settings are not shown. */
  declares(): Pick<Resource, 'fields' | 'secrets'>;
}

interface DeclaredSide extends Resource {
  readonly is: 'declared';
}

interface ObjectPair {
  readonly kind: Kind;
  /** The object on the first and on the second side; `null` if a side does not have it. */
  readonly sides: readonly [SideObject | null, SideObject | null];
}

export function presentSides({ sides }: ObjectPair): SideObject[] {
  return sides.filter((object) => object !== null);
}

/** Every object beside that of the other side. Manifests find theirs by the pinned id, the key, or the former key. */
export function pairObjects(first: readonly SideObject[], second: readonly SideObject[]): ObjectPair[] {
  const isLive = (objects: readonly SideObject[]) => objects.some(({ is }) => is === 'live');
  if (isLive(first) && !isLive(second))
    return pairObjects(second, first).map(({ kind, sides: [one, other] }) => ({ kind, sides: [other, one] }));
  const byIdentity = new Map(second.map((object) => [identityOf(object.kind, object.key), object]));
  const index = new LiveIndex(second.filter((object) => object.is === 'live'));
  const left = new Set(second);
  return [
    ...first.map((object): ObjectPair => {
      const same = object.is === 'declared' && isLive(second) ? index.find(object) : object;
      const other = (same && byIdentity.get(identityOf(same.kind, same.key))) ?? null;
      if (other) left.delete(other);
      return { kind: object.kind, sides: [object, other] };
    }),
    ...[...left].map((object): ObjectPair => ({ kind: object.kind, sides: [null, object] })),
  ];
}

/** The object that a pair is named by: its manifest, else the first in the alphabet, so that both directions have the same. */
export function leadOf(pair: ObjectPair): Pick<SideObject, 'address' | 'key'> {
  const objects = presentSides(pair);
  const declared = objects.filter(isDeclared);
  return (declared.length > 0 ? declared : objects).toSorted(byAddress)[0] ?? { address: '', key: [] };
}

const isDeclared = (object: SideObject): object is DeclaredSide => object.is === 'declared';

export function diffPairs(
  pairs: readonly ObjectPair[],
  secrets: readonly [Secrets, Secrets],
): Pick<Diff, 'objects' | 'notComparable' | 'summary'> {
  const compared = pairs.map((pair) => diffPair(pair, secrets));
  const objects = compared.flatMap(({ object }) => object ?? []).toSorted(byAddress);
  const notComparable = compared.flatMap(({ notCompared }) => notCompared ?? []).toSorted(byAddress);
  const counts = { both: 0, first: 0, second: 0 };
  for (const object of objects) counts[object.in] += 1;
  return {
    objects,
    notComparable,
    summary: {
      differing: counts.both,
      onlyFirst: counts.first,
      onlySecond: counts.second,
      equal: pairs.length - objects.length,
      notComparable: notComparable.length,
    },
  };
}

/** `notCompared`: values that one of the sides does not show, or whose secret is not set. */
function diffPair(pair: ObjectPair, secrets: readonly [Secrets, Secrets]) {
  const { kind } = pair;
  const [first, second] = pair.sides;
  const { differences, notComparable } =
    first && second ? compareSides(kind, [first, second], secrets) : { differences: [], notComparable: [] };
  const present = presentSides(pair);
  const isSensitive = differences.length === 0 ? () => true : sensitiveOnSides(kind, present);
  const diff = differences.map((entry) => {
    const { origin: _origin, ...shown } = redactDifference(entry, isSensitive);
    return shown;
  });
  const paths = [...new Set(notComparable)].toSorted();
  const { address, key } = leadOf(pair);
  const { file, line } = present.findLast(isDeclared)?.source() ?? {};
  const source = file === undefined || line === undefined ? null : { file, line };
  const where = first === null ? 'second' : second === null ? 'first' : 'both';
  const object: DiffObject = { address, kind: kind.name, key, in: where, source, diff };
  return {
    object: where === 'both' && diff.length === 0 ? null : object,
    notCompared: paths.length === 0 ? null : { address, paths },
  };
}

/** A tenant and a manifest are compared as in a plan: omitted fields do not count. Otherwise all fields are compared. */
function compareSides(
  kind: Kind,
  [first, second]: readonly [SideObject, SideObject],
  secrets: readonly [Secrets, Secrets],
) {
  if (first.is === 'live' && second.is === 'declared')
    return compareWithManifest(kind, first, second, secrets[1]);
  if (first.is === 'declared' && second.is === 'live') {
    const { differences, notComparable } = compareWithManifest(kind, second, first, secrets[0]);
    return { differences: differences.map(mirror), notComparable };
  }
  const sides = [membersOf(kind, first), membersOf(kind, second)] as const;
  const { equal, unknown } = compareSecrets(sides, secrets);
  const notComparable = [...new Set([...findHidden(sides, [first, second]), ...unknown])];
  const without = (side: JsonObject) =>
    [...notComparable, ...equal].reduce((fields, at) => withValueAt(fields, at, undefined), side);
  return { differences: differencesBetween(kind, without(sides[0]), without(sides[1])), notComparable };
}

function compareWithManifest(kind: Kind, live: LiveObject, resource: Resource, secrets: Secrets) {
  const unset = secretPlaces(readableFields(kind, resource.fields)).filter((at) => {
    const name = secretName(valueAt(resource.fields, at));
    return name !== null && secrets.problem(name) !== null;
  });
  // A secret whose text is not known cannot be compared, as if the tenant hid it.
  const below = unset.length === 0 ? live : { ...live, hidden: [...live.hidden, ...unset] };
  return compare({ kind, resource, live: below }, below, { secrets, left: true });
}

function sensitiveOnSides(kind: Kind, objects: readonly SideObject[]) {
  const fields = objects.map((object) => readableFields(kind, object.fields));
  const declarations = objects.map((object) => (object.is === 'live' ? object.declares() : object));
  const declared = declarations.map((each) => readableFields(kind, each.fields));
  const hidden = objects.flatMap(hiddenPlaces).filter((at) => segmentsOf(at).length > 1);
  const overlaid = declarations.flatMap((each) => each.secrets());
  const marked = [...[...fields, ...declared].flatMap((each) => secretPlaces(each)), ...overlaid, ...hidden];
  const merged = declared.flatMap((one) => fields.map((below) => withDeclared(kind, one, below)));
  return sensitivePlaces(kind, { marked, declared, values: [...fields, ...declared, ...merged] });
}

/** The fields of a side, without members that a tenant shows as null: a manifest that says null removes the member. */
function membersOf(kind: Kind, object: SideObject): JsonObject {
  const fields = readableFields(kind, object.fields);
  if (object.is === 'declared') return fields;
  return mapMembers(fields, (value, name) => {
    return isDeclaredByMember(kind.fields[name]) && isObject(value) ? dropNulls(value) : value;
  });
}

const hiddenPlaces = (object: SideObject): readonly Pointer[] => (object.is === 'live' ? object.hidden : []);

type Fields = readonly [JsonObject, JsonObject];

/** The places that one of the sides hides and at least one has a value at. */
function findHidden(sides: Fields, objects: readonly SideObject[]): Pointer[] {
  // Items of a list have no names to find them by.
  const places = objects
    .flatMap(hiddenPlaces)
    .map((at) => placesAbove(at).find((above) => sides.some((side) => isArray(valueAt(side, above)))) ?? at);
  return places.filter((at) => sides.some((side) => (valueAt(side, at) ?? null) !== null));
}

function compareSecrets(sides: Fields, secrets: readonly [Secrets, Secrets]) {
  const [equal, unknown]: [Pointer[], Pointer[]] = [[], []];
  for (const at of new Set(sides.flatMap((side) => secretPlaces(side)))) {
    const [first = null, second = null] = sides.map((side) => valueAt(side, at));
    if (first === null || second === null || secretName(first) === secretName(second)) continue;
    const [one, other] = [first, second].map((value, side) => {
      const name = secretName(value);
      if (name === null) return typeof value === 'string' ? value : null;
      return secrets[side]?.problem(name) === null ? secrets[side].reveal(name) : null;
    });
    if (one === null || other === null) unknown.push(at);
    else if (one === other) equal.push(at);
  }
  return { equal, unknown };
}
