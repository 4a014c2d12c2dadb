import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { version } from '../../model/version.ts';
import type { Choices } from './choices.ts';
import { editorSettings } from './editor-settings.ts';
import { projectFile } from './project-file.ts';

/** A file of a new project. */
export interface ProjectFile {
  readonly path: string;
  /**
   * What to write, given the file as it is, or `null` where there is none; the same text to leave it. A file without an
   * own rule is only ever created. `null`: it cannot be added to.
   */
  content(existing: string | null): string | null;
}

const packageRoot = dirname(createRequire(import.meta.url).resolve('tenantctl/package.json'));

const ownFile = (path: string) => readFileSync(join(packageRoot, path), 'utf8');
const example = (path: string) => ownFile(`examples/${path}`);
const created = (path: string, text: string): ProjectFile => ({
  path,
  content: (existing) => existing ?? text,
});

/** Where editors find the schemas: in the repository, so that everybody has them who has the manifests. */
const schemaFolder = '.tenantctl/schemas';

/** The files of a new project; the pipelines come last, since they name the secrets that the manifests need. */
export function projectFiles(
  choices: Choices,
  root: string,
): { base: ProjectFile[]; pipeline(names: readonly string[]): ProjectFile[] } {
  const begins = !existsSync(join(root, 'tenantctl.yaml'));
  return {
    base: [
      created('tenantctl.yaml', projectFile(example('tenantctl.yaml'), choices)),
      ...(begins ? manifests(choices) : []),
      {
        path: '.gitignore',
        content: withLines(['.tenantctl/*', `!${schemaFolder}/`, '.env', 'node_modules/']),
      },
      { path: '.vscode/settings.json', content: editorSettings(example('.vscode/settings.json')) },
      created('.vscode/extensions.json', example('.vscode/extensions.json')),
      ...['manifest', 'project'].map(schema),
    ],
    pipeline: (names) =>
      [
        { system: 'github', path: '.github/workflows/tenantctl.yaml' },
        { system: 'gitlab', path: '.gitlab-ci.yml' },
      ]
        .filter(({ system }) => choices.pipelines === 'both' || choices.pipelines === system)
        .map(({ path }) => created(path, withNames(example(path), names))),
  };
}

function manifests({ from, tenant }: Choices): ProjectFile[] {
  const seed = [created('sandbox.seed.yaml', example('sandbox.seed.yaml'))];
  if (from === 'export') return tenant === null ? seed : [];
  const paths = readdirSync(join(packageRoot, 'examples/config'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(packageRoot, 'examples/').length))
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
  return [...seed, ...paths.map((path) => created(path, example(path)))];
}

/** The program's own file: that of this version. */
function schema(name: string): ProjectFile {
  const file = `${name}.schema.json`;
  return { path: `${schemaFolder}/${file}`, content: () => ownFile(`schemas/${file}`) };
}

/** The text with those of `lines` added that it lacks. */
function withLines(lines: readonly string[]): ProjectFile['content'] {
  return (existing) => {
    const known = new Set((existing ?? '').split('\n').map((line) => line.trim()));
    const missing = lines.filter((line) => !known.has(line));
    if (missing.length === 0) return existing;
    const start =
      existing === null || existing === '' || existing.endsWith('\n') ? existing : `${existing}\n`;
    return `${start ?? ''}${missing.map((line) => `${line}\n`).join('')}`;
  };
}

/** The example's pipeline for this version, with the secrets of this project. */
function withNames(pipeline: string, names: readonly string[]): string {
  return pipeline
    .replace('TENANTCTL_VERSION: latest', `TENANTCTL_VERSION: ${version}`)
    .replaceAll(/^( +)SNOW_PASSWORD: .*\n/gm, (_line, indent: string) =>
      names
        .filter((name) => name !== 'TENANT_CLIENT_ID' && name !== 'TENANT_CLIENT_SECRET')
        .map((name) => `${indent}${name}: \${{ secrets.${name} }}\n`)
        .join(''),
    );
}
