import { groupBy, lazy } from '../model/basics.ts';
import {
  type Change,
  hasChanges,
  type Impact,
  isRefused,
  type Plan,
  type Risk,
  secretsSentBy,
} from '../model/documents.ts';
import { type Diagnostic, isError } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { namesAndMore, timeWords } from '../model/words.ts';
import {
  commitFacts,
  type Entry,
  emptyEntry,
  emptyPage,
  groupByKind,
  type Notice,
  type Page,
  pointsOf,
  type ReportContext,
} from './page.ts';
import { oneLine } from './safe.ts';
import { fieldOf, pathWords } from './values.ts';
import {
  actionWords,
  changeCounts,
  joinParts,
  namesInBrief,
  pluralize,
  scopeWords,
  summaryCounts,
  tenantWords,
} from './words.ts';

export const refused = 'REFUSED: this plan cannot be applied.';

const risks: Readonly<Record<Risk, Notice>> = {
  lockout: {
    is: 'grave',
    label: 'LOCK-OUT',
    text: 'this can lock out people, and the credentials that CI uses',
  },
  delete: { is: 'grave', label: 'DELETE', text: 'the object is removed from the tenant' },
  replace: {
    is: 'grave',
    label: 'REPLACE',
    text: 'the object is deleted and created again, with another id',
  },
  'back-to-default': {
    is: 'risk',
    label: 'BACK TO DEFAULT',
    text: "recipients get the vendor's text again, and it follows the vendor's changes",
  },
  'undoes-tenant-change': { is: 'grave', label: 'UNDOES A CHANGE', text: '' },
  'sends-mail': { is: 'risk', label: 'SENDS E-MAIL', text: 'a verification message goes out' },
};

export function planPage(plan: Plan, options: ReportContext): Page {
  const { summary, undoes, diagnostics, digest, tool } = plan;
  const remarks = diagnostics.filter((each) => !isError(each));
  const said = new Map(groupBy(remarks, ({ address = '' }) => address));
  const entries = plan.changes.map((change) => changeEntry(change, options, said.get(change.address)));
  const title = undoes ? `Rollback of the apply of ${undoes.startedAt}` : null;
  return {
    ...emptyPage,
    is: 'plan',
    command: 'plan',
    heading: `Plan for ${plan.environment}`,
    name: plan.environment,
    tenants: tenantWords(plan.tenant),
    note: title,
    alarm: isRefused(plan) ? refused : null,
    points: pointsOf(entries),
    label: 'Plan',
    counts: summaryCounts(summary, summary.undeclared),
    verdict: verdictOf([plan]),
    problems: [{ names: [], items: diagnostics.filter(isError) }],
    remarks,
    groups: groupByKind(entries, changeCounts),
    others: undeclaredIn([plan]),
    applyWith: isRefused(plan) ? null : applyCommand([plan], digest, options),
    digest,
    key: digest,
    facts: [
      ...commitFacts(options),
      { name: 'Made', value: plan.createdAt, is: 'time' },
      ...limitFacts([plan]),
      ...(undoes ? [{ name: 'Undoes the plan', value: undoes.planDigest, is: 'text' } as const] : []),
      { name: 'Digest', value: digest, is: 'copied' },
      { name: 'Tool', value: `${tool.name} ${tool.version}`, is: 'footer' },
    ],
  };
}

/** The options that limit plans. What does not limit all of them names its environments. */
export function limitFacts(plans: readonly Plan[]): Page['facts'] {
  const groups = groupBy(plans, ({ scope }) => scopeWords(scope)).map(([words, same]) => {
    const names = same.map(({ environment }) => environment);
    return words && names.length < plans.length ? `${words} in ${namesInBrief(names)}` : words;
  });
  const value = joinParts(groups, '; ');
  return value === '' ? [] : [{ name: 'Limited by', value, is: 'text' }];
}

/** The objects that no manifest declares, each once. `--prune` deletes some, and `--since` those whose manifests were removed. */
export function undeclaredIn(plans: readonly Plan[]): Page['others'] {
  const count = plans.reduce((sum, { summary }) => sum + (summary.undeclared ?? 0), 0);
  if (count === 0) return null;
  const all = plans.flatMap(({ environment, changes, undeclared = [] }) => {
    const deletes = new Map(changes.map(({ address, action }) => [address, action === 'delete']));
    return undeclared.map((address) => ({ environment, address, isDeleted: deletes.get(address) }));
  });
  const deleted = all.filter(({ isDeleted }) => isDeleted).length;
  const where = plans.length === 1 ? 'the tenant' : 'the tenants';
  return {
    title: 'Undeclared',
    words: `${pluralize(count, 'object')} in ${where} that no manifest declares${deleted === 0 ? '' : `; ${deleted} to delete`}`,
    names: groupBy(all, ({ address }) => address).map(([address, same]) => {
      const names = namesInBrief(same.map(({ environment }) => environment));
      return { address, note: same.length === plans.length ? '' : `in ${names}` };
    }),
    // A manifest that was removed since may have left one.
    most: plans.every(({ scope }) => scope.since === null) ? 0 : Number.POSITIVE_INFINITY,
  };
}

/** Says that there is nothing to do, and why; `null` if there are changes. */
export function verdictOf(plans: readonly Plan[]): Page['verdict'] {
  if (plans.some(hasChanges)) return null;
  // A rollback compares recorded values, not the manifests, with the tenant.
  if (plans.some(({ undoes }) => undoes)) return noChanges('This plan undoes nothing');
  if (plans.every(({ summary }) => summary.unchanged === 0))
    return noChanges(`No declared object is part of ${plans.length === 1 ? 'this plan' : 'these plans'}`);
  return noChanges(`${plans.length === 1 ? 'The tenant matches' : 'All tenants match'} the manifests`);
}

const noChanges = (why: string) => ({ words: `No changes. ${why}.`, isGood: true });

export function changeEntry(
  change: Change,
  { rendered = {} }: ReportContext,
  remarks: readonly Diagnostic[] = [],
): Entry {
  const { address, kind, action, id, source, requests } = change;
  return {
    ...emptyEntry,
    id: address,
    address,
    kind,
    action,
    category: action,
    words: actionWords[action],
    concerns: concernsOf(change),
    objectId: id,
    source,
    // Deletes and restored objects do not come from a manifest.
    sides: ['Tenant', action === 'delete' || source === null ? 'After' : 'Manifest'],
    notices: noticesOf(change),
    history: historyOf(change),
    fields: lazy(() => change.diff.map(fieldOf)),
    consequence: consequenceOf(change),
    secrets: secretsSentBy({ requests }).toSorted(),
    impact: change.impact && 'leave' in change.impact ? impactWords(change.impact) : null,
    requests,
    rendered: get(rendered, address) ?? null,
    remarks,
  };
}

function concernsOf(change: Change): Entry['concerns'] {
  const { action, risk, impact } = change;
  const concerns: Entry['concerns'] = [
    { concern: 'lockout', amount: Number(risk.includes('lockout')) },
    { concern: 'delete', amount: Number(action === 'delete' || change.risk.includes('replace')) },
    { concern: 'undo', amount: Number(risk.includes('undoes-tenant-change')) },
    { concern: 'leave', amount: impact && 'leave' in impact ? impact.leave.count : 0 },
    { concern: 'manual', amount: Number(action === 'manual') },
    { concern: 'mail', amount: Number(risk.includes('sends-mail')) },
  ];
  return concerns.filter(({ amount }) => amount > 0);
}

/** `33 people leave, 60 enter`, `back to the vendor's text`; empty if the fields say it. */
function consequenceOf({ action, risk, impact, warnings }: Change): string {
  if (risk.includes('back-to-default')) return "back to the vendor's text";
  if (action === 'delete') return 'is removed from the tenant';
  if (action === 'manual' && warnings[0] !== undefined) return warnings[0];
  if (impact && 'leave' in impact && impact.leave.count > 0) {
    const { leave, enter } = impact;
    const people = leave.count === 1 ? '1 person leaves' : `${leave.count} people leave`;
    return enter.count === 0 ? people : `${people}, ${enter.count} enter${enter.count === 1 ? 's' : ''}`;
  }
  return risk.includes('sends-mail') ? risks['sends-mail'].text : '';
}

/** The first warning of a manual change says what to do. */
function noticesOf({ action, source, diff, risk, warnings, impact }: Change): Notice[] {
  const moved = diff.filter(({ origin }) => origin === 'tenant' || origin === 'both');
  const undone =
    action === 'create'
      ? 'someone deleted this in the tenant, or it was never applied'
      : action === 'delete' && source
        ? 'someone created this in the tenant again, or the delete was never applied'
        : `someone changed ${moved.map(({ path }) => pathWords(path)).join(', ') || 'this'} in the tenant`;
  const tasks = action === 'manual' ? warnings.slice(0, 1) : [];
  const unknown =
    impact && 'notRun' in impact ? [`Who enters and leaves is not known. ${impact.notRun}`] : [];
  return [
    ...risk.map((name) => ({ ...risks[name], text: risks[name].text || undone })),
    ...tasks.map((text): Notice => ({ is: 'task', label: actionWords.manual, text })),
    ...[...warnings.slice(tasks.length), ...unknown].map(
      (text): Notice => ({ is: 'warning', label: null, text }),
    ),
  ];
}

/** `in the tenant: last modified 2026-11-20 10:12 UTC` */
function historyOf({ modified, commit, risk }: Change): Entry['history'] {
  const words = [
    ...(modified ? [`in the tenant: last modified ${timeWords(modified)}`] : []),
    ...(commit ? [`in the repository: ${commit.id} by ${commit.author}, ${timeWords(commit.at)}`] : []),
  ];
  return { words, isAsked: commit !== undefined || risk.includes('undoes-tenant-change') };
}

/** `finds 52 profiles, 47 before`, and `3 enter: Ada, Ben and 1 more` */
function impactWords(impact: Exclude<Impact, { notRun: string }>): Entry['impact'] {
  const moves = (['enter', 'leave'] as const).flatMap((is) => {
    const { count, first } = impact[is];
    const words = `${count} ${is}${count === 1 ? 's' : ''}: ${namesAndMore(first, count - first.length)}`;
    return count === 0 ? [] : [{ is, words }];
  });
  const counts = `finds ${pluralize(impact.after, 'profile')}, ${impact.before} before`;
  return { words: moves.length === 0 ? `${counts}: nobody enters or leaves` : counts, moves, effect: impact };
}

/** The command that applies exactly these plans; `null` if there is nothing to apply, or no command can do it. */
export function applyCommand(plans: readonly Plan[], digest: string, { applyWith }: ReportContext) {
  const sends = plans.some(({ changes }) => changes.some(({ requests }) => requests.length > 0));
  // People copy the command, so it must not contain anything that a report would show in another form.
  if (!sends || !applyWith?.every((word) => oneLine(word) === word)) return null;
  // A digest of another form comes from a forged plan file.
  const approved = /^sha256:[0-9a-f]{64}$/.test(digest) ? digest : 'DIGEST';
  return ['tenantctl apply', ...applyWith.map(shellWord), '--expect', approved].join(' ');
}

/** A word that every shell reads as it is, or between quotes as POSIX shells read it. */
export function shellWord(word: string): string {
  if (/^[\w@%+:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
