import type { Address } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type {
  Action,
  ChangeOutcome,
  Diff,
  Fleet,
  Impact,
  Plan,
  Request,
  Result,
} from '../model/documents.ts';
import type { Diagnostic } from '../model/failure.ts';
import { takeFirst, uriPath } from './safe.ts';
import { type Field, fieldsInBrief } from './values.ts';
import {
  type Count,
  countSeverities,
  cutList,
  joinParts,
  namesInBrief,
  pluralize,
  shortCommit,
} from './words.ts';

export type Document =
  | { readonly is: 'plan'; readonly plan: Plan }
  | { readonly is: 'result'; readonly result: Result }
  | { readonly is: 'fleet'; readonly fleet: Fleet }
  | { readonly is: 'diff'; readonly diff: Diff }
  | { readonly is: 'diagnostics'; readonly diagnostics: readonly Diagnostic[] };

export type Redact = (text: string) => string;

/** How a report is laid out, and how much of it. */
export interface ReportView {
  readonly colour: boolean;
  readonly width: number;
  /** Show long values whole, the requests, and every remark. */
  readonly verbose?: boolean;
  /** Leave out remarks: warnings and information that are not part of a change. */
  readonly quiet?: boolean;
}

/** The context of a report besides its document, the same in all formats. */
export interface ReportContext {
  /** The project's folder in its repository, with `/` at its end: CI systems look for files from the top. */
  readonly folder?: string;
  /** The commit that a document was made of. What is not known is empty. */
  readonly commit?: Readonly<Record<'id' | 'branch' | 'author' | 'url', string>>;
  /** Milliseconds since 1970, for the age of a saved document. Left out: a terminal shows no age. */
  readonly now?: number;
  /** The web address of a line in a manifest: `https://host/blob/REV/{file}#L{line}`. */
  readonly sourceUrl?: string;
  /** The web address of the HTML report of the same plan. The Markdown report links to the changes in it. */
  readonly reportUrl?: string;
  /** The arguments of `tenantctl apply` for this document. Left out: the report names no command. */
  readonly applyWith?: readonly string[];
  /** Removes secrets from what is shown, before the report is made of it. Plans and results as JSON stay as they are. */
  readonly redact?: Redact;
  /** Templates that were rendered before, for the HTML report. */
  readonly rendered?: Readonly<Record<Address, Rendered>>;
}

export interface ReportOptions extends ReportView, ReportContext {}

export interface RenderedSide {
  /** An HTML document or a part of one, for a frame without scripts. */
  readonly document: string;
  /** An e-mail in the list of an inbox: empty texts stand for missing ones. `null` for another message. */
  readonly head: Readonly<Record<'subject' | 'from' | 'replyTo' | 'preheader', string>> | null;
}

/** A notification template as recipients see it, or `null`. */
export interface Rendered {
  readonly before: RenderedSide | null;
  readonly after: RenderedSide | null;
  /** With other values, if these show otherwise hidden changed lines. */
  readonly further?: readonly (Pick<Rendered, 'before' | 'after' | 'captions'> & {
    /** Names the difference; code stands in backticks. */
    readonly title: string;
  })[];
  /** A sentence about changed lines that no rendering shows; empty or left out if there are none. */
  readonly remark?: string;
  /** The titles of both sides, if they are not only before and after a change. */
  readonly captions?: readonly [before: string, after: string];
}

/** A document as every format shows it: builders know documents and words, writers know formats. */
export interface Page {
  readonly is: Document['is'];
  readonly command: 'plan' | 'apply' | 'diff' | 'validate';
  /** `Plan for production` */
  readonly heading: string;
  /** `production`, if the heading names the command. */
  readonly name: string;
  /** The base URLs; empty if the sides have them. */
  readonly tenants: string;
  readonly sides: readonly { readonly action: Action; readonly name: string; readonly tenant: string }[];
  /** Names the apply that a rollback undoes. */
  readonly note: string | null;
  /** Why nothing will happen, or what went wrong. */
  readonly alarm: string | null;
  readonly points: readonly Point[];
  readonly pointsTitle: 'Read this first' | 'Left to do';
  readonly matrix: {
    readonly columns: readonly string[];
    /** Environments with the same numbers, or one that failed. */
    readonly rows: readonly {
      readonly names: readonly string[];
      readonly isFailed: boolean;
      /** One for each of the columns; `null` if there is no plan or no result. */
      readonly counts: readonly number[] | null;
      /** The code of an error, or a state in brief; empty if the numbers say it. */
      readonly words: string;
    }[];
  } | null;
  /** Introduces the counts: `Plan`, `Applied in part`; `null` if the matrix has them. */
  readonly label: string | null;
  readonly counts: readonly Count[];
  /** Replaces counts that say nothing: `No changes.` */
  readonly verdict: { readonly words: string; readonly isGood: boolean } | null;
  /** The errors, below the environments that they are about if there are several. */
  readonly problems: readonly { readonly names: readonly string[]; readonly items: readonly Diagnostic[] }[];
  /** Warnings and information, including those that entries show. */
  readonly remarks: readonly Diagnostic[];
  readonly groups: readonly Group[];
  readonly named: 'kind' | 'environment';
  /** Objects without an entry, such as those that no manifest names. */
  readonly others: {
    readonly title: string;
    readonly words: string;
    readonly names: readonly { readonly address: Address; readonly note: string }[];
    /** The number that a terminal shows without `--verbose`. */
    readonly most: number;
  } | null;
  readonly steps: readonly string[];
  readonly applyWith: string | null;
  readonly digest: string | null;
  /** The browser keeps a reader's ticks under it. */
  readonly key: string;
  readonly facts: readonly {
    readonly name: string;
    readonly value: string;
    /** A time has an age, values to copy have a button, and minor facts are in the footer. */
    readonly is: 'text' | 'time' | 'copied' | 'footer';
    readonly link?: string | null;
  }[];
  /** The pages of several environments, for a format that lists each by itself. */
  readonly members?: () => readonly Page[];
}

/** Entries that belong together: of one kind, or of the same environments. */
export interface Group {
  /** Empty for all changes of an apply, in the order of the run: a review has them by kind. */
  readonly title: string;
  readonly words: string;
  /** The choices of a filter that show it. */
  readonly names: readonly string[];
  /** Nothing in it needs attention, so a reader in a hurry can skip it. */
  readonly isRoutine: boolean;
  readonly entries: readonly Entry[];
}

export interface Entry {
  /** Unlike the address, it is unique. */
  readonly id: string;
  readonly address: Address;
  readonly kind: string;
  /** In a diff, it stands for a side. */
  readonly action: Action;
  /** `null` unless the change was applied. */
  readonly outcome: ChangeOutcome | null;
  /** The filter, and the count at the top, that it belongs to. */
  readonly category: string;
  /** `to update`, `failed`, `only in test` */
  readonly words: string;
  /** One line of a list, which shows no values. */
  readonly isLine: boolean;
  readonly isFailure: boolean;
  /** The environments that it stands for, if there are several documents. */
  readonly environments: readonly string[];
  /** The amount is 1, or the number of people who leave a search. */
  readonly concerns: readonly { readonly concern: Concern; readonly amount: number }[];
  readonly objectId: string | null;
  readonly source: { readonly file: string; readonly line: number } | null;
  readonly sides: readonly [before: string, after: string];
  readonly notices: readonly Notice[];
  /** When the object and its files were last changed, and by whom; `isAsked`: readers look for it first. */
  readonly history: { readonly words: readonly string[]; readonly isAsked: boolean };
  readonly fields: () => readonly Field[];
  /** Empty if its fields say it. */
  readonly consequence: string;
  /** The names of the secrets that are sent: the fields do not show which they are. */
  readonly secrets: readonly string[];
  readonly impact: {
    readonly words: string;
    readonly moves: readonly { readonly is: 'enter' | 'leave'; readonly words: string }[];
    readonly effect: Exclude<Impact, { notRun: string }>;
  } | null;
  readonly requests: readonly Request[];
  readonly sent: readonly string[];
  readonly seconds: number;
  readonly rendered: Rendered | null;
  readonly remarks: readonly Diagnostic[];
}

export interface Notice {
  readonly is: 'grave' | 'risk' | 'task' | 'warning' | 'error';
  /** `LOCK-OUT`; `null` if the sentence stands alone. */
  readonly label: string | null;
  readonly text: string;
}

export const emptyPage = {
  tenants: '',
  sides: [],
  note: null,
  alarm: null,
  points: [],
  pointsTitle: 'Read this first',
  matrix: null,
  label: null,
  counts: [],
  verdict: null,
  problems: [],
  remarks: [],
  groups: [],
  named: 'kind',
  others: null,
  steps: [],
  applyWith: null,
  digest: null,
  key: '',
  facts: [],
} as const;

export const emptyEntry = {
  outcome: null,
  isLine: false,
  isFailure: false,
  environments: [],
  concerns: [],
  objectId: null,
  source: null,
  sides: ['Before', 'After'],
  notices: [],
  history: { words: [], isAsked: false },
  consequence: '',
  secrets: [],
  impact: null,
  requests: [],
  sent: [],
  seconds: 0,
  rendered: null,
  remarks: [],
} as const;

/** The most urgent first. */
const concerns = [
  { is: 'failed', level: 'high', one: 'change failed', many: 'changes failed' },
  { is: 'unknown', level: 'high', one: 'outcome is unknown', many: 'outcomes are unknown' },
  { is: 'lockout', level: 'high', one: 'lock-out', many: 'lock-outs' },
  { is: 'delete', level: 'high', one: 'delete', many: 'deletes' },
  { is: 'undo', level: 'high', one: "undoes somebody's change", many: "undo somebody's change" },
  { is: 'leave', level: 'medium', one: 'person leaves a search', many: 'people leave a search' },
  { is: 'manual', level: 'medium', one: 'step by hand', many: 'steps by hand' },
  { is: 'mail', level: 'low', one: 'e-mail goes out', many: 'e-mails go out' },
] as const;
type Concern = (typeof concerns)[number]['is'];

interface Point {
  readonly concern: Concern;
  readonly level: (typeof concerns)[number]['level'];
  /** `1 lock-out`, `6 people leave a search` */
  readonly words: string;
  readonly entries: readonly Entry[];
}

/** The concerns that entries raise, the most urgent first. One of several environments counts in each. */
export function pointsOf(entries: readonly Entry[]): Point[] {
  return concerns.flatMap(({ is: concern, level, one, many }) => {
    const raised = entries.flatMap((entry) => {
      const amount = entry.concerns.find((each) => each.concern === concern)?.amount ?? 0;
      return amount === 0 ? [] : [{ entry, amount: amount * Math.max(1, entry.environments.length) }];
    });
    const count = raised.reduce((sum, { amount }) => sum + amount, 0);
    const words = `${count} ${count === 1 ? one : many}`;
    return raised.length === 0 ? [] : [{ concern, level, words, entries: raised.map(({ entry }) => entry) }];
  });
}

/** 0 for the most urgent; entries without a concern come last. */
export function urgencyOf(entry: Entry | undefined): number {
  const first = entry?.concerns[0];
  return first ? concerns.findIndex(({ is }) => is === first.concern) : concerns.length;
}

/** `lock-out`: the most urgent concern of an entry, or else its action. */
export function reasonOf({ concerns: [first], words }: Entry): string {
  return concerns.find(({ is }) => is === first?.concern)?.one ?? words;
}

/**
 * What a review shows: the groups, those of a run by kind and urgent ones first, and the remarks that no entry has, by code: many
 * objects often have the same.
 */
export function reviewOf({ groups, named, remarks }: Page) {
  const byKind = groups.flatMap((group) => (group.title === '' ? groupByKind(group.entries) : [group]));
  const sorted = byKind.map((group) => {
    return { ...group, entries: group.entries.toSorted((a, b) => urgencyOf(a) - urgencyOf(b)) };
  });
  if (named === 'kind') sorted.sort((a, b) => urgencyOf(a.entries[0]) - urgencyOf(b.entries[0]));
  const attached = new Set(sorted.flatMap(({ entries }) => entries.flatMap((entry) => entry.remarks)));
  const loose = remarks.filter((remark) => !attached.has(remark));
  return { groups: sorted, loose: groupBy(loose, ({ code }) => code) };
}

export function groupByKind(
  entries: readonly Entry[],
  wordsOf = (group: readonly Entry[]) => pluralize(group.length, 'change'),
): Group[] {
  return groupBy(entries, ({ kind }) => kind).map(([kind, group]) => ({
    title: kind,
    words: wordsOf(group),
    names: [kind],
    isRoutine: false,
    entries: group,
  }));
}

const maxFields = 2;

/** What becomes of an object: `type: NON_PTA → BLOCK`, `is removed from the tenant`. */
export function consequenceOf({ consequence, isLine, fields }: Entry): string {
  return consequence || (isLine ? '' : fieldsInBrief(fields(), maxFields));
}

const maxLines = 4;
const maxObjects = 3;
const maxConsequence = 160;
const maxTenants = 10;

export function linesOf({ entries }: Point) {
  const objects = groupBy(entries, ({ address }) => address).map(([, group]) => {
    const names = group.flatMap(({ environments }) => environments).sort();
    // An object may change in one way in some environments, and in another way in others.
    const [first = '', ...others] = new Set(group.map(consequenceOf));
    const words = `${takeFirst(first, maxConsequence)}${first.length > maxConsequence ? '…' : ''}`;
    return {
      entry: group[0],
      /** ` in eu-1, us-1`; empty if there is one environment. */
      where: names.length === 0 ? '' : ` in ${namesInBrief(names, maxTenants)}`,
      consequence: `${words}${others.length === 0 ? '' : `, or in ${pluralize(others.length, 'other way')}`}`,
    };
  });
  const [lines, rest] = cutList(
    groupBy(objects, ({ consequence }) => consequence),
    maxLines,
  );
  return {
    lines: lines.map(([consequence, group]) => {
      const [first, others] = cutList(group, maxObjects);
      return { objects: first, more: others.length, consequence };
    }),
    more: rest.reduce((sum, [, group]) => sum + group.length, 0),
  };
}

const webLink = (address = ''): string | null => (/^https?:\/\//.test(address) ? address : null);

/** The web address of a line in a manifest; `null` without a template that is a web address. */
export function sourceLink(
  source: Entry['source'],
  { sourceUrl, folder = '' }: Pick<ReportContext, 'sourceUrl' | 'folder'>,
): string | null {
  const template = webLink(sourceUrl);
  if (source === null || template === null) return null;
  const path = uriPath(folder + source.file);
  return template.replaceAll('{file}', () => path).replaceAll('{line}', String(source.line));
}

/** The commit that a document was made of: `3f2a91c on main, by Ada Lovelace`. */
export function commitFacts({ commit }: ReportContext): Page['facts'] {
  if (!commit) return [];
  const { id, branch, author, url } = commit;
  const words = joinParts([shortCommit(id), branch !== '' && `on ${branch}`], ' ');
  const value = joinParts([words, author !== '' && `by ${author}`], ', ');
  return [{ name: 'Commit', value, is: 'text', link: webLink(url) }];
}

/** `quiet` leaves notes out of the counts, as of the list. */
export function diagnosticsPage(
  diagnostics: readonly Diagnostic[],
  { quiet = false }: Pick<ReportView, 'quiet'> = {},
): Page {
  const counted = diagnostics.filter(({ severity }) => !quiet || severity !== 'info');
  const { error, warning, info } = countSeverities(counted);
  const counts = Object.entries({ error, warning, note: info }).map(
    ([noun, count]) => count > 0 && pluralize(count, noun),
  );
  return {
    ...emptyPage,
    is: 'diagnostics',
    command: 'validate',
    heading: '',
    name: '',
    verdict: { words: joinParts(counts, ', ') || 'no problems', isGood: false },
    problems: [{ names: [], items: diagnostics }],
  };
}
