import type { Diagnostic, Severity } from '../../model/diagnostic.ts';
import { codeBlock, codeSpan, escapeMarkdown } from '../safe.ts';
import { diagnosticCounts, place } from '../words.ts';
import { fitComment } from './fit.ts';

const signs = { error: '❌', warning: '⚠️', info: 'ℹ️' } as const satisfies Record<Severity, string>;

/** Problems as a list with excerpts, within the length of a comment. */
export function diagnosticsMarkdown(diagnostics: readonly Diagnostic[]): string {
  const sections = diagnostics.map((diagnostic) => ({
    whole: `${diagnosticItem(diagnostic)}${excerpt(diagnostic)}`,
    brief: diagnosticItem(diagnostic),
  }));
  return fitComment('### tenantctl validate\n\n', sections, `\n**${diagnosticCounts(diagnostics)}**\n`);
}

/** One problem as an item of a list. */
export function diagnosticItem({ severity, code, message, source, hint, address }: Diagnostic): string {
  const where = source ? place(source) : address;
  const parts = [
    `${signs[severity]} **${severity}**`,
    ...(where === undefined ? [] : [codeSpan(where)]),
    escapeMarkdown(message),
    codeSpan(code),
    ...(hint === undefined ? [] : [`_hint:_ ${escapeMarkdown(hint)}`]),
  ];
  return `- ${parts.join(' ')}\n`;
}

function excerpt({ excerpt: text }: Diagnostic): string {
  if (text === undefined) return '';
  const block = codeBlock(text.replace(/\n+$/, ''), '');
  return `\n${block.replace(/^/gm, '  ')}\n\n`;
}
