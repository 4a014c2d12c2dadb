import type { Address } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import { type Diagnostic, isError } from '../model/diagnostic.ts';
import {
  type Fleet,
  type FleetMember,
  isApplied,
  isFailed,
  isNotRun,
  shareDiagnostics,
} from '../model/fleet.ts';
import { canonicalJson } from '../model/json.ts';
import { type Change, type Difference, hasChanges, isRefused } from '../model/plan.ts';
import { type ChangeResult, mayHaveFailed } from '../model/result.ts';
import { namesAndMore } from '../model/words.ts';
import { attentionOf, type Point } from './attention.ts';
import { nameIds } from './difference.ts';
import { nextSteps, outcomeColumns, outcomeCounts, runWords } from './result-words.ts';
import {
  type Count,
  changeCounts,
  joinParts,
  pluralize,
  refused,
  type ShownChange,
  secretNamesOf,
  summaryCounts,
} from './words.ts';

/** What reports show of several environments, each part worked out once. */
export interface FleetView {
  /** Whether results are shown, not plans. */
  readonly isApplied: boolean;
  /** Whether there are environments, all were only compared, and none has anything to change. */
  readonly isEqual: boolean;
  readonly matrix: Matrix;
  /** The errors that keep environments from being planned or applied. */
  readonly errors: readonly Shared<Diagnostic>[];
  /** The planned changes of environments that were not applied. */
  readonly changes: readonly Shared[];
  /** What to read first. */
  readonly points: readonly Point[];
  /** What to do about runs that are not complete. */
  readonly steps: readonly string[];
  /** The remarks of plans and results, without errors, by code. */
  readonly remarks: readonly (readonly [code: string, remarks: readonly Diagnostic[]])[];
}

/** The view of plans or results of several environments. */
export function fleetView(fleet: Fleet): FleetView {
  const { environments } = fleet;
  const applied = isApplied(fleet);
  // Files of plans and of results may be shown together.
  const planned = environments.filter(({ result }) => result === undefined);
  const changes = sharedChanges(planned);
  const isEmptyPlan = ({ plan }: FleetMember) => plan !== null && !hasChanges(plan);
  return {
    isApplied: applied,
    isEqual: !applied && environments.length > 0 && environments.every(isEmptyPlan),
    matrix: matrixOf(fleet, applied),
    errors: sharedErrors(fleet),
    changes,
    points: pointsOf(planned, changes),
    steps: nextSteps(environments.flatMap(({ result }) => result ?? [])),
    remarks: sharedRemarks(fleet),
  };
}

/** One row of the matrix: environments with the same numbers, or one that failed. */
export interface MatrixRow {
  readonly names: readonly string[];
  readonly isFailed: boolean;
  /** One for each of the columns; `null` where there is no plan or no result. */
  readonly counts: readonly number[] | null;
  /** What happened, in brief: the code of an error; empty where the numbers say it. */
  readonly words: string;
}

export interface Matrix {
  readonly columns: readonly string[];
  readonly rows: readonly MatrixRow[];
}

/** With more environments, those with equal numbers or the same error share a row. */
const maxRows = 20;

/** The environments and their numbers, failures first, then those that were not run. */
function matrixOf({ environments, summary }: Fleet, applied: boolean): Matrix {
  const results = environments.flatMap(({ result }) => result ?? []);
  const columns = outcomeColumns(results);
  const countsOf = ({ plan, result }: FleetMember): Count[] | null => {
    if (applied) return result ? outcomeCounts([result], columns) : null;
    return plan && summaryCounts(plan.summary);
  };
  const rowsWhere = (test: (member: FleetMember) => boolean) =>
    groupRows(
      environments.filter(test).map(
        (member): MatrixRow => ({
          names: [member.name],
          isFailed: hasFailed(member),
          counts: countsOf(member)?.map(({ count }) => count) ?? null,
          words: stateWords(member, applied),
        }),
      ),
    );
  return {
    columns: (applied ? outcomeCounts(results, columns) : summaryCounts(summary)).map(({ words }) => words),
    rows: [...rowsWhere(hasFailed), ...rowsWhere(isNotRun), ...rowsWhere((member) => !isFailed(member))],
  };
}

const notRunWords = 'not run';

/** Whether something went wrong in an environment. */
const hasFailed = (member: FleetMember) => isFailed(member) && !isNotRun(member);

/** What a reader should know apart from the numbers. */
function stateWords({ plan, result, error }: FleetMember, applied: boolean): string {
  if (isNotRun({ error })) return notRunWords;
  if (error) return error.diagnostics.find(isError)?.code ?? 'failed';
  if (result) return result.outcome === 'done' ? '' : runWords[result.outcome];
  if (plan && isRefused(plan)) return refused;
  return applied && plan ? `only planned: ${changeCounts(plan.changes) || 'no changes'}` : '';
}

function groupRows(rows: readonly MatrixRow[]): readonly MatrixRow[] {
  if (rows.length <= maxRows) return rows;
  const groups = groupBy(rows, ({ counts, words }) => JSON.stringify([counts, words]));
  return groups.map(([, same]) => ({ ...same[0], names: same.flatMap(({ names }) => names) }));
}

/** What the same environments have in common: changes, planned or made, or errors. */
export interface Shared<T = ShownChange> {
  readonly environments: readonly string[];
  readonly items: readonly T[];
}

/**
 * Each change once, with the environments that it is made in: those of most environments first, what is particular to one
 * last. What differs between tenants without a meaning, such as ids, is that of the first.
 */
function sharedChanges(environments: readonly FleetMember[]): Shared[] {
  // The same object has another id in each tenant.
  const omitNames = ({ named: _named, ...difference }: Difference) => difference;
  const signatureOf = ({ address, action, diff, risk, warnings, impact }: Change) => [
    [address, action, risk, warnings, impact ?? null],
    diff.map((each) => omitNames(nameIds(each, idOnly, idOnly))),
  ];
  const planned = shareEach(environments, ({ plan }) => plan?.changes ?? [], signatureOf);
  return shareGroups(planned.map((shared) => ({ ...shared, item: inAll(shared) })));
}

/** The change as it is made in all of these environments. */
function inAll({ names, item, all }: SharedItem<Change>): ShownChange {
  // An id of one tenant says nothing about another, but each secret that is sent counts.
  const secretNames = [...new Set(all.flatMap(secretNamesOf))];
  return names.length === 1 ? item : { ...item, id: null, secretNames };
}

/** What to read first. The counts are those of all environments; the changes are there once. */
function pointsOf(environments: readonly FleetMember[], shared: readonly Shared[]): Point[] {
  const all = attentionOf(environments.flatMap(({ plan }) => plan?.changes ?? []));
  return attentionOf(shared.flatMap(({ items }) => items)).map((point) => ({
    ...point,
    count: all.find(({ concern }) => concern === point.concern)?.count ?? point.count,
  }));
}

/** Changes of an apply below a heading. */
export interface OutcomeGroup {
  readonly title: string;
  readonly items: readonly ChangeResult[];
}

/**
 * The changes of an apply that a reader has to know of: what failed, by environment, then what else was not done or not done
 * as asked, once, with its environments. Steps by hand are the same in each.
 */
export function openOutcomes(fleet: Fleet): OutcomeGroup[] {
  const isOpen = ({ outcome, warnings }: ChangeResult) => outcome !== 'done' || warnings.length > 0;
  const groups = [
    ...fleet.environments.map(({ name, result }): OutcomeGroup => {
      return { title: name, items: result?.changes.filter(mayHaveFailed) ?? [] };
    }),
    ...sharedOutcomes(fleet).map((shared): OutcomeGroup => {
      return {
        title: sharedWords(shared, fleet),
        items: shared.items.filter((item) => isOpen(item) && !mayHaveFailed(item)),
      };
    }),
  ];
  return groups.filter(({ items }) => items.length > 0);
}

/** What an apply made of each change, once, with the environments that share it: what failed first, what is done last. */
export function sharedOutcomes({ environments }: Fleet): Shared<ChangeResult>[] {
  const signatureOf = ({ address, action, outcome, before, after, error, warnings }: ChangeResult) => [
    [address, action, outcome, error, warnings],
    before,
    after,
  ];
  const each = shareEach(environments, ({ result }) => result?.changes ?? [], signatureOf);
  const isDone = ({ item }: { item: ChangeResult }) => item.outcome === 'done';
  const hasItemFailed = ({ item }: { item: ChangeResult }) => mayHaveFailed(item);
  return [
    ...shareGroups(each.filter(hasItemFailed)),
    ...shareGroups(each.filter((one) => !hasItemFailed(one) && !isDone(one))),
    ...shareGroups(each.filter(isDone)),
  ];
}

/** The errors that keep an environment from being planned or applied. */
function errorsOf({ plan, result, error }: FleetMember): Diagnostic[] {
  const all = error?.diagnostics ?? result?.diagnostics ?? plan?.diagnostics ?? [];
  return all.filter(isError);
}

/** Each of these errors once, with the environments that have it. What was not run comes last. */
function sharedErrors({ environments }: Fleet): Shared<Diagnostic>[] {
  const share = (members: readonly FleetMember[]) =>
    shareGroups(shareEach(members, errorsOf, (error) => error));
  return [...share(environments.filter((each) => !isNotRun(each))), ...share(environments.filter(isNotRun))];
}

/** The remarks of plans and results, without errors, each once, by code. One that not all share says whose it is. */
function sharedRemarks({ environments }: Fleet): [code: string, remarks: Diagnostic[]][] {
  const all = environments.map(({ name, plan, result }) => ({
    name,
    diagnostics: (result?.diagnostics ?? plan?.diagnostics ?? []).filter((each) => !isError(each)),
  }));
  return groupBy(shareDiagnostics(all, namesInBrief), ({ code }) => code);
}

interface SharedItem<T> {
  readonly names: readonly string[];
  /** That of the first environment. */
  readonly item: T;
  /** Those of all of them. */
  readonly all: readonly T[];
}

/** The items with the same signature, once, with the environments that have them. */
function shareEach<T>(
  members: readonly FleetMember[],
  itemsOf: (member: FleetMember) => readonly T[],
  signatureOf: (item: T) => unknown,
): SharedItem<T>[] {
  const items = members.flatMap((member) => itemsOf(member).map((item) => ({ name: member.name, item })));
  const groups = groupBy(items, ({ item }) => canonicalJson(signatureOf(item)));
  return groups.map(([, same]) => ({
    names: [...new Set(same.map(({ name }) => name))],
    item: same[0].item,
    all: same.map(({ item }) => item),
  }));
}

/** What the same environments share, those of most environments first. */
function shareGroups<T>(items: readonly Pick<SharedItem<T>, 'names' | 'item'>[]): Shared<T>[] {
  return groupBy(items, ({ names }) => JSON.stringify(names))
    .map(([, group]) => ({ environments: group[0].names, items: group.map(({ item }) => item) }))
    .toSorted((a, b) => b.environments.length - a.environments.length);
}

const idOnly = (to: Address) => to;

/** How many names are written out. */
const maxNames = 3;

/** `eu-1, eu-2, eu-3 and 44 more` */
export function namesInBrief(names: readonly string[]): string {
  const more = names.length - maxNames;
  return more <= 1 ? names.join(', ') : namesAndMore(names.slice(0, maxNames), more);
}

/** `In 47 of 50: eu-1, eu-2, eu-3 and 44 more` */
export function sharedWords({ environments }: Pick<Shared, 'environments'>, { summary }: Fleet): string {
  const [only] = environments;
  if (environments.length === 1 && only !== undefined) return `Only in ${only}`;
  return `In ${environments.length} of ${summary.environments}: ${namesInBrief(environments)}`;
}

/** `50 environments: 44 planned, 4 failed, 2 not run`. Files of plans and of results may be shown together. */
export function fleetWords({ environments, summary }: Fleet): string {
  const applied = environments.filter((member) => member.result && !isFailed(member)).length;
  const left = environments.filter(isNotRun).length;
  const planned = summary.environments - summary.failed - applied;
  const failed = summary.failed - left;
  const counts = Object.entries({ applied, planned, failed, [notRunWords]: left });
  const words = counts.map(([word, count]) => count > 0 && `${count} ${word}`);
  return joinParts([pluralize(summary.environments, 'environment'), joinParts(words, ', ')], ': ');
}

/** What plans without a change say. */
export const noChangesAnywhere = 'No changes. All tenants equal the manifests.';
