// Compiles each schema in schemas/ to a module in src/generated/validators: compiling them at run time takes
// 300 ms, loading them 5 ms. Writes the schemas that only editors use: of manifests, and of files with one environment.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { editorSchema, environmentSchema } from './editor-schema.mjs';
import { publish } from './publish.mjs';
import { newCompiler } from './schema-compiler.mjs';
import { typeNamed, typesOf } from './schema-types.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const suffix = '.schema.json';

/** `manifest` and `environment` are for editors. `lifecycle` is part of the schemas of kinds. `diff` is never read. */
const uncompiled = ['manifest', 'environment', 'lifecycle', 'diff'];
/** Schemas of other files than manifests. */
const others = ['fleet', 'journalRecord', 'kind', 'plan', 'project', 'result'];

const names = readdirSync(`${root}schemas`)
  .filter((file) => file.endsWith(suffix))
  .map((file) => file.slice(0, -suffix.length))
  .filter((name) => !uncompiled.includes(name))
  .sort();

const ajv = newCompiler({ code: { source: true } });
const read = (name) => JSON.parse(readFileSync(`${root}schemas/${name}${suffix}`, 'utf8'));
const schemas = new Map(names.map((name) => [name, read(name)]));
for (const [name, schema] of schemas) ajv.addSchema(schema, `${name}${suffix}`);

for (const folder of ['validators', 'schemas'])
  mkdirSync(`${root}src/generated/${folder}`, { recursive: true });
const typed = [...others, 'diff'];
for (const name of typed) publish(`src/generated/schemas/${name}.ts`, typesOf(name, read(name)));
/** Publishes a module with everything that it requires. */
async function bundle(name, contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: `${root}scripts` },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    minify: true,
    write: false,
  });
  publish(`src/generated/validators/${name}.cjs`, outputFiles[0].text);
}
// The code that ajv makes requires its helper functions.
for (const name of names) await bundle(name, standaloneCode(ajv, ajv.getSchema(`${name}${suffix}`)));
await bundle(
  'compiler',
  "export { compile } from './schema-compiler.mjs'; export { editorSchema } from './editor-schema.mjs';",
);

// Most runs need only two validators, so each is loaded when it is first used.
publish(
  'src/generated/validators.js',
  `import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

export const validators = {
${names.map((name) => `  get ${name}() {\n    return load('./validators/${name}.cjs');\n  },\n`).join('')}};

export const compileSchema = (schema) => load('./validators/compiler.cjs').compile(schema);
export const editorSchema = (...given) => load('./validators/compiler.cjs').editorSchema(...given);
`,
);
publish(
  'src/generated/validators.d.ts',
  `import type { ValidateFunction } from 'ajv';
${others.map((name) => `import type * as ${name} from './schemas/${name}.ts';\n`).join('')}
/** A validator for each schema in schemas/, by the schema's name. */
export declare const validators: {
${names.map((name) => `  readonly ${name}: ValidateFunction${others.includes(name) ? `<${name}.${typeNamed(name)}>` : ''};\n`).join('')}};

/** The validator of a schema that is only known now. It may refer to lifecycle.schema.json. Takes a tenth of a second. */
export declare function compileSchema(schema: object): ValidateFunction;

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [name: string]: Json;
}

/** One schema of the manifests of several kinds, from those of each and of the lifecycle that they share. */
export declare function editorSchema(schemas: ReadonlyMap<string, JsonObject>, lifecycle: JsonObject): JsonObject;
`,
);
const ofKinds = new Map([...schemas].filter(([name]) => !others.includes(name)));
publish(
  `schemas/manifest${suffix}`,
  `${JSON.stringify(editorSchema(ofKinds, read('lifecycle')), null, 2)}\n`,
);
publish(
  `schemas/environment${suffix}`,
  `${JSON.stringify(environmentSchema(schemas.get('project')), null, 2)}\n`,
);
