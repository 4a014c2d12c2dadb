import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deskDescriptor } from './integrations.ts';
import { type MeasureOptions, measure, type Usage } from './measure.ts';
import type { Manifest } from './templates.ts';
import type { Counts, TenantAccess, TenantOptions } from './tenant.ts';

export const program = process.env.BENCH_PROGRAM ?? 'dist/bin/cli.cjs';
/** What only parses manifests, to compare with. */
export const parser = join(import.meta.dirname, 'parse.mjs');
/** What does the least that a plan has to do, to compare with. */
export const bare = join(import.meta.dirname, 'bare.mjs');
/** What only sends two requests, to compare with. */
export const twoRequests = join(import.meta.dirname, 'two-requests.mjs');

/** A project folder and generated tenants, served by a process of its own so that its work is not counted. */
export interface World {
  readonly manifests: string;
  /** Declares exactly this. */
  declare(manifests: readonly Manifest[]): void;
  /** Runs the built program to its end, or else this script, with the credentials of the tenants. */
  run(argv: readonly string[], options?: RunOptions): Promise<Usage>;
  /** The names of the environments, one for each tenant. */
  readonly names: readonly string[];
  /** The origin of the first tenant. */
  readonly url: string;
  /** What the tenants have counted since they were last asked. */
  counts(): Promise<Counts>;
}

type RunOptions = Pick<MeasureOptions, 'env' | 'node'> & { readonly script?: string };

const defaults: Omit<TenantOptions, 'kinds'> = {
  tenants: 1,
  templates: 0,
  integrations: 0,
  desks: 0,
  defaults: 0,
  senders: 0,
  latency: 20,
  limit: null,
};

/** Starts tenants, lets `use` work with them, and removes everything. */
export async function withWorld<T>(
  options: Partial<typeof defaults>,
  use: (world: World) => Promise<T>,
): Promise<T> {
  const cwd = mkdtempSync(join(tmpdir(), 'tenantctl-bench-world-'));
  // Without such objects, a project has no kinds of its own.
  const kinds = options.desks ? describeDesks(join(cwd, 'kinds')) : null;
  const server = fork(join(import.meta.dirname, 'server.mjs'), [
    JSON.stringify({ ...defaults, ...options, kinds } satisfies TenantOptions),
  ]);
  try {
    const tenants = await answerOf<readonly TenantAccess[]>(server);
    const names = tenants.map((_, at) => `tenant-${String(at + 1).padStart(3, '0')}`);
    writeFileSync(join(cwd, 'tenantctl.yaml'), projectFile(names, tenants));
    const manifests = join(cwd, 'config');
    const env = Object.fromEntries(
      tenants.flatMap(({ clientId, clientSecret }, at) => [
        [`ID_${at}`, clientId],
        [`SECRET_${at}`, clientSecret],
      ]),
    );
    return await use({
      names,
      url: tenants[0]?.url ?? '',
      manifests,
      declare(all) {
        rmSync(manifests, { recursive: true, force: true });
        mkdirSync(manifests);
        for (const { file, text } of all) writeFileSync(join(manifests, file), text);
      },
      run: (argv, { script = program, ...options } = {}) =>
        measure([script, ...argv], { ...options, cwd, env: { ...env, ...options.env } }),
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

/** Writes the kind of the project's own into a new folder, which is returned. */
function describeDesks(folder: string): string {
  mkdirSync(folder);
  writeFileSync(join(folder, 'Desk.kind.yaml'), deskDescriptor);
  return folder;
}

async function answerOf<T>(server: ChildProcess): Promise<T> {
  const [answer] = await once(server, 'message');
  return answer;
}

function projectFile(names: readonly string[], tenants: readonly TenantAccess[]): string {
  const environments = tenants.map(({ url }, at) => {
    const service = `{ baseUrl: ${url}, auth: { clientId: !env ID_${at}, clientSecret: !env SECRET_${at} } }`;
    return `  ${names[at]}: { identity: ${service}, profiles: ${service} }\n`;
  });
  return `version: 1\ndefaultEnvironment: ${names[0]}\nenvironments:\n${environments.join('')}`;
}
