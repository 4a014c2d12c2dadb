import { type Group as Family, groupBy } from '../model/basics.ts';
import type { Diagnostic, Severity } from '../model/failure.ts';
import { namesAndMore, timeWords } from '../model/words.ts';
import { familiesOf } from './families.ts';
import { permalink } from './html/entries.ts';
import { type LineDiff, signedLines } from './line-diff.ts';
import {
  type Entry,
  type Group,
  linesOf,
  type Page,
  type ReportOptions,
  reasonOf,
  reviewOf,
  sourceLink,
  urgencyOf,
} from './page.ts';
import { codeBlock, codeSpan, disarm, escapeHtml, escapeMarkdown, oneLine } from './safe.ts';
import { type Field, fieldWords, haveBase, notesOf, shortenFields, textOfParts } from './values.ts';
import {
  countWords,
  familyWords,
  joinParts,
  namesInBrief,
  place,
  pluralize,
  readable,
  symbols,
  whereOf,
} from './words.ts';

const maxLines = 60;
const maxListed = 200;
const maxMembers = 50;
/** How many environments a heading names; all are in a list. */
const maxHeading = 3;

const severitySigns: Readonly<Record<Severity, string>> = { error: '❌', warning: '⚠️', info: 'ℹ️' };
/** Errors are the last to be cut, also among the changes of a plan. */
const severityRanks: Readonly<Record<Severity, number>> = { error: -1, warning: 100, info: 101 };
const levelSigns = { high: '🔴 high', medium: '🟠 medium', low: '🔵 low' } as const;
const outcomeSigns = { done: '✅', failed: '❌', skipped: '⏭️', notAttempted: '⬜', unknown: '❓' } as const;

const showFile =
  'See all of it in the HTML report among the artifacts, or with `tenantctl show FILE` of the saved plan or result.';
const advice: Readonly<Record<Page['command'], string>> = {
  plan: showFile,
  apply: showFile,
  diff: 'See all of it with `tenantctl diff`, or in its HTML report (`--report diff.html`).',
  validate: '`tenantctl validate` shows all of them.',
};

/**
 * A page as a comment for a pull request, within GitHub's length. It begins with what to read first and ends with the digest.
 * Severe changes are shown even if the rest is cut.
 */
export function writeMarkdown(page: Page, options: ReportOptions): string {
  const review = reviewOf(page);
  const groups: SectionGroup[] = [
    ...page.problems.map(({ names, items }) => ({
      heading: names.length === 0 ? '' : headingOf(namesInBrief(names)),
      sections: items.map(problemSection),
    })),
    ...review.groups
      .filter(({ isRoutine }) => !isRoutine)
      .map((group) => groupSections(group, page, options)),
    {
      heading: headingOf('Remarks'),
      sections: review.loose
        .filter(([, remarks]) => !options.quiet || remarks.some(({ severity }) => severity !== 'info'))
        .map(([code, remarks]) => remarkSection(code, remarks)),
    },
    { heading: '\n', sections: othersSection(page) },
  ];
  const foot = page.digest === null ? '' : `\nDigest: ${codeSpan(page.digest)}\n`;
  const comment = fitComment(headOf(page, options), groups, foot, advice[page.command]);
  // Its parts are safe alone, but joined they could form a command to a CI system.
  return disarm(comment);
}

/** The empty line ends the list above. */
const headingOf = (title: string): string => `\n#### ${escapeMarkdown(title)}\n\n`;

function headOf(page: Page, options: ReportOptions): string {
  const { command, name, note, tenants, alarm, points, sides, matrix, steps, facts, applyWith } = page;
  const grave = points.filter(({ level }) => level === 'high').map(({ words }) => words);
  const alert = joinParts([alarm !== null && `**${escapeMarkdown(alarm)}**`, grave.join(' · ')], '\\\n> ');
  const where = [tenants !== '' && codeSpan(tenants), ...facts.map(factWords)];
  const parts = [
    `### tenantctl ${command}${name === '' ? '' : `: ${escapeMarkdown(name)}`}`,
    note !== null && `**${escapeMarkdown(note)}**`,
    alert !== '' && `> [!CAUTION]\n> ${alert}`,
    joinParts(where, ' · '),
    applyWith !== null && `To apply exactly this plan, once it is approved: ${codeSpan(applyWith)}`,
    points.length > 0 && pointTable(page, options),
    sides
      .map((side) =>
        `- \`${symbols[side.action]}\` **${escapeMarkdown(side.name)}** ${codeSpan(side.tenant)}`.trimEnd(),
      )
      .join('\n'),
    matrix !== null && matrixTable(matrix),
    verdictOf(page),
    steps.join('\\\n'),
  ];
  return `${joinParts(parts, '\n\n')}\n\n`;
}

function verdictOf({ is, alarm, verdict, label, counts, matrix }: Page): string {
  if (verdict !== null) return `**${escapeMarkdown(verdict.words)}**`;
  if (is === 'result') return alarm === null ? `**${label ?? ''}:** ${countWords(counts)}.` : '';
  if (matrix !== null || counts.length === 0) return '';
  const titles = counts.map(({ words }) => escapeMarkdown(words));
  const cells = counts.map(({ count }) => countCell(count));
  return table(titles, [cells], new Array<string>(counts.length).fill(':-:'));
}

function factWords({ name, value, is, link }: Page['facts'][number]): string {
  if (is === 'time') return `${name.toLowerCase()} ${escapeMarkdown(timeWords(value))}`;
  if (name === 'Took' || name === 'Limited by') return `${name.toLowerCase()} ${codeSpan(value)}`;
  if (name !== 'Commit') return '';
  return `commit ${linked(escapeMarkdown(value), link)}`;
}

const linked = (words: string, link: string | null | undefined): string =>
  link ? `[${words}](<${link.replace(/[<>\s]/g, encodeURIComponent)}>)` : words;

function pointTable(page: Page, options: ReportOptions): string {
  const rows = page.points.flatMap((point) => {
    const { lines, more } = linesOf(point);
    const cells = lines.map(({ objects, more, consequence }) => {
      const names = objects.map(({ entry, where }) => {
        const link = entryLink(entry, options)?.replaceAll('|', '%7C');
        return `${linked(cellCode(readable(entry.address)), link)}${escapeMarkdown(where)}`;
      });
      return [namesAndMore(names, more), escapeMarkdown(consequence)];
    });
    return [...cells, ...(more === 0 ? [] : [[`and ${more} more`, '']])].map((rest, at) => [
      ...(at === 0 ? [levelSigns[point.level], `**${point.words}**`] : ['', '']),
      ...rest,
    ]);
  });
  return `**${page.pointsTitle}**\n\n${table(['severity', 'what', 'objects', 'consequence'], rows)}`;
}

/** A bar ends a cell of a table even in code, unless it is escaped. */
const cellCode = (text: string): string => codeSpan(text).replaceAll('|', '\\|');

function matrixTable({ columns, rows }: NonNullable<Page['matrix']>): string {
  const cells = rows.map(({ names, isFailed, counts, words }) => {
    // The table is never cut, so that it names every environment that failed.
    const name = isFailed ? `❌ ${escapeMarkdown(names.join(', '))}` : escapeMarkdown(namesInBrief(names));
    const state = escapeMarkdown(words);
    return counts ? [joinParts([name, state], ' · '), ...counts.map(countCell)] : [name, state];
  });
  return table(['environment', ...columns], cells, ['---', ...columns.map(() => ':-:')]);
}

/** @param rules `:-:` for a column in the middle */
function table(titles: readonly string[], rows: readonly string[][], rules = titles.map(() => '---')) {
  return [titles, rules, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const countCell = (count: number): string => (count > 0 ? `**${count}**` : '0');

function groupSections({ title, words, names, entries }: Group, page: Page, options: ReportOptions) {
  const isLine = ({ isLine, notices, sent }: Entry) => isLine && notices.length + sent.length === 0;
  const lines = groupBy(entries.filter(isLine), (each) => `${symbols[each.action]} ${each.words}`);
  const list = foldedSection(`All ${names.length} environments`, names.map(codeSpan).join(', '));
  const sections = [
    ...(names.length > maxHeading
      ? [{ ...list, rank: 200, count: names.length, label: 'names of environments' }]
      : []),
    ...familiesOf(entries.filter((entry) => !isLine(entry))).map((family) => entrySection(family, options)),
    ...lines.map(([, same]) => (same.length === 1 ? entrySection(same, options) : lineSection(same))),
  ];
  const heading = page.named === 'kind' ? `${title}: ${words}` : title;
  return { heading: headingOf(heading), sections };
}

function lineSection(entries: Family<Entry>): Section {
  const [{ kind, words }] = entries;
  const title = `${signsOf(entries[0])} ${pluralize(entries.length, 'object')} ${escapeHtml(oneLine(words))}`;
  const list = bulletList(entries.map(({ address }) => codeSpan(readable(address))));
  const label = `${escapeMarkdown(kind)}, ${escapeMarkdown(words)}`;
  return { ...foldedSection(title, list), rank: list.length, count: entries.length, label };
}

function bulletList(items: readonly string[]): string {
  const rest = items.length - maxListed;
  const shown = items.slice(0, maxListed).map((item) => `- ${item}`);
  return [...shown, ...(rest > 0 ? [`- … and ${rest} more`] : [])].join('\n');
}

/** One entry or several that are the same, collapsed, with the values. In brief it is the title alone. */
function entrySection(family: Family<Entry>, options: ReportOptions): Section {
  const [entry] = family;
  const { source, objectId, history, impact } = entry;
  const known = [
    source !== null && linked(codeSpan(place(source)), sourceLink(source, options)),
    objectId !== null && `id ${codeSpan(objectId)}`,
    ...(history.isAsked ? history.words : []).map(escapeMarkdown),
  ];
  const members = family.slice(0, maxMembers).map(({ address }) => codeSpan(readable(address)));
  const names = namesAndMore(members, family.length - members.length);
  const details = [
    family.length > 1 && `The same in ${names}. Shown is the first:`,
    joinParts(known, ' · '),
    noticeLines(family),
    ...(entry.isLine ? [] : fieldBlocks(shortenFields(entry.fields(), maxLines), entry.sides)),
    entry.secrets.length > 0 && `Sends secrets: ${entry.secrets.map(codeSpan).join(', ')}`,
    impact !== null && `It ${impact.words}${impact.moves.length === 0 ? '.' : ':'}`,
    (impact?.moves ?? []).map(({ words }) => `- ${escapeMarkdown(words)}`).join('\n'),
    entry.sent.map((words) => `- ${codeSpan(words)}`).join('\n'),
  ];
  const title = familyTitle(family, options);
  const folded = foldedSection(title, joinParts(details, '\n\n'), entry.isFailure ? ' open' : '');
  const label = `${escapeMarkdown(entry.kind)}, ${reasonOf(entry)}`;
  // Failures and urgent changes are cut last; of those that are alike, long ones first.
  return { ...folded, rank: urgencyOf(entry) + folded.whole.length / 1e6, count: family.length, label };
}

const signsOf = ({ outcome, action }: Entry): string =>
  `${outcome === null ? '' : `${outcomeSigns[outcome]} `}<code>${symbols[action]}</code>`;

/** Part of a summary element, in which GitHub reads no Markdown. */
function familyTitle(family: Family<Entry>, options: ReportOptions): string {
  const [entry] = family;
  const labels = entry.notices.map(({ is, label }) =>
    // The words of the action say it.
    label === null || is === 'task' || label === 'DELETE' ? '' : ` ⚠️ <b>${escapeHtml(label)}</b>`,
  );
  const link = entryLink(entry, options);
  const name = `<code>${escapeHtml(oneLine(readable(entry.address)))}</code>`;
  const linked = link === null ? name : `<a href="${escapeHtml(link)}">${name}</a>`;
  const same = family.length > 1 ? `, <b>${familyWords(family.length)}</b>` : '';
  return `${signsOf(entry)} ${linked} ${escapeHtml(oneLine(entry.words))}${same}${labels.join('')}`;
}

/** The entry in the HTML report; `null` if its web address is not known. */
function entryLink({ id }: Entry, { reportUrl }: ReportOptions): string | null {
  if (reportUrl === undefined || !URL.canParse(reportUrl)) return null;
  const { protocol, href } = new URL(permalink(id), reportUrl);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}

function noticeLines(family: Family<Entry>): string {
  const [{ notices }] = family;
  const errors = notices.filter(({ is }) => is === 'error').map(({ text }) => codeBlock(text, ''));
  const others = notices.filter(({ is }) => is !== 'error');
  const remarks = family.flatMap((entry) => entry.remarks);
  const lines = [
    ...others.map(({ label, text }) => {
      const name = label === null ? '' : `**${escapeMarkdown(label)}**: `;
      return `> ⚠️ ${name}${escapeMarkdown(text)}`;
    }),
    ...remarks.map((remark) => `> ${diagnosticItem(remark).slice(2).trimEnd()}`),
  ];
  return joinParts([...errors, lines.join('\n>\n')], '\n\n');
}

/** Short values share one table; each long one has a block of its own. */
function fieldBlocks(fields: readonly Field[], [before, after]: Entry['sides']): string[] {
  const short = fields.filter(({ view }) => view.is !== 'lines');
  const hasBase = haveBase(short);
  const rows = short.map((field) => {
    const { view } = field;
    const title = joinParts([cellCode(field.name), escapeMarkdown(notesOf(field))], ' ');
    const values =
      view.is === 'inline'
        ? [textOfParts(view.before), textOfParts(view.after), view.base ?? ''].map(cellCode)
        : [fieldWords.sensitive, fieldWords.sensitive, ''];
    return [title, ...values].slice(0, hasBase ? 4 : 3);
  });
  const heads = ['field', before, after, ...(hasBase ? [fieldWords.base] : [])].map(escapeMarkdown);
  const long = fields.flatMap((field) => {
    if (field.view.is !== 'lines') return [];
    const { diff, moves } = field.view;
    const block = diffBlock(codeSpan(field.name), notesOf(field), diff);
    return moves === null ? [block] : [block, diffBlock(fieldWords.tenantMove, '', moves.tenant)];
  });
  return [...(rows.length === 0 ? [] : [table(heads, rows)]), ...long];
}

function diffBlock(title: string, origin: string, diff: LineDiff): string {
  const { notes, hidden } = diff;
  const signed = signedLines(diff);
  const hasGaps = signed.filter(({ sign }) => sign === '@').length > 1;
  const lines = signed
    .filter(({ sign }) => sign !== '@' || hasGaps)
    .map(({ sign, parts }) => {
      const text = oneLine(textOfParts(parts).replaceAll('\t', '    '));
      return sign === '@' ? `@@ ${text} @@` : `${sign} ${text}`;
    });
  const more = [...notes, ...(hidden > 0 ? [`${pluralize(hidden, 'line')} more`] : [])].join('; ');
  const words = `${origin === '' ? '' : `, ${origin}`}${more === '' ? '' : ` (${more})`}`;
  const heading = `${title}${escapeMarkdown(words)}:`;
  return lines.length === 0 ? heading : `${heading}\n\n${codeBlock(lines.join('\n'), 'diff')}`;
}

/** A title and what is expanded below it, with attributes of the element that holds both. */
function foldedSection(title: string, body: string, attributes = ''): Pick<Section, 'whole' | 'brief'> {
  const brief = `<p>${title}</p>\n\n`;
  const whole = `<details${attributes}><summary>${title}</summary>\n\n${body}\n\n</details>\n\n`;
  return { whole: body === '' ? brief : whole, brief };
}

function othersSection({ others }: Page): Section[] {
  if (others === null) return [];
  const { title, words, names } = others;
  const items = names.map(({ address, note }) =>
    joinParts([codeSpan(readable(address)), note !== '' && escapeMarkdown(note)], ': '),
  );
  const folded = foldedSection(`${escapeHtml(title)}: ${escapeHtml(words)}`, bulletList(items));
  return [{ ...folded, rank: 200, count: names.length, label: escapeMarkdown(title.toLowerCase()) }];
}

/** Remarks that belong to no entry. Those with the same code share a section. */
function remarkSection(code: string, remarks: Family<Diagnostic>): Section {
  if (remarks.length === 1) return problemSection(remarks[0]);
  const title = `${pluralize(remarks.length, 'remark')} <code>${escapeHtml(oneLine(code))}</code>`;
  const folded = foldedSection(title, remarks.map(diagnosticItem).join('').trimEnd());
  return { ...folded, rank: 100, count: remarks.length, label: `remarks ${codeSpan(code)}` };
}

function problemSection(diagnostic: Diagnostic): Section {
  const { severity, code, excerpt } = diagnostic;
  const item = diagnosticItem(diagnostic);
  const block = excerpt === undefined ? '' : codeBlock(excerpt.replace(/\n+$/, ''), '').replace(/^/gm, '  ');
  return {
    whole: block === '' ? item : `${item}\n${block}\n\n`,
    brief: item,
    rank: severityRanks[severity],
    count: 1,
    label: `${severity} ${codeSpan(code)}`,
  };
}

function diagnosticItem(diagnostic: Diagnostic): string {
  const { severity, code, message, hint } = diagnostic;
  const where = whereOf(diagnostic);
  const parts = [
    `${severitySigns[severity]} **${severity}**`,
    where !== undefined && codeSpan(where),
    escapeMarkdown(message),
    codeSpan(code),
    hint !== undefined && `_hint:_ ${escapeMarkdown(hint)}`,
  ];
  return `- ${joinParts(parts, ' ')}\n`;
}

/**
 * The longest comment, in characters. GitHub accepts 65,536 and GitLab 1,000,000; the pipelines of `init` add the
 * project's folder, a link, or what a request of drift is about.
 */
const maxLength = 64_000;
/** Kept free for the note that counts what is cut. */
const noteLength = 1500;
/** This part of the room at most is kept for the sections that follow, so that they are at least mentioned. */
const briefShare = 0.5;

interface Section {
  readonly whole: string;
  readonly brief: string;
  /** The lowest are the last to be cut. */
  readonly rank: number;
  /** The objects or remarks in it. */
  readonly count: number;
  /** Names it in the count of what is cut, as Markdown: `SenderAddress, delete`. */
  readonly label: string;
}

interface SectionGroup {
  readonly heading: string;
  readonly sections: readonly Section[];
}

type Form = 'whole' | 'brief';

/**
 * Head, sections and foot, within the length of a comment. The most urgent sections get room first, wherever they are. What
 * does not fit whole is shown in brief, and a note counts what is cut. The foot is always there.
 */
function fitComment(head: string, groups: readonly SectionGroup[], foot: string, advice: string): string {
  const room = maxLength - foot.length - noteLength;
  // It ends at an empty line, so that no markup stays open where it is too long by itself.
  const top = `${head.slice(0, head.lastIndexOf('\n\n', room))}\n\n`;
  const forms = chooseForms(groups, room - top.length);
  const body = groups.map(({ heading, sections }) => {
    const shown = sections.flatMap((section) => {
      const form = forms.get(section);
      return form ? section[form] : [];
    });
    return shown.length === 0 ? '' : heading + shown.join('');
  });
  const sections = groups.flatMap((group) => group.sections);
  return `${top}${cutNote(sections, forms, advice)}${body.join('')}${foot}`;
}

function chooseForms(groups: readonly SectionGroup[], length: number): ReadonlyMap<Section, Form> {
  const forms = new Map<Section, Form>();
  const begun = new Set<SectionGroup>();
  const byRank = groups
    .flatMap((group) => group.sections.map((section) => ({ group, section })))
    .toSorted((a, b) => a.section.rank - b.section.rank);
  let room = length;
  let left = byRank.reduce((sum, { section }) => sum + section.brief.length, 0);
  for (const { group, section } of byRank) {
    const heading = begun.has(group) ? 0 : group.heading.length;
    left -= section.brief.length;
    const kept = Math.min(left, length * briefShare);
    const form = heading + section.whole.length <= room - kept ? 'whole' : 'brief';
    if (heading + section[form].length > room) continue;
    forms.set(section, form);
    begun.add(group);
    room -= heading + section[form].length;
  }
  return forms;
}

function cutNote(sections: readonly Section[], forms: ReadonlyMap<Section, Form>, advice: string): string {
  const briefly = sections.filter(
    (section) => forms.get(section) === 'brief' && section.brief !== section.whole,
  );
  const omitted = sections.filter((section) => !forms.has(section));
  if (briefly.length + omitted.length === 0) return '';
  const lines = [
    '**Cut to the length of a comment.**',
    briefly.length > 0 && `- Without details: ${countLabels(briefly)}.`,
    omitted.length > 0 && `- Not shown: ${countLabels(omitted)}.`,
    `\n${advice}`,
  ];
  return `${joinParts(lines, '\n')}\n\n`;
}

/** `2 SenderAddress, delete; 700 NotificationTemplate, to update`, the most urgent first. */
function countLabels(sections: readonly Section[]): string {
  const sorted = sections.toSorted((a, b) => a.rank - b.rank);
  const counts = groupBy(sorted, ({ label }) => label).map(
    ([label, same]) => `${same.reduce((sum, { count }) => sum + count, 0)} ${label}`,
  );
  const shown: string[] = [];
  for (const count of counts) {
    if (`${shown.join('; ')}${count}`.length > noteLength / 3) break;
    shown.push(count);
  }
  const rest = counts.length - shown.length;
  return joinParts([...shown, rest > 0 && `and ${rest} other kinds`], '; ');
}
