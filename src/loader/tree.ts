import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isArray, isObject, type Json, mapJson, own } from '../model/json.ts';
import { markerKeys } from '../model/marker.ts';
import { didYouMean } from '../model/suggest.ts';
import type { YamlDocument } from './document.ts';
import type { Place, SourceFile } from './file.ts';
import type { Problems } from './problems.ts';

/** Stands for a value that could not be made out; the reason has been told, so it is never complained about again. */
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

/** The only key of what stands for a tagged value until its tag is read; no manifest may write it. */
const deferred = '\0tag';

/** Puts off the reading of a tag, so that what a text holds depends on nothing but the text. */
export const deferTag: ReadTag = (tag, argument, { offset }) => ({ [deferred]: [tag, argument, offset] });

/** A tree with the tags read that {@link deferTag} has put off, those of a tag's argument before its own. */
export function readDeferred({ value, tagged }: Tree, file: SourceFile, readTag: ReadTag): Tree {
  if (!tagged) return { value, tagged };
  return {
    value: mapTags(value, (tag, argument, offset) => readTag(tag, argument, { file, offset })),
    tagged,
  };
}

/** What the text of a value holds where its tags are not read: they name things, but for those that hold them. */
export function withoutTags(value: Json): Json {
  return mapTags(value, (tag, argument) => (['!format', '!lookup'].includes(tag) ? argument : null));
}

function mapTags(value: Json, read: (tag: string, argument: Json, offset: number) => Json): Json {
  return mapJson(value, (item) => {
    const parts = isObject(item) ? own(item, deferred) : undefined;
    if (!isArray(parts)) return item;
    const [tag, argument = null, offset] = parts;
    return read(String(tag), argument, Number(offset));
  });
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
  if (typeof value === 'string') return joined(value);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'number') return null;
  if (Number.isFinite(value) && isExact(value, source)) return value;
  const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source;
  const message = `\`${shown}\` is no number that JSON can hold exactly`;
  return refuse(walk, node, 'inexact-number', message, `If it is text, put it in quotes: "${shown}".`);
}

/** V8 keeps no shorter text in pieces. */
const shortestPieces = 13;

/**
 * A text as one piece, which the parser puts together line by line, and in double quotes sign by sign: asked for a
 * character, V8 joins the pieces. They take twenty times the room of the text, and the garbage collector longer than
 * all else.
 */
export function joined(text: string): string {
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

const specialKeys = new Set<string>([...unsafeKeys, ...markerKeys, deferred, '<<']);

/** Whether there is more to say about a key than that it is one. */
export function isSpecialKey(key: string): boolean {
  return specialKeys.has(key);
}

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
  if (!isSpecialKey(text)) return text;
  if (unsafeKeys.includes(text)) refuse(walk, key, 'unsafe-key', `The key \`${text}\` is not allowed`);
  else if ([...markerKeys, deferred].some((marker) => marker === text)) {
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
