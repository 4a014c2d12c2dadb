import { compareField, type FieldDifference } from '../kinds/compare.ts';
import { chooseSynonym, comparable, readableFields } from '../kinds/field.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { identityOf, type Match } from '../kinds/live-objects.ts';
import type { Resource } from '../kinds/resource.ts';
import { get, type Json, type JsonObject, sameJson } from '../model/json.ts';
import { refsIn } from '../model/marker.ts';
import type { Change, Origin } from '../model/plan.ts';
import { segmentsOf, valueAt } from '../model/pointer.ts';
import { hasLookup } from './fill-lookups.ts';

/** What is known of an object since an earlier revision of the manifests (`--since`). */
export interface Since {
  /** What that revision declared of it. */
  readonly previous: Resource | null;
  /** What later applies of this checkout wrote; `null`: they deleted it. */
  readonly written: JsonObject | null | undefined;
}

/** The differences with the side that moved since the revision, and what it declared where the tenant did. */
export function withOrigins(
  found: readonly FieldDifference[],
  match: Match,
  since: Since,
): FieldDifference[] {
  return found.map((entry) => {
    const origin = originOf(entry, match, since);
    const base =
      origin === 'repo' || !since.previous ? undefined : pastValue(entry, match.kind, since.previous);
    return { ...entry, origin, ...(base === undefined || sameJson(base, entry.after) ? {} : { base }) };
  });
}

/** Whether a change takes back what the tenant has changed or deleted since the revision. */
export function undoesTenant({ action, diff }: Change, { previous, written }: Since): boolean {
  const isGone = action === 'create' && previous !== null && written !== null;
  return isGone || diff.some(({ origin }) => origin === 'tenant' || origin === 'both');
}

function originOf({ path }: FieldDifference, match: Match, { previous, written }: Since): Origin {
  const { kind, resource, live } = match;
  if (!previous) return 'repo';
  if (!live) return written === null ? 'repo' : 'tenant';
  const [name = ''] = segmentsOf(path);
  const field = kind.fields[name];
  if (!field) return originOfRename(match, live, previous);
  // The exact place inside JSON, else the whole field as it is compared.
  const at = (fields: JsonObject): Json | undefined => {
    if (field.is === 'json') return valueAt(readableFields(kind, fields), path);
    const value = get(fields, name);
    return value === undefined ? undefined : comparable(field, value);
  };
  const ours = written ? at(written) : undefined;
  if (ours !== undefined && sameJson(ours, at(live.fields) ?? null)) return 'repo';
  const then = at(previous.fields);
  if (sameJson(then ?? null, at(resource.fields) ?? null)) return 'tenant';
  // What cannot be known of that time, such as an unset variable or a lookup, is not in the manifests of today.
  const past = field.is === 'json' ? then : get(previous.fields, name);
  if (then === undefined || past === undefined || isUnknown(past)) return 'repo';
  const tenantMoved =
    field.is === 'json'
      ? !sameJson(then, at(live.fields) ?? null)
      : compareField(name, field, get(previous.fields, name) ?? null, get(live.fields, name)).length > 0;
  return tenantMoved ? 'both' : 'repo';
}

/** What the revision declared at the place of a difference. Items of lists without order have no place to look at. */
function pastValue({ path }: FieldDifference, kind: Kind, { key, fields }: Resource): Json | undefined {
  const [name = '', ...inside] = segmentsOf(path);
  const field = kind.fields[name];
  if (!field) return key[0];
  const value = get(fields, name);
  if (value === undefined || isUnknown(value)) return undefined;
  if (field.is === 'json') return valueAt(readableFields(kind, fields), path);
  return inside.length > 0 ? undefined : chooseSynonym(field, value);
}

/** Whether a value of that time holds a lookup, or a reference to what the tenant does not show any more. */
const isUnknown = (value: Json): boolean => hasLookup(value) || refsIn(value).length > 0;

/** The difference is one of the key. It is judged as objects are matched. */
function originOfRename({ kind, resource }: Match, live: LiveObject, previous: Resource): Origin {
  const then = identityOf(kind, previous.key);
  if (then === identityOf(kind, resource.key)) return 'tenant';
  return then === live.identity ? 'repo' : 'both';
}
