import type { Kinds } from '../kinds/catalog.ts';
import type { FieldDifference } from '../kinds/compare.ts';
import { comparable, isUnordered, listWithoutOrder, readableFields, textOfItem } from '../kinds/field.ts';
import { fieldNamed, type Kind, type LiveObject } from '../kinds/kind.ts';
import { isIgnored } from '../kinds/places.ts';
import { noLifecycle, nowhere, type Resource, undeclared } from '../kinds/resource.ts';
import { groupBy } from '../model/basics.ts';
import {
  canonicalJson,
  getText,
  isArray,
  isObject,
  itemsOf,
  type Json,
  type JsonObject,
  mapMembers,
  sameJson,
} from '../model/json.ts';
import { jsonTextOf, literalOf, livePlace, refOf, secretName } from '../model/marker.ts';
import type { Change, Difference, Request } from '../model/plan.ts';
import { type Pointer, placesIn, segmentsOf, setMember, topName } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import type { ApiSettings } from '../model/settings.ts';
import { changeFor, lostWith } from '../planner/change.ts';
import { batchDeletes } from '../planner/index.ts';
import type { UnseenPolicy } from '../planner/unseen.ts';
import type { KindChange } from './find.ts';

export function resourceOf({ kind, change }: KindChange): Resource {
  const { key, declared, ignored = [], secrets = [], source } = change;
  return {
    ...undeclared(kind, key, source ? { ...source, column: 1 } : nowhere),
    ensure: change.action === 'delete' ? 'absent' : 'present',
    fields: declared ?? {},
    lifecycle: { ...noLifecycle, ignore: ignored },
    secrets: () => secrets,
    shown: valuesShown(change),
  };
}

/** The live values that the plan shows: they were in clear when it was made. */
export function valuesShown({ diff }: Change): JsonObject {
  return diff.reduce<JsonObject>((shown, { path, before }) => {
    const clear = withoutRedacted(before);
    return clear === null ? shown : setMember(shown, path, clear);
  }, {});
}

function withoutRedacted(value: Json): Json {
  if (value === redacted) return null;
  if (isArray(value)) return value.map(withoutRedacted);
  return isObject(value) ? mapMembers(value, (item) => withoutRedacted(item) ?? undefined) : value;
}

/**
 * A change as the planner computes it again, or why it is refused (design, section 6.8): a plan file is untrusted. A request of
 * the whole object names what the change ignores only if it is set, and that may have changed. `base` is the vendor's default.
 */
export function madeAgain(
  entry: KindChange,
  live: LiveObject | null,
  base: LiveObject | null,
  settings: ApiSettings,
): Change | string {
  const { kind, change } = entry;
  if (change.action === 'delete') {
    const lost = live === null ? [] : differingLosses(change, live);
    return lost.length === 0 ? change : `it would delete other values of ${lost.join(', ')}`;
  }
  const match = { kind, resource: resourceOf(entry), live };
  // Secrets and hidden values stay where the plan says so.
  const isLeft = (at: Pointer) => (change.left ?? []).includes(at);
  const unseen: UnseenPolicy = { isSame: (_secret, _shown, at) => isLeft(at), isLeft };
  const { change: made } = changeFor(match, base, { settings, unseen });
  if (made === null) return 'nothing would change';
  const misplaced = misplacedMarkers(change.declared ?? {}, '');
  if (misplaced.length > 0) return `it declares no such value for ${misplaced.join(', ')}`;
  const names = differingFields(kind, change.diff, made.diff);
  if (names.length > 0) return `it would change ${names.join(', ')} in another way`;
  const hidden = made.risk.filter((risk) => !change.risk.includes(risk));
  if (hidden.length > 0) return `it does not show its risk ${hidden.join(', ')}`;
  if (made.action !== change.action || made.id !== change.id) return 'it would be a different change';
  const changed = new Set(change.diff.map(({ path }) => topName(path)));
  const { ignored = [] } = change;
  const [shown = [], now = []] = [change, made].map(({ requests }) =>
    ignored.length === 0
      ? requests
      : requests.map((request) => ({ ...request, body: withoutIgnored(request.body, ignored) })),
  );
  if (!sameRequests(kind, changed, shown, now)) return 'its requests would be different';
  return change.ignored ? { ...change, requests: made.requests } : change;
}

/** A body without what is unset in it, or stays as it is because the change ignores it: either may have become the other. */
function withoutIgnored(body: Json, ignored: readonly Pointer[]): Json {
  if (isArray(body)) return body.map((item) => withoutIgnored(item, ignored));
  if (!isObject(body)) return body;
  const isLeft = (value: Json) => value === null || isIgnored(ignored, livePlace(value) ?? '');
  return mapMembers(body, (value) => (isLeft(value) ? undefined : withoutIgnored(value, ignored)));
}

/** Not comparable: concealed values, and those that a vendor's default, which is not read again, partly restores. */
function differingLosses({ diff }: Change, live: LiveObject): string[] {
  const { kind } = live;
  const concealed = diff.filter(({ sensitive, before }) => sensitive || holdsRedacted(before));
  const left = new Set(concealed.map(({ path }) => topName(path)));
  const whole = diff.filter(({ path, before }) => segmentsOf(path).length === 1 && before !== null);
  const compared = kind.read.defaults ? new Set(whole.map(({ path }) => topName(path))) : null;
  const [shown, lost] = [diff, lostWith(live, null)].map((side) =>
    side
      .filter((each) => !left.has(topName(each.path)) && (compared?.has(topName(each.path)) ?? true))
      .map(({ path, before }): Difference => {
        return { path, op: 'remove', before, after: null, sensitive: false, origin: null };
      }),
  );
  return differingFields(kind, shown ?? [], lost ?? []);
}

export const holdsRedacted = (value: Json): boolean =>
  value === redacted || itemsOf(value).some(holdsRedacted);

/** Deletes share requests, so they are checked together: every object of such a request must be in the plan. */
export function wrongDeletes(
  entries: readonly KindChange[],
  kinds: Kinds,
  settings: ApiSettings,
): KindChange[] {
  const deletes = entries.filter(({ change }) => change.action === 'delete');
  const made = deletes.map(({ kind, change }) => {
    const { requests, risk } = removalOf(kind, change, settings);
    return { ...change, requests, risk };
  });
  const expected = new Map(batchDeletes(made, kinds).map((change) => [change.address, change]));
  return deletes.filter(({ kind, change }) => {
    const { requests = [], risk = [] } = expected.get(change.address) ?? {};
    const isSame = requests.length > 0 && sameRequests(kind, new Set(), change.requests, requests);
    return !isSame || risk.some((each) => !change.risk.includes(each));
  });
}

export function removalOf(kind: Kind, { key, id }: Pick<Change, 'key' | 'id'>, settings: ApiSettings) {
  const write = kind.write.remove({ key, id, settings });
  return 'requests' in write ? { risk: [], ...write } : { requests: [], risk: [] };
}

/** Places of markers that no plan has: an unchanged value may only stand for itself. */
function misplacedMarkers(value: Json, at: Pointer): Pointer[] {
  const place = livePlace(value);
  if (place !== null) return place === at ? [] : [at];
  if (secretName(value) !== null || refOf(value) !== null) return [];
  const isForeign = isObject(value) && Object.keys(value).some((name) => foreignMarkers.includes(name));
  return isForeign ? [at] : placesIn(value, at).flatMap(([below, item]) => misplacedMarkers(item, below));
}

const foreignMarkers = ['$lookup', '$tag', '$literal', '$jsonText'];

function differingFields(kind: Kind, shown: readonly Difference[], made: readonly Difference[]): string[] {
  const textsOf = (diff: readonly Difference[]) => {
    const texts = groupBy(diff, ({ path }) => topName(path)).map(([name, group]) => {
      const all = group.map((each) => `${textOfDifference(kind, each)} ${each.sensitive}`);
      return [name, all.sort().join()] as const;
    });
    return new Map(texts);
  };
  const [one, other] = [textsOf(shown), textsOf(made)];
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name));
}

export function textOfDifference(kind: Kind, { path, op, before, after }: FieldDifference): string {
  const [name = '', ...below] = segmentsOf(path);
  const field = fieldNamed(kind, name);
  const list = listWithoutOrder(kind, path);
  const normal = (value: Json): Json => {
    if (field === undefined || value === null) return value;
    if (isUnordered(field) && below.length === 1) return textOfItem(field, value);
    return below.length === 0 ? comparable(field, value) : value;
  };
  // An index means nothing if order does not count.
  const item = list === null ? null : segmentsOf(list).length - 1;
  const at = below.filter((_, step) => step !== item);
  return canonicalJson([name, at, op, normal(before), normal(after)]);
}

/** @param changed the fields that the change is about: only others go back in the form in which the tenant shows them */
function sameRequests(
  kind: Kind,
  changed: ReadonlySet<string>,
  shown: readonly Request[],
  made: readonly Request[],
): boolean {
  const normal = (requests: readonly Request[]) =>
    requests.map(({ body, ...call }) => ({ ...call, body: normalBody(body, kind, changed) }));
  return sameJson(normal(shown), normal(made));
}

/** A body in which parts of the live object have one form, whatever form the tenant shows. */
function normalBody(body: Json, kind: Kind, changed: ReadonlySet<string>): Json {
  if (isArray(body)) return body.map((item) => normalBody(item, kind, changed));
  if (!isObject(body)) return body;
  // A step of a patch names its field.
  const [field = '', ...below] = segmentsOf(getText(body, 'path') ?? '');
  return mapMembers(body, (value, member) => {
    const name = member === 'value' && below.length === 0 ? field : member;
    const known = fieldNamed(kind, name);
    const isFormLeft = known !== undefined && (known.is === 'json' || !changed.has(name));
    return isFormLeft ? comparable(known, plainOf(value)) : normalBody(value, kind, changed);
  });
}

/** A written value without the markers for how it is sent. */
function plainOf(value: Json): Json {
  const inner = literalOf(value) ?? jsonTextOf(value);
  if (inner !== undefined) return literalOf(value) === undefined ? plainOf(inner) : inner;
  if (isArray(value)) return value.map(plainOf);
  return isObject(value) ? mapMembers(value, plainOf) : value;
}

/** The fields that each request of an update writes: those for which the kind makes the same call. */
export function fieldsWritten(
  entry: KindChange,
  live: LiveObject,
  settings: ApiSettings,
): (request: Request) => ReadonlySet<string> {
  const { kind, change } = entry;
  const fields = readableFields(kind, live.fields);
  const wanted = { ...fields, ...(change.declared ?? {}) };
  const names = [...new Set(change.diff.map(({ path }) => topName(path)))];
  const calls = names.flatMap((name) => {
    const write = kind.write.update({
      key: change.key,
      fields: wanted,
      changed: new Set([name]),
      live,
      settings,
    });
    return 'requests' in write ? write.requests.map((request) => ({ name, request })) : [];
  });
  return ({ method, path }) =>
    new Set(
      calls.flatMap(({ name, request }) =>
        request.method === method && request.path === path ? [name] : [],
      ),
    );
}
