import { type Group as Family, groupBy } from '../model/basics.ts';
import { type Block, type Chunk, isContinued, type LineDiff } from './line-diff.ts';
import type { Entry } from './page.ts';
import type { Field } from './values.ts';

/** Longer runs of text may be cut, so that two that look the same may differ. */
const maxText = 4000;

/**
 * Groups entries into families, in the order of their first members. A family has the same replacements, even if the text around
 * them differs, as in the locales of a template, or failures with the same reason. An entry that is not shown whole is its own
 * family.
 */
export function familiesOf(entries: readonly Entry[]): Family<Entry>[] {
  if (entries.length < 2) return entries.map((entry) => [entry]);
  return groupBy(entries, signatureOf).map(([, family]) => family);
}

function signatureOf(entry: Entry): string {
  const { kind, action, isLine, impact, notices, secrets, id, words } = entry;
  if (entry.isFailure && notices.length > 0) return JSON.stringify([words, notices]);
  const differences =
    isLine || action === 'manual' || impact !== null ? [] : entry.fields().map(replacementsIn);
  const isOwn = differences.length === 0 || differences.includes(null);
  if (isOwn) return JSON.stringify(id);
  const tenants = entry.fields().map(({ where }) => where);
  return JSON.stringify([kind, action, differences, notices, secrets, tenants]);
}

/** Each replacement in a field as a comparable text; `null` if they are not shown whole, or beside what was declared. */
function replacementsIn({ name, op, origin, view }: Field): string[] | null {
  switch (view.is) {
    case 'sensitive':
      return null;
    case 'inline': {
      if (view.base !== null) return null;
      const texts = [view.before, view.after].map((parts) => parts && changedTexts(parts));
      return [JSON.stringify([name, origin, texts])];
    }
    case 'lines': {
      if (view.moves !== null) return null;
      const changed = view.diff.blocks.filter(({ is }) => is === 'changed');
      const texts = changed.map(({ before, after }) =>
        [before, after].map((lines) => lines.flatMap(({ parts }) => changedTexts(parts))),
      );
      const isCut = texts.flat(2).some(({ length }) => length >= maxText);
      // Line endings may be all that differs.
      const all = texts.length === 0 ? [null] : texts;
      return isCut ? null : all.map((text) => JSON.stringify([name, op, origin, text]));
    }
  }
}

/** The words of a line that differ, or the whole line if no words are marked. */
function changedTexts(parts: readonly Chunk[]): string[] {
  const marked = parts.filter(({ changed }) => changed);
  return (marked.length > 0 ? marked : parts).map(({ text }) => text);
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
  const shared = groupBy(pieces, ({ name }) => name).map(([, [first, ...others]]) => {
    const same = [first, ...others];
    return { first, same, environments: same.flatMap(({ environments }) => environments) };
  });
  return groupBy(shared, ({ environments }) => JSON.stringify(environments))
    .map(([, parts]) => parts)
    .toSorted(([a], [b]) => b.environments.length - a.environments.length)
    .map((parts) => {
      const [{ first, same, environments }] = parts;
      const { field, at } = first;
      const { view } = field;
      const picked = new Set(parts.map((part) => part.first.at));
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
  return replacements.map((text, at) => {
    // The same line may be added more than once.
    const time = replacements.slice(0, at).filter((other) => other === text).length;
    return { ...variant, field, name: `${time} ${text}`, at };
  });
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
