import { isArray, isObject, type Json, type JsonObject, objectFrom, own, parseJson } from '../model/json.ts';

/** A value of the wrong shape; `message` says where and why. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

/**
 * Reads the members of one JSON object as typed values. Every method throws {@link ShapeError} for a member of the
 * wrong type. Call {@link Fields.end} at the end: it throws for members that were not read.
 */
export class Fields {
  readonly #object: JsonObject;
  readonly #at: string;
  readonly #read = new Set<string>();

  constructor(value: Json | undefined, at: string) {
    if (!isObject(value)) throw new ShapeError(`${at} must be an object`);
    this.#object = value;
    this.#at = at;
  }

  /** Whether the member is present and not null. */
  has(name: string): boolean {
    this.#read.add(name);
    return (own(this.#object, name) ?? null) !== null;
  }

  /** Whether the member is present, even as null. */
  includes(name: string): boolean {
    this.#read.add(name);
    return Object.hasOwn(this.#object, name);
  }

  /** The member as it is; null if absent. */
  json(name: string): Json {
    this.#read.add(name);
    return own(this.#object, name) ?? null;
  }

  /** Text of at least one character. */
  text(name: string): string {
    const value = this.textOrNull(name);
    if (value === null || value === '') throw this.#wrong(name, 'is required and must be a non-empty string');
    return value;
  }

  textOrNull(name: string): string | null {
    const value = this.json(name);
    if (value !== null && typeof value !== 'string') throw this.#wrong(name, 'must be a string');
    return value;
  }

  textOr(name: string, fallback: string): string {
    return this.textOrNull(name) ?? fallback;
  }

  /** Skips a time in ISO 8601, UTC, which the server sets itself. */
  ignoreTime(name: string): void {
    const text = this.textOrNull(name);
    if (text !== null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text))
      throw this.#wrong(name, 'must be a time in ISO 8601, UTC');
  }

  bool(name: string, fallback: boolean | null): boolean {
    const value = this.json(name) ?? fallback;
    if (typeof value !== 'boolean') throw this.#wrong(name, 'must be a boolean');
    return value;
  }

  numberOrNull(name: string): number | null {
    const value = this.json(name);
    if (value !== null && typeof value !== 'number') throw this.#wrong(name, 'must be a number');
    return value;
  }

  /** One of `values`. */
  choice<T extends string>(name: string, values: readonly T[], fallback?: T): T {
    const value = this.json(name) ?? fallback;
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw this.#wrong(name, `must be one of ${values.join(', ')}`);
    return found;
  }

  objectOrNull(name: string): JsonObject | null {
    const value = this.json(name);
    if (value !== null && !isObject(value)) throw this.#wrong(name, 'must be an object');
    return value;
  }

  /** The items of a list, each read by `read`; an absent or null list is empty. */
  list<T>(name: string, read: Read<T>): T[] {
    const value = this.json(name) ?? [];
    if (!isArray(value)) throw this.#wrong(name, 'must be an array');
    return value.map((item, index) => read(item, `${this.#at}.${name}[${index}]`));
  }

  /** Like {@link Fields.list}, but also takes text with one JSON value on each line, which loads faster. */
  lines<T>(name: string, read: Read<T>): T[] {
    const value = this.json(name);
    if (typeof value !== 'string') return this.list(name, read);
    return value.split('\n').flatMap((line, index) => {
      const at = `${this.#at}.${name}, line ${index + 1},`;
      const item = line.trim() === '' ? null : parseJson(line);
      if (item === undefined) throw new ShapeError(`${at} is not JSON`);
      return item === null ? [] : [read(item, at)];
    });
  }

  texts(name: string): string[] {
    return this.list(name, (item, at) => {
      if (typeof item !== 'string') throw new ShapeError(`${at} must be a string`);
      return item;
    });
  }

  /** The members that were not read yet; then they are. */
  rest(): JsonObject {
    const unread = Object.entries(this.#object).filter(([name]) => !this.#read.has(name));
    for (const [name] of unread) this.#read.add(name);
    return objectFrom(unread);
  }

  /** Throws if there are members that were not read. */
  end(): void {
    const unknown = Object.keys(this.#object).filter((name) => !this.#read.has(name));
    if (unknown.length > 0) throw new ShapeError(`${this.#at} has unknown fields: ${unknown.join(', ')}`);
  }

  #wrong(name: string, why: string): ShapeError {
    return new ShapeError(`${this.#at}.${name} ${why}`);
  }
}

/** Reads one value; `at` names its place in messages. */
export type Read<T> = (value: Json, at: string) => T;

/** A reader of one object, which refuses members that `build` does not read. */
export function objectReader<T>(build: (fields: Fields, at: string) => T): Read<T> {
  return (value, at) => {
    const fields = new Fields(value, at);
    const result = build(fields, at);
    fields.end();
    return result;
  };
}
