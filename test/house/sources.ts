import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Source {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
}

/** The TypeScript and JavaScript below a folder of the project. */
export function readSources(folder: string): readonly Source[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes('node_modules'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

export interface Import {
  readonly from: string;
  readonly to: string;
  readonly isTypeOnly: boolean;
}

/** What a file imports from others of the project: statements, also of types, re-exports and dynamic imports. */
export function importsOf({ path, text }: Source): readonly Import[] {
  const { module } = parseSync(path, text);
  const { staticImports, staticExports, dynamicImports } = module;
  const areTypes = (entries: readonly { isType: boolean }[]) =>
    entries.length > 0 && entries.every(({ isType }) => isType);
  return [
    ...staticImports.map(({ moduleRequest, entries }) => ({
      to: moduleRequest.value,
      isTypeOnly: areTypes(entries),
    })),
    ...staticExports.flatMap(({ entries }) =>
      entries.map((entry) => ({ to: entry.moduleRequest?.value ?? '', isTypeOnly: entry.isType })),
    ),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => ({
      to: text.slice(start + 1, end - 1),
      isTypeOnly: false,
    })),
  ]
    .filter(({ to }) => to.startsWith('.'))
    .map(({ to, isTypeOnly }) => ({
      from: path,
      to: relative(root, resolve(root, dirname(path), to)),
      isTypeOnly,
    }));
}
