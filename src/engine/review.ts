/** The additions to a plan for reviewers. */

import { type LiveObject, ownId } from '../kinds/kind.ts';
import { isKnownById, LiveIndex, type Match } from '../kinds/live-objects.ts';
import type { Kinds, Project } from '../kinds/project.ts';
import { idsOnSide } from '../kinds/references.ts';
import { formatAddress } from '../model/address.ts';
import type { Change, DraftPlan, SideDifference } from '../model/documents.ts';
import { get, type JsonObject } from '../model/json.ts';
import { placesOf, segmentsOf, topName } from '../model/pointer.ts';
import { findUndeclared } from '../planner/deletes.ts';
import type { PlanInput } from '../planner/input.ts';
import { findMovedDefaults, type MovedDefault } from '../planner/moved-defaults.ts';
import type { lookedUpBy } from '../planner/references.ts';

/**
 * Adds to differences the names of the ids in them, as objects and lookups of the tenant showed them. `lookedUp`: the lookups behind
 * found values, by the address of the resource that uses them.
 */
export function nameDifferences<D extends SideDifference, T extends Pick<Change, 'address' | 'kind'>>(
  differing: readonly (T & { readonly diff: readonly D[] })[],
  known: { kinds: Kinds; objects: readonly LiveObject[]; lookedUp: ReturnType<typeof lookedUpBy> },
): (T & { readonly diff: readonly D[] })[] {
  const { kinds, objects, lookedUp } = known;
  const index = new LiveIndex(objects);
  return differing.map((each) => {
    const kind = kinds.get(each.kind);
    const answers = [...(lookedUp.get(each.address) ?? [])];
    const diff = each.diff.map((entry): D => {
      if (entry.sensitive) return entry;
      const both = [entry.before, entry.after];
      const ids = [...idsOnSide(kind, entry, 'before'), ...idsOnSide(kind, entry, 'after')];
      const names = [
        ...answers.filter(([id]) => placesOf(both, (part) => String(part) === id).length > 0),
        ...ids.flatMap(({ id, to }) => {
          const targets = to.flatMap((name) => kinds.find(name) ?? []);
          const found = targets.map((target) => (typeof id === 'string' ? index.findById(target, id) : null));
          return found.flatMap((live) =>
            live?.id && !isKnownById(live)
              ? [[ownId(live.kind, live.id), formatAddress(live.kind.name, live.shownKey)] as const]
              : [],
          );
        }),
      ];
      return names.length === 0 ? entry : { ...entry, named: Object.fromEntries(names) };
    });
    return { ...each, diff };
  });
}

/** Says why no manifest could declare an object, in words; `null` if one could. */
export async function undeclarability(): Promise<(live: LiveObject) => string | null> {
  // The exporter, which knows what a manifest can declare, takes a while to load.
  const { whyUndeclarable } = await import('../exporter/draft.ts');
  return whyUndeclarable;
}

/** Warns of each record that a change removes and no manifest could declare: nothing brings it back. */
export async function warnOfLosses(
  all: readonly Change[],
  { objects, environment: { kinds } }: Pick<PlanInput, 'objects' | 'environment'>,
): Promise<readonly Change[]> {
  const removed = all.map((change) => {
    const records = change.diff.filter(({ path, op, sensitive }) => {
      const [name = '', ...below] = segmentsOf(path);
      const isRecord = below.length === 1 && get(kinds.get(change.kind).fields, name)?.is === 'records';
      return isRecord && op === 'remove' && !sensitive;
    });
    return { change, records };
  });
  if (removed.every(({ records }) => records.length === 0)) return all;
  const why = await undeclarability();
  const byAddress = new Map(objects.map((live) => [live.address, live]));
  return removed.map(({ change, records }) => {
    const live = byAddress.get(change.address);
    const warnings = records.flatMap(({ path, before }) => {
      // The object as if it had only the removed record.
      const isLost = live && why({ ...live, fields: { [topName(path)]: [before] } }) !== null;
      return isLost
        ? `Removes ${path}, which no manifest can declare: only a rollback of the apply brings it back.`
        : [];
    });
    return { ...change, warnings: [...change.warnings, ...warnings] };
  });
}

/**
 * Adds to the plan the objects in the tenant that no manifest declares, if their lists were read anyway, so that a removed
 * manifest shows. They are neither changes nor part of the digest, since an approval covers what a run does. Objects in
 * `prune.keep` are known to be undeclared, and those that no manifest could declare never had one: neither is reported.
 */
export async function addUndeclared(
  plan: DraftPlan,
  { input, others }: { readonly input: PlanInput; readonly others: readonly LiveObject[] },
): Promise<DraftPlan> {
  const found = findUndeclared(input, others);
  const why = found.length === 0 ? () => null : await undeclarability();
  const undeclared = found.filter((live) => why(live) === null).map(({ address }) => address);
  const counted = { ...plan, summary: { ...plan.summary, undeclared: undeclared.length } };
  return undeclared.length === 0 ? counted : { ...counted, undeclared: undeclared.toSorted() };
}

/** The vendor's defaults that have changed since declared objects were customised, with what they were, if anything shows it. */
export async function readMovedDefaults(
  matches: readonly Match[],
  defaults: readonly LiveObject[],
  project: Project,
  env: NodeJS.ProcessEnv,
): Promise<readonly (MovedDefault & { readonly earlier: JsonObject | null })[]> {
  const moved = findMovedDefaults(matches, new LiveIndex(defaults));
  if (moved.length === 0) return [];
  // Only this runs git.
  const { findEarlierDefaults } = await import('./since.ts');
  const earlier = await findEarlierDefaults(moved, project, env);
  return moved.map((each) => ({ ...each, earlier: earlier.get(each.match.resource.address) ?? null }));
}
