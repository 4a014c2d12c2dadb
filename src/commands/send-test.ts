import { requireWritable } from '../engine/apply.ts';
import { prepareTest, sendTest, templateKey } from '../engine/test-notification.ts';
import { largestFile, loadProject } from '../loader/index.ts';
import { parseDocuments } from '../loader/parse.ts';
import { Problems, SourceFile, unresolved } from '../loader/problems.ts';
import { decodeText } from '../loader/source.ts';
import { type ReadTag, readTree } from '../loader/tree.ts';
import { ExitCode, fail } from '../model/failure.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { layout, paragraph, type Row, row, span } from '../report/layout.ts';
import type { ReportOptions } from '../report/report.ts';
import { json, safeJson } from '../report/safe.ts';
import { commonOptions, describeCommand, option } from './command.ts';
import { readNamedFile } from './files.ts';
import { confirm, type Io, isInteractive, viewOf } from './io.ts';
import { withoutSecrets } from './output.ts';
import { withTenant } from './progress.ts';
import { projectOptions } from './project.ts';

export const command = describeCommand({
  usage:
    '$0 send-test ADDRESS [options]\n\nMakes the tenant send a test notification of a template. It goes to real people.',
  options: {
    ...commonOptions,
    address: {
      ...option.argument('The template: NotificationTemplate/KEY/MEDIUM/LOCALE'),
      demandOption: true,
    },
    context: option.text(
      "YAML or JSON file with values for the template's variables. Default: made-up values",
    ),
    locale: option.text("The locale to send, where the host takes one. Default: the template's"),
    to: option.list('Addresses to send it to, where the host takes them. Default: the tenant decides'),
    yes: option.flag('Do not ask for confirmation'),
    format: option.format(['text', 'json']),
  },
  examples: {
    '$0 send-test NotificationTemplate/welcome/EMAIL/en --context ada.yaml':
      'Show the notification, ask, send',
  },
}).run(async (args, io) => {
  const context = args.context === undefined ? null : readContext(args.context, io);
  const { resources, ...project } = loadProject(projectOptions(args, io));
  requireWritable(project.environment);
  const key = templateKey(args.address, resources);
  // After the checks that would stop a run with --yes too.
  if (!args.yes && !isInteractive(io)) {
    throw fail('consent-required', 'There is no terminal to ask for confirmation.', {
      hint: 'Add --yes to send it to real people without a confirmation.',
    });
  }
  return withTenant(project, io, async (tenant, progress) => {
    const choices = { context, locale: args.locale ?? null, to: args.to.length > 0 ? args.to : null };
    const test = await prepareTest(key, choices, resources, tenant);
    progress.end();
    const shown = withoutSecrets(test, io);
    const rows = args.yes && io.quiet ? warningRows(shown) : previewRows(shown);
    if (rows.length > 0) io.stderr.write(layout(rows, viewOf(io.stderr, io)));
    const isConfirmed = args.yes || (await confirm('send it', io));
    const answer = isConfirmed ? await sendTest(test, tenant) : null;
    progress.end();
    io.stdout.write(testOutcome(shown, answer, args.format, viewOf(io.stdout, io)));
    return isConfirmed ? ExitCode.done : ExitCode.couldNotRun;
  });
});

/** Reads the object in a YAML or JSON file, as strictly as a manifest. Throws a Failure for any other content. */
function readContext(name: string, io: Io): JsonObject {
  const file = new SourceFile(name, decodeText(readNamedFile(name, io, largestFile), name));
  const problems = new Problems();
  const [document, second] = parseDocuments(file, problems);
  const refuseTag: ReadTag = (tag, _argument, place) => {
    problems.add('misplaced-tag', `A context holds plain values, no tags such as \`${tag}\`.`, place);
    return unresolved;
  };
  const value = document ? readTree(document, refuseTag, problems).value : {};
  problems.throwIfAny();
  if (isObject(value) && second === undefined) return value;
  throw fail('context-no-object', `${name} must hold one object with the template's variables.`, {
    hint: 'Write `name: value` lines, or a JSON object.',
  });
}

type TestNotification = Parameters<typeof sendTest>[0];

const origins = { customised: 'as customised in the tenant', default: "the vendor's default" } as const;

const undecidedTo = 'The tenant decides, and its API does not say who. Expect that real people get it.';
const undecidedLocale = 'The request has no locale: the tenant uses the one of the recipient.';

/** Describes a test notification that would be sent, before a person confirms it. */
function previewRows(test: TestNotification): Row[] {
  const { address, key, medium, template, subject, from, replyTo, context, locale, to } = test;
  const line = (title: string, text: string | null): Row[] =>
    text === null ? [] : [row(2, span(title.padEnd(10), 'cyan'), span(text))];
  return [
    row(0, span(`Test notification ${address}`, 'bold')),
    ...line('template', `${key} ${medium}, ${origins[template]}`),
    ...line('subject', subject),
    ...line('from', from),
    ...line('reply to', replyTo),
    ...line('to', to === null ? undecidedTo : to.join(', ')),
    ...line('locale', locale ?? undecidedLocale),
    ...warningRows(test),
    row(2, span('context', 'cyan')),
    ...paragraph(4, safeJson(context)),
  ];
}

function warningRows({ differing }: TestNotification): Row[] {
  const warning = `the manifest differs in ${differing.join(', ')}, and the tenant sends its own version. Apply first to test the manifest.`;
  return differing.length === 0 ? [] : [row(2, span('warning: ', 'yellow', 'bold'), span(warning))];
}

/** Says whether the test notification was sent, and what the tenant answered: `null` if nothing was sent. */
function testOutcome(
  test: TestNotification,
  answer: Awaited<ReturnType<typeof sendTest>> | null,
  format: 'text' | 'json',
  options: ReportOptions,
): string {
  const { status = null, trackingId = null } = answer ?? {};
  if (format === 'json')
    return json({ formatVersion: 1, ...test, sent: answer !== null, status, trackingId });
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
