import { isFirstOnLine, lineStart, nextLine, splice } from './lines.ts';
import { endOfItem, type Located, type Parsed, startOfItem } from './parsed.ts';

/** Texts without the member or item, best first: its lines taken away whole, or the bare text. */
export function* removeCandidates(parsed: Parsed, { parent, index }: Located): Generator<string> {
  const { text } = parsed;
  // Without its last item a block has no text: the collection is replaced whole instead.
  if (!parent || parent.items.length < 2) return;
  const from = startOfItem(parent, index);
  const to = endOfItem(parsed, parent, index);
  if (from === null || to === null) return;
  const isFlow = parent.flow === true;
  const rest = /^[ \t]*(,?)[ \t]*(#.*)?(?=\r?\n|$)/.exec(text.slice(to));
  const isAlone = isFirstOnLine(text, from) && rest !== null && (!isFlow || rest[1] === ',');
  if (isAlone) yield splice(text, lineStart(text, from), nextLine(text, to), '');
  const next = startOfItem(parent, index + 1);
  if (next !== null) yield splice(text, from, next, '');
  const before = isFlow && index > 0 ? endOfItem(parsed, parent, index - 1) : null;
  if (before !== null) yield splice(text, before, to, '');
}
