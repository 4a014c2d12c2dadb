import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Import, importsOf, readSources, root } from './sources.ts';

/** What a room may import besides itself. */
interface Rule {
  readonly rooms: readonly string[];
  /** Of these rooms, types only. */
  readonly typesOnly: readonly string[];
  /** Of the model, this file only. */
  readonly modelFile: string | null;
}

/** The rules are those of the table in docs/architecture.md. The commands may import from every room. */
const rules: ReadonlyMap<string, Rule> = new Map(
  [
    ...readFileSync(join(root, 'docs/architecture.md'), 'utf8').matchAll(
      /^\| `src\/(\w+)\/` \| .* \| ([^|]+) \|$/gm,
    ),
  ].map(([, room = '', cell = '']) => {
    const words = cell.match(/\w+/g) ?? [];
    const modelFile = cell.startsWith('JSON of the model') ? 'src/model/json.ts' : null;
    return [
      room,
      {
        // What the build makes of schemas belongs to the model.
        rooms: modelFile ? ['model'] : cell === 'nothing' ? ['generated'] : [...words, 'model', 'generated'],
        typesOnly: [...cell.matchAll(/the (\w+)'s interface/g)].flatMap(([, other = '']) => other),
        modelFile,
      },
    ];
  }),
);

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
    if (room === other || room === '' || room === 'commands') return false;
    if (room === 'generated') return true;
    const { rooms, typesOnly, modelFile } = rules.get(room) ?? expect.fail(`No rule for ${room}`);
    if (!rooms.includes(other) || (typesOnly.includes(other) && !isTypeOnly)) return true;
    return modelFile !== null && to !== modelFile;
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

it('shows in the picture each room above the rooms that it imports', () => {
  const picture =
    readFileSync(join(root, 'docs/architecture.md'), 'utf8').match(/```text\n([^`]*)```/)?.[1] ?? '';
  const rows = picture
    .trim()
    .split('\n')
    .map((row) => row.split(/\s+/));
  expect(rows.flat().toSorted()).toEqual([...rules.keys()].toSorted());
  const rowOf = (room: string) => rows.findIndex((row) => row.includes(room));
  const upward = imports
    .map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }))
    .filter(({ from, to }) => from !== '' && from !== to && to !== 'generated' && rowOf(from) >= rowOf(to));
  expect(upward).toEqual([]);
});

it('has the rooms of the table, and no other', () => {
  const rooms = new Set(sources.map(({ path }) => roomOf(path)).filter((room) => room !== ''));
  expect([...rooms].toSorted()).toEqual([...rules.keys(), 'generated'].toSorted());
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
    ({ path, text }) => roomOf(path) !== 'generated' && text.split('\n').length > 601,
  );
  expect(long.map(({ path }) => path)).toEqual([]);
});

/** The embedded tenant knows nothing of the model but JSON. */
it('makes folders by makeFolder, which ends everywhere', () => {
  const byNode = sources.filter(
    ({ path, text }) => roomOf(path) !== 'sandbox' && /\bmkdir(Sync)?\(.*recursive/.test(text),
  );
  expect(byNode.map(({ path }) => path)).toEqual([]);
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
