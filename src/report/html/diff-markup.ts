import type { SideDifference } from '../../model/diff.ts';
import { type Field, pathWords, sensitiveWords, type View } from '../difference.ts';
import { type Block, type DiffLine, type LineDiff, textsOfBlock } from '../line-diff.ts';
import { oneLine } from '../safe.ts';
import { diffInline, type Part } from '../word-diff.ts';
import { pluralize } from '../words.ts';
import { type Child, html, type Markup, markMatches } from './markup.ts';

/** More lines of one value are cut in a page. */
export const maxLines = 400;

/** The field and the texts of a difference, for the search. */
export function textsOf({ difference, view }: Field): string[] {
  const name = pathWords(difference.path);
  switch (view.is) {
    case 'sensitive':
      return [name];
    case 'inline':
      return [name, view.before ?? '', view.after ?? ''];
    case 'lines':
      return [name, ...view.diff.hunks.flat().flatMap(textsOfBlock)];
  }
}

/** How the fields of an object are called. */
interface FieldNames<T> {
  /** What the values before and after are, above their columns. */
  readonly sides: readonly [before: string, after: string];
  /** The name of a field beside its values. */
  nameOf(difference: T): Markup;
  /** The same above a long text. */
  captionOf(difference: T): Markup;
}

/** Fields that differ: short values in a table, and each long text in a figure of its own. */
export function fieldsMarkup<T extends SideDifference>(
  fields: readonly Field<T>[],
  { sides: [first, second], nameOf, captionOf }: FieldNames<T>,
): Markup {
  const rows = fields
    .filter(({ view }) => view.is !== 'lines')
    .map(({ difference, view }) => {
      return html`<tr><th scope="row">${nameOf(difference)}</th>${valueCells(view)}</tr>`;
    });
  const table = html`<div class="scroll"><table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">${first}</th><th scope="col">${second}</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
  const figures = fields.map(({ difference, view }) =>
    view.is === 'lines' ? diffFigure(captionOf(difference), view.diff) : '',
  );
  return html`${rows.length === 0 ? '' : table}
${figures}`;
}

/** The cells of both values in the row of a field. */
function valueCells(view: View): Markup {
  if (view.is !== 'inline') return html`<td colspan="2"><em>${sensitiveWords}</em></td>`;
  const [before, after] = diffInline(view.before, view.after);
  return html`<td>${cell(before, 'del')}</td><td>${cell(after, 'ins')}</td>`;
}

function cell(parts: readonly Part[] | null, side: 'del' | 'ins'): Markup {
  if (parts === null) return html`<span class="none">not set</span>`;
  const shown = parts.map(({ text, changed }) =>
    changed ? html`<mark>${oneLine(text)}</mark>` : oneLine(text),
  );
  return side === 'del' ? html`<del class="old">${shown}</del>` : html`<ins class="new">${shown}</ins>`;
}

/** Of more equal lines in one place, only the first are in the page. */
const maxGap = 500;

/**
 * A line diff. The page's style shows the same markup unified or side by side: every block holds its lines before and
 * after, and equal lines are on both sides. Those far from a change are folded.
 */
export function diffFigure(caption: Child, { hunks, gaps, notes, hidden }: LineDiff): Markup {
  const allNotes = [...notes, ...(hidden > 0 ? [`${pluralize(hidden, 'line')} more in the plan file`] : [])];
  return html`<figure class="diff"><figcaption>${caption}</figcaption><div class="code">${hunks.map((hunk, index) => html`${gapMarkup(gaps[index])}${hunk.map(blockMarkup)}`)}${hunks.length === 0 ? '' : gapMarkup(gaps[hunks.length])}</div>${allNotes.map((note) => html`<p class="note">${note}</p>`)}</figure>`;
}

/** Equal lines between changes, folded. They are plain text, since most lines of a long report are among them. */
function gapMarkup(gap: Block | undefined): Markup {
  const lines = gap?.after ?? [];
  const [first] = lines;
  if (!gap || !first) return html``;
  const last = first.number + lines.length - 1;
  const text = textsOfBlock({ ...gap, after: lines.slice(0, maxGap) }).join('\n');
  const rest = lines.length - maxGap;
  return html`<details class="gap"><summary>${pluralize(lines.length, 'equal line')} (${first.number} to ${last})</summary><pre>${text}</pre>${rest > 0 ? html`<p class="note">${pluralize(rest, 'line')} more in the plan file</p>` : ''}</details>`;
}

function blockMarkup({ is, before, after }: Block): Markup {
  const isSame = is === 'same';
  const same = after.map((line, at) => sameLine(before[at]?.number ?? line.number, line));
  const old = isSame ? same : before.map(oldLine);
  const fresh = isSame ? same : after.map(newLine);
  const twin = isSame ? ' twin' : '';
  return html`<div class="pair"><div class="side">${old}</div><div class="side${twin}">${fresh}</div></div>`;
}

/** The numbers of a line before and after. */
function numbers(before: number | '', after: number | ''): Markup {
  return html`<i>${before}</i><i>${after}</i>`;
}

function sameLine(old: number, { number, parts }: DiffLine): Markup {
  return html`<div class="line">${numbers(old, number)}<b> </b><span>${parts.map(partMarkup)}</span></div>`;
}

function oldLine({ number, parts }: DiffLine): Markup {
  return html`<div class="line old">${numbers(number, '')}<b>-</b><del>${parts.map(partMarkup)}</del></div>`;
}

function newLine({ number, parts }: DiffLine): Markup {
  return html`<div class="line new">${numbers('', number)}<b>+</b><ins>${parts.map(partMarkup)}</ins></div>`;
}

/** A part of a text, marked where it differs. */
function partMarkup({ text, changed }: Part): Markup {
  return changed ? html`<mark>${highlight(text)}</mark>` : highlight(text);
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
