import { notificationTemplate } from '../kinds/notification-template.ts';
import { questionsOf } from '../lint/index.ts';
import type { LiveObject } from '../model/live.ts';
import { defaultsFor, type Matched, nearDefaultsFor, perhapsUpdated } from '../planner/index.ts';
import type { Tenant } from './tenant.ts';

/**
 * The vendor's defaults that a plan is computed from. Where some have to be read, those that updates will be judged by
 * come along: one request instead of two.
 *
 * @param known the defaults that have been read already
 */
export async function readPlanDefaults(
  matched: Matched,
  known: readonly LiveObject[],
  tenant: Pick<Tenant, 'readDefaults'>,
): Promise<readonly LiveObject[]> {
  const needed = defaultsFor(matched, known);
  if (needed.length === 0) return known;
  const { defaults: judged } = questionsOf(perhapsUpdated(matched), [], known);
  const wanted = needed.map((one) =>
    one.kind === notificationTemplate ? { ...one, keys: [...one.keys, ...judged] } : one,
  );
  const defaults = [...known, ...(await tenant.readDefaults(wanted))];
  const near = nearDefaultsFor(matched, defaults);
  return near.length === 0 ? defaults : tenant.readDefaults(near);
}
