import { type Document, isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';
import { append, eolOf } from '../../exporter/edit/document.ts';
import { version } from '../../model/documents.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectFrom,
  own,
  parseJson,
} from '../../model/json.ts';
import { type Choices, environmentName, type NewTenant, usualNames } from './choices.ts';

/**
 * What to write into a file, given its existing text, or `null` where there is none. Returns the same text to keep the
 * file, and `null` where nothing can be added to it.
 */
export type Content = (existing: string | null) => string | null;

/** The project file: the example's with the choices made in it. Its comments stay. */
export function projectFile(example: string, { tenants, from }: Choices): string {
  const text = example.replace('$schema=../schemas/', '$schema=.tenantctl/schemas/');
  if (tenants.length === 0 && from === 'examples') return text;
  const document = parseDocument(text, { keepSourceTokens: true, logLevel: 'silent' });
  // These are about the objects of the examples. An export uses no variables.
  if (from === 'export') {
    for (const name of ['sandbox', environmentName]) document.deleteIn(['environments', name, 'variables']);
    for (const part of ['overlays', 'protect', 'prune']) document.deleteIn([...environment, part]);
  }
  addTenants(document, tenants);
  if (from === 'export' && tenants.length > 0) leaveOutSandbox(document, tenants);
  return document.toString({ lineWidth: 0, singleQuote: true });
}

const environment = ['environments', environmentName];

/** Puts an environment for each tenant in the place of the example's. More than two are in a group, but for the first. */
function addTenants(document: Document, tenants: readonly NewTenant[]): void {
  const environments = document.get('environments');
  const pattern = document.getIn(environment, true);
  if (!isMap(environments) || !isMap(pattern) || tenants.length === 0) return;
  environments.delete(environmentName);
  for (const tenant of tenants) {
    const settings = pattern.clone();
    if (!isMap(settings)) continue;
    nameTenant(document, settings, tenant);
    if (tenants.length > 1) nameSecret(settings, tenant);
    const name = document.createNode(tenant.name);
    name.spaceBefore = true;
    environments.add(document.createPair(name, settings));
  }
  const [, ...others] = tenants.map(({ name }) => name);
  if (others.length > 1 && isMap(document.contents)) {
    const name = document.createNode('groups');
    name.spaceBefore = true;
    document.contents.add(document.createPair(name, { [laterGroup]: others }));
  }
}

/** The group of all tenants but the first. */
export const laterGroup = 'production';

function nameTenant(document: Document, settings: YAMLMap, tenant: NewTenant): void {
  settings.setIn(['identity', 'baseUrl'], tenant.identity);
  for (const name of ['clientId', 'clientSecret'] as const) {
    const credential = settings.getIn(['identity', 'auth', name], true);
    // It keeps its tag.
    if (isScalar(credential)) credential.value = tenant[name];
  }
  if (tenant.profiles === null) settings.delete('profiles');
  else settings.setIn(['profiles', 'baseUrl'], tenant.profiles);
  for (const { service, name, value, because } of tenant.survey?.detected ?? []) {
    const members = settings.get(service);
    const key = document.createNode(name);
    key.commentBefore = ` Detected by \`tenantctl init\`: ${because}.`;
    if (isMap(members)) members.add(document.createPair(key, value));
  }
}

/** Each tenant has its own password for the ticket system of the examples. */
function nameSecret(settings: YAMLMap, { name }: NewTenant): void {
  const password = settings.getIn(['variables', 'snowPassword'], true);
  if (isScalar(password)) password.value = usualNames(name).clientId.replace(/CLIENT_ID$/, 'SNOW_PASSWORD');
}

function leaveOutSandbox(document: Document, [first]: readonly NewTenant[]): void {
  document.setIn(['defaultEnvironment'], first?.name);
  const environments = document.get('environments');
  if (!isMap(environments)) return;
  environments.delete('sandbox');
  // The comment is about the embedded tenant, and the empty line was below it.
  environments.commentBefore = null;
  const [top] = environments.items;
  if (isScalar(top?.key)) top.key.spaceBefore = false;
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
  return printLike(existing ?? '{}\n', { ...content, devDependencies: objectFrom(sorted) });
}

/** JSON as text, with the indentation and line endings of another one. */
function printLike(text: string, value: JsonObject): string {
  const indent = /^[{\s]*?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  const end = text.endsWith('\n') ? '\n' : '';
  return `${JSON.stringify(value, null, indent)}${end}`.replaceAll('\n', eolOf(text));
}

/** Adds those of the lines that are missing, in the line endings that are there. */
export function addLines(lines: readonly string[]): Content {
  return (existing) => {
    const present = new Set((existing ?? '').split('\n').map((line) => line.trim()));
    const missing = lines.filter((line) => !present.has(line));
    if (missing.length === 0) return existing;
    const added = missing.map((line) => `${line}\n`).join('');
    return existing ? append(existing, added) : added;
  };
}

/**
 * Adds members and list items that are missing from editor settings, in the layout that they have. Nothing can be added
 * to a file that is not plain JSON; such files often have comments.
 */
export function addSettings(ours: string): Content {
  return (existing) => {
    if (existing === null) return ours;
    const [theirs, added] = [parseJson(existing), parseJson(ours)];
    if (!isObject(theirs) || !isObject(added)) return null;
    const result = mergeObjects(theirs, added);
    return JSON.stringify(result) === JSON.stringify(theirs) ? existing : printLike(existing, result);
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
