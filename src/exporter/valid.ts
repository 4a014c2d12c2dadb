import { validators } from '../generated/validators.js';
import type { Kind } from '../kinds/kind.ts';
import type { Member, Printable } from '../loader/print.ts';
import { type Json, type JsonObject, objectFrom } from '../model/json.ts';
import { segmentsOf } from '../model/pointer.ts';

/** What the loader would refuse: the whole object (and why), or some of its fields. */
export interface Refused {
  readonly whole: string | null;
  readonly fields: ReadonlySet<string>;
}

const validatorsByKind = new Map(Object.entries(validators));

/**
 * What of a manifest the kind's schema does not accept: a tenant may hold what a manifest may not say, such as a
 * medium that came after the documents.
 */
export function refusedBySchema(kind: Kind, key: readonly Member[], fields: readonly Member[]): Refused {
  const validate = validatorsByKind.get(kind.name);
  const refused = new Set<string>();
  if (!validate || validate(plainObject([['kind', kind.name], ...key, ...fields])))
    return { whole: null, fields: refused };
  for (const { instancePath, message = 'is not valid' } of validate.errors ?? []) {
    const [name] = segmentsOf(instancePath);
    const isField = fields.some(([field]) => field === name);
    if (isField && name !== undefined) refused.add(name);
    else return { whole: `${name ?? 'it'} ${message}`, fields: refused };
  }
  return { whole: null, fields: refused };
}

function plainObject(members: readonly Member[]): JsonObject {
  return objectFrom(members.map(([name, value]) => [name, plain(value)]));
}

/** The value as JSON: secrets, lookups and side files are text, whichever. */
export function plain(value: Printable): Json {
  if (value === null || typeof value !== 'object') return value;
  if ('tag' in value) return '…';
  return 'members' in value ? plainObject(value.members) : value.map(plain);
}
