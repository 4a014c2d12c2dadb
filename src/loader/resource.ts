import { kindNamed } from '../kinds/index.ts';
import type { Address, Key } from '../model/address.ts';
import type { Source } from '../model/diagnostic.ts';
import { digestOf } from '../model/hash.ts';
import { isArray, isObject, type Json, type JsonObject } from '../model/json.ts';
import { lookupOf, secretName } from '../model/marker.ts';
import { type Pointer, valueAt } from '../model/pointer.ts';
import type { Lifecycle, Resource } from '../model/resource.ts';
import type { Content } from './contents.ts';
import type { YamlDocument } from './document.ts';
import { sourceOf } from './file.ts';
import { placeInside } from './inside.ts';
import type { Outline } from './outline.ts';
import { type Found, findNode } from './position.ts';

/** Where a resource comes from. What costs something is made when somebody asks for it. */
export interface Origin {
  readonly address: Address;
  readonly document: YamlDocument;
  find(at: Pointer): Found;
  /** The manifest's whole value, tags read and overlays laid over it. */
  value(): JsonObject;
  readonly digest: string | null;
}

/** The resource that a manifest declares. */
export function resourceOf(outline: Outline, origin: Origin): Resource {
  const { kind, key, id, ensure, lifecycle } = outline;
  return {
    kind,
    key,
    address: origin.address,
    id,
    ensure,
    fields: fieldsOf(outline, origin.value()),
    lifecycle,
    digest: origin.digest,
    source: sourceOf(origin.document),
    locate: (at) => sourceOf(origin.find(at).place),
    point: (at, offset) => pointInto(origin, at, offset),
  };
}

/** A resource that is known from an earlier run, whose fields are read when somebody asks for them. */
export class KnownResource implements Resource {
  readonly kind: string;
  readonly key: Key;
  readonly address: Address;
  readonly id: string | null;
  readonly ensure: Resource['ensure'];
  readonly lifecycle: Lifecycle;
  readonly digest: string | null;
  readonly #content: Content;
  #fields: JsonObject | null = null;

  constructor({ kind, key, id, ensure, lifecycle }: Outline, address: Address, content: Content) {
    this.kind = kind;
    this.key = key;
    this.address = address;
    this.id = id;
    this.ensure = ensure;
    this.lifecycle = lifecycle;
    this.digest = content.digest;
    this.#content = content;
  }

  get fields(): JsonObject {
    this.#fields ??= fieldsOf(this, this.#origin.value());
    return this.#fields;
  }

  get source(): Source {
    return sourceOf(this.#content.document);
  }

  locate(at: Pointer): Source {
    return sourceOf(this.#origin.find(at).place);
  }

  point(at: Pointer, offset?: number): ReturnType<Resource['point']> {
    return pointInto(this.#origin, at, offset);
  }

  get #origin(): Pick<Origin, 'find' | 'value'> {
    const { document, tree } = this.#content;
    return {
      find: (at) => findNode(document, at),
      value() {
        const { value } = tree();
        return isObject(value) ? value : {};
      },
    };
  }
}

function pointInto(
  origin: Pick<Origin, 'find' | 'value'>,
  at: Pointer,
  offset?: number,
): ReturnType<Resource['point']> {
  const found = origin.find(at);
  const text = offset === undefined ? undefined : valueAt(origin.value(), at);
  const inside = typeof text === 'string' ? placeInside(found, text, offset ?? 0) : null;
  const place = inside ?? found.place;
  return { source: sourceOf(place), excerpt: place.file.excerpt(place.offset) };
}

function fieldsOf({ kind }: Pick<Outline, 'kind'>, value: JsonObject): JsonObject {
  const { fields: known } = kindNamed(kind);
  const fields: Record<string, Json> = {};
  // Only names that the kind knows, so that none reaches a prototype.
  for (const [name, item] of Object.entries(value)) if (Object.hasOwn(known, name)) fields[name] = item;
  return fields;
}

/** The digest of a declaration; `null` where secrets or lookups have a say, which no digest knows. */
export function declarationDigest(
  { kind, key, id, ensure, lifecycle }: Outline,
  value: JsonObject,
): string | null {
  if (isOpen(value)) return null;
  return digestOf(JSON.stringify([kind, key, id, ensure, lifecycle, value]));
}

function isOpen(value: Json): boolean {
  if (isArray(value)) return value.some(isOpen);
  if (!isObject(value)) return false;
  return secretName(value) !== null || lookupOf(value) !== null || Object.values(value).some(isOpen);
}
