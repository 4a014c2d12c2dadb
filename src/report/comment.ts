import { groupBy } from '../model/basics.ts';
import { joinParts } from './words.ts';

/**
 * The longest comment, in characters. GitHub accepts 65,536 and GitLab 1,000,000; the pipelines of `init` add the
 * project's folder, a link, or what a request of drift is about.
 */
const maxLength = 64_000;
/** Kept free for the note that counts what is cut. */
const noteLength = 1500;
/** This part of the room at most is kept for the sections that follow, so that they are at least mentioned. */
const briefShare = 0.5;

/** One part of a comment, in full and in one line. */
export interface Section {
  readonly whole: string;
  readonly brief: string;
  /** The lowest are the last to be cut. */
  readonly rank: number;
  /** Names it in the count of what is cut, as Markdown: `SenderAddress, delete`. */
  readonly label: string;
}

export interface SectionGroup {
  readonly heading: string;
  readonly sections: readonly Section[];
}

type Form = 'whole' | 'brief';

/**
 * Head, sections and foot, within the length of a comment. The most urgent sections get room first, wherever they are. What
 * does not fit whole is shown in brief, and a note counts what is cut. The foot is always there.
 *
 * @param advice how to see everything, as Markdown
 */
export function fitComment(
  head: string,
  groups: readonly SectionGroup[],
  { foot, advice }: { foot: string; advice: string },
): string {
  const room = maxLength - foot.length - noteLength;
  const top = clip(head, room);
  const forms = chooseForms(groups, room - top.length);
  const body = groups.map(({ heading, sections }) => {
    const shown = sections.flatMap((section) => {
      const form = forms.get(section);
      return form === undefined ? [] : [section[form]];
    });
    return shown.length === 0 ? '' : `${heading}${shown.join('')}`;
  });
  const sections = groups.flatMap((group) => group.sections);
  return `${top}${note(sections, forms, advice)}${body.join('')}${foot}`;
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

function note(sections: readonly Section[], forms: ReadonlyMap<Section, Form>, advice: string): string {
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
  const counts = groupBy(sorted, ({ label }) => label).map(([label, { length }]) => `${length} ${label}`);
  const shown: string[] = [];
  for (const count of counts) {
    if (`${shown.join('; ')}${count}`.length > noteLength / 3) break;
    shown.push(count);
  }
  const rest = counts.length - shown.length;
  return joinParts([...shown, rest > 0 && `and ${rest} other kinds`], '; ');
}

/** A head that is too long by itself ends at an empty line, so that no markup stays open. */
function clip(head: string, length: number): string {
  return head.length <= length ? head : `${head.slice(0, head.lastIndexOf('\n\n', length))}\n\n`;
}
