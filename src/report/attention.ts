import type { Change } from '../model/plan.ts';

/** What a reviewer should read before anything else, the most urgent first. */
const concerns = ['lockout', 'delete', 'mail', 'manual', 'leave', 'undo'] as const;
export type Concern = (typeof concerns)[number];

/** One concern: how much of it there is, and the changes it is about. */
export interface Point {
  readonly concern: Concern;
  /** Changes, or for `leave` people. */
  readonly count: number;
  readonly changes: readonly Change[];
}

/** How much of a concern a change holds: 0 or 1, or the people that leave a search. */
const amounts: Readonly<Record<Concern, (change: Change) => number>> = {
  lockout: ({ risk }) => Number(risk.includes('lockout')),
  delete: ({ action }) => Number(action === 'delete'),
  mail: ({ risk }) => Number(risk.includes('sends-mail')),
  manual: ({ action }) => Number(action === 'manual'),
  leave: ({ impact }) => (impact && 'leave' in impact ? impact.leave.count : 0),
  undo: ({ risk }) => Number(risk.includes('undoes-tenant-change')),
};

const nouns: Readonly<Record<Concern, readonly [one: string, many: string]>> = {
  lockout: ['lock-out', 'lock-outs'],
  delete: ['delete', 'deletes'],
  mail: ['e-mail goes out', 'e-mails go out'],
  manual: ['step by hand', 'steps by hand'],
  leave: ['person leaves a search', 'people leave a search'],
  undo: ["undoes somebody's change", "undo somebody's change"],
};

/** The concerns that the changes of a plan raise, the most urgent first. Every report begins with them. */
export function attentionOf(changes: readonly Change[]): Point[] {
  return concerns.flatMap((concern) => {
    const concerned = changes.filter((change) => amounts[concern](change) > 0);
    const count = concerned.reduce((sum, change) => sum + amounts[concern](change), 0);
    return concerned.length === 0 ? [] : [{ concern, count, changes: concerned }];
  });
}

/** The concerns that one change raises, the most urgent first. */
export function concernsOf(change: Change): Concern[] {
  return concerns.filter((concern) => amounts[concern](change) > 0);
}

/** 0 for the most urgent change; changes that raise no concern come last. */
export function urgencyOf(change: Change): number {
  const first = concernsOf(change)[0];
  return first === undefined ? concerns.length : concerns.indexOf(first);
}

/** The changes with the most urgent first, otherwise in their order. */
export function sortByUrgency<T extends Change>(changes: readonly T[]): T[] {
  return changes.toSorted((a, b) => urgencyOf(a) - urgencyOf(b));
}

/** `1 lock-out`, `6 people leave a search` */
export function pointWords({ concern, count }: Pick<Point, 'concern' | 'count'>): string {
  const [one, many] = nouns[concern];
  return `${count} ${count === 1 ? one : many}`;
}

/** `1 lock-out · 32 deletes`; empty where nothing raises a concern. */
export function attentionWords(changes: readonly Change[]): string {
  return attentionOf(changes).map(pointWords).join(' · ');
}

/** The first changes of a point, and how many more there are. */
export function firstOf({ changes }: Point): { readonly first: readonly Change[]; readonly more: number } {
  const shown = 3;
  // "and 1 more" takes as much room as its address.
  const first = changes.length <= shown + 1 ? changes : changes.slice(0, shown);
  return { first, more: changes.length - first.length };
}
