import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Project } from '../../src/kinds/project.ts';
import type { Resource } from '../../src/kinds/resource.ts';
import { loadProject } from '../../src/loader/index.ts';
import { type Diagnostic, Failure } from '../../src/model/failure.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A project file with one embedded tenant; `more` is added to its environment, indented by four. */
export const config = (more = ''): string => `version: 1\nenvironments:\n  test:\n    sandbox: {}\n${more}`;

/** A new folder with these files, removed after the test. */
export function project(files: Files): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tenantctl-loader-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries({ 'tenantctl.yaml': config(), ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** Secrets that are set wherever a test does not say otherwise. */
const secrets = { D: 'd', P: 'p', Q: 'q', S: 's', SNOW_PASSWORD: 'w' };

export interface Loading {
  environment?: string;
  env?: NodeJS.ProcessEnv;
}

export const load = (files: Files, loading: Loading = {}): Project =>
  loadProject({ configFile: join(project(files), 'tenantctl.yaml'), env: secrets, ...loading });

/** The resources of one manifest file. */
export const resources = (manifest: string, more: Files = {}, loading: Loading = {}): readonly Resource[] =>
  load({ 'config/a.yaml': manifest, ...more }, loading).resources;

/** The only resource of one manifest file. */
export function resource(manifest: string, more: Files = {}, loading: Loading = {}): Resource {
  const [first, second] = resources(manifest, more, loading);
  if (!first || second) throw new Error('The manifest does not declare exactly one resource.');
  return first;
}

/** What loading these files is refused for. */
export const failureOf = (files: Files, loading: Loading = {}): readonly Diagnostic[] =>
  thrown(() => load(files, loading)).diagnostics;

/** The errors alone. */
export const refusalOf = (files: Files, loading: Loading = {}): readonly Diagnostic[] =>
  failureOf(files, loading).filter(({ severity }) => severity === 'error');

/** What diagnostics say in words that says nothing, or shows the inside of the program. */
function unclear(diagnostics: readonly Diagnostic[]): string[] {
  const said = diagnostics.flatMap(({ message, hint }) => [message, ...(hint == null ? [] : [hint])]);
  return said.filter((text) => !/^\S.{4}/s.test(text) || /undefined|\[object|NaN|``|\0/.test(text));
}

export function thrown(run: () => unknown): Failure {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expect(unclear(error.diagnostics)).toEqual([]);
    return error;
  }
  throw new Error('Nothing was thrown.');
}

/** A diagnostic as one line: `code file:line:column`. */
export const brief = ({ code, source }: Diagnostic): string =>
  source ? `${code} ${source.file}:${source.line}:${source.column}` : code;

/** The errors among diagnostics, briefly. */
export const errors = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.filter(({ severity }) => severity === 'error').map(brief);
