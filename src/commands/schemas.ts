import { existsSync, readFileSync } from 'node:fs';
import { editorSchema } from '../generated/validators.js';
import type { Kinds } from '../kinds/catalog.ts';
import type { Kind } from '../kinds/kind.ts';
import { isObject, type JsonObject, parseJson } from '../model/json.ts';
import { packageFile } from './package-file.ts';

/** The schemas of other things than manifests of one kind. `manifest` is of those of all kinds. */
export const otherSchemas = [
  'manifest',
  'project',
  'environment',
  'kind',
  'plan',
  'result',
  'fleet',
  'diff',
] as const;

/** A schema that is in the package. */
export function readSchema(name: string): JsonObject {
  const schema = parseJson(readFileSync(schemaFile(name), 'utf8'));
  if (!isObject(schema)) throw new Error(`schemas/${name}.schema.json is not a JSON object.`);
  return schema;
}

const schemaFile = (name: string) => packageFile(`schemas/${name}.schema.json`);

/** The schema of a kind's manifests. It refers to `lifecycle.schema.json`. */
export function schemaOfKind({ name, manifestSchema }: Kind): JsonObject {
  return manifestSchema && !existsSync(schemaFile(name)) ? manifestSchema() : readSchema(name);
}

/** The schema of the manifests of all kinds, for editors: it needs no other file. */
export function manifestSchema(kinds: Kinds): JsonObject {
  const sorted = kinds.all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const schemas = new Map(sorted.map((kind) => [kind.name, schemaOfKind(kind)]));
  return editorSchema(schemas, readSchema('lifecycle'));
}
