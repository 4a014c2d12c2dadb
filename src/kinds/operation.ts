import type { Key } from '../model/address.ts';
import { isArray, isObject, type Json, type JsonObject, objectFrom, own, textOf } from '../model/json.ts';
import type { Action, Change, Request, Risk } from '../model/plan.ts';
import { segmentsOf } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';
import { apiRequest, encodeSegment } from './http.ts';

/**
 * A call of the API that changes objects of a kind. Requests are made from it, and before a plan is applied its requests
 * are checked against it, so that a plan can only do what it shows.
 */
export interface Operation {
  readonly method: Exclude<Request['method'], 'GET'>;
  /** From the base URL on; `{id}` stands for the object's id. */
  path(settings: ApiSettings): string;
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
  /** The values that it gives to whole fields, as far as the body shows them. */
  readonly values?: JsonObject;
}

/** How a body names an object; `null` for what it does not say. */
export interface Naming {
  readonly key: Key | null;
  readonly id: string | null;
}

/** Where an operation has the id of its object. */
export const idPlace = '{id}';

/** Whether the operation can only be called for an object with an id. */
export function needsId(operation: Operation, settings: ApiSettings): boolean {
  return operation.path(settings).split('/').includes(idPlace);
}

/** The path of an operation for an object. Throws a Failure for an id that cannot stand in a path. */
export function pathFor(operation: Operation, id: string | null, settings: ApiSettings): string {
  return operation
    .path(settings)
    .split('/')
    .map((segment) => (segment === idPlace && id !== null ? encodeSegment(id) : segment))
    .join('/');
}

/** The request of an operation. Throws a Failure for an id that cannot stand in a path. */
export function call(
  operation: Operation,
  settings: ApiSettings,
  { id = null, body }: { readonly id?: string | null; readonly body?: Json } = {},
): Request {
  const { method, contentType } = operation;
  return apiRequest(method, pathFor(operation, id, settings), settings, {
    ...(body === undefined ? {} : { body }),
    ...(contentType === undefined ? {} : { contentType }),
  });
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
    (id !== null || !needsId(each, settings)) &&
    pathFor(each, id, settings) === path;
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
    return key && isObject(body) ? { objects: [{ key, id: idIn(body) }], fields: null, values: body } : null;
  };

/**
 * Reads the operations of a JSON Patch. With `into`, the patch is of that field alone.
 *
 * @param name the field that is the object's key, where a patch may change it
 */
export function patchedFields(
  body: Json,
  { name, into }: { readonly name?: string; readonly into?: string } = {},
): Said | null {
  const items = isArray(body) ? body : null;
  const steps = items?.map(readStep) ?? [];
  const known = steps.filter((step) => step !== null);
  if (items === null || known.length < steps.length) return null;
  if (into !== undefined) return { objects: [], fields: [into] };
  const renames = known.filter(({ field }) => field === name);
  const whole = known.filter(({ isWhole }) => isWhole);
  return {
    objects: renames.map(({ value }) => ({ key: typeof value === 'string' ? [value] : [], id: null })),
    fields: known.map(({ field }) => field),
    values: objectFrom(whole.map(({ field, value }) => [field, value])),
  };
}

/** One step of a JSON Patch, in a field or of the whole of it. */
interface Step {
  readonly field: string;
  readonly isWhole: boolean;
  readonly value: Json;
}

/** A step that sets or removes something in one field. `move`, `copy` and `test` are never planned. */
function readStep(step: Json): Step | null {
  if (!isObject(step)) return null;
  const [field, ...below] = segmentsOf(textOf(step, 'path') ?? '');
  const op = textOf(step, 'op') ?? '';
  if (field === undefined || !['add', 'replace', 'remove'].includes(op)) return null;
  const value = op === 'remove' ? null : (own(step, 'value') ?? null);
  return { field, isWhole: below.length === 0, value };
}

/** The key that these members hold; `null` where one of them holds no text. */
export function keyIn(body: JsonObject, names: readonly string[]): Key | null {
  const key = names.map((name) => textOf(body, name));
  return key.every((part) => part !== null) ? key : null;
}

function idIn(body: JsonObject): string | null {
  const id = own(body, 'id') ?? null;
  return id === null || typeof id === 'string' ? id : JSON.stringify(id);
}
