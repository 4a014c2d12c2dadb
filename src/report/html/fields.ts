import { groupBy } from '../../model/basics.ts';
import type { Diagnostic, Versions } from '../../model/diagnostic.ts';
import {
  type Block,
  type Chunk,
  type DiffLine,
  diffLines,
  type LineDiff,
  shorten,
  textsOfBlock,
} from '../line-diff.ts';
import type { Entry } from '../page.ts';
import { oneLine } from '../safe.ts';
import { baseTitle, type Field, haveBase, notesOf, sensitiveWords } from '../values.ts';
import { namesInBrief, pluralize, whereOf } from '../words.ts';
import { html, Markup, markMatches } from './markup.ts';

/** More lines of one value are cut in a page. */
export const maxLines = 400;

/** Fields that differ: short values in a table, and each long text in a figure of its own. */
export function fieldsMarkup(fields: readonly Field[], sides: Entry['sides']): Markup {
  const [first, second] = sides;
  const short = fields.filter(({ view }) => view.is !== 'lines');
  const hasBase = haveBase(short);
  const rows = short.map(
    (field) =>
      html`<tr><th scope="row">${nameMarkup(field)}</th>${valueCells(field.view, sides, hasBase)}</tr>`,
  );
  const titles = ['Field', first, second, ...(hasBase ? [baseTitle] : [])];
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
    return html`<td colspan="2"><em>${sensitiveWords}</em></td>${hasBase ? html`<td></td>` : ''}`;
  const base =
    view.base === null
      ? html`<td></td>`
      : html`<td data-side="${baseTitle}"><code>${oneLine(view.base)}</code></td>`;
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
/** Of more equal lines in one place, only the first are in the page. */
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
  const same = after.map((line, at) => lineMarkup(' ', before[at]?.number ?? line.number, line.number, line));
  const old = isSame ? same : before.map((line) => lineMarkup('-', line.number, '', line));
  const fresh = isSame ? same : after.map((line) => lineMarkup('+', '', line.number, line));
  return html`<div class="pair"><div class="side">${old}</div><div class="side${isSame ? ' twin' : ''}">${fresh}</div></div>`;
}

const lineLooks = { ' ': ['', 'span'], '-': [' old', 'del'], '+': [' new', 'ins'] } as const;

function lineMarkup(
  sign: keyof typeof lineLooks,
  old: number | '',
  fresh: number | '',
  { parts }: DiffLine,
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

/** What is said of several places is said once. */
export function diagnosticsMarkup(diagnostics: readonly Diagnostic[]): Markup[] {
  return groupBy(diagnostics, ({ source, excerpt, ...said }) => JSON.stringify(said)).map(([, group]) => {
    const { severity, code, message, excerpt, hint, versions = [] } = group[0];
    const where = namesInBrief(group.flatMap((each) => whereOf(each) ?? []));
    const kind = severity === 'error' ? 'danger' : severity;
    return html`<li class="${kind}"><strong>${severity}</strong> ${where === '' ? '' : html`<code>${where}</code> `}${message} <code class="slug">${code}</code>
${excerpt === undefined ? '' : html`<pre>${excerpt}</pre>`}${hint === undefined ? '' : html`<p><em>Hint:</em> ${hint}</p>`}${versionsMarkup(versions)}</li>`;
  });
}

/**
 * The declared texts beside those of the vendor. Where the old default is known, both others are shown as what they make
 * of it.
 */
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
