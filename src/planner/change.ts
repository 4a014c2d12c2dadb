import { compareField, type FieldDifference } from '../kinds/compare.ts';
import { overlay, readableFields } from '../kinds/field.ts';
import type { Field, Kind, LiveObject, Write, WriteInput } from '../kinds/kind.ts';
import { risksOf } from '../kinds/operation.ts';
import type { Secrets } from '../kinds/project.ts';
import { type IsSensitive, markUnchanged, redact, secretPlaces, sensitivePlaces } from '../kinds/redact.ts';
import type { Resource } from '../kinds/resource.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  own,
  pick,
  sameJson,
} from '../model/json.ts';
import { literal, livePlace, secretName } from '../model/marker.ts';
import type { Action, Change, Difference } from '../model/plan.ts';
import { type Pointer, pointer, segmentsOf, valueAt, withValueAt } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';
import type { Deletion } from './deletes.ts';
import { isRename, type Match } from './match.ts';

/** The outcome of a comparison: a change or none, and what could not be compared. */
export interface Outcome {
  readonly change: Change | null;
  readonly notComparable: readonly Pointer[];
}

export interface ChangeContext {
  readonly settings: ApiSettings;
  readonly secrets: Secrets;
  /** Write secrets and hidden values in any case. */
  readonly rotate: boolean;
}

/**
 * How a declared object differs from the live one, and the requests that make them equal.
 *
 * @param base the vendor's default that a new object is based on, where there is one
 */
export function changeFor(match: Match, base: LiveObject | null, context: ChangeContext): Outcome {
  const below = match.live ?? base;
  const compared = compare(match, below, context);
  const { differences: found, notComparable } = compared;
  if (below && found.length === 0) return { change: null, notComparable };
  return { change: writeChange(match, below, compared, context.settings), notComparable };
}

/** What a manifest declares, with JSON fields parsed, as the tenant has it in its fields. */
export function declaredFields(kind: Kind, fields: JsonObject, live: LiveObject | null): JsonObject {
  const readable = readableFields(kind, fields);
  return live && kind.arrange ? kind.arrange(readable, live) : readable;
}

/** The two sides of a comparison, with JSON fields parsed, and their differences. */
export interface Comparison {
  /** What the manifest declares; ignored fields have their live values. */
  readonly declared: JsonObject;
  readonly current: JsonObject;
  readonly differences: readonly FieldDifference[];
  readonly notComparable: readonly Pointer[];
}

/**
 * What a manifest declares beside what the tenant has.
 *
 * @param below the live object, or the vendor's default where there is none
 */
export function compare(
  match: Match,
  below: LiveObject | null,
  { secrets, rotate }: Pick<ChangeContext, 'secrets' | 'rotate'>,
): Comparison {
  const { kind, resource, live } = match;
  const current = readableFields(kind, below?.fields ?? {});
  const hidden = below?.hidden ?? [];
  const ignore = live ? resource.lifecycle.ignore : [];
  const declared = fillIgnored(declaredFields(kind, resource.fields, below), current, ignore);
  const comparable =
    live && !rotate
      ? assumeHidden(declared, { fields: current, hidden }, secrets)
      : { fields: declared, notComparable: [] };
  const renamed = isRename(match) ? [keyDifference(kind, resource, live)] : [];
  return {
    declared,
    current,
    differences: [...renamed, ...differences(kind, comparable.fields, current)],
    notComparable: comparable.notComparable,
  };
}

function writeChange(
  { kind, resource, live }: Match,
  below: LiveObject | null,
  { declared, current, differences: found }: Comparison,
  settings: ApiSettings,
): Change {
  // From the manifest itself: in `declared`, an ignored field has its live value, but it is still secret.
  const written = declaredFields(kind, resource.fields, below);
  const isSensitive = sensitiveIn(kind, below, written);
  const fields = overlayFields(kind, declared, below?.fields ?? {});
  const input: WriteInput = {
    key: resource.key,
    fields: live ? markUnchanged(fields, current, isSensitive) : fields,
    changed: new Set(found.flatMap(({ path }) => segmentsOf(path).slice(0, 1))),
    live,
    settings,
  };
  const write = live ? kind.update({ ...input, live }) : kind.create(input);
  const built = buildChange(live ? 'update' : 'create', kind, write, {
    key: resource.key,
    address: resource.address,
    source: { file: resource.source.file, line: resource.source.line },
    live: below,
    differences: found,
    declared: written,
    settings,
  });
  const change = { ...built, diff: built.diff.map((entry) => ({ ...entry, ...overlayOf(entry, resource) })) };
  return kind.defaults && !below ? { ...change, warnings: [...change.warnings, withoutDefault] } : change;
}

/** The overlay that sets the value of a difference. */
function overlayOf({ path }: Difference, resource: Resource): Pick<Difference, 'overlay'> {
  const place = resource.overlayAt(path);
  return place ? { overlay: { file: place.file, line: place.line } } : {};
}

/** A default of another locale does not count: the locale may be a typo. */
const withoutDefault =
  'The vendor has no default for exactly this object: fields that the manifest leaves out stay empty.';

/** What must not be shown of an object. A field that is hidden as a whole is not secret, only not shown. */
export function sensitiveIn(kind: Kind, live: LiveObject | null, declared: JsonObject): IsSensitive {
  const hiddenMembers = (live?.hidden ?? []).filter((at) => segmentsOf(at).length > 1);
  return sensitivePlaces(kind, {
    marked: [...secretPlaces(declared), ...hiddenMembers],
    declared,
    values: [declared, readableFields(kind, live?.fields ?? {})],
  });
}

/**
 * The delete of a live object, or the manual step where the API has none.
 *
 * @param base the vendor's default that replaces it, where there is one
 */
export function deletionOf(
  { live, source, declared }: Deletion,
  base: LiveObject | null,
  settings: ApiSettings,
): Change {
  const { kind } = live;
  const input = { key: live.key, fields: live.fields, changed: new Set<string>(), live, settings };
  const left = pick(base?.fields ?? {}, Object.keys(kind.fields));
  return buildChange('delete', kind, kind.remove(input), {
    key: live.key,
    address: live.address,
    source,
    live,
    differences: differences(kind, left, readableFields(kind, live.fields)),
    declared: declaredFields(kind, declared, live),
    settings,
  });
}

interface ChangeParts extends Pick<Change, 'key' | 'address' | 'source'> {
  readonly live: LiveObject | null;
  readonly differences: readonly FieldDifference[];
  readonly settings: ApiSettings;
  /** What a manifest declares of the object, with JSON in text parsed. */
  readonly declared: JsonObject;
}

function buildChange(
  action: Exclude<Action, 'manual'>,
  kind: Kind,
  write: Write,
  { live, differences: found, declared, settings, ...parts }: ChangeParts,
): Change {
  const secrets = secretPlaces(declared);
  const isSensitive = sensitiveIn(kind, live, declared);
  const common = {
    ...parts,
    diff: found.map((entry) => redactDifference(entry, isSensitive)),
    ...(secrets.length > 0 ? { secrets } : {}),
    kind: kind.name,
    id: live?.id ?? null,
    fingerprint: live?.fingerprint ?? null,
  };
  if ('manual' in write)
    return { ...common, action: 'manual', requests: [], warnings: [write.manual], risk: [] };
  const { requests, warnings = [] } = write;
  const risk = risksOf(kind.operations[action], { id: common.id, requests }, settings);
  return { ...common, action, requests, warnings, risk };
}

export function differences(kind: Kind, declared: JsonObject, live: JsonObject): FieldDifference[] {
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const value = own(declared, name);
    if (value === undefined || isNameBesideId(field, declared, live)) return [];
    return compareField(name, field, value, own(live, name));
  });
}

/** Whether the field is a name beside an id that both sides share: the tenant may answer with another name. */
export function isNameBesideId(field: Field, declared: JsonObject, live: JsonObject): boolean {
  if (field.is !== 'value' || field.nameOf === undefined) return false;
  const id = own(declared, field.nameOf) ?? null;
  return id !== null && sameJson(id, own(live, field.nameOf) ?? null);
}

function keyDifference(kind: Kind, resource: Resource, live: LiveObject | null): FieldDifference {
  const [field] = kind.keyFields;
  return {
    path: pointer(field?.name ?? 'name'),
    op: 'replace',
    before: live?.key[0] ?? null,
    after: resource.key[0] ?? null,
  };
}

/** Declared fields over the live ones. Live values become literals, so that none of them can pass for a marker. */
export function overlayFields(kind: Kind, declared: JsonObject, live: JsonObject): JsonObject {
  const fields = Object.entries(kind.fields).flatMap(([name, field]): [string, Json][] => {
    const value = own(declared, name);
    const below = own(live, name);
    if (value !== undefined) return [[name, overlay(field, value, below)]];
    return below === undefined ? [] : [[name, literal(below)]];
  });
  return objectFrom(fields);
}

export function redactDifference(entry: FieldDifference, isSensitive: IsSensitive): Difference {
  const { path, before, after } = entry;
  if ([before, after].some((value) => value !== null && isSensitive(path, value))) {
    return { ...entry, before: null, after: null, sensitive: true, origin: null };
  }
  return {
    ...entry,
    before: redact(before, path, isSensitive) ?? null,
    after: redact(after, path, isSensitive) ?? null,
    sensitive: false,
    origin: null,
  };
}

/** Declared fields, as far as they can be compared. */
interface Comparable {
  /** Values that cannot be compared are replaced by the live ones. */
  readonly fields: JsonObject;
  /** Declared values that the tenant does not show: neither equal nor different. */
  readonly notComparable: readonly Pointer[];
}

/**
 * Replaces by the live value what a comparison cannot judge: secrets that equal the live text, and values that the
 * tenant hides. With `--rotate` this step is skipped, so that they are written.
 */
function assumeHidden(
  declared: JsonObject,
  live: Pick<LiveObject, 'fields' | 'hidden'>,
  secrets: Secrets,
): Comparable {
  if (live.hidden.length === 0 && secretPlaces(declared).length === 0) {
    return { fields: declared, notComparable: [] };
  }
  const notComparable: Pointer[] = [];

  const assume = (value: Json, at: Pointer): Json | undefined => {
    const current = valueAt(live.fields, at);
    if (livePlace(value) !== null) return current;
    const name = secretName(value);
    if (isHidden(value, current, at)) {
      notComparable.push(at);
      return current;
    }
    if (name !== null) return typeof current === 'string' && secrets.matches(name, current) ? current : value;
    if (isArray(value)) return value.map((item, index) => assume(item, `${at}${pointer(index)}`) ?? null);
    return isObject(value) ? assumeMembers(value, at) : value;
  };
  const isHidden = (value: Json, current: Json | undefined, at: Pointer): boolean => {
    if (value === null) return false;
    return live.hidden.includes(at) || (secretName(value) !== null && (current ?? null) === null);
  };
  const assumeMembers = (members: JsonObject, at: Pointer): JsonObject =>
    mapMembers(members, (value, name) => assume(value, `${at}${pointer(name)}`));

  return { fields: assumeMembers(declared, ''), notComparable };
}

/** The declared fields, with the live values of those under `lifecycle.ignore`: neither compared nor changed. */
function fillIgnored(declared: JsonObject, live: JsonObject, ignore: readonly Pointer[]): JsonObject {
  return ignore.reduce((fields, at) => {
    const name = segmentsOf(at)[0];
    if (name === undefined || !Object.hasOwn(fields, name)) return fields;
    return withValueAt(fields, at, valueAt(live, at));
  }, declared);
}
