import { isMap, isNode, isScalar, isSeq, type ParsedNode, Scalar } from 'yaml';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import { lineAt, lineStart, type Place, SourceFile } from './file.ts';
import { sideFilePath } from './paths.ts';

/** A document of a YAML file that is not empty. Its nodes know their offsets in the file. */
export interface YamlDocument {
  readonly file: SourceFile;
  readonly root: ParsedNode;
  /** Where the value begins, including its tag. */
  readonly offset: number;
}

/** The position of a value, and how far the document leads to it. */
export interface FoundNode {
  readonly place: Place;
  /** The position of the value's key, if it is a member of a mapping. */
  readonly key: Place;
  readonly node: unknown;
  /**
   * `exact`: the value itself; `inside`: a scalar, alias or tag that contains the value; `missing`: the mapping or
   * list that does not have the value.
   */
  readonly match: 'exact' | 'inside' | 'missing';
}

/** Finds the node of the value at a JSON pointer. */
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

/** Whether a place is in the text of a value; of none that the document does not have. */
export function isWithinValue(document: YamlDocument, at: Pointer): (place: Place) => boolean {
  const { node, match } = findNode(document, at);
  const range = match === 'exact' && isNode(node) ? node.range : null;
  return ({ offset }) => !!range && offset >= range[0] && offset <= range[1];
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
  const start = offsetOfNode(node);
  return node.type === Scalar.BLOCK_LITERAL
    ? placeInBlock(file, start, text, offset)
    : placeInLine(file, start, text, offset);
}

/** The lines of a literal block follow its header, indented. */
function placeInBlock(file: SourceFile, header: number, text: string, offset: number): Place | null {
  let start = header;
  for (let line = text.slice(0, offset).split('\n').length; line > 0; line -= 1) {
    start = file.text.indexOf('\n', start) + 1;
    if (start === 0) return null;
  }
  const from = lineStart(text, offset);
  const line = lineAt(text, offset);
  const indentInFile = file.text.slice(start).match(/^ */)?.[0].length ?? 0;
  const indent = indentInFile - (line.match(/^ */)?.[0].length ?? 0);
  if (!file.text.startsWith(line, start + indent)) return null;
  return { file, offset: start + indent + offset - from };
}

function placeInLine(file: SourceFile, at: number, text: string, offset: number): Place | null {
  const start = /["']/.test(file.text.charAt(at)) ? at + 1 : at;
  return file.text.startsWith(text.slice(0, offset + 1), start) ? { file, offset: start + offset } : null;
}

const coreTags = ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map(
  (name) => `tag:yaml.org,2002:${name}`,
);

/** Whether a tag is one of YAML itself, such as `!!str`. */
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

/** Where a node's value begins, including its tag. */
export function placeOfNode(node: unknown, file: SourceFile): Place {
  const offset = offsetOfNode(node);
  const tag = isNode(node) ? node.tag : undefined;
  const written = tag === undefined ? -1 : file.text.lastIndexOf(tag, offset);
  return { file, offset: written === -1 || offset - written > maxTagDistance ? offset : written };
}
