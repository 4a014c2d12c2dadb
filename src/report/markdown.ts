import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import { type Change, type Difference, hasChanges, isRefused, type Plan } from '../model/plan.ts';
import type { ChangeOutcome, ChangeResult, Result } from '../model/result.ts';
import { pathWords, sensitiveWords, type View, viewOf } from './difference.ts';
import { fitComment, type Section } from './fit-comment.ts';
import { firstLineOf, type LineDiff, signedLines } from './line-diff.ts';
import type { ReportOptions } from './options.ts';
import { codeBlock, codeSpan, escapeHtml, escapeMarkdown, oneLine } from './safe.ts';
import {
  actionWords,
  changeCounts,
  diagnosticCounts,
  groupBy,
  impactUnknown,
  impactWords,
  joinParts,
  movedWords,
  moves,
  noChanges,
  originWords,
  outcomeWords,
  place,
  pluralize,
  refused,
  resultCounts,
  riskWords,
  runWords,
  scopeWords,
  sentWords,
  sourceLink,
  symbols,
  tenantWords,
  undeclaredWords,
  whereOf,
} from './words.ts';

const maxLines = 60;

const severitySigns: Readonly<Record<Severity, string>> = { error: '❌', warning: '⚠️', info: 'ℹ️' };

const outcomeSigns: Readonly<Record<ChangeOutcome, string>> = {
  done: '✅',
  failed: '❌',
  skipped: '⏭️',
  notAttempted: '⬜',
  unknown: '❓',
};

/** A plan as a comment for a pull request, within GitHub's length and with the digest at the end. */
export function planMarkdown(plan: Plan, options: ReportOptions): string {
  const sections = groupBy(plan.changes, ({ kind }) => kind).flatMap(([kind, group]): Section[] => {
    const heading = `#### ${escapeMarkdown(kind)}: ${changeCounts(group)}\n\n`;
    return [
      { whole: heading, brief: heading },
      ...group.map((change) => planSection(change, options.sourceUrl)),
    ];
  });
  return fitComment(planHead(plan), sections, `\nDigest: ${codeSpan(plan.digest)}\n`);
}

function planHead(plan: Plan): string {
  const limits = scopeWords(plan.scope);
  const where = [codeSpan(tenantWords(plan.tenant)), limits !== '' && `limited by ${codeSpan(limits)}`];
  const parts = [
    `### tenantctl plan: ${escapeMarkdown(plan.environment)}`,
    isRefused(plan) && `> [!CAUTION]\n> **${refused}**`,
    joinParts(where, ' · '),
    hasChanges(plan) ? countTable(plan) : `**${noChanges}**`,
    undeclaredBlock(plan),
    plan.diagnostics.map(diagnosticItem).join('').trimEnd(),
  ];
  return `${joinParts(parts, '\n\n')}\n\n`;
}

/** The first of them, since a comment is limited. */
const mostUndeclared = 50;

function undeclaredBlock(plan: Plan): string | false {
  const words = undeclaredWords(plan);
  if (words === null) return false;
  const { undeclared = [] } = plan;
  const names = undeclared.slice(0, mostUndeclared).map((address) => `- ${codeSpan(address)}`);
  const rest = undeclared.length - names.length;
  const more = rest > 0 ? [`- … and ${rest} more`] : [];
  return `<details><summary>Undeclared: ${escapeHtml(words)}</summary>\n\n${[...names, ...more].join('\n')}\n\n</details>`;
}

function countTable({ summary }: Plan): string {
  const cells = [summary.create, summary.update, summary.delete, summary.manual, summary.unchanged];
  return [
    '| to create | to update | to delete | by hand | unchanged |',
    '| :-: | :-: | :-: | :-: | :-: |',
    `| ${cells.map((count) => (count > 0 ? `**${count}**` : '0')).join(' | ')} |`,
  ].join('\n');
}

/** One change, collapsed, with its differences. In brief it is the title alone. */
function planSection(change: Change, sourceUrl: string | undefined): Section {
  const details = [
    placeLine(change, sourceUrl),
    warningLines(change),
    ...differenceBlocks(change),
    impactBlock(change),
  ];
  return sectionOf(planTitle(change), joinParts(details, '\n\n'));
}

/** @param attributes of the element that holds the body */
function sectionOf(title: string, body: string, attributes = ''): Section {
  return {
    whole: `<details${attributes}><summary>${title}</summary>\n\n${body}\n\n</details>\n\n`,
    brief: `<p>${title}</p>\n\n`,
  };
}

/** Part of a summary element, in which GitHub reads no Markdown. */
function planTitle({ action, address, risk }: Change): string {
  const labels = risk.map((name) => ` ⚠️ <b>${escapeHtml(riskWords[name].label)}</b>`).join('');
  const code = escapeHtml(oneLine(address));
  return `<code>${symbols[action]}</code> <code>${code}</code> ${actionWords[action]}${labels}`;
}

function placeLine({ source, id }: Change, sourceUrl: string | undefined): string {
  const link = sourceLink(source, sourceUrl);
  const where = source === null ? '' : codeSpan(place(source));
  const linked = link === null ? where : `[${where}](<${link.replace(/[<>\s]/g, encodeURIComponent)}>)`;
  return joinParts([linked, id !== null && `id ${codeSpan(id)}`], ' · ');
}

function warningLines({ risk, warnings }: Change): string {
  const lines = [
    ...risk.map((name) => `> ⚠️ **${riskWords[name].label}**: ${escapeMarkdown(riskWords[name].meaning)}`),
    ...warnings.map((warning) => `> ⚠️ ${escapeMarkdown(warning)}`),
  ];
  return lines.join('\n>\n');
}

function impactBlock({ impact }: Change): string {
  if (!impact) return '';
  if ('notRun' in impact) return `> ⚠️ ${escapeMarkdown(`${impactUnknown}. ${impact.notRun}`)}`;
  const words = `It ${impactWords(impact)}`;
  const lines = moves.flatMap((move) => movedWords(impact, move) ?? []);
  if (lines.length === 0) return `${words}.`;
  return `${words}:\n\n${lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n')}`;
}

/** Short differences share one block; each long one has its own. */
function differenceBlocks({ diff }: Change): string[] {
  const views = diff.map((difference) => ({ difference, view: viewOf(difference, maxLines) }));
  const short = views.flatMap(({ difference, view }) => shortLines(difference, view));
  const long = views.flatMap(({ difference, view }) =>
    view.is === 'lines' ? [longBlock(difference, view.diff)] : [],
  );
  return [...(short.length === 0 ? [] : [codeBlock(short.join('\n'), 'diff')]), ...long];
}

function shortLines(difference: Difference, view: View): string[] {
  const name = `${oneLine(pathWords(difference.path))}:`;
  const origin = difference.origin === null ? '' : `   # ${originWords[difference.origin]}`;
  switch (view.is) {
    case 'lines':
      return [];
    case 'sensitive':
      return [`! ${name} ${sensitiveWords}${origin}`];
    case 'inline':
      if (view.after === null)
        return view.before === null ? [] : [`- ${name} ${oneLine(view.before)}${origin}`];
      return [
        ...(view.before === null ? [] : [`- ${name} ${oneLine(view.before)}`]),
        `+ ${name} ${oneLine(view.after)}${origin}`,
      ];
  }
}

function longBlock({ path, origin }: Difference, { hunks, notes, hidden }: LineDiff): string {
  const lines = hunks.flatMap((hunk) => [
    ...(hunks.length > 1 ? [`@@ line ${firstLineOf(hunk)} @@`] : []),
    ...signedLines(hunk).map(
      ({ sign, parts }) =>
        `${sign} ${oneLine(parts.map(({ text }) => text.replaceAll('\t', '    ')).join(''))}`,
    ),
  ]);
  const allNotes = [...notes, ...(hidden > 0 ? [`${pluralize(hidden, 'line')} more`] : [])];
  const words = origin === null ? '' : `, ${originWords[origin]}`;
  const heading = `${codeSpan(pathWords(path))}${words}${allNotes.length > 0 ? ` (${escapeMarkdown(allNotes.join('; '))})` : ''}:`;
  return lines.length === 0 ? heading : `${heading}\n\n${codeBlock(lines.join('\n'), 'diff')}`;
}

/** The result of an apply as a comment, with the plan's digest at the end. */
export function resultMarkdown(result: Result): string {
  const head = [
    `### tenantctl apply: ${escapeMarkdown(result.environment)}`,
    codeSpan(tenantWords(result.tenant)),
    `**${runWords[result.outcome]}:** ${resultCounts(result.summary)}.`,
    (result.diagnostics ?? []).map(diagnosticItem).join('').trimEnd(),
  ];
  const foot = `\nDigest: ${codeSpan(result.planDigest)}\n`;
  return fitComment(`${joinParts(head, '\n\n')}\n\n`, result.changes.map(resultSection), foot);
}

function resultSection(change: ChangeResult): Section {
  const { action, address, outcome, error, warnings, requests } = change;
  const code = escapeHtml(oneLine(address));
  const title = `${outcomeSigns[outcome]} ${outcomeWords[outcome]} <code>${symbols[action]}</code> <code>${code}</code>`;
  const body = joinParts(
    [
      error !== null && codeBlock(error, ''),
      ...warnings.map((warning) => `> ⚠️ ${escapeMarkdown(warning)}`),
      requests.map((request) => `- ${codeSpan(sentWords(request))}`).join('\n'),
    ],
    '\n\n',
  );
  const isFailure = outcome === 'failed' || outcome === 'unknown';
  const section = sectionOf(title, body, isFailure ? ' open' : '');
  return body === '' ? { ...section, whole: section.brief } : section;
}

/** Problems with their excerpts as a list, within the length of a comment. */
export function diagnosticsMarkdown(diagnostics: readonly Diagnostic[]): string {
  const sections = diagnostics.map((diagnostic) => ({
    whole: `${diagnosticItem(diagnostic)}${excerptBlock(diagnostic)}`,
    brief: diagnosticItem(diagnostic),
  }));
  return fitComment('### tenantctl validate\n\n', sections, `\n**${diagnosticCounts(diagnostics)}**\n`);
}

/** One problem as an item of a list. */
function diagnosticItem(diagnostic: Diagnostic): string {
  const { severity, code, message, hint } = diagnostic;
  const where = whereOf(diagnostic);
  const parts = [
    `${severitySigns[severity]} **${severity}**`,
    ...(where === undefined ? [] : [codeSpan(where)]),
    escapeMarkdown(message),
    codeSpan(code),
    ...(hint === undefined ? [] : [`_hint:_ ${escapeMarkdown(hint)}`]),
  ];
  return `- ${parts.join(' ')}\n`;
}

function excerptBlock({ excerpt: text }: Diagnostic): string {
  if (text === undefined) return '';
  const block = codeBlock(text.replace(/\n+$/, ''), '');
  return `\n${block.replace(/^/gm, '  ')}\n\n`;
}
