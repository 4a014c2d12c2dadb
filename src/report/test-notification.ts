import type { TestAnswer, TestNotification } from '../model/documents.ts';
import { layout, paragraph, type Row, row, span } from './layout.ts';
import type { ReportOptions } from './options.ts';
import { json, safeJson } from './safe.ts';

const testFormat = 1;

const origins = { customised: 'as customised in the tenant', default: "the vendor's default" } as const;

const undecidedTo = 'The tenant decides, and its API does not say who. Expect that real people get it.';
const undecidedLocale = 'The request has no locale: the tenant uses the one of the recipient.';

/** Describes a test notification that would be sent, before a person confirms it. */
export function testPreview(test: TestNotification, options: ReportOptions): string {
  const { address, key, medium, template, subject, from, replyTo, differing, context, locale, to } = test;
  const line = (title: string, text: string | null): Row[] =>
    text === null ? [] : [row(2, span(title.padEnd(10), 'cyan'), span(text))];
  const warning = `the manifest differs in ${differing.join(', ')}, and the tenant sends its own version. Apply first to test the manifest.`;
  return layout(
    [
      row(0, span(`Test notification ${address}`, 'bold')),
      ...line('template', `${key} ${medium}, ${origins[template]}`),
      ...line('subject', subject),
      ...line('from', from),
      ...line('reply to', replyTo),
      ...line('to', to === null ? undecidedTo : to.join(', ')),
      ...line('locale', locale ?? undecidedLocale),
      ...(differing.length === 0 ? [] : [row(2, span('warning: ', 'yellow', 'bold'), span(warning))]),
      row(2, span('context', 'cyan')),
      ...paragraph(4, safeJson(context)),
    ],
    options,
  );
}

/**
 * Says whether the test notification was sent, and what the tenant answered.
 *
 * @param answer `null` where nothing was sent
 */
export function testOutcome(
  test: TestNotification,
  answer: TestAnswer | null,
  format: 'text' | 'json',
  options: ReportOptions,
): string {
  const { status = null, trackingId = null } = answer ?? {};
  if (format === 'json')
    return json({ formatVersion: testFormat, ...test, sent: answer !== null, status, trackingId });
  if (answer === null) return layout([row(0, span('Nothing was sent.'))], options);
  const tracking = trackingId === null ? '' : ` (tracking id ${trackingId})`;
  const text = `The tenant accepted the test notification ${test.key} ${test.medium}: ${answer.status}${tracking}.`;
  return layout(
    [
      row(0, span(text, 'green')),
      row(0, span('Its API does not report whether it arrives: ask a recipient.')),
    ],
    options,
  );
}
