// Compiles schemas/*.schema.json to src/generated/validators.js: compiling them at run time costs 300 ms, this 5 ms.
// Writes schemas/manifest.schema.json, which editors use.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Ajv2020 from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { editorSchema } from './editor-schema.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const suffix = '.schema.json';

/** For editors only: documents are validated by the schema of their own kind. */
const uncompiled = ['manifest'];
/** Schemas of other files than manifests. */
const others = ['plan', 'project', 'result'];

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
for (const [name, schema] of schemas) ajv.addSchema(schema, name);

// Ajv's ESM output still calls `require` for its helpers; a bundle of the CommonJS output has them inside. Each schema is
// a module that is run when its validator is first asked for: most runs need two of them.
const table = names.map((name) => `get ${name}() { return require('compiled/${name}'); }`).join(', ');
const bundle = await build({
  stdin: { contents: `export const validators = { ${table} };`, resolveDir: root },
  plugins: [
    {
      name: 'compiled',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^compiled\// }, ({ path }) => ({
          path: path.split('/')[1],
          namespace: 'compiled',
        }));
        onLoad({ filter: /.*/, namespace: 'compiled' }, ({ path }) => ({
          contents: standaloneCode(ajv, ajv.getSchema(path)),
          resolveDir: root,
        }));
      },
    },
  ],
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['main'],
  minifySyntax: true,
  write: false,
});

const ofKinds = new Map([...schemas].filter(([name]) => !others.includes(name)));
publish(`schemas/manifest${suffix}`, `${JSON.stringify(editorSchema(ofKinds), null, 2)}\n`);
mkdirSync(`${root}src/generated`, { recursive: true });
publish('src/generated/validators.js', bundle.outputFiles[0].text);
publish(
  'src/generated/validators.d.ts',
  `import type { ValidateFunction } from 'ajv';

/** A validator for each schema in schemas/, by the schema's name. */
export declare const validators: Readonly<Record<${names.map((name) => JSON.stringify(name)).join(' | ')}, ValidateFunction>>;
`,
);

/** Written aside and renamed, so that nobody reads half a file. */
function publish(file, text) {
  const path = `${root}${file}`;
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
