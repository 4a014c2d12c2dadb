import { isMap, isSeq } from 'yaml';
import type { Printable } from '../../loader/print.ts';
import { insertCandidates } from './insert.ts';
import { aliasesIn, anchorsAround, locate, type Parsed, parseOne } from './parsed.ts';
import { removeCandidates } from './remove.ts';
import { setCandidates } from './set.ts';
import { type Edit, editTree, type Path, sameTree, treeAt, treeOf } from './tree.ts';

/**
 * The text of one document after an edit, changed in as few places as can be: everything else in it stays byte for
 * byte. Each attempt is parsed again, and only taken when it says exactly what is wanted. `null` where none does.
 */
function applyEdit(text: string, edit: Edit): string | null {
  const parsed = parseOne(text);
  if (!parsed) return null;
  const tree = treeOf(parsed.root, parsed.document);
  const wanted = editTree(tree, edit);
  if (wanted === null) return null;
  const detached = detach(parsed, edit, tree);
  return detached && (attempt(detached, edit, wanted) ?? replaceAround(detached, edit.path, wanted));
}

/** The text of one document after all edits, one after the other. */
export function applyEdits(text: string, edits: readonly Edit[]): string | null {
  return edits.reduce<string | null>((done, edit) => (done === null ? null : applyEdit(done, edit)), text);
}

function attempt(parsed: Parsed, edit: Edit, wanted: Printable): string | null {
  for (const candidate of candidates(parsed, edit)) {
    // Half a surrogate pair does not survive in a file.
    if (/\p{Cs}/u.test(candidate)) continue;
    const read = parseOne(candidate);
    if (read && sameTree(treeOf(read.root, read.document), wanted)) return candidate;
  }
  return null;
}

function candidates(parsed: Parsed, edit: Edit): Iterable<string> {
  if (edit.op === 'insert') {
    const parent = locate(parsed, edit.path.slice(0, -1))?.node;
    const step = edit.path.at(-1) ?? '';
    return isMap(parent) || isSeq(parent) ? insertCandidates(parsed, parent, step, edit.value) : [];
  }
  const located = locate(parsed, edit.path);
  if (!located) return [];
  return edit.op === 'set' ? setCandidates(parsed, located, edit.value) : removeCandidates(parsed, located);
}

/** Writes the nearest collection anew that can be; never the document, since that would lose all its comments. */
function replaceAround(parsed: Parsed, path: Path, wanted: Printable): string | null {
  for (let length = path.length - 1; length > 0; length -= 1) {
    const around = path.slice(0, length);
    const value = treeAt(wanted, around);
    if (value === undefined) continue;
    const text = attempt(parsed, { op: 'set', path: around, value }, wanted);
    if (text !== null) return text;
  }
  return null;
}

/**
 * The document with explicit values in the place of aliases that the edit would reach: an alias on the way to the
 * edited value, and those of an anchored value that changes.
 */
function detach(parsed: Parsed, { path }: Edit, tree: Printable): Parsed | null {
  let current = parsed;
  for (let alias = reached(current, path); alias; alias = reached(current, path)) {
    const value = treeAt(tree, alias);
    const text = value === undefined ? null : attempt(current, { op: 'set', path: alias, value }, tree);
    const next = text === null ? null : parseOne(text);
    if (!next) return null;
    current = next;
  }
  return current;
}

function reached(parsed: Parsed, path: Path): Path | null {
  const aliases = aliasesIn(parsed);
  if (aliases.length === 0) return null;
  const onTheWay = aliases.find(
    (alias) => alias.path.length < path.length && alias.path.every((step, at) => step === path[at]),
  );
  if (onTheWay) return onTheWay.path;
  const anchors = anchorsAround(parsed, path);
  const inside = (alias: Path) => path.every((step, at) => step === alias[at]);
  return aliases.find((alias) => anchors.has(alias.name) && !inside(alias.path))?.path ?? null;
}
