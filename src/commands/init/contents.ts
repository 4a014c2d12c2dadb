import { isMap, isScalar, parseDocument } from 'yaml';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectFrom,
  own,
  parseJson,
} from '../../model/json.ts';
import { version } from '../../model/version.ts';
import type { Choices } from './choices.ts';

/**
 * What to write into a file, given its existing text, or `null` where there is none. Returns the same text to keep the
 * file, and `null` where nothing can be added to it.
 */
export type Content = (existing: string | null) => string | null;

/** The project file: the example's with the choices made in it. Its comments stay. */
export function projectFile(example: string, { tenant, from }: Choices): string {
  const text = example.replace('$schema=../schemas/', '$schema=.tenantctl/schemas/');
  if (tenant === null && from === 'examples') return text;
  const document = parseDocument(text, { keepSourceTokens: true, logLevel: 'silent' });
  const production = ['environments', 'production'];
  if (tenant !== null) {
    document.setIn([...production, 'identity', 'baseUrl'], tenant.identity);
    if (tenant.profiles === null) document.deleteIn([...production, 'profiles']);
    else document.setIn([...production, 'profiles', 'baseUrl'], tenant.profiles);
  }
  if (from === 'export') {
    // These are about the objects of the examples. An export uses no variables.
    for (const name of ['sandbox', 'production']) document.deleteIn(['environments', name, 'variables']);
    for (const part of ['overlays', 'protect', 'prune']) document.deleteIn([...production, part]);
    if (tenant !== null) {
      document.setIn(['defaultEnvironment'], 'production');
      const environments = document.get('environments');
      if (isMap(environments)) {
        environments.delete('sandbox');
        // The comment is about the embedded tenant, and the empty line was below it.
        environments.commentBefore = null;
        const [first] = environments.items;
        if (isScalar(first?.key)) first.key.spaceBefore = false;
      }
    }
  }
  return document.toString({ lineWidth: 0, singleQuote: true });
}

/** What a pipeline has to know of its project. */
export interface PipelineFacts {
  /** The environment variables that project file and manifests use. */
  readonly names: readonly string[];
  /** The hosts of the tenant, which alone may be called; `null` where the project file does not tell them. */
  readonly hosts: readonly string[] | null;
}

/** In the place of hosts that are not known. No request can reach it. */
export const unknownHost = 'name-the-hosts-of-your-tenant.invalid';

/** The example's pipeline with the hosts of this project, and with its secrets. */
export function pipelineFile(example: string, { names, hosts }: PipelineFacts): string {
  const allowed = hosts === null ? unknownHost : hosts.join(',');
  return example
    .replace(/(?<=^ +TENANTCTL_ALLOWED_HOSTS: ).*$/m, () => allowed)
    .replaceAll(/^( +)SNOW_PASSWORD: .*\n/gm, (_line, indent: string) =>
      names
        .filter((name) => name !== 'TENANT_CLIENT_ID' && name !== 'TENANT_CLIENT_SECRET')
        .map((name) => `${indent}${name}: \${{ secrets.${name} }}\n`)
        .join(''),
    );
}

/**
 * Adds this exact version of tenantctl to a package.json, in the indentation that it has. A package that depends on
 * tenantctl already keeps its own version.
 */
export function addDependency(existing: string | null): string | null {
  const text = existing ?? '{ "private": true }';
  const content = parseJson(text.replace(/^\uFEFF/, ''));
  if (!isObject(content)) return null;
  const groups = ['dependencies', 'devDependencies', 'optionalDependencies'].map((name) =>
    own(content, name),
  );
  if (groups.some((group) => isObject(group) && own(group, 'tenantctl') !== undefined)) return existing;
  const others = own(content, 'devDependencies');
  if (others !== undefined && !isObject(others)) return null;
  const sorted = Object.entries({ ...others, tenantctl: version }).sort(([a], [b]) => (a < b ? -1 : 1));
  const indent = /^[{\s]*?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  const changed = JSON.stringify({ ...content, devDependencies: objectFrom(sorted) }, null, indent);
  const lines = text.includes('\r\n') ? changed.replaceAll('\n', '\r\n') : changed;
  return `${lines}${/\r?\n$/.exec(text)?.[0] ?? (existing === null ? '\n' : '')}`;
}

/** Adds those of the lines that are missing. */
export function addLines(lines: readonly string[]): Content {
  return (existing) => {
    const present = new Set((existing ?? '').split('\n').map((line) => line.trim()));
    const missing = lines.filter((line) => !present.has(line));
    if (missing.length === 0) return existing;
    const start =
      existing === null || existing === '' || existing.endsWith('\n') ? existing : `${existing}\n`;
    return `${start ?? ''}${missing.map((line) => `${line}\n`).join('')}`;
  };
}

/**
 * Adds members and list items that are missing from editor settings. Nothing can be added to a file that is not plain
 * JSON; such files often have comments.
 */
export function addSettings(ours: string): Content {
  return (existing) => {
    if (existing === null) return ours;
    const [theirs, added] = [parseJson(existing), parseJson(ours)];
    if (!isObject(theirs) || !isObject(added)) return null;
    const result = mergeObjects(theirs, added);
    return JSON.stringify(result) === JSON.stringify(theirs)
      ? existing
      : `${JSON.stringify(result, null, 2)}\n`;
  };
}

function mergeObjects(theirs: JsonObject, ours: JsonObject): JsonObject {
  const added = Object.entries(ours).map(([name, value]): [string, Json] => [
    name,
    mergeValues(own(theirs, name), value),
  ]);
  return objectFrom([...Object.entries(theirs), ...added]);
}

function mergeValues(theirs: Json | undefined, ours: Json): Json {
  if (theirs === undefined) return ours;
  if (isObject(theirs) && isObject(ours)) return mergeObjects(theirs, ours);
  if (isArray(theirs) && isArray(ours)) return [...theirs, ...ours.filter((item) => !theirs.includes(item))];
  return theirs;
}
