import { groupBy, lazy } from '../model/basics.ts';
import {
  type Change,
  type ChangeResult,
  type Fleet,
  type FleetMember,
  isFailed,
  isRefused,
  mayHaveFailed,
  secretsSentBy,
  shareDiagnostics,
} from '../model/documents.ts';
import { type Diagnostic, isError } from '../model/failure.ts';
import { canonicalJson } from '../model/json.ts';
import { shareField } from './families.ts';
import {
  commitFacts,
  diagnosticsPage,
  type Entry,
  emptyPage,
  type Group,
  type Page,
  pointsOf,
  type ReportContext,
} from './page.ts';
import { applyCommand, changeEntry, limitFacts, planPage, refused, undeclaredIn, verdictOf } from './plan.ts';
import { nextSteps, outcomeCounts, outcomeEntry, resultPage, runWords } from './result.ts';
import { type Field, fieldOf, nameIds, writtenFields } from './values.ts';
import { changeCounts, joinParts, namesInBrief, place, pluralize, summaryCounts } from './words.ts';

/** The plans or results of several environments: what failed first, then each change once, with its environments. */
export function fleetPage(fleet: Fleet, options: ReportContext): Page {
  const { environments, summary, digest } = fleet;
  // An apply that could not run counts too: then its results are `null`.
  const applied = environments.some(({ result }) => result !== undefined);
  const matrix = matrixOf(fleet, applied);
  const failed = matrix.rows.flatMap((row) => (row.isFailed ? row.names : []));
  const results = environments.flatMap(({ result }) => result ?? []);
  const changes = changeGroups(fleet, options);
  const outcomes = outcomeGroups(fleet);
  const plans = environments.flatMap(({ plan }) => plan ?? []);
  const arePlanned = !applied && plans.length > 0 && plans.length === environments.length;
  return {
    ...emptyPage,
    is: 'fleet',
    command: applied ? 'apply' : 'plan',
    heading: applied ? 'Apply to several environments' : 'Plans for several environments',
    name: fleetWords(fleet),
    alarm: failed.length > 0 ? `Failed: ${namesInBrief(failed)}` : null,
    points: pointsOf([...outcomes, ...changes].flatMap(({ entries }) => entries)),
    pointsTitle: applied ? 'Left to do' : 'Read this first',
    matrix,
    label: applied ? null : 'Plan',
    counts: applied ? outcomeCounts(results) : summaryCounts(summary, summary.undeclared),
    verdict: arePlanned ? verdictOf(plans) : null,
    problems: sharedErrors(fleet),
    remarks: sharedRemarks(fleet),
    groups: [...outcomes, ...changes],
    named: 'environment',
    others: applied ? null : undeclaredIn(plans),
    steps: nextSteps(results),
    // A fleet with a failure cannot be applied as a whole.
    applyWith: applied || environments.some(isFailed) ? null : applyCommand(plans, digest, options),
    digest,
    key: digest,
    facts: [
      ...commitFacts(options),
      ...[...plans.map(({ createdAt }) => createdAt), ...results.map(({ startedAt }) => startedAt)]
        .sort()
        .slice(0, 1)
        .map((value) => ({ name: 'Made', value, is: 'time' }) as const),
      ...(applied ? [] : limitFacts(plans)),
      { name: 'Digest', value: digest, is: 'copied' },
      ...plans.slice(0, 1).map(({ tool }) => {
        return { name: 'Tool', value: `${tool.name} ${tool.version}`, is: 'footer' } as const;
      }),
    ],
    members: () => environments.map((member) => memberPage(member, options)),
  };
}

function memberPage({ name, plan, result, error }: FleetMember, options: ReportContext): Page {
  if (result && !error) return { ...resultPage(result, options), name };
  if (plan && !error) return { ...planPage(plan, options), name };
  return { ...diagnosticsPage(error?.diagnostics ?? []), name };
}

/** With more environments, those with equal numbers or the same error share a row. */
const maxRows = 20;

/** The environments and their numbers, failures first, then those that were not run. */
function matrixOf({ environments, summary }: Fleet, applied: boolean): NonNullable<Page['matrix']> {
  const results = environments.flatMap(({ result }) => result ?? []);
  const failed = environments.filter(isFailed);
  const parts = [
    failed.filter((member) => !isNotRun(member)),
    failed.filter(isNotRun),
    environments.filter((member) => !isFailed(member)),
  ];
  const rows = parts.flatMap((members, part) => {
    const rows = members.map((member) => {
      const { name, plan, result } = member;
      const planned = plan && summaryCounts(plan.summary);
      const counts = applied ? result && outcomeCounts([result], results) : planned;
      return {
        names: [name],
        isFailed: part === 0,
        counts: counts?.map(({ count }) => count) ?? null,
        words: stateWords(member, applied),
      };
    });
    if (rows.length <= maxRows) return rows;
    const groups = groupBy(rows, ({ counts, words }) => JSON.stringify([counts, words]));
    return groups.map(([, same]) => ({ ...same[0], names: same.flatMap(({ names }) => names) }));
  });
  return {
    columns: (applied ? outcomeCounts(results) : summaryCounts(summary)).map(({ words }) => words),
    rows,
  };
}

/** True when an interrupted run did not reach an environment: nothing went wrong there. */
const isNotRun = ({ error }: Pick<FleetMember, 'error'>): boolean =>
  error?.diagnostics.some(({ code }) => code === 'not-run') ?? false;

const notRunWords = 'not run';

function stateWords({ plan, result, error }: FleetMember, applied: boolean): string {
  if (isNotRun({ error })) return notRunWords;
  if (error) return error.diagnostics.find(isError)?.code ?? 'failed';
  if (result) return result.outcome === 'done' ? '' : runWords[result.outcome];
  if (plan && isRefused(plan)) return refused;
  return applied && plan ? `only planned: ${changeCounts(plan.changes) || 'no changes'}` : '';
}

/**
 * Each planned change once, with the environments that it is made in: the most common first, those of a single one last. Fields
 * say where they differ; meaningless differences, such as ids, come from the first.
 */
function changeGroups(fleet: Fleet, options: ReportContext): Group[] {
  // Files of plans and of results may be shown together.
  const planned = fleet.environments.filter(({ result }) => result === undefined);
  const changes = planned.flatMap(({ name, plan }) => (plan?.changes ?? []).map((item) => ({ name, item })));
  const shared = shareItems(changes, (change) => {
    const { address, action, notices, concerns } = changeEntry(change, {});
    return [address, action, notices, concerns, change.impact ?? null];
  });
  return shareGroups(shared).map(({ environments, items }) => {
    const entries = items.map(({ first, all }) => {
      const fields = lazy(() => sharedFields(all, environments));
      if (environments.length === 1) return inEnvironments(changeEntry(first, options), environments);
      // What one tenant says of the object says nothing about another.
      const { modified: _modified, ...common } = first;
      const entry = inEnvironments(changeEntry({ ...common, id: null }, options), environments);
      const sent = all.flatMap(({ name, item }) =>
        secretsSentBy(item).map((secret) => ({ name, item: secret })),
      );
      const secrets = shareItems(sent, (secret) => secret).map(({ first, names }) =>
        names.length === environments.length ? first : `${first} in ${namesInBrief(names)}`,
      );
      return { ...entry, fields, secrets: secrets.toSorted() };
    });
    return { ...headOf(environments, fleet), words: changeCounts(entries), isRoutine: false, entries };
  });
}

function sharedFields(all: Shared<Change>['all'], environments: readonly string[]): Field[] {
  const each = all.flatMap(({ name, item }) => item.diff.map((difference) => ({ name, item: difference })));
  return groupBy(each, ({ item }) => item.path).flatMap(([, same]) => {
    const equal = shareItems(same, (difference) => {
      // The same object has another id in each tenant, and its value may stand in another overlay.
      const { named: _named, overlay: _overlay, ...values } = nameIds(difference, (to) => to);
      return values;
    });
    const variants = equal.map(({ names, first, all }) => {
      const overlays = all.flatMap(({ name, item: { overlay } }) =>
        overlay ? [{ name, at: place(overlay) }] : [],
      );
      return { field: fieldOf(first), environments: names, overlays };
    });
    return shareField(variants, environments);
  });
}

function inEnvironments(entry: Entry, environments: readonly string[]): Entry {
  const [first = ''] = environments;
  const sent = environments.length === 1 ? entry.sent : entry.sent.map((words) => `${first}: ${words}`);
  return { ...entry, id: `${entry.address}@${first}`, environments, sent };
}

/** Each outcome once, with the environments that share it: failures first, then open ones. Successes come last. */
function outcomeGroups(fleet: Fleet): Group[] {
  const changes = fleet.environments.flatMap(({ name, result }) =>
    (result?.changes ?? []).map((item) => ({ name, item })),
  );
  const each = shareItems(changes, ({ address, action, outcome, error, warnings }) => {
    return [address, action, outcome, error, warnings];
  });
  const isOpen = ({ outcome, warnings }: ChangeResult) => outcome !== 'done' || warnings.length > 0;
  const open = each.filter(({ first }) => isOpen(first) && !mayHaveFailed(first));
  const done = each.filter(({ first }) => !isOpen(first));
  // The reason for a refusal is above, and not repeated for each change.
  const reasons = new Set(
    fleet.environments.flatMap(({ result }) => result?.diagnostics ?? []).map(({ message }) => message),
  );
  return [each.filter(({ first }) => mayHaveFailed(first)), open, done].flatMap((part) =>
    shareGroups(part).map(({ environments, items }) => {
      const entries = items.map(({ first, all }) => {
        const fields = lazy(() => {
          const equal = shareItems(all, ({ before, after }) => [before, after]);
          const variants = equal.flatMap(({ names, first }) =>
            writtenFields(first).map((field) => ({ field, environments: names, overlays: [] })),
          );
          return shareField(variants, environments);
        });
        return { ...inEnvironments(outcomeEntry(first, reasons), environments), fields };
      });
      const words = pluralize(entries.length, 'change');
      return { ...headOf(environments, fleet), words, isRoutine: part === done, entries };
    }),
  );
}

/** `In 47 of 50: eu-1, eu-2, eu-3 and 44 more` */
function headOf(environments: readonly string[], { summary }: Fleet): Pick<Group, 'title' | 'names'> {
  const [only = ''] = environments;
  const title =
    environments.length === 1
      ? `Only in ${only}`
      : `In ${environments.length} of ${summary.environments}: ${namesInBrief(environments)}`;
  return { title, names: environments };
}

/** Each error that keeps environments from being planned or applied, once. Environments that were not run come last. */
function sharedErrors({ environments }: Fleet): Page['problems'] {
  return [false, true].flatMap((isLast) => {
    const errors = environments
      .filter((each) => isNotRun(each) === isLast)
      .flatMap(({ name, plan, result, error }) => {
        const diagnostics = error?.diagnostics ?? result?.diagnostics ?? plan?.diagnostics ?? [];
        return diagnostics.filter(isError).map((item) => ({ name, item }));
      });
    return shareGroups(shareItems(errors, (error) => error)).map((group) => ({
      names: group.environments,
      items: group.items.map(({ first }) => first),
    }));
  });
}

/** The remarks of plans and results, each once. A remark that not all share names its environments. */
function sharedRemarks({ environments }: Fleet): Diagnostic[] {
  const all = environments.map(({ name, plan, result }) => ({
    name,
    diagnostics: (result?.diagnostics ?? plan?.diagnostics ?? []).filter((each) => !isError(each)),
  }));
  return shareDiagnostics(all, namesInBrief);
}

interface Shared<T> {
  readonly names: readonly string[];
  readonly first: T;
  readonly all: readonly { readonly name: string; readonly item: T }[];
}

/** The items with the same signature, once, with the environments that have them. */
function shareItems<T>(items: Shared<T>['all'], signatureOf: (item: T) => unknown): Shared<T>[] {
  return groupBy(items, ({ item }) => canonicalJson(signatureOf(item))).map(([, all]) => {
    return { names: [...new Set(all.map(({ name }) => name))], first: all[0].item, all };
  });
}

/** Groups items by their environments; the most widely shared come first. */
function shareGroups<T>(items: readonly Shared<T>[]) {
  return groupBy(items, ({ names }) => JSON.stringify(names))
    .map(([, group]) => ({ environments: group[0].names, items: group }))
    .toSorted((a, b) => b.environments.length - a.environments.length);
}

/** `50 environments: 44 planned, 4 failed, 2 not run`. Files of plans and of results may be shown together. */
function fleetWords({ environments, summary }: Fleet): string {
  const applied = environments.filter((member) => member.result && !isFailed(member)).length;
  const left = environments.filter(isNotRun).length;
  const planned = summary.environments - summary.failed - applied;
  const counts = Object.entries({ applied, planned, failed: summary.failed - left, [notRunWords]: left });
  const words = counts.map(([word, count]) => count > 0 && `${count} ${word}`);
  return joinParts([pluralize(summary.environments, 'environment'), joinParts(words, ', ')], ': ');
}
