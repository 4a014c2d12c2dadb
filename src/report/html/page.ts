import { createHash } from 'node:crypto';
import { script, style } from '../../generated/report-page.ts';
import { groupBy } from '../../model/basics.ts';
import { hasErrors } from '../../model/failure.ts';
import { timeWords } from '../../model/words.ts';
import { type Group, linesOf, type Page, type ReportOptions, reviewOf } from '../page.ts';
import { oneLine } from '../safe.ts';
import { type Count, joinParts, namesInBrief, pluralize } from '../words.ts';
import {
  addressMarkup,
  diagnosticsMarkup,
  groupsMarkup,
  namesMarkup,
  notices,
  permalink,
} from './entries.ts';
import { html, Markup, withCode } from './markup.ts';

/** A whole page in one file. It needs no network, and its policy lets only its own script run. */
export function writeHtml(page: Page, options: ReportOptions): string {
  const { groups, loose } = reviewOf(page);
  const entries = groups.flatMap((group) => group.entries);
  const total = entries.length;
  const hasFrames = entries.some(({ rendered }) => rendered !== null);
  const eyebrow = page.note ?? `tenantctl ${page.command}`;
  const sides = page.sides.map(({ name, tenant }) => tenant !== '' && `${name}: ${tenant}`);
  // The digest at the foot of each printed page. An invalid one comes from a forged file.
  const pages = /^[\w:]+$/.test(page.digest ?? '')
    ? `@page { @bottom-left { content: "${page.digest}" } }`
    : '';
  // Frames inherit the page's policy, so if there are frames it has to allow inline styles.
  const styles = hasFrames ? "'unsafe-inline'" : `${hashOf(style)} ${hashOf(pages)}`;
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${styles}; img-src data:; base-uri 'none'; form-action 'none'`;
  // The digest is at both ends, so that it is on each end of what is printed.
  const footer = page.facts.filter(({ is }) => is === 'footer' || is === 'copied');
  const command =
    page.applyWith === null
      ? ''
      : html`<p class="command">To apply exactly this plan, once it is approved: <code>${page.applyWith}</code>${copyButton(page.applyWith, 'command')}</p>`;
  return `${html`<!doctype html>
<html lang="en" data-is="${page.is}" data-digest="${page.key}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${eyebrow}: ${page.name}</title>
<style>${new Markup(style)}</style><style>${new Markup(pages)}</style>
</head>
<body>
<a class="skip" href="#entries">Skip to the list</a>
<header class="top">
<div><p class="eyebrow">${eyebrow}</p><h1>${page.name}${page.is === 'result' ? html` <small>${page.label ?? ''}</small>` : ''}</h1><p class="subtitle">${joinParts([page.tenants, ...sides], ' · ')}</p><dl class="meta">${page.facts.filter(({ is }) => is !== 'footer').map(factMarkup)}</dl>${command}</div>
<button type="button" class="js" id="theme" aria-pressed="false">Dark</button>
</header>
<main>
${page.alarm === null ? '' : html`<p class="alarm"><strong>${page.alarm}</strong></p>`}
${pointsMarkup(page)}
<ul class="tiles" aria-label="Summary">${page.counts.map(tileMarkup)}</ul>
${page.matrix === null ? '' : matrixMarkup(page.matrix)}
${problemsMarkup(page, loose)}
${
  total === 0
    ? html`<p class="empty">${page.verdict?.words ?? 'Nothing to show.'}</p>`
    : html`${toolbar(groups, page, total)}
${groupsMarkup(groups, options)}
<p class="empty" id="nothing" hidden>Nothing matches the filter.</p>`
}
${othersMarkup(page)}
</main>
<footer><dl class="meta">${footer.map((each) => factMarkup({ ...each, is: 'footer' }))}</dl></footer>
<script>${new Markup(script)}</script>
</body>
</html>`}\n`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function tileMarkup({ is: category, count, words }: Count): Markup {
  const content = html`<b>${count}</b> <span>${words}</span>`;
  if (category === null || count === 0)
    return html`<li><div class="tile ${count === 0 ? 'zero' : ''}">${content}</div></li>`;
  return html`<li><button type="button" class="tile ${category}" data-filter="${category}" aria-pressed="false">${content}</button></li>`;
}

function toolbar(groups: readonly Group[], { named, applyWith }: Page, total: number): Markup {
  const names = groups.flatMap((group) => group.names.map((name) => ({ name, count: group.entries.length })));
  const choices = groupBy(names, ({ name }) => name).map(([name, all]) => {
    const count = all.reduce((sum, each) => sum + each.count, 0);
    return html`<option value="${name}">${name} (${count})</option>`;
  });
  return html`<div role="search" class="toolbar js">
<label class="grow"><span class="hidden">Filter by text</span><input type="search" id="text" placeholder="Filter by any text" autocomplete="off" spellcheck="false"></label>
<label><span class="hidden">Filter by ${named}</span><select id="group"><option value="">All ${named}s</option>${choices}</select></label>
<div class="switch views" role="group" aria-label="Differences"><button type="button" data-view="unified" aria-pressed="true">Unified</button><button type="button" data-view="split" aria-pressed="false">Side by side</button></div>
<div class="switch" role="group" aria-label="Entries"><button type="button" id="expand">Expand all</button><button type="button" id="collapse">Collapse all</button></div>
<div class="progress">${applyWith === null ? '' : html`<button type="button" data-copy="${applyWith}">Copy apply</button>`}<button type="button" id="help" aria-label="Keys">?</button>
<p id="reviewed"></p><p id="count" role="status">${total} of ${total}</p></div>
</div>
<dialog id="keys" aria-label="Keys"><dl>${keys.map(([key, words]) => html`<dt><kbd>${key}</kbd></dt><dd>${words}</dd>`)}</dl><form method="dialog"><button>Close</button></form></dialog>`;
}

const keys = [
  ['j', 'next change'],
  ['k', 'previous change'],
  ['Enter', 'open or close it'],
  ['x', 'tick it off, and go to the next'],
  ['n', 'next passage that changed in a rendered message'],
  ['p', 'previous passage'],
  ['/', 'filter by text'],
  ['?', 'these keys'],
] as const;

function matrixMarkup({ columns, rows }: NonNullable<Page['matrix']>): Markup {
  const body = rows.map(({ names, isFailed, counts, words }) => {
    const cells = counts
      ? counts.map((count) => html`<td>${count === 0 ? html`<span class="none">0</span>` : count}</td>`)
      : html`<td class="why" colspan="${columns.length}"><code>${words}</code></td>`;
    const state = counts && words !== '' ? html` <small>${words}</small>` : '';
    return html`<tr${isFailed ? html` class="failed"` : ''}><th scope="row">${isFailed ? '✖ ' : ''}${oneLine(namesInBrief(names))}${state}${names.length > 4 ? namesMarkup(names) : ''}</th>${cells}</tr>`;
  });
  return html`<div class="scroll matrix" tabindex="0" role="region" aria-label="Environments"><table><thead><tr><th scope="col">Environment</th>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${body}</tbody></table></div>`;
}

function pointsMarkup({ points, pointsTitle, steps }: Page): Markup {
  if (points.length + steps.length === 0) return html``;
  const items = points.map((point) => {
    const { lines, more } = linesOf(point);
    const rest = more === 0 ? '' : html`<li>and ${more} more</li>`;
    const list = lines.map(({ objects, more, consequence }) => {
      const links = objects.map(
        ({ entry, where }, at) =>
          html`${at === 0 ? '' : ', '}<a href="${permalink(entry.id)}">${addressMarkup(entry.address)}</a>${oneLine(where)}`,
      );
      return html`<li><span>${links}${more === 0 ? '' : ` and ${more} more`}</span> <span class="effect">${oneLine(consequence)}</span></li>`;
    });
    return html`<li class="${point.level}"><span class="level">${point.level}</span><button type="button" data-filter="${point.concern}" aria-pressed="false">${point.words}</button><ul>${list}${rest}</ul></li>`;
  });
  const list = points.length === 0 ? '' : html`<ul>${items}</ul>`;
  const next = steps.map((step) => html`<p>${withCode(step)}</p>`);
  return html`<section class="first" aria-labelledby="first"><h2 id="first">${pointsTitle}</h2>${list}${next}</section>`;
}

function factMarkup({ name, value, is, link }: Page['facts'][number]): Markup {
  const shown =
    is === 'time' ? html`<time datetime="${value}">${timeWords(value)}</time>` : html`<code>${value}</code>`;
  const linked = link ? html`<a href="${link}" rel="noreferrer">${shown}</a>` : shown;
  return html`<div class="${is}"><dt>${name}</dt><dd>${linked}${is === 'copied' ? copyButton(value, name.toLowerCase()) : ''}</dd></div>`;
}

function othersMarkup({ others }: Page): Markup {
  if (others === null) return html``;
  const { title, words, names } = others;
  const items = names.map(
    ({ address, note }) =>
      html`<li>${addressMarkup(address)}${note === '' ? '' : html` ${oneLine(note)}`}</li>`,
  );
  return html`<details class="others"><summary><h2>${title}</h2> ${words}</summary><ul>${items}</ul></details>`;
}

function problemsMarkup(page: Page, remarks: ReturnType<typeof reviewOf>['loose']): Markup {
  const problems = page.problems.filter(({ items }) => items.length > 0);
  const all = [...problems.flatMap(({ items }) => items), ...remarks.flatMap(([, items]) => items)];
  if (all.length === 0) return html``;
  const shown = problems.map(({ names, items }) => {
    const heading = names.length === 0 ? '' : html`<h3>${names.join(', ')}</h3>`;
    return html`${heading}${notices(diagnosticsMarkup(items))}`;
  });
  const folded = remarks.map(
    ([code, items]) =>
      html`<details class="remarks"><summary>${pluralize(items.length, 'remark')} <code>${code}</code></summary>${notices(diagnosticsMarkup(items))}</details>`,
  );
  return html`<section class="problems" aria-labelledby="problems"><h2 id="problems">${hasErrors(all) ? 'Problems' : 'Remarks'}</h2>
${shown}${folded}</section>`;
}

function copyButton(text: string, name: string): Markup {
  return html` <button type="button" class="copy js" data-copy="${text}" aria-label="Copy the ${name}">Copy</button>`;
}
