/** The program on a Node that is too old for it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { program } from '../support/program.ts';

/** Runs the built program in a process that takes itself for another version of Node. */
function runAs(version: string) {
  const dir = mkdtempSync(join(tmpdir(), 'tenantctl-node-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const stub = join(dir, 'stub.cjs');
  const versions = { ...process.versions, node: version };
  writeFileSync(
    stub,
    `Object.defineProperty(process, 'versions', { value: ${JSON.stringify(versions)} });
     Object.defineProperty(process, 'version', { value: 'v${version}' });
     const { Module } = require('node:module');
     const load = Module._load;
     Module._load = (name, ...more) => { process.stdout.write(name + '\\n'); return load(name, ...more); };`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-r', stub, program, '--version'], {
    encoding: 'utf8',
  });
  return { status, stderr, loaded: stdout.split('\n').filter((name) => name.startsWith('./')) };
}

it.each(['6.17.1', '18.20.4', '20.10.0', '20.18.3'])(
  '%s is told in one sentence, before anything else is loaded',
  (version) => {
    expect(runAs(version)).toEqual({
      status: 1,
      stderr: `tenantctl needs Node 20.19 or later, and this is Node ${version}.\n`,
      loaded: [],
    });
  },
);

it.each(['20.19.0', '20.20.2', '22.0.0', '26.1.0'])('%s runs the program', (version) => {
  expect(runAs(version)).toMatchObject({
    status: 0,
    stderr: '',
    loaded: expect.arrayContaining(['./program.cjs']),
  });
});

it('its first file has the syntax of ES5, and the version of package.json', () => {
  const text = readFileSync(program, 'utf8');
  const read = (target: string) => transformSync(text, { target, loader: 'js' }).code;
  expect(read('es5')).toBe(read('esnext'));
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(text).toContain(`needs Node ${engines.node.replace('>=', '')} or later`);
});
