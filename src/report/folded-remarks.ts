import type { Diagnostic } from '../model/diagnostic.ts';
import type { ReportOptions } from './options.ts';
import { whereOf } from './words.ts';

/** A problem, and what else has the same problem. */
export interface Remark {
  readonly diagnostic: Diagnostic;
  /** `and 36 more: A, B, C, …`; `null` where there are no others. */
  readonly more: string | null;
}

/** As many of one kind are shown one by one. */
const maxAlike = 3;
/** How many of those that are not shown are named. */
const maxNamed = 3;

/**
 * The problems to show. Warnings and information with the same code are folded into the first one, unless `verbose`;
 * `quiet` leaves them out. Errors are all shown.
 */
export function foldRemarks(
  diagnostics: readonly Diagnostic[],
  { verbose = false, quiet = false }: Pick<ReportOptions, 'verbose' | 'quiet'>,
): Remark[] {
  const groups = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const { severity, code } = diagnostic;
    const isAlone = verbose || severity === 'error';
    if (quiet && severity !== 'error') continue;
    const name = isAlone ? String(groups.size) : `${severity} ${code}`;
    const group = groups.get(name);
    if (group) group.push(diagnostic);
    else groups.set(name, [diagnostic]);
  }
  return [...groups.values()].flatMap((group): Remark[] => {
    const [first] = group;
    if (first && group.length > maxAlike) return [{ diagnostic: first, more: moreWords(group.slice(1)) }];
    return group.map((diagnostic) => ({ diagnostic, more: null }));
  });
}

function moreWords(others: readonly Diagnostic[]): string {
  const names = new Set(others.flatMap((other) => other.address ?? whereOf(other) ?? []));
  const named = [...names].slice(0, maxNamed);
  const words = [...named, ...(names.size > named.length ? ['…'] : [])].join(', ');
  return `and ${others.length} more${words === '' ? '' : `: ${words}`}`;
}
