import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { main } from '../../src/commands/main.ts';
import type { Plan } from '../../src/model/documents.ts';
import { isObject, type Json, parseJson } from '../../src/model/json.ts';
import { pointer, valueAt } from '../../src/model/pointer.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { type SandboxOptions, startSandbox } from './sandbox.ts';

/** A project folder and an embedded tenant behind real HTTP, with the program run in this process. */
export interface World {
  readonly dir: string;
  readonly sandbox: Sandbox;
  /** The environment variables of the program; tests may add some. */
  readonly env: NodeJS.ProcessEnv;
  write(path: string, content: string): void;
  read(path: string): string;
  /** All manifests of the project, one JSON document each. */
  declare(documents: readonly object[]): void;
  run(...argv: string[]): Promise<Ran>;
  /** The plan that `plan --format json` prints; fails unless the command ends with 0. */
  plan(...argv: string[]): Promise<Plan>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The outcome of a run in this process. */
export interface Ran extends Outcome {
  /** stdout as JSON. `null`: it is not JSON. */
  readonly json: Json;
  /** Both streams in the order in which they were written to. */
  readonly pieces: readonly Piece[];
}

/** What was written to stdout (1) or stderr (2). */
export interface Piece {
  readonly stream: 1 | 2;
  readonly text: string;
}

export interface WorldOptions {
  readonly sandbox?: SandboxOptions;
  /** What the tenant starts with, as YAML. */
  readonly seed?: string;
  /** Further files of the project, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Settings under `identity:` of the environment. */
  readonly identity?: Readonly<Record<string, Json>>;
  /** Settings under `profiles:` of the environment. */
  readonly profiles?: Readonly<Record<string, Json>>;
  /** Further members of the environment. */
  readonly environment?: Readonly<Record<string, Json>>;
  readonly env?: NodeJS.ProcessEnv;
}

export { seedFile } from './seed.ts';

/** A folder for a project, with these files. */
function createFolder(files: Readonly<Record<string, string>> = {}): Pick<World, 'dir' | 'write' | 'read'> {
  const dir = mkdtempSync(join(tmpdir(), 'tenantctl-'));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  return { dir, write, read: (path) => readFileSync(join(dir, path), 'utf8') };
}

/** A folder that is removed when the test ends. */
export function createTestFolder(...given: Parameters<typeof createFolder>): ReturnType<typeof createFolder> {
  const folder = createFolder(...given);
  onTestFinished(() => rmSync(folder.dir, { recursive: true, force: true }));
  return folder;
}

/** Runs commands in a folder. */
export function commandsIn(dir: string, env: NodeJS.ProcessEnv): Pick<World, 'run' | 'plan'> {
  const run = (...argv: string[]) => runProgram(argv, { cwd: dir, env });
  return {
    run,
    async plan(...argv) {
      const { code, stdout, stderr } = await run('plan', '--format', 'json', ...argv);
      if (code !== 0) throw new Error(`plan ended with ${code}: ${stderr}${stdout}`);
      return JSON.parse(stdout);
    },
  };
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { dir, write, read } = createFolder(options.files);
  if (options.seed !== undefined) write('seed.yaml', options.seed);
  const seed = options.seed === undefined ? {} : { seed: join(dir, 'seed.yaml') };
  const sandbox = await startSandbox({ rateLimit: null, ...seed, ...options.sandbox });
  const env: NodeJS.ProcessEnv = {
    CLIENT_ID: sandbox.clientId,
    CLIENT_SECRET: sandbox.clientSecret,
    XDG_STATE_HOME: join(tmpdir(), 'tenantctl-state'),
    ...options.env,
  };
  write('tenantctl.yaml', projectFile(sandbox.url, options));
  const close = async () => {
    await sandbox.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return {
    ...{ dir, sandbox, env, write, read },
    ...commandsIn(dir, env),
    declare(documents) {
      rmSync(join(dir, 'config'), { recursive: true, force: true });
      const texts = documents.map((document) => `---\n${withTags(JSON.stringify(document))}\n`);
      write('config/all.yaml', texts.join(''));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A text that begins with `!ref` as the tag. */
const withTags = (json: string): string => json.replaceAll(/"!ref ([^"]+)"/g, '!ref "$1"');

/** A world that is closed when the test ends. */
export async function createTestWorld(options: WorldOptions = {}): Promise<World> {
  const world = await createWorld(options);
  onTestFinished(() => world.close());
  return world;
}

/** Writes the project file with another text in the place of this one, or below all others. */
export function editProject(
  { read, write }: Pick<World, 'read' | 'write'>,
  ...edit: [string] | [string, string]
) {
  const project = read('tenantctl.yaml');
  const [text, other] = edit;
  const edited = other === undefined ? project + text : project.replaceAll(text, () => other);
  expect(edited).not.toBe(project);
  write('tenantctl.yaml', edited);
}

/** Runs a command that has to end with 0. */
export async function succeed(world: Pick<World, 'run'>, ...argv: string[]): Promise<Ran> {
  const ran = await world.run(...argv);
  expect(ran, `${argv.join(' ')}: ${ran.stderr}${ran.stdout}`).toMatchObject({ code: 0 });
  return ran;
}

/**
 * A run has to end with this code, and to say each of these on stderr, wherever its lines are broken. Returns what it printed.
 */
export async function expectEnd<T extends Outcome>(
  run: Promise<T>,
  code: number,
  ...told: readonly (string | RegExp)[]
): Promise<T> {
  const ran = await run;
  expect(ran, ran.stderr + ran.stdout).toMatchObject({ code });
  for (const each of told) {
    if (typeof each !== 'string') expect(ran.stderr).toMatch(each);
    else if (/\n| {2}/.test(each)) expect(ran.stderr).toContain(each);
    else expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(each);
  }
  return ran;
}

interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  /** What somebody types at a terminal. Left out: there is no terminal. */
  readonly typed?: string;
  /** Hears what is written, when it is. */
  readonly onPiece?: (piece: Piece) => void;
}

/**
 * Runs the program in this process.
 *
 * @param argv the first may be several words, as somebody types them: `plan --out plan.json`
 */
export async function runProgram(
  argv: readonly string[],
  { cwd, env = {}, signal = new AbortController().signal, typed, onPiece = () => {} }: RunOptions,
): Promise<Ran> {
  const isTTY = typed !== undefined;
  const stdin = Object.assign(new PassThrough(), { isTTY });
  stdin.end(typed);
  const pieces: Piece[] = [];
  const hear = (piece: Piece) => {
    pieces.push(piece);
    onPiece(piece);
  };
  const [stdout, stderr] = [new Collector(1, hear), Object.assign(new Collector(2, hear), { isTTY })];
  const words = argv.flatMap((word, at) => (at === 0 ? word.split(' ') : [word]));
  const code = await main(words, { cwd, env, stdin: () => stdin, stdout, stderr, signal });
  return { code, stdout: stdout.text, stderr: stderr.text, json: parseJson(stdout.text) ?? null, pieces };
}

/** The requests that change something in the tenant. */
export const writesIn = (log: Sandbox['log']) =>
  log.filter(({ method, operation }) => method !== 'GET' && operation !== 'issue-token');

/** The files below a folder, by their paths. */
export function filesBelow(dir: string): Map<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(dir.length + 1), readFileSync(path, 'utf8')]),
  );
}

/** Whoever uses an export sets the secrets that its `.env.example` names; here each to what the tenant has. */
export function setSecrets(
  world: World,
  kind = 'SimIntegration',
  objects: readonly { readonly name?: unknown }[] = world.sandbox.state.simIntegrations,
): void {
  const listing = filesBelow(world.dir).get('.env.example') ?? '';
  for (const [, address = '', field = '', name = ''] of listing.matchAll(
    new RegExp(`^# ${kind}/(.*), (.*)\n(\\w+)=$`, 'gm'),
  )) {
    const parts = address.split('/').map(decodeURIComponent);
    const object = objects.find(({ name: own }) => typeof own === 'string' && parts.includes(own));
    const value = valueAt(JSON.parse(JSON.stringify(object ?? null)), pointer(...field.split('.')));
    // An empty secret counts as one that is not set.
    world.env[name] = typeof value === 'string' && value !== '' ? value : 'unknown';
  }
}

class Collector extends Writable {
  readonly #stream: Piece['stream'];
  readonly #hear: (piece: Piece) => void;
  text = '';

  constructor(stream: Piece['stream'], hear: (piece: Piece) => void) {
    super();
    [this.#stream, this.#hear] = [stream, hear];
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const text = chunk.toString();
    this.text += text;
    this.#hear({ stream: this.#stream, text });
    done();
  }
}

/** JSON is YAML; only tags have to be written out. */
function projectFile(url: string, { identity, profiles, environment = {} }: WorldOptions): string {
  // The embedded tenant is prompt, unless a test makes it late.
  const limits = { settle: '0s', ...(isObject(environment.limits) ? environment.limits : {}) };
  const rest = JSON.stringify({ ...environment, limits }).slice(1, -1);
  return `version: 1
defaultEnvironment: test
environments:
  test: {
    identity: {
      baseUrl: ${JSON.stringify(url)},
      auth: { clientId: !env CLIENT_ID, clientSecret: !secret CLIENT_SECRET },
      ${JSON.stringify(identity ?? {}).slice(1, -1)}
    },
    profiles: { baseUrl: ${JSON.stringify(url)}, ${JSON.stringify(profiles ?? {}).slice(1, -1)} },
    ${rest}
  }
`;
}

/** Runs a command that goes on until it is interrupted, and interrupts it at its first word. */
export async function untilItSpeaks({ dir, env }: World, ...argv: string[]): Promise<void> {
  const interruption = new AbortController();
  const onPiece = ({ stream }: Piece) => stream === 1 && interruption.abort();
  const { code } = await runProgram(argv, { cwd: dir, env, signal: interruption.signal, onPiece });
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}`);
}
