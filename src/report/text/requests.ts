import type { Change, Plan, Request } from '../../model/plan.ts';
import type { ReportOptions } from '../options.ts';
import { bodyText } from '../value.ts';
import { counted, symbols } from '../words.ts';
import { actionStyles } from './change.ts';
import { blank, layout, paragraph, type Row, row, span } from './layout.ts';

/**
 * Every request of a plan as it would be sent, secrets by name: what a dry run prints. Lines stay whole, so that a body
 * can be copied as JSON.
 */
export function renderRequests(plan: Plan, { colour }: Pick<ReportOptions, 'colour'>): string {
  const sending = plan.changes.filter(({ requests }) => requests.length > 0);
  const total = sending.reduce((sum, { requests }) => sum + requests.length, 0);
  return layout(
    [
      ...sending.flatMap(changeRows),
      row(0, span(`Dry run: ${counted(total, 'request')}, none sent.`, 'bold')),
    ],
    { colour, width: Number.POSITIVE_INFINITY },
  );
}

function changeRows({ action, address, requests }: Change): Row[] {
  const title = row(0, span(`# ${symbols[action]} ${address}`, actionStyles[action], 'bold'));
  return [title, ...requests.flatMap((request) => [...requestRows(request), blank])];
}

function requestRows({ method, path, query, headers, body }: Request): Row[] {
  const search = new URLSearchParams(query).toString();
  const target = search === '' ? path : `${path}?${search}`;
  return [
    row(0, span(`${method} `, 'bold'), span(target)),
    ...Object.entries(headers).map(([name, value]) => row(0, span(`${name}: `, 'cyan'), span(value))),
    ...(body === null ? [] : [blank, ...paragraph(0, bodyText(body))]),
  ];
}
