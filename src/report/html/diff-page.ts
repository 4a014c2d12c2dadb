import { groupBy } from '../../model/basics.ts';
import type { Diff, DiffObject, SideDifference } from '../../model/diff.ts';
import { sha256 } from '../../model/digest.ts';
import { diffCounts, diffSymbols, noDifferences, notComparedWords, whereWords } from '../diff-view.ts';
import { fieldsOf, pathWords } from '../difference.ts';
import { oneLine } from '../safe.ts';
import { joinParts, place, scopeWords, tenantWords } from '../words.ts';
import { fieldsMarkup, maxLines, textsOf } from './diff-markup.ts';
import { addressMarkup, type Entry } from './entries.ts';
import { html, type Markup } from './markup.ts';
import { maxOpen, pageHtml } from './page.ts';

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
  const scope = scopeWords(diff.scope);
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
    named: 'kind',
    tiles: [
      { is: categories.both, count: summary.differing, words: 'differ' },
      { is: categories.first, count: summary.onlyFirst, words: `only in ${first.name}` },
      { is: categories.second, count: summary.onlySecond, words: `only in ${second.name}` },
      { is: null, count: summary.equal, words: 'equal' },
    ],
    remarks,
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
  });
}

function objectEntry(object: DiffObject, diff: Diff, isOpen: boolean): Entry {
  const { address, source } = object;
  const category = categories[object.in];
  const fields = fieldsOf(object.diff, maxLines);
  const [first, second] = diff.sides;
  const summary = html`<span class="badge ${category}"><b aria-hidden="true">${diffSymbols[object.in]}</b>${whereWords(object, diff)}</span>
${addressMarkup(address)}
${object.in === 'both' ? html`<span class="what">${fields.map(({ difference }) => oneLine(pathWords(difference.path))).join(' · ')}</span>` : ''}
${source === null ? '' : html`<span class="where">${place(source)}</span>`}`;
  const body = html`${object.in === 'both' ? '' : html`<p>This object is ${whereWords(object, diff)}.</p>`}
${fieldsMarkup(fields, { sides: [first.name, second.name], nameOf, captionOf: (difference) => captionOf(difference, diff) })}`;
  return {
    id: address,
    address,
    categories: [category],
    isOpen: isOpen && object.in === 'both',
    summary,
    body,
    text: fields.flatMap(textsOf).join('\n'),
    same: [],
  };
}

const nameOf = ({ path }: SideDifference): Markup => html`<code>${oneLine(pathWords(path))}</code>`;

function captionOf(difference: SideDifference, { sides: [first, second] }: Diff): Markup {
  return html`${nameOf(difference)} <span class="old">−</span> ${first.name} <span class="new">+</span> ${second.name}`;
}
