import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Import, importsOf, readSources, root } from './sources.ts';

/** Which rooms a room may import from besides itself; imports go one way. The commands may import from all. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  model: [],
  kinds: ['model'],
  lint: ['kinds', 'model'],
  loader: ['generated', 'kinds', 'model'],
  openapi: ['loader', 'model'],
  planner: ['kinds', 'model'],
  client: ['kinds', 'model'],
  applier: ['client', 'generated', 'kinds', 'model'],
  exporter: ['generated', 'kinds', 'loader', 'model'],
  engine: ['applier', 'client', 'exporter', 'kinds', 'lint', 'loader', 'model', 'planner', 'sandbox'],
  report: ['generated', 'model'],
  render: ['kinds', 'model'],
  preview: ['generated', 'kinds', 'lint', 'model', 'render', 'report'],
  sandbox: ['model'],
  generated: [],
};

/** Rooms that may be imported for their types only. */
const typesOnly: Readonly<Record<string, readonly string[]>> = { applier: ['client'] };

/** The sandbox is written from the API documents: of the model it knows JSON and nothing that the engine means by it. */
const files: Readonly<Record<string, readonly string[]>> = { sandbox: ['src/model/json.ts'] };

const sources = readSources('src');
const imports = sources.flatMap(importsOf);

/** `src/kinds/kind.ts`: `kinds`. The program and the library (`src/cli.ts`) are in no room. */
const roomOf = (path: string) => path.match(/^src\/([^/]+)\//)?.[1] ?? '';

it('sees the imports at all', () => {
  expect(imports.length).toBeGreaterThan(300);
  expect(imports.some(({ from, to }) => roomOf(from) === 'applier' && roomOf(to) === 'kinds')).toBe(true);
});

it('keeps imports going one way between the rooms', () => {
  const forbidden = imports.filter(({ from, to, isTypeOnly }) => {
    const [room, other] = [roomOf(from), roomOf(to)];
    const rooms = allowed[room];
    if (!rooms || room === other) return false;
    if (!rooms.includes(other)) return true;
    if (typesOnly[room]?.includes(other) && !isTypeOnly) return true;
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
  expect(findCycle(readSources(folder).flatMap(importsOf))).toEqual([]);
});

it('finds a cycle, also of types', () => {
  const edges = ['ab', 'bc', 'cd', 'db'].map(([from = '', to = '']) => ({
    from,
    to,
    isTypeOnly: from === 'c',
  }));
  expect(findCycle(edges)).toEqual(['b', 'c', 'd', 'b']);
});

it('has no room that the rule does not know', () => {
  const known = [...Object.keys(allowed), 'commands', ''];
  expect(sources.map(({ path }) => path).filter((path) => !known.includes(roomOf(path)))).toEqual([]);
});

it('knows the folders in which faults are put and those whose tests notice them', async () => {
  const { rooms } = await import(join(root, 'mutation/rooms.mjs'));
  const folders = Object.entries<string[]>(rooms).flatMap(([room, tests]) => [
    `src/${room}`,
    ...tests.map((test) => `test/${test}`),
  ]);
  expect(folders.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
});

it('has no file that is more than one subject', () => {
  const long = sources.filter(
    ({ path, text }) => roomOf(path) !== 'generated' && text.split('\n').length > 501,
  );
  expect(long.map(({ path }) => path)).toEqual([]);
});

/** In the path of a URL, a space is `%20`: a clone whose folder has one in its name would not find its own files. */
it.each(['src', 'bench', 'scripts', 'test', 'site', 'mutation'])(
  '%s makes paths of URLs with fileURLToPath',
  (folder) => {
    const asPath = /import\.meta\.url\s*\)\s*\.pathname/;
    const wrong = readSources(folder).filter(({ text }) => asPath.test(text));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  },
);
