import type { Plan, Request } from '../../model/plan.ts';
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
  const total = plan.changes.reduce((sum, { requests }) => sum + requests.length, 0);
  const rows = plan.changes.flatMap(({ action, address, requests }) => {
    const title = row(0, span(`# ${symbols[action]} ${address}`, actionStyles[action], 'bold'));
    return requests.length === 0 ? [] : [title, ...requests.flatMap(requestRows)];
  });
  const end = row(0, span(`Dry run: ${pluralize(total, 'request')}, none sent.`, 'bold'));
  return layout([...rows, end], { colour, width: Number.POSITIVE_INFINITY });
}

function requestRows(request: Request): Row[] {
  const { method, headers, body } = request;
  return [
    row(0, span(`${method} `, 'bold'), span(requestTarget(request))),
    ...Object.entries(headers).map(([name, value]) => row(0, span(`${name}: `, 'cyan'), span(value))),
    ...(body === null ? [] : [blank, ...paragraph(0, bodyText(body))]),
    blank,
  ];
}
