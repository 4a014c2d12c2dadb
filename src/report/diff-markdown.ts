import { groupBy } from '../model/basics.ts';
import { type Diff, type DiffObject, type DiffSide, differs } from '../model/diff.ts';
import { diffCounts, diffSymbols, noDifferences, notComparedWords, whereWords } from './diff-view.ts';
import { fieldsOf, pathWords, sensitiveWords } from './difference.ts';
import { fitComment, type Section, type SectionGroup } from './fit-comment.ts';
import { bulletList, countTable, foldedSection, problemSection, table } from './markdown.ts';
import type { ReportOptions } from './options.ts';
import { longBlock, maxLines } from './plan-markdown.ts';
import { codeSpan, escapeHtml, escapeMarkdown, oneLine } from './safe.ts';
import { joinParts, place, pluralize, scopeWords, tenantWords } from './words.ts';

/** Of the objects that one side does not have, and of those that could not be compared, so many are named. */
const maxNamed = 200;

/** How to see what a comment has no room for. */
const showAll = 'See all of it with `tenantctl diff`, or in its HTML report (`--report diff.html`).';

/** A diff as a comment, within GitHub's length. The shortest differences are shown first; what is cut is counted. */
export function diffMarkdown(diff: Diff, options: ReportOptions): string {
  const groups = groupBy(diff.objects, ({ kind }) => kind).map(([kind, objects]): SectionGroup => {
    const differing = objects.filter((object) => object.in === 'both');
    return {
      heading: `\n#### ${escapeMarkdown(kind)}: ${escapeMarkdown(diffCounts(objects, diff))}\n\n`,
      sections: [
        ...differing.map((object) => objectSection(object, diff)),
        ...(['first', 'second'] as const).flatMap((where) => aloneSection(objects, where, diff)),
      ],
    };
  });
  const remarks = options.quiet ? [] : diff.diagnostics.map(problemSection);
  return fitComment(
    headOf(diff),
    [...groups, { heading: '\n#### Remarks\n\n', sections: [...notComparedSection(diff), ...remarks] }],
    { foot: '', advice: showAll },
  );
}

function headOf(diff: Diff): string {
  const [first, second] = diff.sides;
  const limits = scopeWords(diff.scope);
  const sides = [first, second].map(
    (side, at) => `- \`${diffSymbols[at === 0 ? 'first' : 'second']}\` ${sideWords(side)}`,
  );
  const parts = [
    `### tenantctl diff: ${escapeMarkdown(first.name)} and ${escapeMarkdown(second.name)}`,
    sides.join('\n'),
    limits !== '' && `limited by ${codeSpan(limits)}`,
    differs(diff) ? diffTable(diff) : `**${escapeMarkdown(noDifferences(diff))}**`,
  ];
  return `${joinParts(parts, '\n\n')}\n\n`;
}

function sideWords({ name, tenant }: DiffSide): string {
  const where = tenant === null ? '' : ` ${codeSpan(tenantWords(tenant))}`;
  return `**${escapeMarkdown(name)}**${where}`;
}

function diffTable({ summary, sides: [first, second] }: Diff): string {
  const { differing, onlyFirst, onlySecond, equal } = summary;
  return countTable([
    { words: 'differ', count: differing },
    { words: `only in ${escapeMarkdown(first.name)}`, count: onlyFirst },
    { words: `only in ${escapeMarkdown(second.name)}`, count: onlySecond },
    { words: 'equal', count: equal },
  ]);
}

function objectSection(object: DiffObject, diff: Diff): Section {
  const { address, source } = object;
  const title = `<code>${diffSymbols.both}</code> <code>${escapeHtml(oneLine(address))}</code>`;
  const details = [source !== null && codeSpan(place(source)), ...differenceBlocks(object, diff)];
  const section = foldedSection(title, joinParts(details, '\n\n'));
  return { ...section, rank: section.whole.length, label: `${escapeMarkdown(object.kind)}, differing` };
}

/** Short values in one table, with a column for each side; each long text has a block of its own. */
function differenceBlocks({ diff }: DiffObject, { sides: [first, second] }: Diff): string[] {
  const shown = fieldsOf(diff, maxLines);
  const rows = shown.flatMap(({ difference, view }) => {
    const name = codeSpan(pathWords(difference.path)).replaceAll('|', '\\|');
    if (view.is === 'lines') return [];
    if (view.is === 'sensitive') return [[name, sensitiveWords, sensitiveWords]];
    const cell = (value: string | null) => (value === null ? '' : codeSpan(value).replaceAll('|', '\\|'));
    return [[name, cell(view.before), cell(view.after)]];
  });
  const head = ['field', escapeMarkdown(first.name), escapeMarkdown(second.name)];
  return [
    ...(rows.length === 0 ? [] : [table([head, head.map(() => '---'), ...rows])]),
    ...shown.flatMap(({ difference, view }) =>
      view.is === 'lines' ? [longBlock(difference, view.diff)] : [],
    ),
  ];
}

/** The objects that only one of the sides has, as one list. */
function aloneSection(objects: readonly DiffObject[], where: 'first' | 'second', diff: Diff): Section[] {
  const alone = objects.filter((object) => object.in === where);
  const [one] = alone;
  if (!one) return [];
  const title = `<code>${diffSymbols[where]}</code> ${pluralize(alone.length, 'object')} ${escapeHtml(oneLine(whereWords(one, diff)))}`;
  const list = bulletList(
    alone.map(({ address }) => codeSpan(address)),
    maxNamed,
  );
  const label = `lists of ${escapeMarkdown(one.kind)}, ${escapeMarkdown(whereWords(one, diff))}`;
  return [{ ...foldedSection(title, list), rank: list.length, label }];
}

function notComparedSection({ notComparable }: Diff): Section[] {
  if (notComparable.length === 0) return [];
  const title = `${pluralize(notComparable.length, 'object')} with values that are not comparable: ${notComparedWords}`;
  const items = notComparable.map(
    ({ address, paths }) =>
      `${codeSpan(address)}: ${paths.map((path) => codeSpan(pathWords(path))).join(', ')}`,
  );
  const list = bulletList(items, maxNamed);
  return [{ ...foldedSection(title, list), rank: list.length, label: 'lists of what is not comparable' }];
}
