import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { append, eolOf } from '../../exporter/edit/document.ts';
import { dotEnvName } from '../../loader/inputs.ts';
import { requireInside } from '../../loader/paths.ts';
import { version } from '../../model/documents.ts';
import { systemCode, unwritableFile } from '../../model/failure.ts';
import {
  get,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectFrom,
  parseJson,
} from '../../model/json.ts';
import { readIfThere } from '../files.ts';
import { packageFile } from '../package-file.ts';

export interface ProjectFile {
  readonly path: string;
  /** What to write, given the existing text; the same text keeps the file, and `null`: nothing can be added to it. */
  readonly content: (existing: string | null) => string | null;
  /** The advice where nothing can be added. */
  readonly byHand?: string;
}

export interface Note {
  readonly path: string;
  readonly what: 'created' | 'updated' | 'kept' | 'cannot be added to';
  readonly byHand?: string;
}

export const example = (path: string): string => readFileSync(packageFile(`examples/${path}`), 'utf8');

/** A file that is only created, never changed. */
export const newFile = (path: string, text: string): ProjectFile => ({
  path,
  content: (existing) => existing ?? text,
});

/** The values of a template, by name. */
export interface Values {
  readonly [name: string]: string | boolean | readonly (string | Values)[];
}

const slot = /^#% (if|each) (\w+)\n([\s\S]*?)^#% end \2\n|%\{(\w+)\}/gm;

/**
 * Fills a template: `%{name}` is a text. The lines from `#% if name` to `#% end name` stand where the value is not empty, and those
 * from `#% each name` for each item: a text is called `name` in them, and values have their own names. Values are inserted as they
 * are: the caller quotes them.
 */
export function fill(template: string, values: Values): string {
  return template.replace(slot, (_slot, keyword?: string, ...rest: string[]) => {
    const [block = '', lines = '', text = ''] = rest;
    const name = keyword === undefined ? text : block;
    const value = values[name];
    if (value === undefined) throw new Error(`The template has no value for ${name}.`);
    if (keyword === undefined) return String(value);
    const isList = typeof value === 'object';
    if (!isList || keyword === 'if') return (isList ? value.length > 0 : value) ? fill(lines, values) : '';
    const items = value.map((item) => (typeof item === 'string' ? { [name]: item } : item));
    return items.map((item) => fill(lines, { ...values, ...item })).join('');
  });
}

/**
 * Writes the files below `root`, the last one first: the project file makes the folder a project, and where another file
 * cannot be written, the command can be repeated. Throws a Failure for a file that cannot be read or written, or is
 * outside by a link.
 */
export function writeFiles(root: string, files: readonly ProjectFile[]): Note[] {
  return files
    .toReversed()
    .map((file) => writeFile(root, file))
    .toReversed();
}

function writeFile(root: string, { path, content, byHand = '' }: ProjectFile): Note {
  const file = join(root, path);
  const existing = readIfThere(file);
  const text = content(existing);
  if (text === null) return { path, what: 'cannot be added to', byHand };
  if (text === existing) return { path, what: 'kept' };
  requireInside(root, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    // `wx`: a file that somebody created in the meantime is not overwritten.
    writeFileSync(file, text, { flag: existing === null ? 'wx' : 'w' });
  } catch (error) {
    throw unwritableFile(file, error);
  }
  return { path, what: existing === null ? 'created' : 'updated' };
}

/** Adds the lines that are missing, in the line endings that are there. */
export function addLines(text: string): ProjectFile['content'] {
  return (existing) => {
    if (existing === null) return text;
    const present = new Set(existing.split('\n').map((line) => line.trim()));
    const missing = text.split('\n').filter((line) => line !== '' && !present.has(line));
    return missing.length === 0 ? existing : append(existing, missing.map((line) => `${line}\n`).join(''));
  };
}

/** Adds members and list items that are missing, in the layout that is there. Plain JSON only: comments would be lost. */
export function addMembers(ours: string): ProjectFile['content'] {
  return (existing) => {
    if (existing === null) return ours;
    const [theirs, added] = [parseJson(existing), parseJson(ours)];
    if (!isObject(theirs) || !isObject(added)) return null;
    const merged = merge(theirs, added);
    return JSON.stringify(merged) === JSON.stringify(theirs) ? existing : printLike(existing, merged);
  };
}

function merge(theirs: JsonObject, ours: JsonObject): JsonObject {
  const added = Object.entries(ours).map(([name, value]): [string, Json] => {
    const there = get(theirs, name);
    if (there === undefined) return [name, value];
    if (isObject(there) && isObject(value)) return [name, merge(there, value)];
    if (!isArray(there) || !isArray(value)) return [name, there];
    return [name, [...there, ...value.filter((item) => !there.includes(item))]];
  });
  return objectFrom([...Object.entries(theirs), ...added]);
}

/** Adds this exact version of tenantctl to a package.json. A package that depends on tenantctl keeps its own version. */
export function addDependency(existing: string | null): string | null {
  const content = parseJson((existing ?? '{ "private": true }').replace(/^\uFEFF/, ''));
  if (!isObject(content)) return null;
  const isThere = ['dependencies', 'devDependencies', 'optionalDependencies'].some((name) => {
    const group = get(content, name);
    return isObject(group) && get(group, 'tenantctl') !== undefined;
  });
  if (isThere) return existing;
  const others = get(content, 'devDependencies') ?? {};
  if (!isObject(others)) return null;
  const sorted = Object.entries({ ...others, tenantctl: version }).sort(([a], [b]) => (a < b ? -1 : 1));
  return printLike(existing ?? '{}\n', { ...content, devDependencies: objectFrom(sorted) });
}

/** Prints JSON with the indentation and line endings of another text. */
function printLike(text: string, value: JsonObject): string {
  const indent = /^[{\s]*?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  const end = text.endsWith('\n') ? '\n' : '';
  return `${JSON.stringify(value, null, indent)}${end}`.replaceAll('\n', eolOf(text));
}

/** Writes a new `.env` for this user alone. Returns why not: there is one, git does not ignore it, or a value has no form. */
export function writeDotEnv(root: string, values: Readonly<Record<string, string>>): string | null {
  const ignored = (readIfThere(join(root, '.gitignore')) ?? '').split('\n').map((line) => line.trim());
  // Later lines win.
  const isTakenBack = ignored
    .slice(ignored.lastIndexOf('.env') + 1)
    .some((line) => line.startsWith('!') && /env|\*/.test(line));
  if (!ignored.includes('.env') || isTakenBack) return '.gitignore does not cover it';
  const lines = Object.entries(values).map(([name, value]) => {
    const quote = ["'", '"', '`'].find((each) => !value.includes(each)) ?? '';
    return `${name}=${quote}${value}${quote}\n`;
  });
  const text = lines.join('');
  const read = parseEnv(text);
  if (Object.entries(values).some(([name, value]) => read[name] !== value))
    return 'a value does not fit its format';
  requireInside(root, dotEnvName);
  try {
    writeFileSync(join(root, dotEnvName), text, { flag: 'wx', mode: 0o600 });
    return null;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return 'it exists already';
    throw unwritableFile(join(root, dotEnvName), error);
  }
}
