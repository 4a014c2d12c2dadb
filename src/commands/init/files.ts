import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { requireInside } from '../../loader/paths.ts';
import { unwritableFile } from '../../model/failure.ts';
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
