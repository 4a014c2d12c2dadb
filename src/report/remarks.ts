import type { Diagnostic } from '../model/diagnostic.ts';
import { groupBy } from '../model/group.ts';
import type { Plan } from '../model/plan.ts';

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
  const remarks = diagnostics.filter(({ severity }) => severity !== 'error');
  const belongs = ({ address }: Diagnostic) => address !== undefined && changed.has(address);
  return {
    errors: diagnostics.filter(({ severity }) => severity === 'error'),
    ofChange: new Map(groupBy(remarks.filter(belongs), ({ address = '' }) => address)),
    byCode: groupBy(
      remarks.filter((remark) => !belongs(remark)),
      ({ code }) => code,
    ),
  };
}
