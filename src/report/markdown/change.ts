import type { Change, Difference } from '../../model/plan.ts';
import { impactUnknown, impactWords, isStill, movedWords, moves, nobodyMoves } from '../impact.ts';
import type { LineDiff } from '../lines.ts';
import { codeBlock, codeSpan, escapeHtml, escapeMarkdown, oneLine } from '../safe.ts';
import { sourceLink } from '../source.ts';
import { pathWords } from '../value.ts';
import { sensitiveWords, type View, viewOf } from '../view.ts';
import { actionWords, counted, originWords, place, riskWords, symbols } from '../words.ts';
import type { Section } from './fit.ts';

const maxLines = 60;

/** One change, collapsed, with its differences; in brief only its title. */
export function changeSection(change: Change, sourceUrl: string | undefined): Section {
  const details = [
    placeLine(change, sourceUrl),
    ...warningLines(change),
    ...differenceBlocks(change),
    impactBlock(change),
  ];
  const body = details.filter((part) => part !== '').join('\n\n');
  const whole = `<details><summary>${title(change)}</summary>\n\n${body}\n\n</details>\n\n`;
  return { whole, brief: `<p>${title(change)}</p>\n\n` };
}

/** The title stands in HTML, where Markdown is not read. */
function title({ action, address, risk }: Change): string {
  const shouts = risk.map((name) => ` ⚠️ <b>${escapeHtml(riskWords[name].shout)}</b>`).join('');
  const code = escapeHtml(oneLine(address));
  return `<code>${symbols[action]}</code> <code>${code}</code> ${actionWords[action]}${shouts}`;
}

function placeLine({ source, id }: Change, sourceUrl: string | undefined): string {
  const link = sourceLink(source, sourceUrl);
  const where = source === null ? '' : codeSpan(place(source));
  const linked = link === null ? where : `[${where}](<${link.replace(/[<>\s]/g, encodeURIComponent)}>)`;
  return [linked, id === null ? '' : `id ${codeSpan(id)}`].filter((part) => part !== '').join(' · ');
}

function warningLines({ risk, warnings }: Change): string[] {
  const lines = [
    ...risk.map((name) => `> ⚠️ **${riskWords[name].shout}**: ${escapeMarkdown(riskWords[name].meaning)}`),
    ...warnings.map((warning) => `> ⚠️ ${escapeMarkdown(warning)}`),
  ];
  return lines.length === 0 ? [] : [lines.join('\n>\n')];
}

function impactBlock({ impact }: Change): string {
  if (!impact) return '';
  if ('notRun' in impact) return `> ⚠️ ${escapeMarkdown(`${impactUnknown}. ${impact.notRun}`)}`;
  if (isStill(impact)) return `It ${impactWords(impact)}: ${nobodyMoves}.`;
  const lines = moves.flatMap((move) => movedWords(impact, move) ?? []);
  return [`It ${impactWords(impact)}:`, lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n')].join(
    '\n\n',
  );
}

/** Short differences share one block; each long one has its own. */
function differenceBlocks({ diff }: Change): string[] {
  const views = diff.map((difference) => ({ difference, view: viewOf(difference, maxLines) }));
  const short = views.flatMap(({ difference, view }) => shortLines(difference, view));
  const long = views.flatMap(({ difference, view }) =>
    view.is === 'lines' ? [longBlock(difference, view.diff)] : [],
  );
  return [...(short.length === 0 ? [] : [codeBlock(short.join('\n'), 'diff')]), ...long];
}

function shortLines(difference: Difference, view: View): string[] {
  const name = `${oneLine(pathWords(difference.path))}:`;
  const origin = difference.origin === null ? '' : `   # ${originWords[difference.origin]}`;
  switch (view.is) {
    case 'lines':
      return [];
    case 'sensitive':
      return [`! ${name} ${sensitiveWords}${origin}`];
    case 'inline':
      return [
        ...(view.before === null
          ? []
          : [`- ${name} ${oneLine(view.before)}${view.after === null ? origin : ''}`]),
        ...(view.after === null ? [] : [`+ ${name} ${oneLine(view.after)}${origin}`]),
      ];
  }
}

function longBlock({ path, origin }: Difference, { hunks, notes, hidden }: LineDiff): string {
  const lines = hunks.flatMap((hunk, index) => [
    ...(hunks.length > 1 || index > 0
      ? [`@@ line ${(hunk[0]?.after[0] ?? hunk[0]?.before[0])?.number ?? 1} @@`]
      : []),
    ...hunk.flatMap(({ is, before, after }) =>
      is === 'same'
        ? after.map((line) => `  ${textOf(line)}`)
        : [...before.map((line) => `- ${textOf(line)}`), ...after.map((line) => `+ ${textOf(line)}`)],
    ),
  ]);
  const said = [...notes, ...(hidden > 0 ? [`${counted(hidden, 'line')} more`] : [])];
  const words = origin === null ? '' : `, ${originWords[origin]}`;
  const heading = `${codeSpan(pathWords(path))}${words}${said.length > 0 ? ` (${escapeMarkdown(said.join('; '))})` : ''}:`;
  return lines.length === 0 ? heading : `${heading}\n\n${codeBlock(lines.join('\n'), 'diff')}`;
}

const textOf = ({ parts }: { parts: readonly { text: string }[] }): string =>
  oneLine(parts.map(({ text }) => text.replaceAll('\t', '    ')).join(''));
