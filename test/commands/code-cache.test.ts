import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadCompiled } from '../../src/code-cache.ts';
import { createWorld } from '../support/world.ts';

const run = promisify(execFile);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenantctl-code-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe('a bundle', () => {
  const bundle = () => join(folder, 'bundle.cjs');
  const caches = () => (existsSync(`${bundle()}.cache`) ? readdirSync(`${bundle()}.cache`) : []);
  const load = (name = 'plan') => loadCompiled<{ add: (a: number, b: number) => number }>(bundle(), name);
  const cacheFile = () => join(`${bundle()}.cache`, caches()[0] ?? '');

  const place = () => caches().length > 0 && statSync(cacheFile(), { bigint: true }).ino;

  /** Whether the bundle's code comes from the cache: only then is there nothing to keep. */
  function comesFromCache(): boolean {
    const before = place();
    const { exports, keep } = load();
    expect(exports.add(1, 2)).toBe(3);
    keep();
    return place() === before;
  }

  beforeEach(() => writeFileSync(bundle(), '(() => ({ add: (a, b) => a + b }))'));

  it('is compiled once', () => {
    expect(comesFromCache()).toBe(false);
    expect(caches()).toHaveLength(1);
    expect(comesFromCache()).toBe(true);
  });

  it('is compiled again where what was kept is damaged', () => {
    load().keep();
    const kept = readFileSync(cacheFile());
    for (const damaged of [
      kept.subarray(0, kept.length - 1),
      kept.with(40, 255 - (kept[40] ?? 0)),
      Buffer.of(),
    ]) {
      writeFileSync(cacheFile(), damaged);
      expect(comesFromCache()).toBe(false);
    }
  });

  it('is kept again after a day, by a run that may have needed more of it', () => {
    expect(comesFromCache()).toBe(false);
    const { length } = readFileSync(cacheFile());
    expect(comesFromCache()).toBe(true);
    const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
    utimesSync(cacheFile(), yesterday, yesterday);
    expect(comesFromCache()).toBe(false);
    expect(comesFromCache()).toBe(true);
    expect(readFileSync(cacheFile()).length).toBeGreaterThanOrEqual(length);
  });

  it('is kept for each command, since each needs other parts of it', () => {
    load('plan').keep();
    load('apply').keep();
    expect(caches()).toHaveLength(2);
  });

  it('runs where nothing can be written beside it', () => {
    writeFileSync(`${bundle()}.cache`, 'a file where the folder should be');
    const { exports, keep } = load();
    expect(exports.add(1, 2)).toBe(3);
    keep();
    expect(readdirSync(folder)).toEqual(['bundle.cjs', 'bundle.cjs.cache']);
  });

  it('is not kept where Node is told to keep no code', () => {
    vi.stubEnv('NODE_DISABLE_COMPILE_CACHE', '1');
    load().keep();
    expect(caches()).toEqual([]);
  });
});

it('spares the program its compiling from the second start on', () => {
  const dist = join(folder, 'dist');
  cpSync(fileURLToPath(new URL('../../dist', import.meta.url)), dist, { recursive: true });
  for (const name of readdirSync(dist))
    if (name.endsWith('.cache')) rmSync(join(dist, name), { recursive: true });
  const help = () =>
    execFileSync(process.execPath, [join(dist, 'cli.cjs'), 'plan', '--help'], { encoding: 'utf8' });
  const first = help();
  const kept = readdirSync(dist).filter((name) => name.endsWith('.cache'));
  expect(kept).toHaveLength(1);
  const parts = () => readdirSync(join(dist, kept[0] ?? '')).map((name) => name.split('-').at(-1));
  // A plan that began with the code of its help would have the rest to compile at every start.
  expect(parts()).toEqual(['help']);
  expect(help()).toBe(first);
  // What is no command leaves nothing of its own behind.
  const run = (...argv: string[]) =>
    spawnSync(process.execPath, [join(dist, 'cli.cjs'), ...argv], { cwd: folder });
  for (const word of ['frobnicate', '--help']) expect(run(word, '--help').status).toBe(0);
  expect(run('frobnicate').status).toBe(1);
  expect(parts()).toEqual(['help']);
  writeFileSync(join(folder, 'tenantctl.yaml'), 'version: 1\nenvironments:\n  test: { sandbox: {} }\n');
  expect(run('--quiet', 'validate').status).toBe(0);
  expect(parts()).toEqual(['help', 'options']);
});

it('reads packed answers at every start', async () => {
  const world = await createWorld();
  const packing = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = 'GET', url = '', headers } = request;
    const names = ['authorization', 'accept', 'content-type', 'x-service-experimental'];
    const answer = await fetch(world.sandbox.url + url, {
      method,
      headers: names.flatMap((name): [string, string][] =>
        headers[name] ? [[name, String(headers[name])]] : [],
      ),
      ...(method === 'GET' ? {} : { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(await answer.text()));
  }).listen(0, '127.0.0.1');
  await once(packing, 'listening');
  const address = packing.address();
  const port = typeof address === 'object' ? address?.port : null;
  world.write(
    'tenantctl.yaml',
    world.read('tenantctl.yaml').replaceAll(world.sandbox.url, `http://127.0.0.1:${port}`),
  );
  world.write('config/a.yaml', 'kind: SenderAddress\nemail: help@acme.example\n');
  const dist = join(folder, 'dist');
  cpSync(fileURLToPath(new URL('../../dist', import.meta.url)), dist, { recursive: true });
  const plan = async () => {
    const options = { cwd: world.dir, env: { ...process.env, ...world.env } };
    const { stdout, stderr } = await run(
      process.execPath,
      [join(dist, 'cli.cjs'), 'plan', '--quiet'],
      options,
    );
    return { summary: /^Plan: 1 to create/m.test(stdout), stderr };
  };
  try {
    for (const start of ['first', 'second', 'third']) {
      expect([start, await plan()]).toEqual([start, { summary: true, stderr: '' }]);
    }
  } finally {
    packing.close();
    await world.close();
  }
});

it('imports nothing at run time, which Node 20 refuses to code that it has from a cache', () => {
  const dist = fileURLToPath(new URL('../../dist', import.meta.url));
  const bundle = readdirSync(dist).find((name) => /^program-.*\.cjs$/.test(name)) ?? '';
  expect(readFileSync(join(dist, bundle), 'latin1')).not.toMatch(/\bimport\s*\(/);
});

it.each([['--version'], ['--help']])('a reader that has had enough of %s is no mistake', async (option) => {
  const program = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));
  const child = spawn(process.execPath, [program, option]);
  child.stdout.destroy();
  let complaints = '';
  child.stderr.on('data', (text) => {
    complaints += text;
  });
  expect([await new Promise((resolve) => child.on('close', resolve)), complaints]).toEqual([0, '']);
});
