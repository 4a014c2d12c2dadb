import type { Json } from '../model/json.ts';
import type { Difference } from '../model/plan.ts';
import { diffLines, type LineDiff } from './lines.ts';
import { valueInline, valueText } from './value.ts';

/** How one difference is best shown; every format draws the same view. */
export type View =
  | { readonly is: 'sensitive' }
  | { readonly is: 'inline'; readonly before: string | null; readonly after: string | null }
  | { readonly is: 'lines'; readonly diff: LineDiff };

/** Longer values are shown as lines. */
const maxInline = 72;

export const sensitiveWords = '(sensitive)';

/** The view of a difference, with at most `maxLines` lines. */
export function viewOf({ op, before, after, sensitive }: Difference, maxLines: number): View {
  if (sensitive) return { is: 'sensitive' };
  const hasBefore = op !== 'add';
  const hasAfter = op !== 'remove';
  const sides = {
    before: hasBefore ? valueInline(before) : null,
    after: hasAfter ? valueInline(after) : null,
  };
  if (isShort(before, sides.before) && isShort(after, sides.after)) return { is: 'inline', ...sides };
  return { is: 'lines', diff: diffLines(textOf(hasBefore, before), textOf(hasAfter, after), maxLines) };
}

function isShort(value: Json, shown: string | null): boolean {
  if (shown === null) return true;
  return shown.length <= maxInline && !(typeof value === 'string' && value.includes('\n'));
}

/** The lines of a value; `null` where there is none. JSON's null next to a long text is shown as no text. */
function textOf(present: boolean, value: Json): string | null {
  return present && value !== null ? valueText(value) : null;
}
