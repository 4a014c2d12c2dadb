// Builds dist/: the program and the library, bundled with code split by command, so that a start reads few files.
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url).pathname;
process.chdir(root);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

execFileSync(process.execPath, ['scripts/compile-schemas.mjs'], { stdio: 'inherit' });
rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: { cli: 'src/cli.ts', index: 'src/index.ts', 'render-worker': 'src/render/worker.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  minifyWhitespace: true,
  minifySyntax: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  chunkNames: 'chunks/[name]-[hash]',
  define: { TENANTCTL_VERSION: JSON.stringify(version) },
  // CommonJS libraries call require for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  legalComments: 'external',
  logLevel: 'warning',
  plugins: [lighter(['escalade/sync', 'string-width', 'undici'])],
});
chmodSync('dist/cli.js', 0o755);

const tsc = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc');
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });

/** Takes these libraries from scripts/bundle instead, where each has a lighter form. */
function lighter(names) {
  const folder = join(root, 'scripts/bundle');
  return {
    name: 'lighter',
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`^(${names.join('|')})$`) }, ({ path, resolveDir }) =>
        resolveDir === folder ? undefined : { path: join(folder, `${path.replace('/', '-')}.mjs`) },
      );
    },
  };
}
