import { gzipSync } from 'node:zlib';
import { type Group as Family, groupBy } from '../../model/basics.ts';
import type { Request } from '../../model/documents.ts';
import type { Diagnostic, Source, Versions } from '../../model/failure.ts';
import { familiesOf } from '../families.ts';
import { type Block, type Chunk, diffLines, type LineDiff, shorten } from '../line-diff.ts';
import { consequenceOf, type Entry, type Group, type ReportOptions, sourceLink } from '../page.ts';
import { oneLine, takeFirst } from '../safe.ts';
import {
  bodyText,
  type Field,
  fieldWords,
  haveBase,
  notesOf,
  shortenFields,
  textOfParts,
} from '../values.ts';
import {
  familyWords,
  namesInBrief,
  place,
  pluralize,
  readable,
  requestTarget,
  symbols,
  whereOf,
} from '../words.ts';
import { controlsMarkup, html, Markup, markMatches, picturesMarkup } from './markup.ts';

/** Up to this many entries, all are expanded at first. */
const maxOpen = 8;
const maxBody = 20_000;
const barWidth = 1000;
/** Bodies of more characters together are packed. Until then the page can be read without its script. */
const maxInline = 250_000;
/** Entries that are packed together. Similar ones make each other smaller. */
const packSize = 40;
const maxNames = 4;
const maxLines = 400;

/**
 * The groups of a page. The bodies of a long list are compressed at the end, and the page's script makes them when they are
 * needed: browsers would take seconds to build all of them.
 */
export function groupsMarkup(groups: readonly Group[], options: ReportOptions): Markup {
  const lists = groups.map(({ entries }) => familiesOf(entries));
  const all = lists.flat(2);
  const bodies = new Map(all.map((entry) => [entry, bodyMarkup(entry, options)]));
  const markup = [...bodies.values()].map(String);
  const isPacked = markup.reduce((sum, { length }) => sum + length, 0) > maxInline;
  const isFew = all.filter(({ isLine }) => !isLine).length <= maxOpen;
  const sections = groups.map(({ title, words, names }, index) => {
    const entries = (lists[index] ?? []).map((family) => {
      const [{ isLine, isFailure }] = family;
      return entryMarkup(family, isPacked ? null : bodies, isLine ? isFailure : isFew);
    });
    return html`<section class="group" aria-labelledby="g${index}" data-names="${JSON.stringify(names)}"><h2 id="g${index}">${title} <small>${words}</small> <small class="shown"></small></h2>
${names.length > maxNames ? namesMarkup(names) : ''}${entries}</section>`;
  });
  // Texts and markup are packed apart: the search needs less, and sooner, than the entries that are opened.
  const packs = isPacked
    ? html`${packsOf('texts', all.map(searchedText))}
${packsOf('markup', markup)}`
    : '';
  // Before the list, since its end is far away.
  const note = isPacked
    ? html`<p class="alarm scriptless">This report is long, so its details need the script of this page. If the site that shows it does not allow scripts, download the file and open it.</p>`
    : '';
  return html`${note}<div id="entries" tabindex="-1">${sections}</div>
${packs}`;
}

function packsOf(name: string, items: readonly string[]): Markup[] {
  return groupBy(items, (_item, at) => Math.floor(at / packSize)).map(([, part]) => {
    const pack = gzipSync(JSON.stringify(part)).toString('base64');
    return html`<template class="${name}" data-size="${packSize}">${pack}</template>`;
  });
}

export function namesMarkup(names: readonly string[]): Markup {
  return html`<details class="names"><summary>All ${names.length}</summary><p>${names.map(oneLine).join(', ')}</p></details>`;
}

/**
 * The first of a family, with the others folded below it.
 *
 * @param bodies `null` if they are packed
 */
function entryMarkup(
  family: Family<Entry>,
  bodies: ReadonlyMap<Entry, Markup> | null,
  isOpen: boolean,
): Markup {
  const [entry, ...others] = family;
  const { id, address, category, concerns } = entry;
  const categories = new Set([category, ...concerns.map(({ concern }) => concern)]);
  const members =
    others.length === 0
      ? ''
      : html`<details class="members"><summary>Show the others: ${familyWords(others.length)}</summary>${others.map((member) => entryMarkup([member], bodies, false))}</details>`;
  return html`<details class="entry" id="${anchorOf(id)}" data-address="${oneLine(address)}" data-categories="${[...categories].join(' ')}"${isOpen ? html` open` : ''}><summary>${summaryMarkup(entry, family.length)}</summary><div class="body">${bodies?.get(entry) ?? ''}</div>${members}</details>
`;
}

function summaryMarkup(entry: Entry, count: number): Markup {
  const { action, category, outcome, words, address, source, remarks } = entry;
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
  return html`${badge}
<span class="object">${outcome === null ? '' : html`<b class="symbol">${symbols[action]}</b> `}${addressMarkup(address)}</span>
<span class="risks">${pills}${warned}${same}</span>
<span class="what">${oneLine(consequenceOf(entry))}</span>
<span class="where">${source === null ? '' : place(source)}</span><span class="tick js" aria-hidden="true" title="Tick it off (x)"></span>`;
}

function searchedText({ fields, notices: said, remarks, source }: Entry): string {
  const values = shortenFields(fields(), maxLines, Number.POSITIVE_INFINITY).flatMap(({ name, view }) => {
    if (view.is === 'sensitive') return [name];
    if (view.is === 'inline')
      return [name, textOfParts(view.before), textOfParts(view.after), view.base ?? ''];
    const diffs = [view.diff, ...Object.values<LineDiff>({ ...view.moves })];
    const blocks = diffs.flatMap((diff) => diff.blocks).filter(({ is }) => is !== 'gap');
    return [name, ...blocks.flatMap(textsOfBlock)];
  });
  return [
    ...values,
    ...said.map(({ text }) => text),
    ...remarks.map(({ message }) => message),
    source === null ? '' : place(source),
  ].join('\n');
}

const textsOfBlock = ({ is, before, after }: Block): string[] =>
  [...(is === 'changed' ? before : []), ...after].map(({ parts }) => textOfParts(parts));

const noticeClasses = { grave: 'danger', risk: 'warning', task: 'task', warning: 'warning' } as const;

function bodyMarkup(entry: Entry, options: ReportOptions): Markup {
  const { id, address, outcome, isLine, words, environments, sides, rendered, impact, requests, sent } =
    entry;
  // Without its script, the page has no tools.
  const tools = html`<p class="tools js"><label><input type="checkbox" autocomplete="off"> Reviewed</label> <button type="button" class="copy" data-copy="${oneLine(address)}">Copy address</button> <button type="button" class="copy" data-copy="${permalink(id)}">Copy link</button></p>`;
  const said = entry.notices.map(({ is, label, text }) => {
    const title = is === 'task' ? 'By hand' : label;
    const look = noticeClasses[is === 'error' ? (entry.isFailure ? 'grave' : 'warning') : is];
    return html`<li class="${look}">${title === null ? '' : html`<strong>${title}</strong> `}${text}</li>`;
  });
  const isShared = environments.length > 1 && requests.length > 0;
  const isMail = Boolean(rendered?.before?.head ?? rendered?.after?.head);
  const hasBoth = Boolean(rendered?.before && rendered.after);
  const pictures =
    rendered &&
    html`<div class="rendered"><div class="bar js">${controlsMarkup({ isMail, hasBoth })}<p>As recipients see it, with sample values.</p></div>
${picturesMarkup(address, rendered)}</div>`;
  return html`${tools}${metaMarkup(entry, options)}
${isLine && outcome === null ? html`<p>This object is ${words}.</p>` : ''}${notices([...said, ...diagnosticsMarkup(entry.remarks)])}
${impact === null ? '' : impactMarkup(impact)}
${pictures ?? ''}
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

/** The bars are hidden from screen readers: the words beside them say the same. */
function impactMarkup({ words, moves, effect }: NonNullable<Entry['impact']>): Markup {
  const { before, after, enter, leave } = effect;
  const most = Math.max(before, after);
  const toUnits = (count: number) => Math.round((Math.min(Math.max(count, 0), most) / most) * barWidth);
  const stay = toUnits(after - enter.count);
  const bars = html`<svg aria-hidden="true" viewBox="0 0 ${barWidth} 20" preserveAspectRatio="none">
<rect class="stay" y="0" height="8" width="${stay}"/><rect class="leave" y="0" height="8" x="${stay}" width="${toUnits(leave.count)}"/>
<rect class="stay" y="12" height="8" width="${stay}"/><rect class="enter" y="12" height="8" x="${stay}" width="${toUnits(enter.count)}"/>
</svg>`;
  const lines = moves.map((move) => html`<li class="${move.is}">${oneLine(move.words)}</li>`);
  return html`<figure class="impact"><figcaption>The search ${words}</figcaption>
${most === 0 ? '' : bars}
${lines.length === 0 ? '' : html`<ul>${lines}</ul>`}</figure>
`;
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

function fieldsMarkup(fields: readonly Field[], sides: Entry['sides']): Markup {
  const [first, second] = sides;
  const short = fields.filter(({ view }) => view.is !== 'lines');
  const hasBase = haveBase(short);
  const rows = short.map(
    (field) =>
      html`<tr><th scope="row">${nameMarkup(field)}</th>${valueCells(field.view, sides, hasBase)}</tr>`,
  );
  const titles = ['Field', first, second, ...(hasBase ? [fieldWords.base] : [])];
  const table = html`<div class="scroll"><table class="fields"><thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div>`;
  const figures = fields.map((field) => {
    if (field.view.is !== 'lines') return '';
    const { diff, moves } = field.view;
    const caption = html`${nameMarkup(field)} <span class="old">−</span> ${first} <span class="new">+</span> ${second}`;
    if (moves === null) return diffFigure(caption, diff);
    return html`${diffFigure(caption, diff)}<details class="moves"><summary>Compare both with what was declared</summary><div class="versions">
${diffFigure('Changed in the tenant', moves.tenant)}${diffFigure('Changed in the repository', moves.repo)}</div></details>`;
  });
  return html`${rows.length === 0 ? '' : table}
${figures}`;
}

function nameMarkup(field: Field): Markup {
  const { name, origin } = field;
  const notes = notesOf(field, Number.POSITIVE_INFINITY);
  const mark = notes === '' ? '' : html` <span class="origin ${origin ?? ''}">${oneLine(notes)}</span>`;
  return html`<code>${oneLine(name)}</code>${mark}`;
}

function valueCells(view: Field['view'], [first, second]: Entry['sides'], hasBase: boolean): Markup {
  if (view.is !== 'inline')
    return html`<td colspan="2"><em>${fieldWords.sensitive}</em></td>${hasBase ? html`<td></td>` : ''}`;
  const base =
    view.base === null
      ? html`<td></td>`
      : html`<td data-side="${fieldWords.base}"><code>${oneLine(view.base)}</code></td>`;
  return html`<td data-side="${first}">${cell(view.before, 'del')}</td><td data-side="${second}">${cell(view.after, 'ins')}</td>${hasBase ? base : ''}`;
}

function cell(parts: readonly Chunk[] | null, side: 'del' | 'ins'): Markup {
  if (parts === null) return html`<span class="none">not set</span>`;
  const shown = parts.map(({ text, changed }) =>
    changed ? html`<mark>${oneLine(text)}</mark>` : oneLine(text),
  );
  return side === 'del' ? html`<del class="old">${shown}</del>` : html`<ins class="new">${shown}</ins>`;
}

/** A fold takes as much room as fewer lines. */
const minGap = 4;
/** Only the first of many equal lines in one place are in the page. */
const maxGap = 500;

/**
 * A line diff. The page's style shows the same markup unified or side by side: every block holds its lines before and
 * after, and equal lines are on both sides. Those far from a change are folded.
 */
function diffFigure(caption: Markup | string, diff: LineDiff): Markup {
  const { blocks, notes, hidden } = shorten(diff, maxLines);
  const allNotes = [...notes, ...(hidden > 0 ? [`${pluralize(hidden, 'line')} more in the plan file`] : [])];
  return html`<figure class="diff"><figcaption>${caption}</figcaption><div class="code">${blocks.map((block) => (block.is === 'gap' && block.after.length >= minGap ? gapMarkup(block) : blockMarkup(block)))}</div>${allNotes.map((note) => html`<p class="note">${note}</p>`)}</figure>`;
}

/** Equal lines between changes, folded. They are plain text, since most lines of a long report are among them. */
function gapMarkup(gap: Block): Markup {
  const lines = gap.after;
  const first = lines[0]?.number ?? 1;
  const last = first + lines.length - 1;
  const text = textsOfBlock({ ...gap, after: lines.slice(0, maxGap) }).join('\n');
  const rest = lines.length - maxGap;
  return html`<details class="gap"><summary>${pluralize(lines.length, 'equal line')} (${first} to ${last})</summary><pre>${text}</pre>${rest > 0 ? html`<p class="note">${pluralize(rest, 'line')} more in the plan file</p>` : ''}</details>`;
}

function blockMarkup({ is, before, after }: Block): Markup {
  const isSame = is !== 'changed';
  const same = after.map((line, at) =>
    lineMarkup(' ', before[at]?.number ?? line.number, line.number, line.parts),
  );
  const old = isSame ? same : before.map((line) => lineMarkup('-', line.number, '', line.parts));
  const fresh = isSame ? same : after.map((line) => lineMarkup('+', '', line.number, line.parts));
  return html`<div class="pair"><div class="side">${old}</div><div class="side${isSame ? ' twin' : ''}">${fresh}</div></div>`;
}

const lineLooks = { ' ': ['', 'span'], '-': [' old', 'del'], '+': [' new', 'ins'] } as const;

function lineMarkup(
  sign: keyof typeof lineLooks,
  old: number | '',
  fresh: number | '',
  parts: readonly Chunk[],
): Markup {
  const [look, element] = lineLooks[sign];
  const tag = new Markup(element);
  const shown = parts.map(({ text, changed }) =>
    changed ? html`<mark>${highlight(text)}</mark>` : highlight(text),
  );
  return html`<div class="line${look}"><i>${old}</i><i>${fresh}</i><b>${sign}</b><${tag}>${shown}</${tag}></div>`;
}

const token =
  /(\$!?\{?[A-Za-z_][\w.]*\}?|#(?:if|elseif|else|end|foreach|set)\b)|(<\/?[A-Za-z][\w-]*|\/?>)|("[^"]{0,80}"(?=:))/g;

/** A text with its variables, directives, tags and names of JSON in colours of their own. */
function highlight(text: string): Markup {
  return markMatches(text, token, ([found, velocity, tag]) => {
    const kind = velocity ? 'v' : tag ? 't' : 'k';
    return html`<span class="${kind}">${found}</span>`;
  });
}

export function notices(items: readonly Markup[]): Markup {
  return items.length === 0 ? html`` : html`<ul class="notices">${items}</ul>`;
}

/**
 * A note about several places appears once.
 *
 * @param linkOf leads to a place, instead of naming it only
 */
export function diagnosticsMarkup(diagnostics: readonly Diagnostic[], linkOf?: (source: Source) => string) {
  return groupBy(diagnostics, ({ source, excerpt, ...said }) => JSON.stringify(said)).map(([, group]) => {
    const { severity, code, message, source, excerpt, hint, versions = [] } = group[0];
    const names = namesInBrief(group.flatMap((each) => whereOf(each) ?? []));
    const named = names === '' ? '' : html`<code>${names}</code> `;
    const where = source && linkOf ? html`<a class="place" href="${linkOf(source)}">${named}</a>` : named;
    const kind = severity === 'error' ? 'danger' : severity;
    return html`<li class="${kind}"><strong>${severity}</strong> ${where}${message} <code class="slug">${code}</code>
${excerpt === undefined ? '' : html`<pre>${excerpt}</pre>`}${hint === undefined ? '' : html`<p><em>Hint:</em> ${hint}</p>`}${versionsMarkup(versions)}</li>`;
  });
}

/** The declared texts beside the vendor's. If the old default is known, both others are shown as changes to it. */
function versionsMarkup(versions: readonly Versions[]): Markup {
  if (versions.length === 0) return html``;
  const figure = (title: string, before: string | null, after: string | null) =>
    before === after
      ? html`<figure class="diff"><figcaption>${title}</figcaption><p class="note">the same</p></figure>`
      : diffFigure(title, diffLines(before, after));
  const shown = versions.map(({ name, old, theirs, ours }) =>
    old === undefined
      ? html`<p><code>${oneLine(name)}</code></p>${figure("− as declared, + the vendor's new default", ours, theirs)}`
      : html`<p><code>${oneLine(name)}</code></p><div class="versions">
<figure class="diff"><figcaption>The vendor's old default</figcaption><pre>${old ?? 'not set'}</pre></figure>
${figure("The vendor's new default", old, theirs)}${figure('As declared', old, ours)}</div>`,
  );
  const isKnown = versions.every(({ old }) => old !== undefined);
  const unknown = html`<p>The vendor's old default is not known: the manifest holds only its digest, and git has no manifest with its text.</p>`;
  return html`<details><summary>Compare with the vendor's new default</summary>${isKnown ? '' : unknown}${shown}</details>`;
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
