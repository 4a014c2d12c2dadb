import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import { type ChangeOutcome, type ChangeResult, mayHaveFailed, type Result } from '../model/result.ts';
import { fitComment, type Section } from './fit-comment.ts';
import { foldRemarks } from './remarks.ts';
import { changeOutcomeWords, nextSteps, resultCounts, runWords, sentWords } from './result-words.ts';
import { codeBlock, codeSpan, escapeHtml, escapeMarkdown, oneLine } from './safe.ts';
import { type Count, diagnosticCounts, joinParts, kindOf, symbols, tenantWords, whereOf } from './words.ts';

const severitySigns: Readonly<Record<Severity, string>> = { error: '❌', warning: '⚠️', info: 'ℹ️' };
/** Errors are the last to be cut, also among the changes of a plan. */
const severityRanks: Readonly<Record<Severity, number>> = { error: -1, warning: 100, info: 101 };

const outcomeSigns: Readonly<Record<ChangeOutcome, string>> = {
  done: '✅',
  failed: '❌',
  skipped: '⏭️',
  notAttempted: '⬜',
  unknown: '❓',
};

/** How to see what a comment has no room for. */
export const showAll =
  'See all of it in the HTML report among the artifacts, or with `tenantctl show FILE` of the saved plan or result.';

/** The result of an apply as a comment, with the plan's digest at the end. */
export function resultMarkdown(result: Result): string {
  const head = [
    `### tenantctl apply: ${escapeMarkdown(result.environment)}`,
    codeSpan(tenantWords(result.tenant)),
    `**${runWords[result.outcome]}:** ${resultCounts(result)}.`,
    nextSteps([result]).join('\\\n'),
  ];
  const remarks = remarkSections(result.diagnostics ?? []);
  const foot = `\nDigest: ${codeSpan(result.planDigest)}\n`;
  const groups = [
    { heading: '', sections: remarks },
    // An empty line ends the list above.
    { heading: remarks.length === 0 ? '' : '\n', sections: result.changes.map(resultSection) },
  ];
  return fitComment(`${joinParts(head, '\n\n')}\n\n`, groups, { foot, advice: showAll });
}

/** One change of a run, open where it failed. */
export function resultSection(change: ChangeResult): Section {
  const { action, address, outcome, error, warnings, requests } = change;
  const code = escapeHtml(oneLine(address));
  const title = `${outcomeSigns[outcome]} ${changeOutcomeWords(change)} <code>${symbols[action]}</code> <code>${code}</code>`;
  const body = joinParts(
    [
      error !== null && codeBlock(error, ''),
      ...warnings.map((warning) => `> ⚠️ ${escapeMarkdown(warning)}`),
      requests.map((request) => `- ${codeSpan(sentWords(request))}`).join('\n'),
    ],
    '\n\n',
  );
  const isFailure = mayHaveFailed(change);
  const section = foldedSection(title, body, isFailure ? ' open' : '');
  const label = `${escapeMarkdown(kindOf(change))}, ${changeOutcomeWords(change)}`;
  return { ...section, rank: isFailure ? 0 : 1, label, ...(body === '' && { whole: section.brief }) };
}

/**
 * A title and what is expanded below it.
 *
 * @param attributes of the element that holds the body
 */
export function foldedSection(
  title: string,
  body: string,
  attributes = '',
): Pick<Section, 'whole' | 'brief'> {
  return {
    whole: `<details${attributes}><summary>${title}</summary>\n\n${body}\n\n</details>\n\n`,
    brief: `<p>${title}</p>\n\n`,
  };
}

/** Numbers in one row below what they count. */
export function countTable(counts: readonly Pick<Count, 'count' | 'words'>[]): string {
  return table([
    counts.map(({ words }) => words),
    counts.map(() => ':-:'),
    counts.map(({ count }) => countCell(count)),
  ]);
}

/** Rows of cells as a table. The second row says how the columns are aligned. */
export function table(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A number in a table. Zeros are the least of interest. */
export function countCell(count: number): string {
  return count > 0 ? `**${count}**` : '0';
}

/** A list of the first items, and how many others there are. */
export function bulletList(items: readonly string[], most: number): string {
  const rest = items.length - most;
  const shown = items.slice(0, most).map((item) => `- ${item}`);
  return [...shown, ...(rest > 0 ? [`- … and ${rest} more`] : [])].join('\n');
}

/** Problems with their excerpts as a list, within the length of a comment. */
export function diagnosticsMarkdown(diagnostics: readonly Diagnostic[]): string {
  const sections = diagnostics.map(problemSection);
  return fitComment('### tenantctl validate\n\n', [{ heading: '', sections }], {
    foot: `\n**${diagnosticCounts(diagnostics)}**\n`,
    advice: '`tenantctl validate` shows all of them.',
  });
}

/** One problem with its excerpt as an item of a list. */
export function problemSection(diagnostic: Diagnostic): Section {
  const item = diagnosticItem(diagnostic);
  return {
    whole: `${item}${excerptBlock(diagnostic)}`,
    brief: item,
    rank: severityRanks[diagnostic.severity],
    label: `${diagnostic.severity} ${codeSpan(diagnostic.code)}`,
  };
}

/** Problems without their excerpts as items of a list, in which remarks that are alike are folded. */
function remarkSections(diagnostics: readonly Diagnostic[]): Section[] {
  return foldRemarks(diagnostics, {}).map(({ diagnostic, more }) => {
    const { brief, ...section } = problemSection(diagnostic);
    const item = more === null ? brief : `${brief.trimEnd()} ${escapeMarkdown(more)}\n`;
    return { ...section, whole: item, brief: item };
  });
}

/** One problem as an item of a list. */
export function diagnosticItem(diagnostic: Diagnostic): string {
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
