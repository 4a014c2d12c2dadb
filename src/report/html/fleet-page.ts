import type { Fleet } from '../../model/fleet.ts';
import type { Change } from '../../model/plan.ts';
import type { ChangeResult } from '../../model/result.ts';
import { fleetCommand } from '../apply-command.ts';
import { sortByUrgency } from '../attention.ts';
import {
  type FleetView,
  fleetView,
  fleetWords,
  type Matrix,
  type MatrixRow,
  namesInBrief,
  noChangesAnywhere,
  type Shared,
  sharedOutcomes,
  sharedWords,
} from '../fleet-view.ts';
import type { ReportOptions } from '../options.ts';
import { outcomeCounts } from '../result-words.ts';
import { oneLine } from '../safe.ts';
import { allCounts, changeCounts, pluralize, type ShownChange } from '../words.ts';
import { type Entry, type EntryGroup, namesMarkup } from './entries.ts';
import { html, type Markup } from './markup.ts';
import { maxOpen, pageHtml, pagePoint } from './page.ts';
import { changeEntries, changeEntry } from './plan-page.ts';
import { resultEntry } from './result-page.ts';

/**
 * The plans or results of several environments as one self-contained page: the environments, what failed, then each
 * change once with the environments that have it.
 */
export function fleetHtml(fleet: Fleet, options: ReportOptions): string {
  const { summary, digest, environments } = fleet;
  const view = fleetView(fleet);
  const { isApplied, matrix, errors, changes } = view;
  const isOpen = changes.reduce((sum, { items }) => sum + items.length, 0) <= maxOpen;
  const failed = matrix.rows.flatMap((row) => (row.isFailed ? row.names : []));
  const plans = environments.flatMap(({ plan }) => plan ?? []);
  return pageHtml({
    eyebrow: isApplied ? 'Result' : 'Plan',
    title: pluralize(summary.environments, 'environment'),
    subtitle: fleetWords(fleet),
    alarm: failed.length > 0 ? `Failed: ${namesInBrief(failed)}` : null,
    empty: view.isEqual ? noChangesAnywhere : 'No changes to show.',
    points: pointsOf(view),
    tiles: isApplied ? outcomeCounts(environments.flatMap(({ result }) => result ?? [])) : allCounts(summary),
    lead: matrixMarkup(matrix),
    problems: errors.map(({ environments, items }) => [environments.join(', '), items]),
    remarks: view.remarks,
    groups: [
      ...outcomeGroups(fleet),
      ...changes.map((each) => changeGroup(each, { ...options, fleet, isOpen })),
    ],
    named: 'environment',
    command: fleetCommand(fleet, options),
    digest,
    facts: [
      ['Digest', digest],
      ...plans.slice(0, 1).map(({ tool }) => ['Tool', `${tool.name} ${tool.version}`] as const),
    ],
  });
}

function pointsOf({ changes, points }: FleetView) {
  const ids = new Map(changes.flatMap((each) => each.items.map((change) => [change, idOf(change, each)])));
  return points.map((point) => pagePoint(point, (change) => ids.get(change) ?? change.address));
}

/** An object may differ in one way in some environments, and in another way in others. */
const idOf = (
  { address }: { address: string },
  { environments: [first = ''] }: Pick<Shared, 'environments'>,
) => `${address}@${first}`;

/** A table of the environments and their numbers, failures first. */
function matrixMarkup({ columns, rows }: Matrix): Markup {
  return html`<div class="scroll matrix" tabindex="0" role="region" aria-label="Environments"><table><thead><tr><th scope="col">Environment</th>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map((row) => rowMarkup(row, columns.length))}</tbody></table></div>`;
}

function rowMarkup({ names, isFailed, counts, words }: MatrixRow, width: number): Markup {
  const cells = counts
    ? counts.map((count) => html`<td>${count === 0 ? html`<span class="none">0</span>` : count}</td>`)
    : html`<td class="why" colspan="${width}"><code>${words}</code></td>`;
  const state = counts && words !== '' ? html` <small>${words}</small>` : '';
  return html`<tr${isFailed ? html` class="failed"` : ''}><th scope="row">${isFailed ? '✖ ' : ''}${oneLine(namesInBrief(names))}${state}${names.length > 4 ? namesMarkup(names) : ''}</th>${cells}</tr>`;
}

interface GroupOptions extends ReportOptions {
  readonly fleet: Fleet;
  readonly isOpen: boolean;
}

function changeGroup(shared: Shared, { fleet, ...options }: GroupOptions): EntryGroup {
  const entry = (change: ShownChange) =>
    ofShared(changeEntry(change, { ...options, remarks: [] }), shared, change.requests.length > 0);
  return {
    ...headOf(shared, fleet),
    words: changeCounts(shared.items),
    entries: changeEntries(sortByUrgency(shared.items), entry),
  };
}

function outcomeGroups(fleet: Fleet): EntryGroup[] {
  return sharedOutcomes(fleet).map((shared) => ({
    ...headOf(shared, fleet),
    words: pluralize(shared.items.length, 'change'),
    entries: shared.items.map((change) => ofShared(resultEntry(change), shared, change.requests.length > 0)),
  }));
}

function headOf(shared: Shared<Change | ChangeResult>, fleet: Fleet) {
  return { title: sharedWords(shared, fleet), names: shared.environments };
}

/** An entry that stands for several environments. */
function ofShared(entry: Entry, shared: Shared<Change | ChangeResult>, hasRequests: boolean): Entry {
  const [first = '', ...others] = shared.environments;
  const note =
    others.length > 0 && hasRequests ? html`<p class="whose">The requests are those of ${first}.</p>` : '';
  return { ...entry, id: idOf(entry, shared), body: html`${note}${entry.body}` };
}
