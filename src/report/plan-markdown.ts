import { groupBy } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Change, type Difference, hasChanges, isRefused, type Plan } from '../model/plan.ts';
import { namesAndMore } from '../model/words.ts';
import { planCommand } from './apply-command.ts';
import {
  attentionOf,
  concernsOf,
  firstOf,
  type Point,
  pointWords,
  sortByUrgency,
  urgencyOf,
} from './attention.ts';
import { type Field, fieldsOf, pathWords, sensitiveWords } from './difference.ts';
import { type Family, familiesOf } from './families.ts';
import { fitComment, type Section, type SectionGroup } from './fit-comment.ts';
import { permalink } from './html/entries.ts';
import { firstLineOf, type LineDiff, signedLines } from './line-diff.ts';
import {
  bulletList,
  countTable,
  diagnosticItem,
  foldedSection,
  problemSection,
  showAll,
} from './markdown.ts';
import type { ReportOptions } from './options.ts';
import { type Remarks, remarksOf } from './remarks.ts';
import { codeBlock, codeSpan, escapeHtml, escapeMarkdown, oneLine } from './safe.ts';
import {
  actionWords,
  changeCounts,
  familyWords,
  impactUnknown,
  impactWords,
  joinParts,
  movedWords,
  moves,
  noChanges,
  originNotes,
  place,
  pluralize,
  refused,
  riskWords,
  type ShownChange,
  scopeWords,
  secretNamesOf,
  sourceLink,
  summaryCounts,
  symbols,
  tenantWords,
  titleOfPlan,
  undeclaredWords,
} from './words.ts';

/** More lines of one value are cut in a comment. */
export const maxLines = 60;

/**
 * A plan as a comment for a pull request, within GitHub's length. It begins with what to read first and ends with the
 * digest. What is grave is shown even where the rest is cut.
 */
export function planMarkdown(plan: Plan, options: ReportOptions): string {
  const remarks = remarksOf(plan);
  const kinds = groupBy(sortByUrgency(plan.changes), ({ kind }) => kind);
  const groups: SectionGroup[] = [
    { heading: '', sections: undeclaredSection(plan) },
    { heading: '', sections: remarks.errors.map(problemSection) },
    ...kinds.map(([kind, changes]) => ({
      heading: `\n#### ${escapeMarkdown(kind)}: ${changeCounts(changes)}\n\n`,
      sections: familiesOf(changes, maxLines).map((family) => planSection(family, remarks, options)),
    })),
    remarkGroup(remarks.byCode, options),
  ];
  return fitComment(planHead(plan, options), groups, {
    foot: commentFoot(plan.digest, planCommand(plan, options)),
    advice: showAll,
  });
}

function planHead(plan: Plan, options: ReportOptions): string {
  const limits = scopeWords(plan.scope);
  const where = [codeSpan(tenantWords(plan.tenant)), limits !== '' && `limited by ${codeSpan(limits)}`];
  const parts = [
    `### tenantctl plan: ${escapeMarkdown(plan.environment)}`,
    plan.undoes && `**${escapeMarkdown(titleOfPlan(plan))}**`,
    isRefused(plan) && `> [!CAUTION]\n> **${refused}**`,
    readFirst(attentionOf(plan.changes), options),
    joinParts(where, ' · '),
    hasChanges(plan) ? countTable(summaryCounts(plan.summary)) : `**${noChanges(plan)}**`,
  ];
  return `${joinParts(parts, '\n\n')}\n\n`;
}

/** The first of them, since a comment is limited. */
const mostUndeclared = 50;

function undeclaredSection(plan: Plan): Section[] {
  const words = undeclaredWords(plan);
  if (words === null) return [];
  const list = bulletList((plan.undeclared ?? []).map(codeSpan), mostUndeclared);
  const section = foldedSection(`Undeclared: ${escapeHtml(words)}`, list);
  return [{ ...section, rank: 200, label: 'list of undeclared objects' }];
}

/** Everything that raises a concern, with the first addresses of each. */
export function readFirst(
  points: readonly Point[],
  { reportUrl }: Pick<ReportOptions, 'reportUrl'> = {},
): string {
  if (points.length === 0) return '';
  const items = points.map((point) => {
    const { first, more } = firstOf(point);
    const addresses = first.map(({ address }) => {
      const link = changeLink(address, reportUrl);
      return link === null ? codeSpan(address) : `[${codeSpan(address)}](<${link}>)`;
    });
    return `- **${pointWords(point)}**: ${namesAndMore(addresses, more)}`;
  });
  return `**Read this first**\n\n${items.join('\n')}`;
}

/** The end of a comment: how to apply what was approved, and the digest. */
export function commentFoot(digest: string, command: string | null): string {
  const words =
    command === null ? '' : `\nTo apply exactly this plan, once it is approved: ${codeSpan(command)}\n`;
  return `${words}\nDigest: ${codeSpan(digest)}\n`;
}

/** Remarks that belong to no change. Those with the same code share a section. */
export function remarkGroup(
  byCode: Remarks['byCode'],
  { quiet = false }: Pick<ReportOptions, 'quiet'>,
): SectionGroup {
  return { heading: '\n#### Remarks\n\n', sections: quiet ? [] : byCode.map(remarkSection) };
}

function remarkSection([code, diagnostics]: Remarks['byCode'][number]): Section {
  const [first] = diagnostics;
  if (first && diagnostics.length === 1) return problemSection(first);
  const title = `${pluralize(diagnostics.length, 'remark')} <code>${escapeHtml(oneLine(code))}</code>`;
  return {
    ...foldedSection(title, diagnostics.map(diagnosticItem).join('').trimEnd()),
    rank: 100,
    label: `remarks ${codeSpan(code)}`,
  };
}

/** One change or several that are the same, collapsed, with the differences. In brief it is the title alone. */
export function planSection(
  family: Family,
  remarks: Pick<Remarks, 'ofChange'>,
  { sourceUrl, reportUrl }: ReportOptions,
): Section {
  const [change] = family;
  const details = [
    family.length > 1 && memberLines(family),
    placeLine(change, sourceUrl),
    warningLines(
      change,
      family.flatMap(({ address }) => remarks.ofChange.get(address) ?? []),
    ),
    ...differenceBlocks(change),
    secretsLine(change),
    impactBlock(change),
  ];
  const [concern] = concernsOf(change);
  const words =
    concern === undefined ? actionWords[change.action] : pointWords({ concern, count: 1 }).slice(2);
  return {
    ...foldedSection(familyTitle(family, reportUrl), joinParts(details, '\n\n')),
    rank: urgencyOf(change),
    label: `${escapeMarkdown(change.kind)}, ${words}`,
  };
}

/** Part of a summary element, in which GitHub reads no Markdown. */
function familyTitle(family: Family, reportUrl: string | undefined): string {
  const [{ action, address, risk }] = family;
  const labels = risk.map((name) => ` ⚠️ <b>${escapeHtml(riskWords[name].label)}</b>`).join('');
  const link = changeLink(address, reportUrl);
  const name = `<code>${escapeHtml(oneLine(address))}</code>`;
  const code = link === null ? name : `<a href="${escapeHtml(link)}">${name}</a>`;
  const same = family.length > 1 ? `, <b>${familyWords(family.length)}</b>` : '';
  return `<code>${symbols[action]}</code> ${code} ${actionWords[action]}${same}${labels}`;
}

/** Where the HTML report shows a change; `null` without the web address of that report. */
function changeLink(address: string, reportUrl: string | undefined): string | null {
  if (reportUrl === undefined || !URL.canParse(reportUrl)) return null;
  const { protocol, href } = new URL(permalink(address), reportUrl);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}

/** All objects that a family changes. */
function memberLines(family: Family): string {
  const maxMembers = 50;
  const shown = family.slice(0, maxMembers).map(({ address }) => codeSpan(address));
  return `The same in ${namesAndMore(shown, family.length - shown.length)}. Shown is the first:`;
}

function placeLine({ source, id }: Change, sourceUrl: string | undefined): string {
  const link = sourceLink(source, sourceUrl);
  const where = source === null ? '' : codeSpan(place(source));
  const linked = link === null ? where : `[${where}](<${link.replace(/[<>\s]/g, encodeURIComponent)}>)`;
  return joinParts([linked, id !== null && `id ${codeSpan(id)}`], ' · ');
}

function warningLines({ risk, warnings }: Change, remarks: readonly Diagnostic[]): string {
  const lines = [
    ...risk.map((name) => `> ⚠️ **${riskWords[name].label}**: ${escapeMarkdown(riskWords[name].meaning)}`),
    ...warnings.map((warning) => `> ⚠️ ${escapeMarkdown(warning)}`),
    ...remarks.map((remark) => `> ${diagnosticItem(remark).slice(2).trimEnd()}`),
  ];
  return lines.join('\n>\n');
}

function secretsLine(change: ShownChange): string {
  const names = secretNamesOf(change);
  return names.length === 0 ? '' : `Sends secrets: ${names.map(codeSpan).join(', ')}`;
}

function impactBlock({ impact }: Change): string {
  if (!impact) return '';
  if ('notRun' in impact) return `> ⚠️ ${escapeMarkdown(`${impactUnknown}. ${impact.notRun}`)}`;
  const words = `It ${impactWords(impact)}`;
  const lines = moves.flatMap((move) => movedWords(impact, move) ?? []);
  if (lines.length === 0) return `${words}.`;
  return `${words}:\n\n${lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n')}`;
}

/** Short differences share one block; each long one has its own. */
function differenceBlocks({ diff }: Change): string[] {
  const views = fieldsOf(diff, maxLines);
  const short = views.flatMap(shortLines);
  const long = views.flatMap(({ difference, view }) =>
    view.is === 'lines' ? [longBlock(difference, view.diff)] : [],
  );
  return [...(short.length === 0 ? [] : [codeBlock(short.join('\n'), 'diff')]), ...long];
}

function shortLines({ difference, view }: Field<Difference>): string[] {
  const name = `${oneLine(pathWords(difference.path))}:`;
  const notes = oneLine(originNotes(difference));
  const origin = notes === '' ? '' : `   # ${notes}`;
  switch (view.is) {
    case 'lines':
      return [];
    case 'sensitive':
      return [`! ${name} ${sensitiveWords}${origin}`];
    case 'inline':
      if (view.after === null)
        return view.before === null ? [] : [`- ${name} ${oneLine(view.before)}${origin}`];
      return [
        ...(view.before === null ? [] : [`- ${name} ${oneLine(view.before)}`]),
        `+ ${name} ${oneLine(view.after)}${origin}`,
      ];
  }
}

/** The lines of a long text that differ, below the name of its field. */
export function longBlock(
  difference: Pick<Difference, 'path'> & Partial<Pick<Difference, 'origin' | 'overlay'>>,
  { hunks, notes, hidden }: LineDiff,
): string {
  const lines = hunks.flatMap((hunk) => [
    ...(hunks.length > 1 ? [`@@ line ${firstLineOf(hunk)} @@`] : []),
    ...signedLines(hunk).map(
      ({ sign, parts }) =>
        `${sign} ${oneLine(parts.map(({ text }) => text.replaceAll('\t', '    ')).join(''))}`,
    ),
  ]);
  const allNotes = [...notes, ...(hidden > 0 ? [`${pluralize(hidden, 'line')} more`] : [])];
  const origin = originNotes(difference);
  const words = origin === '' ? '' : `, ${escapeMarkdown(origin)}`;
  const heading = `${codeSpan(pathWords(difference.path))}${words}${allNotes.length > 0 ? ` (${escapeMarkdown(allNotes.join('; '))})` : ''}:`;
  return lines.length === 0 ? heading : `${heading}\n\n${codeBlock(lines.join('\n'), 'diff')}`;
}
