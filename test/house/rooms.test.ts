import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const src = join(root, 'src');

/** Which rooms a room may import from besides itself; imports go one way. The commands may import from all. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  model: [],
  kinds: ['model'],
  lint: ['kinds', 'model'],
  loader: ['generated', 'kinds', 'model'],
  openapi: ['loader', 'model'],
  planner: ['kinds', 'model'],
  client: ['kinds', 'model'],
  applier: ['client', 'generated', 'kinds', 'model', 'planner'],
  exporter: ['generated', 'kinds', 'loader', 'model'],
  engine: ['applier', 'client', 'exporter', 'kinds', 'lint', 'loader', 'model', 'planner', 'sandbox'],
  report: ['generated', 'model'],
  render: ['kinds', 'lint', 'model'],
  preview: ['generated', 'kinds', 'lint', 'model', 'render', 'report'],
  sandbox: ['model'],
  generated: [],
};

/** Rooms that may be imported for their types only. */
const typesOnly: Readonly<Record<string, readonly string[]>> = { applier: ['client'] };

/** The sandbox is written from the API documents: of the model it knows JSON and nothing that the engine means by it. */
const files: Readonly<Record<string, readonly string[]>> = { sandbox: ['model/json.ts'] };

const importPattern = /^(import|export)\s+(type\s+)?[^'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gms;

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(importPattern)].map(([, , type, fixed, dynamic]) => ({
    from: file,
    to: resolve(dirname(file), fixed ?? dynamic ?? ''),
    typeOnly: type !== undefined,
  }));
}

function importsBelow(folder: string): Import[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .flatMap((entry) => importsOf(join(entry.parentPath, entry.name)))
    .map(({ from, to, typeOnly }) => ({ from: relative(folder, from), to: relative(folder, to), typeOnly }));
}

const imports = importsBelow(src);

const roomOf = (path: string) => path.split('/')[0] ?? '';

it('sees the imports at all', () => {
  expect(imports.length).toBeGreaterThan(300);
  expect(imports.some(({ from, to }) => roomOf(from) === 'applier' && roomOf(to) === 'kinds')).toBe(true);
});

it('keeps imports going one way between the rooms', () => {
  const forbidden = imports.filter(({ from, to, typeOnly }) => {
    const [room, other] = [roomOf(from), roomOf(to)];
    const rooms = allowed[room];
    if (!rooms || room === other) return false;
    if (!rooms.includes(other)) return true;
    if (typesOnly[room]?.includes(other) && !typeOnly) return true;
    return files[room] !== undefined && !files[room].includes(to);
  });
  expect(forbidden).toEqual([]);
});

/** The files on a way of imports that comes back to where it began; types count too. Empty where there is none. */
function findCycle(all: readonly Import[]): readonly string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of all) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const follow = (file: string, path: readonly string[]): readonly string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const to of targets.get(file) ?? []) {
      const cycle = follow(to, [...path, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  };
  for (const file of targets.keys()) {
    const cycle = follow(file, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

it.each(['src', 'bench', 'scripts', 'test'])('has no import cycle in %s', (folder) => {
  expect(findCycle(importsBelow(join(root, folder)))).toEqual([]);
});

it('finds a cycle, also of types', () => {
  const edges = ['ab', 'bc', 'cd', 'db'].map(([from = '', to = '']) => ({
    from,
    to,
    typeOnly: from === 'c',
  }));
  expect(findCycle(edges)).toEqual(['b', 'c', 'd', 'b']);
});

it('has no room that the rule does not know', () => {
  const rooms = new Set(
    imports
      .map(({ from }) => from)
      .filter((path) => path.includes('/'))
      .map(roomOf),
  );
  const known = [...Object.keys(allowed), 'commands'];
  expect([...rooms].filter((room) => !known.includes(room))).toEqual([]);
});

/** In the path of a URL, a space is `%20`: a clone whose folder has one in its name would not find its own files. */
it.each(['src', 'bench', 'scripts', 'test', 'site', 'mutation'])(
  '%s makes paths of URLs with fileURLToPath',
  (folder) => {
    const asPath = /import\.meta\.url\s*\)\s*\.pathname/;
    const isOwn = (path: string) => /\.(ts|mjs)$/.test(path) && !path.includes('node_modules');
    const wrong = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(isOwn)
      .filter((path) => asPath.test(readFileSync(join(root, folder, path), 'utf8')));
    expect(wrong).toEqual([]);
  },
);
