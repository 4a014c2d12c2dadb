import type { Environment } from '../kinds/project.ts';
import type { Address } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { withDigest } from '../model/digest.ts';
import type { Plan } from '../model/plan.ts';
import { namesAndMore } from '../model/words.ts';
import { serviceOf } from './reading.ts';

export interface EnvironmentPlan {
  readonly environment: Environment;
  readonly plan: Plan;
}

/**
 * Why plans must not be applied together, by environment: they change the same object of the same tenant, as where an
 * environment was copied and kept its `baseUrl`. Applied at once, each would create the object, or overwrite what the other
 * writes. The other plans are not named.
 */
export function findSharedChanges(planned: readonly EnvironmentPlan[]): ReadonlyMap<string, Diagnostic> {
  const byPlace = new Map(groupBy(planned.flatMap(changedPlaces), ({ place }) => place));
  return new Map(
    planned.flatMap((one) => {
      const { name } = one.environment;
      const shared = changedPlaces(one).flatMap(({ place, address }) => {
        const names = (byPlace.get(place) ?? []).map((other) => other.name);
        const others = names.filter((other) => other !== name);
        return others.length > 0 ? [{ address, others }] : [];
      });
      return shared.length > 0 ? [[name, refusalOf(shared)] as const] : [];
    }),
  );
}

/** Refuses the plans that must not be applied together. */
export function refuseSharedChanges(planned: readonly EnvironmentPlan[]): Plan[] {
  const refusals = findSharedChanges(planned);
  return planned.map(({ environment, plan }) => {
    const refusal = refusals.get(environment.name);
    return refusal ? withDigest({ ...plan, diagnostics: [...plan.diagnostics, refusal] }) : plan;
  });
}

/** Embedded tenants that no file keeps are not the same, though named alike. */
function changedPlaces({ environment, plan }: EnvironmentPlan) {
  const { name, connection, tenant, kinds } = environment;
  if (connection.to === 'sandbox' && connection.sandbox.data === null) return [];
  return plan.changes.flatMap((change) => {
    const { action, address } = change;
    const kind = action === 'manual' ? null : kinds.find(change.kind);
    return kind ? [{ name, place: `${tenant[serviceOf(kind)]} ${address}`, address }] : [];
  });
}

function refusalOf(
  shared: readonly { readonly address: Address; readonly others: readonly string[] }[],
): Diagnostic {
  const others = [...new Set(shared.flatMap((each) => each.others))];
  const addresses = shared.map(({ address }) => address);
  const what = namesAndMore(addresses.slice(0, 1), shared.length - 1);
  return {
    code: 'shared-tenant',
    severity: 'error',
    message: `${what} would also be changed by ${others.join(', ')} in the same tenant.`,
    hint: 'Give each environment the `baseUrl` of its own tenant. If they share it on purpose, apply them one after the other, with `limits.settle` between them.',
  };
}
