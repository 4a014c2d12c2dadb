import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/model/json.ts';

const exampleOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The descriptors that `kind add` copies. */
export const libraryFolder = exampleOf('../../examples/kinds/library/');

export const libraryKinds = readdirSync(libraryFolder).map((file) => file.replace('.kind.yaml', ''));

export const libraryDescriptor = (kind: string): string =>
  readFileSync(join(libraryFolder, `${kind}.kind.yaml`), 'utf8');

/** The files of a project with the whole library. */
export const libraryFiles: Readonly<Record<string, string>> = Object.fromEntries(
  libraryKinds.map((kind) => [`kinds/${kind}.kind.yaml`, libraryDescriptor(kind)]),
);

/** Made-up objects of the real shape, by kind. Those below another one have its id in the member that the path names. */
export const libraryObjects: Readonly<Record<string, readonly JsonObject[]>> = JSON.parse(
  readFileSync(exampleOf('../examples/library-objects.json'), 'utf8'),
);
