import type { Address } from '../model/address.ts';
import {
  type Action,
  actions,
  type ChangeOutcome,
  type Diff,
  type Plan,
  type Request,
  type Summary,
} from '../model/documents.ts';
import type { Diagnostic, Severity } from '../model/failure.ts';
import { namesAndMore } from '../model/words.ts';

export const symbols = { create: '+', update: '~', delete: '-', manual: '!' } as const;

export const actionWords: Readonly<Record<Action, string>> = {
  create: 'to create',
  update: 'to update',
  delete: 'to delete',
  manual: 'by hand',
};

export const outcomeWords: Readonly<Record<ChangeOutcome, string>> = {
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
  notAttempted: 'not attempted',
  unknown: 'unknown',
};

export interface Count {
  /** The action or outcome that changes have in common; `null` for objects that do not change. */
  readonly is: string | null;
  readonly count: number;
  readonly words: string;
}

export function summaryCounts(summary: Summary, undeclared = 0): Count[] {
  return [
    ...actions.map((is) => ({ is, count: summary[is], words: actionWords[is] })),
    { is: null, count: summary.unchanged, words: 'unchanged' },
    ...(undeclared > 0 ? [{ is: null, count: undeclared, words: 'undeclared' }] : []),
  ];
}

/** `3f2a91c0d1-dirty` */
export const shortCommit = (id: string): string => id.replace(/^([^-]{10})[^-]*/, '$1');

export function countWords(counts: readonly Count[]): string {
  return counts.map(({ count, words }) => `${count} ${words}`).join(', ');
}

/** `2 to create, 1 to update`; actions that do not occur are left out. */
export function changeCounts(changes: readonly { readonly action: Action }[]): string {
  const counts = actions.map((is) => {
    const { length: count } = changes.filter(({ action }) => action === is);
    return { is, count, words: actionWords[is] };
  });
  return countWords(counts.filter(({ count }) => count > 0));
}

export function countSeverities(diagnostics: readonly Diagnostic[]): Record<Severity, number> {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of diagnostics) counts[severity] += 1;
  return counts;
}

export function joinParts(parts: readonly (string | false | null | undefined)[], separator: string): string {
  return parts.filter(Boolean).join(separator);
}

export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function countIs(count: number, noun: string): string {
  return `${pluralize(count, noun)} ${count === 1 ? 'is' : 'are'}`;
}

/** `the same in 20 objects` */
export function familyWords(count: number): string {
  return `the same in ${pluralize(count, 'object')}`;
}

export function place({ file, line, column }: { file: string; line: number; column?: number }): string {
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}

/** The place of a problem in a file, or else the address of its object. */
export function whereOf({ source, address }: Diagnostic): string | undefined {
  return source ? place(source) : address;
}

/**
 * An address as people read it: `SimIntegration/Seasonal workers`. Options accept it, too. Ambiguous characters stay encoded:
 * separators, other forms of a letter, and blanks at the ends.
 */
export function readable(address: Address): string {
  if (!address.includes('%')) return address;
  const parts = address.split('/').map((part) => {
    try {
      const text = decodeURIComponent(part);
      return /[/%]/.test(text) || text.normalize('NFKC').trim() !== text ? part : text;
    } catch {
      return part;
    }
  });
  return parts.join('/');
}

/** The options that limit a plan or a diff, as they are typed; empty if there are none. */
export function scopeWords({
  only,
  except,
  kinds = [],
  prune = false,
  since = null,
}: Pick<Plan['scope'], 'only' | 'except'> & Partial<Plan['scope'] & Diff['scope']>): string {
  const parts = [
    ...only.map((glob) => `--only ${glob}`),
    ...except.map((glob) => `--except ${glob}`),
    ...kinds.map((kind) => `--kinds ${kind}`),
    prune && '--prune',
    since !== null && `--since ${since}`,
  ];
  return joinParts(parts, ' ');
}

export function tenantWords({ identity, profiles }: Plan['tenant']): string {
  return joinParts(identity === profiles ? [identity] : [identity, profiles], ', ');
}

export function requestTarget({ path, query }: Pick<Request, 'path' | 'query'>): string {
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}

const maxNames = 3;

/** `eu-1, eu-2, eu-3 and 44 more` */
export function namesInBrief(names: readonly string[], most = maxNames): string {
  const [shown, others] = cutList(names, most);
  return namesAndMore(shown, others.length);
}

export function cutList<T>(items: readonly T[], most: number): [first: readonly T[], others: readonly T[]] {
  // "and 1 more" takes as much room as the item.
  const end = items.length <= most + 1 ? items.length : most;
  return [items.slice(0, end), items.slice(end)];
}
