import { compareField } from '../kinds/compare.ts';
import { comparable, readableFields } from '../kinds/field.ts';
import type { Field, Kind, LiveObject } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import { keysOf, type Resource } from '../kinds/resource.ts';
import { get, type Json, type JsonObject, sameJson } from '../model/json.ts';
import { refsIn } from '../model/marker.ts';
import type { Change, Difference, Origin } from '../model/plan.ts';
import { type Pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { hasLookup } from './fill-lookups.ts';
import type { Match } from './match.ts';
import { resourcesByIdentity } from './references.ts';

/** What is known of an object since an earlier revision of the manifests. */
interface Since {
  /** What that revision declared of it. */
  readonly previous: Resource | null;
  /** What later applies of this checkout wrote; `null`: they deleted it. */
  readonly written: JsonObject | null | undefined;
}

/** The change, with the origin of each difference as judged by an earlier revision of the manifests (`--since`). */
export function addOrigins(change: Change, match: Match, since: Since): Change {
  const diff = change.diff.map((entry) => ({ ...entry, origin: originOf(entry, match, since) }));
  const isGone = change.action === 'create' && since.previous !== null && since.written !== null;
  const isMoved = diff.some(({ origin }) => origin === 'tenant' || origin === 'both');
  if (!isMoved && !isGone) return { ...change, diff };
  return { ...change, diff, risk: [...change.risk, 'undoes-tenant-change'] };
}

/** Returns a function that finds what the revision declared of an object: by its id, its key or its former key. */
export function previousFinder(previous: readonly Resource[]): (resource: Resource) => Resource | null {
  const present = previous.filter(({ ensure }) => ensure === 'present');
  const byIdentity = resourcesByIdentity(present);
  const byId = new Map(present.flatMap((each) => (each.id === null ? [] : [[idOf(each), each] as const])));
  return (resource) => {
    const pinned = resource.id === null ? undefined : byId.get(idOf(resource));
    const identities = keysOf(resource).map((key) => identityOf(resource.kind, key));
    const found = identities.map((identity) => byIdentity.get(identity)).find((each) => each !== undefined);
    return pinned ?? found ?? null;
  };
}

const idOf = ({ kind, id }: Resource): string => `${kind.name}/${id}`;

/** `null` for a secret: its name does not show who changed its value. */
function originOf(entry: Difference, match: Match, { previous, written }: Since): Origin | null {
  const { kind, resource, live } = match;
  if (entry.sensitive) return null;
  if (!previous) return 'repo';
  if (!live) return written === null ? 'repo' : 'tenant';
  const [name = ''] = segmentsOf(entry.path);
  const field = kind.fields[name];
  if (!field) return originOfRename(match, live, previous);
  const at = valueReader(kind, { name, field, path: entry.path });
  const ours = written ? at(written) : undefined;
  if (ours !== undefined && sameJson(ours, at(live.fields) ?? null)) return 'repo';
  const then = at(previous.fields);
  const repoMoved = !sameJson(then ?? null, at(resource.fields) ?? null);
  if (!repoMoved) return 'tenant';
  // What cannot be known of that time, such as an unset variable or a lookup, is not in the manifests of today.
  const past = field.is === 'json' ? then : get(previous.fields, name);
  if (then === undefined || past === undefined || isUnknown(past)) return 'repo';
  const tenantMoved =
    field.is === 'json'
      ? !sameJson(then, at(live.fields) ?? null)
      : compareField(name, field, get(previous.fields, name) ?? null, get(live.fields, name)).length > 0;
  return tenantMoved ? 'both' : 'repo';
}

/** Whether a value of that time holds a lookup, or a reference to what the tenant does not show any more. */
const isUnknown = (value: Json): boolean => hasLookup(value) || refsIn(value).length > 0;

/** The difference is one of the key. It is judged as objects are matched. */
function originOfRename({ kind, resource }: Match, live: LiveObject, previous: Resource): Origin {
  const then = identityOf(kind, previous.key);
  if (then === identityOf(kind, resource.key)) return 'tenant';
  return then === live.identity ? 'repo' : 'both';
}

interface DifferencePlace {
  readonly name: string;
  readonly field: Field;
  readonly path: Pointer;
}

/** Reads the value of a difference: the exact place inside JSON, else the whole field as it is compared. */
function valueReader(
  kind: Kind,
  { name, field, path }: DifferencePlace,
): (fields: JsonObject) => Json | undefined {
  if (field.is === 'json') return (fields) => valueAt(readableFields(kind, fields), path);
  return (fields) => {
    const value = get(fields, name);
    return value === undefined ? undefined : comparable(field, value);
  };
}
