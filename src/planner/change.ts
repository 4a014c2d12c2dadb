import type { FieldDifference } from '../kinds/compare.ts';
import { holdsSettings, withoutIgnoring } from '../kinds/credentials.ts';
import { overlay, readableFields, sameValue } from '../kinds/field.ts';
import type { Field, Kind, LiveObject, Write, WriteInput } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import { operationOf, risksOf } from '../kinds/operation.ts';
import { markUnchanged, redactDifference, secretPlaces, sensitiveIn } from '../kinds/redact.ts';
import type { Resource } from '../kinds/resource.ts';
import { type Diagnostic, notComparableWords } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import { type Json, type JsonObject, objectFrom, own, pick } from '../model/json.ts';
import { literal, secretName } from '../model/marker.ts';
import { type Action, type Change, type Difference, type Request, secretsSentBy } from '../model/plan.ts';
import { type Pointer, pointer, segmentsOf, setMember, valueAt } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';
import { type CompareContext, type Comparison, compare, declaredFields, differences } from './comparison.ts';
import type { Deletion } from './deletes.ts';
import type { Match } from './match.ts';

/** The outcome of a comparison: a change or none, and what could not be compared. */
export interface Outcome {
  readonly change: Change | null;
  readonly notComparable: readonly Pointer[];
}

export interface ChangeContext extends CompareContext {
  readonly settings: ApiSettings;
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

/** Remarks on values that the tenant does not show. Such a value is still written where a change writes what contains it. */
export function notComparableRemarks(
  resource: Resource,
  { change, notComparable: places }: Outcome,
): Diagnostic[] {
  const { address, fields } = resource;
  const sent = new Set(change ? secretsSentBy(change) : []);
  const isSent = (at: Pointer) => sent.has(secretName(valueAt(fields, at)) ?? '');
  const remark = (found: readonly Pointer[], written: string, hint: Pick<Diagnostic, 'hint'>) => {
    const [first] = found;
    if (first === undefined) return [];
    const message = `${notComparableWords(address, found)}${written}`;
    const source = resource.locate(first);
    return [{ code: 'not-comparable', severity: 'info', message, ...hint, address, source } as const];
  };
  const left = places.filter((at) => !isSent(at));
  return [
    ...remark(places.filter(isSent), ' It is written, because this plan writes what contains it.', {}),
    ...remark(left, '', { hint: `Write it with --rotate ${address}.` }),
  ];
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
    ignored: live ? resource.lifecycle.ignore : [],
    settings,
  };
  const write = writeWith(() =>
    live ? withDropped(kind.update({ ...input, live }), live, input) : kind.create(input),
  );
  const built = buildChange(live ? 'update' : 'create', kind, write, {
    key: resource.key,
    address: resource.address,
    source: { file: resource.source().file, line: resource.source().line },
    live: below,
    differences: found,
    declared: written,
    settings,
  });
  const change = { ...built, diff: built.diff.map((entry) => ({ ...entry, ...overlayOf(entry, resource) })) };
  return kind.defaults && !below ? { ...change, warnings: [...change.warnings, withoutDefault] } : change;
}

/** The requests that make a change; a step by hand where the tenant has an id or name that no request can name. */
function writeWith(write: () => Write): Write {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof Failure) || !error.diagnostics.some(({ code }) => code === 'unsafe-path-segment'))
      throw error;
    const [message = ''] = error.diagnostics.map((each) => each.message);
    return { manual: `${message} Make this change in the tenant, and correct the id there.` };
  }
}

/**
 * Warns of settings under `lifecycle.ignore` that the tenant does not show, as hosts do with secrets, and that an update would
 * remove: it writes what contains them as a whole.
 */
function withDropped(write: Write, live: LiveObject, { ignored = [], settings }: WriteInput): Write {
  if ('manual' in write) return write;
  const { kind, id, raw } = live;
  const fields = readableFields(kind, live.fields);
  const drops = (request: Request, at: Pointer): boolean => {
    const [name = '', ...below] = segmentsOf(at);
    // What becomes of the setting if it is there.
    const assumed = { ...fields, [name]: setMember(own(fields, name) ?? null, below, true) };
    const said = operationOf(kind.operations.update, request, id, settings)?.read?.(request.body);
    const after = said?.after({ fields: assumed, raw, settings }) ?? {};
    return Object.hasOwn(after, name) && valueAt(after, at) === undefined;
  };
  const dropped = ignored.filter(
    (at) =>
      segmentsOf(at).length > 1 &&
      holdsSettings(kind, at) &&
      (valueAt(fields, at) ?? null) === null &&
      write.requests.some((request) => drops(request, at)),
  );
  const warnings = dropped.map(
    (at) =>
      `The tenant does not show ${at}, and this change writes \`${segmentsOf(at)[0]}\` as a whole, without it: declare it with ` +
      `!secret${withoutIgnoring([at], ignored)} if it is in use.`,
  );
  return { ...write, warnings: [...(write.warnings ?? []), ...warnings] };
}

/** The overlay that sets the value of a difference. */
function overlayOf({ path }: Difference, resource: Resource): Pick<Difference, 'overlay'> {
  const place = resource.overlayAt(path);
  return place ? { overlay: { file: place.file, line: place.line } } : {};
}

/** A default of another locale does not count: the locale may be a typo. */
const withoutDefault =
  'The vendor has no default for exactly this object: fields that the manifest leaves out stay empty.';

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
  return buildChange(
    'delete',
    kind,
    writeWith(() => kind.remove(input)),
    {
      key: live.key,
      address: live.address,
      source,
      live,
      differences: [...lostName(live), ...differences(kind, left, readableFields(kind, live.fields))],
      declared: declaredFields(kind, declared, live),
      settings,
    },
  );
}

/** The name of an object that is known by its id: the plan has to show it, and a rollback creates the object with it. */
function lostName({ kind, identity, shownKey }: LiveObject): FieldDifference[] {
  if (identity === identityOf(kind, shownKey)) return [];
  return kind.keyFields.map(({ name }, part) => ({
    path: pointer(name),
    op: 'remove',
    before: shownKey[part] ?? null,
    after: null,
  }));
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
    fingerprint: live?.fingerprint() ?? null,
  };
  if ('manual' in write)
    return { ...common, action: 'manual', requests: [], warnings: [write.manual], risk: [] };
  const { requests, warnings = [] } = write;
  const risk = risksOf(kind.operations[action], { id: common.id, requests }, settings);
  return { ...common, action, requests, warnings, risk };
}

/** Declared fields over the live ones. Live values become literals, so that none of them can pass for a marker. */
export function overlayFields(kind: Kind, declared: JsonObject, live: JsonObject): JsonObject {
  const fields = Object.entries(kind.fields).flatMap(([name, field]): [string, Json][] => {
    const value = own(declared, name);
    const below = own(live, name);
    if (value !== undefined && !isSameReference(field, value, below))
      return [[name, overlay(field, value, below)]];
    return below === undefined ? [] : [[name, literal(below)]];
  });
  return objectFrom(fields);
}

/** Whether two references have the same ids. The names beside them may differ: they are for readers. */
function isSameReference(field: Field, value: Json, below: Json | undefined): boolean {
  const isReference = field.is === 'reference' || field.is === 'references';
  return isReference && below !== undefined && sameValue(field, value, below);
}
