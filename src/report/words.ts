import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { Diff } from '../model/diff.ts';
import {
  type Action,
  actions,
  type Change,
  type Difference,
  type Impact,
  type Origin,
  type Plan,
  type Request,
  type Risk,
  type Summary,
  secretsSentBy,
} from '../model/plan.ts';
import { namesAndMore } from '../model/words.ts';
import { uriPath } from './safe.ts';

/** The sign of each action. */
export const symbols: Readonly<Record<Action, string>> = {
  create: '+',
  update: '~',
  delete: '-',
  manual: '!',
};

export const actionWords: Readonly<Record<Action, string>> = {
  create: 'to create',
  update: 'to update',
  delete: 'to delete',
  manual: 'by hand',
};

/** Each risk: its label, what it means, and whether it can do harm. */
export const riskWords: Readonly<
  Record<Risk, { readonly label: string; readonly meaning: string; readonly isGrave: boolean }>
> = {
  lockout: {
    label: 'LOCK-OUT',
    meaning: 'this can shut people out, and the credentials that CI uses',
    isGrave: true,
  },
  delete: { label: 'DELETE', meaning: 'the object is removed from the tenant', isGrave: true },
  'back-to-default': {
    label: 'BACK TO DEFAULT',
    meaning: "recipients get the vendor's text again, and it follows the vendor's changes",
    isGrave: false,
  },
  'undoes-tenant-change': {
    label: 'UNDOES A CHANGE',
    meaning: 'someone changed this in the tenant',
    isGrave: true,
  },
  'sends-mail': { label: 'SENDS E-MAIL', meaning: 'a verification message goes out', isGrave: false },
};

/** A change, or what several environments have in common of one. */
export interface ShownChange extends Change {
  /** The secrets that all of them send. Left out: those of its requests. */
  readonly secretNames?: readonly string[];
}

/** The names of the secrets whose values a change sends. The difference does not show which they are. */
export function secretNamesOf({
  requests,
  secretNames,
}: Pick<ShownChange, 'requests' | 'secretNames'>): readonly string[] {
  return secretNames ?? secretsSentBy({ requests }).toSorted();
}

const originWords: Readonly<Record<Origin, string>> = {
  repo: 'changed in the repository',
  tenant: 'changed in the tenant',
  both: 'changed in the repository and in the tenant',
};

/** Where a difference comes from: who moved, and the overlay that sets it; empty where nothing is known. */
export function originNotes({
  origin = null,
  overlay,
}: Partial<Pick<Difference, 'origin' | 'overlay'>>): string {
  const parts = [
    origin !== null && originWords[origin],
    overlay && `set by the overlay in ${place(overlay)}`,
  ];
  return joinParts(parts, ', ');
}

/** What a plan without changes says. */
export function noChanges({ summary, undoes }: Pick<Plan, 'summary' | 'undoes'>): string {
  // What was recorded is compared with the tenant, and not the manifests.
  if (undoes) return 'No changes. This plan undoes nothing.';
  return summary.unchanged > 0
    ? 'No changes. The tenant equals the manifests.'
    : 'No changes. No declared object is part of this plan.';
}

export const refused = 'REFUSED: this plan cannot be applied.';

/** A number, and what it counts. */
export interface Count {
  /** The action or outcome that changes have in common; `null` for objects that do not change. */
  readonly is: string | null;
  readonly count: number;
  readonly words: string;
}

/** How many objects need each action, and how many none. */
export function summaryCounts(summary: Summary): Count[] {
  return [
    ...actions.map((is) => ({ is, count: summary[is], words: actionWords[is] })),
    { is: null, count: summary.unchanged, words: 'unchanged' },
  ];
}

/** The same, with the objects that no manifest names, where there are any. */
export function allCounts(summary: Summary): Count[] {
  const { undeclared = 0 } = summary;
  const more = undeclared > 0 ? [{ is: null, count: undeclared, words: 'undeclared' }] : [];
  return [...summaryCounts(summary), ...more];
}

/** `2 to create, 1 to update` */
export function countWords(counts: readonly Count[]): string {
  return counts.map(({ count, words }) => `${count} ${words}`).join(', ');
}

/** `2 to create, 1 to update, 0 to delete, 1 by hand, 137 unchanged, 3 undeclared` */
export function planCounts(summary: Summary): string {
  return countWords(allCounts(summary));
}

/** What objects are that no manifest names; `null` where there are none. */
export function undeclaredWords({ summary: { undeclared = 0 } }: Pick<Plan, 'summary'>): string | null {
  if (undeclared === 0) return null;
  return `${pluralize(undeclared, 'object')} in the tenant that no manifest names`;
}

/** What a person has to do for a change, which is its first warning; `null` for a change that tenantctl makes. */
export function taskOf({ action, warnings }: Pick<Change, 'action' | 'warnings'>): {
  readonly task: string | null;
  readonly warnings: readonly string[];
} {
  if (action !== 'manual') return { task: null, warnings };
  const [task = null, ...others] = warnings;
  return { task, warnings: others };
}

/** `2 errors, 1 warning`; severities that do not occur are left out. */
export function diagnosticCounts(diagnostics: readonly Diagnostic[]): string {
  const counts = countSeverities(diagnostics);
  const parts = [
    counts.error > 0 && pluralize(counts.error, 'error'),
    counts.warning > 0 && pluralize(counts.warning, 'warning'),
    counts.info > 0 && pluralize(counts.info, 'note'),
  ];
  return joinParts(parts, ', ') || 'no problems';
}

/** How many diagnostics there are of each severity. */
export function countSeverities(diagnostics: readonly Diagnostic[]): Record<Severity, number> {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of diagnostics) counts[severity] += 1;
  return counts;
}

/** The parts that are there, with a separator between them: what is empty, missing or `false` is left out. */
export function joinParts(parts: readonly (string | false | null | undefined)[], separator: string): string {
  return parts.filter(Boolean).join(separator);
}

/** `1 error`, `2 errors` */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1 error is`, `2 errors are` */
export function countIs(count: number, noun: string): string {
  return `${pluralize(count, noun)} ${count === 1 ? 'is' : 'are'}`;
}

/** The place of a manifest or a problem: `file:line`, `file:line:column`. */
export function place({ file, line, column }: { file: string; line: number; column?: number }): string {
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}

/** Where a problem is: its place in a file, or else the address of its object. */
export function whereOf({ source, address }: Diagnostic): string | undefined {
  return source ? place(source) : address;
}

/**
 * The web address of a line in a manifest, from a template such as `https://host/blob/REV/{file}#L{line}`; `null`
 * without a template that is a web address.
 */
export function sourceLink(source: Change['source'], template: string | undefined): string | null {
  if (source === null || template === undefined || !/^https?:\/\//.test(template)) return null;
  const path = uriPath(source.file);
  return template.replaceAll('{file}', () => path).replaceAll('{line}', String(source.line));
}

/** What a plan is: `Plan`, or which apply it undoes. */
export function titleOfPlan({ undoes }: Pick<Plan, 'undoes'>): string {
  return undoes ? `Rollback of the apply of ${undoes.startedAt}` : 'Plan';
}

/** The options that limit a plan or a diff, as they are typed; empty where there are none. */
export function scopeWords({
  only,
  except,
  kinds = [],
  prune = false,
  since = null,
}: Pick<Plan['scope'], 'only' | 'except'> & Partial<Plan['scope'] & Diff['scope']>): string {
  const parts = [
    ...only.map((glob) => `--only ${glob}`),
    ...except.map((glob) => `--except ${glob}`),
    ...kinds.map((kind) => `--kinds ${kind}`),
    prune && '--prune',
    since !== null && `--since ${since}`,
  ];
  return joinParts(parts, ' ');
}

/** `the same in 20 objects` */
export function familyWords(count: number): string {
  return `the same in ${pluralize(count, 'object')}`;
}

/** The two addresses of a tenant, or one where they are the same. */
export function tenantWords({ identity, profiles }: Plan['tenant']): string {
  return joinParts(identity === profiles ? [identity] : [identity, profiles], ', ');
}

/** The kind in an address. */
export function kindOf({ address }: { readonly address: string }): string {
  return address.split('/')[0] ?? '';
}

/** `2 to create, 1 to update`; actions that do not occur are left out. */
export function changeCounts(changes: readonly Pick<Change, 'action'>[]): string {
  const parts = actions.map((action) => {
    const { length } = changes.filter((change) => change.action === action);
    return length > 0 && `${length} ${actionWords[action]}`;
  });
  return joinParts(parts, ', ');
}

/** The path of a request with its query. */
export function requestTarget({ path, query }: Pick<Request, 'path' | 'query'>): string {
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** What a change of a search does to the profiles that it finds. */
export type Effect = Exclude<Impact, { notRun: string }>;

/** `finds 52 profiles, 47 before` */
export function impactWords({ before, after, enter, leave }: Effect): string {
  const counts = `finds ${pluralize(after, 'profile')}, ${before} before`;
  return enter.count + leave.count === 0 ? `${counts}: nobody enters or leaves` : counts;
}

export const impactUnknown = 'Who enters and leaves is not known';

export const moves = ['enter', 'leave'] as const;

/** `3 enter: Ada, Ben and 1 more`; `null` where nobody moves. */
export function movedWords(effect: Effect, move: (typeof moves)[number]): string | null {
  const { count, first } = effect[move];
  if (count === 0) return null;
  const verb = count === 1 ? `${move}s` : move;
  return `${count} ${verb}: ${namesAndMore(first, count - first.length)}`;
}
