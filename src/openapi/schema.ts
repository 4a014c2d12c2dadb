import { isArray, isObject, type Json, own, textOf } from '../model/json.ts';
import type { OpenApi, Part } from './document.ts';

/** What a JSON Schema says about a value, with `allOf`, `oneOf` and `anyOf` put together. */
export interface Shape {
  readonly types: ReadonlySet<string>;
  readonly properties: ReadonlyMap<string, Part>;
  readonly items: Part | null;
  readonly choices: readonly Json[];
  readonly description: string;
  readonly format: string | null;
  readonly maxLength: number;
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
}

/** A schema with more parts is not looked at any further: nobody wrote it. */
const mostParts = 500;

/** Reads a schema. Properties of alternatives are all included, since an object may have any of them. */
export function shapeOf(api: OpenApi, schema: Part | null): Shape {
  const parts = schema ? partsOf(api, schema) : [];
  const values = parts.map(({ value }) => value);
  const first = (name: string) =>
    values.map((value) => textOf(value, name)).find((text) => text !== null) ?? null;
  const has = (name: string) => values.some((value) => own(value, name) === true);
  const properties = new Map<string, Part>();
  for (const part of parts) {
    const members = api.at(part, 'properties');
    for (const [name, schema] of Object.entries(members?.value ?? {})) {
      // `true` is the schema of any value, as `{}` is. So is one whose reference is not followed: nothing is known of it.
      const isUnknown = schema === true || isObject(schema);
      const property = members && (api.at(members, name) ?? (isUnknown ? { ...members, value: {} } : null));
      if (property && !properties.has(name)) properties.set(name, property);
    }
  }
  return {
    types: new Set(values.flatMap(typesIn).filter((type) => type !== 'null')),
    properties,
    items: parts.map((part) => api.at(part, 'items')).find((items) => items !== null) ?? null,
    choices: values.flatMap((value) => listIn(own(value, 'const') ?? null, own(value, 'enum'))),
    description: first('description') ?? '',
    format: first('format'),
    maxLength: Math.max(0, ...values.map((value) => Number(own(value, 'maxLength') ?? 0) || 0)),
    readOnly: has('readOnly'),
    writeOnly: has('writeOnly'),
  };
}

/** A schema and all that it is put together from, each once. */
function partsOf(api: OpenApi, schema: Part): Part[] {
  const parts = [schema];
  const seen = new Set([schema.value]);
  for (const part of parts) {
    for (const name of ['allOf', 'oneOf', 'anyOf']) {
      for (const each of api.list(part, name)) {
        if (seen.has(each.value) || parts.length >= mostParts) continue;
        seen.add(each.value);
        parts.push(each);
      }
    }
  }
  return parts;
}

function typesIn(schema: Part['value']): string[] {
  const type = own(schema, 'type');
  if (typeof type === 'string') return [type];
  if (isArray(type)) return type.filter((each) => typeof each === 'string');
  return own(schema, 'properties') === undefined ? [] : ['object'];
}

function listIn(only: Json, choices: Json | undefined): readonly Json[] {
  if (isArray(choices)) return choices.filter((choice) => choice !== null);
  return only === null ? [] : [only];
}
