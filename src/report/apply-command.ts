import { type Fleet, isApplied, isFailed } from '../model/fleet.ts';
import { isRefused, type Plan } from '../model/plan.ts';
import type { ReportOptions } from './options.ts';
import { oneLine } from './safe.ts';

/** The command that applies exactly this plan; `null` where there is nothing to apply, or no command can do it. */
export function planCommand(plan: Plan, options: ReportOptions): string | null {
  return isRefused(plan) ? null : applyCommand([plan], plan.digest, options);
}

/** The same for the plans of several environments. Those of which one failed cannot be applied as a whole. */
export function fleetCommand(fleet: Fleet, options: ReportOptions): string | null {
  const { environments, digest } = fleet;
  if (isApplied(fleet) || environments.some(isFailed)) return null;
  return applyCommand(
    environments.flatMap(({ plan }) => plan ?? []),
    digest,
    options,
  );
}

function applyCommand(
  plans: readonly Plan[],
  digest: string,
  { applyWith }: Pick<ReportOptions, 'applyWith'>,
): string | null {
  const sends = plans.some(({ changes }) => changes.some(({ requests }) => requests.length > 0));
  // People copy the command, so what a report would show in another form is in none.
  if (!sends || !applyWith?.every((word) => oneLine(word) === word)) return null;
  // A digest of another form comes from a forged plan file.
  const approved = /^sha256:[0-9a-f]{64}$/.test(digest) ? digest : 'DIGEST';
  return ['tenantctl apply', ...applyWith.map(shellWord), '--expect', approved].join(' ');
}

/** A word that every shell reads as it is, or between quotes as POSIX shells read it. */
function shellWord(word: string): string {
  if (/^[\w@%+:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
