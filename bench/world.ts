import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from './manifest.ts';
import { type MeasureOptions, measure, type Usage } from './measure.ts';
import type { Counts, TenantOptions } from './tenant.ts';

export const program = process.env.BENCH_PROGRAM ?? 'dist/bin/cli.cjs';

/** A project folder and a generated tenant, served by a process of its own so that its work is not counted. */
export interface World {
  readonly manifests: string;
  /** Declares exactly this. */
  declare(manifests: readonly Manifest[]): void;
  /** Runs the built program to its end. */
  run(argv: readonly string[], options?: Pick<MeasureOptions, 'env' | 'node'>): Promise<Usage>;
  /** What the tenant has counted since it was last asked. */
  counts(): Promise<Counts>;
}

const defaults: TenantOptions = {
  templates: 0,
  integrations: 0,
  defaults: 0,
  latency: 20,
  limit: null,
};

/** Starts a tenant, lets `use` work with it, and removes everything. */
export async function withWorld<T>(
  options: Partial<TenantOptions>,
  use: (world: World) => Promise<T>,
): Promise<T> {
  const cwd = mkdtempSync(join(tmpdir(), 'tenantctl-bench-world-'));
  const server = fork(join(import.meta.dirname, 'server.mjs'), [
    JSON.stringify({ ...defaults, ...options } satisfies TenantOptions),
  ]);
  try {
    const { url, clientId, clientSecret } =
      await answerOf<Record<'url' | 'clientId' | 'clientSecret', string>>(server);
    writeFileSync(join(cwd, 'tenantctl.yaml'), projectFile(url));
    const manifests = join(cwd, 'config');
    const env = { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
    return await use({
      manifests,
      declare(all) {
        rmSync(manifests, { recursive: true, force: true });
        mkdirSync(manifests);
        for (const { file, text } of all) writeFileSync(join(manifests, file), text);
      },
      run: (argv, options) =>
        measure([program, ...argv], { ...options, cwd, env: { ...env, ...options?.env } }),
      async counts() {
        server.send('counts');
        return answerOf<Counts>(server);
      },
    });
  } finally {
    server.disconnect();
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function answerOf<T>(server: ChildProcess): Promise<T> {
  const [answer] = await once(server, 'message');
  return answer;
}

function projectFile(url: string): string {
  const service = `{ baseUrl: ${url}, auth: { clientId: !env CLIENT_ID, clientSecret: !env CLIENT_SECRET } }`;
  return `version: 1
defaultEnvironment: bench
environments:
  bench:
    identity: ${service}
    profiles: ${service}
`;
}
