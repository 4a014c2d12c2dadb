// Builds dist/: the program in one file, and the library in few.
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url).pathname;
process.chdir(root);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

execFileSync(process.execPath, ['scripts/compile-schemas.mjs'], { stdio: 'inherit' });
rmSync('dist', { recursive: true, force: true });
const common = {
  bundle: true,
  minifyWhitespace: true,
  minifySyntax: true,
  platform: 'node',
  target: 'node20.19',
  legalComments: 'external',
  logLevel: 'warning',
  outdir: 'dist',
  plugins: [
    lighter([
      { module: 'escalade/sync', form: 'escalade-sync.mjs' },
      { module: 'string-width', form: 'string-width.mjs' },
      { module: 'fastest-levenshtein', form: 'fastest-levenshtein.mjs' },
      { module: 'wrap-ansi', form: 'wrap-ansi.mjs' },
      { module: 'fs', by: 'fdir', form: 'fs.mjs' },
      { module: 'undici', form: 'undici.mjs' },
      { module: './client-h2.js', by: 'undici', form: 'undici-h2.cjs' },
      { module: 'node:http', by: 'undici', form: 'undici-http.cjs' },
      { module: 'module', by: 'fdir', form: 'module.mjs' },
      { module: 'node:module', by: 'yargs', form: 'module.mjs' },
      { module: 'node:module', by: 'yargs-parser', form: 'module.mjs' },
      { module: './argsert.js', by: 'yargs', form: 'argsert.mjs' },
      { module: 'assert', by: 'yargs', form: 'assert.cjs' },
      { module: 'node:assert', by: 'undici', form: 'assert.cjs' },
    ]),
  ],
};
const define = { TENANTCTL_VERSION: JSON.stringify(version) };

// The fewer letters, the quicker the program is read and its code taken from the cache.
const short = { ...common, minifyIdentifiers: true };

// One file, so that one cache holds all of its compiled code.
const { metafile } = await build({
  ...short,
  entryPoints: { program: 'src/program.ts' },
  entryNames: '[name]-[hash]',
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  // Node 20 imports nothing into code that it has from a cache.
  supported: { 'dynamic-import': false },
  define: { ...define, 'import.meta.url': '__url' },
  // A function that src/code-cache.ts calls: to wrap it there would copy it at every start.
  banner: {
    js: "(function(require,__filename,__dirname){'use strict';const module={exports:{}};const __url=require('node:url').pathToFileURL(__filename).href;",
  },
  footer: { js: 'return module.exports})' },
  metafile: true,
});
const program = Object.keys(metafile.outputs).find((file) => file.endsWith('.cjs'));

// CommonJS too, which starts quicker.
await build({
  ...short,
  entryPoints: { cli: 'src/cli.ts' },
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  define: {
    ...define,
    TENANTCTL_PROGRAM: JSON.stringify(basename(program)),
    'import.meta.dirname': '__dirname',
  },
});

await build({
  ...common,
  entryPoints: { index: 'src/index.ts', 'render-worker': 'src/render/worker.ts' },
  splitting: true,
  format: 'esm',
  chunkNames: 'chunks/[name]-[hash]',
  define,
  // CommonJS libraries call require for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
chmodSync('dist/cli.cjs', 0o755);

const tsc = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc');
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });

/** Takes modules from scripts/bundle instead, where each has a lighter form: for all who import them, or for one. */
function lighter(forms) {
  const folder = join(root, 'scripts/bundle');
  const used = new Set();
  return {
    name: 'lighter',
    setup({ initialOptions, onResolve, onEnd }) {
      onEnd(() => {
        const unused = forms
          .filter((each) => !used.has(each))
          .map(({ module, form }) => `${form} for ${module}`);
        // The whole program imports all of them.
        if (unused.length > 0 && initialOptions.entryPoints.program)
          throw new Error(`Not used: ${unused.join(', ')}.`);
      });
      for (const each of forms) {
        const { module, by = '', form } = each;
        const filter = new RegExp(`^${module.replaceAll('.', '\\.')}$`);
        const importer = by === '' ? '' : join(root, 'node_modules', by, '/');
        onResolve({ filter }, (asked) => {
          if (asked.resolveDir === folder || !asked.importer.startsWith(importer)) return undefined;
          used.add(each);
          return { path: join(folder, form) };
        });
      }
    },
  };
}
