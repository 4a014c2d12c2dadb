import { dropNulls } from '../kinds/compare.ts';
import { isDeclaredByMember, readableFields } from '../kinds/field.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import type { Secrets } from '../kinds/project.ts';
import { type IsSensitive, secretPlaces, sensitivePlaces, withDeclared } from '../kinds/redact.ts';
import type { Resource } from '../kinds/resource.ts';
import { isArray, isObject, type Json, type JsonObject, mapMembers } from '../model/json.ts';
import { secretName } from '../model/marker.ts';
import { type Pointer, placesAbove, segmentsOf, valueAt, withValueAt } from '../model/pointer.ts';
import { type Comparison, compare, differencesBetween, mirror, unseenInPlan } from './change.ts';

/** What a tenant has of an object, or what a manifest declares of it. */
export type SideObject =
  | { readonly is: 'live'; readonly live: LiveObject }
  | { readonly is: 'declared'; readonly resource: Resource };

/** An object on both sides. */
export interface Both {
  readonly kind: Kind;
  readonly objects: readonly [SideObject, SideObject];
  /** What compares and reveals the secrets of each side. */
  readonly secrets: readonly [Secrets, Secrets];
}

/** How an object differs: the first side is `before`, the second one `after`. */
type SidesCompared = Pick<Comparison, 'differences' | 'notComparable'>;

/**
 * How an object differs between two sides. A tenant is compared with a manifest as a plan does it: what the manifest leaves
 * out is not compared. Two tenants, and two manifests, are compared in all their fields.
 */
export function compareSides({ kind, objects: [first, second], secrets }: Both): SidesCompared {
  if (first.is === 'live' && second.is === 'declared')
    return compareWithManifest(kind, first.live, second.resource, secrets[1]);
  if (first.is === 'declared' && second.is === 'live') {
    const { differences, notComparable } = compareWithManifest(kind, second.live, first.resource, secrets[0]);
    return { differences: differences.map(mirror), notComparable };
  }
  const sides = [membersOf(kind, first), membersOf(kind, second)] as const;
  const left = leaveOut(sides, compareSecrets(sides, secrets), findHidden(sides, [first, second]));
  return { differences: differencesBetween(kind, ...left.sides), notComparable: left.places };
}

/** What must not be shown of an object, whichever side it comes from. */
export function sensitiveOnSides(
  kind: Kind,
  objects: readonly SideObject[],
  declarations: readonly JsonObject[],
): IsSensitive {
  const fields = objects.map((object) => readableOf(kind, object));
  const declared = declarations.map((each) => readableFields(kind, each));
  const hidden = objects.flatMap((object) => hiddenPlaces(object)).filter((at) => segmentsOf(at).length > 1);
  const overlaid = objects.flatMap((object) => (object.is === 'declared' ? object.resource.secrets() : []));
  const marked = [...[...fields, ...declared].flatMap((each) => secretPlaces(each)), ...overlaid, ...hidden];
  const merged = declared.flatMap((one) => fields.map((below) => withDeclared(kind, one, below)));
  return sensitivePlaces(kind, { marked, declared, values: [...fields, ...declared, ...merged] });
}

export const fieldsOf = (object: SideObject): JsonObject =>
  object.is === 'live' ? object.live.fields : object.resource.fields;

const readableOf = (kind: Kind, object: SideObject): JsonObject => readableFields(kind, fieldsOf(object));

/** The fields of a side, without members that a tenant shows as null: a manifest that says null removes the member. */
function membersOf(kind: Kind, object: SideObject): JsonObject {
  const fields = readableOf(kind, object);
  if (object.is === 'declared') return fields;
  return mapMembers(fields, (value, name) => {
    return isDeclaredByMember(kind.fields[name]) && isObject(value) ? dropNulls(value) : value;
  });
}

const hiddenPlaces = (object: SideObject): readonly Pointer[] =>
  object.is === 'live' ? object.live.hidden : [];

function compareWithManifest(
  kind: Kind,
  live: LiveObject,
  resource: Resource,
  secrets: Secrets,
): SidesCompared {
  const unset = secretPlaces(readableFields(kind, resource.fields)).filter((at) => {
    const name = secretName(valueAt(resource.fields, at));
    return name !== null && secrets.problem(name) !== null;
  });
  // A secret whose text is not known cannot be compared, as if the tenant hid it.
  const below = unset.length === 0 ? live : { ...live, hidden: [...live.hidden, ...unset] };
  return compare({ kind, resource, live: below }, below, unseenInPlan(secrets, false));
}

/** Two objects of the same sort, with JSON fields parsed. */
type Fields = readonly [JsonObject, JsonObject];

/** The places that one of the sides hides and at least one has a value at. */
function findHidden(sides: Fields, objects: readonly SideObject[]): Pointer[] {
  // Items of a list have no names to find them by.
  const isList = (at: Pointer) => sides.some((side) => isArray(valueAt(side, at)));
  const places = objects.flatMap(hiddenPlaces).map((at) => placesAbove(at).find(isList) ?? at);
  return [...new Set(places)].filter((at) => sides.some((side) => (valueAt(side, at) ?? null) !== null));
}

/** What is known of the secrets that two manifests declare at the same places: which are equal, and which cannot be compared. */
interface SecretsCompared {
  readonly equal: readonly Pointer[];
  readonly unknown: readonly Pointer[];
}

function compareSecrets(sides: Fields, secrets: readonly [Secrets, Secrets]): SecretsCompared {
  const [equal, unknown]: [Pointer[], Pointer[]] = [[], []];
  for (const at of new Set(sides.flatMap((side) => secretPlaces(side)))) {
    const [first, second] = sides.map((side) => valueAt(side, at) ?? null);
    const texts = [textOf(first, secrets[0]), textOf(second, secrets[1])];
    if (first === null || second === null || secretName(first) === secretName(second)) continue;
    if (texts.includes(null)) unknown.push(at);
    else if (texts[0] === texts[1]) equal.push(at);
  }
  return { equal, unknown };
}

/** The text of a secret or of a plain value; `null` where it is not known. */
function textOf(value: Json | undefined, secrets: Secrets): string | null {
  const name = secretName(value);
  if (name === null) return typeof value === 'string' ? value : null;
  return secrets.problem(name) === null ? secrets.reveal(name) : null;
}

function leaveOut(sides: Fields, { equal, unknown }: SecretsCompared, hidden: readonly Pointer[]) {
  const places = [...new Set([...hidden, ...unknown])];
  const without = (side: JsonObject) =>
    [...places, ...equal].reduce((fields, at) => withValueAt(fields, at, undefined), side);
  return { places, sides: [without(sides[0]), without(sides[1])] as const };
}
