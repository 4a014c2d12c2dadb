import { groupBy } from '../model/basics.ts';
import { type Diagnostic, isError } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import type { ReportOptions } from './options.ts';
import { whereOf } from './words.ts';

/** The diagnostics of a plan, each in the place where a reviewer needs it. */
export interface Remarks {
  /** The errors, which refuse the plan. */
  readonly errors: readonly Diagnostic[];
  /** What is said of an object that the plan changes, by its address. */
  readonly ofChange: ReadonlyMap<string, readonly Diagnostic[]>;
  /** The rest, by code: many objects often have the same remark. */
  readonly byCode: readonly (readonly [code: string, remarks: readonly Diagnostic[]])[];
}

/** Sorts the diagnostics of a plan into what refuses it, what belongs to one of its changes, and the rest. */
export function remarksOf({ changes, diagnostics }: Pick<Plan, 'changes' | 'diagnostics'>): Remarks {
  const changed = new Set(changes.map(({ address }) => address));
  const remarks = diagnostics.filter((each) => !isError(each));
  const belongs = ({ address }: Diagnostic) => address !== undefined && changed.has(address);
  return {
    errors: diagnostics.filter(isError),
    ofChange: new Map(groupBy(remarks.filter(belongs), ({ address = '' }) => address)),
    byCode: groupBy(
      remarks.filter((remark) => !belongs(remark)),
      ({ code }) => code,
    ),
  };
}

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
  const shown = diagnostics.filter(({ severity }) => !quiet || severity === 'error');
  const groups = groupBy(shown, ({ severity, code }, index) => {
    const isAlone = verbose || severity === 'error';
    return isAlone ? String(index) : `${severity} ${code}`;
  });
  return groups.flatMap(([, group]): Remark[] => {
    const [first, ...others] = group;
    if (others.length >= maxAlike) return [{ diagnostic: first, more: moreWords(others) }];
    return group.map((diagnostic) => ({ diagnostic, more: null }));
  });
}

function moreWords(others: readonly Diagnostic[]): string {
  const names = new Set(others.flatMap((other) => other.address ?? whereOf(other) ?? []));
  const named = [...names].slice(0, maxNamed);
  const words = [...named, ...(names.size > named.length ? ['…'] : [])].join(', ');
  return `and ${others.length} more${words === '' ? '' : `: ${words}`}`;
}
