import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterEach } from 'vitest';
import { main } from '../../src/commands/main.ts';
import { type Json, parseJson } from '../../src/model/json.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';

/** What a run of the program left behind. */
interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as JSON. */
  readonly json: Json;
}

interface RunOptions {
  /** Typed by somebody who sits at a terminal; without it there is none. */
  readonly typed?: string;
  readonly signal?: AbortSignal;
}

/** A project in a folder of its own, against a tenant of its own. */
export interface Project {
  readonly folder: string;
  readonly tenant: Sandbox;
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>;
}

const cleanups: (() => void | Promise<void>)[] = [];

/** Done after the test. */
export function later(cleanup: () => void | Promise<void>): void {
  cleanups.push(cleanup);
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/**
 * @param seed the tenant, as YAML or JSON
 * @param files the manifests by path
 */
export async function project(
  seed: string,
  files: Readonly<Record<string, string>> = {},
  options: SandboxOptions = {},
): Promise<Project> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenantctl-')));
  later(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('seed.yaml', seed);
  const tenant = await startSandbox({ seed: join(folder, 'seed.yaml'), rateLimit: null, ...options });
  later(() => tenant.close());
  const service = `{ baseUrl: "${tenant.url}", auth: { token: !env TOKEN } }`;
  write(
    'tenantctl.yaml',
    `version: 1\nenvironments:\n  test:\n    identity: ${service}\n    profiles: ${service}\n`,
  );
  for (const [path, text] of Object.entries(files)) write(path, text);
  return { folder, tenant, run: (argv, more) => run(folder, tenant, argv, more) };
}

async function run(
  folder: string,
  tenant: Sandbox,
  argv: readonly string[],
  { typed, signal = new AbortController().signal }: RunOptions = {},
): Promise<Ran> {
  const terminal = typed !== undefined;
  const [stdout, stderr] = [new Recorder(false), new Recorder(terminal)];
  const stdin = Object.assign(new PassThrough(), { isTTY: terminal });
  stdin.end(typed);
  const code = await main(argv, {
    cwd: folder,
    env: { TOKEN: tenant.token() },
    stdin,
    stdout,
    stderr,
    signal,
  });
  return { code, stdout: stdout.text, stderr: stderr.text, json: parseJson(stdout.text) ?? null };
}

class Recorder extends Writable {
  readonly isTTY: boolean;
  text = '';

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
