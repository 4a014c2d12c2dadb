import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { writeCacheFile } from '../model/cache-file.ts';
import { isArray, isObject, type Json, own, parseJson } from '../model/json.ts';

/** One document of a file as the text alone tells it: tags are not read, so nothing of the environment is in it. */
export interface CachedDocument {
  readonly value: Json;
  readonly tagged: boolean;
  readonly offset: number;
}

/** What earlier runs found in files without problems, by what the files hold. */
export interface ManifestCache {
  /** The documents of a file of this text; `null` where none is known. */
  find(text: string): readonly CachedDocument[] | null;
  keep(text: string, documents: readonly CachedDocument[]): void;
  /** Writes what this run has used, if that is not what is there already; where it cannot be written, nothing happens. */
  save(): void;
}

/** A larger cache would cost more memory than it saves time. */
const largestCache = 256 * 1024 * 1024;
/** Aliases can make much of little text; what takes more than this is read again instead. */
const mostGrowth = 4;
const newLine = 10;

/**
 * The cache in `file`: a line that says which tool wrote it, then a line for each file's text, its digest and the
 * documents in JSON. Whatever is not as it should be counts as not there.
 */
export function openCache(file: string, version: string): ManifestCache {
  const head = `manifests read by tenantctl ${version}`;
  const known = readLines(file, head);
  const used = new Map<string, Uint8Array>();
  let isNew = false;
  return {
    find(text) {
      const name = digestOf(text);
      const line = known.get(name);
      const documents = line && documentsIn(line);
      if (!documents) return null;
      used.set(name, line);
      return documents;
    },
    keep(text, documents) {
      const json = JSON.stringify(documents);
      if (json.length > mostGrowth * text.length + 1000) return;
      used.set(digestOf(text), Buffer.from(json));
      isNew = true;
    },
    save() {
      if (isNew || used.size < known.size) writeLines(file, head, used);
    },
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function readLines(file: string, head: string): ReadonlyMap<string, Buffer> {
  const lines = new Map<string, Buffer>();
  const bytes = readIfAny(file);
  let start = 0;
  for (let end = bytes.indexOf(newLine); end !== -1; end = bytes.indexOf(newLine, start)) {
    const line = bytes.subarray(start, end);
    const blank = line.indexOf(' ');
    if (start > 0) lines.set(line.toString('latin1', 0, blank), line.subarray(blank + 1));
    else if (line.toString() !== head) return lines;
    start = end + 1;
  }
  return lines;
}

function readIfAny(file: string): Buffer {
  try {
    return statSync(file).size > largestCache ? Buffer.of() : readFileSync(file);
  } catch {
    return Buffer.of();
  }
}

function writeLines(file: string, head: string, lines: ReadonlyMap<string, Uint8Array>): void {
  const parts = [...lines].flatMap(([name, json]) => [Buffer.from(`\n${name} `), json]);
  writeCacheFile(file, Buffer.concat([Buffer.from(head), ...parts, Buffer.of(newLine)]));
}

function documentsIn(line: Buffer): CachedDocument[] | null {
  const list = parseJson(line.toString());
  const documents = isArray(list) ? list.map(documentFrom) : [null];
  return documents.every((document) => document !== null) ? documents : null;
}

function documentFrom(json: Json): CachedDocument | null {
  if (!isObject(json)) return null;
  const [value, tagged, offset] = ['value', 'tagged', 'offset'].map((name) => own(json, name));
  if (value === undefined || typeof tagged !== 'boolean' || typeof offset !== 'number') return null;
  return { value, tagged, offset };
}
