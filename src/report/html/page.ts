import { createHash } from 'node:crypto';
import { script, style } from '../../generated/report-page.ts';
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts';
import { oneLine } from '../safe.ts';
import { whereOf } from '../words.ts';
import { html, Markup } from './markup.ts';

/** One entry of the page's list: it can be filtered and expanded. */
export interface Entry {
  /** The action or the outcome, by which the tiles filter. */
  readonly category: string;
  readonly isOpen: boolean;
  readonly summary: Markup;
  readonly body: Markup;
}

/** What a page shows. */
interface Page {
  readonly eyebrow: string;
  readonly title: string;
  readonly subtitle: string;
  /** Shown large and red: why nothing will happen, or what went wrong. */
  readonly alarm: string | null;
  /** Shown where there is nothing to list. */
  readonly empty: string;
  readonly tiles: readonly {
    /** The category of the entries that it filters; `null` for a count without entries. */
    readonly category: string | null;
    readonly count: number;
    readonly words: string;
  }[];
  readonly diagnostics: readonly Diagnostic[];
  /** The entries by kind. */
  readonly groups: readonly {
    readonly name: string;
    readonly words: string;
    readonly entries: readonly Entry[];
  }[];
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Whether frames with foreign styles are among the entries. */
  readonly hasFrames: boolean;
}

/** A whole page in one file. It needs no network, and its policy lets only its own script run. */
export function pageHtml(page: Page): string {
  const total = page.groups.reduce((sum, { entries }) => sum + entries.length, 0);
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(page.hasFrames)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${page.eyebrow}: ${page.title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#entries">Skip to the list</a>
<header class="top">
<div><p class="eyebrow">${page.eyebrow}</p><h1>${page.title}</h1><p class="subtitle">${page.subtitle}</p></div>
<button type="button" class="js" id="theme" aria-pressed="false">Dark</button>
</header>
<main>
${page.alarm === null ? '' : html`<p class="alarm"><strong>${page.alarm}</strong></p>`}
<ul class="tiles" aria-label="Summary">${page.tiles.map(tileMarkup)}</ul>
${diagnosticsMarkup(page.diagnostics)}
${
  total === 0
    ? html`<p class="empty">${page.empty}</p>`
    : html`${toolbar(page, total)}
<div id="entries" tabindex="-1">${page.groups.map(groupMarkup)}</div>
<p class="empty" id="nothing" hidden>Nothing matches the filter.</p>`
}
</main>
<footer><dl class="meta">${page.facts.map(([name, value]) => html`<div><dt>${name}</dt><dd><code>${value}</code></dd></div>`)}</dl></footer>
<script>${new Markup(script)}</script>
</body>
</html>`}\n`;
}

/** Frames inherit the page's policy, so where there are frames it has to allow inline styles. */
function policy(hasFrames: boolean): string {
  const styles = hasFrames ? "'unsafe-inline'" : hashOf(style);
  return `default-src 'none'; script-src ${hashOf(script)}; style-src ${styles}; img-src data:; base-uri 'none'; form-action 'none'`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function tileMarkup({ category, count, words }: Page['tiles'][number]): Markup {
  const content = html`<b>${count}</b> <span>${words}</span>`;
  if (category === null || count === 0)
    return html`<li><div class="tile ${category ?? ''}">${content}</div></li>`;
  return html`<li><button type="button" class="tile ${category}" data-filter="${category}" aria-pressed="false">${content}</button></li>`;
}

function toolbar({ groups }: Page, total: number): Markup {
  return html`<div role="search" class="toolbar js">
<label class="grow"><span class="hidden">Filter by text</span><input type="search" id="text" placeholder="Filter by address, file or content" autocomplete="off" spellcheck="false"></label>
<label><span class="hidden">Filter by kind</span><select id="group"><option value="">All kinds</option>${groups.map(({ name, entries }) => html`<option value="${name}">${name} (${entries.length})</option>`)}</select></label>
<div class="switch views" role="group" aria-label="Differences"><button type="button" data-view="unified" aria-pressed="true">Unified</button><button type="button" data-view="split" aria-pressed="false">Side by side</button></div>
<div class="switch" role="group" aria-label="Entries"><button type="button" id="expand">Expand all</button><button type="button" id="collapse">Collapse all</button></div>
<p id="count" role="status">${total} of ${total}</p>
</div>`;
}

function groupMarkup({ name, words, entries }: Page['groups'][number], index: number): Markup {
  return html`<section class="group" aria-labelledby="g${index}"><h2 id="g${index}">${name} <small>${words}</small></h2>
${entries.map((entry) => entryMarkup(entry, name))}</section>`;
}

function diagnosticsMarkup(diagnostics: readonly Diagnostic[]): Markup {
  if (diagnostics.length === 0) return html``;
  return html`<section aria-labelledby="problems"><h2 id="problems">${hasErrors(diagnostics) ? 'Problems' : 'Remarks'}</h2><ul class="notices">${diagnostics.map(diagnosticMarkup)}</ul></section>`;
}

function diagnosticMarkup(diagnostic: Diagnostic): Markup {
  const { severity, code, message, excerpt, hint } = diagnostic;
  const where = whereOf(diagnostic);
  const kind = severity === 'error' ? 'danger' : severity;
  return html`<li class="${kind}"><strong>${severity}</strong> ${where === undefined ? '' : html`<code>${where}</code> `}${message} <code class="slug">${code}</code>
${excerpt === undefined ? '' : html`<pre>${excerpt}</pre>`}${hint === undefined ? '' : html`<p><em>Hint:</em> ${hint}</p>`}</li>`;
}

function entryMarkup({ category, isOpen, summary, body }: Entry, group: string): Markup {
  const open = isOpen ? html` open` : '';
  return html`<details class="entry" data-group="${group}" data-category="${category}"${open}><summary>${summary}</summary><div class="body">${body}</div></details>
`;
}

/** An address whose kind is less prominent than its key. */
export function addressMarkup(address: string): Markup {
  const [kind = '', ...key] = oneLine(address).split('/');
  return html`<code class="address"><span>${kind}/</span>${key.join('/')}</code>`;
}
