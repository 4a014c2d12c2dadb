import { compareField, type FieldDifference } from '../kinds/compare.ts';
import { overlay, readableFields } from '../kinds/field.ts';
import type { Field, Kind, Write, WriteInput } from '../kinds/kind.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { objectFrom, own, sameJson } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import { literal } from '../model/marker.ts';
import type { Action, Change, Difference } from '../model/plan.ts';
import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import type { Resource } from '../model/resource.ts';
import type { Secrets } from '../model/secrets.ts';
import type { ApiSettings } from '../model/settings.ts';
import { conceal, type IsSensitive, keepUnshown, secretPlaces, sensitivePlaces } from './conceal.ts';
import type { Deletion } from './deletes.ts';
import { isRename, type WholeMatch } from './match.ts';
import { leaveIgnored, settle } from './settle.ts';

/** What comparing one resource with the tenant gives: a change, or none, and what could not be compared. */
export interface Outcome {
  readonly change: Change | null;
  readonly notComparable: readonly Pointer[];
}

export interface ChangeContext {
  readonly settings: ApiSettings;
  readonly secrets: Secrets;
  /** Write secrets and hidden values too, equal or not. */
  readonly rotate: boolean;
}

/**
 * How a declared object differs from what is there, and the requests that make it equal.
 *
 * @param base the vendor's default that the object would be created over, where there is one
 */
export function changeFor(match: WholeMatch, base: LiveObject | null, context: ChangeContext): Outcome {
  if (isEqual(match)) return { change: null, notComparable: [] };
  const below = match.live ?? base;
  const compared = compare(match, below, context);
  const { differences: found, notComparable } = compared;
  const isThere = match.live !== null || base !== null;
  if (isThere && found.length === 0) return { change: null, notComparable };
  return { change: writeChange(match, below, compared, context.settings), notComparable };
}

/** What cannot be compared of a live object that is as declared; `null` where it is not as declared. */
export function equalityOf(match: WholeMatch, context: ChangeContext): readonly Pointer[] | null {
  if (isEqual(match)) return [];
  const { differences: found, notComparable } = compare(match, match.live, context);
  return found.length === 0 ? notComparable : null;
}

function isEqual(match: WholeMatch): boolean {
  return isKnownEqual(match) || isSame(match);
}

/** Whether an earlier run compared the same declaration with the same object, and all of it was shown and equal. */
function isKnownEqual({ resource, live }: WholeMatch): boolean {
  if (!live || live.equalTo === null || live.equalTo !== resource.digest) return false;
  return live.address === resource.address;
}

/** Whether the tenant shows all that is declared and has, field by field, the very same value, as mostly it does. */
function isSame({ resource, live }: WholeMatch): boolean {
  if (!live || live.address !== resource.address) return false;
  const { fields } = resource;
  if (live.hidden.some((at) => Object.hasOwn(fields, segmentsOf(at)[0] ?? ''))) return false;
  return Object.entries(fields).every(([name, value]) => isVery(value, own(live.fields, name)));
}

function isVery(declared: Json, live: Json | undefined): boolean {
  return (
    declared === live || (typeof declared === 'object' && live !== undefined && sameJson(declared, live))
  );
}

/** The two sides of a comparison, JSON fields taken apart, and where they differ. */
interface Comparison {
  /** What the manifest declares, ignored fields as they are. */
  readonly declared: JsonObject;
  readonly current: JsonObject;
  /** Declarable places that the tenant does not show. */
  readonly hidden: readonly Pointer[];
  readonly differences: readonly FieldDifference[];
  readonly notComparable: readonly Pointer[];
}

function compare(
  match: WholeMatch,
  below: LiveObject | null,
  { secrets, rotate }: ChangeContext,
): Comparison {
  const { kind, resource, live } = match;
  const current = readableFields(kind, below?.fields ?? {});
  const hidden = below?.hidden ?? [];
  const ignore = live ? resource.lifecycle.ignore : [];
  const declared = leaveIgnored(readableFields(kind, resource.fields), current, ignore);
  const settled =
    live && !rotate
      ? settle(declared, { fields: current, hidden }, secrets)
      : { fields: declared, notComparable: [] };
  const renamed = isRename(match) ? [renaming(kind, resource, live)] : [];
  return {
    declared,
    current,
    hidden,
    differences: [...renamed, ...differences(kind, settled.fields, current)],
    notComparable: settled.notComparable,
  };
}

function writeChange(
  { kind, resource, live }: WholeMatch,
  below: LiveObject | null,
  { declared, current, hidden, differences: found }: Comparison,
  settings: ApiSettings,
): Change {
  // From the manifest itself: an ignored field has its live value by now, and is as secret as before.
  const secrets = secretPlaces(readableFields(kind, resource.fields));
  const isSensitive = sensitivePlaces(kind, [...secrets, ...membersOf(hidden)]);
  const fields = merged(kind, declared, below?.fields ?? {});
  const input: WriteInput = {
    key: resource.key,
    fields: live ? keepUnshown(fields, current, isSensitive) : fields,
    changed: new Set(found.flatMap(({ path }) => segmentsOf(path).slice(0, 1))),
    live,
    settings,
  };
  const write = live ? kind.update({ ...input, live }) : kind.create(input);
  const change = buildChange(live ? 'update' : 'create', kind, write, {
    key: resource.key,
    address: resource.address,
    source: { file: resource.source.file, line: resource.source.line },
    live: below,
    diff: found.map((entry) => concealDifference(entry, isSensitive)),
    ...(secrets.length > 0 ? { secrets } : {}),
  });
  return kind.defaults && !below ? { ...change, warnings: [...change.warnings, withoutDefault] } : change;
}

/** A default of another locale lends nothing, which a mistyped locale is the first to find out. */
const withoutDefault =
  'The vendor has no default for just this object: what the manifest leaves out stays empty.';

/** Places inside fields; a field that is hidden whole is no secret, only not shown. */
function membersOf(hidden: readonly Pointer[]): Pointer[] {
  return hidden.filter((at) => segmentsOf(at).length > 1);
}

/**
 * The delete of a live object, or the manual step where the API has none.
 *
 * @param base the vendor's default that takes its place, where there is one
 */
export function deletionOf(
  kind: Kind,
  { live, source, secrets }: Deletion,
  base: LiveObject | null,
  settings: ApiSettings,
): Change {
  const input = { key: live.key, fields: live.fields, changed: new Set<string>(), live, settings };
  const isSensitive = sensitivePlaces(kind, [...secrets, ...membersOf(live.hidden)]);
  const left = objectFrom(
    Object.keys(kind.fields).map((name) => [name, own(base?.fields ?? {}, name) ?? null]),
  );
  const diff = differences(kind, left, readableFields(kind, live.fields));
  return buildChange('delete', kind, kind.remove(input), {
    key: live.key,
    address: live.address,
    source,
    live,
    diff: diff.map((entry) => concealDifference(entry, isSensitive)),
    ...(secrets.length > 0 ? { secrets } : {}),
  });
}

function buildChange(
  action: Exclude<Action, 'manual'>,
  kind: Kind,
  write: Write,
  parts: Pick<Change, 'key' | 'address' | 'source' | 'diff' | 'secrets'> & { live: LiveObject | null },
): Change {
  const { live, ...rest } = parts;
  const common = { ...rest, kind: kind.name, id: live?.id ?? null, fingerprint: live?.fingerprint ?? null };
  if ('manual' in write)
    return { ...common, action: 'manual', requests: [], warnings: [write.manual], risk: [] };
  const { requests, warnings = [], risk = [] } = write;
  return { ...common, action, requests, warnings, risk };
}

function differences(kind: Kind, declared: JsonObject, live: JsonObject): FieldDifference[] {
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const value = own(declared, name);
    if (value === undefined || isNameBesideId(field, declared, live)) return [];
    return compareField(name, field, value, own(live, name));
  });
}

/** Whether the field names what both sides give the same id of: the tenant may answer with another name for it. */
function isNameBesideId(field: Field, declared: JsonObject, live: JsonObject): boolean {
  if (field.is !== 'value' || field.nameOf === undefined) return false;
  const id = own(declared, field.nameOf) ?? null;
  return id !== null && sameJson(id, own(live, field.nameOf) ?? null);
}

function renaming(kind: Kind, resource: Resource, live: LiveObject | null): FieldDifference {
  const [field] = kind.keyFields;
  return {
    path: pointer(field?.name ?? 'name'),
    op: 'replace',
    before: live?.key[0] ?? null,
    after: resource.key[0] ?? null,
  };
}

/** Declared fields over what is there; what comes from the tenant can no longer pass for a marker. */
function merged(kind: Kind, declared: JsonObject, live: JsonObject): JsonObject {
  const fields = Object.entries(kind.fields).flatMap(([name, field]): [string, Json][] => {
    const value = own(declared, name);
    const below = own(live, name);
    if (value !== undefined) return [[name, overlay(field, value, below)]];
    return below === undefined ? [] : [[name, literal(below)]];
  });
  return objectFrom(fields);
}

function concealDifference(entry: FieldDifference, isSensitive: IsSensitive): Difference {
  const { path, before, after } = entry;
  if ([before, after].some((value) => value !== null && isSensitive(path, value))) {
    return { ...entry, before: null, after: null, sensitive: true, origin: null };
  }
  return {
    ...entry,
    before: conceal(before, path, isSensitive),
    after: conceal(after, path, isSensitive),
    sensitive: false,
    origin: null,
  };
}
