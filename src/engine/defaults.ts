import type { Client } from '../client/client.ts';
import { readDefaults } from '../client/read.ts';
import type { ReadRequest } from '../kinds/kind.ts';
import { questionsOf } from '../lint/index.ts';
import type { LiveObject } from '../model/live.ts';
import type { ApiSettings } from '../model/settings.ts';
import type { Matched } from '../planner/index.ts';
import { defaultsFor, nearDefaultsFor } from '../planner/input.ts';

/**
 * The vendor's defaults that a plan is computed from. Where some have to be read, those that the lint judges updates by
 * come along: one request instead of two.
 */
export async function readPlanDefaults(
  matched: Matched,
  client: Client,
  settings: ApiSettings,
): Promise<readonly LiveObject[]> {
  const needed = defaultsFor(matched);
  if (needed.length === 0) return [];
  const updated = matched.present.flatMap(({ change, match }) => (change ? [match.resource] : []));
  const judged = questionsOf(updated, []).defaults;
  const defaults = await readDefaults(client, withKeysOf(needed, judged), settings);
  const near = nearDefaultsFor(matched, defaults);
  return near.length === 0 ? defaults : readDefaults(client, near, settings);
}

function withKeysOf(requests: readonly ReadRequest[], others: readonly ReadRequest[]): ReadRequest[] {
  return requests.map((request) => {
    const same = others.filter(({ kind }) => kind === request.kind);
    return { ...request, keys: [...request.keys, ...same.flatMap(({ keys }) => keys)] };
  });
}
