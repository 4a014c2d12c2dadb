import type { ChangeOutcome, ChangeResult, Result } from '../../model/result.ts';
import { codeBlock, codeSpan, escapeHtml, escapeMarkdown, oneLine } from '../safe.ts';
import { outcomeWords, resultCounts, runWords, sentWords, symbols, tenantWords } from '../words.ts';
import { diagnosticItem } from './diagnostics.ts';
import { fitComment, type Section } from './fit.ts';

const signs = {
  done: '✅',
  failed: '❌',
  skipped: '⏭️',
  notAttempted: '⬜',
  unknown: '❓',
} as const satisfies Record<ChangeOutcome, string>;

/** What an apply did, as a comment; the plan's digest at the very end. */
export function resultMarkdown(result: Result): string {
  const head = [
    `### tenantctl apply: ${escapeMarkdown(result.environment)}`,
    codeSpan(tenantWords(result.tenant)),
    `**${runWords[result.outcome]}:** ${resultCounts(result.summary)}.`,
    (result.diagnostics ?? []).map(diagnosticItem).join('').trimEnd(),
  ];
  const text = head.filter((part) => part !== '').join('\n\n');
  return fitComment(
    `${text}\n\n`,
    result.changes.map(changeSection),
    `\nDigest: ${codeSpan(result.planDigest)}\n`,
  );
}

function changeSection(change: ChangeResult): Section {
  const { action, address, outcome, error, warnings, requests } = change;
  const code = escapeHtml(oneLine(address));
  const title = `${signs[outcome]} ${outcomeWords[outcome]} <code>${symbols[action]}</code> <code>${code}</code>`;
  const brief = `<p>${title}</p>\n\n`;
  const body = [
    ...(error === null ? [] : [codeBlock(error, '')]),
    ...warnings.map((warning) => `> ⚠️ ${escapeMarkdown(warning)}`),
    ...(requests.length === 0
      ? []
      : [requests.map((request) => `- ${codeSpan(sentWords(request))}`).join('\n')]),
  ];
  if (body.length === 0) return { whole: brief, brief };
  const open = outcome === 'failed' || outcome === 'unknown' ? ' open' : '';
  const whole = `<details${open}><summary>${title}</summary>\n\n${body.join('\n\n')}\n\n</details>\n\n`;
  return { whole, brief };
}
