import type { Block, DiffLine, Hunk, LineDiff } from '../line-diff.ts';
import type { Part } from '../word-diff.ts';
import { pluralize } from '../words.ts';
import { type Child, html, type Markup, markMatches } from './markup.ts';

/**
 * A line diff. The page's style shows the same markup unified or side by side: every block holds its lines before and
 * after, and equal lines are on both sides.
 */
export function diffFigure(caption: Child, { hunks, notes, hidden }: LineDiff): Markup {
  const allNotes = [...notes, ...(hidden > 0 ? [`${pluralize(hidden, 'line')} more in the plan file`] : [])];
  return html`<figure class="diff"><figcaption>${caption}</figcaption><div class="code">${hunks.map(hunkMarkup)}</div>${allNotes.map((note) => html`<p class="note">${note}</p>`)}</figure>`;
}

function hunkMarkup(hunk: Hunk, index: number): Markup {
  const gap = index === 0 ? '' : html`<div class="gap" aria-hidden="true">⋯</div>`;
  return html`${gap}${hunk.map(blockMarkup)}`;
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
export function partMarkup({ text, changed }: Part): Markup {
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
