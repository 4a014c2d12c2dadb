import type { Action, Change, Difference, Request, Risk } from '../../model/plan.ts';
import type { ReportOptions } from '../options.ts';
import { oneLine } from '../safe.ts';
import { sourceLink } from '../source.ts';
import { bodyText, pathWords } from '../value.ts';
import { sensitiveWords, type View, viewOf } from '../view.ts';
import { counted, originWords, place, riskWords, symbols } from '../words.ts';
import { addressMarkup, entry } from './entry.ts';
import { renderedMarkup } from './frame.ts';
import { impactMarkup } from './impact.ts';
import { lineDiff } from './lines.ts';
import { html, type Markup } from './markup.ts';

const maxLines = 400;
const maxBody = 20_000;

/** One change as an expandable entry of the page. */
export function changeEntry(change: Change, isOpen: boolean, options: ReportOptions): Markup {
  const { action, address, kind, risk, source } = change;
  const rendered =
    options.rendered && Object.hasOwn(options.rendered, address) ? options.rendered[address] : undefined;
  const views = change.diff.map((difference) => ({ difference, view: viewOf(difference, maxLines) }));
  const short = views.filter(({ view }) => view.is !== 'lines');
  const summary = html`<span class="badge ${action}"><b aria-hidden="true">${symbols[action]}</b>${verbs[action]}</span>
${addressMarkup(address)}
${risk.map(riskPill)}
${source === null ? '' : html`<span class="where">${place(source)}</span>`}`;
  const body = html`${metaMarkup(change, options.sourceUrl)}
${noticesMarkup(change)}
${short.length === 0 ? '' : tableMarkup(change, short)}
${views.map(({ difference, view }) => (view.is === 'lines' ? figureMarkup(difference, view) : ''))}
${rendered === undefined ? '' : renderedMarkup(address, rendered)}
${impactMarkup(change.impact)}
${requestsMarkup(change.requests)}`;
  return entry({ group: kind, category: action, isOpen, summary, body });
}

const verbs = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  manual: 'by hand',
} as const satisfies Record<Action, string>;

/** The badge says already that an object is deleted. */
function riskPill(risk: Risk): Markup {
  const { shout, isGrave } = riskWords[risk];
  return risk === 'delete' ? html`` : html`<span class="risk ${isGrave ? 'grave' : ''}">${shout}</span>`;
}

function metaMarkup({ id, source }: Change, sourceUrl: string | undefined): Markup {
  const link = sourceLink(source, sourceUrl);
  if (id === null && link === null) return html``;
  return html`<dl class="meta">
${source === null || link === null ? '' : html`<div><dt>Manifest</dt><dd><a href="${link}" rel="noreferrer"><code>${place(source)}</code></a></dd></div>`}
${id === null ? '' : html`<div><dt>Id</dt><dd><code>${id}</code></dd></div>`}
</dl>`;
}

function noticesMarkup({ action, risk, warnings }: Change): Markup {
  const risks = risk.map((name) => {
    const { shout, meaning, isGrave } = riskWords[name];
    return html`<li class="${isGrave ? 'danger' : 'warning'}"><strong>${shout}</strong> ${meaning}</li>`;
  });
  const others = warnings.map((text, index) =>
    action === 'manual' && index === 0
      ? html`<li class="task"><strong>By hand</strong> ${text}</li>`
      : html`<li class="warning">${text}</li>`,
  );
  return risks.length + others.length === 0 ? html`` : html`<ul class="notices">${risks}${others}</ul>`;
}

function tableMarkup(
  { action, source }: Change,
  rows: readonly { difference: Difference; view: View }[],
): Markup {
  // Of a delete, and of what a rollback restores, no manifest says what comes.
  const after = action === 'delete' || source === null ? 'After' : 'Manifest';
  return html`<div class="scroll"><table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">Tenant</th><th scope="col">${after}</th></tr></thead>
<tbody>${rows.map(({ difference, view }) => rowMarkup(difference, view))}</tbody></table></div>`;
}

function rowMarkup(difference: Difference, view: View): Markup {
  const name = html`<th scope="row"><code>${oneLine(pathWords(difference.path))}</code>${originMarkup(difference)}</th>`;
  if (view.is === 'inline') {
    return html`<tr>${name}<td>${cell(view.before, 'del')}</td><td>${cell(view.after, 'ins')}</td></tr>`;
  }
  return html`<tr>${name}<td colspan="2"><em>${sensitiveWords}</em></td></tr>`;
}

function cell(text: string | null, side: 'del' | 'ins'): Markup {
  if (text === null) return html`<span class="none">not set</span>`;
  return side === 'del' ? html`<del>${oneLine(text)}</del>` : html`<ins>${oneLine(text)}</ins>`;
}

const figureMarkup = (difference: Difference, view: Extract<View, { is: 'lines' }>): Markup =>
  html`<figure class="diff"><figcaption><code>${oneLine(pathWords(difference.path))}</code>${originMarkup(difference)}</figcaption>${lineDiff(view.diff)}</figure>`;

const originMarkup = ({ origin }: Difference): Markup =>
  origin === null ? html`` : html` <span class="origin ${origin}">${originWords[origin]}</span>`;

function requestsMarkup(requests: readonly Request[]): Markup {
  if (requests.length === 0) return html``;
  return html`<details class="requests"><summary>${counted(requests.length, 'request')}</summary>${requests.map(requestMarkup)}</details>`;
}

function requestMarkup({ method, path, query, body }: Request): Markup {
  const search = new URLSearchParams(query).toString();
  const target = search === '' ? path : `${path}?${search}`;
  const text = body === null ? '' : bodyText(body);
  const shown =
    text.length > maxBody ? `${text.slice(0, maxBody)}\n… (${text.length - maxBody} characters more)` : text;
  return html`<p class="request"><strong>${method}</strong> <code>${target}</code></p>
${shown === '' ? '' : html`<pre>${shown}</pre>`}`;
}
