import { isArray, isObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import { ShapeError } from './shape.ts';
import type { Variations } from './variations.ts';

/**
 * An object that the contract sends as text: read from text, or from an object on tenants that want objects.
 * Throws `ShapeError` for the other form, and for text that holds no JSON object.
 */
export function readJsonText(
  value: Json,
  at: string,
  { jsonText }: Pick<Variations, 'jsonText'>,
): JsonObject | null {
  if (value === null) return null;
  if (jsonText === 'object') {
    if (!isObject(value)) throw new ShapeError(`${at} must be an object`);
    return value;
  }
  const parsed = typeof value === 'string' ? parseJson(value) : undefined;
  if (!isObject(parsed)) throw new ShapeError(`${at} must be text that holds a JSON object`);
  return parsed;
}

/** An object in the form in which the tenant answers it. */
export function writeJsonText(value: JsonObject | null, { jsonText }: Pick<Variations, 'jsonText'>): Json {
  if (value === null) return null;
  switch (jsonText) {
    case 'text':
      return JSON.stringify(value);
    case 'object':
      return value;
    case 'map':
      return mapText(value);
  }
}

/** `{a=b, c=d}`, as some servers print a map. */
function mapText(value: Json): string {
  if (isArray(value)) return `[${value.map(mapText).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, item]) => `${key}=${mapText(item)}`);
    return `{${members.join(', ')}}`;
  }
  return String(value);
}
