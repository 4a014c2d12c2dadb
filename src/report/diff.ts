import { groupBy, lazy } from '../model/basics.ts';
import { sha256 } from '../model/digest.ts';
import { type Diff, type DiffObject, differs } from '../model/documents.ts';
import { type Entry, emptyEntry, emptyPage, groupByKind, type Page } from './page.ts';
import { fieldOf, pathWords } from './values.ts';
import { type Count, countIs, joinParts, scopeWords, tenantWords } from './words.ts';

/** An object of the first side alone looks removed, one of the second side alone looks added. */
const actions = { both: 'update', first: 'delete', second: 'create' } as const;

export function diffPage(diff: Diff): Page {
  const [first, second] = diff.sides;
  const { notComparable, scope, tool } = diff;
  const limits = scopeWords(scope);
  const entries = diff.objects.map((object) => objectEntry(object, diff));
  return {
    ...emptyPage,
    is: 'diff',
    command: 'diff',
    heading: `Differences between ${first.name} and ${second.name}`,
    name: `${first.name} and ${second.name}`,
    sides: diff.sides.map(({ name, tenant }, at) => ({
      action: actions[at === 0 ? 'first' : 'second'],
      name,
      tenant: tenant === null ? '' : tenantWords(tenant),
    })),
    label: 'Diff',
    counts: countsOf(diff.summary, diff.sides),
    verdict: differs(diff) ? null : { words: noDifferences(diff), isGood: true },
    remarks: diff.diagnostics,
    // Objects that one side lacks are a list below the differences.
    groups: groupByKind(entries, entryCounts).map((group) => ({
      ...group,
      entries: group.entries.toSorted((a, b) => Number(a.isLine) - Number(b.isLine)),
    })),
    others:
      notComparable.length === 0
        ? null
        : {
            title: 'Not comparable',
            words: 'a side does not show it, or its secret is not set',
            names: notComparable.map(({ address, paths }) => ({
              address,
              note: paths.map(pathWords).join(', '),
            })),
            most: 10,
          },
    key: sha256({ sides: diff.sides, objects: diff.objects }),
    facts: [
      { name: 'Made', value: diff.createdAt, is: 'time' },
      ...(limits === '' ? [] : [{ name: 'Limited by', value: limits, is: 'text' } as const]),
      { name: 'Tool', value: `${tool.name} ${tool.version}`, is: 'footer' },
    ],
  };
}

function objectEntry(object: DiffObject, { sides: [first, second] }: Diff): Entry {
  const { address, kind, source, diff } = object;
  const isInBoth = object.in === 'both';
  const action = actions[object.in];
  return {
    ...emptyEntry,
    id: address,
    address,
    kind,
    action,
    category: action,
    words: isInBoth ? 'differs' : `only in ${(object.in === 'first' ? first : second).name}`,
    isLine: !isInBoth,
    source,
    sides: [first.name, second.name],
    fields: lazy(() => diff.map(fieldOf)),
  };
}

function countsOf(summary: Diff['summary'], [first, second]: Diff['sides']): Count[] {
  return [
    { is: actions.both, count: summary.differing, words: summary.differing === 1 ? 'differs' : 'differ' },
    { is: actions.first, count: summary.onlyFirst, words: `only in ${first.name}` },
    { is: actions.second, count: summary.onlySecond, words: `only in ${second.name}` },
    { is: null, count: summary.equal, words: 'equal' },
  ];
}

/** `2 differ, 1 only in test` */
function entryCounts(entries: readonly Entry[]): string {
  const counts = groupBy(entries, ({ words }) => words).map(
    ([words, { length }]) => `${length} ${words === 'differs' && length > 1 ? 'differ' : words}`,
  );
  return counts.join(', ');
}

function noDifferences({ summary: { equal }, sides: [first, second] }: Diff): string {
  const where = joinParts([first.name, second.name], ' and ');
  if (equal === 0) return `No differences: there is nothing to compare in ${where}.`;
  return `No differences: ${countIs(equal, 'object')} equal in ${where}.`;
}
