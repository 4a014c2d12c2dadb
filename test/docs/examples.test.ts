import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadProject } from '../../src/loader/index.ts';
import { Failure } from '../../src/model/failure.ts';
import { SandboxFileError } from '../../src/sandbox/index.ts';
import { loadState } from '../../src/sandbox/state.ts';
import { blocksOf, documents, root, textOf } from './documents.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const examples = documents().flatMap((path) =>
  blocksOf(path, 'yaml').map(({ line, content }) => ({ place: `${path}:${line}`, content })),
);

describe('every YAML example is valid', () => {
  test('there are examples of each sort', () => {
    expect(new Set(examples.map(({ content }) => sortOf(content)))).toEqual(
      new Set(['manifest', 'descriptor', 'project', 'environment', 'seed', 'step']),
    );
  });

  test.each(examples)('$place', ({ content }) => {
    const problems = problemsOf(content);
    if (content.includes('# a typo\n')) expect(problems).not.toEqual([]);
    else expect(problems).toEqual([]);
  });
});

test('an invalid project file would be found', () =>
  expect(problemsOf('version: 1\nenvironmnets: {}\n')).not.toEqual([]));

type Sort = 'manifest' | 'descriptor' | 'project' | 'environment' | 'seed' | 'step' | 'other';

function sortOf(content: string): Sort {
  if (/^kind:/m.test(content)) return /^path: \//m.test(content) ? 'descriptor' : 'manifest';
  if (/^version: 1$/m.test(content)) return 'project';
  if (/^objects:$/m.test(content)) return 'seed';
  if (/^- uses: /m.test(content)) return 'step';
  return /^(sandbox|identity):/m.test(content) ? 'environment' : 'other';
}

/** The kinds that manifests in the documents may be of, besides those that are built in. */
const exampleKinds = Object.fromEntries(
  readdirSync(join(root, 'examples/kinds/kinds')).map((name) => [
    `kinds/${name}`,
    textOf(`examples/kinds/kinds/${name}`),
  ]),
);

/** What the loader has against an example. */
function problemsOf(content: string): string[] {
  switch (sortOf(content)) {
    case 'manifest':
      return load(content, {
        ...exampleKinds,
        'config/example.yaml': content,
        'tenantctl.yaml': projectFor(content),
      });
    case 'descriptor':
      return load(content, {
        [`kinds/${/^kind: (\w+)/m.exec(content)?.[1]}.kind.yaml`]: content,
        'tenantctl.yaml': 'version: 1\nenvironments: { test: { sandbox: {} } }\n',
      });
    case 'environment':
      return load(content, {
        'environments/example.yaml': content,
        'tenantctl.yaml': 'version: 1\ndefaultEnvironment: example\n',
      });
    case 'project':
      return [...environmentsOf(content)].flatMap((name) =>
        load(content, { 'tenantctl.yaml': content }, name),
      );
    case 'seed':
      return loadSeed(content);
    case 'step':
      return inputsIn(content).filter((name) => !actionInputs.includes(name));
    case 'other':
      return ['This is neither a manifest nor a project file.'];
  }
}

const actionInputs = Object.keys(parse(textOf('action.yml')).inputs);

/** What a step of a workflow gives to the action. */
const inputsIn = (content: string): string[] =>
  parse(content).flatMap((step: { with: object }) => Object.keys(step.with));

/** What the embedded tenant has against it. */
function loadSeed(content: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'tenantctl-'));
  folders.push(folder);
  writeFileSync(join(folder, 'seed.yaml'), content);
  try {
    loadState(join(folder, 'seed.yaml'), null);
    return [];
  } catch (error) {
    if (!(error instanceof SandboxFileError)) throw error;
    return [error.message];
  }
}

function environmentsOf(content: string): string[] {
  const environments = parseAllDocuments(content, { logLevel: 'silent' })[0]?.toJS()?.environments;
  return Object.keys(environments ?? { none: {} });
}

/** A project whose environment has the variables that a manifest uses. */
function projectFor(content: string): string {
  const names = [...content.matchAll(/!var (\w+)|%\{(\w+)\}/g)].map(([, name, other]) => name ?? other);
  const variables = JSON.stringify(
    Object.fromEntries(names.map((name) => [name, `the-${name}@acme.example`])),
  );
  return `version: 1\nenvironments: { test: { sandbox: {}, variables: ${variables} } }\n`;
}

function load(content: string, files: Readonly<Record<string, string>>, environment?: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'tenantctl-'));
  folders.push(folder);
  const sides = [...content.matchAll(/!file (\S+)/g)].map(([, path = '']) => [
    join('config', path),
    'A text.',
  ]);
  const seeds = [...content.matchAll(/\bseed: ([\w.]+)/g)].map(([, path = '']) => [path, 'objects: {}']);
  for (const [path = '', text = ''] of [...Object.entries(files), ...sides, ...seeds]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const names = [...content.matchAll(/!(?:secret|env) (\w+)/g)].map(([, name = '']) => name);
  const env = Object.fromEntries(names.map((name) => [name, 'set']));
  try {
    const configFile = join(folder, 'tenantctl.yaml');
    const { diagnostics } = loadProject({ configFile, env, ...(environment ? { environment } : {}) });
    return diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.diagnostics.map(({ message, source }) => `${source?.file}:${source?.line} ${message}`);
  }
}
