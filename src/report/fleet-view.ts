import type { Address } from '../model/address.ts';
import type { Fleet, FleetMember } from '../model/fleet.ts';
import { isFailed } from '../model/fleet.ts';
import { canonicalJson } from '../model/json.ts';
import { actions, type Change, hasChanges, isRefused } from '../model/plan.ts';
import { changeOutcomes } from '../model/result.ts';
import { nameIds } from './difference.ts';
import { actionWords, groupBy, outcomeWords, refused, runWords } from './words.ts';

/** One row of the matrix: environments with the same numbers, or one that failed. */
export interface MatrixRow {
  readonly names: readonly string[];
  readonly isFailed: boolean;
  /** One for each of the columns; `null` where there is no plan or no result. */
  readonly counts: readonly number[] | null;
  /** What happened, in words; empty where the numbers say it. */
  readonly words: string;
}

export interface Matrix {
  readonly columns: readonly string[];
  readonly rows: readonly MatrixRow[];
}

/** With more environments, those with equal numbers share a row. */
const maxRows = 20;

/** The environments and their numbers, failures first. */
export function matrixOf({ environments }: Fleet): Matrix {
  const isApplied = environments.some(({ result }) => result);
  const columns = isApplied
    ? changeOutcomes.map((outcome) => outcomeWords[outcome])
    : [...actions.map((action) => actionWords[action]), 'unchanged'];
  const rows = environments.map((member) => rowOf(member, isApplied));
  const failed = rows.filter((row) => row.isFailed);
  const others = rows.filter((row) => !row.isFailed);
  return { columns, rows: [...failed, ...(others.length > maxRows ? shareRows(others) : others)] };
}

function rowOf(member: FleetMember, isApplied: boolean): MatrixRow {
  const { name, plan, result } = member;
  const counts = isApplied
    ? result && changeOutcomes.map((outcome) => result.summary[outcome])
    : plan && [...actions.map((action) => plan.summary[action]), plan.summary.unchanged];
  return { names: [name], isFailed: isFailed(member), counts: counts ?? null, words: stateWords(member) };
}

/** What a reader should know besides the numbers. */
function stateWords({ plan, result, error }: FleetMember): string {
  if (error) return error.diagnostics[0]?.message ?? 'failed';
  if (result) return result.outcome === 'done' ? '' : runWords[result.outcome];
  return plan && isRefused(plan) ? refused : '';
}

function shareRows(rows: readonly MatrixRow[]): MatrixRow[] {
  return groupBy(rows, ({ counts, words }) => JSON.stringify([counts, words])).flatMap(([, same]) => {
    const [first] = same;
    return first ? [{ ...first, names: same.flatMap(({ names }) => names) }] : [];
  });
}

/** Changes that the same environments have in common. */
export interface SharedChanges {
  readonly environments: readonly string[];
  readonly changes: readonly Change[];
}

/**
 * Each change once, with the environments that it is made in: those of most environments first, what is particular to one
 * last. What differs between tenants without a meaning, such as ids, is that of the first.
 */
export function sharedChanges({ environments }: Fleet): SharedChanges[] {
  const planned = environments.flatMap(({ name, plan }) =>
    (plan?.changes ?? []).map((change) => ({ name, change })),
  );
  const same = groupBy(planned, ({ change }) => signatureOf(change)).flatMap(([, group]) => {
    const [first] = group;
    return first ? [{ names: group.map(({ name }) => name), change: first.change }] : [];
  });
  return groupBy(same, ({ names }) => JSON.stringify(names))
    .flatMap(([, group]) => {
      const [first] = group;
      return first ? [{ environments: first.names, changes: group.map(shownChange) }] : [];
    })
    .toSorted((a, b) => b.environments.length - a.environments.length);
}

/** An id of one tenant says nothing about another. */
function shownChange({ names, change }: { names: readonly string[]; change: Change }): Change {
  return names.length === 1 ? change : { ...change, id: null };
}

const idOnly = (to: Address) => to;

function signatureOf({ address, action, diff, risk, warnings }: Change): string {
  // The same object has another id in each tenant.
  const byName = diff.map((entry) => {
    const { named: _named, ...difference } = nameIds(entry, idOnly, idOnly);
    return difference;
  });
  return canonicalJson([address, action, byName, risk, warnings]);
}

/** How many names are written out. */
const maxNames = 3;

/** `eu-1, eu-2, eu-3 and 44 more` */
export function namesInBrief(names: readonly string[]): string {
  const more = names.length - maxNames;
  if (more <= 1) return names.join(', ');
  return `${names.slice(0, maxNames).join(', ')} and ${more} more`;
}

/** `In 47 of 50: eu-1, eu-2, eu-3 and 44 more` */
export function sharedWords({ environments }: SharedChanges, { summary }: Fleet): string {
  const [only] = environments;
  if (environments.length === 1 && only !== undefined) return `Only in ${only}`;
  return `In ${environments.length} of ${summary.environments}: ${namesInBrief(environments)}`;
}

/** `50 environments: 46 planned, 4 failed` */
export function fleetWords({ environments, summary }: Fleet): string {
  const isApplied = environments.some(({ result }) => result);
  const sound = summary.environments - summary.failed;
  const failed = summary.failed > 0 ? `, ${summary.failed} failed` : '';
  return `${summary.environments} environments: ${sound} ${isApplied ? 'applied' : 'planned'}${failed}`;
}

/** Whether all environments were compared, and none has anything to change. */
export function fleetIsEqual({ environments }: Fleet): boolean {
  return environments.every(({ plan }) => plan !== null && !hasChanges(plan));
}
