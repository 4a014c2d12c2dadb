import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Member, Printable } from '../../loader/print.ts';
import { keyText } from '../../loader/tree.ts';
import { segmentsOf } from '../../model/pointer.ts';
import { isList, isMapping, partOf } from '../print-live.ts';
import { candidatesFor, nameBeside } from './candidates.ts';
import { byteOrderMarkOf, type Edit, type ParsedDocument, type Path, parseOne } from './document.ts';

/** The text of one document after all edits, applied in order; `null` if one of them cannot be applied. */
export function applyEdits(text: string, edits: readonly Edit[]): string | null {
  const mark = byteOrderMarkOf(text);
  const done = edits.reduce<ParsedDocument | null>(
    (parsed, edit) => parsed && applyEdit(parsed, edit),
    parseOne(text.slice(mark.length)),
  );
  return done && mark + done.text;
}

/**
 * The document after one edit, with as few changes as possible: everything else stays byte for byte. Each candidate text
 * is parsed again and accepted only if it means exactly what is wanted. `null` if no candidate does.
 */
function applyEdit(parsed: ParsedDocument, edit: Edit): ParsedDocument | null {
  const { tree } = parsed;
  const wanted = editTree(tree, edit);
  if (wanted === undefined) return null;
  const resolved = resolveAliases(parsed, edit, tree);
  const done =
    resolved && (tryCandidates(resolved, edit, wanted) ?? replaceAround(resolved, edit.path, wanted));
  // JSON has no comments.
  if (done === null || !('value' in edit) || parsed.isJson) return done;
  return [...(edit.names ?? [])].reduce((current, [at, name]) => {
    const named = parseOne(nameBeside(current, [...edit.path, ...segmentsOf(at)], name));
    // Behind a block, a comment would be part of the text.
    return named && sameTree(named.tree, wanted) ? named : current;
  }, done);
}

function tryCandidates(parsed: ParsedDocument, edit: Edit, wanted: Printable): ParsedDocument | null {
  for (const candidate of candidatesFor(parsed, edit)) {
    const read = parseOne(candidate);
    if (read && sameTree(read.tree, wanted)) return read;
  }
  return null;
}

/** Rewrites the innermost collection that can be; never the whole document, which would lose all its comments. */
function replaceAround(parsed: ParsedDocument, path: Path, wanted: Printable): ParsedDocument | null {
  for (let { length } = path; length > 0; length -= 1) {
    const around = path.slice(0, length);
    const value = treeAt(wanted, around);
    if (value === undefined) continue;
    const done = tryCandidates(parsed, { op: 'set', path: around, value }, wanted);
    if (done !== null) return done;
  }
  return null;
}

/** The document with every alias that the edit would affect replaced by its value; `null` if that fails. */
function resolveAliases(parsed: ParsedDocument, { path }: Edit, tree: Printable): ParsedDocument | null {
  let current = parsed;
  for (let alias = findAffected(current, path); alias; alias = findAffected(current, path)) {
    const value = treeAt(tree, alias);
    const next = value === undefined ? null : tryCandidates(current, { op: 'set', path: alias, value }, tree);
    if (!next) return null;
    current = next;
  }
  return current;
}

/** The path of an alias that leads to the edited value, or of one whose anchored value changes with it. */
function findAffected({ root }: ParsedDocument, path: Path): Path | null {
  const leadsTo = (from: Path, to: Path) => from.every((step, at) => step === to[at]);
  const aliases: { readonly path: Path; readonly name: string }[] = [];
  const anchors = new Set<string | undefined>();
  const walk = (node: unknown, at: Path): void => {
    if (isAlias(node)) aliases.push({ path: at, name: node.source });
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return;
    if (leadsTo(at, path) || leadsTo(path, at)) anchors.add(node.anchor);
    if (isSeq(node)) node.items.forEach((item, index) => void walk(item, [...at, String(index)]));
    if (isMap(node)) for (const { key, value } of node.items) walk(value, [...at, keyText(key) ?? '']);
  };
  walk(root, []);
  const affected = aliases.find(
    (alias) => !leadsTo(path, alias.path) && (leadsTo(alias.path, path) || anchors.has(alias.name)),
  );
  return affected?.path ?? null;
}

function editTree(tree: Printable, edit: Edit, path: Path = edit.path): Printable | undefined {
  const [step, ...rest] = path;
  if (step === undefined && edit.op === 'order')
    return isList(tree) ? edit.order.map((index) => tree[index] ?? null) : undefined;
  if (step === undefined) return edit.op === 'set' ? edit.value : undefined;
  const isHere = rest.length === 0;
  const old = partOf(tree, step);
  if (isHere && edit.op === 'insert') {
    return isMapping(tree) && old !== undefined ? undefined : splicePart(tree, step, 0, [edit.value]);
  }
  if (old === undefined) return undefined;
  if (isHere && edit.op === 'remove') return splicePart(tree, step, 1, []);
  const changed = editTree(old, edit, rest);
  return changed === undefined ? undefined : splicePart(tree, step, 1, [changed]);
}

/** The mapping or list with values in place of `count` parts; a new member comes last. */
function splicePart(
  tree: Printable,
  step: string,
  count: number,
  values: readonly Printable[],
): Printable | undefined {
  if (isList(tree)) return tree.toSpliced(Number(step), count, ...values);
  if (!isMapping(tree)) return undefined;
  const at = tree.members.findIndex(([name]) => name === step);
  const members = values.map((value): Member => [step, value]);
  return { members: tree.members.toSpliced(at === -1 ? tree.members.length : at, count, ...members) };
}

function treeAt(tree: Printable, path: Path): Printable | undefined {
  return path.reduce<Printable | undefined>(partOf, tree);
}

function sameTree(a: Printable, b: Printable): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
