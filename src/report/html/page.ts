import { createHash } from 'node:crypto';
import { script, style } from '../../generated/report-page.ts';
import { groupBy } from '../../model/basics.ts';
import { type Diagnostic, hasErrors, type Versions } from '../../model/diagnostic.ts';
import type { Change } from '../../model/plan.ts';
import { firstOf, type Point, pointWords } from '../attention.ts';
import { diffLines } from '../line-diff.ts';
import { oneLine } from '../safe.ts';
import { type Count, pluralize, whereOf } from '../words.ts';
import { diffFigure, maxLines } from './diff-markup.ts';
import { addressMarkup, type Entry, type EntryGroup, entriesOf, groupsMarkup, permalink } from './entries.ts';
import { html, Markup } from './markup.ts';

/** What a page shows. */
interface Page {
  readonly eyebrow: string;
  readonly title: string;
  readonly subtitle: string;
  /** Shown large and red: why nothing will happen, or what went wrong. */
  readonly alarm: string | null;
  /** Shown where there is nothing to list. */
  readonly empty: string;
  /** Each filters the entries of its category. */
  readonly tiles: readonly Count[];
  /** What to read before anything else. */
  readonly points?: readonly PagePoint[];
  /** What comes before the list, such as a table. */
  readonly lead?: Markup;
  /** Shown one by one, below the names that they are about. */
  readonly problems?: readonly NamedProblems[];
  /** Folded, by what they have in common. */
  readonly remarks?: readonly NamedProblems[];
  readonly groups: readonly EntryGroup[];
  /** What the names of the groups are: `kind`, `environment`. */
  readonly named: string;
  /** Objects without an entry, such as those that no manifest names, folded; `null`: none. */
  readonly others?: OtherObjects | null;
  /** What to copy to apply what the page shows; `null` where that cannot be applied. */
  readonly command?: string | null;
  /** What the marks of a reader are kept for. */
  readonly digest: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Whether frames with foreign styles are among the entries. */
  readonly hasFrames?: boolean;
}

type NamedProblems = readonly [name: string, problems: readonly Diagnostic[]];

interface OtherObjects {
  readonly title: string;
  readonly words: string;
  readonly objects: readonly { readonly address: string; readonly note: string }[];
}

/** What a page says first, with links to the first entries that it is about. */
interface PagePoint {
  readonly concern: Point['concern'];
  readonly words: string;
  readonly links: readonly Pick<Entry, 'id' | 'address'>[];
  /** How many entries have no link. */
  readonly more: number;
}

/** Up to this many entries, all are expanded at first. */
export const maxOpen = 8;
/** So many different problems are shown at once. */
const maxNamed = 10;

/** A point of a plan as its page says it. */
export function pagePoint(point: Point, idOf: (change: Change) => string): PagePoint {
  const { first, more } = firstOf(point);
  const links = first.map((change) => ({ id: idOf(change), address: change.address }));
  return { concern: point.concern, words: pointWords(point), links, more };
}

/** A whole page in one file. It needs no network, and its policy lets only its own script run. */
export function pageHtml(page: Page): string {
  const { points = [], lead = html``, others = null, command = null, hasFrames = false } = page;
  const total = entriesOf(page.groups).length;
  return `${html`<!doctype html>
<html lang="en" data-digest="${page.digest}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(hasFrames)}">
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
${pointsMarkup(points)}
<ul class="tiles" aria-label="Summary">${page.tiles.map(tileMarkup)}</ul>
${lead}
${problemsMarkup(page)}
${
  total === 0
    ? html`<p class="empty">${page.empty}</p>`
    : html`${toolbar(page, total)}
${groupsMarkup(page.groups)}
<p class="empty" id="nothing" hidden>Nothing matches the filter.</p>`
}
${othersMarkup(others)}
</main>
<footer>${commandMarkup(command)}<dl class="meta">${page.facts.map(([name, value]) => html`<div><dt>${name}</dt><dd><code>${value}</code>${/digest$/i.test(name) ? copyButton(value, 'digest') : ''}</dd></div>`)}</dl></footer>
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

function tileMarkup({ is: category, count, words }: Count): Markup {
  const content = html`<b>${count}</b> <span>${words}</span>`;
  if (category === null || count === 0)
    return html`<li><div class="tile ${category ?? ''}">${content}</div></li>`;
  return html`<li><button type="button" class="tile ${category}" data-filter="${category}" aria-pressed="false">${content}</button></li>`;
}

function toolbar({ groups, named }: Page, total: number): Markup {
  const names = groups.flatMap((group) => group.names.map((name) => ({ name, count: group.entries.length })));
  const choices = groupBy(names, ({ name }) => name).map(([name, all]) => {
    const count = all.reduce((sum, each) => sum + each.count, 0);
    return html`<option value="${name}">${name} (${count})</option>`;
  });
  return html`<div role="search" class="toolbar js">
<label class="grow"><span class="hidden">Filter by text</span><input type="search" id="text" placeholder="Filter by address, field or text" autocomplete="off" spellcheck="false"></label>
<label><span class="hidden">Filter by ${named}</span><select id="group"><option value="">All ${named}s</option>${choices}</select></label>
<div class="switch views" role="group" aria-label="Differences"><button type="button" data-view="unified" aria-pressed="true">Unified</button><button type="button" data-view="split" aria-pressed="false">Side by side</button></div>
<div class="switch" role="group" aria-label="Entries"><button type="button" id="expand">Expand all</button><button type="button" id="collapse">Collapse all</button></div>
<p id="reviewed" hidden></p><p id="count" role="status">${total} of ${total}</p>
</div>`;
}

/** What to read first: a filter for each point, and links to its first changes. */
function pointsMarkup(points: readonly PagePoint[]): Markup {
  if (points.length === 0) return html``;
  return html`<section class="first" aria-labelledby="first"><h2 id="first">Read this first</h2><ul>${points.map(pointMarkup)}</ul></section>`;
}

function pointMarkup({ concern, words, links, more }: PagePoint): Markup {
  const first = links.map(
    ({ id, address }) => html`<li><a href="${permalink(id)}">${addressMarkup(address)}</a></li>`,
  );
  return html`<li class="${concern}"><button type="button" data-filter="${concern}" aria-pressed="false">${words}</button><ul>${first}${more > 0 ? html`<li>and ${more} more</li>` : ''}</ul></li>`;
}

function othersMarkup(others: OtherObjects | null): Markup {
  if (others === null) return html``;
  const { title, words, objects } = others;
  return html`<details class="others"><summary><h2>${title}</h2> ${words}</summary><ul>${objects.map(({ address, note }) => html`<li>${addressMarkup(address)}${note === '' ? '' : html` ${note}`}</li>`)}</ul></details>`;
}

function problemsMarkup({ problems: named = [], remarks = [] }: Page): Markup {
  const problems = named.filter(([, list]) => list.length > 0);
  const all = [...problems, ...remarks].flatMap(([, group]) => group);
  if (all.length === 0) return html``;
  return html`<section class="problems" aria-labelledby="problems"><h2 id="problems">${hasErrors(all) ? 'Problems' : 'Remarks'}</h2>
${problems.slice(0, maxNamed).map(namedProblems)}${moreProblems(problems.slice(maxNamed))}${remarks.map(remarksMarkup)}</section>`;
}

/** Where environments differ in what is wrong, the first problems are shown; the others are folded. */
function moreProblems(problems: readonly NamedProblems[]): Markup {
  if (problems.length === 0) return html``;
  return html`<details class="remarks"><summary>More problems</summary>${problems.map(namedProblems)}</details>`;
}

function namedProblems([name, problems]: NamedProblems): Markup {
  const heading = name === '' ? '' : html`<h3>${name}</h3>`;
  return html`${heading}${notices(problems.map(diagnosticMarkup))}`;
}

function remarksMarkup([name, remarks]: NamedProblems): Markup {
  return html`<details class="remarks"><summary>${pluralize(remarks.length, 'remark')} <code>${name}</code></summary>${notices(remarks.map(diagnosticMarkup))}</details>`;
}

function commandMarkup(command: string | null): Markup {
  if (command === null) return html``;
  return html`<p class="command">To apply exactly this plan, once it is approved: <code>${command}</code>${copyButton(command, 'command')}</p>`;
}

function copyButton(text: string, name: string): Markup {
  return html` <button type="button" class="copy js" data-copy="${text}" aria-label="Copy the ${name}">Copy</button>`;
}

/** What a reader should notice, as a list; nothing where there is nothing. */
export function notices(items: readonly Markup[]): Markup {
  return items.length === 0 ? html`` : html`<ul class="notices">${items}</ul>`;
}

/** One problem as an item of a list. */
export function diagnosticMarkup(diagnostic: Diagnostic): Markup {
  const { severity, code, message, excerpt, hint, versions = [] } = diagnostic;
  const where = whereOf(diagnostic);
  const kind = severity === 'error' ? 'danger' : severity;
  return html`<li class="${kind}"><strong>${severity}</strong> ${where === undefined ? '' : html`<code>${where}</code> `}${message} <code class="slug">${code}</code>
${excerpt === undefined ? '' : html`<pre>${excerpt}</pre>`}${hint === undefined ? '' : html`<p><em>Hint:</em> ${hint}</p>`}${versionsMarkup(versions)}</li>`;
}

/** The declared texts beside those of the vendor, and what the vendor has changed where that is known. */
function versionsMarkup(versions: readonly Versions[]): Markup {
  if (versions.length === 0) return html``;
  const figure = (name: string, before: string | null, after: string | null) =>
    diffFigure(html`<code>${oneLine(name)}</code>`, diffLines(before, after, maxLines));
  const moved = versions.flatMap(({ name, old, theirs }) =>
    old === undefined || old === theirs ? [] : [figure(name, old, theirs)],
  );
  const isKnown = versions.every(({ old }) => old !== undefined);
  const vendor = isKnown
    ? html`<p><span class="old">−</span> the vendor's old default, <span class="new">+</span> the vendor's new default:</p>${moved.length === 0 ? html`<p>The same in these fields.</p>` : moved}`
    : html`<p>The vendor's old default is not known: the manifest holds only its digest, and git has no manifest with its text.</p>`;
  return html`<details class="versions"><summary>Compare with the vendor's new default</summary>${vendor}<p><span class="old">−</span> as declared, <span class="new">+</span> the vendor's new default:</p>${versions.map(({ name, ours, theirs }) => figure(name, ours, theirs))}</details>`;
}
