import type { Part } from '../emphasis.ts';
import type { Block, DiffLine, Hunk, LineDiff } from '../lines.ts';
import { counted } from '../words.ts';
import { html, type Markup } from './markup.ts';

/**
 * A line diff. The same markup is unified or side by side, as the page's style decides: every block holds its
 * lines before and after, and equal lines stand on both sides.
 */
export function lineDiff({ hunks, notes, hidden }: LineDiff): Markup {
  const said = [...notes, ...(hidden > 0 ? [`${counted(hidden, 'line')} more in the plan file`] : [])];
  return html`<div class="code">${hunks.map(hunkMarkup)}</div>${said.map((note) => html`<p class="note">${note}</p>`)}`;
}

function hunkMarkup(hunk: Hunk, index: number): Markup {
  const gap = index === 0 ? '' : html`<div class="gap" aria-hidden="true">⋯</div>`;
  return html`${gap}${hunk.map(blockMarkup)}`;
}

function blockMarkup({ is, before, after }: Block): Markup {
  const isSame = is === 'same';
  const old = before.map((line) => (isSame ? sameLine(line) : oldLine(line)));
  const fresh = after.map((line) => (isSame ? sameLine(line) : newLine(line)));
  const twin = isSame ? ' twin' : '';
  return html`<div class="pair"><div class="side">${old}</div><div class="side${twin}">${fresh}</div></div>`;
}

const sameLine = ({ number, parts }: DiffLine): Markup =>
  html`<div class="line"><i>${number}</i><b> </b><span>${parts.map(partMarkup)}</span></div>`;

const oldLine = ({ number, parts }: DiffLine): Markup =>
  html`<div class="line old"><i>${number}</i><b>-</b><del>${parts.map(partMarkup)}</del></div>`;

const newLine = ({ number, parts }: DiffLine): Markup =>
  html`<div class="line new"><i>${number}</i><b>+</b><ins>${parts.map(partMarkup)}</ins></div>`;

const partMarkup = ({ text, changed }: Part): Markup =>
  changed ? html`<mark>${tokens(text)}</mark>` : html`${tokens(text)}`;

const token =
  /(?<velocity>\$!?\{?[A-Za-z_][\w.]*\}?|#(?:if|elseif|else|end|foreach|set)\b)|(?<tag><\/?[A-Za-z][\w-]*|\/?>)|(?<name>"[^"]{0,80}"(?=:))/g;

/** Variables, directives, tags and names of JSON in their own colours. */
function tokens(text: string): Markup[] {
  const found: Markup[] = [];
  let at = 0;
  for (const match of text.matchAll(token)) {
    const kind = match.groups?.velocity ? 'v' : match.groups?.tag ? 't' : 'k';
    found.push(html`${text.slice(at, match.index)}<span class="${kind}">${match[0]}</span>`);
    at = match.index + match[0].length;
  }
  return [...found, html`${text.slice(at)}`];
}
