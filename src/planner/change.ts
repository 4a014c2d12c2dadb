import { compareField, differences, type FieldDifference } from '../kinds/compare.ts';
import { holdsSettings, withoutMasks } from '../kinds/credentials.ts';
import {
  chooseSynonym,
  comparable,
  isUnordered,
  listWithoutOrder,
  normalJson,
  overlayFields,
  readableFields,
} from '../kinds/field.ts';
import type { Kind, LiveObject, UpdateInput, Write, WriteInput } from '../kinds/kind.ts';
import { identityOf, isRename, lastModified, type Match } from '../kinds/live-objects.ts';
import { isIgnored } from '../kinds/places.ts';
import { markUnchanged, redactDifference, sensitiveIn } from '../kinds/redact.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Key } from '../model/address.ts';
import { type Action, type Change, secretsSentBy } from '../model/documents.ts';
import { hasCode } from '../model/failure.ts';
import { get, type Json, type JsonObject, mapMembers, pick, sameJson } from '../model/json.ts';
import { lookupOf, markersIn, secretPlaces, withLiveValue } from '../model/marker.ts';
import { placesOf, pointer, segmentsOf, setMember, topName, valueAt } from '../model/pointer.ts';
import type { ApiSettings } from '../model/tenant.ts';
import type { Deletion } from './deletes.ts';
import { assumeUnseen, type UnseenPolicy } from './unseen.ts';

/** The history of an object since an earlier revision (`--since`). */
interface Since {
  readonly previous: Resource | null;
  /** The fields that later applies of this checkout wrote; `null`: they deleted it. */
  readonly written: JsonObject | null | undefined;
}

interface ChangeContext {
  readonly settings: ApiSettings;
  readonly unseen: UnseenPolicy;
  readonly since?: Since | null;
}

/**
 * THE comparison: how a declared object differs from the live one, and the requests that make them equal. Everything asks it.
 * `base` is the vendor's default that a new object is based on. `notComparable`: declared values that the tenant does not show.
 */
export function changeFor(match: Match, base: LiveObject | null, context: ChangeContext) {
  const below = match.live ?? base;
  const compared = compare(match, below, context.unseen);
  const { differences: found, notComparable } = compared;
  const isEqual = below !== null && found.length === 0;
  return { change: isEqual ? null : writeChange(match, below, compared, context), notComparable };
}

/**
 * The two sides, with JSON fields parsed and ignored fields as they are live, and their differences. `below` is the live object, or
 * else the vendor's default. `left`: places of declared secrets and hidden values that stay as they are.
 */
export function compare(match: Match, below: LiveObject | null, unseen: UnseenPolicy) {
  const { kind, resource, live } = match;
  const current = readableFields(kind, below?.fields ?? {});
  const ignore = live ? resource.lifecycle.ignore : [];
  const declared = ignore.reduce(
    (fields, at) => {
      const [name = ''] = segmentsOf(at);
      return Object.hasOwn(fields, name) ? withLiveValue(current, fields, at) : fields;
    },
    declaredFields(kind, resource.fields, below),
  );
  const { fields, notComparable, left } = live
    ? assumeUnseen(kind, declared, { fields: current, hidden: live.hidden }, unseen)
    : { fields: declared, notComparable: [], left: [] };
  const found = differences(kind, fields, current);
  return {
    declared,
    current,
    differences:
      live && isRename(match) ? [...keyDifferences(kind, live.key, resource.key), ...found] : found,
    notComparable: notComparable.filter((at) => !isIgnored(ignore, at)),
    left,
  };
}

function keyDifferences({ keyFields }: Kind, key: Key, wanted: Key | null): FieldDifference[] {
  return keyFields.map(({ name }, part) => ({
    path: pointer(name),
    op: wanted ? 'replace' : 'remove',
    before: key[part] ?? null,
    after: wanted?.[part] ?? null,
  }));
}

/** The declared fields, with JSON parsed, arranged as in the tenant's fields. */
export function declaredFields(kind: Kind, fields: JsonObject, live: LiveObject | null): JsonObject {
  const readable = readableFields(kind, fields);
  return (live && kind.quirks?.arrange?.(readable, live)) ?? readable;
}

function writeChange(
  match: Match,
  below: LiveObject | null,
  { declared, current, differences: found, left }: ReturnType<typeof compare>,
  { settings, since = null }: ChangeContext,
): Change {
  const { kind, resource, live } = match;
  const { isConcealed, isSensitive, wasSensitive, secrets } = disclosureOf(match, below, since?.previous);
  const ignored = live ? resource.lifecycle.ignore : [];
  const fields = overlayFields(kind, declared, below?.fields ?? {});
  const input: WriteInput = {
    key: resource.key,
    fields: live
      ? markUnchanged(
          fields,
          current,
          (at, value) => isIgnored(ignored, at) || live.hidden.includes(at) || isConcealed(at, value),
        )
      : fields,
    changed: new Set(found.flatMap(({ path }) => segmentsOf(path).slice(0, 1))),
    live,
    settings,
  };
  // An item of a list without order has no fixed place.
  const ordered = mapMembers(current, (value, name) => {
    const field = get(kind.fields, name);
    return field && isUnordered(field) ? null : value;
  });
  const { file, line } = resource.source();
  const change = buildChange(
    live ? 'update' : 'create',
    () => (live ? writeUpdate({ ...input, live }, ignored) : kind.write.create(input)),
    below,
    {
      kind: kind.name,
      key: resource.key,
      address: resource.address,
      source: { file, line },
      declared: live ? markUnchanged(resource.fields, ordered, isConcealed) : resource.fields,
      ...(ignored.length > 0 ? { ignored } : {}),
      ...(left.length > 0 ? { left } : {}),
      diff: (since ? withOrigins(found, match, since) : found).map((entry) => {
        const shown = redactDifference(entry, isSensitive, wasSensitive);
        const overlay = resource.overlayAt(entry.path);
        return overlay ? { ...shown, overlay: { file: overlay.file, line: overlay.line } } : shown;
      }),
      secrets,
    },
  );
  const isGone = change.action === 'create' && since?.previous && since.written !== null;
  const undoesTenant = isGone || change.diff.some(({ origin }) => origin === 'tenant' || origin === 'both');
  return {
    ...change,
    risk: undoesTenant ? [...change.risk, 'undoes-tenant-change'] : change.risk,
    warnings: kind.read.defaults && !below ? [...change.warnings, withoutDefault] : change.warnings,
  };
}

/** The values that a change may show, and those for a request or the revision of `--since`. */
function disclosureOf(
  { kind, resource }: Match,
  below: LiveObject | null,
  previous: Resource | null | undefined,
) {
  // From the manifest itself: as it is compared, an ignored field has its live value, but it is still secret.
  const written = declaredFields(kind, resource.fields, below);
  const marked = [...resource.secrets(), ...(previous?.secrets() ?? [])];
  const [past, shown] = [previous?.fields, resource.shown].map(
    (fields) => fields && declaredFields(kind, fields, below),
  );
  const isConcealed = sensitiveIn(kind, below, written, { marked });
  const clear = { marked, shown: past ? [past] : [], seen: shown ? [shown] : [] };
  return {
    isConcealed,
    // Values from the revision may be shown again, but not in a request: it is computed again without the revision.
    isSensitive: past || shown ? sensitiveIn(kind, below, written, clear) : isConcealed,
    // An apply computes the change again without the revision, which therefore may not affect what is concealed elsewhere.
    wasSensitive: past && sensitiveIn(kind, below, written, { ...clear, past }),
    secrets: [...new Set([...secretPlaces(written), ...marked])],
  };
}

/**
 * Warns of hidden settings under `lifecycle.ignore` that an update would remove, since it writes what contains them as a whole:
 * the update is computed as if the tenant showed them.
 */
function writeUpdate(input: UpdateInput, ignored: Resource['lifecycle']['ignore']): Write {
  const { live, fields } = input;
  const { kind } = live;
  const write = withoutMasks(kind.write.update(input), input);
  if ('manual' in write) return write;
  const current = readableFields(kind, live.fields);
  const warnings = ignored.flatMap((at) => {
    const isShown = (valueAt(current, at) ?? null) !== null;
    if (isShown || segmentsOf(at).length < 2 || !holdsSettings(kind, at)) return [];
    const shown = setMember(current, at, true);
    const wanted = setMember(fields, at, { $live: at });
    const again = kind.write.update({ ...input, fields: wanted, live: { ...live, fields: shown } });
    if ('manual' in again || !again.requests.some(({ body }) => markersIn(body, '$live').includes(at)))
      return [];
    return [
      `The tenant does not show ${at}, and this change writes \`${topName(at)}\` as a whole, without it: declare it with ` +
        '!secret, and not under `lifecycle.ignore`, if it is in use.',
    ];
  });
  return { ...write, warnings: [...(write.warnings ?? []), ...warnings] };
}

/** A default of another locale does not count: the locale may be a typo. */
const withoutDefault =
  'The vendor has no default for exactly this object: fields that the manifest leaves out stay empty.';

/** The delete of a live object, or a manual step if the API has none. The vendor's default `base` may replace it. */
export function deletionOf(
  { live, source, declared, marked }: Deletion,
  base: LiveObject | null,
  settings: ApiSettings,
): Change {
  const { kind } = live;
  const nothing = mapMembers(live.fields, () => null);
  const known = { ...nothing, ...declaredFields(kind, declared, live) };
  const isSensitive = sensitiveIn(kind, live, known, { marked });
  const remove = () => kind.write.remove({ key: live.key, id: live.id, settings });
  const change = buildChange('delete', remove, live, {
    kind: kind.name,
    key: live.key,
    address: live.address,
    source,
    declared: null,
    diff: lostWith(live, base).map((entry) => redactDifference(entry, isSensitive)),
    secrets: [...new Set([...secretPlaces(known), ...marked])],
  });
  return base ? { ...change, risk: [...change.risk, 'back-to-default'] } : change;
}

/** The values that a delete removes; a vendor's default `base` may replace the object. */
export function lostWith(live: LiveObject, base: LiveObject | null): FieldDifference[] {
  const { kind } = live;
  const left = pick(base?.fields ?? {}, Object.keys(kind.fields));
  // The name of an object that is known by its id: the plan has to show it, and a rollback creates the object with it.
  const isNamed = !kind.parent && live.identity !== identityOf(kind, live.shownKey);
  return [
    ...(isNamed ? keyDifferences(kind, live.shownKey, null) : []),
    ...differences(kind, left, readableFields(kind, live.fields)),
  ];
}

/** Where no request can name the tenant's id or name, the change is a step by hand. */
function buildChange(
  action: Exclude<Action, 'manual'>,
  makeWrite: () => Write,
  live: LiveObject | null,
  {
    kind,
    secrets,
    ...parts
  }: Omit<Change, 'action' | 'id' | 'fingerprint' | 'requests' | 'warnings' | 'risk'>,
): Change {
  const modified = live && lastModified(live);
  const common = {
    ...parts,
    ...(secrets?.length ? { secrets } : {}),
    ...(modified ? { modified } : {}),
    kind,
    id: live?.id ?? null,
    fingerprint: live?.fingerprint() ?? null,
  };
  try {
    const write = makeWrite();
    if ('manual' in write)
      return { ...common, action: 'manual', requests: [], warnings: [write.manual], risk: [] };
    const { requests, warnings = [], risk = [] } = write;
    const sent = secretsSentBy({ requests });
    const declared = sent.length > 0 ? markersIn(parts.declared ?? null, '$secret') : [];
    // The tenant itself may show what looks like a marker: it must not get the secret of that name.
    const foreign = sent.find((name) => !declared.includes(name));
    if (foreign !== undefined)
      throw new Error(`Nothing declares the secret ${foreign} that ${parts.address} would be sent.`);
    return { ...common, action, requests, warnings, risk };
  } catch (error) {
    if (!hasCode(error, 'unsafe-path-segment')) throw error;
    const manual = `${error.message} Make this change in the tenant, and correct the id there.`;
    return { ...common, action: 'manual', requests: [], warnings: [manual], risk: [] };
  }
}

/** The differences with the side that changed since the revision, and the declaration then if it was the tenant. */
function withOrigins(found: readonly FieldDifference[], match: Match, since: Since): FieldDifference[] {
  return found.map((entry) => {
    const origin = originOf(entry, match, since);
    const base =
      origin === 'repo' || !since.previous ? undefined : pastValue(entry, match.kind, since.previous);
    return { ...entry, origin, ...(base === undefined || sameJson(base, entry.after) ? {} : { base }) };
  });
}

function originOf({ path }: FieldDifference, match: Match, { previous, written }: Since) {
  const { kind, resource, live } = match;
  if (!previous || (!live && written === null)) return 'repo';
  const [name = ''] = segmentsOf(path);
  const field = kind.fields[name];
  if (!field) {
    // A difference of the key is judged as objects are matched.
    const then = identityOf(kind, previous.key);
    if (then === identityOf(kind, resource.key)) return 'tenant';
    return then === live?.identity ? 'repo' : 'both';
  }
  // The exact place inside JSON, or the list around it, else the whole field: as it is compared.
  const place = listWithoutOrder(kind, path) ?? path;
  const at = (fields: JsonObject): Json | undefined => {
    if (field.is === 'json') {
      const value = valueAt(readableFields(kind, fields), place);
      return value === undefined
        ? undefined
        : normalJson(value, field, pointer(...segmentsOf(place).slice(1)));
    }
    const value = get(fields, name);
    return value === undefined ? undefined : comparable(field, value);
  };
  const present = live?.fields ?? {};
  const ours = live && written ? at(written) : undefined;
  if (ours !== undefined && sameJson(ours, at(present) ?? null)) return 'repo';
  const then = at(previous.fields);
  // The name of a secret does not show who changed its value.
  const isSecret = markersIn(then ?? null, '$secret').length > 0;
  if (sameJson(then ?? null, at(resource.fields) ?? null)) return live && isSecret ? null : 'tenant';
  // Unknown values of that time, such as an unset variable or a lookup, are not in the current manifests.
  const past = field.is === 'json' ? then : get(previous.fields, name);
  if (then === undefined || past === undefined || isSecret || isUnresolved(past)) return 'repo';
  const tenantMoved =
    field.is === 'json'
      ? !sameJson(then, at(present) ?? null)
      : compareField(name, field, get(previous.fields, name) ?? null, get(present, name)).length > 0;
  return tenantMoved ? 'both' : 'repo';
}

/** The revision's value at the place of a difference. Items of lists without order have no fixed place. */
function pastValue({ path }: FieldDifference, kind: Kind, { key, fields }: Resource): Json | undefined {
  const [name = '', ...inside] = segmentsOf(path);
  const field = kind.fields[name];
  if (!field) return key[0];
  const value = get(fields, name);
  if (value === undefined || isUnresolved(value)) return undefined;
  if (listWithoutOrder(kind, path) !== null) return undefined;
  if (field.is === 'json') return valueAt(readableFields(kind, fields), path);
  return inside.length > 0 ? undefined : chooseSynonym(field, value);
}

/** Whether a value has a lookup, or a reference to an object that the tenant does not show. */
function isUnresolved(value: Json): boolean {
  const lookups = placesOf(value, (part) => lookupOf(part) !== null);
  return lookups.length > 0 || markersIn(value, '$ref').length > 0;
}
