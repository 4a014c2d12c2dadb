import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { get, getText, isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { shellWord } from '../support/shell.ts';
import { runProgram } from '../support/world.ts';
import { type Played, playPrograms } from './played-programs.ts';

/**
 * In place of npm: `npm ci` and `npm install --prefix` install tenantctl. Every call is logged.
 *
 * @param bin the folder that becomes the package's `dist/bin`
 */
const npmThatInstalls = (bin: string) => `#!/bin/sh
echo "$*" >> npm.log
folder=.
if [ "$2" = --prefix ]; then folder=$3; fi
mkdir -p "$folder/node_modules/.bin" "$folder/node_modules/tenantctl/dist"
ln -sfn "$(command -v tenantctl)" "$folder/node_modules/.bin/tenantctl"
ln -sfn ${shellWord(bin)} "$folder/node_modules/tenantctl/dist/bin"
`;

/** Installs the built program, for steps that call Node with its file. */
export const npmWithBuilt = npmThatInstalls(fileURLToPath(new URL('../../dist/bin', import.meta.url)));

/** The file of the program where it is played. */
const cli = `const { spawnSync } = require('node:child_process');
process.exitCode = spawnSync('tenantctl', process.argv.slice(2), { stdio: 'inherit' }).status;
`;

/** The program in this process, which costs a tenth of one of its own. */
const tenantctl: Played = ({ argv, cwd, env }) => runProgram(argv, { cwd, env });

/** `node -p` in this process, which costs a twentieth of one of its own: steps read JSON with it. */
const nodePrint: Played = ({ argv: [, expression = ''], cwd, env }) => {
  const fs = { readFileSync: (file: string, as: BufferEncoding) => readFileSync(resolve(cwd, file), as) };
  const value: unknown = runInNewContext(expression, { fs, process: { env } });
  return { code: 0, stdout: `${typeof value === 'string' ? value : inspect(value)}\n`, stderr: '' };
};

/** Node, of which only `-p` is played. */
const nodeProgram = (print: string) => `#!/bin/sh
if [ "$1" = -p ]; then exec ${shellWord(print)} "$@"; fi
exec ${shellWord(process.execPath)} "$@"
`;

/** A machine that runs pipelines: a folder, and programs in place of those that reach out. */
export interface Runner {
  readonly dir: string;
  /** Of a job that checks nothing out: there are no files in it. */
  readonly empty: string;
  /** Runs shell lines as the pipeline's system does, in the folder of the machine or in another one. */
  shell(script: string, env: Readonly<Record<string, string>>, folder?: string): Promise<Ran>;
  read(path: string): string;
  write(path: string, text: string): void;
  close(): void;
}

export interface Ran {
  readonly code: number;
  readonly output: string;
}

/** @param more programs besides npm and tenantctl, or in place of them: shell scripts, or functions that play them */
export async function createRunner(more: Readonly<Record<string, string | Played>> = {}): Promise<Runner> {
  const dir = mkdtempSync(join(tmpdir(), 'tenantctl-pipeline-'));
  const [bin, empty] = [`${dir}.bin`, `${dir}.empty`];
  for (const folder of [bin, empty]) mkdirSync(folder);
  const programs = Object.entries<string | Played>({
    npm: npmThatInstalls(bin),
    'cli.cjs': cli,
    tenantctl,
    'node-print': nodePrint,
    ...more,
  });
  const played = programs.flatMap(([name, each]) =>
    typeof each === 'string' ? [] : [[name, each] as const],
  );
  const players = await playPrograms(Object.fromEntries(played));
  for (const [name, each] of programs) {
    const text = typeof each === 'string' ? each : players.programOf(name);
    writeFileSync(join(bin, name), text, { mode: 0o755 });
  }
  writeFileSync(join(bin, 'node'), nodeProgram(join(bin, 'node-print')), { mode: 0o755 });
  const { PATH = '', GIT_CONFIG_GLOBAL } = process.env;
  const fixed = { PATH: [bin, PATH].join(delimiter), HOME: dir, GIT_CONFIG_GLOBAL };
  return {
    dir,
    empty,
    read: (file) => readFileSync(join(dir, file), 'utf8'),
    write: (file, text) => writeFileSync(join(dir, file), text),
    shell: (script, env, folder = dir) => runBash(script, folder, { ...env, ...fixed }),
    close() {
      players.close();
      for (const folder of [dir, bin, empty]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function runBash(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> {
  if (!existsSync(cwd)) return Promise.resolve({ code: 1, output: `There is no folder ${cwd}.\n` });
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], { cwd, env });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, output }));
  });
}

/** The member of an object that has to be one. */
export function member(value: Json | undefined, ...names: readonly string[]): JsonObject {
  const found = names.reduce<Json | undefined>(
    (at, name) => (isObject(at) ? get(at, name) : undefined),
    value,
  );
  if (!isObject(found)) throw new Error(`There is no ${names.join('.')}.`);
  return found;
}

/** The lines of a script, whether a text or a list of texts. */
export function scriptOf(job: JsonObject, name: string): string {
  const value = get(job, name);
  if (isArray(value)) return value.map(String).join('\n');
  return getText(job, name) ?? '';
}
