// Bundles the benchmark, which is TypeScript, into a temporary folder and runs it; all arguments are passed on.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const program = join(here, '../dist/bin/cli.cjs');
if (!existsSync(program))
  throw new Error('There is no dist/bin/cli.cjs to measure: run `npm run build` first.');
const folder = mkdtempSync(join(tmpdir(), 'tenantctl-bench-'));
try {
  await build({
    entryPoints: ['main.ts', 'server.ts', 'parse.ts', 'bare.mjs', 'two-requests.mjs'].map((name) =>
      join(here, name),
    ),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    // It finds its own files beside it.
    external: ['playwright-core'],
    target: 'node20.19',
    // CommonJS libraries call require for Node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  symlinkSync(join(here, '../node_modules'), join(folder, 'node_modules'), 'junction');
  copyFileSync(join(here, 'usage.cjs'), join(folder, 'usage.cjs'));
  const { status } = spawnSync(process.execPath, [join(folder, 'main.mjs'), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, BENCH_PROGRAM: program, BENCH_PAGE: join(here, '../docs/performance.md') },
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
