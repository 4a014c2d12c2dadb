import { type Document, isAlias, isMap, isScalar, isSeq, type Node } from 'yaml';
import type { Member, Printable } from '../../loader/print.ts';
import { keyText } from '../../loader/tree.ts';

/** The steps from a document's root to a value: names of members, indexes of items. */
export type Path = readonly string[];

/** A change to one value of a document. Items are inserted before the index, members at the end. */
export type Edit =
  | { readonly op: 'set'; readonly path: Path; readonly value: Printable }
  | { readonly op: 'insert'; readonly path: Path; readonly value: Printable }
  | { readonly op: 'remove'; readonly path: Path };

/** Deeper values are not edited. */
const deepest = 120;

/** What a node says, tags as they are written, aliases unfolded. Throws a RangeError where that never ends. */
export function treeOf(node: unknown, document: Document, depth = 0): Printable {
  if (depth > deepest) throw new RangeError('The document is nested too deep to be edited.');
  if (isAlias(node)) return treeOf(node.resolve(document), document, depth + 1);
  const value = bareTree(node, document, depth);
  const tag = isTagged(node) ? node.tag : undefined;
  return tag === undefined || tag.startsWith('tag:') ? value : { tag, value };
}

function isTagged(node: unknown): node is Node & { tag?: string } {
  return isScalar(node) || isMap(node) || isSeq(node);
}

function bareTree(node: unknown, document: Document, depth: number): Printable {
  if (isScalar(node)) {
    const { value } = node;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : null;
  }
  if (isSeq(node)) return node.items.map((item) => treeOf(item, document, depth + 1));
  if (!isMap(node)) return null;
  return {
    members: node.items.map(
      (pair): Member => [keyText(pair.key) ?? '', treeOf(pair.value, document, depth + 1)],
    ),
  };
}

/** The tree after the edit; `null` where the edit does not fit it. */
export function editTree(tree: Printable, edit: Edit, path: Path = edit.path): Printable | null {
  const [step, ...rest] = path;
  if (step === undefined) return edit.op === 'set' ? edit.value : null;
  if (tree === null || typeof tree !== 'object' || 'tag' in tree) return null;
  if ('members' in tree) return editMembers(tree.members, edit, step, rest);
  return editItems(tree, edit, Number(step), rest);
}

function editMembers(members: readonly Member[], edit: Edit, step: string, rest: Path): Printable | null {
  const at = members.findIndex(([name]) => name === step);
  const [, value = null] = members[at] ?? [];
  if (rest.length === 0 && edit.op === 'insert') {
    return at === -1 ? { members: [...members, [step, edit.value]] } : null;
  }
  if (at === -1) return null;
  if (rest.length === 0 && edit.op === 'remove') return { members: members.toSpliced(at, 1) };
  const changed = editTree(value, edit, rest);
  if (changed === null && !setsNull(edit)) return null;
  return { members: members.with(at, [step, changed]) };
}

function editItems(items: readonly Printable[], edit: Edit, at: number, rest: Path): Printable | null {
  if (rest.length === 0 && edit.op === 'insert') return items.toSpliced(at, 0, edit.value);
  const value = items[at];
  if (value === undefined) return null;
  if (rest.length === 0 && edit.op === 'remove') return items.toSpliced(at, 1);
  const changed = editTree(value, edit, rest);
  if (changed === null && !setsNull(edit)) return null;
  return items.with(at, changed);
}

function setsNull(edit: Edit): boolean {
  return edit.op === 'set' && edit.value === null;
}

/** The part of a tree at a path; `undefined` where there is none. */
export function treeAt(tree: Printable, path: Path): Printable | undefined {
  return path.reduce<Printable | undefined>((value, step) => {
    if (value === null || typeof value !== 'object' || 'tag' in value) return undefined;
    if ('members' in value) return value.members.find(([name]) => name === step)?.[1];
    return value[Number(step)];
  }, tree);
}

/** Whether two trees say the same in the same order. */
export function sameTree(a: Printable, b: Printable): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
