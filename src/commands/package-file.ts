import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { editorSchema } from '../generated/validators.js';
import type { Kind } from '../kinds/kind.ts';
import type { Kinds } from '../kinds/project.ts';
import { getObject, getText, isObject, type JsonObject, parseJson } from '../model/json.ts';

const root = dirname(createRequire(import.meta.url).resolve('tenantctl/package.json'));

/** The absolute path of a file that the package contains in addition to the program: examples, schemas, the codes' page. */
export function packageFile(path: string): string {
  return join(root, path);
}

/** Where a page such as `docs/commands.md#plan` is: below the homepage in package.json, else in the package on this machine. */
export function documentation(
  page: string,
  manifest = parseJson(readFileSync(packageFile('package.json'), 'utf8')),
): string {
  const homepage = isObject(manifest) ? getText(manifest, 'homepage') : null;
  return homepage === null ? packageFile(page) : `${homepage.replace(/\/*(?:#.*)?$/, '')}/${page}`;
}

/** The schemas besides those of single kinds. `manifest` covers the manifests of all kinds. */
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

function readSchema(name: string): JsonObject {
  const schema = parseJson(readFileSync(schemaFile(name), 'utf8'));
  if (!isObject(schema)) throw new Error(`schemas/${name}.schema.json is not a JSON object.`);
  return schema;
}

const schemaFile = (name: string) => packageFile(`schemas/${name}.schema.json`);

/** True when a schema is the same in every project. */
export function isInPackage(name: string): boolean {
  return name !== 'manifest' && existsSync(schemaFile(name));
}

/** The schema of a kind's manifests. It refers to `lifecycle.schema.json`. */
function schemaOfKind({ name, described }: Kind): JsonObject {
  return described && !isInPackage(name) ? described.schema() : readSchema(name);
}

/** The schema of the manifests of all kinds, for editors: it needs no other file. */
export function manifestSchema(kinds: Kinds): JsonObject {
  const sorted = kinds.all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const schemas = new Map(sorted.map((kind) => [kind.name, schemaOfKind(kind)]));
  return editorSchema(schemas, readSchema('lifecycle'));
}

/** The schema of a kind, or another one, with the shared `lifecycle` schema in it: it can be used without other files. */
export function wholeSchema(name: string, kinds: Kinds): JsonObject {
  const kind = kinds.find(name);
  const schema = kind ? schemaOfKind(kind) : name === 'manifest' ? manifestSchema(kinds) : readSchema(name);
  const text = JSON.stringify(schema);
  if (!text.includes(shared)) return schema;
  const { $schema: _, ...lifecycle } = readSchema('lifecycle');
  const inner = JSON.stringify(lifecycle).replaceAll('"#/', '"#/$defs/lifecycle/');
  const outer = text.replaceAll(`"${shared}#/`, `"${shared}/`).replaceAll(shared, '#/$defs/lifecycle');
  const whole = parseJson(outer);
  if (!isObject(whole)) return schema;
  return { ...whole, $defs: { ...getObject(whole, '$defs'), lifecycle: parseJson(inner) ?? null } };
}

/** The file that the schemas of kinds refer to. */
const shared = 'lifecycle.schema.json';
