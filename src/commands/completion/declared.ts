import { readFileSync, realpathSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { type Document, isMap, isScalar, parseAllDocuments } from 'yaml';
import { findKind } from '../../kinds/index.ts';
import { diskSource, type FileSource } from '../../loader/source.ts';
import { type Address, formatAddress } from '../../model/address.ts';

/** What a project names, as far as it can be read: for whoever is typing, half a project is better than none. */
export interface Declared {
  readonly environments: readonly string[];
  readonly objects: readonly { readonly kind: string; readonly address: Address; readonly name: string }[];
}

/** Reads project file and manifests without checking them; tags, credentials and overlays do not count. */
export function readDeclared(configFile: string): Declared {
  const source = diskSource(realpathSync.native(dirname(configFile)));
  const [project] = parse(readFileSync(configFile, 'utf8'));
  const inline = project?.get('environments');
  const names = isMap(inline) ? inline.items.map(({ key }) => String(isScalar(key) ? key.value : key)) : [];
  const files = source
    .glob(['environments/*.yaml', 'environments/*.yml'])
    .map((path) => posix.parse(path).name);
  const manifests: unknown = project?.toJS()?.manifests;
  const patterns = Array.isArray(manifests) ? manifests.map(String) : ['config/**/*.yaml'];
  return {
    environments: [...names, ...files],
    objects: source.glob(patterns).flatMap((path) => objectsIn(source, path)),
  };
}

function objectsIn(source: FileSource, path: string): Declared['objects'] {
  return parse(new TextDecoder().decode(source.read(path))).flatMap((document) => {
    const kind = findKind(String(document.get('kind')));
    const key = kind?.keyFields.map(({ name }) => document.get(name)) ?? [];
    if (!kind || !key.every((part) => typeof part === 'string')) return [];
    return [{ kind: kind.name, address: formatAddress(kind.name, key), name: key.join('/') }];
  });
}

function parse(text: string): Document[] {
  const documents = parseAllDocuments(text, { logLevel: 'silent' });
  return [...documents].filter((document) => isMap(document.contents));
}
