import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Json } from '../model/json.ts';
import { markerKeys } from '../model/marker.ts';
import { didYouMean } from '../model/suggest.ts';
import type { Place, SourceFile } from './file.ts';
import type { Problems } from './problems.ts';

/** A document of a YAML file that is not empty. Its nodes know where they stand, as offsets into the file. */
export interface YamlDocument {
  readonly file: SourceFile;
  readonly root: ParsedNode;
  /** Where the value begins, its tag included. */
  readonly offset: number;
}

/** Stands for a value that could not be read; the reason has been reported, so it is not reported again. */
export const unresolved = '\0unresolved';

/** Gives a tagged node its value. `argument` is the node's own value. */
export type ReadTag = (tag: string, argument: Json, place: Place) => Json;

export interface Tree {
  readonly value: Json;
  /** Whether tags were read: the value may hold markers or {@link unresolved}. */
  readonly tagged: boolean;
}

/** How much the aliases of a document may unfold to: about this many characters. */
const largestTree = 16 * 1024 * 1024;
export const unsafeKeys: readonly string[] = ['__proto__', 'constructor', 'prototype'];
const plainTags = ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map(
  (name) => `tag:yaml.org,2002:${name}`,
);

/** A document's value as JSON, in one walk that checks keys, aliases, numbers and tags. */
export function readTree({ file, root }: YamlDocument, readTag: ReadTag, problems: Problems): Tree {
  const walk: Walk = { file, readTag, problems, anchors: new Map(), size: 0, tagged: false };
  const value = read(root, walk);
  return { value, tagged: walk.tagged };
}

interface Walk {
  readonly file: SourceFile;
  readonly readTag: ReadTag;
  readonly problems: Problems;
  /** `null` while the anchored value is being read. */
  readonly anchors: Map<string, { value: Json; size: number } | null>;
  size: number;
  tagged: boolean;
}

function read(node: unknown, walk: Walk): Json {
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return aliased(node.source, node, walk);
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
  const { anchor } = node;
  if (anchor === undefined) return readNode(node, walk);
  const size = walk.size;
  walk.anchors.set(anchor, null);
  const value = readNode(node, walk);
  walk.anchors.set(anchor, { value, size: walk.size - size });
  return value;
}

function readNode(node: Scalar | YAMLMap | YAMLSeq, walk: Walk): Json {
  const { tag } = node;
  const value = isScalar(node)
    ? scalar(node, walk)
    : isMap(node)
      ? mapping(node, walk)
      : sequence(node, walk);
  if (tag === undefined || plainTags.includes(tag)) return value;
  walk.tagged = true;
  return walk.readTag(tag, value, placeOfNode(node, walk.file));
}

function aliased(name: string, node: Node, walk: Walk): Json {
  const anchored = walk.anchors.get(name);
  walk.tagged = true;
  if (anchored === null)
    return refuse(walk, node, 'alias-cycle', `\`*${name}\` stands inside \`&${name}\` itself`);
  if (anchored === undefined) {
    const hint = didYouMean(name, walk.anchors.keys());
    return refuse(walk, node, 'unknown-alias', `There is no anchor \`&${name}\` before this`, hint);
  }
  walk.size += anchored.size;
  if (walk.size > largestTree) {
    return refuse(
      walk,
      node,
      'alias-bomb',
      'The aliases of this document unfold to more than 16 million characters',
    );
  }
  return anchored.value;
}

function scalar(node: Scalar, walk: Walk): Json {
  const { value, source = '' } = node;
  walk.size += 8 + source.length;
  if (typeof value === 'string') return flatten(value);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'number') return null;
  if (Number.isFinite(value) && isExact(value, source)) return value;
  const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source;
  const message = `\`${shown}\` is no number that JSON can hold exactly`;
  return refuse(walk, node, 'inexact-number', message, `If it is text, put it in quotes: "${shown}".`);
}

/** Shorter texts are never kept in pieces by V8. */
const shortestPieces = 13;

/**
 * The same text in one piece. The parser concatenates a quoted text character by character, which V8 keeps as a tree
 * of twenty times its size until somebody asks for a character of it.
 */
function flatten(text: string): string {
  return text.length < shortestPieces || text.charCodeAt(0) >= 0 ? text : '';
}

/** Whether a whole number was read without losing digits. */
function isExact(value: number, source: string): boolean {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return true;
  return String(value) === source || /^[-+\d.]+e/i.test(source);
}

function sequence(node: YAMLSeq, walk: Walk): Json {
  walk.size += 8;
  return node.items.map((item) => read(item, walk));
}

function mapping(node: YAMLMap, walk: Walk): Json {
  const object: Record<string, Json> = {};
  const again: Pair[] = [];
  walk.size += 8;
  for (const pair of node.items) {
    const key = checkedKey(pair, walk);
    const value = read(pair.value, walk);
    if (key === null) continue;
    if (Object.hasOwn(object, key)) again.push(pair);
    else object[key] = value;
  }
  if (again.length > 0) refuseDuplicates(again, node, walk);
  return object;
}

const specialKeys = new Set<string>([...unsafeKeys, ...markerKeys, '<<']);

/** A key as text, or `null` when it is none that may be used. */
function checkedKey({ key }: Pair, walk: Walk): string | null {
  const text = keyText(key);
  if (text === null) {
    refuse(walk, key, 'key-not-text', 'A key must be plain text');
    return null;
  }
  walk.size += 8 + text.length;
  if (isScalar(key) && key.anchor !== undefined)
    walk.anchors.set(key.anchor, { value: text, size: text.length });
  if (!specialKeys.has(text)) return text;
  if (unsafeKeys.includes(text)) refuse(walk, key, 'unsafe-key', `The key \`${text}\` is not allowed`);
  else if (markerKeys.some((marker) => marker === text)) {
    const hint = 'For a secret write `!secret NAME`, for a record of the tenant `!lookup {…}`.';
    refuse(walk, key, 'reserved-key', `The key \`${text}\` is tenantctl's own`, hint);
  } else if (text === '<<' && isScalar(key) && key.type === 'PLAIN') {
    const hint = 'Repeat the fields, or write "<<" in quotes if that is the key.';
    refuse(walk, key, 'merge-key', 'Merge keys (`<<`) are not part of YAML 1.2', hint);
  } else return text;
  return null;
}

/** The text of a key as it stands in the file; `null` where it is no scalar. */
export function keyText(key: unknown): string | null {
  if (!isScalar(key) || (key.tag !== undefined && !plainTags.includes(key.tag))) return null;
  if (typeof key.value === 'string') return key.value;
  return key.value === null ? null : (key.source ?? null);
}

function refuseDuplicates(again: readonly Pair[], node: YAMLMap, walk: Walk): void {
  const first = new Map(node.items.map(({ key }) => [keyText(key), key] as const).reverse());
  for (const { key } of again) {
    const { line } = walk.file.at(offsetOfNode(first.get(keyText(key))));
    refuse(walk, key, 'duplicate-key', `The key \`${keyText(key)}\` stands twice; first on line ${line}`);
  }
}

function refuse(walk: Walk, node: unknown, code: string, message: string, hint: string | null = null): Json {
  const place = { file: walk.file, offset: offsetOfNode(node) };
  walk.problems.add(code, message, place, hint === null ? {} : { hint });
  walk.tagged = true;
  return unresolved;
}

/** Where a node's value begins, its tag and anchor not counted. */
export function offsetOfNode(node: unknown): number {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0;
}

/** A tag further away from its value belongs to another one. */
const farthestTag = 512;

/** Where a value begins, its tag counted. */
export function placeOfNode(node: unknown, file: SourceFile): Place {
  const offset = offsetOfNode(node);
  const tag = isScalar(node) || isMap(node) || isSeq(node) ? node.tag : undefined;
  const written = tag === undefined ? -1 : file.text.lastIndexOf(tag, offset);
  return { file, offset: written === -1 || offset - written > farthestTag ? offset : written };
}
