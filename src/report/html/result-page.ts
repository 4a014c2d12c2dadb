import { groupBy } from '../../model/basics.ts';
import type { JsonObject } from '../../model/json.ts';
import { type ChangeResult, isByHand, mayHaveFailed, type Result } from '../../model/result.ts';
import { valueText } from '../difference.ts';
import { diffLines, textsOfBlock } from '../line-diff.ts';
import {
  changeOutcomeWords,
  elapsedWords,
  outcomeCounts,
  resultCounts,
  runWords,
  sentWords,
} from '../result-words.ts';
import { kindOf, pluralize, symbols, tenantWords } from '../words.ts';
import { diffFigure, maxLines } from './diff-markup.ts';
import { addressMarkup, type Entry } from './entries.ts';
import { html } from './markup.ts';
import { notices, pageHtml } from './page.ts';
import { warningPill } from './plan-page.ts';

/** The result of an apply as one self-contained page. What failed is expanded. */
export function resultHtml(result: Result): string {
  return pageHtml({
    eyebrow: 'Result',
    title: result.environment,
    subtitle: tenantWords(result.tenant),
    alarm: result.outcome === 'done' ? null : `${runWords[result.outcome]}: ${resultCounts(result)}.`,
    empty: 'There was nothing to do.',
    tiles: outcomeCounts([result]),
    problems: [['', result.diagnostics ?? []]],
    named: 'kind',
    groups: groupBy(result.changes, kindOf).map(([name, group]) => ({
      title: name,
      words: pluralize(group.length, 'change'),
      names: [name],
      entries: group.map(resultEntry),
    })),
    facts: [
      ['Plan digest', result.planDigest],
      ['Started', result.startedAt],
      ['Took', elapsedWords(result)],
    ],
    digest: result.startedAt + result.planDigest,
  });
}

/** What became of one change as an expandable entry of a page. */
export function resultEntry(change: ChangeResult): Entry {
  const { outcome, action, address, error, warnings, before, after, requests } = change;
  const category = isByHand(change) ? 'manual' : outcome;
  const isFailure = mayHaveFailed(change);
  const textOfWrite = (fields: JsonObject | null) =>
    outcome === 'done' && fields !== null ? valueText(fields) : null;
  const diff = diffLines(textOfWrite(before), textOfWrite(after), maxLines);
  const summary = html`<span class="badge ${category}">${changeOutcomeWords(change)}</span>
<b class="symbol">${symbols[action]}</b> ${addressMarkup(address)} ${warningPill(change)}`;
  const said = [
    ...(error === null ? [] : [html`<li class="${isFailure ? 'danger' : 'warning'}">${error}</li>`]),
    ...warnings.map((warning) => html`<li class="warning">${warning}</li>`),
  ];
  const body = html`${notices(said)}
${diff.hunks.length === 0 ? '' : diffFigure('Fields', diff)}
${requests.map((request) => html`<p class="request"><code>${sentWords(request)}</code></p>`)}`;
  const texts = [error ?? '', ...warnings, ...diff.hunks.flat().flatMap(textsOfBlock)];
  return {
    id: address,
    address,
    categories: [category],
    isOpen: isFailure,
    summary,
    body,
    text: texts.join('\n'),
    same: [],
  };
}
