import { gzipSync } from 'node:zlib';
import type { Request } from '../../model/plan.ts';
import { familiesOf } from '../families.ts';
import { type LineDiff, textsOfBlock } from '../line-diff.ts';
import type { ReportOptions } from '../options.ts';
import { type Entry, type Group, type ImpactWords, type Notice, sourceLink } from '../page.ts';
import { oneLine, takeFirst } from '../safe.ts';
import { bodyText, type Field, fieldsInBrief, shortenFields, textOfParts } from '../values.ts';
import { familyWords, place, pluralize, readable, requestTarget, symbols } from '../words.ts';
import { diagnosticsMarkup, fieldsMarkup, maxLines, notices } from './fields.ts';
import { renderedMarkup } from './mail-markup.ts';
import { html, type Markup } from './markup.ts';

/** Up to this many entries, all are expanded at first. */
const maxOpen = 8;
/** Of the body of a request, so many characters are shown. */
const maxBody = 20_000;
/** So many fields are named where an entry is collapsed. */
const maxFields = 4;
const barWidth = 1000;
/** Bodies of more characters together are packed. Until then the page can be read without its script. */
const maxInline = 250_000;
/** Entries that are packed together. Similar ones make each other smaller. */
const packSize = 40;
/** Names that a heading has room for. */
const maxNames = 4;

interface ShownEntry {
  readonly entry: Entry;
  readonly isOpen: boolean;
  readonly summary: Markup;
  readonly body: Markup;
  /** Searched in addition to the title. */
  readonly text: string;
  /** The same in other objects. */
  readonly same: readonly ShownEntry[];
}

/**
 * The groups of a page. The bodies of a long list, and the titles in folds, are compressed at the end, and the page's script
 * makes them when they are needed: browsers would take seconds to build all of them.
 */
export function groupsMarkup(groups: readonly Group[], options: ReportOptions): Markup {
  const isFew = groups.flatMap(({ entries }) => entries).filter(({ isLine }) => !isLine).length <= maxOpen;
  const show = (entry: Entry, family: readonly Entry[], isMember: boolean): ShownEntry => ({
    entry,
    isOpen: !isMember && (entry.isLine ? entry.isFailure : isFew),
    summary: summaryMarkup(entry, isMember ? 1 : family.length),
    body: bodyMarkup(entry, options),
    text: searchedText(entry),
    same: isMember ? [] : family.slice(1).map((member) => show(member, family, true)),
  });
  const lists = groups.map(({ entries }) =>
    familiesOf(entries).map((family) => show(family[0], family, false)),
  );
  const all = lists.flat().flatMap((shown) => [shown, ...shown.same]);
  const isPacked = all.reduce((sum, { body }) => sum + body.toString().length, 0) > maxInline;
  const packs = isPacked
    ? html`${packsOf('texts', all, ({ text }) => text)}
${packsOf('markup', all, ({ body, summary }) => [body.toString(), summary.toString()])}`
    : '';
  // Before the list, since its end is far away.
  const note = isPacked
    ? html`<p class="alarm scriptless">This report is long, so its details need the script of this page. If the site that shows it does not allow scripts, download the file and open it.</p>`
    : '';
  return html`${note}<div id="entries" tabindex="-1">${groups.map((group, index) => groupMarkup(group, lists[index] ?? [], index, isPacked))}</div>
${packs}`;
}

/** Texts and markup are packed apart: the search needs less, and sooner, than the entries that are opened. */
function packsOf(
  name: string,
  entries: readonly ShownEntry[],
  packed: (entry: ShownEntry) => string | readonly string[],
): Markup[] {
  const packs: Markup[] = [];
  for (let at = 0; at < entries.length; at += packSize) {
    const items = entries.slice(at, at + packSize).map(packed);
    const pack = gzipSync(JSON.stringify(items)).toString('base64');
    packs.push(html`<template class="${name}" data-size="${packSize}">${pack}</template>`);
  }
  return packs;
}

function groupMarkup(
  { title, words, names }: Group,
  list: readonly ShownEntry[],
  index: number,
  isPacked: boolean,
): Markup {
  return html`<section class="group" aria-labelledby="g${index}" data-names="${JSON.stringify(names)}"><h2 id="g${index}">${title} <small>${words}</small> <small class="shown"></small></h2>
${names.length > maxNames ? namesMarkup(names) : ''}${list.map((shown) => shownMarkup(shown, isPacked))}</section>`;
}

/** All names, where a heading has no room for them. */
export function namesMarkup(names: readonly string[]): Markup {
  return html`<details class="names"><summary>All ${names.length}</summary><p>${names.map(oneLine).join(', ')}</p></details>`;
}

function shownMarkup({ entry, isOpen, summary, body, same }: ShownEntry, isPacked: boolean): Markup {
  const { id, address, category, concerns } = entry;
  const categories = new Set([category, ...concerns.map(({ concern }) => concern)]);
  const member = (one: ShownEntry) => shownMarkup(isPacked ? { ...one, summary: html`` } : one, isPacked);
  const members =
    same.length === 0
      ? ''
      : html`<details class="members"><summary>Show the others: ${familyWords(same.length)}</summary>${same.map(member)}</details>`;
  return html`<details class="entry" id="${anchorOf(id)}" data-address="${oneLine(address)}" data-categories="${[...categories].join(' ')}"${isOpen ? html` open` : ''}><summary>${summary}</summary><div class="body">${isPacked ? '' : body}</div>${members}</details>
`;
}

function summaryMarkup(entry: Entry, count: number): Markup {
  const { action, category, outcome, words, address, isLine, source, remarks } = entry;
  const sign = html`<b aria-hidden="true">${symbols[action]}</b>`;
  const badge = html`<span class="badge ${category}">${outcome === null ? sign : ''}${words.replace(/^to /, '')}</span>`;
  const same = count > 1 ? html`<span class="pill">${familyWords(count)}</span>` : '';
  // The badge says already that an object is deleted.
  const risks = entry.notices.filter(
    ({ is, label }) => (is === 'grave' || is === 'risk') && label !== 'DELETE',
  );
  const pills = risks.map(({ is, label }) => html`<span class="risk ${is}">${label ?? ''}</span>`);
  const warnings =
    entry.notices.filter(({ is }) => is === 'warning').length +
    remarks.filter(({ severity }) => severity === 'warning').length;
  const warned = warnings === 0 ? '' : html`<span class="risk">${pluralize(warnings, 'warning')}</span>`;
  const effect = entry.consequence() || (isLine ? '' : fieldsInBrief(entry.fields(), maxFields));
  return html`${badge}
<span class="object">${outcome === null ? '' : html`<b class="symbol">${symbols[action]}</b> `}${addressMarkup(address)}</span>
<span class="risks">${pills}${warned}${same}</span>
<span class="what">${oneLine(effect)}</span>
<span class="where">${source === null ? '' : place(source)}</span><span class="tick js" aria-hidden="true" title="Tick it off (x)"></span>`;
}

function textsOfField({ name, view }: Field): string[] {
  switch (view.is) {
    case 'sensitive':
      return [name];
    case 'inline':
      return [name, textOfParts(view.before ?? []), textOfParts(view.after ?? []), view.base ?? ''];
    case 'lines': {
      const diffs = [view.diff, ...Object.values<LineDiff>({ ...view.moves })];
      const blocks = diffs.flatMap((diff) => diff.blocks).filter(({ is }) => is !== 'gap');
      return [name, ...blocks.flatMap(textsOfBlock)];
    }
  }
}

function searchedText({ fields, notices: said, remarks, source }: Entry): string {
  const words = [...said.map(({ text }) => text), ...remarks.map(({ message }) => message)];
  return [
    ...shortenFields(fields(), maxLines).flatMap(textsOfField),
    ...words,
    source === null ? '' : place(source),
  ].join('\n');
}

const noticeClasses: Readonly<Record<Notice['is'], string>> = {
  grave: 'danger',
  risk: 'warning',
  task: 'task',
  warning: 'warning',
  error: 'danger',
};

function bodyMarkup(entry: Entry, options: ReportOptions): Markup {
  const { id, address, outcome, isLine, words, environments, sides, rendered, impact, requests, sent } =
    entry;
  // Without its script, the page has no tools.
  const tools = html`<p class="tools js"><label><input type="checkbox" autocomplete="off"> Reviewed</label> <button type="button" class="copy" data-copy="${oneLine(address)}">Copy address</button> <button type="button" class="copy" data-copy="${permalink(id)}">Copy link</button></p>`;
  const said = entry.notices.map(({ is, label, text }) => {
    const title = is === 'task' ? 'By hand' : label;
    const look = is === 'error' && !entry.isFailure ? 'warning' : noticeClasses[is];
    return html`<li class="${look}">${title === null ? '' : html`<strong>${title}</strong> `}${text}</li>`;
  });
  const isShared = environments.length > 1 && requests.length + sent.length > 0;
  return html`${tools}${metaMarkup(entry, options)}
${isLine && outcome === null ? html`<p>This object is ${words}.</p>` : ''}${notices([...said, ...diagnosticsMarkup(entry.remarks)])}
${impact === null ? '' : impactMarkup(impact)}
${rendered === null ? '' : renderedMarkup(address, rendered)}
${fieldsMarkup(entry.fields(), sides)}
${isShared ? html`<p class="whose">The requests are those of ${environments[0] ?? ''}.</p>` : ''}${requestsMarkup(requests)}${sent.map((line) => html`<p class="request"><code>${line}</code></p>`)}`;
}

function metaMarkup({ source, objectId, history, secrets }: Entry, options: ReportOptions): Markup {
  const link = sourceLink(source, options);
  if (objectId === null && link === null && history.words.length + secrets.length === 0) return html``;
  return html`<dl class="meta">
${source === null || link === null ? '' : html`<div><dt>Manifest</dt><dd><a href="${link}" rel="noreferrer"><code>${place(source)}</code></a></dd></div>`}
${objectId === null ? '' : html`<div><dt>Id</dt><dd><code>${objectId}</code></dd></div>`}
${history.words.length === 0 ? '' : html`<div><dt>History</dt><dd>${history.words.map(oneLine).join('; ')}</dd></div>`}
${secrets.length === 0 ? '' : html`<div><dt>Sends secrets</dt><dd><code>${secrets.map(oneLine).join(', ')}</code></dd></div>`}
</dl>`;
}

function impactMarkup({ words, moves, effect }: ImpactWords): Markup {
  const lines = moves.map((move) => html`<li class="${move.is}">${oneLine(move.words)}</li>`);
  return html`<figure class="impact"><figcaption>The search ${words}</figcaption>
${barsMarkup(effect)}
${lines.length === 0 ? '' : html`<ul>${lines}</ul>`}</figure>
`;
}

/** Hidden from screen readers: the words beside the bars say the same. */
function barsMarkup({ before, after, enter, leave }: ImpactWords['effect']): Markup {
  const most = Math.max(before, after);
  if (most === 0) return html``;
  const toUnits = (count: number) => Math.round((Math.min(Math.max(count, 0), most) / most) * barWidth);
  const stay = toUnits(after - enter.count);
  return html`<svg aria-hidden="true" viewBox="0 0 ${barWidth} 20" preserveAspectRatio="none">
<rect class="stay" y="0" height="8" width="${stay}"/><rect class="leave" y="0" height="8" x="${stay}" width="${toUnits(leave.count)}"/>
<rect class="stay" y="12" height="8" width="${stay}"/><rect class="enter" y="12" height="8" x="${stay}" width="${toUnits(enter.count)}"/>
</svg>`;
}

function requestsMarkup(requests: readonly Request[]): Markup {
  if (requests.length === 0) return html``;
  const list = requests.map((request) => {
    const text = request.body === null ? '' : bodyText(request.body);
    const first = takeFirst(text, maxBody);
    const rest = text.length - first.length;
    const shown = rest > 0 ? `${first}\n… (${rest} characters more)` : text;
    return html`<p class="request"><strong>${request.method}</strong> <code>${requestTarget(request)}</code></p>
${shown === '' ? '' : html`<pre>${shown}</pre>`}`;
  });
  return html`<details class="requests"><summary>${pluralize(requests.length, 'request')}</summary>${list}</details>`;
}

const anchorOf = (id: string): string => `change/${oneLine(id)}`;

export function permalink(id: string): string {
  return `#${anchorOf(id).split('/').map(encodeURIComponent).join('/')}`;
}

/** The whole of it can be copied. Lines break behind its parts. */
export function addressMarkup(address: string): Markup {
  const [kind = '', ...key] = oneLine(readable(address)).split('/');
  const rest = key.map((part, at) => html`${at === 0 ? '' : '/'}<wbr>${part}`);
  return html`<code class="address"><span>${kind}/</span>${rest}</code>`;
}
