import { type Group as Family, groupBy } from '../model/basics.ts';
import { runsOf } from '../model/runs.ts';
import { type Block, isContinued, type LineDiff } from './line-diff.ts';
import type { Entry } from './page.ts';
import { type Field, textOfParts } from './values.ts';

/** A line with more edits counts as rewritten. */
const maxEdits = 400;

/**
 * Groups entries into families, in the order of their first members. A family has the same fields with the same values before
 * and after, or failures with the same reason. An entry that is not shown whole is its own family.
 */
export function familiesOf(entries: readonly Entry[]): Family<Entry>[] {
  if (entries.length < 2) return entries.map((entry) => [entry]);
  return groupBy(entries, signatureOf).map(([, family]) => family);
}

function signatureOf(entry: Entry): string {
  const { kind, action, isLine, impact, notices, secrets, id, words } = entry;
  if (entry.isFailure && notices.length > 0) return JSON.stringify([words, notices]);
  // The place of an overlay is that of the first, as the place of the manifest is.
  const fields =
    isLine || action === 'manual' || impact !== null
      ? []
      : entry.fields().map((field) => ({ ...field, places: [] }));
  const isOwn =
    fields.length === 0 || fields.some(({ view, example }) => view.is === 'sensitive' || example !== null);
  return JSON.stringify(isOwn ? id : [kind, action, notices, secrets, fields]);
}

/**
 * Each replacement in a field, and where it stands, as a comparable text: of equal texts, equal replacements make equal texts.
 * `null` if they are not shown whole, or beside what was declared.
 */
function replacementsIn({ op, origin, view }: Field): string[] | null {
  if (view.is === 'sensitive') return null;
  if (view.is === 'inline') {
    const [before, after] = [textOfParts(view.before), textOfParts(view.after)];
    return view.base === null ? [JSON.stringify([op, origin, editsOf(before, after)])] : null;
  }
  if (view.moves !== null) return null;
  let [line, added] = [0, 0];
  const texts = view.diff.blocks.flatMap(({ is, before, after }) => {
    const [old, fresh] = [before, after].map((lines) => lines.map(({ text }) => text).join('\n'));
    const place = [line, added];
    line += before.length;
    added = before.length === 0 ? added + after.length : 0;
    return is === 'changed' ? [JSON.stringify([op, origin, place, editsOf(old, fresh)])] : [];
  });
  // Line endings may be all that differs.
  return texts.length === 0 ? [JSON.stringify([op, origin])] : texts;
}

/** The words that differ, and how many there are around them: the words around them may be those of an environment. */
function editsOf(before = '', after = '') {
  const [old, fresh] = [before, after].map((text) => text.match(/[\w-]+|./gsu) ?? []);
  return runsOf(old ?? [], fresh ?? [], maxEdits).map((run) =>
    run.isEqual ? run.after.length : [run.before, run.after],
  );
}

interface Variant {
  readonly field: Field;
  readonly environments: readonly string[];
  /** The places of the overlays that set it, by the names of environments. */
  readonly overlays: readonly { readonly name: string; readonly at: string }[];
}

/**
 * A field of one change that differs between environments: each replacement once, with its environments. Replacements of the same
 * environments stay together, as in the first of them.
 *
 * @param all the environments of the change
 */
export function shareField(variants: readonly Variant[], all: readonly string[]): Field[] {
  const pieces = variants.flatMap((each, nth) => piecesOf(each, nth, variants.length === 1));
  const shared = groupBy(pieces, ({ name }) => name).map(([, same]) => {
    return { same, environments: same.flatMap(({ environments }) => environments) };
  });
  return groupBy(shared, ({ environments }) => JSON.stringify(environments))
    .map(([, parts]) => parts)
    .toSorted(([a], [b]) => b.environments.length - a.environments.length)
    .map((parts) => {
      const [{ same, environments }] = parts;
      const [{ field, at }] = same;
      const { view } = field;
      const picked = new Set(parts.map((part) => part.same[0].at));
      const isWhole = at === null || view.is !== 'lines';
      const overlays = same.flatMap((piece) => piece.overlays);
      const isSetInAll = overlays.length === environments.length;
      return {
        ...field,
        view: isWhole ? view : { ...view, diff: pickChanges(view.diff, picked) },
        places: [...new Set(overlays.map(({ name, at }) => (isSetInAll ? at : `${at} for ${name}`)))],
        where: whereAmong(environments, all),
        example: same.length === 1 ? null : (environments[0] ?? null),
      };
    });
}

/** One replacement in a field of some environments; `at` is `null` for a field that is not shown whole. */
interface Piece extends Variant {
  readonly name: string;
  readonly at: number | null;
}

function piecesOf({ field: whole, ...variant }: Variant, nth: number, isOnly: boolean): Piece[] {
  const { view } = whole;
  const field: Field =
    view.is === 'lines' ? { ...whole, view: { ...view, diff: splitChanges(view.diff) } } : whole;
  const replacements = isOnly ? null : replacementsIn(field);
  if (replacements === null) return [{ ...variant, field: whole, name: `${nth}`, at: null }];
  return replacements.map((name, at) => ({ ...variant, field, name, at }));
}

/** The diff with a block for each line that is only added or removed, or replaced by one line. */
function splitChanges(diff: LineDiff): LineDiff {
  const blocks = diff.blocks.flatMap((block) => {
    const { is, before, after } = block;
    const isOneSided = before.length === 0 || after.length === 0;
    if (is !== 'changed' || !(isOneSided || before.length === after.length)) return [block];
    return Array.from({ length: Math.max(before.length, after.length) }, (_, at): Block => {
      return { is, before: before.slice(at, at + 1), after: after.slice(at, at + 1) };
    });
  });
  return { ...diff, blocks };
}

/** The diff with only these of its changes, counted from 0, and the equal lines near them. */
function pickChanges(diff: LineDiff, picked: ReadonlySet<number | null>): LineDiff {
  let count = 0;
  const isPicked = diff.blocks.map(({ is }) => is === 'changed' && picked.has(count++));
  const isNear = isPicked.map((_, at) => isPicked[at - 1] || isPicked[at + 1]);
  const blocks: Block[] = [];
  for (const [at, block] of diff.blocks.entries()) {
    const kept = { changed: isPicked[at], same: isNear[at], gap: isNear[at - 1] || isNear[at + 1] };
    if (!kept[block.is]) continue;
    const { is, before, after } = block;
    const last = blocks.at(-1);
    // Replaced lines that follow each other are one block again.
    if (last?.is === 'changed' && is === 'changed' && isContinued(last, block))
      blocks[blocks.length - 1] = {
        is,
        before: [...last.before, ...before],
        after: [...last.after, ...after],
      };
    else blocks.push(block);
  }
  return { ...diff, blocks };
}

function whereAmong(environments: readonly string[], all: readonly string[]): Field['where'] {
  const others = all.filter((name) => !environments.includes(name));
  if (others.length === 0) return null;
  return others.length < environments.length
    ? { is: 'in all but', names: others }
    : { is: 'in', names: environments.toSorted() };
}
