import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import { isOnlyReferredTo } from '../../src/kinds/kind.ts';
import { presetNames, presets } from '../../src/kinds/project.ts';
import { get, isArray, isObject, type Json, parseJson } from '../../src/model/json.ts';
import { ways } from '../../src/sandbox/index.ts';
import { isThorough } from '../support/effort.ts';
import { createTestWorld, createWorld, runProgram, seedFile, succeed, type World } from '../support/world.ts';
import { codesInSource } from './codes.ts';
import { blocksOf, documents, root, textOf } from './documents.ts';

describe('every link leads somewhere', () =>
  test.each(documents())('%s', (path) =>
    expect(linksOf(textOf(path)).filter((link) => !leads(path, link))).toEqual([]),
  ));

test('every document can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const path of reached) {
    for (const link of linksOf(textOf(path))) {
      const target = join(dirname(path), link.split('#')[0] ?? '');
      if (target.endsWith('.md') && existsSync(join(root, target))) reached.add(target);
    }
  }
  expect(documents().filter((path) => !reached.has(path))).toEqual([]);
});

test('the files that documents for developers name are there', () => {
  const named = ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/adding-a-kind.md'].flatMap((path) =>
    [...textOf(path).matchAll(/`([\w./-]+(?:\/|\.ts|\.mjs))`/g)].map(([, file = '']) => file),
  );
  const isThere = (file: string) => existsSync(join(root, file)) || existsSync(join(root, 'src', file));
  expect(named.length).toBeGreaterThan(30);
  // A kind that somebody is about to write.
  expect(named.filter((file) => !file.includes('your-kind') && !isThere(file))).toEqual([]);
});

test('every library that runs is listed with what it does', () => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(textOf('package.json'));
  const [, section = ''] = textOf('CONTRIBUTING.md').split('\n## Dependencies\n');
  const [table = ''] = section.split('\n## ');
  const listed = [...table.matchAll(/^\| `([\w-]+)` \| .*\w/gm)].map(([, name]) => name);
  expect(listed).toEqual(Object.keys(dependencies));
});

/** Relative links and pictures; code is no place for links. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)]
    .map(([, inline, attribute]) => inline ?? attribute ?? '')
    .filter((link) => !/^\w+:/.test(link));
}

function leads(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  if (!existsSync(join(root, path))) return false;
  return anchor === undefined || anchorsOf(textOf(path)).includes(anchor);
}

/** The anchors that a forge gives to headings. */
function anchorsOf(text: string): string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const exitCodes = 'docs/exit-codes.md';
let world: World;
beforeAll(async () => {
  world = await createWorld({ sandbox: { seed: seedFile } });
  world.declare([{ kind: 'SenderAddress', email: 'identity@acme.example' }]);
});
afterAll(() => world.close());

/** The members that the document names in the part about a command. */
function documentedMembers(command: string): string {
  const text = textOf(exitCodes);
  const from = text.indexOf(`\`${command} --format json\``);
  expect(from).toBeGreaterThan(0);
  return text.slice(from, text.indexOf('\n\n`', from + 1));
}

const printed = async (...argv: string[]): Promise<Json> =>
  parseJson((await world.run(...argv, '--format', 'json')).stdout) ?? null;

function findUnnamed(value: Json | undefined, text: string): string[] {
  expect(isObject(value ?? null)).toBe(true);
  return Object.keys(isObject(value) ? value : {}).filter((name) => !text.includes(`\`${name}\``));
}

test('every member of a status is named', async () => {
  const status = await printed('status');
  const identities = isObject(status) ? get(status, 'identities') : null;
  expect(findUnnamed(status, documentedMembers('status'))).toEqual([]);
  expect(findUnnamed(isArray(identities) ? identities[0] : null, documentedMembers('status'))).toEqual([]);
});

test('every member of what a search finds is named', async () => {
  const found = await printed('search', 'Employees hired before 2015');
  expect(isObject(found) ? get(found, 'rules') : null).toBe('saved');
  expect(findUnnamed(found, documentedMembers('search'))).toEqual([]);
});

test('the example of diagnostics has the members that validate prints', async () => {
  const [example] = blocksOf(exitCodes, 'json').map(({ content }) => parseJson(content));
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

const page = textOf('docs/hosts.md');

describe('the page about hosts', () => {
  test.each(presetNames)('has what %s stands for, and how its hosts are named', (name) => {
    const { service, product, hosts, settings } = presets[name];
    const [row] = page.split('\n').filter((line) => line.startsWith(`| \`${service}.preset: ${name}\``));
    const said = [product, ...hosts.map((end) => `\`*${end}\``)];
    const members = Object.entries(settings).map(([setting, value]) => `\`${setting}: ${value}\``);
    for (const part of [...said, ...members]) expect(row).toContain(part);
  });

  test('has every way of a host that the embedded tenant plays', () => {
    const all = Object.entries(ways).map(([name, [, ...others]]) => [
      name,
      ...others.map((value) => `${name}=${value}`),
    ]);
    expect(all.filter(([, ...others]) => !others.some((way) => page.includes(`\`${way}\``)))).toEqual([]);
  });
});

const moving = 'docs/moving-to-service-desk.md';

it('both forms of the integration are planned, and the commands of the steps run', async () => {
  const world = await createTestWorld({
    sandbox: { seed: seedFile },
    environment: { variables: { expandRule: '2c9180835d2e5168015d32f890ca1581' } },
  });
  world.env.SNOW_PASSWORD = 'only-for-this-test';
  const [{ content = '' } = {}] = blocksOf(moving, 'diff');
  const lines = content.split('\n');
  const formOf = (side: '-' | '+', name: string) =>
    lines
      .filter((line) => line.startsWith(' ') || line.startsWith(side))
      .map((line) => line.slice(1))
      .join('\n')
      .replace('name: ServiceNow\n', `name: ${name}\n`);
  world.write('config/old.yaml', formOf('-', 'Old form'));
  world.write('config/new.yaml', formOf('+', 'New form'));
  expect((await world.plan()).changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
    'create SimIntegration/Old%20form',
    'create ServiceDeskIntegration/New%20form',
  ]);
  await succeed(world, 'apply --yes');
  expect((await world.plan()).changes).toEqual([]);
  const commands = [...textOf(moving).matchAll(/`tenantctl ([^`]+)`/g)].map(([, command = '']) => command);
  expect(commands.map((command) => command.split(' ')[0])).toEqual(['kind', 'export']);
  for (const command of commands) {
    const ran = await world.run(...command.replaceAll("'", '').split(' '));
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
  }
  expect(world.read('moved/service-desk-integrations/new-form.yaml')).toContain(
    'clusterRef: !ref Cluster/va-prod',
  );
});

const text = readFileSync(new URL('../../docs/troubleshooting.md', import.meta.url), 'utf8');
const entries = [...text.matchAll(/^### (\S+)\n(.*)/gm)].map(([, code = '', words = '']) => ({
  code,
  words,
}));
const documented = entries.map(({ code }) => code);

test('every code that the program can emit has its entry', () => {
  const codes = [...codesInSource()];
  expect(codes.length).toBeGreaterThan(100);
  expect(codes.filter((code) => !documented.includes(code))).toEqual([]);
});

test('no entry is about a code that the program does not have', () => {
  const codes = codesInSource();
  expect(documented.filter((code) => !codes.has(code))).toEqual([]);
});

test('each entry stands once, and says something', () => {
  expect(documented.filter((code, at) => documented.indexOf(code) !== at)).toEqual([]);
  expect(entries.filter(({ words }) => words.trim() === '')).toEqual([]);
});

test('its table of contents has every section, in order', () => {
  const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  expect([...text.matchAll(/^- \[(.*)\]\(#/gm)].map(([, heading]) => heading)).toEqual(sections);
});

const { built } = await import(join(root, 'scripts/docs/built.mjs'));
const { documents: generatedDocuments } = await import(join(root, 'scripts/docs/documents.mjs'));

test.each([
  'docs/adding-a-kind.md',
  'docs/ci.md',
  'docs/commands.md',
  'docs/environments.md',
  'docs/exit-codes.md',
  'docs/fleet.md',
  'docs/manifests.md',
])('%s says what the program says', async (path) => {
  const text = textOf(path);
  const help = async (...words: string[]) =>
    (await runProgram([...words, '--help'], { cwd: root, env: { NO_COLOR: '1' } })).stdout;
  expect(await generatedDocuments[path](text, isThorough ? built : { help })).toBe(text);
});

test('the table of what can be done with each kind has every kind and its key', () => {
  const rows = [...textOf('docs/manifests.md').matchAll(/^\| (\w+) \| (`[^|]*`) \|/gm)];
  const listed = rows.map(([, name, keys = '']) => `${name} ${keys.replaceAll('`', '')}`);
  const known = builtInKinds.all
    .filter((kind) => !isOnlyReferredTo(kind))
    .map(({ name, keyFields }) => `${name} ${keyFields.map((key) => key.name).join(', ')}`);
  expect(listed.sort()).toEqual(known.sort());
});
