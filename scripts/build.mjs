// Builds dist/: the program, bundled so that it starts quickly, and the library, which imports its dependencies.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { bugsOf } from './addresses.mjs';
import { noticesOf } from './notices.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

for (const script of ['compile-schemas', 'bundle-pages']) {
  execFileSync(process.execPath, [`scripts/${script}.mjs`], { stdio: 'inherit' });
}
rmSync('dist', { recursive: true, force: true });
const common = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  legalComments: 'none',
  logLevel: 'warning',
  define: {
    TENANTCTL_VERSION: JSON.stringify(manifest.version),
    TENANTCTL_BUGS: JSON.stringify(bugsOf(manifest)),
  },
};

// CommonJS starts faster than modules.
const toCommonJs = {
  format: 'cjs',
  platform: 'node',
  target: common.target,
  minifyWhitespace: true,
  minifySyntax: true,
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__url' },
};
const ownUrl = "const __url = require('node:url').pathToFileURL(__filename).href;";
// Only modules are split: each chunk, of which a command loads those that it needs, is then converted.
const { outputFiles, metafile } = await build({
  ...common,
  entryPoints: { program: 'src/cli.ts', 'render-worker': 'src/render/worker.ts' },
  outdir: 'dist/bin',
  outExtension: { '.js': '.cjs' },
  format: 'esm',
  splitting: true,
  chunkNames: '[name]-[hash]',
  write: false,
  metafile: true,
  plugins: [
    replace({
      undici: 'undici.mjs',
      yaml: 'yaml.mjs',
      './client-h2.js': 'undici-http2.cjs',
      'escalade/sync': 'escalade.mjs',
      // Only fdir names it without `node:`.
      module: 'fdir-require.mjs',
      'string-width': 'string-width.mjs',
    }),
  ],
});
mkdirSync('dist/bin', { recursive: true });
for (const { path, text } of outputFiles) {
  const banner = text.includes('import.meta.url') ? ownUrl : '';
  const { code } = await transform(text, { ...toCommonJs, banner });
  // The copy is for importers that look for `__esModule`. Here, it would put a second getter before each use of an export.
  writeFileSync(
    path,
    code.replace('module.exports=__toCommonJS(stdin_exports);', 'module.exports=stdin_exports;'),
  );
}
// It says so where Node is too old to load the program.
cpSync('src/entry.cjs', 'dist/bin/cli.cjs');
chmodSync('dist/bin/cli.cjs', 0o755);
// The compiled schemas contain helper functions of ajv.
const bundled = [...Object.keys(metafile.inputs), 'node_modules/ajv/', 'node_modules/fast-deep-equal/'];
writeFileSync('dist/bin/THIRD-PARTY-NOTICES', noticesOf(bundled));

await build({
  ...common,
  entryPoints: { index: 'src/index.ts', 'render-worker': 'src/render/worker.ts' },
  outdir: 'dist/lib',
  format: 'esm',
  splitting: true,
  // All chunks are in one folder, so that modules find the files next to them.
  chunkNames: '[name]-[hash]',
  packages: 'external',
});
for (const folder of ['dist/bin', 'dist/lib']) {
  cpSync('src/generated/validators', `${folder}/validators`, { recursive: true });
}

const tsc = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc');
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });

/** Replaces modules by those in scripts/bundle, where each says why. */
function replace(modules) {
  const folder = fileURLToPath(new URL('bundle', import.meta.url));
  return {
    name: 'replace',
    setup({ onResolve }) {
      for (const [name, by] of Object.entries(modules)) {
        onResolve({ filter: new RegExp(`^${name.replaceAll('.', '\\.')}$`) }, ({ resolveDir }) =>
          resolveDir === folder ? undefined : { path: join(folder, by) },
        );
      }
    },
  };
}
