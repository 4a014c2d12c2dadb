import { posix } from 'node:path';
import { parseDocument } from 'yaml';
import type { FileSource } from '../loader/source.ts';
import { groupBy } from '../model/basics.ts';
import { Failure, fail, hasCode } from '../model/failure.ts';
import {
  get,
  getText,
  getTexts,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../model/json.ts';
import { segmentsOf } from '../model/pointer.ts';

/** An object of an OpenAPI document, with the file that its references begin from. */
export interface Part {
  readonly value: JsonObject;
  readonly file: string;
  /** Further schemas at the same place, in other parts of the schema around it. */
  readonly also?: readonly Part[];
}

const together = (first: Part, also: readonly Part[]): Part => (also.length > 0 ? { ...first, also } : first);

/** Longer chains of references are not followed: nobody writes them. */
const longestChain = 100;

/** A JSON Schema with its `allOf`, `oneOf` and `anyOf` put together. */
export type Shape = ReturnType<OpenApi['shape']>;

/** A schema with more parts is ignored from here on: nobody writes it. */
const mostParts = 500;

/** No more text than this is read, in all files together. */
const mostText = 64 * 1024 * 1024;

/**
 * An OpenAPI document. Its references are followed if they are needed and no further, each once, so that neither cycles
 * nor the size of the document matter. They are only followed to files of the source: never outside its folder, and never over
 * the network.
 */
export class OpenApi {
  readonly root: Part;
  readonly #source: FileSource;
  readonly #files = new Map<string, Json>();
  readonly #followed = new Set<string>();
  /** The targets of references, or why they are not followed, by file and reference. */
  readonly #targets = new Map<string, Part | string>();
  readonly #unread = new Map<string, string>();
  #textLeft = mostText;

  /** Throws a Failure for a file that cannot be read, or that is not an OpenAPI 3 document. */
  constructor(source: FileSource, file: string) {
    this.#source = source;
    const value = this.#open(file);
    const version = isObject(value) ? get(value, 'openapi') : undefined;
    if (!isObject(value) || !/^3\.[01](\.|$)/.test(String(version)))
      throw fail('openapi-version', `${file} is not an OpenAPI document of version 3.0 or 3.1.`, {
        hint: 'Convert older documents first, with swagger2openapi for example.',
      });
    this.root = { value, file };
  }

  /** The references that were needed and not followed since this was last asked, with the reasons. */
  takeUnread(): [reference: string, reason: string][] {
    const unread = [...this.#unread];
    this.#unread.clear();
    return unread;
  }

  /** The object at the end of a path of members, or `null`. */
  at(part: Part, ...names: readonly string[]): Part | null {
    let current: Part | null = this.#follow(part);
    for (const name of names) {
      if (current === null) return null;
      const value: Json | undefined = get(current.value, name);
      current = isObject(value) ? this.#follow({ value, file: current.file }) : null;
    }
    return current;
  }

  list(part: Part, name: string): Part[] {
    const value = get(part.value, name);
    if (!isArray(value)) return [];
    return value.flatMap((item) => {
      const found = isObject(item) ? this.#follow({ value: item, file: part.file }) : null;
      return found ? [found] : [];
    });
  }

  /** Reads a schema. Properties of alternatives are all included, since an object may have any of them. */
  shape(schema: Part | null | undefined) {
    const parts = schema ? this.#partsOf(schema) : [];
    const values = parts.map(({ value }) => value);
    const first = (name: string) =>
      values.map((value) => getText(value, name)).find((text) => text !== null) ?? null;
    const has = (name: string) => values.some((value) => get(value, name) === true);
    const properties = groupBy(
      parts.flatMap((part) => this.#propertiesOf(part)),
      ({ name }) => name,
    ).map(([name, [first, ...also]]) => [name, together(first, also)] as const);
    const [item, ...items] = parts.flatMap((part) => this.at(part, 'items') ?? []);
    return {
      types: new Set(values.flatMap(typesIn).filter((type) => type !== 'null')),
      properties: new Map(properties),
      // Not asked for: those of `oneOf` and `anyOf`.
      required: new Set(
        schema ? this.#partsOf(schema, ['allOf']).flatMap(({ value }) => getTexts(value, 'required')) : [],
      ),
      items: item ? together(item, items) : null,
      choices: [
        ...new Set(values.flatMap((value) => get(value, 'enum') ?? get(value, 'const') ?? null)),
      ].filter((choice) => choice !== null),
      description: first('description') ?? first('title') ?? '',
      format: first('format'),
      maxLength: Math.max(0, ...values.map((value) => Number(get(value, 'maxLength') ?? 0) || 0)),
      readOnly: has('readOnly'),
      writeOnly: has('writeOnly'),
    };
  }

  /** A schema and all its parts, each once. */
  #partsOf(schema: Part, words = ['allOf', 'oneOf', 'anyOf']): Part[] {
    const parts = [schema, ...(schema.also ?? [])];
    const seen = new Set(parts.map(({ value }) => value));
    for (const part of parts) {
      for (const each of words.flatMap((name) => this.list(part, name))) {
        if (seen.has(each.value) || parts.length >= mostParts) continue;
        seen.add(each.value);
        parts.push(each);
      }
    }
    return parts;
  }

  #propertiesOf(part: Part): (Part & { readonly name: string })[] {
    const members = this.at(part, 'properties');
    if (!members) return [];
    return Object.entries(members.value).flatMap(([name, schema]) => {
      // `true` is the schema of any value, as `{}` is. So is one whose reference is not followed: nothing is known of it.
      const isUnknown = schema === true || isObject(schema);
      const property = this.at(members, name) ?? (isUnknown ? { ...members, value: {} } : null);
      return property ? { ...property, name } : [];
    });
  }

  /** The part, or what it refers to; `null` if that is not found. */
  #follow(part: Part): Part | null {
    const reference = get(part.value, '$ref');
    if (typeof reference !== 'string') return part;
    const target = this.#target(reference, part.file);
    if (typeof target === 'string') {
      this.#unread.set(reference, target);
      return null;
    }
    // OpenAPI 3.1 allows words of its own beside a reference: they count more than those of its target.
    const { $ref: _, ...beside } = part.value;
    const words = Object.entries(beside).filter(([, value]) => typeof value !== 'object');
    if (words.length === 0) return target;
    return { ...target, value: { ...target.value, ...Object.fromEntries(words) } };
  }

  #target(reference: string, from: string): Part | string {
    const way = `${from} ${reference}`;
    const known = this.#targets.get(way);
    if (known !== undefined) return known;
    if (this.#followed.has(way) || this.#followed.size === longestChain)
      return 'it leads to itself, or by too many others';
    this.#followed.add(way);
    const target = this.#newTarget(reference, from);
    this.#followed.delete(way);
    this.#targets.set(way, target);
    return target;
  }

  #newTarget(reference: string, from: string): Part | string {
    const [path = '', fragment = ''] = reference.split('#', 2);
    try {
      if (/^[a-z][a-z0-9+.-]*:|^\/\/|\\/i.test(path)) return 'it is not a file beside the document';
      const file = path === '' ? from : posix.join(posix.dirname(from), decodeURIComponent(path));
      const whole = this.#open(file);
      if (!isObject(whole)) return 'it is not an object';
      return (
        this.at({ value: whole, file }, ...segmentsOf(decodeURIComponent(fragment))) ?? 'there is nothing'
      );
    } catch (error) {
      if (hasCode(error, 'outside-project'))
        return 'it leads out of the repository or folder of the document';
      if (error instanceof Failure) return error.message.replace(/\.$/, '');
      if (error instanceof URIError) return 'it is not a URI';
      throw error;
    }
  }

  #open(file: string): Json {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const text = this.#source.text(file);
    this.#textLeft -= text.length;
    if (this.#textLeft < 0)
      throw fail('file-too-large', `${file} makes the files of the document larger than 64 MB together.`);
    // JSON is YAML too, but its own parser is a hundred times as fast.
    const value = (/^\s*\{/.test(text) ? parseJson(text) : undefined) ?? readYaml(text, file);
    this.#files.set(file, value);
    return value;
  }
}

function readYaml(text: string, file: string): Json {
  const hint = 'Check the file with a YAML linter, or convert it to JSON.';
  try {
    const document = parseDocument(text, { uniqueKeys: false, logLevel: 'silent', version: '1.2' });
    const [error] = document.errors;
    if (error === undefined) return document.toJS();
    const [{ line, col } = { line: 1, col: 1 }] = error.linePos ?? [];
    const message = `${file} is not valid YAML: ${error.message.split('\n')[0]?.replace(/ at line .*$/, '')}.`;
    throw fail('openapi-syntax', message, { hint, source: { file, line, column: col } });
  } catch (error) {
    // Aliases that expand without end, and nesting that exhausts the stack.
    if (error instanceof RangeError || error instanceof ReferenceError)
      throw fail('openapi-syntax', `${file} is too complex for the YAML parser.`, { hint });
    throw error;
  }
}

function typesIn(schema: Part['value']): string[] {
  const type = get(schema, 'type');
  if (typeof type === 'string') return [type];
  if (isArray(type)) return type.filter((each) => typeof each === 'string');
  return get(schema, 'properties') === undefined ? [] : ['object'];
}

/** Text of a document that can stand in a comment: on one line, without characters that a terminal interprets. */
export function toComment(text: string): string {
  return text
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 100);
}
