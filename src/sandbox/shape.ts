import { get, isArray, isObject, type Json, type JsonObject, parseJson } from '../model/json.ts';

/** A request, or a value of the wrong shape, that is refused; `message` says why. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Reads one value; `at` names its place in messages, `whole` is the object around it. Throws a 400. */
export type Read<T> = (value: Json | undefined, at: string, whole?: JsonObject) => T;

export function refuse(at: string, why: string): never {
  throw new ApiError(400, `${at} ${why}`);
}

export const textOrNull: Read<string | null> = (value = null, at) =>
  value === null || typeof value === 'string' ? value : refuse(at, 'must be a string');

/** Text of at least one character. */
export const text: Read<string> = (value, at) =>
  textOrNull(value, at) || refuse(at, 'is required and must be a non-empty string');

export const textOr =
  (fallback: string): Read<string> =>
  (value, at) =>
    textOrNull(value, at) ?? fallback;

/** A time in ISO 8601, UTC, which the server sets itself: what a client sends is checked and ignored. */
export const ignoredTime: Read<null> = (value, at) => {
  const given = textOrNull(value, at);
  if (given !== null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(given))
    refuse(at, 'must be a time in ISO 8601, UTC');
  return null;
};

export const bool =
  (fallback: boolean | null): Read<boolean> =>
  (value, at) => {
    const given = value ?? fallback;
    return typeof given === 'boolean' ? given : refuse(at, 'must be a boolean');
  };

export const numberOrNull: Read<number | null> = (value = null, at) =>
  value === null || typeof value === 'number' ? value : refuse(at, 'must be a number');

export const choice =
  <const T extends string>(values: readonly T[], fallback?: NoInfer<T>): Read<T> =>
  (value, at) =>
    values.find((candidate) => candidate === (value ?? fallback)) ??
    refuse(at, `must be one of ${values.join(', ')}`);

/** `read`, but null for a value that is absent or null. */
export const orNull =
  <T>(read: Read<T>): Read<T | null> =>
  (value = null, at) =>
    value === null ? null : read(value, at);

export const objectOrEmpty: Read<JsonObject> = (value, at) => {
  const given = value ?? {};
  return isObject(given) ? given : refuse(at, 'must be an object');
};

/** An absent or null list is empty. */
export const list =
  <T>(read: Read<T>): Read<T[]> =>
  (value, at) => {
    const items = value ?? [];
    if (!isArray(items)) return refuse(at, 'must be an array');
    return items.map((item, index) => read(item, `${at}[${index}]`));
  };

export const texts = list((value, at) =>
  typeof value === 'string' ? value : refuse(at, 'must be a string'),
);

/** Like {@link list}, but also takes text with one JSON value on each line, which loads faster. */
export const lines =
  <T>(read: Read<T>): Read<T[]> =>
  (value, at) => {
    if (typeof value !== 'string') return list(read)(value, at);
    return value.split('\n').flatMap((line, index) => {
      const place = `${at}, line ${index + 1},`;
      const item = line.trim() === '' ? null : parseJson(line);
      if (item === undefined) return refuse(place, 'is not JSON');
      return item === null ? [] : [read(item, place)];
    });
  };

type Shape<T> = { readonly [K in keyof T]: Read<T[K]> };

/** An object with members of these shapes, and no others. */
export function object<T extends object>(shape: Shape<T>): Read<T> {
  const readMembers = members(shape);
  return (value, at) => {
    const read = readMembers(value, at);
    const unknown = Object.keys(isObject(value) ? value : {}).filter((name) => !Object.hasOwn(shape, name));
    if (unknown.length > 0) refuse(at, `has unknown fields: ${unknown.join(', ')}`);
    return read;
  };
}

/** A list of objects with these members. */
export const records = <T extends object>(shape: Shape<T>): Read<T[]> => list(object(shape));

/** The members of an object that have these shapes; others are ignored. */
export function members<T extends object>(shape: Shape<T>): Read<T> {
  return (value, at) => {
    if (!isObject(value)) return refuse(at, 'must be an object');
    const read: Partial<T> = {};
    for (const name in shape) read[name] = shape[name](get(value, name), `${at}.${name}`, value);
    return hasAll(read, shape) ? read : refuse(at, 'lacks members');
  };
}

function hasAll<T extends object>(value: Partial<T>, shape: Shape<T>): value is T {
  return Object.keys(shape).every((name) => Object.hasOwn(value, name));
}
