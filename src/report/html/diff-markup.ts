import { type Block, type DiffLine, type LineDiff, textsOfBlock } from '../line-diff.ts';
import type { Part } from '../word-diff.ts';
import { pluralize } from '../words.ts';
import { type Child, html, type Markup, markMatches } from './markup.ts';

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
