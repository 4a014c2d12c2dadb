// Compiles each schema in schemas/ to a module in src/generated/validators: compiling them at run time takes
// 300 ms, loading them 5 ms. Writes the schemas that only editors use: of manifests, and of files with one environment.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Ajv2020 from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { editorSchema, environmentSchema } from './editor-schema.mjs';
import { publish } from './publish.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const suffix = '.schema.json';

/** `manifest` and `environment` are for editors. `lifecycle` is part of the schemas of kinds. `diff` is never read. */
const uncompiled = ['manifest', 'environment', 'lifecycle', 'diff'];
/** Schemas of other files than manifests. */
const others = ['fleet', 'plan', 'project', 'result'];

const names = readdirSync(`${root}schemas`)
  .filter((file) => file.endsWith(suffix))
  .map((file) => file.slice(0, -suffix.length))
  .filter((name) => !uncompiled.includes(name))
  .sort();

const ajv = new Ajv2020({
  code: { source: true },
  allErrors: true,
  ownProperties: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  verbose: true,
});
const schemas = new Map(
  names.map((name) => [name, JSON.parse(readFileSync(`${root}schemas/${name}${suffix}`, 'utf8'))]),
);
const lifecycle = JSON.parse(readFileSync(`${root}schemas/lifecycle${suffix}`, 'utf8'));
ajv.addSchema(lifecycle, `lifecycle${suffix}`);
for (const [name, schema] of schemas) ajv.addSchema(schema, `${name}${suffix}`);

mkdirSync(`${root}src/generated/validators`, { recursive: true });
for (const name of names) {
  // The code that ajv makes requires its helper functions; the bundle includes them.
  const { outputFiles } = await build({
    stdin: { contents: standaloneCode(ajv, ajv.getSchema(`${name}${suffix}`)), resolveDir: root },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    minify: true,
    write: false,
  });
  publish(`src/generated/validators/${name}.cjs`, outputFiles[0].text);
}

// Most runs need only two validators, so each is loaded when it is first used.
publish(
  'src/generated/validators.js',
  `import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

export const validators = {
${names.map((name) => `  get ${name}() {\n    return load('./validators/${name}.cjs');\n  },\n`).join('')}};
`,
);
publish(
  'src/generated/validators.d.ts',
  `import type { ValidateFunction } from 'ajv';

/** A validator for each schema in schemas/, by the schema's name. */
export declare const validators: Readonly<Record<${names.map((name) => JSON.stringify(name)).join(' | ')}, ValidateFunction>>;
`,
);
const ofKinds = new Map([...schemas].filter(([name]) => !others.includes(name)));
publish(`schemas/manifest${suffix}`, `${JSON.stringify(editorSchema(ofKinds, lifecycle), null, 2)}\n`);
publish(
  `schemas/environment${suffix}`,
  `${JSON.stringify(environmentSchema(schemas.get('project')), null, 2)}\n`,
);
