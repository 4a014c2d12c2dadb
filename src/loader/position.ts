import { isMap, isNode, isScalar, isSeq, Scalar } from 'yaml';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import { type Place, SourceFile } from './file.ts';
import { sideFilePath } from './tags.ts';
import { keyText, offsetOfNode, placeOfNode, type YamlDocument } from './tree.ts';

/** Where a value stands, and how much of the way to it the document has. */
export interface Found {
  readonly place: Place;
  /** Where the key of the value stands, if it is a member of a mapping. */
  readonly key: Place;
  readonly node: unknown;
  /**
   * `exact`: the value itself; `inside`: a scalar, alias or tag that gives the whole value; `missing`: the mapping
   * that has no such member.
   */
  readonly match: 'exact' | 'inside' | 'missing';
}

/** Finds the node of the value at a JSON pointer. */
export function findNode({ file, root }: YamlDocument, at: Pointer): Found {
  let node: unknown = root;
  let key: unknown = root;
  const found = (match: Found['match']): Found => ({
    place: placeOfNode(node ?? key, file),
    key: { file, offset: offsetOfNode(key) },
    node,
    match,
  });
  for (const segment of segmentsOf(at)) {
    if (isMap(node)) {
      const pair = node.items.find((item) => keyText(item.key) === segment);
      if (!pair) return found('missing');
      [node, key] = [pair.value, pair.key];
    } else if (isSeq(node)) {
      const item = node.items[Number(segment)];
      if (item === undefined) return found('missing');
      [node, key] = [item, item];
    } else return found('inside');
  }
  return found('exact');
}

/** Where the text of a value begins and ends; `null` where the document has no such value. */
export function nodeRange({ root }: YamlDocument, at: Pointer): readonly [number, number] | null {
  let node: unknown = root;
  for (const segment of segmentsOf(at)) {
    node = isMap(node) ? node.items.find((item) => keyText(item.key) === segment)?.value : null;
  }
  return isNode(node) && node.range ? [node.range[0], node.range[1]] : null;
}

/**
 * Where a character of a text stands: in its side file, on its line of a block, or in a text on one line. `null` where
 * the YAML does not hold the text as it is (folded, escaped, put together from variables).
 */
export function placeInside({ node, place, match }: Found, text: string, offset: number): Place | null {
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

/** The lines of a literal block follow its header one by one, indented. */
function placeInBlock(file: SourceFile, header: number, text: string, offset: number): Place | null {
  let start = header;
  for (let line = text.slice(0, offset).split('\n').length; line > 0; line -= 1) {
    start = file.text.indexOf('\n', start) + 1;
    if (start === 0) return null;
  }
  const from = text.slice(0, offset).lastIndexOf('\n') + 1;
  const end = text.indexOf('\n', offset);
  const line = text.slice(from, end === -1 ? text.length : end);
  const written = file.text.slice(start).match(/^ */)?.[0].length ?? 0;
  const indent = written - (line.match(/^ */)?.[0].length ?? 0);
  if (!file.text.startsWith(line, start + indent)) return null;
  return { file, offset: start + indent + offset - from };
}

function placeInLine(file: SourceFile, at: number, text: string, offset: number): Place | null {
  const start = /["']/.test(file.text.charAt(at)) ? at + 1 : at;
  return file.text.startsWith(text.slice(0, offset + 1), start) ? { file, offset: start + offset } : null;
}
