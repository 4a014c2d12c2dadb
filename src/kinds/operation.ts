import type { Key } from '../model/address.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  own,
  textOf,
} from '../model/json.ts';
import type { Action, Change, Request, Risk } from '../model/plan.ts';
import { placesAbove, pointer, segmentsOf, setMember, valueAt } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';
import { type ApiResource, apiRequest, pathOf } from './http.ts';
import { applyMergePatch } from './json-patch.ts';

/**
 * A call of the API that changes objects of a kind. Requests are made from it, and before a plan is applied its requests
 * are checked against it, so that a plan can only do what it shows.
 */
export interface Operation {
  readonly method: Exclude<Request['method'], 'GET'>;
  readonly resource: ApiResource;
  /** Segments after the path of the resource; `{id}` stands for the object's id. */
  readonly below?: readonly string[];
  /** Of the body, where it is not JSON. */
  readonly contentType?: string;
  /** What a body says about its objects; `null` for a body that the operation does not have. Left out: it has none. */
  read?(body: Json): Said | null;
  /** What a reviewer should notice about a call with this body. */
  risk?(body: Json): readonly Risk[];
}

/** The operations that make each kind of change; none where the API has none. */
export type Operations = Readonly<Record<Exclude<Action, 'manual'>, readonly Operation[]>>;

/** What the body of a request says about the objects that it changes. */
export interface Said {
  /** The objects that it names. An object that the path names by its id need not be named again. */
  readonly objects: readonly Naming[];
  /** The fields that it writes; `null` where it writes the whole object. */
  readonly fields: readonly string[] | null;
  /**
   * What the fields that it writes are afterwards, with their names, and anything else that it sets; `null` where that
   * is not known. Of a body without markers.
   */
  after(before: Before): JsonObject | null;
}

/** An object before a request. */
export interface Before {
  /** With JSON in text parsed. */
  readonly fields: JsonObject;
  /** As the tenant shows it. */
  readonly raw: JsonObject;
  readonly settings: ApiSettings;
}

/** How a body names an object. */
export interface Naming {
  readonly key: Key;
  /** `null` where it does not say it. */
  readonly id: string | null;
}

/** Where an operation has the id of its object. */
export const idPlace = '{id}';

/** Whether the operation can only be called for an object with an id. */
export function needsId({ below = [] }: Pick<Operation, 'below'>): boolean {
  return below.includes(idPlace);
}

/** The segments of an operation for an object. */
function segmentsFor({ below = [] }: Operation, id: string | null): string[] {
  return below.map((segment) => (segment === idPlace ? (id ?? '') : segment));
}

/** The request of an operation. Throws a Failure for an id that cannot stand in a path. */
export function call(
  operation: Operation,
  settings: ApiSettings,
  { id = null, body }: { readonly id?: string | null; readonly body?: Json } = {},
): Request {
  const { method, resource, contentType } = operation;
  // A plan has no lanes: they are properties of its kinds.
  const { lane: _lane, ...request } = apiRequest(method, resource, settings, {
    below: segmentsFor(operation, id),
    body,
    contentType,
  });
  return request;
}

/** The operation that a request calls for the object with this id; `null` where it is none of them. */
export function operationOf(
  operations: readonly Operation[],
  { method, path }: Request,
  id: string | null,
  settings: ApiSettings,
): Operation | null {
  const isCalled = (each: Operation) =>
    each.method === method &&
    (id !== null || !needsId(each)) &&
    pathOf(each.resource.path(settings), ...segmentsFor(each, id)) === path;
  return operations.find(isCalled) ?? null;
}

/** What a reviewer should notice about the requests of a change. */
export function risksOf(
  operations: readonly Operation[],
  { id, requests }: Pick<Change, 'id' | 'requests'>,
  settings: ApiSettings,
): Risk[] {
  const risks = requests.flatMap(
    (request) => operationOf(operations, request, id, settings)?.risk?.(request.body) ?? [],
  );
  return [...new Set(risks)];
}

/** Reads a body that is a whole object with its key in these members, and perhaps its id. */
export const wholeObject =
  (...names: readonly string[]) =>
  (body: Json): Said | null => {
    const key = isObject(body) ? keyIn(body, names) : null;
    return key && isObject(body)
      ? { objects: [{ key, id: idIn(body) }], fields: null, after: () => body }
      : null;
  };

/**
 * Reads the operations of a JSON Patch. With `into`, the patch is of that field alone.
 *
 * @param name the field that is the object's key, where a patch may change it
 */
export function patchedFields(
  body: Json,
  { name, into }: { readonly name?: string | undefined; readonly into?: string } = {},
): Said | null {
  const items = isArray(body) ? body : null;
  const steps = items?.map((item) => readStep(item, into)) ?? [];
  const known = steps.filter((step) => step !== null);
  if (items === null || known.length < steps.length) return null;
  const renames = known.filter(({ field }) => field === name);
  return {
    objects: renames.map(({ value }) => ({ key: typeof value === 'string' ? [value] : [], id: null })),
    fields: known.map(({ field }) => field),
    after: ({ fields }) => known.reduce<JsonObject | null>(takeStep(fields), {}),
  };
}

interface MergedBody {
  /** The field that is the object's key, where a patch may change it. */
  readonly name?: string | undefined;
  /** Whether a field is replaced as a whole. */
  isWhole?(field: string, settings: ApiSettings): boolean;
}

/** Reads a JSON Merge Patch. It merges objects, and replaces text as a whole, also where that holds JSON. */
export function mergedFields(body: Json, { name, isWhole = () => false }: MergedBody = {}): Said | null {
  if (!isObject(body)) return null;
  const renamed = name === undefined ? undefined : own(body, name);
  return {
    objects: renamed === undefined ? [] : [{ key: typeof renamed === 'string' ? [renamed] : [], id: null }],
    fields: Object.keys(body),
    after: ({ fields, settings }) =>
      mapMembers(body, (patch, member) =>
        isWhole(member, settings) ? patch : applyMergePatch(own(fields, member) ?? null, patch),
      ),
  };
}

/** One step of a JSON Patch, in a field or of the whole of it. */
interface Step {
  readonly field: string;
  /** The place in the field; empty for the whole of it. */
  readonly below: readonly string[];
  /** `null` where it is removed. */
  readonly value: Json;
}

/** A step that sets or removes something in one field. `move`, `copy` and `test` are never planned. */
function readStep(step: Json, into: string | undefined): Step | null {
  if (!isObject(step) || Object.keys(step).some((name) => !['op', 'path', 'value'].includes(name)))
    return null;
  const at = segmentsOf(textOf(step, 'path') ?? '');
  const [field, ...below] = into === undefined || at.length === 0 ? at : [into, ...at];
  const op = textOf(step, 'op') ?? '';
  if (field === undefined || !['add', 'replace', 'remove'].includes(op)) return null;
  const value = op === 'remove' ? null : (own(step, 'value') ?? null);
  return { field, below, value };
}

/** Adds to the fields that were written what a step writes; `null` where that is not known. */
const takeStep =
  (fields: JsonObject) =>
  (written: JsonObject | null, { field, below, value }: Step): JsonObject | null => {
    if (written === null) return null;
    const current = own(written, field) ?? own(fields, field) ?? null;
    // No plan needs a place in a list.
    const isInList = placesAbove(pointer(...below)).some((at) => isArray(valueAt(current, at)));
    return isInList
      ? null
      : objectFrom([...Object.entries(written), [field, setMember(current, below, value)]]);
  };

/** The key that these members hold; `null` where one of them holds no text. */
export function keyIn(body: JsonObject, names: readonly string[]): Key | null {
  const key = names.map((name) => textOf(body, name));
  return key.every((part) => part !== null) ? key : null;
}

/** A key as the members with these names. */
export function keyMembers(names: readonly string[], key: Key): JsonObject {
  return objectFrom(names.map((name, at) => [name, key[at] ?? null]));
}

/** An id as text: some hosts count them. `null` for other values. */
export function idText(id: Json | undefined): string | null {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}

/** The id that a body names, as text. */
function idIn(body: JsonObject): string | null {
  const id = own(body, 'id') ?? null;
  return id === null || typeof id === 'string' ? id : JSON.stringify(id);
}
