import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));

/** Which rooms a room may import from besides itself; imports go one way. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  model: [],
  kinds: ['model'],
  lint: ['kinds', 'model'],
  loader: ['generated', 'kinds', 'model'],
  planner: ['kinds', 'model'],
  client: ['kinds', 'model'],
  applier: ['client', 'generated', 'kinds', 'model'],
  exporter: ['generated', 'kinds', 'loader', 'model'],
  report: ['model'],
  render: ['kinds', 'model'],
  preview: ['kinds', 'lint', 'model', 'render', 'report'],
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
    from: relative(src, file),
    to: relative(src, resolve(dirname(file), fixed ?? dynamic ?? '')),
    typeOnly: type !== undefined,
  }));
}

const imports = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .flatMap((entry) => importsOf(join(entry.parentPath, entry.name)));

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
