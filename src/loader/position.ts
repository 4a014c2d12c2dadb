import { isMap, isNode, isSeq } from 'yaml';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import type { YamlDocument } from './document.ts';
import type { Place } from './file.ts';
import { keyText, offsetOfNode, placeOfNode } from './tree.ts';

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
