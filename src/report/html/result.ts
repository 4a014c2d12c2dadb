import { type ChangeResult, changeOutcomes, type Result } from '../../model/result.ts';
import { diffLines } from '../lines.ts';
import { valueText } from '../value.ts';
import {
  byKind,
  counted,
  duration,
  outcomeWords,
  resultCounts,
  runWords,
  sentWords,
  symbols,
  tenantWords,
} from '../words.ts';
import { addressMarkup, entry } from './entry.ts';
import { lineDiff } from './lines.ts';
import { html, type Markup } from './markup.ts';
import { shell } from './shell.ts';

const maxLines = 400;

/** What an apply did, as one self-contained page; what went wrong is expanded. */
export function resultHtml(result: Result): string {
  const changes = result.changes.map((change) => ({ ...change, kind: change.address.split('/')[0] ?? '' }));
  return shell({
    eyebrow: 'tenantctl apply',
    title: result.environment,
    subtitle: tenantWords(result.tenant),
    alarm: result.outcome === 'done' ? null : `${runWords[result.outcome]}: ${resultCounts(result.summary)}.`,
    empty: 'Nothing was to be done.',
    tiles: changeOutcomes.map((outcome) => ({
      category: outcome,
      count: result.summary[outcome],
      words: outcomeWords[outcome],
    })),
    diagnostics: result.diagnostics ?? [],
    groups: [...byKind(changes)].map(([name, group]) => ({
      name,
      words: counted(group.length, 'change'),
      entries: group.map((change) => resultEntry(name, change)),
    })),
    facts: [
      ['Plan digest', result.planDigest],
      ['Started', result.startedAt],
      ['Took', duration(Date.parse(result.endedAt) - Date.parse(result.startedAt))],
    ],
    hasFrames: false,
  });
}

function resultEntry(group: string, change: ChangeResult): Markup {
  const { outcome, action, address, error, warnings, before, after, requests } = change;
  const troubled = outcome === 'failed' || outcome === 'unknown';
  const written = outcome === 'done' ? [before, after] : [];
  const [old = null, fresh = null] = written.map((fields) => (fields === null ? null : valueText(fields)));
  const diff = diffLines(old, fresh, maxLines);
  const summary = html`<span class="badge ${outcome}">${outcomeWords[outcome]}</span>
<b class="symbol">${symbols[action]}</b> ${addressMarkup(address)}`;
  const notices = [
    ...(error === null ? [] : [html`<li class="${troubled ? 'danger' : 'warning'}">${error}</li>`]),
    ...warnings.map((warning) => html`<li class="warning">${warning}</li>`),
  ];
  const body = html`${notices.length === 0 ? '' : html`<ul class="notices">${notices}</ul>`}
${diff.hunks.length === 0 ? '' : html`<figure class="diff"><figcaption>Fields</figcaption>${lineDiff(diff)}</figure>`}
${requests.map((request) => html`<p class="request"><code>${sentWords(request)}</code></p>`)}`;
  return entry({ group, category: outcome, isOpen: troubled, summary, body });
}
