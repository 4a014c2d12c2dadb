import type { Kinds } from '../kinds/catalog.ts';
import { fieldNamed, type LiveObject } from '../kinds/kind.ts';
import type { DraftPlan } from '../model/digest.ts';
import type { Change, Difference } from '../model/plan.ts';
import { segmentsOf } from '../model/pointer.ts';
import { findUndeclared } from '../planner/deletes.ts';
import type { PlanInput } from '../planner/input.ts';

/** Says why no manifest could declare an object, in words; `null` where one could. */
export async function undeclarability(): Promise<(live: LiveObject) => string | null> {
  // The exporter, which knows what a manifest can declare, takes a while to load.
  const { whyUndeclarable } = await import('../exporter/draft.ts');
  return whyUndeclarable;
}

/** Warns of each record that a change removes and no manifest could declare: nothing brings it back. */
export async function warnOfLosses(
  all: readonly Change[],
  { objects, environment }: Pick<PlanInput, 'objects' | 'environment'>,
): Promise<readonly Change[]> {
  const { kinds } = environment;
  if (!all.some((change) => removedRecords(change, kinds).length > 0)) return all;
  const why = await undeclarability();
  const byAddress = new Map(objects.map((live) => [live.address, live]));
  return all.map((change) => {
    const live = byAddress.get(change.address);
    const removed = live ? removedRecords(change, kinds) : [];
    const lost = removed.filter(({ path, before }) => {
      // The object as if the removed record were all it has.
      const fields = { [segmentsOf(path)[0] ?? '']: [before] };
      return live && why({ ...live, fields }) !== null;
    });
    const warnings = lost.map(
      ({ path }) =>
        `Removes ${path}, which no manifest can declare: only a rollback of the apply brings it back.`,
    );
    return { ...change, warnings: [...change.warnings, ...warnings] };
  });
}

interface UndeclaredInput {
  readonly input: PlanInput;
  readonly others: readonly LiveObject[];
}

/**
 * Adds to the plan the objects in the tenant that no manifest declares, as far as their lists were read anyway: so a manifest
 * that was removed shows. They are neither changes nor part of the digest, since an approval covers what a run does, and
 * they are none of its business. What `prune.keep` names is known to be undeclared, and what no manifest could declare had
 * none that was removed: neither is reported.
 */
export async function addUndeclared(plan: DraftPlan, { input, others }: UndeclaredInput): Promise<DraftPlan> {
  const found = findUndeclared(input, others);
  const why = found.length === 0 ? () => null : await undeclarability();
  const undeclared = found.filter((live) => why(live) === null).map(({ address }) => address);
  const counted = { ...plan, summary: { ...plan.summary, undeclared: undeclared.length } };
  return undeclared.length === 0 ? counted : { ...counted, undeclared: undeclared.toSorted() };
}

function removedRecords({ kind, diff }: Change, kinds: Kinds): Difference[] {
  return diff.filter(({ path, op, sensitive }) => {
    const [name = '', ...below] = segmentsOf(path);
    const isRecord = below.length === 1 && fieldNamed(kinds.get(kind), name)?.is === 'records';
    return isRecord && op === 'remove' && !sensitive;
  });
}
