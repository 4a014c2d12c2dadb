import type { Project } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { ExitCode, Failure } from '../model/failure.ts';
import { get } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import type { Pointer } from '../model/pointer.ts';
import type { Result } from '../model/result.ts';

/**
 * Throws a Failure (exit 4) that names the changes of a plan which no result proves: no run has seen another tenant, or this one,
 * match the object's declaration in the repository. The delete of an object that is not declared is also proven by a run that
 * deleted it.
 */
export function requireProven(plan: Plan, results: readonly Result[]): void {
  const proven = new Set(results.flatMap((result) => Object.values(result.proven ?? {})));
  const deleted = new Set(
    results
      .flatMap(({ changes }) => changes)
      .filter(({ action, outcome }) => action === 'delete' && outcome === 'done')
      .map(({ address }) => address),
  );
  const unproven = plan.changes.filter(({ address, action, source }) => {
    // A step by hand is not made by the apply.
    if (action === 'manual') return false;
    const digest = get(plan.desired, address);
    if (digest !== undefined && proven.has(digest)) return false;
    return action !== 'delete' || source !== null || !deleted.has(address);
  });
  if (unproven.length === 0) return;
  throw new Failure(
    unproven.map(({ address, source }) => ({
      code: 'unproven',
      severity: 'error',
      message: `${address} is not proven: none of the results of --proven-by shows a tenant in the state that is declared now.`,
      hint: 'Apply the same manifests to the environment that proves them, and pass the result of that apply. Or leave the object out with --except.',
      address,
      ...(source ? { source: { ...source, column: 1 } } : {}),
    })),
    ExitCode.refused,
  );
}

/** The declarations. A saved plan is applied without them: nothing if they cannot be read. */
export function resourcesAtHand(load: () => Project): readonly Resource[] {
  try {
    return load().resources;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [];
  }
}

/**
 * The values that a proof does not cover: those in changed objects that variables, secrets, lookups or overlays decide, here or
 * in the proving environments. Manifests that have changed since the plan do not count.
 */
export function differencesHere(
  plan: Plan,
  resources: readonly Resource[],
  proving: ReadonlyMap<string, readonly Resource[]>,
): Diagnostic[] {
  const changes = plan.changes.filter(({ action }) => action !== 'manual');
  const changed = new Set(changes.map(({ address }) => address));
  // As in a proof, an object is the same by its digest: a variable may give it another name in each environment.
  const planned = new Map(
    resources
      .filter((each) => changed.has(each.address) && digestOf(each) === plan.desired[each.address])
      .map((each) => [digestOf(each), each]),
  );
  return [
    ...[...planned.values()].flatMap((each) => differs(each, 'here', 'this environment', placesOf(each))),
    ...[...proving].flatMap(([name, declared]) =>
      declared.flatMap((other) => {
        const there = placesOf(other);
        const resource = there.length > 0 && planned.get(digestOf(other));
        if (!resource) return [];
        const here = placesOf(resource);
        const alone = there.filter((place) => !here.includes(place));
        return differs(resource, `in ${name}, which proves it`, name, alone);
      }),
    ),
  ];
}

const digestOf = ({ declaration }: Resource) => declaration?.digest() ?? '';

const placesOf = ({ declaration }: Resource) => declaration?.differsHere() ?? [];

function differs(
  { address, source }: Resource,
  where: string,
  environment: string,
  places: readonly Pointer[],
): Diagnostic[] {
  if (places.length === 0) return [];
  const message = `${address} differs ${where}: variables, secrets, lookups or overlays of ${environment} decide ${places.join(', ')}.`;
  return [{ code: 'differs-here', severity: 'info', message, address, source: source() }];
}
