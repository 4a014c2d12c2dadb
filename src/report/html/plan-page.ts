import { groupBy } from '../../model/basics.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { own } from '../../model/json.ts';
import {
  type Change,
  type Difference,
  isRefused,
  type Plan,
  type Request,
  type Risk,
} from '../../model/plan.ts';
import { planCommand } from '../apply-command.ts';
import { attentionOf, concernsOf, sortByUrgency } from '../attention.ts';
import { bodyText, type Field, fieldsOf, pathWords } from '../difference.ts';
import { type Family, familiesOf } from '../families.ts';
import type { ReportOptions } from '../options.ts';
import { remarksOf } from '../remarks.ts';
import type { Rendered } from '../rendered.ts';
import { oneLine, takeFirst } from '../safe.ts';
import {
  actionWords,
  allCounts,
  changeCounts,
  type Effect,
  familyWords,
  impactUnknown,
  impactWords,
  movedWords,
  moves,
  noChanges,
  originNotes,
  place,
  pluralize,
  refused,
  requestTarget,
  riskWords,
  type ShownChange,
  scopeWords,
  secretNamesOf,
  sourceLink,
  symbols,
  taskOf,
  tenantWords,
  titleOfPlan,
  undeclaredWords,
} from '../words.ts';
import { fieldsMarkup, maxLines, textsOf } from './diff-markup.ts';
import { addressMarkup, type Entry } from './entries.ts';
import { renderedMarkup } from './mail-markup.ts';
import { html, type Markup } from './markup.ts';
import { diagnosticMarkup, maxOpen, notices, pageHtml, pagePoint } from './page.ts';

const maxBody = 20_000;

/** A plan as one self-contained page. */
export function planHtml(plan: Plan, options: ReportOptions): string {
  const isOpen = plan.changes.length <= maxOpen;
  const remarks = remarksOf(plan);
  const entry = (change: ShownChange) =>
    changeEntry(change, { ...options, isOpen, remarks: remarks.ofChange.get(change.address) ?? [] });
  const scope = scopeWords(plan.scope);
  const undeclared = undeclaredWords(plan);
  return pageHtml({
    eyebrow: titleOfPlan(plan),
    title: plan.environment,
    subtitle: tenantWords(plan.tenant),
    alarm: isRefused(plan) ? refused : null,
    empty: noChanges(plan),
    points: attentionOf(plan.changes).map((point) => pagePoint(point, ({ address }) => address)),
    tiles: allCounts(plan.summary),
    problems: [['', remarks.errors]],
    remarks: remarks.byCode,
    command: planCommand(plan, options),
    digest: plan.digest,
    named: 'kind',
    groups: groupBy(sortByUrgency(plan.changes), ({ kind }) => kind).map(([name, group]) => ({
      title: name,
      words: changeCounts(group),
      names: [name],
      entries: changeEntries(group, entry),
    })),
    others:
      undeclared === null
        ? null
        : {
            title: 'Undeclared',
            words: undeclared,
            objects: (plan.undeclared ?? []).map((address) => ({ address, note: '' })),
          },
    facts: [
      ['Digest', plan.digest],
      ['Created', plan.createdAt],
      ...(plan.undoes ? [['Undoes the plan', plan.undoes.planDigest] as const] : []),
      ...(scope === '' ? [] : [['Limited by', scope] as const]),
      ['Tool', `${plan.tool.name} ${plan.tool.version}`],
    ],
    hasFrames: plan.changes.some((change) => findRendered(change, options) !== undefined),
  });
}

function findRendered({ address }: Change, { rendered }: ReportOptions): Rendered | undefined {
  return rendered && own(rendered, address);
}

/** How one change is shown. */
interface EntryOptions extends ReportOptions {
  readonly isOpen: boolean;
  /** What diagnostics say of its object. */
  readonly remarks: readonly Diagnostic[];
}

/** Changes as entries of the page, families in one. */
export function changeEntries(
  changes: readonly ShownChange[],
  entry: (change: ShownChange) => Entry,
): Entry[] {
  return familiesOf(changes, maxLines).map((family) => familyEntry(family, entry));
}

/** The first change of a family, with the others below it. */
function familyEntry([first, ...others]: Family, entry: (change: ShownChange) => Entry): Entry {
  const lead = entry(first);
  if (others.length === 0) return lead;
  const mark = html`<span class="pill">${familyWords(others.length + 1)}</span>`;
  return {
    ...lead,
    summary: html`${lead.summary}${mark}`,
    same: others.map((one) => ({ ...entry(one), isOpen: false })),
  };
}

/** One change as an expandable entry of the page. */
export function changeEntry(change: ShownChange, options: EntryOptions): Entry {
  const { action, address, risk, source } = change;
  const rendered = findRendered(change, options);
  const fields = fieldsOf(change.diff, maxLines);
  // A delete and what a rollback restores do not come from a manifest.
  const after = action === 'delete' || source === null ? 'After' : 'Manifest';
  const names = { sides: ['Tenant', after], nameOf: nameMarkup, captionOf: nameMarkup } as const;
  const summary = html`<span class="badge ${action}"><b aria-hidden="true">${symbols[action]}</b>${actionWords[action].replace('to ', '')}</span>
${addressMarkup(address)}
${risk.map(riskPill)}
${warningPill(change, options.remarks)}
${action === 'update' ? html`<span class="what">${changedWords(fields)}</span>` : ''}
${source === null ? '' : html`<span class="where">${place(source)}</span>`}`;
  const body = html`${metaMarkup(change, options.sourceUrl)}
${noticesMarkup(change, options.remarks)}
${fieldsMarkup(fields, names)}
${rendered === undefined ? '' : renderedMarkup(address, rendered)}
${impactMarkup(change)}
${requestsMarkup(change.requests)}`;
  const said = [...change.warnings, ...options.remarks.map(({ message }) => message)];
  const text = [...fields.flatMap(textsOf), ...said, source === null ? '' : place(source)].join('\n');
  const categories = [...new Set([action, ...concernsOf(change)])];
  return { id: address, address, categories, isOpen: options.isOpen, summary, body, text, same: [] };
}

const maxNames = 4;

/** `subject · body +4 −2` */
function changedWords(fields: readonly Field[]): string {
  const names = fields.slice(0, maxNames).map(({ difference, view }) => {
    const name = oneLine(pathWords(difference.path));
    if (view.is !== 'lines') return name;
    const { before, after } = view.diff.counts;
    return `${name} +${after} −${before}`;
  });
  const rest = fields.length - names.length;
  return [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(' · ');
}

/** The badge already says that an object is deleted. */
function riskPill(risk: Risk): Markup {
  const { label, isGrave } = riskWords[risk];
  return risk === 'delete' ? html`` : html`<span class="risk ${isGrave ? 'grave' : ''}">${label}</span>`;
}

/** How many warnings the entry has inside. What to do by hand is none. */
export function warningPill(
  change: Pick<Change, 'action' | 'warnings'>,
  remarks: readonly Diagnostic[] = [],
): Markup {
  const { warnings } = taskOf(change);
  const count = warnings.length + remarks.filter(({ severity }) => severity === 'warning').length;
  return count === 0 ? html`` : html`<span class="risk">${pluralize(count, 'warning')}</span>`;
}

function metaMarkup(change: ShownChange, sourceUrl: string | undefined): Markup {
  const { id, source } = change;
  const link = sourceLink(source, sourceUrl);
  const secrets = secretNamesOf(change);
  if (id === null && link === null && secrets.length === 0) return html``;
  return html`<dl class="meta">
${source === null || link === null ? '' : html`<div><dt>Manifest</dt><dd><a href="${link}" rel="noreferrer"><code>${place(source)}</code></a></dd></div>`}
${id === null ? '' : html`<div><dt>Id</dt><dd><code>${id}</code></dd></div>`}
${secrets.length === 0 ? '' : html`<div><dt>Sends secrets</dt><dd><code>${secrets.map(oneLine).join(', ')}</code></dd></div>`}
</dl>`;
}

function noticesMarkup(change: Change, remarks: readonly Diagnostic[]): Markup {
  const { task, warnings } = taskOf(change);
  const risks = change.risk.map((name) => {
    const { label, meaning, isGrave } = riskWords[name];
    return html`<li class="${isGrave ? 'danger' : 'warning'}"><strong>${label}</strong> ${meaning}</li>`;
  });
  const tasks = task === null ? [] : [html`<li class="task"><strong>By hand</strong> ${task}</li>`];
  const others = warnings.map((text) => html`<li class="warning">${text}</li>`);
  return notices([...risks, ...tasks, ...others, ...remarks.map(diagnosticMarkup)]);
}

function nameMarkup(difference: Difference): Markup {
  const { path, origin } = difference;
  const notes = oneLine(originNotes(difference));
  const mark = notes === '' ? '' : html` <span class="origin ${origin ?? ''}">${notes}</span>`;
  return html`<code>${oneLine(pathWords(path))}</code>${mark}`;
}

/** The units of a bar's width. */
const barWidth = 1000;

/** What a changed search finds before and after, in two bars and in words. */
function impactMarkup({ impact }: Change): Markup {
  if (!impact) return html``;
  if ('notRun' in impact)
    return notices([html`<li class="warning">${impactUnknown}. ${oneLine(impact.notRun)}</li>`]);
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

function requestsMarkup(requests: readonly Request[]): Markup {
  if (requests.length === 0) return html``;
  return html`<details class="requests"><summary>${pluralize(requests.length, 'request')}</summary>${requests.map(requestMarkup)}</details>`;
}

function requestMarkup(request: Request): Markup {
  const { method, body } = request;
  const text = body === null ? '' : bodyText(body);
  const first = takeFirst(text, maxBody);
  const rest = text.length - first.length;
  const shown = rest > 0 ? `${first}\n… (${rest} characters more)` : text;
  return html`<p class="request"><strong>${method}</strong> <code>${requestTarget(request)}</code></p>
${shown === '' ? '' : html`<pre>${shown}</pre>`}`;
}
