import { formatAddress, type Key } from '../model/address.ts';
import { sha256 } from '../model/hash.ts';
import { type JsonObject, objectFrom, own } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import type { ApiSettings } from '../model/settings.ts';
import { comparable } from './field.ts';
import type { Facts, Kind } from './kind.ts';

/**
 * An answer of the API as a live object; `null` where the kind says the row is none of its own.
 *
 * @param id the id that was asked for, where the answer itself has none
 */
export function liveObject(
  kind: Kind,
  raw: JsonObject,
  settings: ApiSettings,
  id: string | null,
): LiveObject | null {
  const facts = kind.parse(raw, settings, id);
  if (!facts) return null;
  const { key, fields, hidden = [] } = facts;
  let fingerprint: string | null = null;
  return {
    kind: kind.name,
    key,
    address: formatAddress(kind.name, key),
    id: facts.id,
    fields,
    hidden,
    raw,
    // Only objects that change are asked for it, mostly few of those that are read.
    get fingerprint() {
      fingerprint ??= fingerprintOf(kind, facts);
      return fingerprint;
    },
  };
}

function fingerprintOf(kind: Kind, { key, id, fields, hidden = [], carried = {} }: Facts): string {
  const compared = objectFrom(
    Object.entries(kind.fields).map(([name, field]) => [name, comparable(field, own(fields, name))]),
  );
  return sha256({ kind: kind.name, key: [...key], id, fields: compared, hidden: [...hidden], carried });
}

/** The key in the form that decides whether two are one object: folded where the kind says so. */
export function identityOf(kind: Kind, key: Key): string {
  const parts = key.map((part, at) => (kind.keyFields[at]?.foldCase ? part.toLowerCase() : part));
  return formatAddress(kind.name, parts);
}
