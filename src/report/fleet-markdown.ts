import type { Diagnostic } from '../model/diagnostic.ts';
import type { Fleet } from '../model/fleet.ts';
import { fleetCommand } from './apply-command.ts';
import { sortByUrgency } from './attention.ts';
import { fitComment, type SectionGroup } from './fit-comment.ts';
import {
  fleetView,
  fleetWords,
  type Matrix,
  namesInBrief,
  noChangesAnywhere,
  type OutcomeGroup,
  openOutcomes,
  type Shared,
  sharedWords,
} from './fleet-view.ts';
import { countCell, foldedSection, problemSection, resultSection, showAll, table } from './markdown.ts';
import type { ReportOptions } from './options.ts';
import { commentFoot, planSection, readFirst, remarkGroup } from './plan-markdown.ts';
import { codeSpan, escapeMarkdown } from './safe.ts';
import { joinParts } from './words.ts';

/**
 * The plans or results of several environments as a comment for a pull request, within GitHub's length: the matrix, what
 * failed, then each change once. What is grave is shown even where the rest is cut.
 */
export function fleetMarkdown(fleet: Fleet, options: ReportOptions): string {
  const { isApplied, isEqual, matrix, errors, changes, points, steps, remarks } = fleetView(fleet);
  const groups = [
    ...errors.map(failureGroup),
    ...openOutcomes(fleet).map(outcomeGroup),
    ...changeGroups(fleet, changes, options),
    remarkGroup(remarks, options),
  ].filter(({ sections }) => sections.length > 0);
  const head = [
    `### tenantctl ${isApplied ? 'apply' : 'plan'}: ${escapeMarkdown(fleetWords(fleet))}`,
    readFirst(points),
    matrixTable(matrix),
    isEqual && `**${noChangesAnywhere}**`,
    steps.join('\\\n'),
  ];
  const foot = commentFoot(fleet.digest, fleetCommand(fleet, options));
  return fitComment(`${joinParts(head, '\n\n')}\n\n`, groups, { foot, advice: showAll });
}

function matrixTable({ columns, rows }: Matrix): string {
  return table([
    ['environment', ...columns],
    ['---', ...columns.map(() => ':-:')],
    ...rows.map(({ names, isFailed, counts, words }) => {
      // The table is never cut, so that it names every environment that failed.
      const name = isFailed ? `❌ ${escapeMarkdown(names.join(', '))}` : escapeMarkdown(namesInBrief(names));
      return [name, ...(counts ? counts.map(countCell) : [escapeMarkdown(words)])];
    }),
  ]);
}

/** The table has all names. */
function failureGroup({ environments, items }: Shared<Diagnostic>): SectionGroup {
  return {
    heading: `\n#### ${escapeMarkdown(namesInBrief(environments))}\n\n`,
    sections: items.map(problemSection),
  };
}

function changeGroups(fleet: Fleet, all: readonly Shared[], options: ReportOptions): SectionGroup[] {
  // In the page of a fleet an object may be there several times, so its address leads to no change.
  const { reportUrl: _reportUrl, ...unlinked } = options;
  return all.map((shared) => ({
    heading: `\n#### ${escapeMarkdown(sharedWords(shared, fleet))}\n\n`,
    sections: [
      ...(shared.environments.length > 3 ? [allNames(shared.environments)] : []),
      ...sortByUrgency(shared.items).map((change) =>
        planSection([change], { ofChange: new Map() }, unlinked),
      ),
    ],
  }));
}

/** The names that the heading leaves out. */
function allNames(names: readonly string[]) {
  const list = names.map((name) => codeSpan(name)).join(', ');
  return {
    ...foldedSection(`All ${names.length} environments`, list),
    rank: 200,
    label: 'lists of environments',
  };
}

function outcomeGroup({ title, items }: OutcomeGroup): SectionGroup {
  return { heading: `\n#### ${escapeMarkdown(title)}\n\n`, sections: items.map(resultSection) };
}
