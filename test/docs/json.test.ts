import { afterAll, beforeAll, expect, test } from 'vitest';
import { get, isArray, isObject, type Json, parseJson } from '../../src/model/json.ts';
import { createWorld, seedFile, type World } from '../support/world.ts';
import { blocksOf, textOf } from './documents.ts';

const path = 'docs/exit-codes.md';
let world: World;
beforeAll(async () => {
  world = await createWorld({ sandbox: { seed: seedFile } });
  world.declare([{ kind: 'SenderAddress', email: 'identity@acme.example' }]);
});
afterAll(() => world.close());

/** The members that the document names in the part about a command. */
function documented(command: string): string {
  const text = textOf(path);
  const from = text.indexOf(`\`${command} --format json\``);
  expect(from).toBeGreaterThan(0);
  return text.slice(from, text.indexOf('\n\n`', from + 1));
}

async function printed(...argv: string[]): Promise<Json> {
  const { stdout } = await world.run(...argv, '--format', 'json');
  return parseJson(stdout) ?? null;
}

function findUnnamed(value: Json | undefined, text: string): string[] {
  expect(isObject(value ?? null)).toBe(true);
  return Object.keys(isObject(value) ? value : {}).filter((name) => !text.includes(`\`${name}\``));
}

test('every member of a status is named', async () => {
  const status = await printed('status');
  const identities = isObject(status) ? get(status, 'identities') : null;
  expect(findUnnamed(status, documented('status'))).toEqual([]);
  expect(findUnnamed(isArray(identities) ? identities[0] : null, documented('status'))).toEqual([]);
});

test('every member of what a search finds is named', async () => {
  const found = await printed('search', 'Employees hired before 2015');
  expect(isObject(found) ? get(found, 'rules') : null).toBe('saved');
  expect(findUnnamed(found, documented('search'))).toEqual([]);
});

test('the example of diagnostics has the members that validate prints', async () => {
  const [example] = blocksOf(path, 'json').map(({ content }) => parseJson(content));
  world.write('config/wrong.yaml', 'kind: SenderAddress\nemial: a@acme.example\n');
  const real = await printed('validate');
  expect(Object.keys(isObject(example) ? example : {})).toEqual(Object.keys(isObject(real) ? real : {}));
  const known = firstDiagnostic(example);
  expect(Object.keys(firstDiagnostic(real)).filter((name) => !Object.hasOwn(known, name))).toEqual([]);
});

function firstDiagnostic(value: Json | undefined): object {
  const list = isObject(value) ? get(value, 'diagnostics') : null;
  const first = isArray(list) ? list[0] : null;
  expect(isObject(first)).toBe(true);
  return isObject(first) ? first : {};
}
