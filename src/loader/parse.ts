import {
  Composer,
  type CST,
  type Document,
  type DocumentOptions,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type ParsedNode,
  type ParseOptions,
  Parser,
  Scalar,
  Schema,
  type SchemaOptions,
} from 'yaml';
import { Failure } from '../model/failure.ts';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import { lineEnd, lineStart, type Place, SourceFile } from './file.ts';
import { sideFilePath } from './paths.ts';
import { Problems } from './problems.ts';
import type { FileSource } from './source.ts';
import { explainSyntax } from './syntax.ts';

const lenientDecoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** A byte order mark where a further document begins: files were joined. */
const innerMark = /^\uFEFF(?=---(?:\s|$))|\uFEFF(?<=^---[ \t]*\r?\n\uFEFF)/gm;

export function openFile(source: FileSource, path: string, problems: Problems): SourceFile | null {
  try {
    return new SourceFile(path, source.text(path).replace(innerMark, ''));
  } catch (error) {
    // Where it stops being UTF-8; its beginning, without a line to show, if it cannot be read at all.
    const bytes = readBytes(source, path);
    const text = lenientDecoder.decode(bytes);
    const valid = Buffer.from(text);
    const fault = bytes.findIndex((byte, at) => byte !== valid[at]);
    const offset = lenientDecoder.decode(bytes.subarray(0, fault)).length;
    problems.addFailure(error, { file: new SourceFile(path, text), offset });
    return null;
  }
}

export function readBytes(source: FileSource, path: string): Uint8Array {
  try {
    return source.read(path);
  } catch (error) {
    if (error instanceof Failure) return new Uint8Array();
    throw error;
  }
}

/**
 * The document of a file that must contain exactly one. Problems are reported.
 *
 * @param emptyHint what to do where it contains none
 */
export function openSingle(
  source: FileSource,
  path: string,
  problems: Problems,
  emptyHint: string,
): YamlDocument | null {
  const file = openFile(source, path, problems);
  if (!file) return null;
  const before = problems.count;
  const [document, second] = parseDocuments(file, problems);
  if (second) {
    const { place } = findNode(second, '');
    const hint = 'Remove the `---`.';
    problems.add('second-document', 'This file may contain only one document.', place, { hint });
  }
  if (!document && problems.count === before)
    problems.add('empty-file', `${path} is empty.`, { file, offset: 0 }, { hint: emptyHint });
  return document ?? null;
}

/** Deeper nesting is refused before it reaches the composer, which is recursive. */
const maxDepth = 100;
/** Further errors of a document are mostly consequences of the first ones. */
const maxSyntaxErrors = 3;

export const tagNames = ['!var', '!env', '!secret', '!file', '!format', '!lookup', '!ref'] as const;

/**
 * One schema for all documents. Known tags cause no warnings, which are expensive to make. They are not custom tags,
 * because the library would try those on every plain scalar.
 */
const schema = new Schema({ schema: 'core', resolveKnownTags: true });
schema.knownTags = {
  ...schema.knownTags,
  ...Object.fromEntries(tagNames.map((tag) => [tag, { tag, resolve: (text: string) => text }])),
  '!lookup': { tag: '!lookup', collection: 'map' },
};

export const yamlOptions: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.2',
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
  schema,
};

/**
 * Composes the documents of a file. Empty documents are left out. Duplicate keys and unknown tags are found later by
 * `readTree`: the library's own check of keys is quadratic.
 *
 * @param withErrors whether documents with errors, which are reported, are included as far as they can be read
 */
export function parseDocuments(file: SourceFile, problems: Problems, withErrors = false): YamlDocument[] {
  const tokens = catchTooComplex(file, problems, () => [...new Parser().parse(file.text)]) ?? [];
  const deep = tokens.map(findTooDeep).find((offset) => offset !== null);
  if (deep !== undefined) {
    const message = `The file is nested more than ${maxDepth} levels deep.`;
    problems.add('too-deep', message, { file, offset: deep });
    return [];
  }
  const composed = catchTooComplex(file, problems, () => [...new Composer(yamlOptions).compose(tokens)]);
  return (composed ?? []).flatMap((document) => {
    const { contents: root } = document;
    const isWanted = checkDocument(document, file, problems) || withErrors;
    if (!isWanted || !root) return [];
    const isEmpty =
      isScalar(root) && root.source === '' && root.tag === undefined && root.anchor === undefined;
    return isEmpty ? [] : [{ file, root, offset: placeOfNode(root, file).offset }];
  });
}

/** The documents of the file that was opened again last: messages come file by file. */
let reopened: { readonly file: SourceFile; readonly byOffset: ReadonlyMap<number, YamlDocument> } | null =
  null;

/**
 * Parses the document at a place again, for the position of one of its values. Nodes take up to a hundred times as much
 * memory as their text, and most are never needed again once a manifest has been read.
 */
export function reopenDocument({ file, offset }: Place): YamlDocument {
  if (reopened?.file !== file) {
    const documents = parseDocuments(file, new Problems(), true);
    reopened = { file, byOffset: new Map(documents.map((document) => [document.offset, document])) };
  }
  const found = reopened.byOffset.get(offset);
  if (!found) throw new Error(`${file.path} has no document at ${offset}.`);
  return found;
}

/** Reports the stack overflow that very large files cause in the library. */
function catchTooComplex<T>(file: SourceFile, problems: Problems, work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = 'The file is too complex for the YAML parser.';
    problems.add('too-complex', message, { file, offset: 0 }, { hint: 'Split the file.' });
    return null;
  }
}

function checkDocument(document: Document.Parsed, file: SourceFile, problems: Problems): boolean {
  const { explicit, version } = document.directives.yaml;
  if (explicit && version !== '1.2') {
    const offset = Math.max(0, file.text.indexOf('%YAML'));
    const message = `Only YAML 1.2 is supported; YAML ${version} reads some values differently.`;
    problems.add('yaml-version', message, { file, offset }, { hint: 'Remove the %YAML line.' });
    return false;
  }
  // Further errors on a line are mostly consequences of its first one.
  const lines = new Set<number>();
  let reported = 0;
  for (const error of document.errors) {
    const { message, hint, place } = explainSyntax(error, document, file);
    const stopped = file.at(error.pos[0]).line;
    const { line } = file.at(place.offset);
    if (lines.has(stopped) || lines.has(line)) continue;
    problems.add('yaml-syntax', message, place, { hint });
    lines.add(stopped).add(line);
    reported += 1;
    if (reported === maxSyntaxErrors) break;
  }
  return document.errors.length === 0;
}

/** The offset at which the nesting gets too deep, or `null`. Not recursive itself. */
function findTooDeep(token: CST.Token): number | null {
  if (token.type !== 'document' || !token.value) return null;
  const open: [CST.Token, number][] = [[token.value, 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [{ offset }, depth] = next;
    if (depth > maxDepth) return offset;
    if (!('items' in next[0])) continue;
    for (const { key, value } of next[0].items) {
      // Only collections can be nested further.
      for (const inner of [key, value]) if (inner && 'items' in inner) open.push([inner, depth + 1]);
    }
  }
  return null;
}

/** A document of a YAML file that is not empty. Its nodes know their offsets in the file. */
export interface YamlDocument {
  readonly file: SourceFile;
  readonly root: ParsedNode;
  /** Where the value begins, including its tag. */
  readonly offset: number;
}

export interface FoundNode {
  readonly place: Place;
  readonly key: Place;
  readonly node: unknown;
  /** `inside`: in a scalar, alias or tag; `missing`: the mapping or list does not have the value. */
  readonly match: 'exact' | 'inside' | 'missing';
}

export function findNode({ file, root }: YamlDocument, at: Pointer): FoundNode {
  let node: unknown = root;
  let key: unknown = root;
  const toFound = (match: FoundNode['match']): FoundNode => ({
    place: placeOfNode(node ?? key, file),
    key: { file, offset: offsetOfNode(key) },
    node,
    match,
  });
  for (const segment of segmentsOf(at)) {
    if (isMap(node)) {
      const pair = node.items.find((item) => keyText(item.key) === segment);
      if (!pair) return toFound('missing');
      [node, key] = [pair.value, pair.key];
    } else if (isSeq(node)) {
      const item = node.items[Number(segment)];
      if (item === undefined) return toFound('missing');
      [node, key] = [item, item];
    } else return toFound('inside');
  }
  return toFound('exact');
}

/**
 * The position of a character of a text: in its side file, or in the YAML file. `null` where the YAML file does not
 * contain the text as it is, because it is folded, escaped or made from variables.
 */
export function placeInside({ node, place, match }: FoundNode, text: string, offset: number): Place | null {
  if (match !== 'exact' || !isScalar(node)) return null;
  const { file } = place;
  if (node.tag === '!file' && typeof node.value === 'string') {
    return { file: new SourceFile(sideFilePath(node.value, file.path), text), offset };
  }
  if (node.tag !== undefined) return null;
  const written = offsetOfNode(node);
  if (node.type === Scalar.BLOCK_LITERAL) return placeInBlock(file, written, text, offset);
  const start = /["']/.test(file.text.charAt(written)) ? written + 1 : written;
  return file.text.startsWith(text.slice(0, offset + 1), start) ? { file, offset: start + offset } : null;
}

/** The lines of a literal block follow its header, indented. */
function placeInBlock(file: SourceFile, header: number, text: string, offset: number): Place | null {
  let start = header;
  for (let line = text.slice(0, offset).split('\n').length; line > 0; line -= 1) {
    start = file.text.indexOf('\n', start) + 1;
    if (start === 0) return null;
  }
  const from = lineStart(text, offset);
  const line = text.slice(from, lineEnd(text, offset));
  const indentInFile = file.text.slice(start).match(/^ */)?.[0].length ?? 0;
  const indent = indentInFile - (line.match(/^ */)?.[0].length ?? 0);
  if (!file.text.startsWith(line, start + indent)) return null;
  return { file, offset: start + indent + offset - from };
}

const coreTags = ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map(
  (name) => `tag:yaml.org,2002:${name}`,
);

export function isCoreTag(tag: string): boolean {
  return coreTags.includes(tag);
}

/** The text of a key as written in the file; `null` where it is not a scalar. */
export function keyText(key: unknown): string | null {
  if (!isScalar(key) || (key.tag !== undefined && !isCoreTag(key.tag))) return null;
  if (typeof key.value === 'string') return key.value;
  return key.value === null ? null : (key.source ?? null);
}

/** Where a node's value begins, not counting its tag and anchor. */
export function offsetOfNode(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** A tag further away than this belongs to another value. */
const maxTagDistance = 512;

export function placeOfNode(node: unknown, file: SourceFile): Place {
  const offset = offsetOfNode(node);
  const tag = isNode(node) ? node.tag : undefined;
  const written = tag === undefined ? -1 : file.text.lastIndexOf(tag, offset);
  return { file, offset: written === -1 || offset - written > maxTagDistance ? offset : written };
}
