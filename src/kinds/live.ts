import { type Address, formatAddress, type Key } from '../model/address.ts';
import { sha256 } from '../model/hash.ts';
import { type JsonObject, objectFrom, own } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import type { Pointer } from '../model/pointer.ts';
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
    equalTo: null,
  };
}

/** A live object that is known from an earlier run, and read when somebody asks for more. */
export class KnownLiveObject implements LiveObject {
  readonly kind: string;
  readonly key: Key;
  readonly address: Address;
  readonly id: string | null;
  readonly equalTo: string | null;
  readonly #read: () => LiveObject;
  #whole: LiveObject | null = null;

  /** @param read gives the object as {@link liveObject} does */
  constructor(
    kind: Kind,
    { key, id, equalTo }: Pick<LiveObject, 'key' | 'id' | 'equalTo'>,
    read: () => LiveObject,
  ) {
    this.kind = kind.name;
    this.key = key;
    this.address = formatAddress(kind.name, key);
    this.id = id;
    this.equalTo = equalTo;
    this.#read = read;
  }

  get fields(): JsonObject {
    return this.#object.fields;
  }

  get hidden(): readonly Pointer[] {
    return this.#object.hidden;
  }

  get raw(): JsonObject {
    return this.#object.raw;
  }

  get fingerprint(): string {
    return this.#object.fingerprint;
  }

  get #object(): LiveObject {
    this.#whole ??= this.#read();
    return this.#whole;
  }
}

function fingerprintOf(kind: Kind, { key, id, fields, hidden = [], carried }: Facts): string {
  const compared = objectFrom(
    Object.entries(kind.fields).map(([name, field]) => [name, comparable(field, own(fields, name))]),
  );
  const more = carried?.() ?? {};
  return sha256({ kind: kind.name, key: [...key], id, fields: compared, hidden: [...hidden], carried: more });
}

/** The identity of an object whose address is known: mostly that address. */
export function identityOfObject(kind: Kind, { key, address }: Pick<LiveObject, 'key' | 'address'>): string {
  return kind.keyFields.some(({ foldCase }) => foldCase) ? identityOf(kind, key) : address;
}

/** The key in the form that decides whether two are one object: folded where the kind says so. */
export function identityOf(kind: Kind, key: Key): string {
  const parts = key.map((part, at) => (kind.keyFields[at]?.foldCase ? part.toLowerCase() : part));
  return formatAddress(kind.name, parts);
}
