import {
  actions,
  type Change,
  type Difference,
  type Impact,
  isRefused,
  type Plan,
  type Request,
  type Risk,
} from '../../model/plan.ts';
import { bodyText, pathWords, sensitiveWords, type View, viewOf } from '../difference.ts';
import type { Rendered, ReportOptions } from '../options.ts';
import { oneLine, quoteHtml } from '../safe.ts';
import {
  actionWords,
  changeCounts,
  type Effect,
  groupBy,
  impactUnknown,
  impactWords,
  movedWords,
  moves,
  noChanges,
  originWords,
  place,
  pluralize,
  refused,
  requestTarget,
  riskWords,
  scopeWords,
  sourceLink,
  symbols,
  tenantWords,
  undeclaredWords,
} from '../words.ts';
import { diffFigure } from './diff-markup.ts';
import { html, Markup } from './markup.ts';
import { addressMarkup, type Entry, pageHtml } from './page.ts';

/** Up to this many changes, all are expanded at first. */
const maxOpen = 8;
const maxLines = 400;
const maxBody = 20_000;
/** The units of a bar's width. */
const barWidth = 1000;
/** Nothing runs in a frame and no request leaves it. It may use styles and embedded pictures only. */
const framePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const frameHead = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${framePolicy}"><meta name="color-scheme" content="light">`;

/** A plan as one self-contained page. */
export function planHtml(plan: Plan, options: ReportOptions): string {
  const isOpen = plan.changes.length <= maxOpen;
  const scope = scopeWords(plan.scope);
  const undeclared = undeclaredWords(plan);
  return pageHtml({
    eyebrow: 'tenantctl plan',
    title: plan.environment,
    subtitle: tenantWords(plan.tenant),
    alarm: isRefused(plan) ? refused : null,
    empty: noChanges,
    tiles: [
      ...actions.map((action) => ({
        category: action,
        count: plan.summary[action],
        words: actionWords[action],
      })),
      { category: null, count: plan.summary.unchanged, words: 'unchanged' },
      ...(undeclared === null
        ? []
        : [{ category: null, count: plan.summary.undeclared ?? 0, words: 'undeclared' }]),
    ],
    diagnostics: plan.diagnostics,
    groups: groupBy(plan.changes, ({ kind }) => kind).map(([name, group]) => ({
      name,
      words: changeCounts(group),
      entries: group.map((change) => changeEntry(change, isOpen, options)),
    })),
    facts: [
      ['Digest', plan.digest],
      ['Created', plan.createdAt],
      ...(undeclared === null ? [] : [['Undeclared', (plan.undeclared ?? []).join(', ')] as const]),
      ...(scope === '' ? [] : [['Limited by', scope] as const]),
      ['Tool', `${plan.tool.name} ${plan.tool.version}`],
    ],
    hasFrames: plan.changes.some((change) => renderedOf(change, options) !== undefined),
  });
}

function renderedOf({ address }: Change, { rendered }: ReportOptions): Rendered | undefined {
  return rendered && Object.hasOwn(rendered, address) ? rendered[address] : undefined;
}

/** One change as an expandable entry of the page. */
function changeEntry(change: Change, isOpen: boolean, options: ReportOptions): Entry {
  const { action, address, risk, source } = change;
  const rendered = renderedOf(change, options);
  const views = change.diff.map((difference) => ({ difference, view: viewOf(difference, maxLines) }));
  const short = views.filter(({ view }) => view.is !== 'lines');
  const summary = html`<span class="badge ${action}"><b aria-hidden="true">${symbols[action]}</b>${actionWords[action].replace('to ', '')}</span>
${addressMarkup(address)}
${risk.map(riskPill)}
${source === null ? '' : html`<span class="where">${place(source)}</span>`}`;
  const body = html`${metaMarkup(change, options.sourceUrl)}
${noticesMarkup(change)}
${short.length === 0 ? '' : tableMarkup(change, short)}
${views.map(({ difference, view }) => (view.is === 'lines' ? diffFigure(nameMarkup(difference), view.diff) : ''))}
${rendered === undefined ? '' : renderedMarkup(address, rendered)}
${impactMarkup(change.impact)}
${requestsMarkup(change.requests)}`;
  return { category: action, isOpen, summary, body };
}

/** The badge already says that an object is deleted. */
function riskPill(risk: Risk): Markup {
  const { label, isGrave } = riskWords[risk];
  return risk === 'delete' ? html`` : html`<span class="risk ${isGrave ? 'grave' : ''}">${label}</span>`;
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
    const { label, meaning, isGrave } = riskWords[name];
    return html`<li class="${isGrave ? 'danger' : 'warning'}"><strong>${label}</strong> ${meaning}</li>`;
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
  // A delete and what a rollback restores do not come from a manifest.
  const after = action === 'delete' || source === null ? 'After' : 'Manifest';
  return html`<div class="scroll"><table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">Tenant</th><th scope="col">${after}</th></tr></thead>
<tbody>${rows.map(({ difference, view }) => rowMarkup(difference, view))}</tbody></table></div>`;
}

function rowMarkup(difference: Difference, view: View): Markup {
  const name = html`<th scope="row">${nameMarkup(difference)}</th>`;
  if (view.is === 'inline') {
    return html`<tr>${name}<td>${cell(view.before, 'del')}</td><td>${cell(view.after, 'ins')}</td></tr>`;
  }
  return html`<tr>${name}<td colspan="2"><em>${sensitiveWords}</em></td></tr>`;
}

function cell(text: string | null, side: 'del' | 'ins'): Markup {
  if (text === null) return html`<span class="none">not set</span>`;
  return side === 'del' ? html`<del>${oneLine(text)}</del>` : html`<ins>${oneLine(text)}</ins>`;
}

function nameMarkup({ path, origin }: Difference): Markup {
  const mark = origin === null ? '' : html` <span class="origin ${origin}">${originWords[origin]}</span>`;
  return html`<code>${oneLine(pathWords(path))}</code>${mark}`;
}

function requestsMarkup(requests: readonly Request[]): Markup {
  if (requests.length === 0) return html``;
  return html`<details class="requests"><summary>${pluralize(requests.length, 'request')}</summary>${requests.map(requestMarkup)}</details>`;
}

function requestMarkup(request: Request): Markup {
  const { method, body } = request;
  const text = body === null ? '' : bodyText(body);
  const rest = text.length - maxBody;
  const shown = rest > 0 ? `${text.slice(0, maxBody)}\n… (${rest} characters more)` : text;
  return html`<p class="request"><strong>${method}</strong> <code>${requestTarget(request)}</code></p>
${shown === '' ? '' : html`<pre>${shown}</pre>`}`;
}

/**
 * A rendered template before and after, each in a frame without scripts or network. The page's script creates the
 * frames, since browsers load at most a thousand in a page, visible or not.
 */
function renderedMarkup(address: string, { before, after }: Rendered): Markup {
  return html`<div class="frames" role="group" aria-label="Rendered">
${frameFigure(`${address}, rendered before`, 'Before', before)}
${frameFigure(`${address}, rendered after`, 'After', after)}
</div>`;
}

function frameFigure(title: string, caption: string, content: string | null): Markup {
  const view =
    content === null
      ? html`<p class="none">nothing</p>`
      : html`<div class="frame" data-title="${title}" data-document="${new Markup(quoteHtml(frameHead + content))}"></div>`;
  return html`<figure><figcaption>${caption}</figcaption>${view}</figure>`;
}

/** What a changed search finds before and after, in two bars and in words. */
function impactMarkup(impact: Impact | undefined): Markup {
  if (!impact) return html``;
  if ('notRun' in impact) {
    return html`<ul class="notices"><li class="warning">${impactUnknown}. ${oneLine(impact.notRun)}</li></ul>`;
  }
  const lines = moves.flatMap((move) => {
    const moved = movedWords(impact, move);
    return moved === null ? [] : [html`<li class="${move}">${oneLine(moved)}</li>`];
  });
  return html`<figure class="impact"><figcaption>The search ${impactWords(impact)}</figcaption>
${barsMarkup(impact)}
${lines.length === 0 ? '' : html`<ul>${lines}</ul>`}</figure>
`;
}

/** Hidden from screen readers: the words beside the bars say the same. */
function barsMarkup({ before, after, enter, leave }: Effect): Markup {
  const most = Math.max(before, after);
  if (most === 0) return html``;
  const toUnits = (count: number) => Math.round((Math.min(Math.max(count, 0), most) / most) * barWidth);
  const stay = toUnits(after - enter.count);
  return html`<svg aria-hidden="true" viewBox="0 0 ${barWidth} 20" preserveAspectRatio="none">
<rect class="stay" y="0" height="8" width="${stay}"/><rect class="leave" y="0" height="8" x="${stay}" width="${toUnits(leave.count)}"/>
<rect class="stay" y="12" height="8" width="${stay}"/><rect class="enter" y="12" height="8" x="${stay}" width="${toUnits(enter.count)}"/>
</svg>`;
}
