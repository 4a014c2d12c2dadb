import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import { lineEnd } from '../../loader/file.ts';
import { keyText } from '../../loader/parse.ts';
import { formatComment, type Member, type Printable } from '../../loader/print.ts';
import { type Pointer, segmentsOf } from '../../model/pointer.ts';
import { isList, isMapping, partOf } from '../printable.ts';
import { insertCandidates, removeCandidates, setCandidates } from './candidates.ts';
import { locate, type ParsedDocument, type Path, parseOne, restOfLine, splice } from './document.ts';

/** A change to one value of a document. Items are inserted before the index, members at the end. */
export type Edit = NewValue<'set'> | NewValue<'insert'> | { readonly op: 'remove'; readonly path: Path };

interface NewValue<Op> {
  readonly op: Op;
  readonly path: Path;
  readonly value: Printable;
  /** The names of the ids in the value, by their places in it, safe in comments. */
  readonly names?: ReadonlyMap<Pointer, string> | undefined;
}

/** The text of one document after all edits, applied in order; `null` where one of them cannot be applied. */
export function applyEdits(text: string, edits: readonly Edit[]): string | null {
  const done = edits.reduce<ParsedDocument | null>(
    (parsed, edit) => parsed && applyEdit(parsed, edit),
    parseOne(text),
  );
  return done?.text ?? null;
}

/**
 * The document after one edit, with as few changes as possible: everything else stays byte for byte. Each candidate text
 * is parsed again and accepted only if it means exactly what is wanted. `null` where no candidate does.
 */
function applyEdit(parsed: ParsedDocument, edit: Edit): ParsedDocument | null {
  const { tree } = parsed;
  const wanted = editTree(tree, edit);
  if (wanted === undefined) return null;
  const resolved = resolveAliases(parsed, edit, tree);
  const done =
    resolved && (tryCandidates(resolved, edit, wanted) ?? replaceAround(resolved, edit.path, wanted));
  // JSON has no comments.
  if (done === null || edit.op === 'remove' || parsed.isJson) return done;
  return [...(edit.names ?? [])].reduce((current, [at, name]) => {
    const named = parseOne(nameBeside(current, [...edit.path, ...segmentsOf(at)], name));
    // Behind a block, a comment would be part of the text.
    return named && sameTree(named.tree, wanted) ? named : current;
  }, done);
}

/**
 * The text with a name beside an id. A comment that is there names the id before, so it is replaced. Beside a tag, which
 * says by itself what it finds, there is only a name where there was a comment.
 */
function nameBeside(parsed: ParsedDocument, path: Path, name: string): string {
  const { text } = parsed;
  const { node, end } = locate(parsed, path) ?? { node: null, end: null };
  if (!node || end === null) return text;
  const rest = restOfLine(text, end);
  const isPlace = rest.trim() === '' ? node.tag === undefined : /^[ \t]+#/.test(rest);
  return isPlace ? splice(text, end, lineEnd(text, end), formatComment(name)) : text;
}

function tryCandidates(parsed: ParsedDocument, edit: Edit, wanted: Printable): ParsedDocument | null {
  for (const candidate of candidatesFor(parsed, edit)) {
    const read = parseOne(candidate);
    if (read && sameTree(read.tree, wanted)) return read;
  }
  return null;
}

function candidatesFor(parsed: ParsedDocument, edit: Edit): Iterable<string> {
  if (edit.op === 'insert') {
    const parent = locate(parsed, edit.path.slice(0, -1))?.node;
    const step = edit.path.at(-1) ?? '';
    return isMap(parent) || isSeq(parent)
      ? insertCandidates(parsed, { parent, step, value: edit.value })
      : [];
  }
  const located = locate(parsed, edit.path);
  if (!located) return [];
  return edit.op === 'set' ? setCandidates(parsed, located, edit.value) : removeCandidates(parsed, located);
}

/** Rewrites the innermost collection that can be; never the whole document, which would lose all its comments. */
function replaceAround(parsed: ParsedDocument, path: Path, wanted: Printable): ParsedDocument | null {
  for (let length = path.length - 1; length > 0; length -= 1) {
    const around = path.slice(0, length);
    const value = treeAt(wanted, around);
    if (value === undefined) continue;
    const done = tryCandidates(parsed, { op: 'set', path: around, value }, wanted);
    if (done !== null) return done;
  }
  return null;
}

/** The document with every alias that the edit would affect replaced by its value; `null` where that fails. */
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

/** The tree after the edit; `undefined` where the edit does not fit it. */
function editTree(tree: Printable, edit: Edit, path: Path = edit.path): Printable | undefined {
  const [step, ...rest] = path;
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
