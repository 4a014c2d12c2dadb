import { type Group, groupBy } from '../model/basics.ts';
import type { Difference } from '../model/plan.ts';
import { viewOf } from './difference.ts';
import type { DiffLine } from './line-diff.ts';
import { diffInline, type Part } from './word-diff.ts';
import { type ShownChange, secretNamesOf } from './words.ts';

/** Changes that do the same to several objects, or a single change. */
export type Family = Readonly<Group<ShownChange>>;

/** Longer runs of text may be cut, so that two that look the same may differ. */
const maxText = 4000;

/**
 * The changes in families, in the order of their first members: what is replaced in a family is the same, also where the
 * text around it differs, as in the locales of a template. Changes that cannot be seen whole are families of their own.
 *
 * @param maxLines the lines of a difference that the report shows
 */
export function familiesOf(changes: readonly ShownChange[], maxLines: number): Family[] {
  return groupBy(changes, (change) => signatureOf(change, maxLines)).map(([, family]) => family);
}

function signatureOf(change: ShownChange, maxLines: number): string {
  const { kind, action, diff, risk, warnings, impact, address } = change;
  const differences = diff.map((difference) => differenceSignature(difference, maxLines));
  const isOwn =
    action === 'manual' || impact !== undefined || diff.length === 0 || differences.includes(null);
  return JSON.stringify(isOwn ? address : [kind, action, differences, risk, warnings, secretNamesOf(change)]);
}

/** What a difference replaces by what; `null` where that is not shown whole. */
function differenceSignature(difference: Difference, maxLines: number): unknown {
  const { path, op, origin } = difference;
  const view = viewOf(difference, maxLines);
  switch (view.is) {
    case 'sensitive':
      return null;
    case 'inline': {
      const sides = diffInline(view.before, view.after);
      return [path, op, origin, ...sides.map((parts) => parts && changedTexts([parts]))];
    }
    case 'lines': {
      const { hunks, hidden, notes } = view.diff;
      const changed = hunks.flat().filter(({ is }) => is === 'changed');
      const blocks = changed.map(({ before, after }) => [before, after].map(partsOf).map(changedTexts));
      const isCut = hidden > 0 || blocks.flat(2).some(({ length }) => length >= maxText);
      return isCut ? null : [path, op, origin, notes, blocks];
    }
  }
}

const partsOf = (lines: readonly DiffLine[]) => lines.map(({ parts }) => parts);

/** The words that differ in some lines, or a whole line where none is marked. */
function changedTexts(lines: readonly (readonly Part[])[]): string[] {
  return lines.flatMap((parts) => {
    const marked = parts.filter(({ changed }) => changed);
    return (marked.length > 0 ? marked : parts).map(({ text }) => text);
  });
}
