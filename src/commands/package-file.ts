import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isObject, parseJson, textOf } from '../model/json.ts';

const root = dirname(createRequire(import.meta.url).resolve('tenantctl/package.json'));

/** The absolute path of a file that the package contains in addition to the program: examples, schemas, the codes' page. */
export function packageFile(path: string): string {
  return join(root, path);
}

/**
 * Where a page of the documentation is: below the homepage that package.json names, else in the package on this machine.
 *
 * @param page from the package's folder on, such as `docs/commands.md#plan`
 */
export function documentation(page: string): string {
  const manifest = parseJson(readFileSync(packageFile('package.json'), 'utf8'));
  return pageBelow(isObject(manifest) ? textOf(manifest, 'homepage') : null, page);
}

/** The address of a page below a homepage; its absolute path in the package where there is none. */
export function pageBelow(homepage: string | null, page: string): string {
  return homepage === null ? packageFile(page) : `${homepage.replace(/\/*(?:#.*)?$/, '')}/${page}`;
}
