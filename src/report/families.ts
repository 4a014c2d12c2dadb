import { type Group as Family, groupBy } from '../model/basics.ts';
import type { Part } from './line-diff.ts';
import type { Entry } from './page.ts';
import type { Field } from './values.ts';

/** Longer runs of text may be cut, so that two that look the same may differ. */
const maxText = 4000;

/**
 * Entries in families, in the order of their first members: what is replaced in a family is the same, also where the text
 * around it differs, as in the locales of a template. Entries that cannot be seen whole are families of their own.
 */
export function familiesOf(entries: readonly Entry[]): Family<Entry>[] {
  return groupBy(entries, signatureOf).map(([, family]) => family);
}

function signatureOf(entry: Entry): string {
  const { kind, action, isLine, impact, notices, secrets, id } = entry;
  const differences =
    isLine || action === 'manual' || impact !== null ? [] : entry.fields().map(replacementIn);
  const isOwn = differences.length === 0 || differences.includes(null);
  return JSON.stringify(isOwn ? id : [kind, action, differences, notices, secrets]);
}

/** The replacement as a comparable value; `null` where it is not shown whole. */
function replacementIn({ name, op, origin, view }: Field): unknown {
  switch (view.is) {
    case 'sensitive':
      return null;
    case 'inline':
      return [name, op, origin, ...[view.before, view.after].map((parts) => parts && changedTexts(parts))];
    case 'lines': {
      const { blocks, notes } = view.diff;
      const changed = blocks.filter(({ is }) => is === 'changed');
      const texts = changed.map(({ before, after }) =>
        [before, after].map((lines) => lines.flatMap(({ parts }) => changedTexts(parts))),
      );
      const isCut = texts.flat(2).some(({ length }) => length >= maxText);
      return isCut ? null : [name, op, origin, notes, texts];
    }
  }
}

/** The words of a line that differ, or the whole line where none is marked. */
function changedTexts(parts: readonly Part[]): string[] {
  const marked = parts.filter(({ changed }) => changed);
  return (marked.length > 0 ? marked : parts).map(({ text }) => text);
}
