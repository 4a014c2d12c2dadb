import { mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FileSource, loadProject } from '../../src/loader/index.ts';
import { diskSource } from '../../src/loader/source.ts';
import { Failure } from '../../src/model/failure.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tenantctl-files-')));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

/** Whatever is on the disk has been there for an hour. */
function letTimePass(): void {
  const later = Date.now() + 3_600_000;
  vi.spyOn(Date, 'now').mockReturnValue(later);
}

describe('the stamp of a file', () => {
  const stamp = (path = 'a.yaml') => diskSource(root).stamp(path);
  beforeEach(() => writeFileSync(join(root, 'a.yaml'), 'one'));

  test('stays while nobody touches the file', () => {
    letTimePass();
    expect(stamp()).not.toBeNull();
    expect(stamp()).toEqual(stamp());
  });

  test('is not given yet to a file that has just been written: the next change may bear the same time', () => {
    expect(stamp()).toBeNull();
  });

  test('changes with the file, though its size and time of change stay', () => {
    letTimePass();
    const time = new Date('2026-01-01');
    utimesSync(join(root, 'a.yaml'), time, time);
    const before = stamp();
    writeFileSync(join(root, 'b.yaml'), 'two');
    utimesSync(join(root, 'b.yaml'), time, time);
    expect(stamp('b.yaml')).not.toEqual(before);
    writeFileSync(join(root, 'a.yaml'), 'longer');
    expect(stamp()).not.toEqual(before);
  });

  test('is that of the file behind a link', () => {
    letTimePass();
    symlinkSync('a.yaml', join(root, 'link.yaml'));
    expect(stamp('link.yaml')).toEqual(stamp('a.yaml'));
  });

  test('is not given where the file cannot be read: whoever reads it is told', () => {
    letTimePass();
    const outside = mkdtempSync(join(tmpdir(), 'tenantctl-outside-'));
    writeFileSync(join(outside, 'b.yaml'), 'two');
    symlinkSync(outside, join(root, 'folder'));
    expect(stamp('folder/b.yaml')).toBeNull();
    rmSync(outside, { recursive: true });
    expect(stamp('none.yaml')).toBeNull();
    expect(stamp('../a.yaml')).toBeNull();
  });
});

describe('a project whose files are known', () => {
  const manifest = 'kind: SenderAddress\nemail: help@acme.example\n';
  let files: Map<string, string>;
  let reads: string[];
  const source = (): FileSource => ({
    glob: () => [...files.keys()],
    read: (path) => Buffer.from(files.get(path) ?? ''),
    text: (path) => {
      reads.push(path);
      return files.get(path) ?? '';
    },
    stamp: (path) => [path.length, 1, 2],
  });
  const load = () =>
    loadProject({
      configFile: join(root, 'tenantctl.yaml'),
      env: { SECRET: 'x', TEXT: 'plain' },
      manifests: source(),
      cacheOf: '1',
    }).resources;

  beforeEach(() => {
    reads = [];
    files = new Map([['config/a.yaml', manifest]]);
    const overlays =
      'overlays: [{ target: VerifiedDomain/laid.example, merge: { lifecycle: { protect: true } } }]';
    writeFileSync(
      join(root, 'tenantctl.yaml'),
      `version: 1\nenvironments: { a: { identity: { baseUrl: "http://127.0.0.1:1", auth: { clientId: a, clientSecret: !secret SECRET } }, ${overlays} } }\n`,
    );
  });

  test('opens no file that has not been touched', () => {
    const first = load();
    expect(reads).toEqual(['config/a.yaml']);
    const again = load();
    expect(reads).toEqual(['config/a.yaml']);
    expect(again.map(({ address, digest }) => [address, digest])).toEqual(
      first.map(({ address, digest }) => [address, digest]),
    );
  });

  test('reads a file when somebody asks what is in it', () => {
    load();
    const [resource] = load();
    expect(resource?.fields).toEqual({});
    expect(resource?.source).toEqual({ file: 'config/a.yaml', line: 1, column: 1 });
    expect(reads).toHaveLength(2);
  });

  test('does not take a file for the one it knows when it has changed in between', () => {
    load();
    const [resource] = load();
    files.set('config/a.yaml', manifest.replace('help', 'desk'));
    expect(() => resource?.fields).toThrow(Failure);
    expect(() => resource?.fields).toThrow('config/a.yaml has changed while it was read.');
  });

  test('knows of every declaration whether it is the same, unless secrets or lookups have a say', () => {
    const sim = (name: string, description: string) =>
      `kind: SimIntegration\nname: ${name}\ntype: t\ndescription: ${description}\n`;
    files = new Map([
      ['config/plain.yaml', manifest],
      ['config/env.yaml', sim('env', '!env TEXT')],
      ['config/secret.yaml', `${sim('secret', 'a')}attributes: { password: !secret SECRET }\n`],
      [
        'config/lookup.yaml',
        `${sim('lookup', 'a')}attributes: { b: !lookup { from: c, where: { d: e }, take: f } }\n`,
      ],
      ['config/laid.yaml', 'kind: VerifiedDomain\ndomain: laid.example\n'],
    ]);
    const digests = () => new Map(load().map(({ key, digest }) => [key[0], digest]));
    const first = digests();
    expect(digests()).toEqual(first);
    const known = ['help@acme.example', 'env', 'laid.example'];
    expect([...first].filter(([, digest]) => digest !== null).map(([name]) => name)).toEqual(known);
    expect(new Set(first.values()).size).toBe(known.length + 1);
  });
});
