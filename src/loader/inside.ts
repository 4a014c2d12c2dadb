import { isScalar, Scalar } from 'yaml';
import { type Place, SourceFile } from './file.ts';
import type { Found } from './position.ts';
import { sideFilePath } from './tags.ts';
import { offsetOfNode } from './tree.ts';

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
    ? insideBlock(file, start, text, offset)
    : insideLine(file, start, text, offset);
}

/** The lines of a literal block follow its header one by one, indented. */
function insideBlock(file: SourceFile, header: number, text: string, offset: number): Place | null {
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

function insideLine(file: SourceFile, at: number, text: string, offset: number): Place | null {
  const start = /["']/.test(file.text.charAt(at)) ? at + 1 : at;
  return file.text.startsWith(text.slice(0, offset + 1), start) ? { file, offset: start + offset } : null;
}
