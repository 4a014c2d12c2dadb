import type { Diff, DiffObject, SideDifference } from '../../model/diff.ts';
import { sha256 } from '../../model/digest.ts';
import { groupBy } from '../../model/group.ts';
import {
  diffCounts,
  diffScopeWords,
  diffSymbols,
  noDifferences,
  notComparedWords,
  whereWords,
} from '../diff-view.ts';
import { pathWords, type View, viewOf } from '../difference.ts';
import { oneLine } from '../safe.ts';
import { joinParts, place, tenantWords } from '../words.ts';
import { diffFigure } from './diff-markup.ts';
import { addressMarkup, type Entry } from './entries.ts';
import { html, type Markup } from './markup.ts';
import { pageHtml } from './page.ts';
import { textsOf, valueCells } from './plan-page.ts';

/** Up to this many objects, all that differ are expanded at first. */
const maxOpen = 8;
const maxLines = 400;

/** The category of each sort of object, which is also its colour. */
const categories: Readonly<Record<DiffObject['in'], string>> = {
  both: 'update',
  first: 'delete',
  second: 'create',
};

/** A diff as one self-contained page. */
export function diffHtml(diff: Diff): string {
  const [first, second] = diff.sides;
  const { summary, notComparable } = diff;
  const isOpen = diff.objects.length <= maxOpen;
  const scope = diffScopeWords(diff);
  const remarks = groupBy(diff.diagnostics, ({ code }) => code);
  return pageHtml({
    eyebrow: 'tenantctl diff',
    title: `${first.name} and ${second.name}`,
    subtitle: joinParts(
      [first, second].map(({ name, tenant }) => tenant && `${name}: ${tenantWords(tenant)}`),
      ' · ',
    ),
    alarm: null,
    empty: noDifferences(diff),
    points: [],
    lead: html``,
    named: 'kind',
    tiles: [
      { category: categories.both, count: summary.differing, words: 'differ' },
      { category: categories.first, count: summary.onlyFirst, words: `only in ${first.name}` },
      { category: categories.second, count: summary.onlySecond, words: `only in ${second.name}` },
      { category: null, count: summary.equal, words: 'equal' },
    ],
    problems: [],
    remarks,
    command: null,
    digest: sha256({ sides: diff.sides, objects: diff.objects }),
    groups: groupBy(diff.objects, ({ kind }) => kind).map(([name, group]) => ({
      title: name,
      names: [name],
      words: diffCounts(group, diff),
      entries: group.map((object) => objectEntry(object, diff, isOpen)),
    })),
    others:
      notComparable.length === 0
        ? null
        : {
            title: 'Not comparable',
            words: notComparedWords,
            objects: notComparable.map(({ address, paths }) => ({
              address,
              note: oneLine(paths.map(pathWords).join(', ')),
            })),
          },
    facts: [
      ['Created', diff.createdAt],
      ...(scope === '' ? [] : [['Limited by', scope] as const]),
      ['Tool', `${diff.tool.name} ${diff.tool.version}`],
    ],
    hasFrames: false,
  });
}

interface Shown {
  readonly difference: SideDifference;
  readonly view: View;
}

function objectEntry(object: DiffObject, diff: Diff, isOpen: boolean): Entry {
  const { address, source } = object;
  const category = categories[object.in];
  const shown = object.diff.map((difference) => ({ difference, view: viewOf(difference, maxLines) }));
  const short = shown.filter(({ view }) => view.is !== 'lines');
  const summary = html`<span class="badge ${category}"><b aria-hidden="true">${diffSymbols[object.in]}</b>${whereWords(object, diff)}</span>
${addressMarkup(address)}
${object.in === 'both' ? html`<span class="what">${shown.map(({ difference }) => oneLine(pathWords(difference.path))).join(' · ')}</span>` : ''}
${source === null ? '' : html`<span class="where">${place(source)}</span>`}`;
  const body = html`${object.in === 'both' ? '' : html`<p>This object is ${whereWords(object, diff)}.</p>`}
${short.length === 0 ? '' : tableMarkup(short, diff)}
${shown.map(({ difference, view }) => (view.is === 'lines' ? diffFigure(captionOf(difference, diff), view.diff) : ''))}`;
  return {
    id: address,
    address,
    categories: [category],
    isOpen: isOpen && object.in === 'both',
    summary,
    body,
    text: shown.flatMap(textsOf).join('\n'),
    same: [],
  };
}

function captionOf({ path }: SideDifference, { sides: [first, second] }: Diff): Markup {
  return html`<code>${oneLine(pathWords(path))}</code> <span class="old">−</span> ${first.name} <span class="new">+</span> ${second.name}`;
}

function tableMarkup(rows: readonly Shown[], { sides: [first, second] }: Diff): Markup {
  return html`<div class="scroll"><table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">${first.name}</th><th scope="col">${second.name}</th></tr></thead>
<tbody>${rows.map(({ difference, view }) => html`<tr><th scope="row"><code>${oneLine(pathWords(difference.path))}</code></th>${valueCells(view)}</tr>`)}</tbody></table></div>`;
}
