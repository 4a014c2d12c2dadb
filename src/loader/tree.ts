import {
  type Alias,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type ParsedNode,
  Scalar,
  type YAMLMap,
} from 'yaml';
import { type Json, unsafeKeys } from '../model/json.ts';
import { isMarkerKey } from '../model/marker.ts';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import { cutShort } from '../model/words.ts';
import { sideFilePath } from './paths.ts';
import {
  lineEnd,
  lineStart,
  nextLine,
  type Place,
  type Problem,
  type Problems,
  quoted,
  SourceFile,
  unresolved,
} from './problems.ts';

/** A document of a YAML file that is not empty. Its nodes know their offsets in the file. */
export interface YamlDocument {
  readonly file: SourceFile;
  readonly root: ParsedNode;
  /** Where the value begins, including its tag. */
  readonly offset: number;
}

/** Returns the value of a tagged node. `argument` is the node's value without the tag. */
export type ReadTag = (tag: string, argument: Json, place: Place) => Json;

export interface Tree {
  readonly value: Json;
  /** True when there were tags, aliases or problems: the value may contain markers or {@link unresolved}. */
  readonly tagged: boolean;
}

const maxExpanded = 16 * 1024 * 1024;

/**
 * The value of a document as JSON, checked in one walk. What has a problem, which is reported, is {@link unresolved}. `expanded` is
 * what its aliases expand to, in characters (approximately).
 */
export function readTree({ file, root }: YamlDocument, readTag: ReadTag, problems: Problems) {
  const walk: Walk = { file, readTag, problems, anchors: new Map(), size: 0, expanded: 0, tagged: false };
  const value = readValue(root, walk);
  return { value, tagged: walk.tagged, expanded: Math.min(walk.expanded, maxExpanded) };
}

interface Walk {
  readonly file: SourceFile;
  readonly readTag: ReadTag;
  readonly problems: Problems;
  /** `null` while the anchored value is being read. */
  readonly anchors: Map<string, { value: Json; size: number } | null>;
  size: number;
  /** The part of the size that aliases make. */
  expanded: number;
  tagged: boolean;
}

function readValue(node: unknown, walk: Walk): Json {
  if (!isNode(node)) return null;
  if (isAlias(node)) return readAlias(node, walk);
  const { anchor, tag } = node;
  const before = walk.size;
  if (anchor !== undefined) walk.anchors.set(anchor, null);
  let value: Json;
  if (isScalar(node)) value = readScalar(node, walk);
  else if (isMap(node)) value = readMapping(node, walk);
  else {
    walk.size += 8;
    value = node.items.map((item) => readValue(item, walk));
  }
  if (tag !== undefined) {
    walk.tagged = true;
    value = walk.readTag(tag, value, placeOfNode(node, walk.file));
    if (typeof value === 'string') walk.size += value.length;
  }
  if (anchor !== undefined) walk.anchors.set(anchor, { value, size: walk.size - before });
  return value;
}

function readAlias(node: Alias, walk: Walk): Json {
  const name = node.source;
  const anchored = walk.anchors.get(name);
  walk.tagged = true;
  if (anchored === null) {
    const message = `\`*${name}\` refers to a value that contains it.`;
    return refuse(walk, node, { code: 'alias-cycle', message });
  }
  if (anchored === undefined) {
    const message = `There is no anchor \`&${name}\` before this alias.`;
    return refuse(walk, node, {
      code: 'unknown-alias',
      message,
      hint: walk.problems.suggest(placeOfNode(node, walk.file), name, () => walk.anchors.keys()),
    });
  }
  const isReported = walk.expanded > maxExpanded;
  walk.size += anchored.size;
  walk.expanded += anchored.size;
  if (walk.expanded <= maxExpanded) return anchored.value;
  const message = 'The aliases of this document expand to more than 16 million characters.';
  return isReported ? unresolved : refuse(walk, node, { code: 'alias-bomb', message });
}

function readScalar(node: Scalar, walk: Walk): Json {
  const { value, source = '' } = node;
  walk.size += 8 + source.length;
  if (node.comment && node.type === 'PLAIN' && isCut(source, node.comment)) {
    const offset = walk.file.text.indexOf('#', node.range?.[1]);
    const message = 'The text ends before this: YAML reads ` #` as the start of a comment.';
    const hint = 'Put the whole text in quotes, or in a block after `|`.';
    return refuse(walk, node, { code: 'cut-text', message, hint }, offset);
  }
  // V8 keeps what the parser concatenates as a tree of twenty times its size, until the text is searched.
  if (typeof value === 'string') return value.length < minPieces || /^/.test(value) ? value : '';
  if (typeof value !== 'number') return typeof value === 'boolean' ? value : null;
  const exponent = /e\+?/i;
  if (String(value).replace(exponent, 'e') === source.replace(exponent, 'e') || source === '-0') return value;
  const [shown, read] = [quoted(cutShort(source, 40)), quoted(String(value))];
  const isTooLarge = !Number.isFinite(value);
  const message = isTooLarge
    ? `JSON has no number \`${shown}\`.`
    : `\`${shown}\` is read as the number ${read}.`;
  const orNumber = isTooLarge ? '' : ` If it is a number, write ${read}.`;
  const hint = `If it is text, put it in quotes: "${shown}".${orNumber}`;
  return refuse(walk, node, { code: 'inexact-number', message, hint });
}

/** What follows a `#` in notification texts, and not in comments: the rest of `#end`, `#{end}`, `#@m()`, `#[[` or `Ticket #$id`. */
const directive =
  /^(?:\{(?:if|elseif|else|end|foreach|set|break|stop)\}|(?:if|elseif|foreach|set|parse|include|macro|define|evaluate|@\w+)\s*\(|(?:end|else|break|stop)\b(?! \w)|else\b.*#end\b|\[\[|\$!?\{?[A-Za-z_])/;

/** True if a comment is the rest of a text: `Day #if($n > 1)s#end`. */
function isCut(text: string, comment: string): boolean {
  return (
    directive.test(comment) ||
    (/#(?:if|foreach|\{if\}|\{foreach\})\s*\(/.test(text) && /^(?:end|else)\b/.test(comment))
  );
}

/** V8 never stores a shorter text in pieces. */
const minPieces = 13;

function readMapping(node: YAMLMap, walk: Walk): Json {
  const object: Record<string, Json> = {};
  const duplicates: unknown[] = [];
  walk.size += 8;
  for (const { key, value } of node.items) {
    const name = readKey(key, walk);
    const read = readValue(value, walk);
    if (name === null) continue;
    if (Object.hasOwn(object, name)) duplicates.push(key);
    else object[name] = read;
  }
  if (duplicates.length === 0) return object;
  const first = new Map(node.items.map(({ key }) => [keyText(key), key] as const).reverse());
  for (const key of duplicates) {
    const text = keyText(key);
    const { line } = walk.file.at(offsetOfNode(first.get(text)));
    const message = `The key \`${text}\` appears twice; first on line ${line}.`;
    refuse(walk, key, { code: 'duplicate-key', message });
  }
  return object;
}

/** The keys that no manifest may have: they could reach a prototype, or are reserved. */
export const isRefusedKey = (key: string): boolean => unsafeKeys.includes(key) || isMarkerKey(key);

function readKey(key: unknown, walk: Walk): string | null {
  const text = keyText(key);
  if (text === null) {
    refuse(walk, key, { code: 'key-not-text', message: 'A key must be plain text.' });
    return null;
  }
  walk.size += 8 + text.length;
  if (isScalar(key) && key.anchor !== undefined)
    walk.anchors.set(key.anchor, { value: text, size: text.length });
  const problem = isRefusedKey(text) || text === '<<' ? keyProblem(text, key) : null;
  if (!problem) return text;
  refuse(walk, key, problem);
  return null;
}

function keyProblem(text: string, key: unknown): Problem | null {
  if (unsafeKeys.includes(text))
    return { code: 'unsafe-key', message: `The key \`${text}\` is not allowed.` };
  if (text !== '<<') {
    return {
      code: 'reserved-key',
      message: `The key \`${text}\` is reserved for tenantctl.`,
      hint: 'For a secret write `!secret NAME`, for a record of the tenant `!lookup {…}`, for the id of an object `!ref KIND/key`.',
    };
  }
  if (!isScalar(key) || key.type !== 'PLAIN') return null;
  return {
    code: 'merge-key',
    message: 'Merge keys (`<<`) are not part of YAML 1.2.',
    hint: 'Repeat the fields, or write "<<" in quotes if that is the key.',
  };
}

function refuse(walk: Walk, node: unknown, problem: Problem, offset = offsetOfNode(node)): Json {
  walk.problems.report(problem, { file: walk.file, offset });
  walk.tagged = true;
  return unresolved;
}

export interface FoundNode {
  readonly place: Place;
  readonly key: Place;
  readonly node: unknown;
  /** `inside`: in a scalar, alias or tag; `missing`: the mapping or list does not have the value. */
  readonly match: 'exact' | 'inside' | 'missing';
}

export function findNode({ file, root }: Pick<YamlDocument, 'file' | 'root'>, at: Pointer): FoundNode {
  let node: unknown = root;
  let key: unknown = root;
  let match: FoundNode['match'] = 'exact';
  for (const segment of segmentsOf(at)) {
    const pair = isMap(node) ? node.items.find((item) => keyText(item.key) === segment) : undefined;
    const item = isSeq(node) ? node.items[Number(segment)] : undefined;
    if (!pair && item === undefined) {
      match = isMap(node) || isSeq(node) ? 'missing' : 'inside';
      break;
    }
    [node, key] = pair ? [pair.value, pair.key] : [item, item];
  }
  return { place: placeOfNode(node ?? key, file), key: { file, offset: offsetOfNode(key) }, node, match };
}

/**
 * The position of a character of a text: in its side file, or in the YAML file. `null` if the YAML file does not
 * contain the text as it is, because it is folded, escaped or made from variables.
 */
export function placeInside({ node, place, match }: FoundNode, text: string, offset: number): Place | null {
  if (match !== 'exact' || !isScalar(node)) return null;
  const { file } = place;
  if (node.tag === '!file' && typeof node.value === 'string')
    return { file: new SourceFile(sideFilePath(node.value, file.path), text), offset };
  if (node.tag !== undefined) return null;
  const written = offsetOfNode(node);
  if (node.type === Scalar.BLOCK_LITERAL) return placeInBlock(file, written, text, offset);
  const start = /["']/.test(file.text.charAt(written)) ? written + 1 : written;
  return file.text.startsWith(text.slice(0, offset + 1), start) ? { file, offset: start + offset } : null;
}

/** The lines of a literal block follow its header, indented. */
function placeInBlock(file: SourceFile, header: number, text: string, offset: number): Place {
  let start = header;
  for (let line = text.slice(0, offset).split('\n').length; line > 0; line -= 1)
    start = nextLine(file.text, start);
  const from = lineStart(text, offset);
  const line = text.slice(from, lineEnd(text, offset));
  const indentInFile = file.text.slice(start).match(/^ */)?.[0].length ?? 0;
  const indent = indentInFile - (line.match(/^ */)?.[0].length ?? 0);
  return { file, offset: start + indent + offset - from };
}

const coreTag = 'tag:yaml.org,2002:';

/** A tag as files have it: `!!int` for one of YAML's own. */
export const writtenTag = (tag: string): string =>
  tag.startsWith(coreTag) ? `!!${tag.slice(coreTag.length)}` : tag;

/** The text of a key as written in the file; `null` if it is not a scalar. */
export function keyText(key: unknown): string | null {
  if (!isScalar(key) || key.tag !== undefined) return null;
  if (typeof key.value === 'string') return key.value;
  return key.value === null ? null : (key.source ?? null);
}

/** Where a node's value begins, not counting its tag and anchor. */
function offsetOfNode(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** A tag further away than this belongs to another value. */
const maxTagDistance = 512;

function placeOfNode(node: unknown, file: SourceFile): Place {
  const offset = offsetOfNode(node);
  const tag = isNode(node) ? node.tag : undefined;
  const written = tag === undefined ? -1 : file.text.lastIndexOf(writtenTag(tag), offset);
  return { file, offset: written === -1 || offset - written > maxTagDistance ? offset : written };
}
