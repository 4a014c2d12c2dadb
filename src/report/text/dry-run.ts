import type { Change, Plan, Request } from '../../model/plan.ts';
import { bodyText } from '../difference.ts';
import type { ReportOptions } from '../options.ts';
import { pluralize, requestTarget, symbols } from '../words.ts';
import { blank, layout, paragraph, type Row, row, span } from './layout.ts';
import { actionStyles } from './plan.ts';

/**
 * Every request of a plan as it would be sent, with the names of secrets in their place: what a dry run prints. Lines
 * are not wrapped, so that a body can be copied as JSON.
 */
export function renderRequests(plan: Plan, { colour }: Pick<ReportOptions, 'colour'>): string {
  const sending = plan.changes.filter(({ requests }) => requests.length > 0);
  const total = sending.reduce((sum, { requests }) => sum + requests.length, 0);
  return layout(
    [
      ...sending.flatMap(changeRows),
      row(0, span(`Dry run: ${pluralize(total, 'request')}, none sent.`, 'bold')),
    ],
    { colour, width: Number.POSITIVE_INFINITY },
  );
}

function changeRows({ action, address, requests }: Change): Row[] {
  const title = row(0, span(`# ${symbols[action]} ${address}`, actionStyles[action], 'bold'));
  return [title, ...requests.flatMap((request) => [...requestRows(request), blank])];
}

function requestRows(request: Request): Row[] {
  const { method, headers, body } = request;
  return [
    row(0, span(`${method} `, 'bold'), span(requestTarget(request))),
    ...Object.entries(headers).map(([name, value]) => row(0, span(`${name}: `, 'cyan'), span(value))),
    ...(body === null ? [] : [blank, ...paragraph(0, bodyText(body))]),
  ];
}
