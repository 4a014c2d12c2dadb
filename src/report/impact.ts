import type { Impact, Moved } from '../model/plan.ts';
import { counted } from './words.ts';

/** What a changed search finds, in the words of all formats. */
export type Effect = Exclude<Impact, { notRun: string }>;

/** `finds 52 profiles, 47 before` */
export function impactWords({ before, after }: Effect): string {
  return `finds ${counted(after, 'profile')}, ${before} before`;
}

export const impactUnknown = 'Who enters and leaves is not known';

export const moves = ['enter', 'leave'] as const;

/** `3 enter: Ada, Ben and 1 more`; nothing where nobody moves. */
export function movedWords(effect: Effect, move: (typeof moves)[number]): string | null {
  const { count } = effect[move];
  if (count === 0) return null;
  const verb = count === 1 ? `${move}s` : move;
  return `${count} ${verb}: ${names(effect[move])}`;
}

export const nobodyMoves = 'nobody enters or leaves';

export const isStill = ({ enter, leave }: Effect): boolean => enter.count + leave.count === 0;

function names({ count, first }: Moved): string {
  const more = count - first.length;
  return more > 0 ? `${first.join(', ')} and ${more} more` : first.join(', ');
}
