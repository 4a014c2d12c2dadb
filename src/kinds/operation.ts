import type { Key } from '../model/address.ts';
import { getText, type Json, type JsonObject, objectFrom } from '../model/json.ts';
import type { Request } from '../model/plan.ts';
import type { ApiSettings } from '../model/settings.ts';
import { type ApiResource, apiRequest, type CallParts } from './http.ts';

/** A call of the API that changes objects of a kind. */
export interface Operation {
  readonly method: Exclude<Request['method'], 'GET'>;
  readonly resource: ApiResource;
  /** Segments after the path of the resource; `{id}` stands for the object's id. */
  readonly below?: readonly string[];
  /** Of the body, where it is not JSON. */
  readonly contentType?: string;
}

export const idPlace = '{id}';

/** The request of an operation. Throws a Failure for an id that cannot stand in a path. */
export function call(
  { method, resource, below = [], contentType }: Operation,
  settings: ApiSettings,
  { id = null, body, above }: { readonly id?: Json; readonly body?: Json } & Pick<CallParts, 'above'> = {},
): Request {
  const segments = below.map((segment) => (segment === idPlace ? (id ?? '') : segment));
  // A plan has no lanes: they are properties of its kinds.
  const { lane: _lane, ...request } = apiRequest(method, resource, settings, {
    ...(above && { above }),
    below: segments,
    body,
    contentType,
  });
  return request;
}

/** The key that these members hold; `null` where one of them holds no text. */
export function keyIn(body: JsonObject, names: readonly string[]): Key | null {
  const key = names.map((name) => getText(body, name));
  return key.every((part) => part !== null) ? key : null;
}

export function keyMembers(names: readonly string[], key: Key): JsonObject {
  return objectFrom(names.map((name, at) => [name, key[at] ?? null]));
}

/** An id as text: some hosts count them. `null` for other values. */
export function idText(id: Json | undefined): string | null {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}
